"""Scenes of all other commands, so that each use case that writes is interrupted somewhere.

SCENES has those of `scenes`, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.crash import scenes
from tests.crash.scenes import (
    CENTS,
    COMPACTS,
    DOCS,
    IN_SESSION,
    LINT,
    QUEUE,
    SESSION,
    SHIP,
    STARTED,
    TWO,
    Bench,
    Scene,
    Step,
    compacted,
    edited_by_hand,
    keep,
    tool,
)
from wm.ops.catalogue import OPERATIONS

SHORT = "hm"
"""Too short to become active: it waits in the inbox."""


def do(name: str, /, **fields: Any) -> Step:
    """Run a use case. A field that is a function gets its value from the folder."""

    def step(bench: Bench) -> object:
        given = {field: of(bench) if callable(of) else of for field, of in fields.items()}
        return bench.call(OPERATIONS[name], **given)

    return step


def entry(text: str) -> Callable[[Bench], str]:
    return lambda bench: bench.id_of(text)


def ids(*texts: str) -> Callable[[Bench], tuple[str, ...]]:
    return lambda bench: tuple(bench.id_of(text) for text in texts)


def hook(name: str, **payload: Any) -> Step:
    given = {"session_id": SESSION, "hook_event_name": name, **payload}
    return do("hook", agent="claude-code", name=name, payload=given, project=project)


def project(bench: Bench) -> str:
    return str(bench.project)


def fact(text: str) -> dict[str, Any]:
    return {"id": f"mem_{len(text)}_abc123", "text": text, "type": "decision", "status": "active"}


def elsewhere(bench: Bench) -> str:
    """A folder without a memory of its own."""
    other = bench.project.parent / "other"
    other.mkdir(exist_ok=True)
    return str(other)


def continued(bench: Bench) -> object:
    return bench.call(OPERATIONS["continue_session"], session_id=SESSION)


def page_out(number: int) -> Step:
    """A request leaves without a step, which is stored first."""
    handle, place, request = f"o_{number:012x}", f"{number:016x}", f"r_{number}"
    part = {"id": handle, "kind": "result", "text": f"berth {number} is free\n" * 40}
    step = {"id": handle, "places": [place], "number": number, "type": "tool_result"}
    stub = {"block": place, "text": f"[removed; {handle} brings it back]"}
    return do(
        "append_paging",
        session_id=SESSION,
        objects=({**step, "tokens": 300, "parts": [part]},),
        records=(
            {"kind": "decided", "request": request, "decisions": [stub]},
            {"kind": "sent", "request": request},
        ),
        durable=True,
    )


def shared_by_another(number: int, **fields: str | bool) -> dict[str, object]:
    """A file of the shared tree with one version, by an author who is not the user."""
    name = f"m_{number:020x}"
    said = {"created": f"2026-10-01T09:00:0{number}.000Z", "name": "Ben", **fields}
    clock = f"2026-10-01T09:00:0{number}.000Z-0000-0000000b"
    version = {field: [clock, value] for field, value in said.items()}
    return {"entry": {"id": name, "authors": {"a_" + "b" * 16: version}}}


def sent(text: str) -> Callable[[Bench], dict[str, dict[str, str]]]:
    """A note that the entry with this text was written to the tree."""
    return lambda bench: {bench.id_of(text): {"digest": "d" * 16, "version": "v" * 16}}


ARRIVED = do(
    "arrive",
    entries=(
        shared_by_another(1, text=LINT, type="decision", source="explicit"),
        shared_by_another(2, text=DOCS, type="project", source="explicit"),
    ),
    sent=sent(SHIP),
    node="0000000a",
    author="a_" + "a" * 16,
    applied="c" * 40,
)
CLOCK_NOW = {"context_window": {"used_percentage": 88, "context_window_size": 200_000}}
IMPORTED = do("import_entries", facts=(fact(LINT), fact(DOCS)))

COMMANDS: tuple[Scene, ...] = (
    Scene(
        "inbox",
        (*TWO, keep(SHORT)),
        (do("accept_entry", id=entry(SHORT)), do("undo"), do("reject_entry", id=entry(SHORT))),
    ),
    Scene(
        "inbox at once",
        (*TWO, keep(SHORT), keep("uh")),
        (
            do("decide_entries", ids=ids(SHORT, "uh"), accept=True),
            do("undo"),
            do("decide_entries", ids=ids(SHORT, "uh"), accept=False),
        ),
    ),
    Scene("outside accept", (*TWO, edited_by_hand), (do("notice_outside"), do("accept_outside"))),
    Scene("undo", TWO, (do("undo"), do("undo"))),
    Scene("rollback", (*IN_SESSION, COMPACTS, compacted), (do("rollback", since="300d"),)),
    Scene("import and undo", TWO, (IMPORTED, do("undo"), IMPORTED)),
    Scene(
        "rescope",
        TWO,
        (
            do("rescope_entry", id=entry(SHIP), scope="user"),
            do("rescope_entry", id=entry(CENTS), scope="user"),
            do("undo"),
        ),
    ),
    Scene("learning", (STARTED,), (do("learning", mode="inbox"), do("learning", user=False))),
    Scene(
        "session memory",
        (STARTED, tool(1)),
        (
            do("change_block", session_id=SESSION, block="goal", content="Moor the ferry."),
            do("add_item", session_id=SESSION, text="The winch is stiff.", slot="todo"),
            continued,
            do("remove_items", session_id=SESSION, slot="todo"),
        ),
    ),
    Scene(
        "memory files",
        TWO,
        (
            do(
                "memory_files",
                command={"command": "create", "path": "/memories/a.md", "file_text": LINT},
            ),
            do("memory_files", command={"command": "delete", "path": "/memories/a.md"}),
        ),
    ),
    Scene(
        "tools",
        (*TWO, STARTED),
        (
            do("call_tool", name="remember", arguments={"text": QUEUE}, session=SESSION),
            do("call_tool", name="remember", arguments={"text": DOCS}),
        ),
    ),
    Scene("delete command", (*IN_SESSION, tool(1)), (do("delete_session", session_id=SESSION),)),
    Scene(
        "hooks",
        TWO,
        (
            hook("SessionStart", source="startup"),
            hook("UserPromptSubmit", prompt=f"Remember that {LINT}"),
            do("statusline", payload={"session_id": SESSION, **CLOCK_NOW}, project=project),
            hook("SessionEnd", reason="clear"),
        ),
    ),
    Scene(
        "allowances",
        TWO,
        (do("allow_secret", text="harbour-7"), do("disallow_secret", text="harbour-7")),
    ),
    Scene(
        "paging",
        (STARTED,),
        (
            do("choose_policy", session=SESSION, policy="balanced"),
            page_out(1),
            page_out(2),
            do("purge_objects", session=SESSION),
        ),
    ),
    Scene("model", TWO, (do("use_model", name="none"), keep(LINT))),
    Scene(
        "link",
        TWO,
        (
            do("link_workspace", old=project, directory=elsewhere),
            do("link_workspace", unlink=True, directory=elsewhere),
        ),
    ),
    Scene(
        "contract",
        (*TWO, STARTED),
        (
            do("init_contract", goal="Replace the berth planner.", phase="build"),
            do("change_contract", field="next_actions", change="append", values=("Test it.",)),
            do("count_compaction", session_id=SESSION, count=1),
            do("accept_contract"),
            do("handoff", next=True),
            do("prune_budget"),
        ),
    ),
    Scene(
        "share",
        (*TWO, do("share_entries", type="project")),
        (ARRIVED, do("share_entries", ids=ids(CENTS), end=True), do("team", leave=True)),
    ),
)

SCENES = (*scenes.SCENES, *COMMANDS)
BY_NAME = {scene.name: scene for scene in SCENES}
