"""The hook client: send an agent's payload to the socket, print the answer (IF-3).

For `wm hook AGENT EVENT` and, started as `python -I -S hook.py hook AGENT EVENT`, for machines
without a usable curl. It runs once per event of an agent, so it imports only `sys`, `posix` and
`_socket` (importing `socket` and `json` takes longer than starting Python) and forwards the payload
without parsing it. For the same reason it resolves ID-1 itself, the only place besides
`wm.settings` that reads the environment.

If no daemon answers, the library handles the same payload on the files. That import is the one
exception to the rule that agents do not import `ops`, and it happens only then. After a session's
start it then starts a daemon, after the answer, so that the two do not compete for the processor
while the agent waits.

Rule: exit 0 after any failure here; an agent never waits beyond the deadlines and never stops
because of `wm`. A failure of the library is shown to the user in the agent's own form and leaves a
line in `daemon.log`, which `wm logs` shows: names and codes, never contents (TR-1).
"""

import _socket
import posix
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

TIMEOUT_S = 1.0
"""One wait for the daemon (`hooks.event_timeout_s`; a test compares them)."""

LIBRARY_S = 5.0
"""How long the agent waits for the library (`hooks.start_timeout_s`; a test compares them)."""

BACKGROUND_S = 60.0
"""How long the library may go on after that, while the agent no longer waits. On a machine that is
so busy, loading it alone can take longer than the agent may wait."""

SOCKET_ONLY = ("statusline",)
"""Events without anything to store, so the library is not loaded for them."""

MAY_START = ("SessionStart", "sessionStart")
"""Only the start of a session starts a daemon (IF-6)."""

SHOWN = ("claude-code", "opencode", "codex", "gemini", "qwen")
"""Agents that can show a text to the user only."""

LIBRARY = "--library"
"""The caller has already tried the socket."""

SOCKET = "--socket"
"""Not important enough for the library: if no daemon answers, nothing is done."""

WRONG_HOOK = (
    "wm: `wm hook` needs AGENT and EVENT, and nothing after them.\n"
    "    `wm hook --help` shows how.\n"
)
WRONG_STATUSLINE = (
    "wm: `wm statusline` takes no arguments.\n    `wm statusline --help` shows how.\n"
)

MAX_REPLY = 4 * 1024 * 1024

MAX_LOG = 1024 * 1024
"""Size at which this client stops writing: only the daemon rotates the log."""


def main(
    words: "list[str]", stdin: "BinaryIO | None" = None, stdout: "BinaryIO | None" = None
) -> int:
    """`hook AGENT EVENT [--library | --socket]` or `statusline`: print the answer, or nothing.

    Returns 0; 2 for unknown words.
    """
    asked = [word for word in words if word not in (LIBRARY, SOCKET)]
    if asked == ["statusline"]:
        asked = ["hook", "claude-code", "statusline"]
    if len(asked) != 3 or asked[0] != "hook":
        if sys.stderr:
            sys.stderr.write(WRONG_STATUSLINE if words[:1] == ["statusline"] else WRONG_HOOK)
            sys.stderr.flush()
        return 2
    _verb, agent, event = asked
    payload = _read(stdin)
    reply = None
    if LIBRARY not in words:
        reply = over_socket(agent, event, payload)
    alone = reply is None and SOCKET not in words and event not in SOCKET_ONLY
    if alone:
        reply = from_files(agent, event, payload)
    if reply:
        _print(reply, stdout)
    if alone and event in MAY_START:
        _start_daemon()
    return 0


def over_socket(agent: str, event: str, payload: bytes) -> "bytes | None":
    """The daemon's answer; b"" for an empty one, None if the daemon could not answer."""
    path = socket_path(posix.environ)
    if not path:
        return None
    sock = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        sock.settimeout(TIMEOUT_S)
        sock.connect(path)
        if not _is_same_user(sock):
            return None
        sock.sendall(_request(agent, event, payload))
        return _body(_receive(sock))
    except (OSError, ValueError):
        return None
    finally:
        sock.close()


def _is_same_user(sock: "_socket.socket") -> bool:
    """Whether our own user serves the socket (TR-1); the same rule as in `wm.daemon.peer`."""
    if sys.platform == "darwin":
        raw = sock.getsockopt(0, 1, 76)  # SOL_LOCAL, LOCAL_PEERCRED: version, uid
    else:
        raw = sock.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)  # pid, uid, gid
    return int.from_bytes(raw[4:8], sys.byteorder) == posix.geteuid()


def from_files(agent: str, event: str, payload: bytes) -> bytes:
    """The library's answer from the files, or a notice for the user that it failed. When the time
    is up, the process prints a notice and exits with code 0; its child finishes the work."""
    import gc
    import signal

    too_late = failure(
        agent,
        f"wm has not recorded this ({event}) after {LIBRARY_S:g} s. It goes on in the background, "
        "so that you need not wait; `wm logs` says if that fails.",
    )

    def late(_number: int, _frame: object) -> None:
        # Not an exception: raised inside a C extension, it could be printed or replaced there. The
        # process may end at any moment without leaving half-written files (ST-2).
        if posix.fork() == 0:
            _detach()
            signal.signal(signal.SIGALRM, on_timeout)
            signal.setitimer(signal.ITIMER_REAL, BACKGROUND_S)
            return
        try:
            posix.write(1, too_late)
        finally:
            posix._exit(0)

    def on_timeout(_number: int, _frame: object) -> None:
        try:
            _note(agent, event, f"not done within {LIBRARY_S + BACKGROUND_S:g} s")
        finally:
            posix._exit(0)

    # The process ends after one event: garbage collection would only take time.
    gc.disable()
    signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, LIBRARY_S)
    try:
        return _by_library(agent, event, payload)
    except Exception as error:  # noqa: BLE001 - the last door: a bug must not stop the agent
        reason = _reason(error)
        _note(agent, event, reason)
        return failure(agent, f"wm could not record this ({event}): {reason}. `wm logs` has more.")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _detach() -> None:
    """Leave the agent's terminal and pipes: it reads until the last process has closed them."""
    posix.setsid()
    nothing = posix.open("/dev/null", posix.O_RDWR)
    for stream in (0, 1, 2):
        posix.dup2(nothing, stream)


def _by_library(agent: str, event: str, payload: bytes) -> bytes:
    if sys.flags.no_site:
        _add_packages()
    from wm.ops import local_hooks

    project = posix.environ.get(b"CLAUDE_PROJECT_DIR", b"").decode("utf-8", "surrogateescape")
    try:
        return local_hooks.run(agent, event, payload, project=project)
    except local_hooks.FAILURES as error:
        _note(agent, event, _reason(error))
        notice = local_hooks.keep_requests(agent, event, payload, error, project=project)
        return failure(agent, notice)


def failure(agent: str, message: str) -> bytes:
    """A hook's answer that shows the message to the user; b"" if the agent cannot show it.

    It is here and not in the adapters of `wm.domain.payloads`, because it must work when nothing of
    the library can be loaded.
    """
    import json

    if not message or agent not in SHOWN:
        return b""
    form = {"notices": [message]} if agent == "opencode" else {"systemMessage": message}
    return json.dumps(form).encode()


def _note(agent: str, event: str, reason: str) -> None:
    """Append one line to `daemon.log` if the data folder exists."""
    home = home_path(posix.environ)
    if not home:
        return
    import json
    import os
    import time

    at = time.time()
    fields = {
        "at": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at)) + f".{int(at % 1 * 1000):03}Z",
        "event": "hook_failed",
        **_redacted({"agent": agent, "hook": event, "reason": reason}),
    }
    line = json.dumps(fields).encode("ascii", "replace") + b"\n"
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    try:
        log = os.open(home + b"/daemon.log", flags, 0o600)
    except OSError:
        return  # no data folder, or a broken one: `wm doctor` reports it
    try:
        if os.fstat(log).st_size < MAX_LOG:
            os.write(log, line)
    except OSError:
        pass
    finally:
        os.close(log)


def _redacted(words: "dict[str, str]") -> "dict[str, str]":
    """The fields without secrets: a name may be any text, and a path may contain a token."""
    redact = getattr(sys.modules.get("wm.ops.local_hooks"), "without_secrets", None)
    if redact is None:
        # The library failed, or was cut off, during its import: the reason names only our own
        # files.
        return {"reason": words["reason"]}
    return {name: redact(text) for name, text in words.items()}


def _reason(error: Exception) -> str:
    """The message of an error that names only files; for any other error its type and place, as its
    message may quote contents."""
    errors = sys.modules.get("wm.errors")
    if isinstance(error, OSError) or (errors and isinstance(error, errors.StoreError)):
        return str(error)
    frame = error.__traceback__
    while frame and frame.tb_next:
        frame = frame.tb_next
    place = f" at {frame.tb_frame.f_code.co_filename}:{frame.tb_lineno}" if frame else ""
    return type(error).__name__ + place


def _start_daemon() -> None:
    """Start the daemon without waiting: the files answer this call. `wm up` takes the lock first,
    so only one daemon starts."""
    import contextlib
    import subprocess

    main_file = __file__.rpartition("/agents/")[0] + "/__main__.py"
    silent = subprocess.DEVNULL
    with contextlib.suppress(OSError):  # no process could be started: the files still answer
        subprocess.Popen(
            [sys.executable, "-I", main_file, "up", "--quiet"],
            stdin=silent,
            stdout=silent,
            stderr=silent,
            cwd="/",
            start_new_session=True,
        )


def socket_path(env: "dict[bytes, bytes]") -> bytes:
    """The socket's path (ID-1), as in `wm.settings.find_paths`; b"" if there is no usable place."""
    named = env.get(b"WM_SOCKET", b"")
    if named:
        return named
    runtime = env.get(b"XDG_RUNTIME_DIR", b"")
    if not env.get(b"WM_HOME") and runtime.startswith(b"/"):
        return runtime + b"/wm/wm.sock"
    home = home_path(env)
    return home + b"/run/wm.sock" if home else b""


def home_path(env: "dict[bytes, bytes]") -> bytes:
    """The data folder (ID-1); b"" if there is no usable place."""
    home = env.get(b"WM_HOME", b"")
    if home:
        return home
    data = env.get(b"XDG_DATA_HOME", b"")
    user = env.get(b"HOME", b"")
    if not data.startswith(b"/"):
        data = user + b"/.local/share" if user else b""
    return data + b"/wm" if data else b""


def _request(agent: str, event: str, payload: bytes) -> bytes:
    head = (
        f"POST /v1/hooks/{agent}/{event} HTTP/1.1\r\nHost: wm\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(payload)}\r\n"
        "Connection: close\r\n"
    ).encode("utf-8", "surrogateescape")
    project = posix.environ.get(b"CLAUDE_PROJECT_DIR", b"")
    if project and b"\r" not in project and b"\n" not in project:
        head += b"X-Wm-Project: " + project + b"\r\n"
    return head + b"\r\n" + payload


def _receive(sock: "_socket.socket") -> bytes:
    """All bytes up to the end of the connection; the request asked the daemon to close it."""
    data = b""
    while len(data) < MAX_REPLY:
        part = sock.recv(65536)
        if not part:
            break
        data += part
    return data


def _body(reply: bytes) -> "bytes | None":
    """The body of a 2xx answer, else None: what the daemon refuses the library refuses too, but
    with a sentence for the user; and it accepts a message of any length."""
    head, mark, body = reply.partition(b"\r\n\r\n")
    return body if mark and head.startswith(b"HTTP/1.1 2") else None


def _read(stdin: "BinaryIO | None") -> bytes:
    """The payload; b"" if stdin is closed or unreadable (F68)."""
    stream = stdin or (sys.stdin and sys.stdin.buffer)
    try:
        return stream.read() if stream else b""
    except OSError:
        return b""


def _print(reply: bytes, stdout: "BinaryIO | None") -> None:
    stream = stdout or (sys.stdout and sys.stdout.buffer)
    try:
        if stream:
            stream.write(reply)
            stream.flush()
    except OSError:
        # The agent closed the pipe. Python flushes again at exit and would report an error.
        posix.dup2(posix.open("/dev/null", posix.O_WRONLY), 1)


def _add_packages() -> None:
    """Undo -S, so that the library and its dependencies can be imported."""
    import site

    site.main()
    root = __file__.rpartition("/wm/agents/")[0]
    if root and root not in sys.path:
        sys.path.insert(0, root)
