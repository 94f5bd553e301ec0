"""Connect the agents of this machine to `wm`, and undo it (IF-5, IF-6).

`look` reads, `plan_setup` and `plan_unsetup` decide from what was read, `apply` writes. A plan
contains every file before and after; nothing here prints.

The user's files are edited as text and keep every byte that is not ours. Their earlier content is
kept in the record (`setup.json`, 0600, because settings contain tokens), so that unsetup restores
the same bytes; if the user changed a file since, only our part is removed.

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
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace
from pydantic import BaseModel, ConfigDict, ValidationError

from wm import __version__
from wm.agents import claude_settings, command_files, other_agents, services
from wm.agents.config_option import LearnOption
from wm.agents.hook_lines import MARK, WmCommand, script_text
from wm.agents.parts import OwnFile, SettingsPart, bake
from wm.errors import UserError
from wm.settings import AgentPaths, HookSettings, Paths

CLAUDE_CODE = "claude-code"
OPENCODE = "opencode"
SERVICE = "service"
LEARNING = "learning"
"""Not an agent: the answer of the user in config.toml."""
PROGRAMS = {
    CLAUDE_CODE: "claude",
    OPENCODE: "opencode",
    **{row.agent: row.program for row in other_agents.OTHER_AGENTS},
}
AGENTS = tuple(PROGRAMS)

RECORD_VERSION = 1
PRIVATE_FILE = 0o600
COMMAND_WAIT_S = 20.0


# --- facts --------------------------------------------------------------------------------


class KeptFile(BaseModel):
    """What is needed to undo the changes of one file.

    original: the bytes before setup as base64; None: there was no file. written: sha256 of what
    setup wrote (the last two, because a crash may leave the former). made: folders that setup made.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    agent: str
    original: str | None = None
    written: tuple[str, ...] = ()
    made: tuple[str, ...] = ()

    @property
    def original_bytes(self) -> bytes | None:
        return None if self.original is None else base64.b64decode(self.original)


class SetupRecord(BaseModel):
    """`setup.json`: what setup changed, by path. made: folders made for the record itself."""

    model_config = ConfigDict(frozen=True, extra="allow")

    version: int = RECORD_VERSION
    made: tuple[str, ...] = ()
    files: dict[str, KeptFile] = {}


class MachineFacts(Struct, frozen=True):
    """The machine as `look` read it: the only input of a plan.

    found: agents whose program or folder exists. script: what the parts of agents run. files:
    content by path, None for no file. missing: folders that a new file needs. service: the service
    manager of this machine. cut: partly written files of a run that was killed, with their content.
    blocked: files that cannot be read, with the reason; these are not in `files`.
    """

    found: tuple[str, ...]
    script: OwnFile
    parts: tuple[SettingsPart, ...]
    files: Mapping[Path, bytes | None]
    missing: Mapping[Path, tuple[Path, ...]]
    record_path: Path
    record: SetupRecord
    record_bytes: bytes | None
    service: services.ServiceKind
    cut: Mapping[Path, bytes] = field(default_factory=dict)
    blocked: Mapping[Path, UserError] = field(default_factory=dict)

    def current(self, part: SettingsPart) -> bytes | None:
        """The content of the part's file. Raises UserError if it cannot be read."""
        if part.path in self.blocked:
            raise self.blocked[part.path]
        return self.files[part.path]


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


class Applied(Struct, frozen=True):
    """changed: files written or removed. problems: sentences about failures: a command, or the
    files of one agent while those of the others were written."""

    changed: tuple[Path, ...] = ()
    problems: tuple[str, ...] = ()


# --- look ---------------------------------------------------------------------------------


def look(
    agents: AgentPaths, paths: Paths, command: WmCommand, hooks: HookSettings, platform: str
) -> MachineFacts:
    """Read everything that a plan needs. Raises UserError if the record cannot be used."""
    kind = services.kind_of(platform)
    parts = _parts(agents, paths, command, hooks, kind)
    script = OwnFile(
        agent="",
        path=command.script,
        content=script_text(command, hooks).encode(),
        mark=MARK,
        purpose="the script that the agents' hooks run; it finds wm and its daemon",
    )
    record_bytes = _read(agents.record)
    every = [script.path, *(part.path for part in parts), agents.record]
    files: dict[Path, bytes | None] = {}
    cut: dict[Path, bytes] = {}
    blocked: dict[Path, UserError] = {}
    for path in every:
        try:
            files[path] = _read(path)
            if (raw := _read(new := _new_of(path))) is not None:
                cut[new] = raw
        except UserError as error:
            # A file of one agent must not block the other agents.
            blocked[path] = error
    return MachineFacts(
        found=tuple(agent for agent in AGENTS if _is_installed(agent, agents)),
        script=script,
        parts=parts,
        files=files,
        missing={path: tuple(_missing(path.parent)) for path in every},
        record_path=agents.record,
        record=_parse_record(agents.record, record_bytes),
        record_bytes=record_bytes,
        service=kind,
        cut=cut,
        blocked=blocked,
    )


def _parts(
    agents: AgentPaths,
    paths: Paths,
    command: WmCommand,
    hooks: HookSettings,
    kind: services.ServiceKind,
) -> tuple[SettingsPart, ...]:
    """What setup would write for each agent, the service and the options, whatever is there."""
    template = Path(__file__).with_name("opencode") / "wm.js"
    return (
        claude_settings.part(agents.claude / "settings.json", command, hooks),
        claude_settings.server_part(agents.claude_state, command),
        *command_files.parts(agents.claude),
        OwnFile(
            agent=OPENCODE,
            path=agents.opencode / "plugin" / "wm.js",
            content=opencode_plugin(template, command, hooks).encode(),
            mark=b"wm for OpenCode",
            purpose="the plugin: it brings memory into a session and records it",
        ),
        *other_agents.parts(agents.others, command, hooks, _read_quietly),
        *services.parts(kind, agents, paths, command),
        LearnOption(
            agent=LEARNING,
            path=paths.config,
            purpose="what happens to a sentence that you say in passing and mean to last",
        ),
    )


def opencode_plugin(template: Path, command: WmCommand, hooks: HookSettings) -> str:
    """The text of the OpenCode plugin for this installation."""
    named = {
        f"wm:{one.name}": {"template": one.template, "description": one.description}
        for one in command_files.commands()
    }
    return bake(template.read_text("utf-8"), __version__, command, hooks, named)


def _is_installed(agent: str, paths: AgentPaths) -> bool:
    folders = {CLAUDE_CODE: paths.claude, OPENCODE: paths.opencode, **paths.others}
    folder = folders[agent]
    program = PROGRAMS[agent]
    # os.path.isfile is False inside a folder without permission; pathlib raises there.
    return os.path.isdir(folder) or any(
        os.access(place / program, os.X_OK) and os.path.isfile(place / program)
        for place in paths.search
    )


def _read(path: Path) -> bytes | None:
    try:
        if path.is_dir():
            raise UserError.of("setup.is_folder", path=path)
        if path.exists() and not path.is_file():
            # Reading a pipe would block until a writer comes.
            raise UserError.of("setup.no_regular_file", path=path)
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UserError.of("setup.unreadable", path=path, why=error.strerror) from error


def _read_quietly(path: Path) -> bytes | None:
    """The content of a file that another part refuses if it cannot be read."""
    with contextlib.suppress(UserError):
        return _read(path)
    return None


def _missing(folder: Path) -> Iterator[Path]:
    """The folders that are missing, the outermost last."""
    while not os.path.exists(folder) and folder != folder.parent:
        yield folder
        folder = folder.parent


def _parse_record(path: Path, raw: bytes | None) -> SetupRecord:
    if raw is None:
        return SetupRecord()
    try:
        record = SetupRecord.model_validate_json(raw)
    except ValidationError as error:
        raise UserError.of("setup.damaged_record", path=path) from error
    if record.version > RECORD_VERSION:
        raise UserError.of("setup.newer_record", path=path, version=record.version)
    return record


# --- decide -------------------------------------------------------------------------------


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


# --- do -----------------------------------------------------------------------------------

Runner = Callable[[Sequence[str]], str]
"""Runs one command; "" or a sentence about what failed."""


def apply(plan: SetupPlan, run: Runner | None = None) -> Applied:
    """Carry a plan out. If the files of one agent cannot be written, the other agents are still set
    up, and the failure is in the problems. Raises UserError if a file changed since the plan was
    made, or if the record that undoes the plan cannot be written."""
    for change in plan.changes:
        if _read(change.path) != change.before:
            raise UserError.of("setup.file_changed", path=change.path)
    run = run or run_command
    problems = [run(words) for words in plan.first]
    changed: list[Path] = []
    failed: set[str] = set()
    for change in plan.changes:
        if failed and change.agent in ("", *failed):
            continue  # the record, written last by unsetup, still undoes what is left
        try:
            _carry_out(change)
        except UserError as error:
            if not change.agent:
                raise
            failed.add(change.agent)
            problems.append(f"{change.agent}: {error.message} {error.fix}")
            continue
        changed.append(change.path)
    if SERVICE not in failed:
        problems += [run(words) for words in plan.last]
    return Applied(
        changed=tuple(changed), problems=tuple(problem for problem in problems if problem)
    )


def _carry_out(change: FileChange) -> None:
    # A symbolic link belongs to the user: its target is written or removed, never the link.
    target = Path(os.path.realpath(change.path))
    try:
        if change.after is not None:
            for folder in reversed(change.make):
                folder.mkdir(mode=0o700, exist_ok=True)
            _replace(target, change.after)
            return
        target.unlink(missing_ok=True)
    except OSError as error:
        raise UserError.of("setup.unwritable", path=change.path, why=error.strerror) from error
    _drop_folders(change.drop)


def _new_of(path: Path) -> Path:
    """Where the new content of a file is written first. The path is fixed, so that the next run
    finds and removes what a killed run left."""
    target = Path(os.path.realpath(path))
    return target.with_name(f".{target.name}.wm-new")


def _replace(path: Path, content: bytes) -> None:
    """Replace a file atomically and keep its mode; the caller has resolved symbolic links."""
    mode = path.stat().st_mode & 0o777 if path.exists() else PRIVATE_FILE
    new = _new_of(path)
    new.unlink(missing_ok=True)
    handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE_FILE)
    try:
        with os.fdopen(handle, "wb") as file:
            os.fchmod(file.fileno(), mode)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(new)
        raise


def _drop_folders(folders: Iterable[Path]) -> None:
    for folder in folders:
        try:
            folder.rmdir()
        except FileNotFoundError:
            continue
        except OSError:
            return  # not empty: it contains other files by now


def run_command(words: Sequence[str]) -> str:
    """Run a command of the service manager; return a sentence if it failed."""
    shown = " ".join(words)
    try:
        done = subprocess.run(
            list(words), capture_output=True, timeout=COMMAND_WAIT_S, check=False, text=True
        )
    except FileNotFoundError:
        return f"`{words[0]}` is not installed, so `{shown}` was not run."
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"`{shown}` failed: {error}."
    if done.returncode == 0:
        return ""
    errors = done.stderr.strip().splitlines()
    why = f": {errors[-1]}" if errors else ""
    return f"`{shown}` failed with exit code {done.returncode}{why}."
