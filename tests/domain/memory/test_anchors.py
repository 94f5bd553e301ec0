"""WM-9: anchored code is recognised while it is unchanged, wherever it is in the file."""

from __future__ import annotations

import pytest

from tests.domain.memory.memories import entry
from wm.domain.facts import Refusal
from wm.domain.memory import anchors
from wm.formats.workspace_memory import Anchor

PYTHON = '''\
import os

LIMIT = 40


def berth(number: int) -> int:
    """Where a ship lies."""
    if number > LIMIT:
        raise ValueError(number)

    return number + 1


class Dock:
    name = "north"

    @property
    def free(
        self,
    ) -> bool:
        return not self.ships

    def moor(self, ship):
        self.ships.append(ship)


def other():
    return berth(1)
'''

SCRIPT = """\
import { tide } from "./tide";

export const LIMIT = 40;

export async function berth(number) {
  if (number > LIMIT) {
    throw new Error("full");
  }
  return number + 1;
}

export const moor = (ship) => {
  ships.push(ship);
};

class Dock {
  free() {
    return !this.ships;
  }
}
"""

GO = """\
package dock

type Dock struct {
\tships []string
}

func (d *Dock) Moor(ship string) {
\td.ships = append(d.ships, ship)
}

func Berth(number int) int {
\treturn number + 1
}
"""

RUST = """\
pub struct Dock {
    ships: Vec<String>,
}

impl Dock {
    pub fn moor(&mut self, ship: String) {
        self.ships.push(ship);
    }
}
"""

JAVA = """\
public class Dock {
    private final List<String> ships;

    public boolean isFree(int limit) {
        return ships.size() < limit;
    }
}
"""


def anchor(text: str, source: str) -> Anchor:
    asked = anchors.parse(text)
    assert isinstance(asked, Anchor)
    done = anchors.with_digest(asked, source)
    assert isinstance(done, Anchor)
    return done


CHANGES: tuple[tuple[str, str, str, str, str], ...] = (
    # anchor, source, replaced text, replacement, state
    ("a.py:berth", PYTHON, "return number + 1", "return number + 2", "changed"),
    ("a.py:berth", PYTHON, "return not self.ships", "return True", "same"),
    ("a.py:berth", PYTHON, "LIMIT = 40\n", "LIMIT = 41\n", "same"),
    ("a.py:berth", PYTHON, "def berth(", "def pier(", "gone"),
    ("a.py:berth", PYTHON, "import os\n", "import os\nimport sys\n\n\n\n", "same"),
    ("a.py:LIMIT", PYTHON, "LIMIT = 40\n", "LIMIT = 41\n", "changed"),
    ("a.py:Dock", PYTHON, "return not self.ships", "return True", "changed"),
    ("a.py:Dock", PYTHON, "return berth(1)", "return berth(2)", "same"),
    ("a.py:Dock.free", PYTHON, "return not self.ships", "return True", "changed"),
    ("a.py:Dock.free", PYTHON, "self.ships.append(ship)", "pass", "same"),
    ("a.py:Dock.moor", PYTHON, "class Dock:", "class Pier:", "gone"),
    ("a.ts:berth", SCRIPT, "return number + 1", "return number + 2", "changed"),
    ("a.ts:berth", SCRIPT, "ships.push(ship)", "ships.unshift(ship)", "same"),
    ("a.ts:moor", SCRIPT, "ships.push(ship)", "ships.unshift(ship)", "changed"),
    ("a.ts:LIMIT", SCRIPT, "LIMIT = 40", "LIMIT = 41", "changed"),
    ("a.ts:Dock.free", SCRIPT, "return !this.ships", "return true", "changed"),
    ("a.go:Berth", GO, "return number + 1", "return number", "changed"),
    ("a.go:Moor", GO, "append(d.ships, ship)", "append(d.ships, ship, ship)", "changed"),
    ("a.go:Dock", GO, "ships []string", "ships []int", "changed"),
    ("a.go:Moor", GO, "return number + 1", "return number", "same"),
    ("a.rs:Dock", RUST, "ships: Vec<String>", "ships: Vec<u8>", "changed"),
    ("a.rs:moor", RUST, "self.ships.push(ship)", "drop(ship)", "changed"),
    ("a.java:Dock.isFree", JAVA, "ships.size() < limit", "true", "changed"),
    ("a.java:isFree", JAVA, "private final List<String> ships;", "int ships;", "same"),
    ("a.py:6-9", PYTHON, "if number > LIMIT:", "if number >= LIMIT:", "changed"),
    ("a.py:6-9", PYTHON, "LIMIT = 40\n", "LIMIT = 40\n\nOTHER = 3\n", "same"),
    ("a.py", PYTHON, "import os", "import sys", "same"),
)


@pytest.mark.parametrize(("text", "source", "old", "new", "state"), CHANGES)
def test_only_a_change_of_the_span_itself_counts(
    text: str, source: str, old: str, new: str, state: str
) -> None:
    taken = anchor(text, source)
    assert anchors.state(taken, source) == "same"
    assert old in source
    assert anchors.state(taken, source.replace(old, new)) == state


@pytest.mark.parametrize("text", ["a.py:berth", "a.py:6-9", "a.py"])
def test_a_deleted_file_invalidates_every_span(text: str) -> None:
    assert anchors.state(anchor(text, PYTHON), None) == "gone"


def test_a_moved_and_reindented_span_is_the_same() -> None:
    moved = "def other():\n    pass\n\n" + "\n".join(
        "        " + line for line in PYTHON.splitlines()
    )
    assert anchors.state(anchor("a.py:berth", PYTHON), moved) == "same"
    assert anchors.state(anchor("a.py:6-9", PYTHON), moved) == "same"


REFUSED: tuple[tuple[str, str], ...] = (
    ("/etc/passwd", "bad_anchor"),
    ("../other/a.py", "bad_anchor"),
    ("~/a.py", "bad_anchor"),
    ("", "bad_anchor"),
    ("a.py:9-6", "bad_anchor"),
    ("a.py:1-900", "bad_anchor"),
    ("a.py:two words", "bad_anchor"),
    ("a.py:(?i)x", "bad_anchor"),
)


@pytest.mark.parametrize(("text", "code"), REFUSED)
def test_an_invalid_anchor_is_refused(text: str, code: str) -> None:
    refused = anchors.parse(text)
    assert isinstance(refused, Refusal)
    assert refused.code == code


def test_missing_code_cannot_be_anchored() -> None:
    asked = anchors.parse("a.py:pier")
    assert isinstance(asked, Anchor)
    missing, nothing = anchors.with_digest(asked, PYTHON), anchors.with_digest(asked, None)
    assert isinstance(missing, Refusal)
    assert isinstance(nothing, Refusal)
    assert (missing.code, nothing.code) == ("no_symbol", "no_file")


def test_a_mark_is_set_cleared_and_kept_for_unread_code() -> None:
    tied = anchor("a.py:berth", PYTHON)
    one = entry("m_a", anchors=(tied,))
    marked, facts = anchors.mark((one,), {tied: "changed"})
    assert (marked[0].suspect, facts[0].reason_codes) == ("changed", ("anchor_changed",))
    assert facts[0].details == {"anchors": ("a.py:berth",)}
    assert anchors.mark(marked, {}) == (marked, ())
    assert anchors.mark(marked, {tied: "changed"}) == (marked, ())
    lifted, facts = anchors.mark(marked, {tied: "same"})
    assert (lifted[0].suspect, facts[0].reason_codes) == ("", ("anchor_same",))


def test_a_large_file_is_read_in_linear_time() -> None:
    tied = anchor("a.py:berth", PYTHON)
    long = "x = 1\n" * 100_000 + PYTHON
    assert anchors.state(tied, long) == "same"
    assert anchors.state(anchor("a.py:6-9", PYTHON), long) == "same"
