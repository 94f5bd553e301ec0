"""The table of prices."""

from __future__ import annotations

import pytest

from wm.settings import ModelPrice, PriceSettings
from wm.wire.prices import TABLE, price_of, prices, window_of


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("claude-opus-5-5", "opus-5-5"),
        ("claude-opus-5", "opus-5"),
        ("claude-opus-5-5[1m]", "opus-5-5"),
        ("claude-opus-4-20250514", "opus-4"),
        ("claude-opus-4-1-20250805", "opus-4-1"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "sonnet-4"),
        ("anthropic/claude-haiku-4.5", "haiku-4-5"),
        ("claude-3-5-haiku-latest", "3-5-haiku"),
        ("Claude-Fable-5-1", "fable-5-1"),
    ],
)
def test_a_model_is_recognised_under_every_cloud_name(model: str, family: str) -> None:
    price = price_of(model)
    assert (price.family, price.known) == (family, True)


@pytest.mark.parametrize("model", ["", "gpt-5", "llama-4-maverick", "opus", "claude-opus-50"])
def test_an_unknown_model_has_no_price_and_is_named(model: str) -> None:
    price = price_of(model)
    assert (price.family, price.known, price.input, price.output) == ("", False, 0.0, 0.0)


def test_user_prices_override_the_table() -> None:
    own = (ModelPrice("gpt-5", 1.0, 8.0), ModelPrice("claude-opus-5-5", 3.0, 9.0, 0.2, 4.0, 5.0))
    find = prices(PriceSettings(own))
    found = find("openai/gpt-5-2026")
    assert (found.input, found.output, found.known, found.own) == (1.0, 8.0, True, True)
    assert (found.cache_read, found.cache_write_5m, found.cache_write_1h) == (0.1, 1.25, 2.0)
    found = find("claude-opus-5-5[1m]")
    assert (found.cache_read, found.cache_write_5m, found.cache_write_1h) == (0.2, 4.0, 5.0)
    assert find("claude-opus-5") == price_of("claude-opus-5")
    assert not find("llama-4").known


def test_every_row_is_a_price_list_in_order() -> None:
    for family, price in TABLE.items():
        assert price.family == family
        assert 0 < price.cache_read < price.input < price.cache_write_5m < price.cache_write_1h
        assert price.input < price.output
        assert price.cache_minimum < price.window


def test_a_long_prompt_costs_more_if_the_model_defines_it() -> None:
    assert price_of("claude-haiku-5-5").times(100_000) == 1.0
    assert price_of("claude-haiku-5-5").times(100_001) == 5.0
    assert price_of("claude-opus-5-5").times(900_000) == 1.0


def test_an_accepted_prompt_fits_the_window() -> None:
    assert window_of("claude-opus-4-6", 200_000) == 200_000
    assert window_of("claude-opus-4-6", 200_001) == 1_000_000
    assert window_of("claude-opus-5-5", 1_000_001) == 1_000_000
    assert window_of("somebody-elses", 1) == 200_000
