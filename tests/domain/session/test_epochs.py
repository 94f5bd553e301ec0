"""EP-1 to EP-3: which calls get the blocks, their order, and the account of every byte."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

import pytest

from wm.domain.session.epochs import block, gets_memory, is_intact, open_epoch
from wm.formats.prompt_epoch import Omission, PromptBlock, PromptEpoch

NOW = datetime(2026, 6, 20, 12, 0, tzinfo=UTC)


def epoch(*blocks: PromptBlock) -> PromptEpoch:
    return open_epoch(
        epoch_id="p_1",
        session="s",
        agent="opencode",
        number=2,
        reason="compaction",
        blocks=blocks,
        memory_generation=7,
        now=NOW,
        previous="p_0",
    )


def test_a_block_has_hash_length_and_entries() -> None:
    made = block("hot_state", "größe", included=["m_a"], omitted=[Omission(id="m_b", reason="x")])
    assert made.sha256 == hashlib.sha256("größe".encode()).hexdigest()
    assert (made.chars, made.included) == (5, ("m_a",))
    assert is_intact(made)
    assert not is_intact(made.model_copy(update={"text": "grösse"}))


def test_memory_comes_before_the_hot_snapshot_and_empty_blocks_are_left_out() -> None:
    opened = epoch(
        block("later", "z"), block("hot_state", "h"), block("x", ""), block("workspace_memory", "m")
    )
    assert [b.name for b in opened.blocks] == ["workspace_memory", "hot_state", "later"]
    assert (opened.created_at, opened.memory_generation) == ("2026-06-20T12:00:00.000Z", 7)
    assert (opened.number, opened.reason, opened.previous) == (2, "compaction", "p_0")


@pytest.mark.parametrize(
    ("call", "allowed"),
    [
        *(("main", True), ("title", False), ("summary", False), ("subagent", False)),
        *(("", False), ("novel", False)),
    ],
)
def test_only_main_calls_get_the_blocks(call: str, allowed: bool) -> None:
    assert gets_memory(call) is allowed


def test_the_blocks_of_an_epoch_never_change() -> None:
    made = block("workspace_memory", "one\ntwo\n")
    assert epoch(made).blocks == (made,)


def test_a_text_with_half_a_surrogate_pair_is_complete() -> None:
    assert is_intact(block("hot_state", "a \ud83d b"))
