"""Wire the agents of this machine to `wm`, and undo it (IF-5, IF-6).

`look` reads, `plan_setup` and `plan_unsetup` decide from what was read, `apply` writes. A plan
holds every file as it is and as it will be; nothing here prints.

Files of the user's are edited as text and keep every byte that is not ours. What they were
before is kept in the record (`setup.json`, 0600: settings hold tokens), so that unsetup gives
the very bytes back; where the user changed a file since, only our own parts leave it.

Rules: a file that cannot be understood is refused and left alone. The record is written before
the files on the way in and after them on the way out, so that a crash between two writes can
be undone. A second run has nothing to do.
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
from pydantic import BaseModel, ConfigDict, ValidationError

from wm import __version__
from wm.agents import claude_mcp, claude_settings, services
from wm.agents.claude_hooks import Command
from wm.agents.parts import OwnFile, Part, bake
from wm.errors import UserError
from wm.settings import AgentPaths, HookSettings, Paths

CLAUDE_CODE = "claude-code"
OPENCODE = "opencode"
SERVICE = "service"
AGENTS = (CLAUDE_CODE, OPENCODE)
PROGRAMS = {CLAUDE_CODE: "claude", OPENCODE: "opencode"}

RECORD_VERSION = 1
PRIVATE_FILE = 0o600
COMMAND_WAIT_S = 20.0


# --- what is known ------------------------------------------------------------------------


class KeptFile(BaseModel):
    """What is kept of one file: how to undo what was done to it.

    original: the bytes before us as base64; None: there was no file. written: sha256 of what
    we wrote (the last two, because a crash may leave the former). made: folders that we made.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    agent: str
    original: str | None = None
    written: tuple[str, ...] = ()
    made: tuple[str, ...] = ()

    @property
    def original_bytes(self) -> bytes | None:
        return None if self.original is None else base64.b64decode(self.original)


class Record(BaseModel):
    """`setup.json`: what setup changed, by path. made: folders made for the record itself."""

    model_config = ConfigDict(frozen=True, extra="allow")

    version: int = RECORD_VERSION
    made: tuple[str, ...] = ()
    files: dict[str, KeptFile] = {}


class Facts(Struct, frozen=True):
    """The machine as `look` found it: the only input of a plan.

    found: agents whose program or folder is there. files: content by path, None for no file.
    missing: folders that a new file would need made. service: unit files fit this machine.
    cut: half-written files of a run that was killed, with what they hold. blocked: files of
    agents that cannot be read, with the sentence that says why; these are not in `files`.
    """

    found: tuple[str, ...]
    parts: tuple[Part, ...]
    files: Mapping[Path, bytes | None]
    missing: Mapping[Path, tuple[Path, ...]]
    record_path: Path
    record: Record
    record_bytes: bytes | None
    service: services.Kind
    cut: Mapping[Path, bytes] = field(default_factory=dict)
    blocked: Mapping[Path, UserError] = field(default_factory=dict)

    def current(self, part: Part) -> bytes | None:
        """What stands in the part's file. Raises UserError where that cannot be read."""
        if part.path in self.blocked:
            raise self.blocked[part.path]
        return self.files[part.path]


class FileChange(Struct, frozen=True):
    """One file as it is and as it will be; None: no file. private: not to be shown. purpose: what
    a file of ours alone is for; it is the same everywhere, so a word about it does for its text.
    """

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
        """A unified diff; "" for a file that is not shown."""
        return "" if self.private else _diff(self.path, self.before, self.after)


class Plan(Struct, frozen=True):
    """What will be done, in this order: `first`, then the changes, then `last`.

    notes: sentences that the person should read. first, last: commands, best effort.
    refused: agents that are left as they are, each with the sentence that says why.
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
    """changed: files written or removed. problems: sentences about what failed: a command, or the
    files of one agent, while those of the others were written."""

    changed: tuple[Path, ...] = ()
    problems: tuple[str, ...] = ()


# --- look ---------------------------------------------------------------------------------


def look(
    agents: AgentPaths, paths: Paths, command: Command, hooks: HookSettings, platform: str
) -> Facts:
    """Read everything a plan needs. Raises UserError for a record that cannot be used."""
    kind = services.kind_of(platform)
    template = Path(__file__).with_name("opencode") / "wm.js"
    parts: tuple[Part, ...] = (
        claude_settings.part(agents.claude / "settings.json", command, hooks),
        claude_mcp.part(agents.claude_state, command),
        OwnFile(
            OPENCODE,
            agents.opencode / "plugin" / "wm.js",
            bake(template.read_text("utf-8"), __version__, command, hooks).encode(),
            mark=b"wm for OpenCode",
            purpose="wm's plugin for OpenCode",
        ),
        *services.parts(kind, agents, paths, command),
    )
    record_bytes = _read(agents.record)
    every = [*(part.path for part in parts), agents.record]
    files: dict[Path, bytes | None] = {}
    cut: dict[Path, bytes] = {}
    blocked: dict[Path, UserError] = {}
    for path in every:
        try:
            files[path] = _read(path)
            if (raw := _read(new := _new_of(path))) is not None:
                cut[new] = raw
        except UserError as error:
            # The files of the other agents do not wait for this one.
            blocked[path] = error
    return Facts(
        found=tuple(agent for agent in AGENTS if _is_there(agent, agents)),
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


def _is_there(agent: str, paths: AgentPaths) -> bool:
    folder = paths.claude if agent == CLAUDE_CODE else paths.opencode
    program = PROGRAMS[agent]
    # os.path takes a folder that may not be looked into for one without it; pathlib raises.
    return os.path.isdir(folder) or any(
        os.access(place / program, os.X_OK) and os.path.isfile(place / program)
        for place in paths.search
    )


def _read(path: Path) -> bytes | None:
    try:
        if path.is_dir():
            raise UserError(
                f"{path} is a folder, where a file belongs.", fix="Move it away, then run it again."
            )
        if path.exists() and not path.is_file():
            # To read a pipe would be to wait for its writer.
            raise UserError(f"{path} is no file.", fix="Move it away, then run it again.")
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UserError(
            f"{path} cannot be read: {error.strerror}.", fix="Mend that, then run it again."
        ) from error


def _missing(folder: Path) -> Iterator[Path]:
    """The folders that would have to be made, the outermost last."""
    while not os.path.exists(folder) and folder != folder.parent:
        yield folder
        folder = folder.parent


def _parse_record(path: Path, raw: bytes | None) -> Record:
    if raw is None:
        return Record()
    try:
        record = Record.model_validate_json(raw)
    except ValidationError as error:
        raise UserError(
            f"{path}, which setup keeps to undo itself, is damaged.",
            fix="Move it away; unsetup then takes out wm's own parts, but cannot restore bytes.",
        ) from error
    if record.version > RECORD_VERSION:
        raise UserError(
            f"{path} was written by a newer wm (version {record.version}).",
            fix="Run setup and unsetup with that wm.",
        )
    return record


# --- decide -------------------------------------------------------------------------------


def plan_setup(facts: Facts, *, agents: Sequence[str] = (), service: bool = False) -> Plan:
    """Wire these agents (default: those found), and the service manager if asked.

    An agent whose settings cannot be understood is left as it is, and named; the others are
    wired. Raises UserError where that leaves nobody.
    """
    chosen = tuple(agents) or facts.found
    notes = [] if chosen else ["No agent was found: neither claude nor opencode is installed."]
    if service and facts.service is services.Kind.NONE:
        notes.append("This system has neither systemd nor launchd; no service was set up.")
    parts = [
        part
        for part in facts.parts
        if part.agent in chosen
        or (part.agent == SERVICE and (service or part.is_ours(facts.files.get(part.path) or b"")))
    ]
    changes: list[FileChange] = []
    files = dict(facts.record.files)
    refused: dict[str, UserError] = {}
    for agent, own in groupby(parts, key=lambda part: part.agent):
        try:
            wired = [(part, *_wire(facts, part)) for part in own]
        except UserError as error:
            refused[agent] = error
            continue
        for part, kept, change, note in wired:
            files[str(part.path)] = kept
            changes += [change] if change else []
            notes += [note] if note else []
    if refused and len(refused) == len({part.agent for part in parts}):
        raise next(iter(refused.values()))
    record = _record_change(facts, facts.record.model_copy(update={"files": files}))
    touched = any(change.agent == SERVICE for change in changes)
    return Plan(
        changes=(*_cleared(facts), *record, *changes),
        notes=tuple(notes),
        last=services.enable(facts.service) if touched else (),
        refused=_sentences(refused),
    )


def _sentences(refused: Mapping[str, UserError]) -> dict[str, str]:
    return {
        agent: f"{agent} is left as it is: {error.message} {error.fix}".strip()
        for agent, error in refused.items()
    }


def _wire(facts: Facts, part: Part) -> tuple[KeptFile, FileChange | None, str]:
    current = facts.current(part)
    kept = facts.record.files.get(str(part.path))
    if current is not None and part.is_current(current):
        if kept is None:
            base = part.without(current, None)
            kept = _kept(part, base, current, ())
        return kept, None, part.remark(current)
    note = ""
    if kept is not None and current is not None and _sha(current) in kept.written:
        base = kept.original_bytes
    elif current is not None and part.is_ours(current):
        base = part.without(current, kept.original_bytes if kept else None)
        if isinstance(part, OwnFile) and kept is not None:
            note = f"{part.path} was changed by hand; setup writes it anew."
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
    return _kept(part, base, after, earlier).model_copy(update={"made": made}), change, note


def _kept(part: Part, base: bytes | None, after: bytes, earlier: tuple[str, ...]) -> KeptFile:
    original = None if base is None else base64.b64encode(base).decode("ascii")
    return KeptFile(agent=part.agent, original=original, written=(*earlier, _sha(after)))


def _cleared(facts: Facts) -> Iterator[FileChange]:
    for path, raw in facts.cut.items():
        yield FileChange(path=path, before=raw, after=None, say="clear", private=True)


def plan_unsetup(facts: Facts, *, agents: Sequence[str] = ()) -> Plan:
    """Undo setup for these agents (default: everything, the service too).

    An agent one of whose files cannot be read, or was changed since and cannot be understood, is
    left as it is, and named. Raises UserError where nothing else is to be done.
    """
    chosen = tuple(agents) or (*AGENTS, SERVICE)
    changes: list[FileChange] = []
    notes: list[str] = []
    files = dict(facts.record.files)
    refused: dict[str, UserError] = {}
    parts = [part for part in facts.parts if part.agent in chosen]
    for agent, own in groupby(parts, key=lambda part: part.agent):
        try:
            undone = [(part, *_unwire(facts, part, _kept_of(facts, part))) for part in own]
        except UserError as error:
            refused[agent] = error
            continue
        for part, change, note in undone:
            files.pop(str(part.path), None)
            changes += [change] if change else []
            notes += [note] if note else []
    if refused and not changes:
        raise next(iter(refused.values()))
    record = _record_change(facts, facts.record.model_copy(update={"files": files}))
    touched = any(change.agent == SERVICE for change in changes)
    first, last = services.disable(facts.service) if touched else ((), ())
    return Plan(
        changes=(*_cleared(facts), *changes, *record),
        notes=tuple(notes),
        first=first,
        last=last,
        refused=_sentences(refused),
    )


def _kept_of(facts: Facts, part: Part) -> KeptFile | None:
    return facts.record.files.get(str(part.path))


def _unwire(facts: Facts, part: Part, kept: KeptFile | None) -> tuple[FileChange | None, str]:
    if kept is None and part.path in facts.blocked and os.path.isdir(part.path):
        return None, ""  # a folder holds nothing of ours
    current = facts.current(part)
    made = tuple(Path(folder) for folder in kept.made) if kept else ()
    if current is None:
        # A run that was killed, or the user, took the file and left our folders.
        if not set(made) - set(facts.missing[part.path]):
            return None, ""
        say = "remove the folder of"
        return FileChange(part.path, None, None, agent=part.agent, say=say, drop=made), ""
    note = ""
    if kept is not None and _sha(current) in kept.written:
        after = kept.original_bytes
    elif part.is_ours(current):
        after = part.without(current, kept.original_bytes if kept else None)
        if kept is not None:
            note = f"{part.path} was changed since setup: only what wm had put there is taken out."
    else:
        return None, ""
    if after == current:
        return None, ""  # what stands there under our name is the user's
    change = FileChange(
        path=part.path,
        before=current,
        after=after,
        agent=part.agent,
        say="restore" if after is not None else "remove",
        purpose=part.purpose,
        drop=made if after is None else (),
    )
    return change, note


def _record_change(facts: Facts, record: Record) -> tuple[FileChange, ...]:
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
            say="keep what undoes this" if record.files else "remove",
            private=True,
            make=made,
            drop=tuple(Path(folder) for folder in record.made) if after is None else (),
        ),
    )


class State:
    """How an agent is wired, for `wm doctor` and `wm status`."""

    ABSENT = "absent"
    CURRENT = "current"
    STALE = "stale"
    BLOCKED = "blocked"


def states(facts: Facts) -> dict[str, str]:
    """Each agent that is found or wired, and whether its wiring is this version's."""
    found: dict[str, str] = dict.fromkeys(facts.found, State.ABSENT)
    wired: dict[str, list[tuple[bool, bool]]] = {}
    for part in facts.parts:
        with contextlib.suppress(UserError):
            current = facts.current(part) or b"{}"
            state = part.is_ours(current), part.is_current(current)
            wired.setdefault(part.agent, []).append(state)
    for agent, parts in wired.items():
        if any(ours for ours, _ in parts):
            whole = all(now for _, now in parts)
            found[agent] = State.CURRENT if whole else State.STALE
    return {**found, **dict.fromkeys(blocked(facts), State.BLOCKED)}


def blocked(facts: Facts) -> dict[str, UserError]:
    """The agents found here one of whose files setup would refuse, with what it would say."""
    said: dict[str, UserError] = {}
    for part in facts.parts:
        if part.agent in facts.found:
            try:
                _wire(facts, part)
            except UserError as error:
                said[part.agent] = error
    return said


def remarks(facts: Facts) -> dict[str, str]:
    """The agents that are wired in part, because something of the user's stands in the way."""
    said: dict[str, str] = {}
    for part in facts.parts:
        with contextlib.suppress(UserError):
            if remark := part.remark(facts.current(part) or b"{}"):
                said[part.agent] = remark
    return said


def _sha(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


def _diff(path: Path, before: bytes | None, after: bytes | None) -> str:
    old = (before or b"").decode("utf-8", "replace").splitlines(keepends=True)
    new = (after or b"").decode("utf-8", "replace").splitlines(keepends=True)
    lines = difflib.unified_diff(
        old,
        new,
        "/dev/null" if before is None else str(path),
        "/dev/null" if after is None else str(path),
    )
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


# --- do -----------------------------------------------------------------------------------

Runner = Callable[[Sequence[str]], str]
"""Runs one command; "" or a sentence about what failed."""


def apply(plan: Plan, run: Runner | None = None) -> Applied:
    """Carry a plan out. An agent whose files cannot be written does not keep the others waiting:
    what failed is in the problems. Raises UserError where a file is no longer as the plan saw it,
    or where the record that undoes this cannot be written."""
    for change in plan.changes:
        if _read(change.path) != change.before:
            raise UserError(
                f"{change.path} was changed while setup was at work.", fix="Run it again."
            )
    run = run or run_command
    problems = [run(words) for words in plan.first]
    changed: list[Path] = []
    failed: set[str] = set()
    for change in plan.changes:
        if failed and change.agent in ("", *failed):
            continue  # the record, which comes last on the way out, still undoes what is left
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
    # A link is the user's: what it leads to is written, and is what goes again.
    target = Path(os.path.realpath(change.path))
    try:
        if change.after is not None:
            for folder in reversed(change.make):
                folder.mkdir(mode=0o700, exist_ok=True)
            _replace(target, change.after)
            return
        target.unlink(missing_ok=True)
    except OSError as error:
        raise UserError(
            f"{change.path} cannot be written: {error.strerror}.",
            fix="Mend that, then run it again; what was done so far can be undone.",
        ) from error
    _drop_folders(change.drop)


def _new_of(path: Path) -> Path:
    """Where the new content of a file is written first: always there, so that what a killed run
    left is found, and cleared, by the next."""
    target = Path(os.path.realpath(path))
    return target.with_name(f".{target.name}.wm-new")


def _replace(path: Path, content: bytes) -> None:
    """A whole file or the old one, with the old one's mode; links are followed before."""
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
            return  # somebody else's files live there by now


def run_command(words: Sequence[str]) -> str:
    """Run a command of the service manager; a sentence where it failed."""
    shown = " ".join(words)
    try:
        done = subprocess.run(
            list(words), capture_output=True, timeout=COMMAND_WAIT_S, check=False, text=True
        )
    except FileNotFoundError:
        return f"`{words[0]}` is not there, so `{shown}` was not run."
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"`{shown}` did not work: {error}."
    if done.returncode == 0:
        return ""
    said = done.stderr.strip().splitlines()
    return f"`{shown}` ended with {done.returncode}{': ' + said[-1] if said else ''}."
