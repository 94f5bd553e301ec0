"""Recorded work through a real proxy and a real daemon: kept once, without secrets, replayed."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.cli.terminal import Terminal
from tests.cli.test_proxy import done, start
from tests.clients.accounting import blocks_of, canonical
from tests.clients.scripts import Answer
from tests.clients.upstream import Upstream
from tests.proxy.scripted import Agent, Chain, by_the_upstream, played, upstream_of
from wm.api.replay import ReplayReport
from wm.cli.proxies import ProxyRecords, lost
from wm.domain.recording import Reader
from wm.replay.report import replay
from wm.store.paths import sid

TURNS = 12


@pytest.fixture
def user(home_with_daemon: Terminal, tmp_path: Path) -> Terminal:
    return home_with_daemon.at(f"rec{tmp_path.name}")


def log_of(user: Terminal, kind: str, session: str = "s-1") -> Path:
    (found,) = user.data.glob(f"workspaces/*/{kind}/{sid(session)}.jsonl")
    return found


def result(number: int) -> str:
    template = "{}:{} the ferry to berth {} is late\n"
    return "".join(template.format(number, line, line * number % 7) for line in range(150))


def worked(user: Terminal, upstream: Upstream, turns: int, *, record: bool = True) -> Chain:
    """A proxy behind which an agent of this user worked for so many turns."""

    def play(made: Chain) -> None:
        made.agent(user.repo).works("Go", result, turns)

    return played(user.settings(), upstream.url, play, record=record)


def replayed(*paths: Path) -> ReplayReport:
    return replay(
        paths, clock=lambda: 0.0, progress=lambda _done, _all: None, measure=by_the_upstream
    )


def as_reported(report: ReplayReport, upstream: Upstream) -> None:
    """Reads and writes are those that the upstream counted, request by request."""
    used = [x.usage for x in upstream.exchanges if x.usage is not None]
    assert len(used) > TURNS
    assert [
        (turn.tokens.input, turn.tokens.cache_read, turn.tokens.cache_write_5m)
        for turn in report.turns
    ] == [(u.input_tokens, u.cache_read, u.cache_creation) for u in used]
    assert [turn.reported for turn in report.turns] == [
        turn.tokens.model_copy(update={"output": turn.tokens.output}) for turn in report.turns
    ]


TROUBLE = (Answer(status=529, error_type="overloaded_error"),)


def test_a_recorded_session_is_replayed_byte_for_byte_with_the_reported_cost(
    user: Terminal,
) -> None:
    sent: list[bytes] = []
    got: list[bytes] = []

    def play(made: Chain) -> None:
        agent = made.agent(user.repo, session=user.repo.parent.name)
        agent.works("Where do the ferries land?", result, TURNS + 1)
        agent.tell("And now?")
        assert agent.ask() == []  # the upstream is overloaded
        agent.messages[-1] = {"role": "user", "content": [{"type": "text", "text": "Again?"}]}
        agent.ask()
        del agent.messages[7:]
        agent.ask()
        sent.extend(agent.sent)
        got.extend(agent.got)

    session = user.repo.parent.name
    with upstream_of(TURNS, *TROUBLE) as upstream:
        made = played(user.settings(), upstream.url, play, record=True)
        assert made.faults == []
        assert made.reporter.handover.recorded == len(sent) == TURNS + 4
        assert not +made.reporter.handover.left
        log = log_of(user, "recordings", session)
        assert log.stat().st_mode & 0o777 == 0o600
        rebuilt = list(filter(None, map(Reader().take, _lines(log))))
        assert [one.request for one in rebuilt] == sent
        assert [json.loads(one.answer or b"") for one in rebuilt] == list(map(json.loads, got))
        as_reported(replayed(log_of(user, "flows", session)), upstream)
        # Whichever of the two logs is named, or both: it is one session.
        as_reported(replayed(log_of(user, "flows", session), log), upstream)
        # Without the bodies: sizes, identities and marks are enough.
        assert _bytes(log) <= 1.1 * _unique(sent, got)
        log.unlink()
        as_reported(replayed(log_of(user, "flows", session)), upstream)


def _lines(path: Path) -> list[Any]:
    from wm.formats.recording import Recording

    return [Recording.model_validate_json(line) for line in path.read_bytes().splitlines()]


def _bytes(path: Path) -> int:
    return path.stat().st_size


def _unique(sent: list[bytes], got: list[bytes]) -> int:
    """Bytes of all blocks that were sent or answered, each counted once, and of what else the
    answers say."""
    found: set[bytes] = set()
    for raw in got:
        found.add(canonical({**json.loads(raw), "content": []}))
    for raw in (*sent, *got):
        body = json.loads(raw)
        found.update(map(canonical, (*body.get("tools", ()), *blocks_of(body.get("system")))))
        for message in (*body.get("messages", ()), body):
            found.update(map(canonical, blocks_of(message.get("content"))))
    return sum(map(len, found))


def test_secrets_in_bodies_reach_no_file(user: Terminal) -> None:
    secret = "sk-ant-" + "api03-" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z" * 3
    session = user.repo.parent.name

    def play(made: Chain) -> None:
        agent = made.agent(user.repo, session=session)
        agent.works(f"The key is {secret}", lambda _n: f"export KEY={secret}\n", 3)

    with upstream_of(2) as upstream:
        made = played(user.settings(), upstream.url, play, record=True)
    assert made.reporter.handover.recorded == 3
    raw = log_of(user, "recordings", session).read_bytes()
    assert b"[secret:" in raw
    leaks = [p for p in user.data.rglob("*") if p.is_file() and secret.encode() in p.read_bytes()]
    assert leaks == []


def test_bodies_unknown_to_the_daemon_are_sent_completely(user: Terminal) -> None:
    session = user.repo.parent.name
    sent: list[bytes] = []

    def play(made: Chain) -> None:
        agent = made.agent(user.repo, session=session)
        agent.works("Where do the ferries land?", result, 3)
        user.wm("session", "delete", session)
        agent.works("And now?", result, 3)
        sent.extend(agent.sent)

    with upstream_of(2) as upstream:
        made = played(user.settings(), upstream.url, play, record=True)
    assert made.reporter.handover.recorded == len(sent)
    rebuilt = filter(None, map(Reader().take, _lines(log_of(user, "recordings", session))))
    assert [one.request for one in rebuilt][-1] == sent[-1]


def test_deleting_a_session_deletes_its_recorded_bodies(user: Terminal) -> None:
    session = user.repo.parent.name
    with upstream_of(1) as upstream:
        played(
            user.settings(),
            upstream.url,
            lambda made: made.agent(user.repo, session=session).works("Go", result, 2),
            record=True,
        )
    assert log_of(user, "recordings", session).exists()
    said = user.wm("session", "delete", session)
    assert said.code == 0, said.err
    assert list(user.data.glob(f"workspaces/*/*/{sid(session)}*.jsonl")) == []


def test_without_a_daemon_nothing_is_recorded_and_that_is_reported(terminal: Terminal) -> None:
    with upstream_of(1) as upstream:
        made = worked(terminal, upstream, 2)
    assert made.reporter.handover.recorded == 0
    assert dict(+made.reporter.handover.left) == {"no daemon took them": 2}
    assert not terminal.data.exists()


@contextmanager
def in_the_way_of(user: Terminal, kind: str) -> Iterator[Path]:
    """A file where the folder of such logs should be; gone behind the block, because the tests
    share the data folder."""
    assert user.wm("remember", "We deploy the ferries with make ship.").code == 0
    place = json.loads(user.wm("inspect", "--json").out)["place"]
    file = user.data / "workspaces" / place["key"] / kind
    file.write_text("in the way")
    yield file
    file.unlink()


def test_a_storage_failure_is_reported_differently_from_a_missing_daemon(user: Terminal) -> None:
    with in_the_way_of(user, "recordings") as in_the_way, upstream_of(1) as upstream:
        made = worked(user, upstream, 1)
    assert dict(+made.reporter.handover.left) == {"the daemon could not keep them (store error)": 1}
    assert made.observer.tally.failed == 0  # the agent noticed nothing of it
    message = lost(ProxyRecords(made.observer, made.reporter))
    assert message.startswith(f"the daemon could not store all of it. Could not write {in_the_way}")
    assert message.endswith("A file or a symlink is where a folder should be; move it away.")


def test_unstored_figures_are_reported_without_a_recording(user: Terminal) -> None:
    with in_the_way_of(user, "flows") as in_the_way, upstream_of(1) as upstream:
        made = worked(user, upstream, 2, record=False)
    assert made.observer.tally.failed == 0
    assert made.reporter.dropped == 2
    assert str(in_the_way) in lost(ProxyRecords(made.observer, made.reporter))


def test_steps_that_cannot_be_stored_are_reported(user: Terminal) -> None:
    with in_the_way_of(user, "objects") as in_the_way, upstream_of(1) as upstream:
        made = played(
            user.settings(),
            upstream.url,
            lambda made: made.agent(user.repo).works("Go", result, 2),
            policy="safe",
        )
    message = lost(ProxyRecords(made.observer, made.reporter, ledger=made.ledger))
    assert message.startswith(f"the daemon could not store all of it. Could not read {in_the_way}/")


def test_a_refused_folder_named_by_a_client_is_not_reported(user: Terminal) -> None:
    def play(made: Chain) -> None:
        agent = made.agent(user.repo)
        agent.headers["x-wm-workspace"] = "/nowhere/a-secret-of-the-client"
        agent.works("Go", result, 1)

    with upstream_of(1) as upstream:
        made = played(user.settings(), upstream.url, play, record=True)
    assert made.reporter.dropped == 1
    assert lost(ProxyRecords(made.observer, made.reporter)) == ""


def test_a_killed_proxy_loses_only_the_active_exchange(user: Terminal) -> None:
    session = user.repo.parent.name
    words = ("proxy", "--record", "--port", "0", "--json", "--upstream")
    with upstream_of(3) as upstream, closing(socket.socket()) as client:
        process = start(user, *words, upstream.url)
        assert process.stdout is not None
        printed = json.loads("".join(iter(process.stdout.readline, "}\n")) + "}")
        agent = Agent(printed["baseUrl"], user.repo, session)
        agent.works("Where do the ferries land?", result, 3)
        lines = partial(_recorded, user, session)
        until(lambda: len(lines()) == 3)
        client.connect(("127.0.0.1", printed["port"]))
        path = urlsplit(printed["baseUrl"]).path
        head = f"POST {path}/v1/messages HTTP/1.1\r\nHost: 127.0.0.1:{printed['port']}"
        client.sendall(f'{head}\r\nContent-Length: 1000\r\n\r\n{{"model": '.encode())
        process.kill()
        done(process)
    log = log_of(user, "recordings", session)
    rebuilt = list(filter(None, map(Reader().take, _lines(log))))
    assert [one.request for one in rebuilt] == agent.sent
    # A line that was cut in the middle costs itself, and it is said.
    log.write_bytes(log.read_bytes()[:-40])
    said = user.wm("replay", str(log))
    assert said.code == 0
    assert "Left out: lines that are not JSON (1)." in said.out
    assert said.out.startswith("policy none · 3 requests of 1 conversation in 1 file")


def _recorded(user: Terminal, session: str) -> list[bytes]:
    found = list(user.data.glob(f"workspaces/*/recordings/{sid(session)}.jsonl"))
    return found[0].read_bytes().splitlines() if found else []


def until(fact: Callable[[], bool]) -> None:
    """Wait for a fact, with a bound."""
    limit = time.monotonic() + 20
    while not fact():
        assert time.monotonic() < limit
        time.sleep(0.01)
