"""What may be deleted from a workspace's folder, and what never may (GV-1..3)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wm.domain.governance import (
    SWEPT,
    FileFact,
    FileKind,
    FilePart,
    SweepPlan,
    SweepRule,
    allowance,
    plan,
)
from wm.settings import StorageSettings

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
DAY = 86_400.0
FOLDERS = {
    FileKind.OUTPUT: "cache/tool-outputs",
    FileKind.SESSION: "sessions",
    FileKind.SISTER: "core",
    FileKind.EPOCH: "epochs",
    FileKind.TRASH: "trash",
    FileKind.VECTORS: "vectors",
    FileKind.RECORDING: "recordings",
    FileKind.PAGED: "objects",
    FileKind.KEPT: "evidence",
    FileKind.UNKNOWN: "notes",
}
BESIDE = {
    FilePart.COPY: ".{}.spare",
    FilePart.LOCK: ".{}.lock",
    FilePart.TEMP: ".{}.0123456789abcdef.tmp",
    FilePart.OLD: ".{}.v1",
}


def fact(
    kind: FileKind,
    name: str,
    days: float,
    *,
    part: FilePart = FilePart.DOCUMENT,
    session: str = "",
    size: int = 100,
    **flags: bool,
) -> FileFact:
    folder = FOLDERS[kind]
    file = name if part is FilePart.DOCUMENT else BESIDE[part].format(name)
    at = NOW.timestamp() - days * DAY
    return FileFact(f"{folder}/{file}", f"{folder}/{name}", kind, part, session, at, size, **flags)


def ledger(session: str, days: float, **flags: bool) -> FileFact:
    """The log of a session's paging decisions."""
    one = fact(FileKind.PAGED, session, days, session=session, **flags)
    return one._replace(path=f"decisions/{session}", document=f"decisions/{session}")


def gone(found: SweepPlan) -> dict[str, str]:
    return {deletion.file.path: deletion.rule.value for deletion in found.deletions}


LIMITS = StorageSettings(max_outputs=2, workspace_max_bytes=10_000)

CASES: list[tuple[str, list[FileFact], dict[str, str]]] = [
    (
        "an output that is too old goes",
        [fact(FileKind.OUTPUT, "old", 7.1), fact(FileKind.OUTPUT, "new", 6.9)],
        {"cache/tool-outputs/old": "output_age"},
    ),
    (
        "beyond the newest so many the oldest outputs go",
        [fact(FileKind.OUTPUT, str(number), number / 10) for number in (1, 2, 3, 4)],
        {"cache/tool-outputs/3": "output_count", "cache/tool-outputs/4": "output_count"},
    ),
    (
        "a young output stays although there are too many",
        [fact(FileKind.OUTPUT, str(number), number / 10_000) for number in (1, 2, 3, 4)],
        {},
    ),
    (
        "recorded bodies go when they are old, though their session stays",
        [
            fact(FileKind.SESSION, "a", 8, session="a"),
            fact(FileKind.RECORDING, "a", 8, session="a"),
            fact(FileKind.RECORDING, "a", 8, session="a", part=FilePart.LOCK),
            fact(FileKind.RECORDING, "b", 6, session="b"),
        ],
        {"recordings/a": "recording_age", "recordings/.a.lock": "recording_age"},
    ),
    (
        "stored steps go when their session added none for a month, not before",
        [
            fact(FileKind.SESSION, "a", 1, session="a"),
            fact(FileKind.PAGED, "a", 31, session="a"),
            fact(FileKind.PAGED, "b", 29, session="b"),
        ],
        {"objects/a": "object_age"},
    ),
    (
        "stored steps stay while a request of the last month may refer to them",
        [fact(FileKind.PAGED, "a", 31, session="a"), ledger("a", 29)],
        {},
    ),
    (
        "steps and decisions of a session go together",
        [
            *(fact(FileKind.PAGED, "a", 31, session="a"), ledger("a", 31)),
            *(fact(FileKind.PAGED, "b", 31, session="b"), ledger("b", 31, locked=True)),
        ],
        {"decisions/a": "object_age", "objects/a": "object_age"},
    ),
    (
        "trash goes after a month, with its second copy and its lock",
        [
            fact(FileKind.TRASH, "m_1", 31),
            fact(FileKind.TRASH, "m_1", 31, part=FilePart.COPY),
            fact(FileKind.TRASH, "m_1", 31, part=FilePart.LOCK),
            fact(FileKind.TRASH, "m_2", 29),
        ],
        {"trash/m_1": "trash_age", "trash/.m_1.spare": "trash_age", "trash/.m_1.lock": "trash_age"},
    ),
    (
        "vectors that nobody made new for long go",
        [fact(FileKind.VECTORS, "a.rows", 31), fact(FileKind.VECTORS, "b.rows", 29)],
        {"vectors/a.rows": "vectors_age"},
    ),
    (
        "beyond the quota what can be made again goes first",
        [
            fact(FileKind.VECTORS, "a.rows", 2, size=6000),
            fact(FileKind.OUTPUT, "old", 3, size=6000),
        ],
        {"vectors/a.rows": "quota"},
    ),
    ("pinned trash stays", [fact(FileKind.TRASH, "m_1", 400, pinned=True)], {}),
    (
        "a document of a session without a state goes",
        [
            fact(FileKind.SISTER, "a", 8, session="a"),
            fact(FileKind.SISTER, "b", 8, session="b"),
            fact(FileKind.SESSION, "b", 8, session="b"),
            fact(FileKind.EPOCH, "p_1", 8, session="a"),
            fact(FileKind.EPOCH, "p_2", 8, session="b"),
            fact(FileKind.EPOCH, "p_3", 8),
        ],
        {"core/a": "orphan", "epochs/p_1": "orphan"},
    ),
    (
        "the second copy of a state is a state: it can be restored",
        [
            fact(FileKind.SISTER, "a", 8, session="a"),
            fact(FileKind.SESSION, "a", 8, part=FilePart.COPY, session="a"),
        ],
        {},
    ),
    ("an orphan that is not old yet stays", [fact(FileKind.SISTER, "a", 6, session="a")], {}),
    (
        "a stale session goes whole, its state first",
        [
            fact(FileKind.SISTER, "a", 95, session="a"),
            fact(FileKind.EPOCH, "p_1", 99, session="a"),
            fact(FileKind.SESSION, "a", 91, session="a"),
            fact(FileKind.SESSION, "b", 89, session="b"),
        ],
        {"sessions/a": "stale_session", "core/a": "stale_session", "epochs/p_1": "stale_session"},
    ),
    (
        "a session of which one document is newer is not stale",
        [fact(FileKind.SESSION, "a", 91, session="a"), fact(FileKind.SISTER, "a", 80, session="a")],
        {},
    ),
    (
        "a session of which one document is locked stays whole",
        [
            fact(FileKind.SESSION, "a", 91, session="a"),
            fact(FileKind.SISTER, "a", 91, session="a"),
            fact(FileKind.SISTER, "a", 91, part=FilePart.LOCK, session="a", locked=True),
        ],
        {},
    ),
    (
        "a session whose agent deleted it goes after a day",
        [
            fact(FileKind.SESSION, "a", 1.1, session="a", lost=True),
            fact(FileKind.SESSION, "b", 0.9, session="b", lost=True),
        ],
        {"sessions/a": "lost_transcript"},
    ),
    (
        "what writers left goes, also beside what is never swept",
        [
            fact(FileKind.KEPT, "1.jsonl", 1),
            fact(FileKind.KEPT, "1.jsonl", 1, part=FilePart.TEMP),
            fact(FileKind.TRASH, "m_1", 1),
            fact(FileKind.TRASH, "m_1", 0.001, part=FilePart.TEMP),
        ],
        {"evidence/.1.jsonl.0123456789abcdef.tmp": "dead_writer"},
    ),
    (
        "a lock that guards nothing goes, one of memory or journal stays",
        [
            fact(FileKind.SESSION, "a", 1, part=FilePart.LOCK, session="a"),
            fact(FileKind.SESSION, "b", 1, part=FilePart.LOCK, session="b", locked=True),
            fact(FileKind.KEPT, "log", 1, part=FilePart.LOCK),
        ],
        {"sessions/.a.lock": "orphan_lock"},
    ),
    (
        "a lock of a session stays, and goes with it",
        [
            fact(FileKind.SESSION, "a", 1, session="a"),
            fact(FileKind.SISTER, "a", 1, part=FilePart.LOCK, session="a"),
            fact(FileKind.SESSION, "b", 91, session="b"),
            fact(FileKind.SISTER, "b", 91, part=FilePart.LOCK, session="b"),
        ],
        {"sessions/b": "stale_session", "core/.b.lock": "stale_session"},
    ),
    (
        "a lock stays while a writer may be at work beside it",
        [
            fact(FileKind.SESSION, "a", 1, part=FilePart.LOCK, session="a"),
            fact(FileKind.SESSION, "a", 0.001, part=FilePart.TEMP, session="a"),
        ],
        {},
    ),
    (
        "beyond the quota outputs go before sessions, the oldest first",
        [
            fact(FileKind.KEPT, "1.jsonl", 1, size=8700),
            fact(FileKind.OUTPUT, "1", 1, size=600),
            fact(FileKind.OUTPUT, "2", 2, size=600),
            fact(FileKind.SESSION, "a", 30, session="a", size=600),
        ],
        {"cache/tool-outputs/2": "quota"},
    ),
    (
        "then sessions that rest",
        [
            fact(FileKind.KEPT, "1.jsonl", 1, size=9900),
            fact(FileKind.SESSION, "a", 30, session="a"),
            fact(FileKind.SISTER, "a", 30, session="a"),
            fact(FileKind.SESSION, "b", 31, session="b"),
            fact(FileKind.SESSION, "c", 0.5, session="c"),
        ],
        {"sessions/b": "quota", "sessions/a": "quota", "core/a": "quota"},
    ),
    (
        "but none to whose steps a request of the last month may refer",
        [
            fact(FileKind.SESSION, "a", 29, session="a"),
            fact(FileKind.PAGED, "a", 29, session="a", size=20_000),
            fact(FileKind.SESSION, "b", 28, session="b"),
        ],
        {"sessions/b": "quota"},
    ),
    (
        "what is not ours stays, however old and large",
        [fact(FileKind.UNKNOWN, "diary", 4000, size=10**9)],
        {},
    ),
]


@pytest.mark.parametrize(("says", "facts", "expected"), CASES, ids=[case[0] for case in CASES])
def test_each_rule_selects_its_files(
    says: str, facts: list[FileFact], expected: dict[str, str]
) -> None:
    found = gone(plan(facts, LIMITS, NOW))
    assert (found, says) == (expected, says)


def test_recorded_bodies_that_a_later_sweep_may_delete_are_counted() -> None:
    recorded = fact(FileKind.RECORDING, "a", 0.001, session="a", size=12_000)
    steps = fact(FileKind.PAGED, "a", 0.001, session="a", size=11_000)
    old = fact(FileKind.RECORDING, "b", 1, session="b", size=500)
    found = plan([recorded, steps, old], LIMITS, NOW)
    assert (found.over, found.young, gone(found)) == (13_000, 12_000, {"recordings/b": "quota"})


def test_the_state_of_a_session_is_deleted_first() -> None:
    facts = [
        fact(FileKind.EPOCH, "p_1", 99, session="a"),
        fact(FileKind.SISTER, "a", 99, session="a"),
        fact(FileKind.SESSION, "a", 99, session="a"),
    ]
    assert list(gone(plan(facts, LIMITS, NOW))) == ["sessions/a", "core/a", "epochs/p_1"]


def test_protected_files_are_reported() -> None:
    facts = [fact(FileKind.KEPT, "1.jsonl", 400, size=12_345)]
    assert plan(facts, LIMITS, NOW) == SweepPlan((), 1, 12_345, 2_345)


@pytest.mark.parametrize(
    ("sizes", "most", "share"),
    [
        ((), 10, 0),
        ((1, 2, 3), 10, 3),
        ((5, 5), 10, 5),
        ((1, 9), 8, 7),
        ((1, 9, 9), 11, 5),
        ((8, 8, 8), 12, 4),
        ((8, 8), 0, 0),
    ],
)
def test_large_workspaces_lose_files_first(sizes: tuple[int, ...], most: int, share: int) -> None:
    assert allowance(sizes, most) == share


# --- whatever lies there -----------------------------------------------------------------------

_FLAG = st.sampled_from([False] * 6 + [True])
_AGES = st.sampled_from([-3.0, 0.0, 0.005, 0.02, 0.9, 1.5, 6.5, 7.5, 29.0, 31.0, 80.0, 95.0, 400.0])


@st.composite
def _facts(draw: st.DrawFn) -> list[FileFact]:
    """Documents of some sessions with anything beside them, in any state."""
    found: dict[str, FileFact] = {}
    for _ in range(draw(st.integers(0, 24))):
        kind = draw(st.sampled_from(FileKind))
        name = draw(st.sampled_from("abcdef"))
        owner = draw(st.sampled_from(["a", "b", "c", ""]))
        named = (FileKind.SESSION, FileKind.SISTER, FileKind.RECORDING)
        session = name if kind in named else owner
        if kind in (FileKind.TRASH, FileKind.KEPT, FileKind.UNKNOWN):
            session = ""
        one = fact(
            kind,
            name,
            draw(_AGES),
            part=draw(st.sampled_from([FilePart.DOCUMENT, FilePart.DOCUMENT, *FilePart])),
            session=session,
            size=draw(st.sampled_from([0, 1, 100, 4000])),
            pinned=draw(_FLAG),
            locked=draw(_FLAG),
            lost=draw(_FLAG),
        )
        found[one.path] = one
    return list(found.values())


_LIMITS = st.builds(
    StorageSettings, max_outputs=st.integers(0, 4), workspace_max_bytes=st.integers(0, 20_000)
)


def _protected(one: FileFact, limits: StorageSettings) -> bool:
    young = one.modified > NOW.timestamp() - limits.young_minutes * 60
    return one.pinned or one.locked or young


def _rest(facts: Iterable[FileFact], found: SweepPlan) -> list[FileFact]:
    went = {deletion.file.path for deletion in found.deletions}
    return [one for one in facts if one.path not in went]


@given(_facts(), _LIMITS)
@settings(max_examples=150)
def test_protected_files_are_never_selected(facts: list[FileFact], limits: StorageSettings) -> None:
    found = plan(facts, limits, NOW)
    for deletion in found.deletions:
        one = deletion.file
        assert one.kind is not FileKind.UNKNOWN
        assert one.kind in SWEPT or one.part is FilePart.TEMP
        assert not _protected(one, limits)
    went = gone(found)
    assert len(went) == len(found.deletions)
    for one in facts:
        if one.part in (FilePart.DOCUMENT, FilePart.COPY) and one.path in went:
            beside = [other for other in facts if other.document == one.document]
            assert all(other.path in went for other in beside)
            assert not any(_protected(other, limits) for other in beside)


@given(_facts(), _LIMITS)
@settings(max_examples=150)
def test_a_second_plan_is_empty(facts: list[FileFact], limits: StorageSettings) -> None:
    first = plan(facts, limits, NOW)
    rest = _rest(facts, first)
    again = plan(rest, limits, NOW)
    assert gone(again) == {}
    assert again.kept_bytes == first.kept_bytes
    assert again.over == first.over


@given(_facts(), _LIMITS)
@settings(max_examples=150)
def test_the_remaining_files_are_bounded(facts: list[FileFact], limits: StorageSettings) -> None:
    found = plan(facts, limits, NOW)
    rest = _rest(facts, found)
    free = {
        one.document: one
        for one in rest
        if not any(_protected(other, limits) for other in rest if other.document == one.document)
        and any(
            other.part in (FilePart.DOCUMENT, FilePart.COPY)
            for other in rest
            if other.document == one.document
        )
    }
    outputs = {path for path, one in free.items() if one.kind is FileKind.OUTPUT}
    bodies = {path for path, one in free.items() if one.kind is FileKind.RECORDING}
    assert len(outputs) <= limits.max_outputs
    kept = sum(one.size for one in rest if one.kind is not FileKind.UNKNOWN)
    assert kept == found.kept_bytes
    if kept > limits.workspace_max_bytes:
        assert found.over == kept - limits.workspace_max_bytes
        assert not outputs
        assert not bodies
    else:
        assert found.over == 0


@given(_facts(), _LIMITS, st.randoms(use_true_random=False))
@settings(max_examples=100)
def test_the_order_of_files_does_not_matter(
    facts: list[FileFact], limits: StorageSettings, random: object
) -> None:
    shuffled = list(facts)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert gone(plan(facts, limits, NOW)) == gone(plan(shuffled, limits, NOW))


def test_every_rule_has_a_description() -> None:
    from wm.cli.verbs.diagnosis.files import RULES

    assert set(RULES) == {rule.value for rule in SweepRule}
