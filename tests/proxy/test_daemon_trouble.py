"""The daemon hangs, dies or loses its disk at every message of the proxy (PX-1, PX-2).

Real daemon, real proxy, an upstream that binds thinking. A request leaves in time, is never
refused, and its bytes are those of the decisions in the ledger.
"""

from __future__ import annotations

import ast
import gc
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

import pytest
from msgspec import structs

from tests.cli.terminal import Terminal
from tests.clients.accounting import units
from tests.clients.scripts import Answer, Request, always, answer, call, script, think
from tests.clients.upstream import Upstream
from tests.proxy.relayed import AFTER, BEFORE, UNANSWERED, WAITED_FOR, Relay, Trouble
from tests.proxy.scripted import Agent, Chain, played
from wm.daemon import lifecycle
from wm.daemon.client import Client
from wm.domain.paging.ledger import folded
from wm.ops.local import open_runtime
from wm.ops.paging.turns import decision_of
from wm.proxy.preparing import PREPARE_DEADLINE_S
from wm.store import identity
from wm.store.paths import sid
from wm.wire.conversation import Conversation

ROOT = Path(__file__).parents[2]
ALLOWANCE_S = 0.6
"""For a busy machine. A request that waits for the daemon itself waits for 5 s."""
MESSAGES = (
    *("read_ledger", WAITED_FOR, "append_paging"),
    *("finish_request", "record_event", "record_exchange"),
)
KINDS = ("hangs", "dies", "full")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of other processes")


def result(number: int) -> str:
    """A long output that the one before it almost repeats: each request has new decisions."""
    lines = [f"the timetable of line {line}, as on every day" for line in range(60)]
    return "\n".join([*lines, f"berth_{number}_code = {number * 7919 % 100_000:05d}"])


@dataclass
class Scene:
    """One session of an agent behind a relay to the daemon."""

    user: Terminal
    relay: Relay
    session: str
    arrived: list[float] = field(default_factory=list)
    delays: list[float] = field(default_factory=list)
    said: list[dict[str, Any]] = field(default_factory=list)
    sent: list[bytes] = field(default_factory=list)
    upstream: Upstream = field(default_factory=Upstream)

    def __post_init__(self) -> None:
        self.upstream.script = script(always(lambda _request: True, self._next))

    def _next(self, _request: Request) -> Answer:
        self.arrived.append(time.monotonic())
        return answer(think("Look."), call("Bash", command=f"./ferry {len(self.arrived)}"))

    def run(self, *parts: Any, deadline_s: float = PREPARE_DEADLINE_S) -> None:
        """One process of the proxy. Each part is a number of turns, or something to do."""

        def play(made: Chain) -> None:
            agent = replace(made.agent(self.user.repo, self.session), thinks=True)
            agent.messages, agent.sent = self.said, self.sent
            for part in parts:
                if callable(part):
                    part()
                for _ in range(0 if callable(part) else part):
                    self._turn(agent)

        self.behind(play, deadline_s)

    def behind(self, play: Callable[[Chain], None], deadline_s: float = PREPARE_DEADLINE_S) -> None:
        settings = self.user.settings()
        paths = structs.replace(settings.paths, socket=self.relay.path)
        played(
            structs.replace(settings, paths=paths), self.upstream.url, play,
            policy="balanced", record=True, prepare_deadline_s=deadline_s,
        )  # fmt: skip

    def _turn(self, agent: Agent) -> None:
        if not self.said:
            agent.tell("Go")
        begun = time.monotonic()
        agent.goes_on(result, 1, first=len(self.said) // 2)
        assert agent.statuses[-1] == 200
        self.delays.append(self.arrived[-1] - begun)

    def explain(self) -> None:
        """Each request is the client's own under decisions of the ledger, which only grow, and
        whatever they removed is on disk."""
        store = open_runtime(self.user.settings()).store
        key = identity.key_of(str(self.user.repo))
        records = store.ledger(key, sid(self.session))
        void = folded(records).whole.void
        records = tuple(r for r in records if r.kind != "decided" or r.request not in void)
        stored = {place for one in store.objects(key, sid(self.session)) for place in one.places}
        known = 0
        for raw, exchange in zip(self.sent, self.upstream.exchanges, strict=True):
            goes = plain(exchange.request.body)
            fits = (n for n in range(known, len(records) + 1) if under(records[:n], raw) == goes)
            found = next(fits, None)
            assert found is not None, "bytes that no decision of the ledger explains"
            known = found
        removed = {d.block for record in records for d in record.decisions}
        assert removed
        assert removed <= stored


def under(records: Any, raw: bytes) -> list[bytes]:
    """A request with the decisions of these records."""
    state = folded(records).whole
    unproven = [one for listed in state.unproven.values() for one in listed]
    log = {one.block: decision_of(one) for one in (*state.in_force.values(), *unproven)}
    made = Conversation(log).prepare(raw)
    assert made is not None
    return plain(json.loads(made.raw))


def plain(body: Any) -> list[bytes]:
    """The content of a request, without cache marks."""
    return [unit.identity for unit in units(body)]


@dataclass
class Home:
    user: Terminal
    relay: Relay
    count: int = 0
    late: list[float] = field(default_factory=list)
    """By how many seconds the slowest request of each scene was late."""

    def scene(self) -> Scene:
        self.count += 1
        return Scene(self.user.at(f"p{self.count}"), self.relay, f"s-{self.count}")

    def pid(self) -> int:
        with Client(self.user.settings()) as client:
            return int(client.call("status")["pid"])

    def begun(self) -> None:
        assert self.relay.begun.wait(20.0), "nothing happened"

    def heal(self) -> None:
        """The daemon serves again: the same one, or the next."""
        assert self.relay.trouble is not None
        self.relay.trouble.end()
        self.relay.over.set()
        lifecycle.start(self.user.settings(), environment=self.user.env)


@pytest.fixture(scope="module")
def home() -> Iterator[Home]:
    # The proxy runs in this process. Collecting what all other tests have left here takes a second,
    # so that a request in between leaves late.
    gc.collect()
    gc.freeze()
    # Short, because a socket's path has a limit.
    with TemporaryDirectory(prefix="wm-", ignore_cleanup_errors=True) as folder:
        user = Terminal(Path(folder))
        assert user.wm("up", "--quiet").code == 0
        with Relay(Path(folder) / "relay", user.settings().paths.socket).serving() as relay:
            yield Home(user, relay)
        user.wm("down")
    gc.unfreeze()


def played_through(home: Home, kind: str, message: str, moment: str) -> None:
    """A resumed session, with this trouble at the first such message of its second process."""
    scene = home.scene()
    with scene.upstream:
        scene.run(3, deadline_s=15.0)
        healthy = min(scene.delays)
        home.relay.expect((message, 1, moment), Trouble(kind, home.pid()))
        # Some messages come a while after the answer: no turn may be healthy because of that.
        scene.run(2, home.begun, 2, home.heal, 2)
        late = max(scene.delays[3:]) - healthy
        assert late < PREPARE_DEADLINE_S + ALLOWANCE_S, (kind, message, moment)
        home.late.append(late)
        scene.run(1, deadline_s=15.0)
    assert scene.upstream.refused == []
    scene.explain()


def test_the_messages_are_all_that_the_proxy_sends(home: Home) -> None:
    """A new one must appear here, and in the scenes."""
    tree = (ast.parse(path.read_text()) for path in (ROOT / "wm/proxy").glob("*.py"))
    calls = (one for module in tree for one in ast.walk(module) if isinstance(one, ast.Call))
    found = {
        one.args[0].value
        for one in calls
        if ast.unparse(one.func).endswith("call")
        and one.args
        and isinstance(one.args[0], ast.Constant)
    }
    # No tools are offered here; tests/proxy/test_phantoms.py has them without a daemon.
    assert found - {"call_tool"} == {message.partition(" ")[0] for message in MESSAGES}
    scene = home.scene()
    home.relay.expect(("", 0, ""), Trouble("", 0))
    with scene.upstream:
        scene.run(4, deadline_s=15.0)
    assert set(home.relay.calls) == set(MESSAGES)


@pytest.mark.parametrize("message", MESSAGES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_request_leaves_in_time_with_bytes_that_the_ledger_explains(
    home: Home, kind: str, message: str
) -> None:
    played_through(home, kind, message, BEFORE if kind == "full" else UNANSWERED)


@pytest.mark.soak
@pytest.mark.parametrize("moment", [BEFORE, AFTER])
@pytest.mark.parametrize("message", MESSAGES)
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_at_every_moment(home: Home, kind: str, message: str, moment: str) -> None:
    played_through(home, kind, message, moment)


@pytest.mark.soak
def test_most_of_the_slowest_requests_wait_for_the_deadline_alone(home: Home) -> None:
    """The allowance of each scene is for a busy machine; half of the scenes need little of it."""
    assert len(home.late) == 2 * len(KINDS) * len(MESSAGES), "needs the scenes before it"
    assert median(home.late) < PREPARE_DEADLINE_S + 0.02


def test_many_conversations_leave_in_time_while_the_daemon_hangs(home: Home) -> None:
    """Each leaves calls behind that wait for the daemon: they must not keep others waiting, nor the
    look-up of the upstream's address."""
    scenes = [home.scene() for _ in range(48)]
    shared = scenes[0]

    def delay(agents: Sequence[Agent]) -> float:
        """Seconds until all of them have their answer, if they ask at once."""
        threads = [Thread(target=one.works, args=("Go", result, 1)) for one in agents]
        begun = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return time.monotonic() - begun

    def play(made: Chain) -> None:
        agents = [replace(made.agent(one.user.repo, one.session), thinks=True) for one in scenes]
        healthy = delay(agents[:24])
        home.relay.expect(("read_ledger", 1, BEFORE), Trouble("hangs", home.pid()))
        agents[24].works("Go", result, 1)
        shared.delays.append(delay(agents[25:]) - healthy)
        home.heal()
        assert [one.statuses for one in agents] == [[200]] * len(agents)

    with shared.upstream:
        shared.behind(play)
    assert shared.delays[0] < PREPARE_DEADLINE_S + 2 * ALLOWANCE_S
