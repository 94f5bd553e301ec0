"""WM-5, WM-8: the texts that a new entry is compared with, found without a full scan."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.domain.memory.memories import NOW, SETTINGS, entry, memory
from wm.domain.memory.consolidate import MemoryEditor
from wm.domain.memory.consolidate.entry_index import NEAR_CHARS, NearDuplicates, _letters
from wm.formats.workspace_memory import MemoryEntry
from wm.text.letters import canonical

WORDS = ("we", "deploy", "with", "make", "ship", "Redis", "redis.io", "never", "über", "İstanbul")
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)


def beginnings(text: str) -> set[str]:
    return {word[:3] for word in text.lower().split()}


def near(one: str, other: str) -> bool:
    """The rule for one pair of texts."""
    a, b = beginnings(one), beginnings(other)
    return (
        abs(len(one) - len(other)) <= NEAR_CHARS and len(a & b) * 3 >= max(len(a), len(b)) * 2 - 2
    )


def kin(texts: dict[int, str]) -> NearDuplicates:
    made = NearDuplicates()
    for at, text in texts.items():
        made.add(at, text)
    return made


@given(st.text())
@example("ΑΓΟΡΑΣ ς σ")
@example("Ⓐ１² ½ İ ﬁ 한국어、日本語。")
@example("a\u00ad-b\u2028c ´ − \u212a")
def test_letters_are_taken_from_the_canonical_text(text: str) -> None:
    assert _letters(text) == "".join(filter(str.isalnum, canonical(text)))


@settings(deadline=None, max_examples=60)
@given(st.lists(SENTENCES, max_size=300), SENTENCES, st.sets(st.integers(0, 299)))
def test_near_finds_the_texts_that_a_pairwise_comparison_finds(
    texts: list[str], said: str, gone: set[int]
) -> None:
    held = dict(enumerate(texts))
    made = kin(held)
    for at in sorted(gone & held.keys())[::2]:
        made.remove(at, held.pop(at))
    compare(made, held, said)
    for at in gone & held.keys():
        made.remove(at, held.pop(at))
        made.add(at + 1000, "never " + said)
        held[at + 1000] = "never " + said
    compare(made, dict(sorted(held.items())), said)


def compare(made: NearDuplicates, held: dict[int, str], said: str) -> None:
    for names in ([], ["redis"], ["ship", "über"], []):
        expected = [
            at
            for at, text in held.items()
            if near(text, said) or any(name in text.lower() for name in names)
        ]
        assert list(made.near(said, names)) == expected
    assert list(made.naming("redis")) == [a for a, text in held.items() if "redis" in text.lower()]


def test_a_text_added_again_has_its_old_position() -> None:
    made = kin(dict.fromkeys(range(300), "we deploy with make ship"))
    assert len(list(made.near("we deploy with make ship", ()))) == 300
    for at in (0, 150, 299):
        made.remove(at, "we deploy with make ship")
        made.add(at, "Redis holds the sessions")
    assert list(made.naming("redis")) == [0, 150, 299]
    assert list(made.near("we deploy with make ship", ())) == [
        at for at in range(300) if at not in (0, 150, 299)
    ]


def test_texts_with_the_same_letters_are_alike() -> None:
    made = kin({3: "Use pnpm.", 5: "use PNPM!", 8: "use npm", 9: "Ｕｓｅ pnpm"})
    assert set(made.alike("USE-PNPM")) == {3, 5, 9}
    made.remove(5, "use PNPM!")
    assert set(made.alike("use pnpm")) == {3, 9}
    assert not made.alike("use yarn")


def test_an_emptied_index_accepts_texts_again() -> None:
    made = kin(dict.fromkeys(range(200), "x"))
    assert made.naming("y") == []
    for at in range(200):
        made.remove(at, "x")
    made.add(200, "y")
    assert made.naming("y") == [200]
    assert made.naming("x") == []


def test_words_of_removed_texts_do_not_accumulate() -> None:
    """An entry that is edited many times."""
    text = "Redis holds the sessions"
    made = kin({0: text})
    for number in range(200):
        assert made.near(text, ()) == [0]
        made.remove(0, text)
        text = f"Redis holds {number} sessions"
        made.add(0, text)
    assert made.near(text, ("redis",)) == [0]
    assert set(made._by_prefix) == {"red", "hol", "199", "ses"}


# --- a reused editor ----------------------------------------------------------------------------

TYPES = ("decision", "project")


def some(number: int, text: str, kind: str = "decision") -> MemoryEntry:
    return entry(f"m_{number}", text, type=kind)


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_a_reused_editor_answers_like_a_new_one(data: st.DataObject) -> None:
    """For any change of the memory in between: edits, removals, another order."""
    pairs = st.tuples(SENTENCES, st.sampled_from(TYPES))
    here = [some(n, *said) for n, said in enumerate(data.draw(st.lists(pairs, max_size=6)))]
    kept = MemoryEditor(memory(*here))
    for step in range(100, 103):
        change = data.draw(st.sampled_from(("none", "edit", "drop", "swap", "same id", "reread")))
        if here and change != "none":
            at = data.draw(st.integers(0, len(here) - 1))
            if change == "edit":
                text, kind = data.draw(pairs)
                here[at] = here[at].model_copy(update={"text": text, "type": kind})
            elif change == "drop":
                del here[at]
            elif change == "swap":
                here[0], here[at] = here[at], here[0]
            elif change == "same id":
                here.append(here[at].model_copy(update={"text": "another one of this id"}))
            else:
                here = [MemoryEntry.model_validate(e.model_dump()) for e in here]
        newcomer = some(step, *data.draw(pairs))
        kept.renew(memory(*here))
        fresh = MemoryEditor(memory(*here))
        assert kept.memory == fresh.memory
        first = kept.admit(newcomer, now=NOW, settings=SETTINGS)
        second = fresh.admit(newcomer, now=NOW, settings=SETTINGS)
        assert first == second
        here = list(second.memory.entries)


@pytest.mark.parametrize(("old", "new"), list(product(("edited", "gone", "added"), repeat=2)))
def test_a_rolled_back_admission_leaves_nothing_in_the_editor(old: str, new: str) -> None:
    """A transaction may be rolled back: the next one starts from the stored memory."""
    here = memory(some(1, "we deploy with make ship"), some(2, "Redis holds the sessions"))
    kept = MemoryEditor(here)
    for what in (old, new):
        if what == "edited":
            kept.amend(some(1, "we never deploy"))
        elif what == "added":
            kept.admit(some(9, f"something {old} {new}"), now=NOW, settings=SETTINGS)
        else:
            kept.renew(memory(here.entries[0]))
    kept.renew(here)
    assert kept.memory == here
    assert [t.id for t in kept.twins(some(7, "Redis holds the sessions!"))] == ["m_2"]
    assert kept.find("m_9") is None


def test_an_editor_finds_the_entry_of_the_last_of_many_memories() -> None:
    kept = MemoryEditor(memory())
    for number in range(99):
        kept.renew(memory(some(number, "Redis holds the sessions")))
    admission = kept.admit(some(-1, "Redis holds the sessions"), now=NOW, settings=SETTINGS)
    assert admission.entry_id == "m_98"
