"""The MCP server as a process: pipes, threads, its end (IF-4)."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from wm.agents.mcp_session import McpSession, ToolCall, ToolOutcome
from wm.agents.mcp_stdio import LineSplitter, serve
from wm.settings import daemon_environment

ROOT = Path(__file__).resolve().parents[2]
QUEUE = "The job queue runs on Postgres with SKIP LOCKED, not on Redis."


def message(method: str, id: Any = None, **params: Any) -> bytes:
    body = {"jsonrpc": "2.0", "method": method, "params": params}
    return json.dumps(body if id is None else {**body, "id": id}).encode() + b"\n"


def call(id: Any, name: str, **arguments: Any) -> bytes:
    return message("tools/call", id, name=name, arguments=arguments)


# --- lines --------------------------------------------------------------------------------


def test_a_stream_gives_the_same_lines_for_every_split() -> None:
    stream = b'{"a":1}\n\n{"b":2}\r\nlast'
    for cut in range(len(stream)):
        lines = LineSplitter(64)
        got = lines.feed(stream[:cut]) if cut else []
        got += lines.feed(stream[cut:])
        assert [*got, *lines.feed(b"")] == [b'{"a":1}', b"", b'{"b":2}\r', b"last"]


@pytest.mark.parametrize("size", [1, 3, 5, 100])
def test_a_line_that_is_too_long_is_skipped_and_the_next_one_read(size: int) -> None:
    stream = b"short\n" + b"x" * 50 + b"\nafter\n" + b"y" * 11
    lines = LineSplitter(10)
    got: list[bytes | None] = []
    for at in range(0, len(stream), size):
        got += lines.feed(stream[at : at + size])
    assert [*got, *lines.feed(b"")] == [b"short", None, b"after", None]


# --- in this process ----------------------------------------------------------------------


class Client:
    """The other end of a server that runs in a thread."""

    def __init__(self, perform: Any) -> None:
        self.source, self._to = os.pipe()
        self._from, self.target = os.pipe()
        self.answers = os.fdopen(self._from, "rb")
        self.thread = threading.Thread(
            target=serve, args=(McpSession("1"), perform, self.source, self.target), daemon=True
        )
        self.thread.start()

    def send(self, *messages: bytes) -> None:
        for one in messages:
            os.write(self._to, one)

    def next(self) -> Any:
        return json.loads(self.answers.readline())

    def hang_up(self) -> None:
        os.close(self._to)
        self.thread.join(10)
        assert not self.thread.is_alive()
        os.close(self.target)


@contextlib.contextmanager
def talking_to(perform: Any) -> Iterator[Client]:
    client = Client(perform)
    yield client
    client.hang_up()
    client.answers.close()
    os.close(client.source)


def test_pings_and_cancellations_are_processed_during_a_call() -> None:
    began, go_on = threading.Event(), threading.Event()

    def slow(call: ToolCall) -> ToolOutcome:
        began.set()
        assert go_on.wait(10)
        return ToolOutcome(str(call.arguments["query"]))

    with talking_to(slow) as client:
        client.send(call(1, "memory_query", query="a"), call(2, "memory_query", query="b"))
        assert began.wait(10)
        client.send(message("ping", 3))
        assert client.next()["id"] == 3
        client.send(message("notifications/cancelled", requestId=1), message("ping", 4))
        assert client.next()["id"] == 4
        go_on.set()
        assert client.next()["id"] == 2


def test_the_calls_before_the_end_of_the_input_are_still_answered() -> None:
    go_on = threading.Event()

    def slow(call: ToolCall) -> ToolOutcome:
        assert go_on.wait(10)
        return ToolOutcome("done")

    with talking_to(slow) as client:
        client.send(call(1, "memory_stats"), call(2, "memory_stats").rstrip())
        go_on.set()
        # The last line had no end; that of the input was its end.
        os.close(client._to)
        assert [client.next()["id"], client.next()["id"]] == [1, 2]
        client._to = os.open(os.devnull, os.O_WRONLY)


def test_a_bug_in_a_tool_fails_one_call_without_quoting_contents(
    capfd: pytest.CaptureFixture[str],
) -> None:
    def broken(call: ToolCall) -> ToolOutcome:
        raise KeyError(call.arguments["query"])

    with talking_to(broken) as client:
        client.send(call(1, "memory_query", query="private words"), message("ping", 2))
        by_id = {reply["id"]: reply["result"] for reply in (client.next(), client.next())}
    assert by_id[1]["isError"] is True
    assert "bug in wm" in by_id[1]["content"][0]["text"]
    err = capfd.readouterr().err
    assert "KeyError at" in err
    assert "private words" not in err


def test_a_client_that_stops_reading_ends_the_server() -> None:
    client = Client(lambda _call: ToolOutcome("x"))
    client.answers.close()
    client.send(message("ping", 1))
    client.thread.join(10)
    assert not client.thread.is_alive()
    for descriptor in (client._to, client.source, client.target):
        os.close(descriptor)


# --- as the agent starts it ---------------------------------------------------------------


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "repo").mkdir()
    return {
        **daemon_environment(),
        "HOME": str(tmp_path),
        "WM_HOME": str(tmp_path / "wm"),
        "WM_SOCKET": str(tmp_path / "s"),
        "PYTHONPATH": str(ROOT),
    }


def run(environment: dict[str, str], *messages: bytes, **options: Any) -> tuple[list[Any], str]:
    """What a server without a daemon answers to all of these, and its stderr."""
    folder = Path(environment["HOME"]) / "repo"
    done = subprocess.run(
        [sys.executable, "-m", "wm", "mcp", *options.get("words", ())],
        input=b"".join(messages),
        capture_output=True,
        env={**environment, **options.get("env", {})},
        cwd=options.get("cwd", folder),
        timeout=60,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr.decode()


def test_a_complete_session_without_a_daemon(environment: dict[str, str], tmp_path: Path) -> None:
    replies, err = run(
        environment,
        message("initialize", 1, protocolVersion="2025-06-18", capabilities={}),
        message("notifications/initialized"),
        b"nonsense\n",
        call(2, "remember", text=QUEUE),
        call(3, "remember", text=""),
        call(4, "memory_stats"),
        cwd=tmp_path,
        env={"CLAUDE_PROJECT_DIR": str(tmp_path / "repo")},
    )
    by_id = {reply["id"]: reply for reply in replies}
    assert err == ""
    assert by_id[1]["result"]["protocolVersion"] == "2025-06-18"
    assert by_id[None]["error"]["code"] == -32700
    assert by_id[2]["result"]["structuredContent"]["outcome"] == "inbox"
    assert by_id[3]["result"]["content"][0]["text"].startswith("The argument 'text' of remember is")
    assert by_id[3]["result"]["isError"] is True
    counted = by_id[4]["result"]["structuredContent"]
    assert (counted["waiting"], counted["workspace"]) == (1, str(tmp_path / "repo"))


def test_a_folder_that_cannot_be_a_workspace_is_reported_to_the_model(
    environment: dict[str, str], tmp_path: Path
) -> None:
    [reply], _ = run(environment, call(1, "memory_stats"), cwd=tmp_path)
    assert reply["result"]["isError"] is True
    assert str(tmp_path) in reply["result"]["content"][0]["text"]


def test_option_c_names_the_workspace(environment: dict[str, str], tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    [reply], _ = run(environment, call(1, "memory_stats"), words=("-C", str(other)))
    assert reply["result"]["structuredContent"]["workspace"] == str(other)
