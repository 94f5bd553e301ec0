"""How many hits a search gives (RC-1)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.cli.terminal import repository
from tests.ops.conftest import CENTS, QUEUE, SHIP, Bench
from wm.errors import UserError
from wm.settings import NUMERIC_THREADS, RecallSettings


@pytest.mark.parametrize(("asked", "hits"), [({}, 2), ({"limit": 1}, 1), ({"limit": 3}, 3)])
def test_a_search_returns_the_requested_or_configured_number_of_hits(
    bench: Bench, asked: dict[str, int], hits: int
) -> None:
    bench.settings = replace(bench.settings, recall=RecallSettings(max_hits=2))
    bench.__post_init__()
    for text in (SHIP, CENTS, QUEUE):
        bench.remember(f"{text} This is about the shop.")
        bench.later()
    assert len(bench.call("search", query="shop", **asked).hits) == hits


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({}, 2),
        ({"since": "36h"}, 1),
        ({"until": "36h"}, 1),
        ({"since": "2 weeks", "until": "yesterday"}, 1),
        ({"type": "decision"}, 0),
        ({"tag": "release"}, 0),
        ({"path": "src"}, 0),
        ({"scope": "workspace"}, 2),
        ({"scope": "branch:x"}, 0),
        ({"origin": "tool"}, 0),
        ({"session": "nobody"}, 0),
    ],
)
def test_a_search_filters_by_entry_fields(bench: Bench, asked: dict[str, str], found: int) -> None:
    bench.remember("The shop counts prices in cents.")
    bench.later(days=3)
    bench.remember("The shop ships from the harbour.")
    assert len(bench.call("search", query="shop", **asked).hits) == found


def test_an_invalid_time_is_refused_with_the_valid_form(bench: Bench) -> None:
    with pytest.raises(UserError, match="`since` is 'soon'") as raised:
        bench.call("search", query="shop", since="soon")
    assert "last week" in raised.value.fix


@pytest.mark.parametrize(
    ("asked", "said", "fix"),
    [
        ({"type": "decison"}, "`type` is 'decison'", "decision, project or reference"),
        ({"origin": "me"}, "`origin` is 'me'", "user, agent, tool or import"),
        ({"status": "old"}, "`status` is 'old'", "active, superseded, inbox or all"),
        ({"scope": "main"}, "`scope` is 'main'", "branch:NAME"),
        ({"scope": "branch:"}, "not a scope", "branch:NAME"),
        ({"until": "soon"}, "`until` is 'soon'", "last week"),
        ({"since": "1d", "until": "2d"}, "No time is between", "earlier"),
        ({"path": "/etc/passwd"}, "is outside", "path of this project"),
        ({"path": "../other"}, "is outside", "path of this project"),
    ],
)
def test_an_impossible_filter_is_refused_with_the_valid_form(
    bench: Bench, asked: dict[str, str], said: str, fix: str
) -> None:
    with pytest.raises(UserError, match=said) as raised:
        bench.call("search", query="shop", **asked)
    assert fix in raised.value.fix


@pytest.mark.parametrize(
    ("folder", "path", "found"),
    [
        ("", "src", 1),
        ("", "src/", 1),
        ("", "./src/db.py", 1),
        ("", ".", 1),
        ("src", "db.py", 1),
        ("src", "src/db.py", 1),
        ("src", ".", 1),
        ("src", "..", 1),
        ("", "{root}/src", 1),
        ("", "docs", 0),
        ("", "sr", 0),
        ("docs", ".", 0),
    ],
)
def test_a_path_is_relative_to_the_folder_or_the_root(
    bench: Bench, folder: str, path: str, found: int
) -> None:
    repository(bench.project)
    for name in ("src", "docs"):
        (bench.project / name).mkdir()
    (bench.project / "src/db.py").write_text("pool = 1\n")
    bench.remember("The shop pools its connections.", anchors=("src/db.py",))
    bench.remember("The shop ships from the harbour.")
    asked = {"directory": str(bench.project / folder), "path": path.format(root=bench.project)}
    assert len(bench.call("search", query="shop", **asked).hits) == found


@pytest.mark.parametrize(
    ("path", "found"),
    [("src", 1), ("./src/db.py", 1), (".", 1), ("{root}/src", 1), ("db.py", 0), ("docs", 0)],
)
def test_a_path_without_a_folder_is_relative_to_the_root(
    bench: Bench, path: str, found: int
) -> None:
    repository(bench.project)
    (bench.project / "src").mkdir()
    (bench.project / "src/db.py").write_text("pool = 1\n")
    bench.remember("The shop pools its connections.", anchors=("src/db.py",))
    asked = {"workspace": bench.key, "path": path.format(root=bench.project)}
    assert len(bench.call("search", query="shop", **asked).hits) == found


def test_an_answer_is_cited_and_returned_with_the_hits(bench: Bench) -> None:
    kept = bench.remember("The staging broker listens on port 8883. Its log is short.")
    bench.remember(QUEUE)
    found = bench.call("search", query="which port has the staging broker")
    assert found.answer.entry == kept.id
    assert found.answer.text == "The staging broker listens on port 8883."
    assert found.hits[0].entry.id == kept.id


def test_without_hits_nothing_is_answered(bench: Bench) -> None:
    bench.remember(SHIP)
    found = bench.call("search", query="who feeds the zebra in the zoo")
    assert (found.hits, found.answer, found.standing) == ((), None, ())


def test_of_two_statements_the_active_one_answers(bench: Bench) -> None:
    old = bench.remember("The staging broker listens on port 1883.", type="decision")
    new = bench.remember("The staging broker listens on port 8883.", type="decision")
    memory = bench.memory()
    replaced = {"status": "superseded", "superseded_by": new.id}
    bench.write_memory(
        *(e.model_copy(update=replaced) if e.id == old.id else e for e in memory.entries)
    )
    for status in ("", "all"):
        found = bench.call("search", query="port of the staging broker", status=status)
        assert found.answer.entry == new.id


def test_a_hit_with_changed_code_is_marked_and_does_not_answer(bench: Bench) -> None:
    repository(bench.project)
    code = bench.project / "dock.py"
    code.write_text("def berth(number):\n    return number + 1\n")
    tied = bench.remember("The berth counts from one on the quay.", anchors=("dock.py:berth",))
    bench.call("edit_entry", id=tied.id, pinned=True)
    assert bench.call("search", query="what does the berth count from").answer.entry == tied.id
    code.write_text("def berth(number):\n    return number\n")
    found = bench.call("search", query="what does the berth count from")
    assert (found.hits[0].entry.suspect, found.answer) == ("changed", None)
    assert bench.call("search", query="zebra crossing").standing[0].suspect == "changed"
    plain = bench.remember("The berth counts from zero on the pier.")
    assert bench.call("search", query="what does the berth count from").hits[0].entry == plain


def test_entries_of_another_branch_rank_behind_valid_ones(bench: Bench) -> None:
    head = repository(bench.project) / ".git" / "HEAD"
    here = bench.remember("The payment hook retries three times.")
    head.write_text("ref: refs/heads/pier\n")
    there = bench.remember("The payment hook waits.", branch_only=True)
    orders = []
    for branch in ("main", "pier"):
        head.write_text(f"ref: refs/heads/{branch}\n")
        orders.append([h.entry.id for h in bench.call("search", query="payment hook").hits])
    assert orders == [[here.id, there.id], [there.id, here.id]]


def test_pinned_entries_are_in_every_reply_once(bench: Bench) -> None:
    tabs = bench.remember("Use tabs in Go code.")
    bench.call("edit_entry", id=tabs.id, pinned=True)
    bench.remember(SHIP)
    for query, hits in (("how do we deploy", 1), ("zebra crossing", 0), ("tabs in Go", 1)):
        found = bench.call("search", query=query, limit=1)
        assert len(found.hits) == hits
        said = [hit.entry.id for hit in found.hits] + [e.id for e in found.standing]
        assert said.count(tabs.id) == 1


def test_a_filter_returns_nothing_rather_than_weak_hits(bench: Bench) -> None:
    bench.remember("Prices are stored in cents.", type="decision")
    bench.remember("The walrus manifest is signed by the harbour master.", type="project")
    assert bench.call("search", query="walrus manifest signed", type="decision").hits == ()


@pytest.mark.skipif(sys.platform != "linux", reason="counts threads in /proc")
def test_embedding_uses_one_thread(tmp_path: Path) -> None:
    program = (
        "import os, threading; from wm.ops.local import open_runtime;"
        "from wm.ops.search.search import embedding; from wm.settings import load;"
        "worker, made = embedding(open_runtime(load())), threading.Event();"
        "worker.submit(['x'], lambda *_: made.set()); assert made.wait(20);"
        "print(len(os.listdir('/proc/self/task')) - threading.active_count())"
    )
    environment = {k: v for k, v in os.environ.items() if k != NUMERIC_THREADS}
    environment["WM_HOME"] = str(tmp_path)
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment
    )
    assert (result.stdout, result.stderr) == ("0\n", "")
