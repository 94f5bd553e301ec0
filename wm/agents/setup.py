"""Plan how the agents of this machine are connected to `wm`, and how that is undone (IF-5, IF-6).

Decides only: `setup_facts` reads the machine, `setup_apply` writes. A plan contains every file
before and after; nothing here prints.

The user's files are edited as text and keep every byte that is not ours. Unsetup restores the bytes
of the record; if the user changed a file since, only our part is removed.

Rules: a file that cannot be understood is refused and left unchanged. Setup writes the record
before the files, unsetup after them, so that a crash between two writes can be undone. A second run
has nothing to do.
"""

from __future__ import annotations

import base64
import contextlib
import difflib
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from wm.agents import services
from wm.agents.config_option import LearnOption
from wm.agents.parts import OwnFile, SettingsPart
from wm.agents.setup_facts import AGENTS, LEARNING, PROGRAMS, SERVICE, KeptFile, MachineFacts
from wm.errors import UserError


class FileChange(Struct, frozen=True):
    """One file before and after; None: no file. private: its content is not shown. purpose: what
    our part of it is for."""

    path: Path
    before: bytes | None
    after: bytes | None
    agent: str = ""
    say: str = ""
    purpose: str = ""
    private: bool = False
    make: tuple[Path, ...] = ()
    drop: tuple[Path, ...] = ()

    @property
    def diff(self) -> str:
        """A unified diff; "" for a file whose content is not shown."""
        return "" if self.private else _diff(self.path, self.before, self.after)


class SetupPlan(Struct, frozen=True):
    """The steps, in this order: `first`, the changes, `last`.

    notes: sentences for the user. first, last: commands, whose failure is only reported. refused:
    agents that are left unchanged, each with the reason.
    """

    changes: tuple[FileChange, ...] = ()
    notes: tuple[str, ...] = ()
    first: tuple[tuple[str, ...], ...] = ()
    last: tuple[tuple[str, ...], ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)

    @property
    def nothing_to_do(self) -> bool:
        return not self.changes

    @property
    def diff(self) -> str:
        return "".join(change.diff for change in self.changes)


NO_AGENT = (
    f"No agent was found, none of {', '.join(PROGRAMS.values())}. Install one and run this again; "
    "`wm setup --agent mcp` prints what any other agent needs."
)


def plan_setup(
    facts: MachineFacts, *, agents: Sequence[str] = (), service: bool = False, learn: str = ""
) -> SetupPlan:
    """Connect these agents (default: those found), and the service manager if asked. learn: the
    mode of learning to write into config.toml; "" leaves that file as it is.

    An agent whose settings cannot be understood is left unchanged and reported; the others are
    connected. Raises UserError if none could be.
    """
    chosen = tuple(agents) or facts.found
    notes = [] if chosen else [NO_AGENT]
    if service and facts.service is services.ServiceKind.NONE:
        notes.append("This system has neither systemd nor launchd; no service was set up.")
    parts = [
        part
        for part in facts.parts
        if part.agent in chosen
        or (part.agent == SERVICE and (service or part.is_ours(facts.files.get(part.path) or b"")))
    ]
    parts += [replace(p, mode=learn) for p in facts.parts if learn and isinstance(p, LearnOption)]
    wired, refused = _by_agent(facts, parts, _wire)
    if refused and len(refused) == len({part.agent for part in parts}):
        raise next(iter(refused.values()))
    if not {part.agent for part in parts} <= {LEARNING, *refused}:
        wired = {facts.script.path: _wire(facts, facts.script), **wired}
    kept = {str(path): step.kept for path, step in wired.items() if step.kept}
    record = _record_change(facts, {**facts.record.files, **kept})
    changes = [step.change for step in wired.values() if step.change]
    touched = any(change.agent == SERVICE for change in changes)
    return SetupPlan(
        changes=(*_cleared(facts), *record, *changes),
        notes=(*notes, *(step.note for step in wired.values() if step.note)),
        last=services.enable(facts.service) if touched else (),
        refused=_sentences(refused),
    )


class _Step(Struct, frozen=True):
    """The change of one file. kept: what the record contains for it from now on."""

    change: FileChange | None = None
    kept: KeptFile | None = None
    note: str = ""


def _by_agent(
    facts: MachineFacts,
    parts: Iterable[SettingsPart],
    decide: Callable[[MachineFacts, SettingsPart], _Step],
) -> tuple[dict[Path, _Step], dict[str, UserError]]:
    """The steps by file, and the agents that are left unchanged because one of their files cannot
    be understood."""
    steps: dict[Path, _Step] = {}
    refused: dict[str, UserError] = {}
    for agent, group in groupby(parts, key=lambda part: part.agent):
        try:
            steps.update({part.path: decide(facts, part) for part in group})
        except UserError as error:
            refused[agent] = error
    return steps, refused


def _sentences(refused: Mapping[str, UserError]) -> dict[str, str]:
    return {
        agent: f"{agent} is left unchanged: {error.message} {error.fix}".strip()
        for agent, error in refused.items()
    }


def _wire(facts: MachineFacts, part: SettingsPart) -> _Step:
    current = facts.current(part)
    kept = facts.record.files.get(str(part.path))
    if current is not None and part.is_current(current):
        if kept is None:
            base = part.without(current, None)
            kept = _kept(part, base, current, ())
        return _Step(kept=kept, note=part.remark(current))
    note = ""
    if kept is not None and current is not None and _sha(current) in kept.written:
        base = kept.original_bytes
    elif current is not None and part.is_ours(current):
        base = part.without(current, kept.original_bytes if kept else None)
        if isinstance(part, OwnFile) and kept is not None:
            note = f"{part.path} was changed by hand; setup replaces it."
    else:
        base = current
    after = part.added_to(base)
    made = kept.made if kept else tuple(str(p) for p in facts.missing[part.path])
    say = "refresh" if current is not None and part.is_ours(current) else "add"
    change = FileChange(
        path=part.path,
        before=current,
        after=after,
        agent=part.agent,
        say=say,
        purpose=part.purpose,
        make=facts.missing[part.path],
    )
    earlier = kept.written[-1:] if kept else ()
    note = note or part.remark(after)
    return _Step(change, _kept(part, base, after, earlier).model_copy(update={"made": made}), note)


def _kept(
    part: SettingsPart, base: bytes | None, after: bytes, earlier: tuple[str, ...]
) -> KeptFile:
    original = None if base is None else base64.b64encode(base).decode("ascii")
    return KeptFile(agent=part.agent, original=original, written=(*earlier, _sha(after)))


def _cleared(facts: MachineFacts) -> Iterator[FileChange]:
    for path, raw in facts.cut.items():
        yield FileChange(path=path, before=raw, after=None, say="clear", private=True)


def plan_unsetup(facts: MachineFacts, *, agents: Sequence[str] = ()) -> SetupPlan:
    """Undo setup for these agents (default: all of them and the service).

    An agent is left unchanged and reported if one of its files cannot be read, or was changed since
    setup and cannot be understood. Raises UserError if nothing else is to be done.
    """
    chosen = tuple(agents) or (*AGENTS, SERVICE, LEARNING)
    undone, refused = _by_agent(facts, [p for p in facts.parts if p.agent in chosen], _unwire)
    if not _is_script_needed(facts, chosen, refused):
        undone[facts.script.path] = _unwire(facts, facts.script)
    changes = [step.change for step in undone.values() if step.change]
    if refused and not changes:
        raise next(iter(refused.values()))
    paths = set(map(str, undone))
    remaining = {path: kept for path, kept in facts.record.files.items() if path not in paths}
    record = _record_change(facts, remaining)
    touched = any(change.agent == SERVICE for change in changes)
    first, last = services.disable(facts.service) if touched else ((), ())
    return SetupPlan(
        changes=(*_cleared(facts), *changes, *record),
        notes=tuple(step.note for step in undone.values() if step.note),
        first=first,
        last=last,
        refused=_sentences(refused),
    )


def _unwire(facts: MachineFacts, part: SettingsPart) -> _Step:
    kept = facts.record.files.get(str(part.path))
    if kept is None and part.path in facts.blocked and os.path.isdir(part.path):
        return _Step()  # a folder contains nothing of ours
    current = facts.current(part)
    made = tuple(Path(folder) for folder in kept.made) if kept else ()
    if current is None:
        # A run that was killed, or the user, removed the file and left our folders.
        if not set(made) - set(facts.missing[part.path]):
            return _Step()
        say = "remove the folder of"
        return _Step(FileChange(part.path, None, None, agent=part.agent, say=say, drop=made))
    note = ""
    if kept is not None and _sha(current) in kept.written:
        after = kept.original_bytes
    elif part.is_ours(current):
        after = part.without(current, kept.original_bytes if kept else None)
        if kept is not None:
            note = f"{part.path} was changed since setup: only the entries of wm are removed."
    else:
        return _Step()
    if after == current:
        return _Step()  # the entry under our name is the user's
    change = FileChange(
        path=part.path,
        before=current,
        after=after,
        agent=part.agent,
        say="restore" if after is not None else "remove",
        purpose=part.purpose,
        drop=made if after is None else (),
    )
    return _Step(change, note=note)


def _is_script_needed(
    facts: MachineFacts, undone: Sequence[str], refused: Mapping[str, UserError]
) -> bool:
    """Whether lines that run the script stay in the files of another agent, or of a refused one."""
    others = {state.agent for state in _part_states(facts) if state.ours} - set(undone)
    return bool(others) or any(kept.agent in refused for kept in facts.record.files.values())


def _record_change(facts: MachineFacts, files: dict[str, KeptFile]) -> tuple[FileChange, ...]:
    record = facts.record.model_copy(update={"files": files})
    if record == facts.record:
        return ()
    made = facts.missing[facts.record_path]
    if facts.record_bytes is None:
        record = record.model_copy(update={"made": tuple(str(folder) for folder in made)})
    after = record.model_dump_json(indent=2).encode() + b"\n" if record.files else None
    return (
        FileChange(
            path=facts.record_path,
            before=facts.record_bytes,
            after=after,
            say="write" if record.files else "remove",
            purpose="what wm unsetup needs to restore every byte",
            private=True,
            make=made,
            drop=tuple(Path(folder) for folder in record.made) if after is None else (),
        ),
    )


def is_learning_chosen(facts: MachineFacts) -> bool:
    """Whether config.toml has a mode of learning. True for a file that cannot be read: setup does
    not change it."""
    (part,) = (part for part in facts.parts if isinstance(part, LearnOption))
    try:
        current = facts.current(part)
        return current is not None and part.is_current(current)
    except UserError:
        return True


def is_from_before(facts: MachineFacts) -> bool:
    """Whether an older wm, which learned nothing in passing, was set up here (EX-7)."""
    return facts.record_bytes is not None and not is_learning_chosen(facts)


ABSENT, CURRENT, STALE, BLOCKED = "absent", "current", "stale", "blocked"
"""How an agent is connected, for `wm doctor` and `wm status`."""


def states(facts: MachineFacts) -> dict[str, str]:
    """Each agent that is found or connected, and whether its files are of this version."""
    found: dict[str, str] = dict.fromkeys(facts.found, ABSENT)
    script = facts.files.get(facts.script.path)
    for agent, parts in groupby(_part_states(facts), key=lambda state: state.agent):
        agent_parts = list(parts)
        if any(state.ours for state in agent_parts):
            current = all(state.current for state in agent_parts) and script == facts.script.content
            found[agent] = CURRENT if current else STALE
    return {**found, **dict.fromkeys(blocked(facts), BLOCKED)}


class _PartState(Struct, frozen=True):
    """Whether a file contains our part, and that of this version."""

    agent: str
    ours: bool
    current: bool


def _part_states(facts: MachineFacts) -> Iterator[_PartState]:
    """The state of every part of an agent or the service whose file can be read."""
    for part in facts.parts:
        if part.agent == LEARNING:
            continue
        with contextlib.suppress(UserError):
            if (raw := facts.current(part)) is None:
                yield _PartState(part.agent, ours=False, current=False)
            else:
                yield _PartState(part.agent, part.is_ours(raw), part.is_current(raw))


def blocked(facts: MachineFacts) -> dict[str, UserError]:
    """The agents found here for which setup would refuse a file, with the error."""
    errors: dict[str, UserError] = {}
    for part in facts.parts:
        if part.agent in facts.found:
            try:
                _wire(facts, part)
            except UserError as error:
                errors[part.agent] = error
    return errors


def remarks(facts: MachineFacts) -> dict[str, str]:
    """The agents that are only partly connected because of a setting of the user."""
    found: dict[str, str] = {}
    for part in facts.parts:
        with contextlib.suppress(UserError):
            current = facts.current(part)
            if current is not None and (remark := part.remark(current)):
                found[part.agent] = remark
    return found


def _sha(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


def _diff(path: Path, before: bytes | None, after: bytes | None) -> str:
    names = ["/dev/null" if raw is None else str(path) for raw in (before, after)]
    old, new = (
        (raw or b"").decode("utf-8", "replace").splitlines(keepends=True) for raw in (before, after)
    )
    lines = difflib.unified_diff(old, new, names[0], names[1])
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )
