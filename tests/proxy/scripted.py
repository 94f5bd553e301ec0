"""A scripted client that works like an agent, and a proxy in front of the scripted upstream.

The client sends its whole history every turn and moves its marks as it goes: two at the system
prompt, one at each of the last two messages of the user. An unmarked message of words is a string.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.clients.accounting import canonical
from tests.clients.scripts import Answer, answer, call, say, script, think, turns
from tests.clients.upstream import Upstream
from wm.ops.paging.turns import NamedPolicies
from wm.proxy.ledger import DaemonLedger
from wm.proxy.managing import ManagingPreparer
from wm.proxy.observing import Note, Observer
from wm.proxy.reporting import Reporter
from wm.proxy.serve import Running, running
from wm.settings import ProxySettings, Settings
from wm.wire.block import Block
from wm.wire.rows import Measure
from wm.wire.usage import Usage

TOKEN = "token-of-a-test"
MARK = {"cache_control": {"type": "ephemeral"}}
MODEL = "claude-opus-5-5"
TOOLS = [
    {
        "name": name,
        "description": f"{name} looks after one of the berths. " * 12,
        "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}},
    }
    for name in ("Read", "Bash", "Edit")
]


def by_the_upstream(block: Block) -> int:
    """What the upstream calls a token."""
    return max(1, len(canonical(block.value)) // 4)


@dataclass
class Agent:
    """One conversation of one client."""

    url: str
    folder: Path
    session: str
    sent: list[bytes] = field(default_factory=list)
    got: list[bytes] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    thinks: bool = False
    messages: list[dict[str, Any]] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    tools: list[dict[str, Any]] = field(default_factory=lambda: TOOLS)

    def tell(self, words: str) -> None:
        folder = f"<system-reminder>\nPrimary working directory: {self.folder}\n</system-reminder>"
        texts = [words] if self.messages else [folder, words]
        content = [{"type": "text", "text": text} for text in texts]
        self.messages.append({"role": "user", "content": content})

    def works(self, words: str, result: Callable[[int], str], turns: int) -> None:
        """Tell it something, and play turns until nothing is left to call."""
        self.tell(words)
        self.goes_on(result, turns)

    def goes_on(self, result: Callable[[int], str], turns: int, first: int = 0) -> None:
        """first: number of the next result."""
        for number in range(first, first + turns):
            said = self.ask()
            self.messages.append({"role": "assistant", "content": said})
            calls = [block["id"] for block in said if block["type"] == "tool_use"]
            if not calls:
                return
            results = [
                {"type": "tool_result", "tool_use_id": one, "content": result(number)}
                for one in calls
            ]
            self.messages.append({"role": "user", "content": results})

    def ask(self) -> list[dict[str, Any]]:
        """Send the present history; the blocks of the answer, [] for a refusal."""
        self.sent.append(json.dumps(self._body(), ensure_ascii=False).encode())
        status, raw = self.post("/v1/messages?beta=true", self.sent[-1])
        self.got.append(raw)
        self.statuses.append(status)
        return list(json.loads(raw)["content"]) if status == 200 else []

    def post(self, path: str, body: bytes, **headers: str) -> tuple[int, bytes]:
        parts = urlsplit(self.url)
        all_headers = {
            "content-type": "application/json",
            "x-api-key": "key-of-a-test",
            "user-agent": "claude-cli/2.1.330",
            "x-claude-code-session-id": self.session,
            **self.headers,
            **headers,
        }
        with closing(HTTPConnection(parts.netloc, timeout=20)) as connection:
            connection.request("POST", parts.path + path, body, all_headers)
            said = connection.getresponse()
            return said.status, said.read()

    def _body(self) -> dict[str, Any]:
        users = [n for n, m in enumerate(self.messages) if m["role"] == "user"][-2:]
        return {
            "model": MODEL,
            "max_tokens": 1000,
            **({"thinking": {"type": "adaptive"}} if self.thinks else {}),
            "tools": self.tools,
            "system": [
                {"type": "text", "text": "You look after a harbour.", **MARK},
                {"type": "text", "text": "Be brief. " * 300, **MARK},
            ],
            "messages": [
                _spelled(message, marked=number in users)
                for number, message in enumerate(self.messages)
            ],
        }


def _spelled(message: dict[str, Any], *, marked: bool) -> dict[str, Any]:
    content = message["content"]
    if marked:
        return {**message, "content": [*content[:-1], {**content[-1], **MARK}]}
    if len(content) == 1 and content[0]["type"] == "text":
        return {**message, "content": content[0]["text"]}
    return message


def reads(count: int) -> Answer:
    return answer(think("Look."), call("Read", path=f"/pier/{count}.py"))


def upstream_of(turns_: int, *more: Answer) -> Upstream:
    """An upstream whose model calls a tool `turns_` times and then says something."""
    return Upstream(script=script(*turns(*map(reads, range(turns_)), answer(say("Done.")), *more)))


@dataclass
class Chain:
    proxy: Running
    observer: Observer
    reporter: Reporter
    faults: list[Exception]
    preparer: ManagingPreparer | None = None
    ledger: DaemonLedger | None = None

    def agent(self, folder: Path, session: str = "s-1") -> Agent:
        return Agent(self.proxy.base_url, folder, session)


@asynccontextmanager
async def chain(
    settings: Settings,
    upstream: str,
    *,
    record: bool,
    measure: Measure = by_the_upstream,
    policy: str = "",
    prepare_deadline_s: float = 15.0,
    killed: bool = False,
    offers: bool = False,
) -> AsyncIterator[Chain]:
    """A proxy that reports to the daemon of these settings; at the end it has reported everything.
    policy: of paging; "" pages nothing. offers: phantom tools. prepare_deadline_s: longer than any
    load of the machine. killed: what its paging would still write is lost."""
    faults: list[Exception] = []
    reporter, ledger = Reporter(settings), DaemonLedger(settings)
    preparer = (
        ManagingPreparer(policy, ledger, NamedPolicies(), faults.append, offers=offers)
        if policy
        else None
    )

    def report(note: Note) -> None:
        reporter(note)
        if preparer is not None:
            preparer.conclude(note.request)

    def used(request: str, usage: Usage | None) -> None:
        if preparer is not None:
            preparer.used(request, usage)

    observer = Observer(report, faults.append, record=record, measure=measure, used=used)
    own = ProxySettings(upstream=upstream, drain_s=2.0)
    try:
        async with running(
            own,
            TOKEN,
            port=0,
            observe=observer.observe,
            failed=observer.failed,
            preparer=preparer,
            prepare_deadline_s=prepare_deadline_s,
        ) as proxy:
            yield Chain(proxy, observer, reporter, faults, preparer, ledger)
    finally:
        if preparer is not None and not killed:
            await preparer.close(10.0)
        await ledger.close()
        await reporter.close(10.0)


def played(
    settings: Settings,
    upstream: str,
    play: Callable[[Chain], None],
    *,
    record: bool = False,
    policy: str = "",
    **options: Any,
) -> Chain:
    """Run a scene behind a proxy, in a thread of its own; the proxy after it ended."""

    async def scene() -> Chain:
        async with (
            asyncio.timeout(300),
            chain(settings, upstream, record=record, policy=policy, **options) as made,
        ):
            await asyncio.to_thread(play, made)
        return made

    return asyncio.run(scene())
