"""`wm models`: on the files and through the daemon, and without a network."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.terminal import Terminal
from tests.docs.schemas import validate_printed
from tests.models import small

TIMEOUT_S = 120.0


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small.write(tmp_path_factory.mktemp("models") / "harbour")


def test_a_model_is_imported_selected_tested_and_deselected(user: Terminal, model: Path) -> None:
    # The home with a daemon is shared by all tests: a name of its own for each.
    name = f"m-{user.repo.parent.name.lower()[-40:]}"
    taken = user.wm("models", "import", str(model), "--name", name, "--json")
    assert (taken.code, taken.json["dimension"]) == (0, 8)
    validate_printed("models import", taken.json)
    used = user.wm("models", "use", name, "--json")
    validate_printed("models use", used.json)
    assert used.json["chosen"] == name
    shown = user.wm("models").out
    assert f"* {name}" in shown
    assert "8 dimensions" in shown
    assert max(map(len, shown.splitlines())) <= 80
    tried = user.wm("models", "test", "--json")
    validate_printed("models test", tried.json)
    assert (tried.json["dimension"], tried.json["tokenLimit"]) == (8, 256)
    # A daemon may have texts to embed for it still, and says so below.
    assert user.wm("models", "use", "embedded").out.splitlines()[0] == "In use: embedded."
    assert user.wm("models", "test").code == 0
    gone = user.wm("models", "remove", name, "--json")
    validate_printed("models remove", gone.json)
    assert gone.json["freedBytes"] == sum(file["bytes"] for file in taken.json["files"])
    assert name not in user.wm("models").out


def test_removing_reports_freed_space_and_refuses_a_model_in_use(
    terminal: Terminal, model: Path
) -> None:
    assert terminal.wm("models", "import", str(model)).code == 0
    assert terminal.wm("models", "use", "harbour").code == 0
    refused = terminal.wm("models", "remove", "harbour")
    assert (refused.code, "The model harbour is in use." in refused.sentences) == (1, True)
    assert "`wm models use embedded`" in refused.sentences
    assert terminal.wm("models", "use", "embedded").code == 0
    assert terminal.wm("models", "remove", "harbour").out.startswith("Removed harbour: ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("use", "boat"), "There is no model 'boat'. Available: embedded, none"),
        (("test", "boat"), "There is no model 'boat'."),
        (("test", "/absent/boat"), "There is no usable model in /absent/boat"),
        (("remove", "boat"), "There is no installed model 'boat'. None is installed."),
        (("remove", "embedded"), "embedded was not installed, so it cannot be removed."),
        (("import", "/absent/boat"), "There is no folder /absent/boat."),
        (("import", ".", "--name", "none"), "cannot be a model's name"),
        (("import", "."), "is not a model folder: it has none of model.onnx"),
        (("pull", "boat"), "There is no model 'boat' that wm can fetch. It can fetch minilm"),
        (("pull", "--json"), ""),
    ],
)
def test_an_impossible_request_is_a_one_sentence_error(
    terminal: Terminal, words: tuple[str, ...], said: str
) -> None:
    answer = terminal.wm("models", *words)
    assert answer.code == 1
    assert said in answer.sentences


def test_a_pull_shows_the_pinned_files_and_asks_first(terminal: Terminal) -> None:
    said = terminal.wm("models", "pull")
    assert said.code == 1
    assert "commit c9745ed1d9f207416be6d2e6f8de32d1f16199bf" in said.out
    assert "sha256 6fd5d72fe4589f18" in said.out
    assert "Use --yes" in said.sentences
    assert max(map(len, said.out.splitlines())) <= 80
    asked = terminal.wm("models", "pull", "--json")
    validate_printed("models pull", asked.json)
    assert len(asked.json["files"]) == 6
    config = terminal.home / ".config/wm/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[recall]\nmodels_url = "http://127.0.0.1:9"\n')
    offline = terminal.wm("models", "pull", "--yes")
    assert (offline.code, "The model could not be fetched from" in offline.sentences) == (1, True)
    assert "`wm models import`" in offline.sentences


def test_a_damaged_model_is_one_line_of_status_and_doctor(
    home_with_daemon: Terminal, model: Path
) -> None:
    user = home_with_daemon.at("damaged")
    assert user.wm("models", "import", str(model), "--name", "damaged").code == 0
    assert user.wm("models", "use", "damaged").code == 0
    file = user.data / "models/damaged/config.json"
    kept = file.read_text()
    file.unlink()
    assert user.wm("down").code == 0
    assert user.wm("up", "--quiet").code == 0
    doctor = user.wm("doctor", "--no-proof")
    assert "of the model damaged is gone. Search continues without it." in " ".join(
        doctor.out.split()
    )
    assert user.wm("search", "anything").code == 1
    status = user.wm("status")
    assert "Search continues without it." in " ".join(status.out.split())
    assert any(r["event"] == "trouble" for r in user.wm("logs", "--json").json["records"])
    file.write_text(kept)
    assert user.wm("models", "use", "damaged").code == 0
    assert user.wm("models", "use", "embedded").code == 0
    assert "Search continues" not in user.wm("status").out


OFFLINE = """
import sys
from pathlib import Path

def refuse(event, args):
    if event == "socket.getaddrinfo" or (event == "socket.connect" and isinstance(args[1], tuple)):
        raise SystemExit(f"the network was touched: {event} {args}")

sys.addaudithook(refuse)
from wm.cli.app import run
for words in (
    ["models", "import", sys.argv[1]], ["models", "use", "harbour"], ["models"],
    ["models", "test"], ["remember", "We ship at dawn."], ["search", "ship"],
    ["models", "use", "embedded"], ["search", "dawn"], ["doctor", "--no-proof"],
):
    code = run(words)
    assert code == 0, (words, code)
"""


def test_no_verb_but_pull_touches_the_network(terminal: Terminal, model: Path) -> None:
    """Python's own calls are refused; where strace is there, those of libraries are seen, too."""
    calls = terminal.home / "calls"
    trace = ["strace", "-f", "-qq", "--seccomp-bpf", "-e", "trace=connect,sendto", "-o", calls]
    command = [sys.executable, "-c", OFFLINE, str(model)]
    if shutil.which("strace"):
        command = [*map(str, trace), *command]
    env = {**terminal.env, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        command, cwd=terminal.repo, env=env, capture_output=True, text=True, timeout=TIMEOUT_S
    )
    assert done.returncode == 0, done.stderr
    assert "* harbour" in done.stdout
    if calls.exists():
        assert "AF_INET" not in calls.read_text()
    # What onnxruntime keeps before it tells anybody, which it may do only later.
    assert not (terminal.home / ".cache").exists()


def test_only_the_pull_and_the_helper_model_use_the_network() -> None:
    package = Path(__file__).parents[2] / "wm"
    users = {
        path.relative_to(package).as_posix()
        for folder in ("models", "ops", "domain", "store")
        for path in (package / folder).rglob("*.py")
        if any(word in path.read_text() for word in ("urllib.request", "http.client"))
    }
    assert users == {"models/helper.py", "models/pull.py"}
    assert "local_files_only=True" in (package / "models/local.py").read_text()


def test_the_answer_of_a_search_names_its_model(terminal: Terminal) -> None:
    terminal.remember("We ship at dawn from the harbour.")
    config = terminal.home / ".config/wm/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("[recall]\nembed_wait_s = 60.0\n")
    answer = json.loads(terminal.wm("search", "harbour", "--json").out)
    assert answer["model"]["id"] == "embedded"
    assert (answer["model"]["dimension"], answer["model"]["tokenLimit"]) == (256, 256)
