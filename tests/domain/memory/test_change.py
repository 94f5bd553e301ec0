"""WM-8: which statements change an older one, and which only look alike."""

from __future__ import annotations

import pytest

from tests.domain.memory.memories import NOW, SETTINGS, entry, memory
from wm.domain.change.compare import Change, judge
from wm.domain.change.statement import reading
from wm.domain.memory.consolidate import Admission, MemoryEditor
from wm.formats.workspace_memory import MemoryEntry

REPLACES = (
    ("the upload limit is 20 MB", "we raised the upload limit to 50 MB"),
    ("the api listens on port 8000", "the api listens on port 8080 now"),
    ("CI uses node18", "CI uses node20"),
    ("the node image is ubuntu2204", "the node image is ubuntu2404 now"),
    ("we use lerna for the monorepo", "lerna is dead, the monorepo is on nx"),
    ("logging goes through winston", "use pino instead of winston for logging"),
    ("docs are built with sphinx", "docs moved to mkdocs"),
    ("Maria is responsible for the app", "Maria moved on, Chen is responsible for the app now"),
    ("the main module is called core", "core has been renamed to kernel"),
    ("never use default exports", "default exports are fine again"),
    ("all modules are strict typed", "all modules except legacy/ are strict typed"),
    ("we support IE11", "IE11 support is dropped"),
    ("Tests laufen mit jest", "Statt jest nehmen wir für Tests vitest"),
    ("les tests tournent avec mocha", "on a remplacé mocha par vitest"),
    ("la API escucha en el puerto 8000", "la API ahora escucha en el puerto 9000"),
    ("usamos o Jest nos testes", "trocamos o Jest pelo Vitest nos testes"),
    ("il limite è di 5 MB", "il limite è stato alzato a 15 MB"),
    ("de sessie verloopt na 30 minuten", "de sessie verloopt voortaan na 60 minuten"),
    ("używamy npm", "przeszliśmy z npm na pnpm"),
    ("за биллинг отвечает Ирина", "за биллинг теперь отвечает Олег"),
    ("veritabanı 5432 portunda", "veritabanı artık 5433 portunda"),
    ("dự án dùng npm", "chúng tôi đã chuyển từ npm sang pnpm"),
    ("支付模块由张伟负责", "支付模块现在由李娜负责"),
    ("パッケージ管理は npm です", "npm から pnpm に乗り換えました"),
    ("retry 3 times after 10 seconds", "retry 5 times after 20 seconds"),
    ("worker 1 listens on 9001", "worker 1 listens on 9011"),
    ("node 18 runs the api on port 3000", "node 20 runs the api on port 4000 now"),
    ("React 17 powers the shop with webpack", "React 18 powers the shop with vite now"),
    ("the gateway timeout is 20s", "gateway timeout got cut to 8s"),
    ("cards use 8px radius", "brand refresh: cards have 12px radius, buttons too"),
    ("we run python 3.11 on 4 cores", "we run python 3.12 on 8 cores now"),
    ("we review PRs in gerrit", "Tomek switched PR reviews to gitlab"),
    ("개발 DB 포트는 5432입니다", "개발 DB 포트가 5433으로 변경됐어요"),
)

BOTH_HOLD = (
    ("staging runs on two nodes", "production runs on eight nodes"),
    ("storybook runs on port 6006", "storybook now needs node 20"),
    ("the API uses REST", "the API now requires a version header"),
    ("CI runs on Linux runners", "CI now also runs on macOS runners"),
    ("the web client uses React", "the mobile client moved to Flutter"),
    ("don't use axios", "we use fetch instead of axios"),
    ("we use uv", "we moved from pipenv to uv"),
    ("logs are kept for 30 days", "metrics are kept for 90 days now"),
    ("the public API is v2", "the internal API is v3 now"),
    ("the crawler keeps 5 connections", "in the lab the crawler now keeps 9 connections"),
    ("quotes expire after 14 days", "quotes of the insurance desk now expire after 30 days"),
    ("die Vorschau läuft auf Node 18", "im Schulungsraum läuft die Vorschau jetzt auf Node 22"),
    ("la caché dura 5 minutos", "la caché del buscador dura ahora 20 minutos"),
    ("we deploy to eu-west-1", "for now we deploy to us-east-1"),
    ("we use jest", "should we move from jest to vitest?"),
    ("we use jest", "we will move from jest to vitest next quarter"),
    ("feature flags are defined in flags.toml", "feature flags are removed once it is stable"),
    ("The host db01 is in Frankfurt.", "The host db02 is in Paris."),
    ("db01 is in Frankfurt", "db02 is in Paris now"),
    ("the bucket for tenant42 holds 5 GB", "the bucket for tenant43 holds 6 GB"),
    ("the shard with users17x003 takes 12 GB", "the shard with users17x004 takes 14 GB"),
    ("the queue for region3a takes 10 messages", "the queue for region3b takes 20 messages"),
    ("board rev3 needs 5 volts", "board rev4 needs 3 volts"),
    ("the password for user7 is in vault A", "the password for user8 is in vault B"),
    ("the staging cluster eks-a runs v1.27", "the staging cluster eks-b runs v1.28"),
    ("the printer on floor 2 is an HP", "the printer on floor 3 is a Canon"),
    ("Der Host db01 steht in Frankfurt.", "Der Host db02 steht in Paris."),
    ("Das Backend nutzt Gradle", "Das Frontend nutzt jetzt Vite"),
    ("worker 1 listens on 9001", "worker 6 listens on 9006 now"),
    ("shard 2 lives on 10.1.0.2", "shard 3 moved to 10.1.0.3"),
    ("Loading bay 3 is served by ramp 21.", "Loading bay 4 is served by ramp 28."),
    ("Loading bay 1 is served by ramp 7.", "Loading bay 7 is served by ramp 49."),
    ("The build agent number 1 has 16 GB.", "The build agent number 2 has 64 GB."),
    ("Der Build-Agent Nummer 1 hat 16 GB.", "Der Build-Agent Nummer 2 hat 64 GB."),
    ("Prüfstand Nr. 1 läuft mit Firmware 2.1.", "Prüfstand Nr. 2 läuft mit Firmware 3.0."),
    ("La sala de reuniones 12 tiene 8 plazas.", "La sala de reuniones 14 tiene 20 plazas."),
    ("Тестовый стенд 1 использует порт 8001.", "Тестовый стенд 2 использует порт 8002."),
    ("3 numaralı rampa 21 numaralı kapıya bağlı.", "4 numaralı rampa 28 numaralı kapıya bağlı."),
    ("3番の搬入口は21番のスロープを使う。", "4番の搬入口は28番のスロープを使う。"),
    ("1号仓库有6个门。", "2号仓库有9个门。"),
    ("redis 1 listens on 6379", "redis 2 listens on 6380 now"),
    ("node A has 32 GB", "node B has 64 GB since the upgrade"),
    ("der Drucker in Halle 3 hängt an 10.4.3.20", "der Drucker in Halle 5 hängt an 10.4.5.20"),
    ("el robot 2 tarda 30 segundos", "el robot 3 tarda 45 segundos ahora"),
    ("węzeł 1 słucha na 9001", "węzeł 2 słucha na 9002"),
    ("工作进程1用端口9001", "工作进程6现在用端口9006"),
    ("ワーカー1はポート9001で動いてます", "ワーカー2はポート9002で動いてます"),
    ("The berth number 100 is kept for ship 7.", "The berth number 101 is kept for ship 8."),
    ("the service number 1-1 belongs to team 1", "the service number 1-2 belongs to team 1"),
    ("we're on postgres 16", "the data team is on postgres 14"),
    ("builds run on node 20", "the docs builds on node 18 now"),
    ("we deploy with kamal", "the parent company deploys with capistrano now"),
    ("we use jira for tickets", "our customer uses asana for tickets now"),
    ("we use docker for local work", "Carla switched to podman for local work"),
    ("wir deployen mit kamal", "die Agentur deployt jetzt mit capistrano"),
    ("日志保留 30 天", "备份保留 90 天"),
    ("本番のポートは 443 です", "検証のポートは 8443 です"),
)


@pytest.mark.parametrize(("old", "new"), REPLACES)
def test_a_stated_change_replaces(old: str, new: str) -> None:
    assert judge(reading(new), reading(old)) in (Change.REPLACES, Change.DIFFERS)


@pytest.mark.parametrize(("old", "new"), BOTH_HOLD)
def test_what_only_looks_alike_stays(old: str, new: str) -> None:
    assert judge(reading(new), reading(old)) is Change.NONE


def test_only_another_value_is_a_weaker_sign_than_words_of_change() -> None:
    old = reading("tokens expire after 15 minutes")
    assert judge(reading("tokens expire after 60 minutes"), old) is Change.DIFFERS
    assert judge(reading("tokens expire after 60 minutes now"), old) is Change.REPLACES


def test_another_number_in_a_place_of_its_own_is_asked_about() -> None:
    old = reading("logs are kept for 30 days")
    assert judge(reading("logs are kept for 90 days in the audit bucket"), old) is Change.UNCLEAR


# --- in a memory ------------------------------------------------------------------------------

JEST = "unit tests are written with jest"
VITEST = "jest is gone, unit tests are written with vitest"


def added(old: MemoryEntry, new: MemoryEntry) -> Admission:
    return MemoryEditor(memory(old)).admit(new, now=NOW, settings=SETTINGS)


def known(text: str, **fields: object) -> MemoryEntry:
    fields = {"source": "explicit", "created_at": "2026-01-01T00:00:00Z", **fields}
    return entry("m_old", text, **fields)


def test_the_users_change_supersedes_with_a_link_both_ways_and_a_date() -> None:
    done = added(known(JEST), entry("m_new", VITEST, source="explicit"))
    old, new = done.memory.entries
    assert (done.outcome, done.reason_codes) == ("superseded", ("changed",))
    assert (old.status, old.superseded_by, new.supersedes) == ("superseded", "m_new", ("m_old",))
    assert new.since
    assert new.status == "active"


@pytest.mark.parametrize(
    "new",
    [
        entry("m_new", VITEST, source="compaction", origin="agent"),
        entry("m_new", VITEST, source="explicit", tainted=True),
    ],
)
def test_a_proposal_retires_no_statement(new: MemoryEntry) -> None:
    assert added(known(JEST), new).memory.entries[0].status == "active"


def test_a_pinned_entry_stays_and_is_asked_about_once() -> None:
    done = added(known(JEST, pinned=True), entry("m_new", VITEST, source="stated"))
    old, new, question = done.memory.entries
    assert (old.status, old.conflicts, new.conflicts) == ("active", ("m_new",), ("m_old",))
    assert (question.status, question.reasons) == ("inbox", ("may_replace",))


def test_a_statement_in_passing_needs_words_of_change() -> None:
    old = known("tokens expire after 15 minutes")
    stated = entry("m_new", "tokens expire after 60 minutes", source="stated")
    assert [e.status for e in added(old, stated).memory.entries] == ["active", "active", "inbox"]
    marked = entry("m_new", "tokens expire after 60 minutes now", source="stated")
    assert [e.status for e in added(old, marked).memory.entries] == ["superseded", "active"]


def test_statements_of_one_message_hold_side_by_side() -> None:
    old = known(JEST, created_at="2026-02-02T00:00:00Z")
    new = entry("m_new", VITEST, source="explicit", created_at="2026-02-02T00:00:00Z")
    assert [e.status for e in added(old, new).memory.entries] == ["active", "active"]


@pytest.mark.parametrize(
    ("new", "status"),
    [
        ("we switched from jest to vitest", "superseded"),
        ("not with jest, take the script", "active"),
    ],
)
def test_in_one_session_only_what_names_the_change_retires_a_statement(
    new: str, status: str
) -> None:
    old = known("we use jest here, mocha confuses everybody", source="stated", session="s_1")
    done = added(old, entry("m_new", new, source="stated", session="s_1"))
    assert done.memory.entries[0].status == status


def test_statements_about_numbered_things_hold_side_by_side_unasked() -> None:
    editor = MemoryEditor(memory())
    for n in range(1, 9):
        text, day = f"worker {n} listens on port {9000 + n}", f"2026-01-0{n}T00:00:00Z"
        new = entry(f"m_{n}", text, source="explicit", created_at=day)
        editor.admit(new, now=NOW, settings=SETTINGS)
    assert [e.status for e in editor.memory.entries] == ["active"] * 8


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("nhánh chính là develop", "nhánh chính giờ là trunk"),
        ("la réunion est à 9h", "la réunion est maintenant à 10h"),
        ("la reunion est à 9h", "la réunion est maintenant à 10h"),
        ("das Übersetzungslimit ist 40 MB", "das Übersetzungslimit ist jetzt 60 MB"),
    ],
)
def test_a_change_of_words_with_accents_is_found(old: str, new: str) -> None:
    done = added(known(old), entry("m_new", new, source="stated"))
    assert [e.status for e in done.memory.entries] == ["superseded", "active"]


def test_a_statement_that_waits_is_replaced_as_well() -> None:
    old = known(JEST, source="stated", status="inbox", reasons=("stated_unsure",))
    done = added(old, entry("m_new", VITEST, source="stated"))
    assert [e.status for e in done.memory.entries] == ["superseded", "active"]


def test_no_longer_with_names_what_is_over() -> None:
    old = known("We deploy with make ship.")
    text = "We deploy with make release now, no longer with make ship."
    new = entry("m_new", text, source="explicit")
    assert [e.status for e in added(old, new).memory.entries] == ["superseded", "active"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("we use yarn", "we switched to pnpm"),
        ("we use yarn in this repo", "we use pnpm now"),
        ("wir nutzen Ant", "wir nutzen jetzt Gradle"),
        ("nous utilisons Ant", "nous sommes passés à Gradle"),
    ],
)
def test_another_tool_that_shares_no_word_is_asked_about(old: str, new: str) -> None:
    done = added(known(old), entry("m_new", new, source="stated"))
    assert done.memory.entries[0].conflicts == ("m_new",)
    assert done.memory.entries[0].status == "active"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("we use yarn", "the tests are in TypeScript now"),
        ("we use yarn", "tests run in CI now"),
        ("we use yarn for installs", "we use Postgres now"),
        ("the API is in Go", "we switched to pnpm"),
        ("use masts[0]", "we switched to pnpm"),
        ("we use yarn", "we have 3 environments now"),
    ],
)
def test_a_tool_is_not_asked_about_for_other_news(old: str, new: str) -> None:
    done = added(known(old), entry("m_new", new, source="stated"))
    assert not done.memory.entries[0].conflicts


@pytest.mark.parametrize(
    ("names", "new"),
    [
        (("yarn", "Postgres", "Terraform"), "we switched to pnpm"),
        (("yarn", "Postgres"), "we use Sentry now"),
    ],
)
def test_one_tool_of_many_is_not_asked_about(names: tuple[str, ...], new: str) -> None:
    tools = [
        entry(f"m_{name}", f"we use {name}", source="explicit", created_at="2026-01-01T00:00:00Z")
        for name in names
    ]
    done = MemoryEditor(memory(*tools)).admit(
        entry("m_new", new, source="stated"), now=NOW, settings=SETTINGS
    )
    assert not any(e.conflicts for e in done.memory.entries)


def after(new: str, *olds: str) -> tuple[list[str], int]:
    """The texts that a statement retires, and the number of questions that it asks."""
    known_ones = [
        entry(f"m_{at}", old, source="explicit", created_at="2026-01-01T00:00:00Z")
        for at, old in enumerate(olds)
    ]
    stated = entry("m_new", new, source="stated")
    entries = MemoryEditor(memory(*known_ones)).admit(stated, now=NOW, settings=SETTINGS).memory
    retired = [e.text for e in entries.entries if e.status == "superseded"]
    return retired, sum(e.status == "inbox" for e in entries.entries)


def test_what_a_statement_names_less_of_is_not_what_it_changes() -> None:
    changed = "the staging db is at db1.internal"
    said = "the staging db moved to db2.internal"
    assert after(said, changed, "we use t3.micro for staging") == ([changed], 0)


def test_of_several_facts_that_one_value_could_replace_the_person_is_asked() -> None:
    olds = ("we use t3.micro for staging", "the staging db is at db1.internal")
    retired, questions = after("staging uses t3.small now", *olds)
    assert (retired, questions) == (["we use t3.micro for staging"], 1)
    olds = ("the db of staging is on t3.micro", "the staging db is at db1.internal")
    retired, questions = after("staging uses t3.small now", *olds)
    assert (retired, questions) == ([], 2)


def test_two_wordings_of_one_fact_are_both_replaced() -> None:
    olds = ("we don't use default exports", "no default exports")
    assert after("default exports are fine again", *olds) == (list(olds), 0)


def test_what_is_over_is_over_in_every_entry_about_it() -> None:
    olds = ("CI runs on Jenkins", "releases are built with Jenkins")
    assert after("we moved everything from Jenkins to Buildkite", *olds) == (list(olds), 0)
