"""The totals of a session's paging follow its ledger: what was appended, deleted or unreadable."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.ops.conftest import Bench
from wm.api.protocol import WorkspacePlace
from wm.cli.overview import paging_line
from wm.errors import UserError
from wm.formats.ledger import LedgerRecord
from wm.ops.operation import Work
from wm.ops.paging import ledger
from wm.store.files import FileStore
from wm.store.paths import sid


def append(bench: Bench, *requests: str, model: str = "") -> None:
    sent = {"kind": "sent", "policy": "safe", "saved": 1000.0, "model": model}
    records = [{**sent, "request": name} for name in requests or ("r_1",)]
    bench.call("append_paging", session_id="s-1", objects=[], records=records, durable=True)


def saved(bench: Bench) -> float | None:
    place = WorkspacePlace(key=bench.key, root=str(bench.project))
    totals = ledger.totals(Work(bench.runtime, bench.moment).at(place), "s-1")
    return None if totals is None else totals.saved


def test_records_are_counted_once(bench: Bench) -> None:
    append(bench)
    assert saved(bench) == 1000.0
    append(bench, "r_2", "r_3", "r_1")
    assert saved(bench) == 3000.0
    assert saved(bench.reopen()) == 3000.0


def test_an_amount_without_known_prices_is_not_shown_in_dollars(bench: Bench) -> None:
    append(bench, model="claude-opus-5-5")
    place = WorkspacePlace(key=bench.key, root=str(bench.project))
    read = Work(bench.runtime, bench.moment)
    known = ledger.totals(read.at(place), "s-1")
    assert known is not None
    line = "saved $0.0010, spent $0.0000, 0 needed again, 0 cache misses"
    assert (known.unpriced, f" · {line} · " in paging_line(known)) == ((), True)
    payload = {"session_id": "s-1", "cwd": str(bench.project)}
    shown = bench.call("statusline", payload=payload).body
    assert shown.endswith(f" · {line}"), "also if the last request lacks nothing any more"
    append(bench, "r_2", model="house-model-7b")
    mixed = ledger.totals(read.at(place), "s-1")
    assert mixed is not None
    assert (mixed.unpriced, "$" in paging_line(mixed)) == (("house-model-7b",), False)
    assert "the price of the model is not known" in paging_line(mixed)


def test_a_session_whose_requests_left_before_a_policy_was_applied_is_not_called_off(
    bench: Bench,
) -> None:
    late = {"kind": "sent", "request": "r_1", "policy": "", "model": "claude-opus-5-5"}
    bench.call("append_paging", session_id="s-1", objects=[], records=[late], durable=True)
    place = WorkspacePlace(key=bench.key, root=str(bench.project))
    totals = ledger.totals(Work(bench.runtime, bench.moment).at(place), "s-1")
    assert totals is not None
    assert paging_line(totals).startswith("policy not known yet · 1 request")


def test_records_that_arrive_while_the_ledger_is_read_are_counted_once(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(bench)
    bench = bench.reopen()
    store, read = bench.runtime.store, bench.runtime.store.append_paging

    def read_in_between(*args: object, **kwargs: object) -> None:
        read(*args, **kwargs)  # type: ignore[arg-type]
        assert saved(bench) == 2000.0

    monkeypatch.setattr(store, "append_paging", read_in_between)
    append(bench, "r_2")
    assert saved(bench) == 2000.0


def test_the_newest_ledgers_are_read_ahead(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A starting proxy asks without a session; the first request of a resumed one then finds its
    ledger in memory."""
    append(bench)
    step = {"id": "o_000000000001", "places": ["0" * 16], "number": 1, "type": "plan", "tokens": 9}
    bench.call("append_paging", session_id="s-1", objects=[step], records=[], durable=True)
    bench = bench.reopen()
    assert bench.call("read_ledger", ahead=True).alive == {}
    monkeypatch.setattr(bench.runtime.store, "ledger", None)
    assert bench.call("read_ledger", session_id="s-1").alive == {"": 0.0}


def test_a_request_without_a_session_is_an_error(bench: Bench) -> None:
    with pytest.raises(UserError, match="names no session"):
        bench.call("read_ledger")


def test_a_ledger_that_is_read_keeps_no_other_waiting(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long ledger takes 0.2 s; a request of another session waits for 50 ms."""
    append(bench)
    assert saved(bench) == 1000.0
    begun, go_on = threading.Event(), threading.Event()

    def slow(*_names: str) -> tuple[LedgerRecord, ...]:
        begun.set()
        assert go_on.wait(10)
        return ()

    monkeypatch.setattr(bench.runtime.store, "ledger", slow)
    with ThreadPoolExecutor() as pool:
        other = pool.submit(lambda: bench.call("read_ledger", session_id="s-2"))
        assert begun.wait(10)
        assert pool.submit(saved, bench).result(10) == 1000.0
        assert not other.done()
        go_on.set()
        assert other.result(10).alive == {}


def test_a_deleted_session_has_no_totals(bench: Bench) -> None:
    append(bench)
    assert saved(bench) == 1000.0
    bench.event("session_deleted")
    assert saved(bench) is None
    append(bench)
    assert saved(bench) == 1000.0


def test_an_unreadable_ledger_hides_its_totals_and_nothing_else(files: Bench) -> None:
    files.remember("We deploy with `make ship`.")
    append(files)
    assert isinstance(files.store, FileStore)
    (log,) = files.store.home.rglob(f"decisions/{sid('s-1')}.jsonl")
    log.unlink()
    log.mkdir()
    assert saved(files.reopen()) is None
    payload = {"session_id": "s-1", "cwd": str(files.project)}
    assert files.reopen().call("statusline", payload=payload).body == "wm 1 remembered"
