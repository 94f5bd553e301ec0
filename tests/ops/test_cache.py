"""The bounded cache: what it keeps, for how long, and what it evicts first."""

from __future__ import annotations

import pytest

from tests.ops.conftest import SHIP, Bench
from wm.ops.cache import Cache


def computed(cache: Cache, key: str, *inputs: object) -> bool:
    """Whether the value had to be computed."""
    calls: list[str] = []
    cache.get(key, inputs, lambda: calls.append(key))
    return bool(calls)


def test_a_value_is_kept_while_its_inputs_are_the_same() -> None:
    cache = Cache()
    asked = [(1, "x"), (1, "x"), (2, "x"), (1, "x")]
    assert [computed(cache, "a", *inputs) for inputs in asked] == [True, False, True, True]


def test_a_document_is_the_same_only_if_it_is_the_same_object(bench: Bench) -> None:
    bench.remember(SHIP)
    memory = bench.memory()
    cache = Cache()
    copies = [memory, memory, memory.model_copy()]
    assert [computed(cache, "a", copy) for copy in copies] == [True, False, True]


def test_the_least_recently_used_value_is_evicted() -> None:
    cache = Cache(size=2)
    assert [computed(cache, key) for key in ("a", "b", "a", "c", "a", "b")] == [
        True, True, False, True, False, True,
    ]  # fmt: skip


def test_a_failed_computation_is_not_cached() -> None:
    cache = Cache()
    with pytest.raises(ZeroDivisionError):
        cache.get("a", (), lambda: 1 // 0)
    assert computed(cache, "a")


def test_values_can_be_set_and_removed() -> None:
    cache = Cache(size=2)
    for number, key in enumerate("abc"):
        cache.put(key, number)
    assert cache.values() == (1, 2)
    assert (cache.peek("a"), cache.peek("b")) == (None, 1)
    assert (cache.pop("b"), cache.pop("b")) == (1, None)
