"""The canary run at a small size: each use case and hook once, on the files, in this process.

The whole, with real processes, is `python -m tests.canary`.
"""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.canary import __main__ as command
from tests.canary import payloads, scenes
from tests.canary.fields import SENTENCE, Filler
from tests.canary.recorder import Net, Written, traced, written
from tests.canary.stage import ROOT, needs
from tests.canary.tokens import LABELLED, TOKENS, Mint
from wm.daemon.routes import ROUTES
from wm.errors import WmError
from wm.ops.catalogue import OPERATIONS
from wm.ops.operation import execute
from wm.ops.runtime import make_runtime
from wm.secrets.redact import Redactor
from wm.settings import load
from wm.store.files import FileStore
from wm.store.fsops import Disk, Handle

SEED = 20261122


class Recorder(Disk):
    """Keeps all bytes and names that go to the drive, and flushes nothing."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self.pieces: list[Written] = []

    def write_some(self, file: Handle, data: memoryview) -> int:
        self.pieces.append(Written("this process", file.path, bytes(data)))
        return super().write_some(file, data)

    def create(self, folder: Handle, name: str) -> Handle:
        self.pieces.append(Written("this process", "(a name)", name.encode()))
        return super().create(folder, name)

    def flush(self, handle: Handle) -> None:
        self.status(handle)


class Home:
    def __init__(self, folder: Path) -> None:
        self.mint = Mint(SEED)
        self.project = folder / "ferry"
        self.project.mkdir()
        settings = load({"HOME": str(folder)})
        self.disk = Recorder(settings.paths.home)
        self.moment = datetime(2026, 11, 22, 9, 0, tzinfo=UTC)
        store = FileStore(settings.paths.home, settings.store, self.disk)
        self.runtime = make_runtime(settings, store, now=lambda: self.moment)

    def call(self, name: str, fields: dict[str, Any]) -> Any:
        """Run a use case; what it refuses is refused."""
        self.moment += timedelta(seconds=1)
        operation = OPERATIONS[name]
        try:
            return execute(self.runtime, operation, operation.requested(fields))
        except WmError:
            return None

    def leaks(self) -> list[str]:
        self.runtime.store.close()
        return [str(leak)[:300] for leak in Net(self.mint.made).leaks(self.disk.pieces)]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path)
    yield made
    made.runtime.store.close()


def test_no_use_case_writes_a_canary(home: Home) -> None:
    kept = home.call("remember", {"directory": str(home.project), "text": SENTENCE})
    known = {"directory": str(home.project), "id": kept.entry.id}
    for name in (name for name in OPERATIONS if name != "hook"):
        filler = Filler(home.mint, name, known)
        for number, fields in enumerate(filler.requests(OPERATIONS[name].request)):
            if number < 1 or name == "remember":
                home.call(name, fields)
    assert home.leaks() == []
    assert len(home.mint.made) > 200


def test_nothing_that_arrives_from_a_team_writes_a_canary(home: Home) -> None:
    clock = "2026-10-01T09:00:00.000Z-0000-0000000b"
    for field in ("text", "rationale", "type", "name", "tag"):
        secret = home.mint.text(f"arrive: {field}")
        said = {"created": "2026-10-01T09:00:00.000Z", "name": "Ben", "text": SENTENCE}
        said |= {"tag:" + secret[:90]: "true"} if field == "tag" else {field: secret}
        version = {
            name: [clock, True if value == "true" else value] for name, value in said.items()
        }
        entry = {"id": f"m_{len(home.mint.made):020x}", "authors": {"a_" + "b" * 16: version}}
        here = {"directory": str(home.project), "node": "0000000a", "author": "a_" + "a" * 16}
        assert home.call("arrive", {**here, "entries": [{"entry": entry}]}) is not None
    assert any(SENTENCE.encode() in piece.data for piece in home.disk.pieces)
    assert home.leaks() == []


@pytest.mark.parametrize("agent", ["claude-code", "opencode"])
def test_no_hook_writes_a_canary(home: Home, agent: str) -> None:
    folder = str(home.project)
    given = (
        payloads.claude(home.mint)
        if agent == "claude-code"
        else payloads.opencode_posts(home.mint, folder)
    )
    for number, (name, payload) in enumerate(given):
        if "ool" not in name or number % 60 == 0:
            payload = {"cwd": folder, **payload}
            home.call("hook", {"agent": agent, "name": name, "payload": payload, "project": folder})
    assert home.leaks() == []
    assert any("sessions/" in piece.path for piece in home.disk.pieces)


def test_a_written_canary_is_found_in_each_form() -> None:
    mint = Mint(SEED)
    token = mint.name("here")
    net = Net(mint.made)
    for form in (token, f"x{token}", token.encode().hex()):
        assert [found.place for found, _ in net.hits(form.encode())] == ["here"]
    for before in ("", "a", "ab"):
        coded = json.dumps({"data": _base64(f"{before}{token}\n")})
        assert [found.place for found, _ in net.hits(coded.encode())] == ["here"]
    assert list(net.hits(token[:-3].encode())) == []


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def test_every_form_of_a_canary_is_a_secret_without_context() -> None:
    mint = Mint(SEED)
    redactor = Redactor(lambda secret: f"{len(secret):012x}")
    for _ in range(3 * (len(TOKENS) + len(LABELLED))):
        mint.text("a line")
        mint.name("a name")
    missed = [c.text for c in mint.made if any(s in redactor.text(c.text) for s in c.secrets)]
    assert missed == []


def test_every_verb_and_every_route_is_run() -> None:
    lines = {path: list(scenes.command_lines(path, verb, Mint(SEED), "m_1"))
             for path, verb in scenes.verbs()}  # fmt: skip
    assert all(len(words) >= 3 for words in lines.values())
    assert set(scenes.ENDLESS) <= set(lines)
    named = {route.operation for route in ROUTES if not route.control}
    assert named <= set(OPERATIONS)


@pytest.mark.skipif(bool(needs()), reason=needs())
def test_temporary_files_of_a_process_are_recorded(tmp_path: Path) -> None:
    log = tmp_path / "log"
    gone = tmp_path / "gone"
    program = f"import os; p={str(gone)!r}; open(p, 'w').write('canary \\xe9'); os.unlink(p)"
    subprocess.run(traced([sys.executable, "-I", "-c", program], log), check=True)
    found = [(piece.path, piece.data) for piece in written(log)]
    assert (str(gone), "canary \xe9".encode()) in found
    assert ("(a name)", str(gone).encode()) in found


def test_a_bug_report_contains_no_typed_text(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-P", "-c", scenes.BROKEN, "search", "canary-words"]
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    done = subprocess.run(words, env=env, cwd=tmp_path / "repo", capture_output=True, check=False)
    (report,) = tmp_path.glob("wm-bug-*.log")
    assert done.returncode == 3
    assert "ValueError" in report.read_text()
    assert "canary-words" not in report.read_text()


@pytest.mark.canary
@pytest.mark.skipif(bool(needs()), reason=needs())
@pytest.mark.parametrize("name", scenes.SCENES)
def test_no_byte_of_a_real_run_contains_a_canary(name: str) -> None:
    assert command.play(name, SEED)
