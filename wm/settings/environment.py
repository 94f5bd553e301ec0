"""Read the environment: paths, the current session, the network, the limit of open files.

The only module that reads the environment, except the hook client, which may not import it.
"""

import os
import resource
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from msgspec import Struct, field

from wm.errors import UserError

SOCKET_LIMIT = 103 if sys.platform == "darwin" else 107
"""Longest socket path in bytes (ID-1): the size of sun_path less its terminator."""

DAEMON_ENVIRONMENT = (
    "HOME", "PATH", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "PYTHONPATH",
    "LD_LIBRARY_PATH",
)  # fmt: skip
"""Variables that a daemon started in the background inherits, besides WM_*, XDG_* and LC_*. An
agent's environment is full of secrets that the daemon does not need."""

NUMERIC_THREADS = "OPENBLAS_NUM_THREADS"
TOKENIZING_THREADS = "TOKENIZERS_PARALLELISM"


class Paths(Struct, frozen=True, eq=False):
    """The paths of `wm` on this machine (SPEC ID-1). All absolute."""

    home: Path
    socket: Path
    config: Path
    cache: Path


class AgentPaths(Struct, frozen=True, eq=False):
    """Paths of the agents and the service manager that `wm setup` changes. All absolute.

    claude, opencode: the agents' own folders. claude_state: the file in which Claude Code keeps
    its state and the user's MCP servers. record: what setup stores in order to undo itself.
    script: what the hooks of all agents run. search: the folders searched for programs. runtime:
    XDG_RUNTIME_DIR or "". others: the own folders of further agents, by their names.
    """

    claude: Path
    claude_state: Path
    opencode: Path
    record: Path
    script: Path
    systemd: Path
    launchd: Path
    search: tuple[Path, ...] = ()
    runtime: str = ""
    others: Mapping[str, Path] = field(default_factory=dict)


class ForeignPaths(Struct, frozen=True, eq=False):
    """Paths of other programs' files that `wm import` reads. All absolute.

    data: the user's data folder, with the older plugin's store. claude, opencode: the agents'
    own folders, with the user's instruction files. others: as in `AgentPaths`.
    """

    data: Path
    claude: Path
    opencode: Path
    others: Mapping[str, Path] = field(default_factory=dict)


class AgentSession(Struct, frozen=True, eq=False):
    """The session and project folder that an agent names to a program it starts, or ""."""

    session: str = ""
    project: str = ""


class Network(Struct, frozen=True, eq=False):
    """The proxy settings of the environment."""

    proxy: str = ""
    no_proxy: str = ""
    ca_file: str = ""

    def __repr__(self) -> str:
        return "Network()"  # `proxy` may contain a password


class Desktop(Struct, frozen=True, eq=False):
    """Where a browser can be shown. graphical: on a screen of this machine. ssh_server: the address
    of this machine as the user's SSH client reached it, "" without SSH."""

    graphical: bool = False
    ssh_server: str = ""


def user_home(env: Mapping[str, str]) -> Path:
    """Return the user's home folder.

    Raises UserError if neither HOME nor the account gives an absolute one.
    """
    home = env.get("HOME", "")
    if not home:
        import pwd  # here, not above: HOME is nearly always set

        try:
            home = pwd.getpwuid(os.getuid()).pw_dir
        except KeyError:
            home = ""
    if not home.startswith("/"):
        raise UserError.of("environment.no_home")
    return Path(home)


def _folder(env: Mapping[str, str], name: str, default: str) -> Path:
    """Return the folder that a variable names, or `default` below the user's home."""
    named = env.get(name, "")
    return Path(named) if named.startswith("/") else user_home(env) / default


def _config_folder(env: Mapping[str, str]) -> Path:
    return _folder(env, "XDG_CONFIG_HOME", ".config")


def _data_folder(env: Mapping[str, str]) -> Path:
    return _folder(env, "XDG_DATA_HOME", ".local/share")


def _absolute_path(env: Mapping[str, str], name: str, fix: str) -> Path:
    path = Path(env[name])
    if not path.is_absolute():
        raise UserError(f"{name} is {str(path)!r}, which is not an absolute path.", fix=fix)
    return path


def find_paths(env: Mapping[str, str] = os.environ) -> Paths:
    """Resolve the four paths of ID-1 from the environment.

    Raises UserError for a relative WM_HOME or WM_SOCKET and for a socket path over the limit.
    """
    if env.get("WM_HOME"):
        fix = "Give an absolute path, for example $HOME/wm-data."
        home = _absolute_path(env, "WM_HOME", fix)
    else:
        home = _data_folder(env) / "wm"
    return Paths(
        home=home,
        socket=_socket_path(env, home),
        config=_config_folder(env) / "wm" / "config.toml",
        cache=_folder(env, "XDG_CACHE_HOME", ".cache") / "wm",
    )


def _socket_path(env: Mapping[str, str], home: Path) -> Path:
    runtime = env.get("XDG_RUNTIME_DIR", "")
    if env.get("WM_SOCKET"):
        path = _absolute_path(env, "WM_SOCKET", "Give the socket's absolute path.")
    elif runtime.startswith("/") and not env.get("WM_HOME"):
        path = Path(runtime) / "wm" / "wm.sock"
    else:
        # Each home has its own socket: two homes must never share a daemon.
        path = home / "run" / "wm.sock"
    length = len(os.fsencode(path))
    if length > SOCKET_LIMIT:
        raise UserError.of("socket.long_path", path=path, length=length, most=SOCKET_LIMIT)
    return path


def find_agent_paths(env: Mapping[str, str] = os.environ) -> AgentPaths:
    """Resolve the paths that `wm setup` needs. Raises UserError."""
    user, config = user_home(env), _config_folder(env)
    named = env.get("CLAUDE_CONFIG_DIR", "")
    own = Path(named) if named.startswith("/") else None
    folders = env.get("PATH", "").split(os.pathsep)
    return AgentPaths(
        claude=own or user / ".claude",
        claude_state=(own or user) / ".claude.json",
        opencode=config / "opencode",
        record=config / "wm" / "setup.json",
        script=config / "wm" / "hook.sh",
        systemd=config / "systemd" / "user",
        launchd=user / "Library" / "LaunchAgents",
        search=tuple(Path(folder) for folder in folders if folder.startswith("/")),
        runtime=env.get("XDG_RUNTIME_DIR", ""),
        others={
            "codex": _folder(env, "CODEX_HOME", ".codex"),
            "copilot": _folder(env, "COPILOT_HOME", ".copilot"),
            "cursor": user / ".cursor",
            "gemini": _folder(env, "GEMINI_CLI_HOME", ".") / ".gemini",
            "qwen": _folder(env, "QWEN_HOME", ".qwen"),
        },
    )


def find_foreign_paths(env: Mapping[str, str] = os.environ) -> ForeignPaths:
    """Resolve the paths of other programs' memory files. Raises UserError."""
    agents = find_agent_paths(env)
    return ForeignPaths(_data_folder(env), agents.claude, agents.opencode, agents.others)


def find_agent_session(env: Mapping[str, str] = os.environ) -> AgentSession:
    """Return the session that this process was started in; only Claude Code names it."""
    project = env.get("CLAUDE_PROJECT_DIR", "")
    return AgentSession(
        session=env.get("CLAUDE_CODE_SESSION_ID", ""),
        project=project if project.startswith("/") else "",
    )


def find_network(env: Mapping[str, str] = os.environ) -> Network:
    """Read the proxy variables as other programs do: lower-case names first."""

    def either(*names: str) -> str:
        found = (env.get(word) for name in names for word in (name, name.upper()))
        return next((value for value in found if value), "")

    return Network(
        proxy=either("https_proxy", "all_proxy"),
        no_proxy=either("no_proxy"),
        ca_file=env.get("NODE_EXTRA_CA_CERTS", ""),
    )


def find_helper_key(file: str, env: Mapping[str, str] = os.environ) -> str:
    """Return the key of the helper model: the first line of the file, or WM_HELPER_KEY if no file
    is named; "" if there is none. The client's own key is never used. Raises UserError."""
    if not file:
        return env.get("WM_HELPER_KEY", "").strip()
    path = Path(file).expanduser()
    try:
        with path.open(encoding="utf-8") as opened:
            return opened.readline(4096).strip()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise UserError.of("helper.unreadable_key", path=path, reason=reason) from error


def find_desktop(env: Mapping[str, str] = os.environ) -> Desktop:
    """Read whether there is a screen, and the SSH connection that this process runs in."""
    connection = env.get("SSH_CONNECTION", "").split()
    screen = bool(env.get("DISPLAY") or env.get("WAYLAND_DISPLAY")) or sys.platform == "darwin"
    ssh_server = connection[2] if len(connection) == 4 else ""
    return Desktop(graphical=screen and not ssh_server, ssh_server=ssh_server)


def environment() -> dict[str, str]:
    """Return the whole environment, for a child process."""
    return dict(os.environ)


def daemon_environment(env: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the environment for a daemon that is started in the background (F71)."""
    prefixes = ("WM_", "XDG_", "LC_")
    return {k: v for k, v in env.items() if k in DAEMON_ENVIRONMENT or k.startswith(prefixes)}


GIT_ENVIRONMENT = (
    "HOME", "PATH", "USER", "LOGNAME", "TMPDIR", "XDG_CONFIG_HOME", "SSH_AUTH_SOCK",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
    "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
)  # fmt: skip
"""Variables that a git command without a watching person inherits."""


def git_environment(
    *, quiet: bool, config: Mapping[str, str], env: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """Return the environment of a git command (SY-1). No variable of git itself is passed on: one
    of a surrounding hook would send the command to another repository. quiet: it runs in the
    background, so it must not ask for anything. config: settings that must not appear on the
    command line."""
    fixed = {
        "LC_ALL": "C",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh",
        "GIT_CONFIG_COUNT": str(len(config)),
    }
    for number, (name, value) in enumerate(config.items()):
        fixed |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    if not quiet:
        return {k: v for k, v in env.items() if not k.startswith("GIT_")} | fixed
    asks_nothing = {"GIT_TERMINAL_PROMPT": "0", "GIT_SSH_COMMAND": "ssh -o BatchMode=yes"}
    return {k: env[k] for k in GIT_ENVIRONMENT if k in env} | fixed | asks_nothing


def wants_colour(env: Mapping[str, str] = os.environ) -> bool:
    """Is colour allowed: NO_COLOR is unset and TERM is not `dumb` (IF-7)?"""
    return not env.get("NO_COLOR") and env.get("TERM") != "dumb"


def has_editor(env: Mapping[str, str] = os.environ) -> bool:
    """Did the user name an editor?"""
    return bool(env.get("VISUAL") or env.get("EDITOR"))


def activation(env: Mapping[str, str] = os.environ) -> int:
    """Return the number of sockets that a service manager passed, as descriptors from 3 on (IF-6).
    Reads LISTEN_PID and LISTEN_FDS as sd_listen_fds(3) does; those of another process do not count.
    """
    count = env.get("LISTEN_FDS", "")
    is_ours = env.get("LISTEN_PID") == str(os.getpid())
    return int(count) if is_ours and count.isdecimal() else 0


def forbid_telemetry() -> None:
    """Disable onnxruntime's telemetry. Call it before onnxruntime is imported: from 1.29 on it
    reports every opened model to its makers and keeps a machine id, unless this is set at start."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"


@contextmanager
def _by_default(name: str, value: str) -> Iterator[None]:
    """Set a variable in this block, unless the user sets it. The environment is restored
    afterwards, so that child processes decide for themselves."""
    is_set = name in os.environ
    os.environ.setdefault(name, value)
    try:
        yield
    finally:
        if not is_set:
            os.environ.pop(name, None)


def one_numeric_thread() -> AbstractContextManager[None]:
    """Modules imported in this block compute on the calling thread only. numpy's products are
    small here: on all processors they take longer, busy-wait, and slow other programs down."""
    return _by_default(NUMERIC_THREADS, "1")


def no_pydantic_plugins() -> AbstractContextManager[None]:
    """Models used in this block for the first time look for no plugins of pydantic. wm uses none,
    and the search through all installed packages is some milliseconds of each command."""
    return _by_default("PYDANTIC_DISABLE_PLUGINS", "__all__")


def one_tokenizing_thread() -> None:
    """Make the tokenizers of this process work on the calling thread, unless the environment
    says otherwise: they read the variable at each batch. A few short texts take longer on all
    processors."""
    os.environ.setdefault(TOKENIZING_THREADS, "false")


def allow_open_files(wanted: int) -> int:
    """Raise this process's limit of open files to `wanted`, as far as the system allows. The limit
    in force."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
    if soft < wanted and soft != resource.RLIM_INFINITY:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    return soft
