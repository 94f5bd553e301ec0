"""What only a process of its own can show: imports, a closed pipe, the module as a program."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cli.terminal import Terminal

ROOT = Path(__file__).resolve().parents[2]

HEAVY = ("watchdog", "numpy", "usearch", "fastembed", "anthropic", "asyncio", "hypothesis")
MODELS = ("pydantic", "re2", "filelock", "httptools")

LAZY: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("--help", (*HEAVY, *MODELS, "wm.ops", "wm.store", "wm.daemon", "wm.cli.verbs")),
    ("--version", (*HEAVY, *MODELS, "wm.ops", "wm.store", "wm.daemon", "wm.cli.verbs")),
    ("statusline", (*HEAVY, *MODELS, "click", "wm.cli.app", "wm.ops", "wm.store")),
    ("hook claude-code SessionEnd", (*HEAVY, "click", "wm.cli.app")),
    ("completion bash", (*HEAVY, *MODELS, "wm.ops", "wm.store")),
    ("config memory", (*HEAVY, "re2", "wm.ops", "wm.store")),
    ("logs", (*HEAVY, "re2", "wm.ops", "wm.store")),
    ("remember --help", (*HEAVY, "wm.store")),
)
"""Command line -> what it must not import."""

PROBE = """
import json, sys
from wm.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


@pytest.mark.parametrize(("line", "never"), LAZY)
def test_a_verb_imports_only_what_it_needs(
    terminal: Terminal, line: str, never: tuple[str, ...]
) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-c", PROBE, *line.split()],
        env={**terminal.env, "PYTHONPATH": str(ROOT)},
        cwd=terminal.repo,
        input="{}",
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = json.loads(done.stderr.splitlines()[-1])
    wrong = [m for m in loaded if any(m == name or m.startswith(name + ".") for name in never)]
    assert wrong == []


EVERYDAY = (
    "remember We deploy with make ship.", "inspect", "search ship", "why the ship sails", "inbox",
    "recap", "undo --list", "history",
)  # fmt: skip


@pytest.mark.parametrize("line", EVERYDAY)
def test_through_the_daemon_a_verb_loads_no_use_case(home_with_daemon: Terminal, line: str) -> None:
    user = home_with_daemon.at(f"lazy-{line.split()[0]}")
    done = subprocess.run(
        [sys.executable, "-P", "-c", PROBE, *line.split(maxsplit=1)],
        env={**user.env, "PYTHONPATH": str(ROOT)},
        cwd=user.repo,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = json.loads(done.stderr.splitlines()[-1])
    heavy = ("wm.ops.operation", "wm.store", "wm.domain.memory")
    assert [m for m in loaded if m.startswith(heavy)] == []


def test_a_closed_reader_is_not_an_error(terminal: Terminal) -> None:
    for number in range(20):
        terminal.remember(f"The wharf number {number} takes {number * 17} tonnes of grain.")
    script = f'"{sys.executable}" -P -m wm inspect | head -n 1; echo "${{PIPESTATUS[*]}}"'
    done = subprocess.run(
        ["bash", "-c", script],
        env={**terminal.env, "PYTHONPATH": str(ROOT)},
        cwd=terminal.repo,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "~/ferry · branch main\n0 0\n"
    assert done.stderr == ""


@pytest.mark.parametrize("words", ["remember 潮 → high", "inspect", "inspect --json"])
def test_characters_that_the_locale_lacks_do_not_stop_a_verb(
    terminal: Terminal, words: str
) -> None:
    text = "The harbour office says 潮汐 for a tide → and the pier is called Käpt’n."
    terminal.remember(text)
    done = subprocess.run(
        [sys.executable, "-P", "-m", "wm", *words.split(maxsplit=1)],
        env={**terminal.env, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "latin-1"},
        cwd=terminal.repo,
        capture_output=True,
        encoding="latin-1",
        check=True,
    )
    assert done.stderr == ""
    if "--json" in words:
        assert json.loads(done.stdout)["entries"][0]["entry"]["text"] == text
    else:
        assert "?" in done.stdout


def test_a_missing_package_is_named_with_what_to_do(terminal: Terminal) -> None:
    script = "import sys; sys.modules['starlette'] = None; from wm.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-P", "-c", script, "open", "--help"],
        env={**terminal.env, "PYTHONPATH": str(ROOT)},
        cwd=terminal.repo,
        capture_output=True,
        text=True,
        check=False,
    )
    said = " ".join(done.stderr.split())
    assert "`wm open` needs the Python package starlette, which is not installed." in said
    assert "-m pip install starlette" in said
    assert "Traceback" not in said


def test_a_closed_reader_of_a_help_text_is_not_an_error(terminal: Terminal) -> None:
    # The pipe has lost its reader for certain before anything is printed.
    script = f'"{sys.executable}" -P -m wm state --help; echo "$?" >&2'
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as pipe:
        done = subprocess.run(
            ["bash", "-c", script],
            env={**terminal.env, "PYTHONPATH": str(ROOT)},
            cwd=terminal.repo,
            stdout=pipe,
            stderr=subprocess.PIPE,
            text=True,
            check=True,
        )
    assert done.stderr == "0\n"


INTERRUPTED = """
import signal, sys
from wm.cli.main import main
class Finder:
    def find_spec(self, name, *rest):
        if name == sys.argv[1]:
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Finder())
main(sys.argv[2:])
"""


@pytest.mark.parametrize(
    ("module", "line", "code", "said"),
    [
        ("wm.cli.app", "status", 130, "wm: Stopped.\n"),
        ("wm.cli.verbs.diagnosis.status", "status", 130, "wm: Stopped.\n"),
        ("wm.agents.hook_client", "statusline", 0, ""),
    ],
)
def test_ctrl_c_while_a_verb_loads_prints_no_traceback(
    terminal: Terminal, module: str, line: str, code: int, said: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-c", INTERRUPTED, module, line],
        env={**terminal.env, "PYTHONPATH": str(ROOT)},
        cwd=terminal.repo,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr.lstrip("\n")) == (code, said)


CLOSED = "The answer could not be printed: standard output is closed."
FULL = "The answer could not be printed: No space left on device."

STREAMS: tuple[tuple[str, int, str], ...] = (
    ("config >&-", 1, f"wm: {CLOSED}\n"),
    ("export >&-", 1, f"wm: {CLOSED}\n"),
    ("inbox >&-", 1, f"wm: {CLOSED}\n"),
    ("inbox --json >&-", 1, f"wm: {CLOSED}\n"),
    ("--help >&-", 1, f"wm: {CLOSED}\n"),
    ("config <&- >&- 2>&-", 1, ""),
    ("nope <&- >&- 2>&-", 2, ""),
    ("nope 2>/dev/full", 2, ""),
    ("config memory >/dev/full", 1, f"wm: {FULL}\n"),
    ("config memory --json >/dev/full", 1, f"wm: {FULL}\n"),
    ("--help >/dev/full", 1, f"wm: {FULL}\n"),
    ("config memory >/dev/full 2>/dev/full", 1, ""),
    ("hook claude-code SessionEnd --socket <&-", 0, ""),
    ("hook claude-code SessionEnd --socket <&- >&- 2>&-", 0, ""),
    ("hook claude-code <&- >&- 2>&-", 2, ""),
)
"""Command line with closed or full streams -> exit code, stderr."""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(("line", "code", "said"), STREAMS)
def test_closed_and_full_streams_are_not_reported_as_bugs(
    terminal: Terminal, line: str, code: int, said: str, unbuffered: str
) -> None:
    done = subprocess.run(
        ["sh", "-c", f'"{sys.executable}" -P -m wm {line}'],
        env={**terminal.env, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": unbuffered},
        cwd=terminal.repo,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (code, said)


def test_the_exit_code_reaches_the_shell(terminal: Terminal) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "wm", "show", "m_ffff"],
        env={**terminal.env, "PYTHONPATH": str(ROOT)},
        cwd=terminal.repo,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("wm: There is no entry 'm_ffff' in")
    assert done.stdout == ""


LONG = (
    "inspect --full", "show --history", "history", "search wharf -n 20", "undo --list", "config",
    "diag alike", "why wharf", "help --all",
)  # fmt: skip
MARK = "paged: "


def fill(user: Terminal) -> None:
    text = "Berth {n} at the wharf is reserved for the pilot boat on every weekday."
    user.seed(*(("remember", {"text": text.format(n=n)}) for n in range(20)))


def pager(user: Terminal) -> Path:
    """A pager that puts a mark before each line."""
    program = user.bin / "marks"
    program.write_text(f"#!/bin/sh\nexec sed 's/^/{MARK}/'\n")
    program.chmod(0o755)
    return program


def in_terminal(user: Terminal, words: str) -> list[str]:
    """The lines that a terminal of 24 lines shows."""
    screen, end = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-P", "-m", "wm", *words.split()],
        env={**user.env, "PYTHONPATH": str(ROOT), "PAGER": str(pager(user)), "TERM": "xterm"},
        cwd=user.repo,
        stdin=end,
        stdout=end,
        stderr=end,
        start_new_session=True,
    )
    os.close(end)
    seen = b""
    with suppress(OSError):  # the end of a terminal whose program is gone
        while part := os.read(screen, 4096):
            seen += part
    os.close(screen)
    assert child.wait() == 0, seen
    return seen.decode().splitlines()


def test_a_long_list_goes_through_the_pager_of_a_terminal(terminal: Terminal) -> None:
    fill(terminal)
    for words in LONG:
        lines = in_terminal(terminal, words)
        assert len(lines) > 24, words
        assert all(line.startswith(MARK) for line in lines), words
    assert MARK in in_terminal(terminal, "help import")[0]
    for words in ("search wharf --limit 1", "help", "config team", "undo --list -n 1"):
        assert MARK not in "\n".join(in_terminal(terminal, words)), words


def test_a_pipe_and_json_never_start_the_pager(terminal: Terminal) -> None:
    fill(terminal)
    for words in LONG:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "wm", *words.split()],
            env={**terminal.env, "PYTHONPATH": str(ROOT), "PAGER": str(pager(terminal))},
            cwd=terminal.repo,
            capture_output=True,
            text=True,
            check=True,
        )
        assert len(done.stdout.splitlines()) > 24, words
        assert MARK not in done.stdout, words
    for words in LONG[:-1]:
        assert in_terminal(terminal, f"{words} --json")[0] == "{", words


def pressed(screen: int, key: bytes, child: subprocess.Popen[bytes]) -> int:
    """Press a key until the program ends, as a person does. A Ctrl-C that arrives between the
    question and the read behind it has no effect: Python's handler has run when the read begins."""
    for _press in range(10):
        with suppress(OSError):  # the program is gone
            os.write(screen, key)
        with suppress(subprocess.TimeoutExpired):
            return child.wait(2)
    child.kill()
    return child.wait()


@pytest.mark.parametrize(
    ("key", "words", "question"),
    [
        (b"\x03", "setup --learn inbox", b"? [Y/n]: "),
        (b"\x04", "setup --learn inbox", b"? [Y/n]: "),
        (b"\x04", "setup", b"[active]: "),
    ],
    ids=["ctrl-c", "ctrl-d", "ctrl-d-at-learning"],
)
def test_ctrl_c_at_a_question_ends_the_line(
    terminal: Terminal, key: bytes, words: str, question: bytes
) -> None:
    terminal.install("claude")
    screen, end = pty.openpty()
    # A new session takes the first terminal that it opens for its own: then Ctrl-C is a signal.
    shell = f'exec "{sys.executable}" -P -m wm {words} 0<>{os.ttyname(end)} >&0 2>&0'
    child = subprocess.Popen(
        ["/bin/sh", "-c", shell],
        env={**terminal.env, "PYTHONPATH": str(ROOT)},
        cwd=terminal.repo,
        start_new_session=True,
    )
    seen = b""
    while not seen.endswith(question):
        assert select.select([screen], [], [], 30)[0], seen
        seen += os.read(screen, 4096)
    os.close(end)
    code = pressed(screen, key, child)
    with suppress(OSError):  # the end of a terminal whose program is gone
        while part := os.read(screen, 4096):
            seen += part
    os.close(screen)
    assert code == 130
    assert (
        seen.replace(b"^C", b"")
        .replace(b"^D\b\b", b"")
        .endswith(question + b"\r\n\x1b[31m\x1b[1mwm:\x1b[0m Stopped.\r\n")
    )
    assert not (terminal.home / ".claude" / "settings.json").exists()
