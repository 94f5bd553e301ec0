"""The use cases for Python programs, with the daemon and without it (ST-7)."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.daemon.process import started
from wm.errors import HostError, NotFound, Unanswered, UserError
from wm.library import Library
from wm.settings import Settings, daemon_environment, load

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
SHIP = "We deploy with `make ship` from the release branch."
NOTES = "/memories/notes.md"


@pytest.fixture(scope="module")
def with_daemon() -> Iterator[Settings]:
    with TemporaryDirectory(prefix="wm-", ignore_cleanup_errors=True) as folder:
        environment = {**daemon_environment(), "HOME": folder, "WM_SOCKET": f"{folder}/s"}
        with started(environment) as settings:
            yield settings


@pytest.fixture(params=["on the files", "through the daemon"])
def library(request: pytest.FixtureRequest, tmp_path: Path) -> Library:
    if request.param == "through the daemon":
        return Library(request.getfixturevalue("with_daemon"))
    return Library(load({"HOME": str(tmp_path), "WM_SOCKET": str(tmp_path / "s")}))


@pytest.fixture
def project(tmp_path: Path) -> str:
    folder = tmp_path / "ferry"
    folder.mkdir()
    return str(folder)


def test_answers_are_the_same_with_and_without_a_daemon(library: Library, project: str) -> None:
    kept = library.run("remember", {"directory": project, "text": SHIP})
    assert (kept["outcome"], kept["entry"]["text"]) == ("promoted", SHIP)
    found = library.run("search", {"directory": project, "query": "how do we deploy"})
    assert [hit["entry"]["text"] for hit in found["hits"]] == [SHIP]


def test_a_program_can_run_the_hook_of_an_agent(library: Library, project: str) -> None:
    words = {"session_id": "s", "cwd": "/", "prompt": f"Remember that {SHIP}"}
    hook = {"agent": "claude-code", "name": "UserPromptSubmit", "payload": words}
    answer = library.run("hook", {**hook, "project": project})
    assert answer["contentType"] == "application/json"
    assert "Remembered as m_" in answer["body"]
    found = library.run("search", {"directory": project, "query": "how do we deploy"})
    assert [hit["entry"]["text"] for hit in found["hits"]] == [SHIP]
    silent = library.run("hook", {**hook, "name": "NoSuchHook", "project": project})
    assert silent["body"] == ""


def test_a_tool_call_works_through_the_library(library: Library, project: str) -> None:
    library.run("remember", {"directory": project, "text": SHIP})
    fields = {"directory": project, "name": "memory_query", "arguments": {"query": "deploy"}}
    answer = library.run("call_tool", fields)
    assert SHIP in answer["text"]
    assert answer["structured"]["hits"][0]["text"] == SHIP
    with pytest.raises(UserError, match="has no argument 'all'"):
        library.run("call_tool", {**fields, "arguments": {"query": "a", "all": True}})
    with pytest.raises(NotFound, match="no memory tool 'memory_burn'"):
        library.run("call_tool", {**fields, "name": "memory_burn"})


def test_the_providers_memory_tool_works_through_the_library(
    library: Library, project: str
) -> None:
    def do(**command: Any) -> dict[str, Any]:
        return library.run("memory_files", {"directory": project, "command": command})

    made = do(command="create", path=NOTES, file_text="One.\nTwo.\n")
    assert made == {"text": f"File created successfully at: {NOTES}", "failed": False}
    assert do(command="view", path=NOTES)["text"].endswith("     1\tOne.\n     2\tTwo.")
    assert do(command="delete", path=NOTES)["text"] == f"Successfully deleted {NOTES}"
    assert do(command="view", path=NOTES) == {
        "text": f"The path {NOTES} does not exist. Please provide a valid path.",
        "failed": True,
    }


def test_an_invalid_request_is_refused(library: Library, project: str) -> None:
    with pytest.raises(HostError, match="text"):
        library.run("remember", {"directory": project, "text": ["a"]})


@pytest.fixture
def with_a_daemon_that_hangs(tmp_path: Path) -> Iterator[Library]:
    """Somebody takes connections and requests, and never answers."""
    settings = load({"HOME": str(tmp_path), "WM_SOCKET": str(tmp_path / "s")})
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(settings.paths.socket))
        server.listen()
        yield Library(settings)


def test_if_the_daemon_does_not_answer_only_reads_go_to_the_files(
    with_a_daemon_that_hangs: Library, project: str
) -> None:
    def call(name: str, **arguments: Any) -> dict[str, Any]:
        fields = {"directory": project, "name": name, "arguments": arguments}
        reads = name == "memory_stats"
        return with_a_daemon_that_hangs.run("call_tool", fields, deadline_s=0.1, repeatable=reads)

    assert call("memory_stats")["structured"]["active"] == 0
    with pytest.raises(Unanswered, match="did not answer in time"):
        call("remember", text=SHIP)
    assert call("memory_stats")["structured"]["waiting"] == 0


def test_an_unknown_name_is_a_key_error(library: Library) -> None:
    with pytest.raises(KeyError):
        library.run("burn", {})


def test_the_example_is_a_tool_of_the_providers_package(
    library: Library, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("anthropic", reason="the example needs the provider's package")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import memory_tool  # type: ignore[import-not-found, unused-ignore]

    tool = memory_tool.WorkspaceMemory(project)
    tool._library = library
    create = {"command": "create", "path": NOTES, "file_text": "One.\n"}
    assert tool.call(create) == f"File created successfully at: {NOTES}"
    with pytest.raises(memory_tool.ToolError, match="already exists"):
        tool.call(create)
    sys.modules.pop("memory_tool")
