"""Server-sent events: what subscribers receive, and how one reconnects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.daemon.inside import Inside, inside
from tests.daemon.toys import TOYS
from tests.daemon.wire import run, until
from wm.daemon.changes import KEPT_EVENTS, MAX_BEHIND_BYTES, Hub
from wm.daemon.client import Events, ServerEvent
from wm.daemon.client_async import AsyncClient
from wm.daemon.routes import Router
from wm.ops.operation import DocumentChange

A, B = DocumentChange("a", "tombstones"), DocumentChange("b", "session_state", "s1")


class Subscriber:
    """A channel that keeps what it was sent."""

    def __init__(self, waiting_bytes: int = 0) -> None:
        self.events: list[ServerEvent] = []
        self.waiting_bytes = waiting_bytes
        self.closed: Any = None
        self.aborted = False
        self._reader = Events()

    def send(self, data: bytes) -> bool:
        self.events += self._reader.feed(data)
        return True

    def close(self, *, abort: bool = False) -> None:
        self.aborted = abort
        self.closed()

    @property
    def received(self) -> list[tuple[str, str]]:
        return [(event.event, event.data.get("workspace", "")) for event in self.events]


def hub_with(*changes: DocumentChange) -> Hub:
    hub = Hub("life")
    hub.publish(changes)
    return hub


CASES: list[tuple[str, str, list[tuple[str, str]]]] = [
    ("", "", [("hello", ""), ("change", "a")]),
    ("", "life-0", [("hello", ""), ("change", "a"), ("change", "b"), ("change", "a")]),
    ("", "life-1", [("hello", ""), ("change", "b"), ("change", "a")]),
    ("", "life-2", [("hello", ""), ("change", "a")]),
    ("a", "life-0", [("hello", ""), ("change", "a"), ("change", "a")]),
    ("b", "life-2", [("hello", "")]),
    ("", "life-3", [("reset", ""), ("change", "a")]),
    ("", "other-1", [("reset", ""), ("change", "a")]),
    ("", "nonsense", [("reset", ""), ("change", "a")]),
]


@pytest.mark.parametrize(("workspace", "last_id", "expected"), CASES)
def test_a_returning_listener_gets_the_missed_changes(
    workspace: str, last_id: str, expected: list[tuple[str, str]]
) -> None:
    hub, subscriber = hub_with(A, B), Subscriber()
    hub.subscribe(subscriber, workspace, last_id)  # type: ignore[arg-type]
    hub.publish([A])
    assert subscriber.received == expected


def test_a_subscriber_gets_changes_with_consecutive_ids() -> None:
    hub, subscriber = hub_with(A), Subscriber()
    hub.subscribe(subscriber)  # type: ignore[arg-type]
    hub.publish([B])
    assert [event.id for event in subscriber.events] == ["life-1", "life-2"]
    assert subscriber.events[1].data == {"workspace": "b", "slug": "session_state", "name": "s1"}


def test_a_listener_away_too_long_gets_a_reset() -> None:
    hub, subscriber = hub_with(*[A] * (KEPT_EVENTS + 2)), Subscriber()
    hub.subscribe(subscriber, "", "life-1")  # type: ignore[arg-type]
    assert subscriber.received == [("reset", "")]


def test_a_listener_that_does_not_read_is_disconnected() -> None:
    hub, subscriber = Hub("life"), Subscriber(waiting_bytes=MAX_BEHIND_BYTES + 1)
    hub.subscribe(subscriber)  # type: ignore[arg-type]
    hub.publish([A])
    assert (subscriber.aborted, len(hub), hub.dropped) == (True, 0, 1)


def client(daemon: Inside) -> AsyncClient:
    return AsyncClient(daemon.settings, _router=Router(TOYS))


def test_a_commit_is_published_over_the_socket(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with inside(tmp_path) as daemon, client(daemon) as caller:
            events = caller.changes()
            assert (await anext(events)).event == "hello"
            await caller.call("note", {"text": "x"})
            received = await anext(events)
            assert (received.event, received.data["slug"]) == ("change", "tombstones")
            await events.aclose()
            await until(lambda: len(daemon.hub) == 0)

    run(scenario)
