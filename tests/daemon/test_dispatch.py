"""Requests through a complete daemon: routes, errors, the daemon's own answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.inside import inside
from tests.daemon.wire import Wire, run
from wm.api.control import DaemonStatus, Stopping
from wm.formats.base import dump


async def ask(
    wire: Wire, method: str, target: str, body: Any = None
) -> tuple[int, Any, dict[str, str]]:
    payload = b"" if body is None else json.dumps(body).encode()
    head = f"{method} {target} HTTP/1.1\r\nContent-Length: {len(payload)}\r\n\r\n"
    await wire.send(head.encode() + payload)
    status, headers, raw = await wire.answer(head_only=method == "HEAD")
    is_json = "json" in headers["content-type"]
    return status, json.loads(raw) if is_json and raw else raw.decode(), headers


CASES: list[tuple[str, str, Any, int, Any]] = [
    ("POST", "/v1/notes", {"text": "x"}, 200, {"texts": ["x"], "batch": 0}),
    ("POST", "/v1/spaces/abcdefabcdefabcd/notes", {"text": "y"}, 200, {"texts": ["y"], "batch": 0}),
    ("GET", "/v1/notes?limit=5", None, 200, {"texts": [], "batch": 0}),
    ("GET", "/v1/notes-beside?limit=5", None, 200, {"texts": [], "batch": 0}),
    ("POST", "/v1/print/a%2Fb?project=p", {"k": 1}, 200, "a/b p ['k']"),
]


@pytest.mark.parametrize(("method", "target", "body", "status", "expected"), CASES)
def test_a_use_case_is_answered(
    tmp_path: Path, method: str, target: str, body: Any, status: int, expected: Any
) -> None:
    async def scenario() -> None:
        async with inside(tmp_path) as daemon:
            wire = await daemon.connect()
            assert (await ask(wire, method, target, body))[:2] == (status, expected)
            await wire.close()

    run(scenario)


def test_an_early_answer_is_sent_when_the_event_is_queued(tmp_path: Path) -> None:
    gate = tmp_path / "gate"

    async def scenario() -> None:
        async with inside(tmp_path) as daemon:
            wire = await daemon.connect()
            later = {"text": "x", "gate": str(gate)}
            answer = await ask(wire, "POST", "/v1/notes-later", later)
            assert answer[:2] == (202, {"texts": ["received"], "batch": 0})
            assert (await ask(wire, "GET", "/v1/notes"))[1]["texts"] == []
            gate.touch()
            # What comes next for the workspace waits behind it.
            assert (await ask(wire, "POST", "/v1/notes", {"text": "y"}))[0] == 200
            assert (await ask(wire, "GET", "/v1/notes"))[1]["texts"] == ["x", "y"]
            assert (await ask(wire, "POST", "/v1/notes-later", {"text": "waits"}))[0] == 200
            await wire.close()

    run(scenario)


def test_a_failure_after_an_early_answer_is_logged(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with inside(tmp_path) as daemon:
            wire = await daemon.connect()
            for text in ("missing", "bug"):
                assert (await ask(wire, "POST", "/v1/notes-later", {"text": text}))[0] == 202
            assert (await ask(wire, "POST", "/v1/notes", {"text": "y"}))[0] == 200
            # The sender was answered before the failure, so the status reports it.
            status = (await ask(wire, "GET", "/v1/status"))[1]
            assert (status["lostEvents"], status["lastLoss"]) == (2, "This is a bug.")
            assert "wm_lost_events_total 2\n" in (await ask(wire, "GET", "/metrics"))[1]
            await wire.close()
        log = (tmp_path / "daemon.log").read_text()
        assert "There is no such note." in log
        assert "secret contents" not in log
        assert '"what":"POST /v1/notes-later"' in log.replace('": "', '":"')

    run(scenario)


PROBLEMS: list[tuple[str, str, Any, int, dict[str, Any]]] = [
    ("GET", "/nowhere", None, 404, {"type": "not_found"}),
    ("DELETE", "/v1/notes", None, 405, {"type": "method"}),
    ("POST", "/v1/notes", {}, 422, {"type": "invalid_request"}),
    ("POST", "/v1/notes", [1], 400, {"type": "bad_request"}),
    (
        "POST",
        "/v1/notes",
        {"text": "missing"},
        404,
        {"type": "not_found", "detail": "There is no such note.", "fix": "Write one."},
    ),
]


@pytest.mark.parametrize(("method", "target", "body", "status", "expected"), PROBLEMS)
def test_an_error_is_a_problem_and_the_connection_stays(
    tmp_path: Path, method: str, target: str, body: Any, status: int, expected: dict[str, Any]
) -> None:
    async def scenario() -> None:
        async with inside(tmp_path) as daemon:
            wire = await daemon.connect()
            got, problem, headers = await ask(wire, method, target, body)
            assert got == problem["status"] == status
            assert headers["content-type"] == "application/problem+json"
            assert {name: problem[name] for name in expected} == expected
            assert (await ask(wire, "GET", "/v1/notes"))[0] == 200
            await wire.close()

    run(scenario)


@pytest.mark.parametrize(
    ("method", "target", "body"),
    [
        ("POST", "/v1/notes", {"text": "bug"}),
        ("GET", "/v1/notes?labels=bug", None),
        ("GET", "/v1/notes-beside?labels=bug", None),
    ],
    ids=["an update", "a query on the loop", "a query beside it"],
)
def test_a_bug_is_an_incident_and_the_daemon_keeps_serving(
    tmp_path: Path, method: str, target: str, body: Any
) -> None:
    async def scenario() -> None:
        async with inside(tmp_path) as daemon:
            wire = await daemon.connect()
            status, problem, _ = await ask(wire, method, target, body)
            assert (status, problem["type"]) == (500, "internal")
            log = (tmp_path / "daemon.log").read_text()
            assert problem["incident"] in log
            assert "RuntimeError" in log
            assert "secret contents" not in log + json.dumps(problem)
            assert (await ask(wire, "GET", "/v1/notes"))[0] == 200
            assert daemon.metrics.incidents == 1
            await wire.close()

    run(scenario)


def test_status_names_the_daemon_and_its_capabilities(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with inside(tmp_path) as daemon:
            wire = await daemon.connect()
            status, answer, _ = await ask(wire, "GET", "/v1/status")
            assert status == 200
            assert (answer["name"], answer["protocol"]) == ("wm", 1)
            assert answer["home"] == str(tmp_path / "home")
            assert {"status", "changes", "note"} <= set(answer["capabilities"])
            assert dump(DaemonStatus.model_validate(answer)) == answer
            assert list(answer) == list(dump(DaemonStatus.model_validate(answer)))
            assert (await ask(wire, "HEAD", "/v1/status"))[0] == 200
            await wire.close()

    run(scenario)


def test_metrics_and_description_are_served(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with inside(tmp_path) as daemon:
            wire = await daemon.connect()
            await ask(wire, "POST", "/v1/notes", {"text": "x"})
            _, text, headers = await ask(wire, "GET", "/metrics")
            assert headers["content-type"].startswith("text/plain; version=0.0.4")
            assert 'wm_requests_total{route="POST /v1/notes",status="200"} 1' in text
            _, described, _ = await ask(wire, "GET", "/v1/openapi.json")
            assert described["openapi"] == "3.1.0"
            await wire.close()

    run(scenario)


def test_a_shutdown_is_answered_before_it_begins(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with inside(tmp_path) as daemon:
            wire = await daemon.connect()
            status, answer, headers = await ask(wire, "POST", "/v1/shutdown")
            assert (status, headers["connection"]) == (200, "close")
            assert dump(Stopping.model_validate(answer)) == answer
            assert daemon.stopped == ["stop"]
            await wire.close()

    run(scenario)
