"""Stubs say what was lost; known lines become references; file uses of calls."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec import to_builtins

from wm.domain.paging import stubs
from wm.domain.paging.files import uses
from wm.domain.paging.known_lines import KnownLines
from wm.wire.policy import with_notes, with_references

SOURCE = "\n".join(f"    quay_{n} = berth_of(ship_{n}, draught={n})" for n in range(40))


def shown(_source: int) -> bool:
    return True


def test_a_stub_names_size_rarest_identifiers_and_handle() -> None:
    count = {"quay_7": 1, "ship_7": 1}
    names = stubs.rarest(stubs.names_in(SOURCE), lambda name: count.get(name, 9), 40)
    text = stubs.result_stub(SOURCE, names, is_error=True)
    assert names[:2] == ["quay_7", "ship_7"]
    assert text.startswith("[wm: 40 lines removed (failed); quay_7, ship_7, ")
    assert text.endswith(f"; {stubs.handle_of(SOURCE)}]")
    assert len(text) <= stubs.stub_chars(SOURCE) + 20


def test_at_most_eight_names_within_their_room() -> None:
    names = frozenset(f"name_{n:02d}" for n in range(20))
    assert len(stubs.rarest(names, lambda _n: 1, 1000)) == stubs.MAX_NAMES
    assert len(stubs.rarest(names, lambda _n: 1, 20)) == 2


def test_equal_content_has_one_handle() -> None:
    assert stubs.handle_of("a") == stubs.handle_of("a") != stubs.handle_of("b")


def test_words_are_no_identifiers() -> None:
    assert stubs.names_in("the harbour berthOf quay_2 BERTHS sha256 __init__") == {
        *("berthOf", "quay_2", "sha256")
    }


@pytest.mark.parametrize(
    ("given", "keys"),
    [
        ({"path": "a.py", "content": SOURCE}, ["content"]),
        ({"path": "a.py", "edits": [{"old": SOURCE}]}, ["edits"]),
        ({"path": "a.py"}, []),
    ],
)
def test_long_texts_of_an_input_become_notes(given: Any, keys: list[str]) -> None:
    notes = stubs.input_notes(given)
    assert list(notes) == keys
    assert all(note.startswith(stubs.MARK) for note in notes.values())
    shown = with_notes(given, json.dumps(notes))
    assert shown is None if not keys else json.loads(shown or "") == {**given, **notes}


@pytest.mark.parametrize("name", ["old_string", "oldString", "old_str", "oldText"])
def test_the_text_that_an_edit_replaced_goes_before_the_one_that_it_wrote(name: str) -> None:
    given = {"path": "a.py", name: SOURCE, "new": SOURCE}
    assert list(stubs.input_notes(given, short=len(SOURCE))) == [name]


def test_a_step_says_what_it_did() -> None:
    label = stubs.label_of("Bash", {"command": "pytest -x tests\nls", "timeout": 9})
    assert stubs.label_of("Read", {"file_path": "a.py"}) == "Read a.py"
    text = stubs.step_line([label, "Read a.py"], "out", lambda _room: ["quay_2"], failed=True)
    handle = stubs.handle_of("out")
    assert text == f"[wm: step: pytest -x tests and 1 more; quay_2 (failed); {handle}]"


@pytest.mark.parametrize("label", ["x" * 200, "ls"])
def test_a_line_of_a_step_is_never_longer_than_planned(label: str) -> None:
    names = frozenset(f"name_{n:02d}" for n in range(20))
    text = stubs.step_line(
        [label, "b"], "out", lambda room: stubs.rarest(names, lambda _n: 1, room), failed=True
    )
    assert len(text) <= stubs.LINE_CHARS


def test_lines_that_are_shown_already_become_a_reference() -> None:
    known = KnownLines()
    known.add(f"$ cat a.py\n{SOURCE}\ndone")
    text = f"new\n{SOURCE}\nend"
    found = known.references(text, "o_1", shown)
    assert with_references(text, json.dumps(to_builtins(found))) == (
        'new\n[wm: 40 lines as above, from "quay_0 = berth_of(ship_0, draught=0)"; o_1]\nend'
    )


@pytest.mark.parametrize(
    "text",
    [
        "something else\n" * 20,
        "\n".join(SOURCE.split("\n")[:2]),  # too short
        "\n".join(reversed(SOURCE.split("\n"))),  # other runs
    ],
)
def test_other_texts_stay(text: str) -> None:
    known = KnownLines()
    known.add(SOURCE)
    assert known.references(text, "o_1", shown) == []


def test_lines_that_are_no_longer_shown_are_not_referred_to() -> None:
    known = KnownLines()
    known.add(SOURCE)
    assert known.references(SOURCE, "o_1", lambda _source: False) == []


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("cat a.py", [("a.py", False)]),
        ("make > out.log 2>&1", [("out.log", True)]),
        ("ls 2>/dev/null", []),
        ("cat > b.py <<'EOF'\nx > y.py\nEOF", [("b.py", True)]),
        ("cat <<'EOF' > b.py\nx\nEOF", [("b.py", True)]),
        ("sed -i s/a/b/ c.py && cat c.py", [("c.py", True), ("c.py", False)]),
        ('python -c "print(a -> b)"', []),
    ],
)
def test_a_shell_command_reads_and_writes_files(command: str, found: list[Any]) -> None:
    assert [(use.path, use.writes) for use in uses("Bash", {"command": command})] == found
