"""What the model asked for with cleanup tags: results that it gives up, its words for them, and
anchors (PX-6). Pure.

A wish ranks content for the next cut; whether and when there is one, the credit decides. Rule: no
wish removes words of the user, an anchored result, or an open error: the result of a call that
failed and was not repeated with success.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct, field

MOST_ANCHORS = 8
"""A further anchor replaces the oldest."""
_MOST_LOST_CHARS = 120


class CleanupWish(Struct, frozen=True):
    """since: the number of results when the model gave a call up. text: its words for it. whole:
    the whole step of the call, as a part of a phase."""

    since: int
    text: str = ""
    whole: bool = False


class CleanupWishes(Struct):
    """The wishes of one history. Calls are named by number."""

    _named: dict[str, list[int]] = field(default_factory=dict)
    _labels: dict[int, str] = field(default_factory=dict)
    """Of the calls with a result."""
    _failed: set[int] = field(default_factory=set)
    _passed: dict[str, int] = field(default_factory=dict)
    """Label -> its last call without an error."""
    _wishes: dict[int, CleanupWish] = field(default_factory=dict)
    _lost: dict[int, str] = field(default_factory=dict)
    _anchors: dict[int, None] = field(default_factory=dict)

    def answered(self, call: int, label: str, names: Iterable[str], *, is_error: bool) -> bool:
        """A call has its result. names: what a tag may call it. True if it ends an open error that
        the model wanted to be gone."""
        self._labels[call] = label
        for name in {label, *names}:
            self._named.setdefault(name, []).append(call)
        if is_error:
            self._failed.add(call)
            return False
        self._passed[label] = call
        return any(self._labels[one] == label for one in self._failed & self._wishes.keys())

    def take(self, name: str, of: str, text: str, results: int) -> bool:
        """A tag of the model, behind so many results. False if it names nothing."""
        found = self._named.get(of.strip(), []) if of.strip() else []
        if not found:
            return False
        last = found[-1]
        match name:
            case "anchor":
                self._anchors = {**{n: None for n in self._anchors if n != last}, last: None}
                while len(self._anchors) > MOST_ANCHORS:
                    del self._anchors[next(iter(self._anchors))]
            case "drop":
                self._wishes |= {call: CleanupWish(results) for call in found}
            case "summarize":
                self._wishes[last] = CleanupWish(results, text)
            case "collapse":
                phase = (call for call in self._labels if call >= last)
                self._wishes |= {call: CleanupWish(results, whole=True) for call in phase}
                self._wishes[last] = CleanupWish(results, text, whole=True)
            case _:
                self._lost[last] = text[:_MOST_LOST_CHARS]
        return True

    def wish(self, call: int) -> CleanupWish | None:
        """That for this call; None without one, and for what stays."""
        is_open = call in self._failed and self._passed.get(self._labels[call], -1) < call
        return None if is_open or call in self._anchors else self._wishes.get(call)

    def lost(self, call: int) -> str:
        """What the model says is lost with the result."""
        return self._lost.get(call, "")

    def is_anchored(self, call: int) -> bool:
        return call in self._anchors
