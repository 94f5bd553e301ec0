"""A config.toml that cannot be used, and one that names removed options: real processes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.cli.terminal import Terminal
from tests.cli.test_proxy import ROOT, Service, done, post, start

BROKEN: dict[str, str | None] = {
    "not TOML": "[memory\n",
    "wrong type": '[core]\ngoal_chars = "many"\n',
    "unknown option": "[core]\ngaol_chars = 3\n",
    "folder": None,
}
SAYS = "Until then the defaults apply, and what needs your consent is off."
NOTICE = "cannot be used"
HOOK = ROOT / "wm" / "agents" / "hook.py"


def write(user: Terminal, text: str | None) -> Path:
    """This config.toml; None: a folder in its place."""
    file = user.home / ".config" / "wm" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    if text is None:
        file.mkdir()
    else:
        file.write_text(text)
    return file


def wm(user: Terminal, *words: str) -> tuple[int, str, str]:
    code, out, err = done(start(user, *words))
    return code, out, " ".join(err.split())


def hook(user: Terminal, event: str, **payload: str) -> str:
    """What a hook of Claude Code prints; its exit code is 0."""
    given = {"session_id": "s-1", "cwd": str(user.repo), "hook_event_name": event, **payload}
    ran = subprocess.run(
        [sys.executable, "-I", "-S", str(HOOK), "hook", "claude-code", event],
        input=json.dumps(given),
        env={**user.env, "CLAUDE_PROJECT_DIR": str(user.repo)},
        cwd=user.repo,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return ran.stdout


@pytest.fixture
def short() -> Iterator[Terminal]:
    """A user whose socket's path is short enough for a daemon."""
    with TemporaryDirectory(prefix="wm-", ignore_cleanup_errors=True) as folder:
        user = Terminal(Path(folder))
        yield user
        user.wm("down")


@pytest.mark.parametrize("text", BROKEN.values(), ids=list(BROKEN))
def test_remember_stores_the_fact_and_reports_the_fault(
    terminal: Terminal, text: str | None
) -> None:
    file = write(terminal, text)
    code, out, err = wm(terminal, "remember", "We deploy with make ship.")
    assert (code, "make ship" in out) == (0, True)
    assert str(file) in err
    assert SAYS in err
    code, out, _ = wm(terminal, "inspect")
    assert (code, "make ship" in out) == (0, True)


@pytest.mark.parametrize("text", BROKEN.values(), ids=list(BROKEN))
def test_config_and_doctor_report_the_fault_and_fail(terminal: Terminal, text: str | None) -> None:
    file = write(terminal, text)
    code, out, err = wm(terminal, "config")
    assert (code, "goal_chars = 1000" in out, err) == (1, True, "")
    fault, _, values = " ".join(out.split()).partition("The values in force are:")
    assert fault.startswith(str(file))
    assert fault.strip().endswith(SAYS)
    assert 'learn = "" (needs your consent)' in values
    code, out, _ = wm(terminal, "config", "--json")
    answer = json.loads(out)
    assert (code, answer["options"]["core"]["goal_chars"]) == (1, 1000)
    assert str(file) in answer["error"]["detail"]
    code, out, _ = wm(terminal, "doctor", "--no-proof", "--json")
    [check] = [check for check in json.loads(out)["checks"] if check["name"] == "config"]
    assert (code, check["verdict"]) == (1, "error")


def test_a_hook_without_a_daemon_stores_a_request_and_reports_the_fault(short: Terminal) -> None:
    # On the files; the start of a session may start a daemon behind its answer.
    write(short, BROKEN["wrong type"])
    said = hook(short, "UserPromptSubmit", prompt="Remember that we deploy with make ship.")
    context = json.loads(said)["hookSpecificOutput"]["additionalContext"]
    assert "(line 2)" in context
    assert NOTICE in context
    assert "many" not in context
    assert NOTICE not in hook(short, "UserPromptSubmit", prompt="And how do we test?")
    assert NOTICE in hook(short, "SessionStart", source="startup")
    code, out, _ = wm(short, "inspect")
    assert (code, "make ship" in out) == (0, True)


def test_the_daemon_starts_with_the_defaults_and_reports_the_fault(short: Terminal) -> None:
    write(short, BROKEN["wrong type"])
    code, _, err = wm(short, "up")
    assert (code, SAYS in err) == (0, True)
    code, out, _ = wm(short, "status", "--json")
    status = json.loads(out)
    assert code == 1
    assert NOTICE in status["daemon"]["troubles"]["config"]
    assert "goal_chars is 'many'" in status["config"]
    log = (short.data / "daemon.log").read_text()
    assert NOTICE in log
    assert "many" not in log
    assert NOTICE in hook(short, "SessionStart", source="startup")
    said = hook(short, "UserPromptSubmit", prompt="Remember that we deploy with make ship.")
    assert NOTICE in said
    assert "make ship" in wm(short, "inspect")[1]


def test_a_running_daemon_keeps_its_loaded_config(short: Terminal) -> None:
    assert wm(short, "up", "--quiet")[0] == 0
    write(short, BROKEN["not TOML"])
    code, out, err = wm(short, "remember", "We deploy with make ship.")
    assert (code, "make ship" in out, SAYS in err) == (0, True, True)
    status = json.loads(wm(short, "status", "--json")[1])
    assert "config" not in status["daemon"]["troubles"]


def test_nothing_is_downloaded_while_the_config_is_broken(terminal: Terminal) -> None:
    write(terminal, '[recall]\nmodels_url = "http://mirror.example"\nboats = 1\n')
    code, out, err = wm(terminal, "models", "pull", "--yes")
    assert (code, out) == (1, "")
    assert "Nothing is fetched: " in err
    assert "has no option 'boats'" in err


def test_a_proxy_requires_a_named_upstream_while_the_config_is_broken(terminal: Terminal) -> None:
    write(terminal, '[proxy]\nupstream = "https://gateway.example"\nboats = 1\n')
    code, _, err = wm(terminal, "proxy", "--port", "0")
    assert code == 1
    assert "The upstream is not known: " in err
    assert "--upstream URL" in err


def test_a_proxy_passes_through_and_records_nothing_while_the_config_is_broken(
    short: Terminal,
) -> None:
    assert wm(short, "up", "--quiet")[0] == 0
    write(short, BROKEN["wrong type"])
    service = Service()
    words = ("proxy", "--port", "0", "--json", "--record", "--upstream", service.url)
    process = start(short, *words)
    assert process.stdout is not None
    printed = json.loads("".join(iter(process.stdout.readline, "}\n")) + "}")
    body = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Go"}]}
    assert post(printed["baseUrl"], json.dumps(body).encode())[0] == 200
    process.send_signal(signal.SIGTERM)
    code, _, err = done(process)
    service.shutdown()
    service.server_close()
    assert (code, len(service.requests)) == (0, 1)
    assert "Nothing is recorded while config.toml cannot be used." in err
    assert "recorded without secrets" not in err
    assert list(short.data.rglob("recordings/*")) == []


REMOVED = "[recall]\nbm25_k1 = 3\n[tools]\noutput_chars = 9\n[core]\ngoal_chars = 77\n"
WARNING = (
    "these options are ignored and can be removed: recall.bm25_k1 (its value is fixed now), "
    "tools.output_chars (use tools.answer_chars)."
)


def test_removed_options_are_one_warning_and_never_an_error(short: Terminal) -> None:
    write(short, REMOVED)
    code, _, err = wm(short, "remember", "We deploy with make ship.")
    assert (code, err.count("ignored")) == (0, 1)
    assert WARNING in err
    code, out, _ = wm(short, "config", "--json")
    answer = json.loads(out)
    assert (code, answer["options"]["core"]["goal_chars"]) == (0, 77)
    assert WARNING in answer["warning"]
    code, out, err = wm(short, "config")
    assert (code, WARNING in " ".join(out.split()), err) == (0, True, "")
    out = wm(short, "doctor", "--no-proof", "--json")[1]
    [check] = [check for check in json.loads(out)["checks"] if check["name"] == "config"]
    assert (check["verdict"], WARNING in check["detail"]) == ("note", True)
    assert wm(short, "up", "--quiet")[0] == 0
    assert (short.data / "daemon.log").read_text().count("bm25_k1") == 1
    assert "config" not in json.loads(wm(short, "status", "--json")[1])["daemon"]["troubles"]
