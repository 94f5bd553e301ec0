"""Dated table of prices, minimum cacheable sizes and context windows. Pure (PX-11).

Prices are US dollars per million tokens, as listed for direct use of the service on `DATED`,
without batch discounts or surcharges for fast modes. They change without notice: a bill computed
from them is an estimate. Prices in the user's configuration override the table. A model in neither
has no price (`Price.known` is False); only its sizes are assumed.
"""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Callable, Mapping

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from wm.settings import PriceSettings

DATED = "2026-11-22"

WRITE_5M = 1.25
WRITE_1H = 2.0
"""Price of a cache write as a multiple of the input price; the same for every model."""


class Price(Struct, frozen=True):
    """cache_minimum: tokens of the shortest cacheable prefix. window: tokens of the context window.

    long_above, long_times: a request with a longer prompt costs so many times as much in full; 0:
    no such limit. known: False if the price is unknown: the model then costs nothing here.
    write_5m, write_1h: if they differ from the usual multiples, else 0. own: from the user's
    configuration.
    """

    family: str
    input: float
    output: float
    cache_read: float
    cache_minimum: int
    window: int
    long_above: int = 0
    long_times: float = 1.0
    known: bool = True
    write_5m: float = 0.0
    write_1h: float = 0.0
    own: bool = False

    def times(self, prompt: int) -> float:
        """The price factor of a request with a prompt of this many tokens."""
        return self.long_times if self.long_above and prompt > self.long_above else 1.0

    @property
    def cache_write_5m(self) -> float:
        return self.write_5m or self.input * WRITE_5M

    @property
    def cache_write_1h(self) -> float:
        return self.write_1h or self.input * WRITE_1H


_LONG, _SHORT = 1_000_000, 200_000

_ROWS = msgspec.json.decode(
    pkgutil.get_data(__package__, "prices.json") or b"", type=tuple[Price, ...]
)
"""The service has not listed the minimum of the newest models; it is that of the models before."""
TABLE: Mapping[str, Price] = {price.family: price for price in _ROWS}

UNKNOWN = Price("", 0.0, 0.0, 0.0, 1024, _SHORT, known=False)
"""A model without a known price. Minimum and window are those of most models."""

READ = 0.1
"""Price of a cache read as a multiple of the input price, unless the table has one."""

PriceOf = Callable[[str], Price]


def window_of(model: str, prompt: int) -> int:
    """The context window of a model that accepted a prompt of this size. A prompt larger than the
    usual window must have used the long one, which some models offer on request."""
    usual = price_of(model).window
    return usual if prompt <= usual else max(usual, _LONG)


def known_window(model: str, prompt: int = 0) -> int:
    """The same for a model of the table; 0 for one that it does not know."""
    return window_of(model, prompt) if price_of(model).known else 0


_NOT_A_NAME = re.compile(r"[^a-z0-9]+")
_MAX_NAME_CHARS = 200


def price_of(model: str) -> Price:
    """The price of a model by its name in a request, whichever cloud it is from."""
    return _found(TABLE, model) or UNKNOWN


def prices(settings: PriceSettings) -> PriceOf:
    """`price_of`, with the user's own prices before the table."""
    own = {}
    for one in settings.models:
        like = price_of(one.name)
        own[_plain(one.name).strip("-")] = replace(
            like,
            family=one.name,
            input=one.input,
            output=one.output,
            cache_read=one.cache_read or one.input * READ,
            write_5m=one.cache_write_5m,
            write_1h=one.cache_write_1h,
            long_above=0,
            known=True,
            own=True,
        )
    return lambda model: _found(own, model) or price_of(model)


def _found(table: Mapping[str, Price], model: str) -> Price | None:
    name = _plain(model)
    for family in sorted(table, key=len, reverse=True):
        if f"-{family}-" in name:
            return table[family]
    return None


def _plain(model: str) -> str:
    return "-" + _NOT_A_NAME.sub("-", model[:_MAX_NAME_CHARS].lower()).strip("-") + "-"
