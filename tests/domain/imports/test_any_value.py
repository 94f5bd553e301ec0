"""Whatever a foreign file holds, a source gives statements or a sentence, and raises nothing."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from wm.domain.facts import Refusal
from wm.domain.imports.foreign import ForeignFile, ForeignMemory
from wm.domain.imports.markdown import statements
from wm.domain.imports.sources import SOURCES
from wm.formats.base import dump

_KEY_WORDS = (
    "version entries id type text rationale source confidence status createdAt updatedAt tags"
    " retentionClock reinforcementCount supersedes workspace root pendingMemories sessionID"
    " blocks goal progress context value content slots pool items decision error timestamp"
    " lastReinforcedAt lastReinforcedSessionID userImportance activeFiles openErrors"
)
KEYS = st.sampled_from(_KEY_WORDS.split())
PLAIN = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["active", "superseded", "explicit", "mem_1_a", "2026-01-01", "decision"])
)
VALUES = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=30,
)
_MARKS = (
    *("- ", "* ", "1. ", "#", " ", "  ", "\n", "\n\n", "```", "~~~", "---", "===", "<!--", "-->"),
    *("|", ">", "[x] ", "[a](b)", "**", ":", "：", "@x", "word", "Zwei Wörter", "規則", "\t"),
    *("\x00", "\u202e", "\r", "\u2028"),
)
MARKS = st.lists(st.sampled_from(_MARKS), max_size=60).map("".join)


@given(name=st.sampled_from(["opencode-v1", "opencode-v2", "wm-export"]), value=VALUES)
def test_any_json_is_read(name: str, value: Any) -> None:
    if name == "wm-export":
        value = {"documents": {"workspace_memory": {"entries": [value]}}}
    found = SOURCES[name].parse(ForeignFile("/p/x.json", value=value, max_chars=15))
    assert isinstance(found, ForeignMemory | Refusal)
    if isinstance(found, ForeignMemory):
        assert len({fact.id for fact in found.facts if fact.came_from == "opencode-v2"}) == len(
            [fact for fact in found.facts if fact.came_from == "opencode-v2"]
        )
        for fact in found.facts:
            assert 0 < len(fact.text) <= 15
            assert type(fact).model_validate(dump(fact)) == fact
        assert all(left.count > 0 and left.why for left in found.left)


@given(text=MARKS)
def test_any_text_is_split(text: str) -> None:
    lines = text.count("\n") + text.count("\r") + 1
    found = statements(text)
    assert all(1 <= statement.line <= lines for statement in found.statements)
    assert all(statement.text.strip() == statement.text != "" for statement in found.statements)
    assert len(found.statements) + len(found.codes) <= lines
