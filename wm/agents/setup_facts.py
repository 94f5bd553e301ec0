"""What `wm setup` knows of this machine: the agents that are here, their files, and its own record.

`look` reads, and changes nothing. `setup.json` is the record (0600, because settings contain
tokens): what the files contained before, so that unsetup restores the same bytes.
"""

from __future__ import annotations

import base64
import contextlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct, field
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
    record_bytes = read(agents.record)
    every = [script.path, *(part.path for part in parts), agents.record]
    files: dict[Path, bytes | None] = {}
    cut: dict[Path, bytes] = {}
    blocked: dict[Path, UserError] = {}
    for path in every:
        try:
            files[path] = read(path)
            if (raw := read(new := new_path(path))) is not None:
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


def read(path: Path) -> bytes | None:
    """The content of a file; None if there is none. Raises UserError if it cannot be read."""
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
        return read(path)
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


def new_path(path: Path) -> Path:
    """Where the new content of a file is written first. The path is fixed, so that the next run
    finds and removes what a killed run left."""
    target = Path(os.path.realpath(path))
    return target.with_name(f".{target.name}.wm-new")
