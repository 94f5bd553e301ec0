"""Read config.toml once at the start of a process. No other module reads it.

An invalid config.toml does not stop the program: a typing error must not cost what a user asked
to remember. The defaults apply then, and whatever needs the user's consent is off.
"""

import errno
import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from wm.errors import UserError
from wm.settings.daemon import DaemonSettings, HookSettings, ToolSettings
from wm.settings.environment import Paths, find_paths
from wm.settings.helper import HelperSettings
from wm.settings.memory import LEARN_INBOX, GateSettings, MemorySettings, OriginSettings
from wm.settings.page import PageSettings
from wm.settings.project import BudgetSettings, ContractSettings, ImportSettings, TeamSettings
from wm.settings.proxy import PriceSettings, ProxySettings
from wm.settings.pruning import PruningSettings
from wm.settings.recall import RecallSettings
from wm.settings.schema import check_value, options_of
from wm.settings.session import CoreSettings, PressureSettings, SessionSettings, WorkingSettings
from wm.settings.store import StorageSettings, StoreSettings


class Settings(Struct, frozen=True, eq=False):
    """All settings of a process.

    config_error: why config.toml cannot be used, so that the defaults apply. config_warning: which
    of its options are ignored, or "". learn_set_by: what `memory.learn` comes from: "config.toml",
    "upgrade" (wm was set up before it learned in passing, without a choice), or "default".
    """

    paths: Paths
    store: StoreSettings = StoreSettings()
    memory: MemorySettings = MemorySettings()
    gate: GateSettings = GateSettings()
    session: SessionSettings = SessionSettings()
    core: CoreSettings = CoreSettings()
    working: WorkingSettings = WorkingSettings()
    origin: OriginSettings = OriginSettings()
    pressure: PressureSettings = PressureSettings()
    budget: BudgetSettings = BudgetSettings()
    daemon: DaemonSettings = DaemonSettings()
    hooks: HookSettings = HookSettings()
    recall: RecallSettings = RecallSettings()
    contract: ContractSettings = ContractSettings()
    imports: ImportSettings = ImportSettings()
    team: TeamSettings = TeamSettings()
    tools: ToolSettings = ToolSettings()
    proxy: ProxySettings = ProxySettings()
    helper: HelperSettings = HelperSettings()
    prices: PriceSettings = PriceSettings()
    storage: StorageSettings = StorageSettings()
    pruning: PruningSettings = PruningSettings()
    page: PageSettings = PageSettings()
    config_error: UserError | None = None
    config_warning: str = ""
    learn_set_by: str = "default"

    @property
    def config_notice(self) -> str:
        """The text about config.toml for a log or a prompt, "" if it is valid. It quotes no value,
        which may be a secret."""
        error = self.config_error
        if error is None:
            return ""
        line = re.search(r"line \d+", f"{error.message} {error.fix}")
        place = f" ({line[0]})" if line else ""
        return (
            f"{self.paths.config} cannot be used{place}, so the defaults apply and every "
            "option that needs your consent is off. `wm config` says what is wrong."
        )


SECTIONS: dict[str, type[Any]] = {
    name: type(default)
    for name, default in zip(
        Settings.__struct_fields__[1:], Settings.__struct_defaults__, strict=True
    )
    if isinstance(default, Struct)
}
"""Every section by name, also one whose figures are all fixed."""

CONFIGURABLE = tuple(name for name, kind in SECTIONS.items() if options_of(kind))
"""The sections of config.toml."""


def load(env: Mapping[str, str] | None = None) -> Settings:
    """Read environment and config.toml once.

    If config.toml cannot be used, `config_error` names file, line, option and what to do.
    Raises UserError for an invalid environment only.
    """
    settings = Settings(paths=find_paths() if env is None else find_paths(env))
    try:
        text = _read(settings.paths.config)
        given = _parse(text, settings.paths.config)
        return _with_learning(apply_config(settings, given, text=text), given)
    except UserError as error:
        return without_consent(replace(settings, config_error=error))


def _with_learning(settings: Settings, given: Mapping[str, Any]) -> Settings:
    """Where config.toml chooses no mode of learning, an installation from before waits for the
    person's choice: what it learns in passing goes to the inbox (EX-7)."""
    if "learn" in given.get("memory", {}):
        return replace(settings, learn_set_by="config.toml")
    if not os.path.lexists(settings.paths.config.with_name("setup.json")):
        return settings
    return replace(
        settings, memory=replace(settings.memory, learn=LEARN_INBOX), learn_set_by="upgrade"
    )


def without_consent(settings: Settings) -> Settings:
    """Return the same settings with everything off that needs the user's consent. Off never grants
    more than the last loaded settings did, so no earlier settings need to be kept."""
    changed: dict[str, Any] = {}
    for name, kind in SECTIONS.items():
        section = getattr(settings, name)
        wanting = [n for n, about in options_of(kind).items() if about.needs_consent]
        changed[name] = replace(section, **{n: type(getattr(section, n))() for n in wanting})
    return replace(settings, **changed)


def _read(path: Path) -> str:
    """Return the text of config.toml, "" if there is none. Raises UserError."""
    try:
        mode = os.stat(path).st_mode
        if not stat.S_ISREG(mode):  # reading a FIFO would wait for a writer
            raise OSError(errno.EINVAL, "Is a directory" if stat.S_ISDIR(mode) else "Not a file")
        return path.read_text("utf-8-sig")  # some editors put a byte order mark first
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UserError.of("config.unreadable", path=path, reason=reason) from error


def _parse(text: str, path: Path) -> dict[str, Any]:
    if not text:
        return {}
    import tomllib  # here, not above: it slows every start, and few users have the file

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError also: too many digits
        reason = "too deeply nested" if isinstance(error, RecursionError) else error
        place = "" if "line" in str(error) else f" (line {text.count(chr(10)) + 1})"
        raise UserError.of("config.not_toml", path=path, reason=reason, place=place) from error


def apply_config(
    settings: Settings, data: Mapping[str, Any], *, where: str = "", text: str = ""
) -> Settings:
    """Return the settings with the options of a parsed config.toml. Raises UserError (IF-8).

    where: the file's name for messages. text: the parsed text, to find the line of a mistake.
    """
    config = _Config(where or str(settings.paths.config), text)
    changed = {}
    for name, given in data.items():
        if name not in SECTIONS:
            fix = f"Sections are: {', '.join(CONFIGURABLE)}."
            raise config.mistake(f"there is no section [{name}].", fix, name)
        if not isinstance(given, dict):
            raise config.mistake(f"{name} is not a section.", f"Begin it with [{name}].", name)
        changed[name] = config.section(name, getattr(settings, name), given)
    made = replace(settings, **changed, config_warning=config.warning())
    for trigger in made.gate.triggers:
        if trigger.type not in ("", *made.memory.types):
            message = f"[gate] triggers ({trigger.name}): type is {trigger.type!r}."
            fix = f"Types are: {', '.join(made.memory.types)}; memory.type_caps adds others."
            raise config.mistake(message, fix, "gate", "triggers")
    return made


class _Config:
    """One config.toml while it is read: its name and text for messages, and its ignored options."""

    def __init__(self, where: str, text: str) -> None:
        self._where = where
        self._text = text
        self._ignored: list[str] = []

    def section(self, name: str, section: Any, given: Mapping[str, Any]) -> Any:
        """Return a section with the given options. Raises UserError."""
        import difflib  # here, not above: few users have the file

        known, values = options_of(section), {}
        for option, value in given.items():
            if option in known:
                about, default = known[option], getattr(section, option)
                at = f"{self._where}: [{name}] {option}"
                try:
                    values[option] = check_value(value, default, about, at)
                except UserError as error:
                    error.fix += self._line(name, option)
                    raise
            elif removed := _removed(f"{name}.{option}"):
                self._ignored.append(removed)
            else:
                near = "".join(difflib.get_close_matches(option, known, 1))
                meant = f" Did you mean {near}?" if near else ""
                fix = f"Options are: {', '.join(known)}.{meant}"
                raise self.mistake(f"[{name}] has no option {option!r}.", fix, name, option)
        return replace(section, **values)

    def mistake(self, message: str, fix: str, section: str, option: str = "") -> UserError:
        return UserError(f"{self._where}: {message}", fix=fix + self._line(section, option))

    def warning(self) -> str:
        """One sentence about all options that no longer exist; "" if there are none."""
        if not self._ignored:
            return ""
        names = ", ".join(self._ignored)
        return f"{self._where}: these options are ignored and can be removed: {names}."

    def _line(self, section: str, option: str) -> str:
        """Return the line of a mistake, in words; "" if it is not found: tomllib keeps no line
        numbers."""
        header = rf"^\s*\[+\s*{re.escape(section)}"
        name = re.escape(option)
        patterns = (
            rf"{header}\s*\].*?^\s*[\"']?{name}\b",
            rf"{header}\.{name}\b",
            rf"{header}\b|^\s*{re.escape(section)}\b",  # without an option: the section's line
        )
        for pattern in patterns if option else patterns[2:]:
            if found := re.search(pattern, self._text, re.MULTILINE | re.DOTALL):
                return f" (line {self._text.count(chr(10), 0, found.end()) + 1})"
        return ""


def _removed(name: str) -> str:
    """Return what replaces an option of an earlier version; "" for any other name."""
    table = Path(__file__).with_name("removed.txt").read_text("utf-8")
    for line in table.splitlines():
        old, _, new = line.partition(" ")
        if old == name:
            return f"{name} (use {new})" if new else f"{name} (its value is fixed now)"
    return ""
