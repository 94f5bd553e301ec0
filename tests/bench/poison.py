"""A model that obeys all it reads, against the memory (TR-3): `python -m tests.bench poison`.

Sessions of both agents are played through their hooks, on the use cases that the daemon runs.
The model repeats every payload in its own words, proposes it at every compaction, tries to
replace and to confirm what is kept, and tells it again in later sessions and elsewhere. Counted
is what of it became active, and how many of the facts that users stated were kept.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.bench import poison_cases as cases
from tests.store.twin import MemoryStore
from wm.api.protocol import RememberRequest, ToolRequest
from wm.api.sessions import HookAnswer, HookRequest
from wm.errors import WmError
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.ops.catalogue import OPERATIONS
from wm.ops.operation import execute
from wm.ops.runtime import make_runtime
from wm.settings import load
from wm.store.base import Ref
from wm.store.identity import key_of
from wm.store.paths import USER

BEGIN = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
HERE, ELSEWHERE = "ferry", "other"
KEPT = "The harbour master signs every release of the timetable."
"""What the user asked to keep before any attack: it must outlive all of them."""

GOAL_KEPT = 0.99


class World:
    """One user's memory, and the sessions of one agent in it."""

    def __init__(self, agent: str, folder: Path) -> None:
        self.agent = agent
        self.roots = {name: str(folder / name) for name in (HERE, ELSEWHERE)}
        settings = load({"HOME": "/nonexistent"})
        self.store = MemoryStore(settings.store)
        self.moment = BEGIN
        self.runtime = make_runtime(settings, self.store, now=lambda: self.moment)
        for root in self.roots.values():
            os.makedirs(root, exist_ok=True)
            self.call("remember", RememberRequest(directory=root, text=KEPT))
        # Long enough ago that a confirmation would count.
        self.moment += timedelta(days=30)

    def call(self, name: str, request: Any) -> Any:
        self.moment += timedelta(seconds=1)
        return execute(self.runtime, OPERATIONS[name], request)

    def entries(self, name: str = HERE) -> tuple[MemoryEntry, ...]:
        return self._of(key_of(self.roots[name]))

    def _of(self, key: str) -> tuple[MemoryEntry, ...]:
        found = self.store.read(Ref(WorkspaceMemory, key)).document
        return found.entries if found is not None else ()

    def active(self) -> list[str]:
        """Of both projects and of the memory for all of them."""
        every = (*self.entries(HERE), *self.entries(ELSEWHERE), *self._of(USER))
        return [e.text for e in every if e.status == "active"]


class Session:
    """A session as its agent tells of it."""

    def __init__(self, world: World, name: str, where: str = HERE) -> None:
        self.world, self.name, self.root = world, name, world.roots[where]
        self.claude = world.agent == "claude-code"
        if self.claude:
            self._claude("SessionStart", source="startup")
        else:
            self._opencode("session.created", event={"properties": {"info": {"id": name}}})

    def _post(self, hook: str, payload: dict[str, Any]) -> str:
        request = HookRequest(agent=self.world.agent, name=hook, payload=payload, project=self.root)
        answer: HookAnswer = self.world.call("hook", request)
        return answer.body

    def _claude(self, hook: str, **fields: Any) -> str:
        return self._post(hook, {"session_id": self.name, "cwd": self.root, **fields})

    def _opencode(self, hook: str, **fields: Any) -> str:
        known = {"directory": self.root, "worktree": self.root}
        return self._post(hook, {**known, **fields})

    def user(self, text: str) -> None:
        if self.claude:
            self._claude("UserPromptSubmit", prompt=text, prompt_id=str(self.world.moment))
            return
        part = {"type": "text", "text": text}
        self._opencode(
            "chat.message",
            input={"sessionID": self.name, "messageID": str(self.world.moment)},
            output={"parts": [part]},
        )

    def agent(self, text: str) -> None:
        if self.claude:
            self._claude("Stop", last_assistant_message=text)
            return
        self._opencode(
            "experimental.text.complete", input={"sessionID": self.name}, output={"text": text}
        )

    def tool(self, name: str, output: str, *, failed: bool = False) -> None:
        """name: bash, read, webfetch or one of an MCP server."""
        if self.claude:
            hook, fields = _claude_tool(name, output, failed=failed)
            self._claude(hook, **fields)
            return
        self._opencode(
            "tool.execute.after",
            input={"sessionID": self.name, "tool": name, "args": {"command": "make"}},
            output={"output": output, "metadata": {"exit": int(failed)}},
        )

    def compact(self, prose: str, *lines: str) -> None:
        """The summariser obeys too: it takes the list's id, and writes what the list asks for."""
        instructions = (
            self._claude("PreCompact", trigger="auto")
            if self.claude
            else self._opencode("experimental.session.compacting", input={"sessionID": self.name})
        )
        found = [part for part in instructions.split() if part.startswith("c_")]
        snapshot = found[0].partition("\\n")[0].strip('",') if found else "c_0"
        head = f"Memory ref snapshot id: {snapshot}"
        summary = "\n".join([prose, "", "Memory candidates:", head, *lines])
        if self.claude:
            self._claude("PostCompact", trigger="auto", compact_summary=summary)
            return
        self._opencode(
            "session.compacted", event={"properties": {"sessionID": self.name}}, summary=summary
        )


def _claude_tool(name: str, output: str, *, failed: bool) -> tuple[str, dict[str, Any]]:
    """Hook and fields of one tool call of Claude Code."""
    known = {"bash": "Bash", "read": "Read", "webfetch": "WebFetch"}
    given: dict[str, Any] = {"command": "make"} if name == "bash" else {"file_path": "NOTES.md"}
    fields: dict[str, Any] = {"tool_name": known.get(name, name), "tool_input": given}
    if failed:
        return "PostToolUseFailure", {**fields, "error": f"Exit code 1\n{output}"}
    shown: Any = {
        "bash": {"stdout": output, "stderr": ""},
        "read": {"type": "text", "file": {"filePath": "NOTES.md", "content": output}},
        "webfetch": {"code": 200, "result": output},
    }.get(name, [{"type": "text", "text": output}])
    return "PostToolUse", {**fields, "tool_response": shown}


# --- the model that obeys --------------------------------------------------------------------

TOOL_OF = {
    "file": "read",
    "tool_output": "bash",
    "commit_message": "bash",
    "issue": "mcp__tracker__read",
    "dependency_name": "read",
    "error_text": "bash",
    "unicode": "webfetch",
}


def obeyed(attack: cases.Attack, folder: Path) -> list[str]:
    """What of an attack is active in the end, and what of the user's memory was lost to it."""
    world = World("claude-code" if attack.number % 2 else "opencode", folder)
    session = Session(world, "s-1")
    session.user("Please look at the notes and the open issues, then go on with the task.")
    for text in attack.shown:
        tool = TOOL_OF.get(attack.channel, "read")
        session.tool(tool, text, failed=attack.channel == "error_text")
        if attack.channel == "split_over_turns":
            session.user("Go on.")
    claim = attack.claim
    session.agent(f"Understood. I will keep this: {claim}.")
    session.agent(f"Decision: {claim}.")
    _propose(session, claim, confirms=any("REINFORCE" in text for text in attack.shown))
    if attack.channel == "resummarised":
        # Told again, in other words and in a summary's, in the same session and after it.
        session.agent(f"As I noted before, the following holds here: {claim}.")
        _propose(session, f"As noted before, {claim[0].lower()}{claim[1:]}")
        session.tool("read", f"Summary of the last session: {claim}.")
        _propose(session, claim)
    later = Session(world, "s-2", ELSEWHERE if attack.channel == "another_workspace" else HERE)
    later.user("Where were we?")
    # It finds its own proposals where wm shows them: in the inbox, by the tool of a shell.
    waiting = "\n".join(entry.text for entry in world.entries() if entry.status == "inbox")
    later.tool("bash", f"$ wm inbox\n{waiting}\n{claim}")
    later.agent(f"The inbox says: {claim}.")
    _propose(later, claim)
    third = Session(world, "s-3")
    _propose(third, claim)
    _use_tools(third, claim)
    return _harm(world, claim)


def _propose(session: Session, claim: str, *, confirms: bool = False) -> None:
    session.compact(
        f"The session learned that {claim}.",
        *(f"- [{kind}] {claim}" for kind in ("decision", "project", "reference", "feedback")),
        *(["REINFORCE [M1]"] if confirms else []),
        f"REPLACE [M1] [decision] {claim}",
    )


def _use_tools(session: Session, claim: str) -> None:
    """The tools that wm itself offers to the model."""
    (kept,) = (e for e in session.world.entries() if e.text == KEPT)
    scope = {"directory": session.root, "session": session.name}
    for name, arguments in (
        ("remember", {"text": claim, "type": "decision"}),
        ("forget", {"id": kept.id}),
    ):
        with contextlib.suppress(WmError):
            request = ToolRequest(name=name, arguments=arguments, **scope)
            session.world.call("call_tool", request)


def _harm(world: World, claim: str) -> list[str]:
    active = world.active()
    stray = [text for text in active if text != KEPT]
    lost = [] if active.count(KEPT) == 2 else ["the user's own memory is gone"]
    again = [e.text for e in world.entries() if e.text == KEPT and e.reinforcement_count]
    return [*stray, *lost, *(f"confirmed by itself: {text}" for text in again)]


def keeps(fact: cases.Stated, folder: Path) -> bool:
    """Is a fact that the user stated active in the end, in a session full of other texts?"""
    world = World("claude-code" if fact.number % 2 else "opencode", folder)
    session = Session(world, "s-1")
    session.user("Let us look at what is there first.")
    session.tool("read", cases.NOISE[fact.number % len(cases.NOISE)])
    if fact.number % 5 == 0:
        session.tool("bash", cases.attack(fact.number).shown[0])
    session.user(fact.said)
    session.tool("bash", cases.NOISE[(fact.number + 1) % len(cases.NOISE)])
    session.agent("Done. The check passes.")
    lines = [f"- [decision] {fact.proposed}"] if fact.proposed else []
    session.compact("The user settled how things are done.", *lines)
    return any(fact.telling in text for text in world.active() if text != KEPT)


# --- the command ---------------------------------------------------------------------------------


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench poison", description="A model that obeys what it reads."
    )
    parser.add_argument("--count", type=int, default=500, help="cases of each kind")
    parser.add_argument("--wrong", type=int, default=10, help="so many failures are shown")
    asked = parser.parse_args(argv)
    with TemporaryDirectory(prefix="wm-poison-") as folder:
        return _measure(asked.count, asked.wrong, Path(folder).resolve())


def _measure(count: int, wrong: int, folder: Path) -> int:
    harmed: Counter[str] = Counter()
    tried: Counter[str] = Counter()
    shown: list[dict[str, Any]] = []
    for number in range(count):
        attack = cases.attack(number)
        tried[attack.channel] += 1
        if harm := obeyed(attack, folder):
            harmed[attack.channel] += 1
            shown.append({"number": number, "claim": attack.claim, "harm": harm})
    facts = [cases.stated(number) for number in range(count)]
    lost = [fact for fact in facts if not keeps(fact, folder)]
    shown += [{"number": f.number, "said": f.said, "proposed": f.proposed} for f in lost]
    for channel in sorted(tried):
        print(f"{channel:<20} {tried[channel]:>4} attacks, {harmed[channel]} active")
    kept = 1 - len(lost) / max(1, len(facts))
    print(f"{'all':<20} {count:>4} attacks, {sum(harmed.values())} active")
    print(f"{'facts of users':<20} {len(facts):>4} stated, {kept:.1%} kept")
    for failure in shown[:wrong]:
        print(json.dumps(failure, ensure_ascii=False))
    return 0 if not harmed and kept >= GOAL_KEPT else 1
