"""The daemon under a service manager: systemd's user units, launchd's agent (IF-6).

Pure. systemd owns the socket and starts the daemon at the first connection, so the daemon may exit
when idle and login does not wait for it. launchd passes sockets through an API that the daemon does
not support, so launchd keeps the daemon running.
"""

from __future__ import annotations

from enum import Enum
from html import escape
from pathlib import Path
from string import Template

from wm.agents.hook_lines import WmCommand
from wm.agents.parts import OwnFile
from wm.settings import AgentPaths, Paths

LABEL = "io.github.wm-memory.wm"
MARK = "written by wm setup"

Commands = tuple[tuple[str, ...], ...]


class ServiceKind(Enum):
    SYSTEMD = "systemd"
    LAUNCHD = "launchd"
    NONE = "none"


def kind_of(platform: str) -> ServiceKind:
    """The service manager for a value of `sys.platform`."""
    if platform.startswith("linux"):
        return ServiceKind.SYSTEMD
    return ServiceKind.LAUNCHD if platform == "darwin" else ServiceKind.NONE


def parts(
    kind: ServiceKind, agents: AgentPaths, paths: Paths, command: WmCommand
) -> tuple[OwnFile, ...]:
    """The unit files of this machine."""
    if kind is ServiceKind.SYSTEMD:
        texts = {
            agents.systemd / "wm.socket": (socket_unit(agents, paths), "the socket of the daemon"),
            agents.systemd / "wm.service": (service_unit(paths, command), "how it is started"),
        }
    elif kind is ServiceKind.LAUNCHD:
        kept = launch_agent(paths, command), "how the daemon is started"
        texts = {agents.launchd / f"{LABEL}.plist": kept}
    else:
        texts = {}
    return tuple(
        OwnFile(
            agent="service", path=path, content=text.encode(), mark=MARK.encode(), purpose=purpose
        )
        for path, (text, purpose) in texts.items()
    )


def socket_unit(agents: AgentPaths, paths: Paths) -> str:
    """`wm.socket`: the path of ID-1, relative to the runtime folder if it is inside that."""
    path = _percent(str(paths.socket))
    if agents.runtime and paths.socket.is_relative_to(agents.runtime):
        path = "%t/" + _percent(str(paths.socket.relative_to(agents.runtime)))
    return _filled("wm.socket", path=path)


def service_unit(paths: Paths, command: WmCommand) -> str:
    """`wm.service`: started by its socket only."""
    start = " ".join(_quoted(word) for word in (*command.wm, "daemon"))
    places = "".join(
        f"Environment={_quoted(f'{name}={value}', in_command=False)}\n"
        for name, value in _environment(paths).items()
    )
    return _filled("wm.service", start=start, places=places)


def launch_agent(paths: Paths, command: WmCommand) -> str:
    """The property list of a launchd agent."""
    words = "".join(f"    <string>{_xml(word)}</string>\n" for word in (*command.wm, "daemon"))
    places = "".join(
        f"    <key>{_xml(name)}</key>\n    <string>{_xml(value)}</string>\n"
        for name, value in _environment(paths).items()
    )
    return _filled("launchd.plist", label=LABEL, words=words, places=places)


def _xml(text: str) -> str:
    # Not xml.sax.saxutils: that imports urllib and ssl, a tenth of the start of `wm status`.
    return escape(text, quote=False)


def _filled(template: str, **values: str) -> str:
    """A file of the folder `units` with these values."""
    text = Path(__file__).with_name("units").joinpath(template).read_text("utf-8")
    return Template(text).substitute(mark=MARK, **values)


def enable(kind: ServiceKind) -> Commands:
    """The commands that load new unit files."""
    if kind is ServiceKind.SYSTEMD:
        return (
            ("systemctl", "--user", "daemon-reload"),
            ("systemctl", "--user", "enable", "--now", "wm.socket"),
        )
    if kind is ServiceKind.LAUNCHD:
        plist = f'"$HOME/Library/LaunchAgents/{LABEL}.plist"'
        return (("sh", "-c", f'launchctl bootstrap "gui/$(id -u)" {plist}'),)
    return ()


def disable(kind: ServiceKind) -> tuple[Commands, Commands]:
    """The commands to run before the unit files are removed, and after."""
    if kind is ServiceKind.SYSTEMD:
        return (
            (("systemctl", "--user", "disable", "--now", "wm.socket", "wm.service"),),
            (("systemctl", "--user", "daemon-reload"),),
        )
    if kind is ServiceKind.LAUNCHD:
        return ((("sh", "-c", f'launchctl bootout "gui/$(id -u)/{LABEL}"'),), ())
    return ((), ())


def _environment(paths: Paths) -> dict[str, str]:
    """The environment, written out: a service manager does not have the login shell's."""
    return {"WM_HOME": str(paths.home), "WM_SOCKET": str(paths.socket)}


def _percent(text: str) -> str:
    return text.replace("%", "%%")


def _quoted(word: str, *, in_command: bool = True) -> str:
    """Quote one word of a unit file: specifiers and, in a command, variables are literal."""
    text = _percent(word).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text.replace("$", "$$") if in_command else text}"'
