"""What users state in passing, beside what holds for the task only (EX-7)."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from wm.domain.learning.concepts import concept_names, concepts_of, folded, language
from wm.domain.learning.sentence_features import clauses, sentences
from wm.domain.learning.stated import candidates, scope_of, statements
from wm.text.tables import Tables

LASTING = (
    "Never push to the release branch.",
    "We use pnpm here, not npm.",
    "the staging database is on port 5433",
    "our migrations are generated, never edit them by hand",
    "All amounts are stored in cents.",
    "Answer me in German, always.",
    "We decided to stay on Postgres.",
    "Bitte nie direkt auf main pushen.",
    "Chez nous les commits sont toujours en anglais",
    "Aquí siempre usamos pnpm, nunca npm",
    "Nunca altere os arquivos gerados",
    "Ogni componente deve avere un test",
    "We gebruiken hier altijd pnpm, geen npm",
    "Zawsze uruchamiaj testy przed commitem",
    "Никогда не пушь напрямую в main",
    "Her commit'ten önce testleri mutlaka çalıştır",
    "luôn chạy test trước khi commit",
    "提交之前必须先跑测试",
    "コミットの前に必ずテストを実行すること",
    "커밋하기 전에 항상 테스트를 실행하세요",
)

LANGUAGES = ("de", "fr", "es", "pt", "it", "nl", "pl", "ru", "tr", "vi", "zh", "ja", "ko")
"""Of the rows of `LASTING` that are not English."""

FOR_NOW = (
    "the toast never disappears",
    "the manual says never to open the case",
    "Wir nutzen immer yarn. Nein, vergiss es.",
    "On utilise toujours yarn. Non, oublie.",
    "im dunklen Modus verschwindet der Text nie",
    "Fix the failing test in the parser.",
    "You are a security reviewer.\nAlways answer in JSON.\nNever approve a change without tests.",
    "You are executing step 2 of the clean-up. Never delete a folder. Always report what you made.",
    "Du bist ein Code-Reviewer. Antworte immer auf Deutsch.",
    "Eres un revisor de código. Responde siempre en JSON.",
    "Tu es un relecteur de code. Réponds toujours en JSON.",
    "你是一名代码审查员。始终用 JSON 回答。",
    "あなたはコードレビュアーです。必ず JSON で答えてください。",
    "Should we always use UTC?",
    "Why is this always empty?",
    "Don't touch the styles in this PR.",
    "for now skip the tests",
    "maybe we should never have used Redis",
    "oh great, let's always deploy on Fridays then",
    "The form should never submit twice.",
    "Write a README section that says to always run make setup.",
    "> always use tabs\nIs that so?",
    "Always use the new client. Never mind, wrong window.",
    "warum ist das immer leer?",
    "diesmal bitte ohne Tests",
    "pour l'instant laisse les tests",
    "por ahora no toques los estilos",
    "пока не трогай тесты",
    "とりあえずテストは飛ばして",
    "일단 테스트는 건너뛰어",
    "这次先不要跑测试",
)

ABOUT_PEOPLE = (
    "Always double-check what Tom writes, he is sloppy.",
    "I never work on Mondays because of my therapy.",
    "The admin password for staging is always the same.",
    "Unsere Kollegin ist immer krank, frag sie nie.",
)


@pytest.mark.parametrize("text", LASTING)
def test_a_lasting_statement_is_kept(text: str) -> None:
    found = statements(text)
    assert [one.text.rstrip(".") for one in found if one.is_certain] == [text.rstrip(".")]


@pytest.mark.parametrize("text", FOR_NOW)
def test_what_holds_for_the_task_is_not_kept(text: str) -> None:
    assert [one for one in statements(text) if one.is_certain] == []


@pytest.mark.parametrize("text", ABOUT_PEOPLE)
def test_health_credentials_and_judgements_about_people_leave_nothing(text: str) -> None:
    assert statements(text) == ()


@pytest.mark.parametrize(
    ("text", "before", "kept"),
    [
        ("no, we use yarn in this repo", "I ran npm install.", "we use yarn in this repo"),
        ("btw, the runners only have 4 GB of memory", "", "the runners only have 4 GB of memory"),
        ("hi! the staging server is called wombat", "", "the staging server is called wombat"),
        ("Thanks! Never log request bodies. Now fix the header.", "", "Never log request bodies."),
    ],
)
def test_openings_and_tasks_around_a_statement_are_left_out(
    text: str, before: str, kept: str
) -> None:
    assert [one.text for one in statements(text, before) if one.is_certain] == [kept]


PLAIN = (
    "packages/api uses jest",
    "YAML files have 2 spaces",
    "the main branch is trunk",
    "auth tokens expire after 15 minutes",
    "This repo uses pnpm",
    "apps/kiosk is written in Svelte. apps/admin is written in Vue.",
    "Prod läuft auf Hetzner",
    "le front est construit avec webpack 5",
    "o limite de upload é 30 MB",
    "脚本用 Python 3.12",
)
PASSING = (
    "port 3000 is already taken",
    "the login page takes 8 seconds to load",
    "CI is red on Node 20",
    "get rid of the old Logo",
    "der Port 8080 ist belegt",
    "第 42 行少了一个逗号",
)


@pytest.mark.parametrize("text", PLAIN)
def test_a_message_that_only_says_what_a_thing_has_is_kept(text: str) -> None:
    assert [one.text for one in statements(text) if one.is_certain] == [
        f"{one}." if "." in text[-1:] else one for one in text.rstrip(".").split(". ")
    ]


def test_a_plain_statement_in_the_middle_of_work_waits() -> None:
    (found,) = statements(PLAIN[0], "Done.")
    assert (found.text, found.is_certain) == (PLAIN[0], False)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("packages/api uses jest. Fix the tests.", ["packages/api uses jest."]),
        ("our users are on version 3. Write a migration.", ["our users are on version 3."]),
        ("port 3000 is already taken. Use another one.", []),
        ("the login page takes 8 seconds to load. Find out why.", []),
    ],
)
def test_beside_a_task_a_statement_is_kept_unless_it_is_the_reason_of_the_task(
    text: str, kept: list[str]
) -> None:
    assert [one.text for one in statements(text) if one.is_certain] == kept


@pytest.mark.parametrize("text", PASSING)
def test_a_passing_state_is_not_kept(text: str) -> None:
    assert [one for one in statements(text) if one.is_certain] == []


CHANGES = (
    "we moved our tracker from Bugzilla to Linear",
    "forget Bootstrap, we use Tailwind from now on",
    "actually the bucket is media-eu, not media",
    "grunt is gone, builds run through just now",
    "oublie Sass, on utilise Tailwind à partir de maintenant",
    "dimentica Sass, d'ora in poi usiamo Tailwind",
    "the design repo is called field-design now",
    "Die Wiki liegt jetzt in Notion, Confluence ist abgeschaltet",
    "on est passés de Bitbucket à GitHub",
    "hemos pasado de Bitbucket a GitHub",
    "passamos de Bitbucket para GitHub",
    "siamo passati da Bitbucket a GitHub",
    "przeszliśmy z Bitbucketa na GitHub",
    "мы переехали с Bitbucket на GitHub",
    "Bitbucket'tan GitHub'a geçtik",
    "Bitbucket から GitHub に移行しました",
    "我们已经从 Bitbucket 迁移到 GitHub 了",
    "Bitbucket에서 GitHub로 옮겼어요",
)


@pytest.mark.parametrize("text", CHANGES)
def test_what_is_different_now_is_kept_or_waits(text: str) -> None:
    assert [one.text for one in statements(text)] == [text]


@pytest.mark.parametrize(
    "text", ["we dont use default exports in this codebase", "lets never squash on main"]
)
def test_a_contraction_may_lack_its_apostrophe(text: str) -> None:
    assert [one.text for one in statements(text)] == [text]


def test_a_no_with_dots_is_a_sentence_of_its_own() -> None:
    text = "no... helpers go into lib/text, never into main"
    assert [one.text for one in sentences(text)] == [
        "no",
        "helpers go into lib/text, never into main",
    ]
    assert len(sentences("the port is on pin no. 7")) == 1


def test_a_fact_alone_at_the_start_of_a_session_needs_less_certainty() -> None:
    text = "we have to support Safari 14"
    certain = [[one.is_certain for one in statements(text, before)] for before in ("", "Done.")]
    assert certain == [[True], [False]]


@pytest.mark.parametrize("before", ["", "Done."])
def test_beside_other_sentences_a_fact_needs_less_certainty_only_before_any_work(
    before: str,
) -> None:
    found = statements("Morning! we have to support Safari 14", before)
    assert [(one.text, one.is_certain) for one in found] == [
        ("we have to support Safari 14", not before)
    ]


@pytest.mark.parametrize(("others", "is_certain"), [(7, True), (8, False)])
def test_in_a_message_of_many_sentences_a_statement_waits(others: int, is_certain: bool) -> None:
    text = "We use pnpm in this repository, never npm. " + "The menu opens on hover. " * others
    assert [one.is_certain for one in statements(text)] == [is_certain]


@pytest.mark.parametrize(
    "text",
    [
        "work on any of the tickets that are assigned to the payments team",
        "Vamos rodar o lint da pasta web com 4 processos",
    ],
)
def test_a_task_in_other_words_is_not_kept(text: str) -> None:
    assert [one for one in statements(text) if one.is_certain] == []


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            "I have the following concerns:\nNever log request bodies.",
            ["Never log request bodies."],
        ),
        ("Here are our rules:\n- never log request bodies", ["never log request bodies"]),
        ("To answer your questions:\n1. never log request bodies", ["never log request bodies"]),
        ("Here is the README:\n# Our rules:\n- never log request bodies", []),
        ("We have the following error:\nnever log request bodies", []),
    ],
)
def test_an_own_list_is_not_pasted_text(message: str, kept: list[str]) -> None:
    assert [one.text for one in statements(message) if one.is_certain] == kept


@pytest.mark.parametrize(
    "message",
    [
        "CI is red on Node 20. Fix it.",
        "The API uses REST. Convert it to GraphQL.",
        "Die API nutzt REST. Ersetze das durch GraphQL.",
        "L'API utilise REST. Convertis-la en GraphQL.",
        "La API usa REST. Conviértela a GraphQL.",
        "API 用的是 REST。把它改成 GraphQL。",
    ],
)
def test_what_the_next_sentence_asks_to_change_is_not_learned(message: str) -> None:
    assert statements(message) == ()


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("Never log request bodies. Fix it.", "Never log request bodies."),
        ("The staging database is on port 5433. Document it.", "The staging database"),
    ],
)
def test_a_rule_and_what_is_only_used_next_are_learned(message: str, kept: str) -> None:
    assert [one.text[: len(kept)] for one in statements(message) if one.is_certain] == [kept]


@pytest.mark.parametrize(
    ("text", "is_certain"),
    [
        ("We support Windows 10 and up. ", False),
        ("Never log request bodies. ", True),
        ("Keep your answers short and friendly. ", True),
        ("I run the emulator myself, you must not start it. ", True),
    ],
)
def test_beside_a_question_a_statement_waits_unless_it_is_a_rule(
    text: str, is_certain: bool
) -> None:
    for question, expected in (("Check it. ", True), ("Does the installer check it?", is_certain)):
        assert [one.is_certain for one in statements(text + question)] == [expected]


@pytest.mark.parametrize(("others", "is_certain"), [(1, False), (3, True)])
def test_only_in_a_short_message_a_fact_is_the_background_of_a_question(
    others: int, is_certain: bool
) -> None:
    text = "We support Windows 10 and up. " + "Look at the installer. " * others
    found = statements(text + "Does it check the version?")
    assert [one.is_certain for one in found] == [is_certain]


@pytest.mark.parametrize(
    ("wish", "kept"),
    [
        # What is wanted of the work at hand.
        ("I want the exports to look the same in both apps.", False),
        ("I want the menu to close on escape.", False),
        ("I'd like to try the importer by hand.", False),
        ("Let's make sure to run the browser tests before the unit tests.", False),
        # It denies or corrects something, or names a practice.
        ("I don't want generated files in the repo.", True),
        ("Use orjson instead of json.", True),
        ("use absolute imports with @/ alias", True),
    ],
)
def test_in_the_middle_of_work_an_order_or_a_wish_is_the_next_task(wish: str, kept: bool) -> None:
    found = statements(wish, "Done.")
    assert [one.text for one in found if one.is_certain] == [wish] * kept


@pytest.mark.parametrize(
    "message", ["please migrate the ledger to gRPC", "bitte stell das Ledger auf gRPC um"]
)
def test_an_order_to_change_something_does_not_change_what_is_known(message: str) -> None:
    assert statements(message) == ()


@pytest.mark.parametrize(
    "message",
    [
        "the vendor's docs say you must always send the idempotency key",
        "im Ticket steht, dass alle Felder immer Pflicht sein müssen",
        "the template states that every description must name its owner",
    ],
)
def test_what_a_document_says_or_is_to_say_waits(message: str) -> None:
    assert [one.is_certain for one in statements(message)] == [False]


ADDRESSES = (
    "You are a genius. We always squash merge in this repo.",
    "You are an hour off, our prod servers run in UTC.",
    "Your task is the login form. Our API is always versioned under /v2.",
    "Your role in the cluster is read-only: never run migrations there.",
    "Act as agreed. Always run the linter before you commit.",
    "You review too fast. Always run the tests before you approve.",
    "Du bist ein Schatz! Ab jetzt immer pnpm benutzen.",
    "Tu es un ange. On utilise toujours pnpm ici.",
    "Eres un genio. Siempre usamos pnpm aquí.",
    "Você é um gênio. Sempre usamos pnpm aqui.",
    "Твоя задача выполнена. Всегда используй pnpm.",
    "你现在是在staging环境：永远不要在那里迁移。",
    "あなたは正しい。今後は常にpnpmを使ってください。",
    "당신은 맞아요. 앞으로 항상 pnpm을 사용하세요.",
)


@pytest.mark.parametrize("message", ADDRESSES)
def test_a_message_to_the_agent_is_no_prompt_for_one_run(message: str) -> None:
    assert statements(message)


ROLES = (
    "You are an expert Python developer. Always use type hints.",
    "You're an agent that fixes CI. Never push to main.",
    "Your role is to triage issues. Never close an issue.",
    "You review code. Always answer in JSON.",
    "Sie sind ein erfahrener Entwickler. Antworten Sie immer in JSON.",
    "Você é um revisor. Responda sempre em JSON.",
    "Ты эксперт по безопасности. Всегда отвечай в JSON.",
    "당신은 코드 리뷰어입니다. 항상 JSON으로 답하세요.",
)


@pytest.mark.parametrize("message", ROLES)
def test_a_prompt_that_gives_a_role_teaches_nothing(message: str) -> None:
    assert statements(message) == ()


@pytest.mark.parametrize("name", ["Dr. Alvarez", "Mr. Alvarez", "Prof. Kern"])
def test_the_short_form_of_a_title_does_not_end_a_sentence(name: str) -> None:
    text = f"{name} owns the calibration tables"
    assert [(one.text, one.is_certain) for one in statements(text)] == [(text, True)]


def test_an_example_is_not_learned() -> None:
    assert statements("For example, we never delete an invoice") == ()


def test_only_a_likely_statement_waits() -> None:
    likely, less = "An order belongs to one table.", "Waiters carry one handheld each."
    beside = statements(f"Rename the button. {likely} {less} Fix the header.", "Done.")
    assert [(one.text, one.is_certain) for one in beside] == [(likely, False)]


def test_a_statement_of_more_than_160_characters_waits() -> None:
    rule = "No order is ever deleted, not even by support"
    why = ", because the tax office reads them all at the end of the year and compares the numbers"
    more = " with those that the tills have printed on the slips"
    assert [one.is_certain for one in statements(f"{rule}{why}.")] == [True]
    assert [one.is_certain for one in statements(f"{rule}{why}{more}.")] == [False]


def test_in_a_message_of_many_sentences_only_a_likely_statement_waits() -> None:
    text = "The worker reads jobs from the queue. "
    found = [len(statements(text + "The menu opens on hover. " * n, "Done.")) for n in (2, 8)]
    assert found == [1, 0]


def test_a_word_before_a_colon_may_open_a_statement() -> None:
    found = statements("renamed: the main branch is called next now")
    assert [one.text for one in found] == ["the main branch is called next now"]


def test_only_the_way_of_answering_holds_in_every_project() -> None:
    scopes = {text: statements(text)[0].scope for text in ("reply in French, always", LASTING[1])}
    assert scopes == {"reply in French, always": "user", LASTING[1]: "workspace"}


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("erkläre mir alles auf Deutsch", "user"),
        ("Ich mag keine langen Erklärungen", "user"),
        ("docstrings in this package are written in French", "workspace"),
        ("los mensajes del log van en inglés", "workspace"),
        ("このパッケージのコメントは英語で書きます", "workspace"),
        ("de meldingen in het scherm zijn altijd in het Duits", "workspace"),
        ("commit messages in Polish from now on", "workspace"),
    ],
)
def test_a_language_alone_does_not_address_the_user(text: str, scope: str) -> None:
    assert [one.scope for one in statements(text)] == [scope]


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("Marta is the owner of the billing context, ask her before changing it", "workspace"),
        ("Nils wants short answers", "workspace"),
        ("Always answer in German, ask Heike if unsure.", "workspace"),
        ("Answer Nils in German.", "workspace"),
        ("Иван хочет короткие ответы", "workspace"),
        ("Answer in Brazilian Portuguese.", "user"),
        ("In all my projects I want short answers", "user"),
        ("Kurze Antworten bitte.", "user"),
        ("Le risposte devono essere brevi.", "user"),
    ],
)
def test_no_name_is_kept_for_every_project(text: str, scope: str) -> None:
    assert scope_of(text) == scope


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("in all my repos use tabs", "user"),
        ("tests come first in all my projects", "user"),
        ("in allen meinen Projekten Tabs verwenden", "user"),
        ("dans tous mes projets, utilise pnpm", "user"),
        ("en todos mis proyectos usa pnpm", "user"),
        ("em todos os meus projetos usa pnpm", "user"),
        ("in tutti i miei progetti usa pnpm", "user"),
        ("gebruik pnpm in al mijn projecten", "user"),
        ("używaj pnpm we wszystkich moich projektach", "user"),
        ("tüm projelerimde pnpm kullan", "user"),
        ("dùng pnpm trong tất cả dự án của tôi", "user"),
        ("во всех моих проектах используй pnpm", "user"),
        ("在我所有的项目里都用 pnpm", "user"),
        ("私のすべてのプロジェクトで pnpm を使う", "user"),
        ("내 모든 프로젝트에서 pnpm을 써", "user"),
        # Of this project, at a place of this machine, or with a name.
        ("use pnpm in all packages", "workspace"),
        ("all my projects live in ~/code", "workspace"),
        ("in all my repos the owner is Mara", "workspace"),
    ],
)
def test_what_is_said_of_all_projects_of_the_user_holds_in_each(text: str, scope: str) -> None:
    assert scope_of(text) == scope


@pytest.mark.parametrize(
    "text",
    ["test db is on 5433", "build server is ci-2", "el panel usa Django", "die API nutzt gRPC"],
)
def test_a_noun_that_reads_like_a_command_or_pronoun_opens_a_statement(text: str) -> None:
    assert [(one.text, one.is_certain) for one in statements(text)] == [(text, True)]


@pytest.mark.parametrize(
    "text", ["check if the test db is on 5433", "ensure builds are green", "make sure it is ci-2"]
)
def test_a_command_before_a_clause_stays_a_task(text: str) -> None:
    assert [one for one in statements(text) if one.is_certain] == []


@pytest.mark.parametrize(
    "text",
    [
        "what is the name of the staging host",
        "how tall is the tower in the logo",
        "which steps are needed to move the recordings",
        "There are unstaged changes in the working copy.",
    ],
)
def test_a_question_or_pronoun_opens_no_noun(text: str) -> None:
    assert statements(text) == ()


def test_a_clause_that_only_says_what_is_over_goes_with_the_next() -> None:
    text = "ya no usamos Travis, el CI está en GitLab"
    assert [one.text for one in statements(text)] == [text]


def test_items_of_a_list_in_one_line_are_sentences() -> None:
    found = statements("please (1) fix the header (2) never use inline styles here")
    assert [one.text for one in found if one.is_certain] == ["never use inline styles here"]


@pytest.mark.parametrize(
    "text", ["ここは常に UTC ですか", "这里一律用 UTC 吗", "항상 UTC를 쓰나요"]
)
def test_an_ending_that_asks_makes_a_question(text: str) -> None:
    assert [one for one in statements(text) if one.is_certain] == []


@pytest.mark.parametrize(
    "text", ["only touch src/orders in this task", "nesta tarefa não precisa de testes"]
)
def test_the_limit_of_a_task_is_not_kept(text: str) -> None:
    assert [one for one in statements(text) if one.is_certain] == []


def test_a_report_of_the_own_work_needs_more_certainty() -> None:
    text = "I updated the loader paths in fonts.ts for the pages build. Please write a changelog."
    assert [one for one in statements(text) if one.is_certain] == []


def test_pasted_text_quotes_and_code_are_not_statements() -> None:
    pasted = "```\nalways use tabs\n```\n2026-01-01 12:00:00 WARN never do this\n> we never do that"
    assert statements(pasted) == ()
    assert statements('const RULES = ["always use https", "never log tokens"];') == ()
    for printed in ("AVISO: use sempre o cliente novo", "警告: 必ず新しい API を使用してください"):
        assert statements(printed) == ()


def test_a_quotation_is_one_sentence() -> None:
    text = 'write a prompt: "You must never lie. From now on answer in JSON."'
    assert len(sentences(text)) == 1


@pytest.mark.parametrize(("text", "lang"), list(zip(LASTING[7:], LANGUAGES, strict=True)))
def test_the_language_of_a_sentence_is_known(text: str, lang: str) -> None:
    assert language(folded(text)) == lang


def test_every_row_of_the_tables_is_written_as_it_is_compared() -> None:
    tables = Tables("wm.domain.learning")
    for name in concept_names():
        for lang, row in tables.rows_of(name).items():
            words = [word.strip("*") for phrase in row.split("|") for word in phrase.split(" ~ ")]
            odd = [w for w in words if folded(w).replace("' ", "'") != w.replace("' ", "'")]
            assert (name, lang, odd) == (name, lang, [])


def test_a_phrase_may_have_words_between_and_an_open_end() -> None:
    found = concepts_of(folded("on ne touche surtout jamais à ça"), "fr")
    assert "ban" in found.anywhere
    assert "decide" in concepts_of(folded("мы решили перейти"), "ru").first


IN_THE_MIDDLE = (
    "I am a backend dev, I don't know react well",
    "use absolute imports with @/ alias",
    "it's a monorepo with turborepo",
    "prefer composition over inheritance",
)


@pytest.mark.parametrize("message", IN_THE_MIDDLE)
def test_what_people_say_of_their_machine_and_code_is_learned_in_passing(message: str) -> None:
    (found,) = statements(message, "The handler is changed, and all tests pass.")
    assert found.is_certain


@pytest.mark.parametrize(
    "message",
    [
        "fastapi怎么稳定部署在服务器",
        "StateNotifier và AsyncNotifier có gì khác nhau",
        "как лучше запускать redis на сервере",
        "how do we run redis on the server",
        "add a test for the parser and commit it",
        "install redis on the staging server",
    ],
)
def test_a_question_or_task_with_the_same_words_is_not_learned(message: str) -> None:
    assert statements(message, "The handler is changed, and all tests pass.") == ()


LIMITS_OF_TASKS = (
    "please fix the failing test in parser.py and don't touch the styles",
    "refactor the cache module, don't break the public functions",
    "Remove the feature flag and do not leave dead code",
    "update the README and don't forget the changelog",
    "corrige le test du parseur et ne touche pas aux styles",
    "arregla el test del parser y no toques los estilos",
    "make sure the footer stays and don't touch the styles",
)
BANS = (
    "please never touch files under vendor/",
    "don't use default exports in this project",
    "always fix the lint errors before you push",
    "add new migrations with alembic, never by hand",
    "please use pnpm, don't use npm",
    "make sure that you never format the generated files",
    "assure-toi de ne jamais lancer le build ici",
)


@pytest.mark.parametrize("message", LIMITS_OF_TASKS)
def test_a_ban_that_belongs_to_the_task_before_it_is_not_learned(message: str) -> None:
    assert statements(message) == ()


@pytest.mark.parametrize("message", BANS)
def test_a_ban_with_a_task_word_is_learned(message: str) -> None:
    assert [found.is_certain for found in statements(message)] == [True]


def test_what_is_to_be_used_instead_stays_behind_a_ban() -> None:
    text = "don't build the dialog in code, use the prefab"
    assert [one.text for one in statements(text, "The dialog is done.")] == [text]


def test_a_condition_keeps_the_rule_behind_its_comma() -> None:
    text = "whenever you touch the parser, run the fuzz suite as well"
    assert [one.text for one in statements(text)] == [text]


def test_every_process_gives_a_sentence_the_same_score() -> None:
    """A score at a threshold decided one way or the other, by the order of a set."""
    program = (
        "from tests.domain.learning.test_stated import LASTING\n"
        "from wm.domain.learning.sentence_features import model, sentences\n"
        "found = [s for one in LASTING for s in sentences(one)]\n"
        "print([model().weigh(s.features, s.grams).hex() for s in found])"
    )
    scores = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(scores) == 1


IN_CLAUSES = {
    "the invoices are numbered per year, so start at 1 again": "the invoices are numbered per year",
    "uploads are capped at 25 MB, please show an error above that": "uploads are capped at 25 MB",
    "no, we use pnpm here, so redo it": "we use pnpm here",
}


@pytest.mark.parametrize("message", IN_CLAUSES)
def test_a_clause_beside_a_task_is_learned_without_the_task(message: str) -> None:
    assert [one.text for one in statements(message, "Done.")] == [IN_CLAUSES[message]]


def test_a_clause_of_a_quotation_is_not_judged_alone() -> None:
    [sentence] = sentences('the banner says "we close at six, never on Fridays" in red, move it up')
    assert not [one for one in clauses(sentence) if one.text.count('"') == 1]


@pytest.mark.parametrize("message", [*IN_CLAUSES, *PLAIN])
def test_what_is_found_in_a_message_does_not_overlap(message: str) -> None:
    found = [one.text for one in statements(f"{message}, and fix it, thanks")]
    assert not any(one != other and one in other for one in found for other in found)


@pytest.mark.parametrize(
    ("message", "alone"),
    [
        ("for this test, the timeout is 5 s, so set it", "timeout"),
        ("ビルドが失敗したら、npmを使います", "npm"),
        ("until Friday, deploys are frozen, so wait", "deploys"),
        ("uploads are capped at 25 MB, but only for guests, so show an error", "uploads"),
        ("never commit to main, unless it is a hotfix, ok?", "never"),
    ],
)
def test_a_clause_is_not_learned_without_what_restricts_it(message: str, alone: str) -> None:
    [sentence] = sentences(message)
    limits = ("for this test", "失敗したら", "until Friday", "only for guests", "unless")
    texts = [one.text for one in clauses(sentence) if alone in one.text]
    assert all(any(limit in text for limit in limits) for text in texts)


TAKEN_BACK = (
    "All our logs go to Loki, but nobody does that.",
    "The queue is on port 5672, but don't quote me on that.",
    "Der Worker läuft auf Port 7070, aber sicher bin ich nicht.",
    "Wir squashen immer, aber daran hält sich keiner.",
    "Siempre hacemos squash, pero nadie lo cumple.",
    "我们每次都要两个人审查，但没人这么做。",
)
UNDECIDED = (
    "Either the queue is RabbitMQ, or it is SQS.",
    "We use npm or yarn, depending on the package.",
    "Our CI is on Jenkins, or was it GitLab?",
    "Die Datenbank ist entweder Postgres oder MySQL.",
    "Usamos npm o yarn, según el paquete.",
    "队列要么是 RabbitMQ，要么是 SQS。",
)
OF_OTHERS = (
    "Tom's team always deploys on Mondays.",
    "The docs say we should always use tabs.",
    "At my old job we always squashed commits.",
    "Netflix never runs migrations by hand.",
    "In meiner alten Firma haben wir immer rebased.",
    "On m'a dit que l'API est sur le port 9000.",
    "前の会社ではいつもタブを使っていました。",
)


@pytest.mark.parametrize("text", [*TAKEN_BACK, *UNDECIDED, *OF_OTHERS])
def test_what_is_doubted_or_of_others_is_not_certain(text: str) -> None:
    assert [one.text for one in statements(text) if one.is_certain] == []


DENIED = (
    "Nobody ever said that we always squash commits, so keep the history.",
    "Don't assume that we always deploy from main.",
    "It is not true that the gateway runs on port 8081, so fix the readme.",
    "Ich habe nie gesagt, dass wir immer squashen.",
    "Nunca dije que siempre usamos tabs.",
    "Неправда, что мы используем MySQL 8, так что исправь документацию.",
    "我从来没说过我们一律用 tab。",
)


@pytest.mark.parametrize("text", DENIED)
def test_what_is_denied_is_not_a_statement(text: str) -> None:
    assert statements(text) == ()


@pytest.mark.parametrize(
    ("text", "exception"),
    [
        ("Our services run on port 8080, but the gateway doesn't.", "gateway"),
        ("Every package has its own changelog (the examples don't).", "examples"),
        ("Unsere Dienste laufen auf Port 8080, aber das Gateway nicht.", "Gateway"),
        ("On écrit tous les tests en pytest, mais pas ceux du dossier legacy.", "legacy"),
        ("我们所有的表都用 UUID 主键，但审计表不是。", "审计"),
    ],
)
def test_an_exception_stays_with_its_rule(text: str, exception: str) -> None:
    assert all(exception in one.text for one in statements(text) if one.is_certain)


LOOK_ALIKES = (
    ("The API listens on port 8080, but the test fails with 401.", "listens on port 8080"),
    ("Never edit vendor/ or third_party/.", "third_party"),
    ("Every PR must be approved by Dana or Piet.", "or Piet"),
    ("As I said, we always use tabs.", "tabs"),
    ("postcode and name are forbidden features, legal said so. take it out", "forbidden"),
    ("Never claim that a test passes without running it.", "claim"),
    ("Nobody pushes to main without a review.", "main"),
    ("Dana's team owns the billing service.", "billing"),
    ("Jede Migration muss von Dana oder Piet freigegeben werden.", "oder Piet"),
    ("Die Logs werden immer so gespeichert wie im Ticket.", "so gespeichert"),
    ("The database is Postgres (version 15, port 5433), so fix the compose file.", "5433)"),
)


@pytest.mark.parametrize(("text", "part"), LOOK_ALIKES)
def test_what_only_looks_doubtful_is_certain(text: str, part: str) -> None:
    assert any(part in one.text for one in statements(text) if one.is_certain)


DONE = "The exporter is done, all tests pass."


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("@src/api.py @docs/plan.md run the build with make", None),
        ("@docs/plan.md:12-30 we use kebab-case for file names", "we use kebab-case"),
        ("@src/routes.ts is generated, never edit it by hand", "@src/routes.ts is generated"),
        ("@tanstack/query is pinned to version 4 here", "@tanstack/query is pinned"),
    ],
)
def test_files_attached_before_a_sentence_are_not_part_of_it(
    message: str, kept: str | None
) -> None:
    found = [one.text for one in statements(message) if one.is_certain]
    assert found == [] if kept is None else found[0].startswith(kept)


@pytest.mark.parametrize(
    "text",
    [
        "Always update the readme when an option changes.",
        "always check the docs first",
        "Do not reset the sandbox, we'd lose the customers in it",
    ],
)
def test_an_order_that_opens_with_always_or_a_ban_is_kept_in_the_middle_of_work(text: str) -> None:
    assert [one.is_certain for one in statements(text, DONE)] == [True]


@pytest.mark.parametrize(
    "text",
    [
        "Always the same error in the log.",
        "Always show the total below the table, in bold",
        "never works on safari",
        "不能将类型“null”分配给类型“string”",
        "Do not start on the second page yet.",
    ],
)
def test_a_report_or_a_detail_with_always_or_never_is_not_kept(text: str) -> None:
    assert not any(one.is_certain for one in statements(text, DONE))


@pytest.mark.parametrize(
    "text",
    [
        "ledger tables may only be altered between 22:00 and 04:30.",
        "the crawler takes at most 1,500 pages a day.",
        "the wiki is at https://wiki.quay.example:8443/start.",
    ],
)
def test_a_time_a_number_and_an_address_are_not_cut(text: str) -> None:
    found = candidates(f"{text} Please fix the header.", DONE)
    assert [one.text for one in found] == [text]


def test_an_opening_that_is_a_part_of_the_statement_stays() -> None:
    for text in ("well known ports are below 1024", "then blocks are always indented by two"):
        assert [one.text for one in statements(text)] == [text]


def test_marks_of_bold_words_are_left_out_but_not_those_of_paths() -> None:
    found = statements("**Never edit** what is in src/**/gen by hand.")
    assert [one.text for one in found] == ["Never edit what is in src/**/gen by hand."]


@pytest.mark.parametrize("joint", ["and", ", but", "because"])
def test_a_sentence_does_not_end_with_what_joins_the_next_line(joint: str) -> None:
    (found,) = statements(f"we never deploy on Fridays {joint}\n- fix the header")
    assert found.text == "we never deploy on Fridays"


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("fix the parser, and answer in German", "answer in German"),
        ("看看这个报错，用中文回答我", "用中文回答我"),
    ],
)
def test_a_wish_for_a_language_is_kept_without_the_task_before_it(message: str, kept: str) -> None:
    (found,) = statements(message, DONE)
    assert (found.text, found.scope, found.is_certain) == (kept, "user", True)


@pytest.mark.parametrize(
    "text",
    [
        "can you always show me the plan before you start?",
        "could you please always run the linter before you commit?",
        "please stop writing summaries",
        "please never force push",
        "kannst du bitte immer zuerst die Tests laufen lassen?",
        "nutze bitte immer Typangaben",
        "schreib bitte immer Tests dazu",
        "usa siempre comillas dobles",
        "utilise toujours des guillemets doubles s'il te plaît",
        "gebruik altijd pnpm",
    ],
)
def test_an_order_behind_please_or_can_you_is_kept_in_the_middle_of_work(text: str) -> None:
    found = statements(text, "I changed the parser.")
    assert [one.text for one in found if one.is_certain] == [text.rstrip("?")]


@pytest.mark.parametrize(
    "text",
    [
        "can you make every button blue?",
        "could you check why it always fails?",
        "can you stop the server?",
        "please make sure the header is always visible",
        "please don't touch the tests yet",
        "affiche toujours le bouton en bas",
    ],
)
def test_a_polite_task_with_the_same_words_is_not_kept(text: str) -> None:
    assert not any(one.is_certain for one in statements(text, "I changed the parser."))


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("fyi the pier is called north/two, not north", "the pier is called north/two, not north"),
        ("I said no ropes in the engine room", "no ropes in the engine room"),
        ("ok never moor at pier two", "never moor at pier two"),
        ("кстати порт базы теперь 5544", "порт базы теперь 5544"),
        ("I said that we use hemp ropes", "we use hemp ropes"),
        ("hey the harbour port is 5544", "the harbour port is 5544"),
        ("hi res charts are in assets/hd", "hi res charts are in assets/hd"),
        ("ok status is 204 in our API", "ok status is 204 in our API"),
        ("hallo welt ist der Name des Pakets", "hallo welt ist der Name des Pakets"),
    ],
)
def test_words_before_a_remark_are_not_kept(message: str, kept: str) -> None:
    assert [one.text for one in statements(message)] == [kept]


@pytest.mark.parametrize(
    "heading",
    [
        "Don't do any of these here:",
        "Things I never want to see:",
        "Avoid these:",
        "**Avoid these:**",
    ],
)
def test_what_a_ban_lists_below_it_is_not_stated(heading: str) -> None:
    rows = "- always use npm here\n- we use pnpm instead of yarn"
    texts = [one.text for one in statements(f"{heading}\n{rows}\n\nWe never deploy on Fridays.")]
    assert "We never deploy on Fridays." in texts
    assert not {"always use npm here", "we use pnpm instead of yarn"} & set(texts)


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("Also we never rebase shared branches.", "we never rebase shared branches."),
        ("However, we always squash before merging.", "we always squash before merging."),
        ("Yes never push to main yourself", "never push to main yourself"),
        ("Und wir nutzen immer pnpm für Pakete.", "wir nutzen immer pnpm für Pakete."),
        ("And so", None),
    ],
)
def test_what_links_a_remark_to_the_one_before_is_not_kept(message: str, kept: str | None) -> None:
    assert [one.text for one in statements(message)] == ([] if kept is None else [kept])


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("I am using sway on my laptop.", True),
        ("my email is ida@example.org", True),
        ("uso linux en mi portátil", True),
        ("Я работаю на linux", True),
        ("I'm using the hook you wrote but it fails", False),
        ("I use it at the moment.", False),
    ],
)
def test_what_users_say_of_themselves_is_kept_in_the_middle_of_work(
    message: str, kept: bool
) -> None:
    found = statements(message, before="Done. The tests pass.")
    assert any(one.is_certain for one in found) == kept


def test_a_word_with_an_exclamation_mark_is_not_a_command() -> None:
    (found,) = statements("!important is banned in our css, use the layer order")
    assert (found.text, found.is_certain) == ("!important is banned in our css", True)


def test_a_command_for_the_shell_is_not_a_remark() -> None:
    assert statements("!cargo build --bin server") == ()


def test_a_part_with_an_open_quotation_waits() -> None:
    (found,) = statements('always answer with "done')
    assert not found.is_certain


@pytest.mark.parametrize(
    "message",
    [
        "Wir releasen immer am 1. Dezember.",
        "Der 2. Server ist bei uns immer nur lesbar.",
        "Die Deploys laufen immer zum 1. des Monats",
        "faktury zawsze wysyłamy 5. dnia miesiąca",
    ],
)
def test_an_ordinal_number_does_not_end_a_sentence(message: str) -> None:
    assert [one.text for one in statements(message)] == [message]
