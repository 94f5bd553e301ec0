"""Sections [proxy] and [prices]: the Messages API proxy and the prices of models.

The upstream needs the user's consent: with a broken `config.toml` there is none.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Struct

from wm.errors import UserError
from wm.settings.schema import Option, TableKind, one_of


class ModelPrice(Struct, frozen=True):
    """A table of `[[prices.models]]`: the price of a model in dollars per million tokens. 0 for a
    price of the cache: the usual share of `input`."""

    name: str
    input: float
    output: float
    cache_read: float = 0.0
    cache_write_5m: float = 0.0
    cache_write_1h: float = 0.0


def _wrong_price(_field: str, value: Any) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return "" if is_number and 0 <= value <= 1_000_000 else "Write dollars per million tokens."


def _price(given: Mapping[str, Any], at: str) -> ModelPrice:
    for needed in ("input", "output"):
        if needed not in given:
            raise UserError.of("config.no_price", at=at, needed=needed)
    return ModelPrice(**given)


_TABLES = TableKind(
    made=ModelPrice,
    noun="model",
    header="[[prices.models]]",
    make=_price,
    name=re.compile(r".*[A-Za-z0-9]", re.DOTALL),
    name_fix='Write name = "…", as requests name it.',
    repeated=("has a price already.", "Remove one of the two."),
    check=_wrong_price,
)


POLICIES = ("off", "safe", "balanced", "tight")


class ProxySettings(Struct, frozen=True, eq=False):
    """The Messages API proxy (SPEC section 14)."""

    upstream: Annotated[str, Option(common=True, needs_consent=True)] = "https://api.anthropic.com"
    """Server that requests are sent to; http only on this machine [TR-4]."""
    port: Annotated[int, Option(most=65535, common=True)] = 8642
    """Port of `wm proxy` on the loopback interface; 0: any free one [PX-1]."""
    ca_file: Annotated[str, Option(common=True)] = ""
    """PEM file of certificate authorities to trust beside the system's. Empty: NODE_EXTRA_CA_CERTS
    [PX-10]."""
    max_clients: Annotated[int, Option()] = 400
    """Most connections of clients; further ones are closed at once [PX-10]."""
    recording_max_bytes: Annotated[int, Option()] = 64 * 1024 * 1024
    """Most bytes of a session's recorded bodies; later bodies are not recorded [bytes, PX-11]."""

    policy: Annotated[str, Option(common=True, needs_consent=True, parse=one_of(POLICIES))] = "safe"
    """What is removed from requests: off, safe, balanced or tight ([how](concepts/paging.md))
    [PX-1]."""
    passage_tokens: Annotated[int, Option(most=2_000)] = 0
    """Most removed content that is appended when it seems to be needed; 0: none
    ([how](concepts/paging.md)) [tokens, GA-1]."""
    phantom_tools: Annotated[bool, Option()] = False
    """Clients without the memory tools get `memory_query`, `memory_restore` and `memory_release`
    from the proxy ([how](concepts/phantom-tools.md)) [PX-5]."""
    cleanup_tags: Annotated[bool, Option()] = False
    """The model may name what it no longer needs, with tags that the user does not see
    ([how](concepts/cleanup-tags.md)) [PX-6]."""
    objects_max_bytes: Annotated[int, Option()] = 256 * 1024 * 1024
    """Most bytes of a session's stored steps; beyond it nothing more is removed from its requests
    [bytes, OB-1]."""

    # Fixed: not options of config.toml.
    connect_timeout_s: float = 10.0
    """Longest wait for a connection to the upstream [s, PX-10]."""
    idle_upstream_s: float = 30.0
    """An unused connection to the upstream is closed after this long [s, PX-1]."""
    max_head_bytes: int = 64 * 1024
    """Largest request line and headers [bytes, PX-10]."""
    head_timeout_s: float = 30.0
    """Longest wait for the rest of a request's head [s, PX-10]."""
    linger_s: float = 2.0
    """After an answer that ends its connection, reading continues for this long, so that the client
    receives the answer [s, PX-10]."""
    kept_request_bytes: int = 64 * 1024 * 1024
    """Bytes of a request that are kept while it is in progress; a longer one is forwarded without
    being read [bytes, PX-10]."""
    unpacked_bytes: int = 64 * 1024 * 1024
    """Most unpacked bytes of a compressed answer that are read; all of it is forwarded [bytes,
    PX-10]."""
    drain_s: float = 10.0
    """On SIGTERM, answers in progress get this long to finish [s, PX-1]."""


class PriceSettings(Struct, frozen=True, eq=False):
    """Prices of models (SPEC PX-11, IF-8)."""

    models: Annotated[tuple[ModelPrice, ...], Option(common=True, parse=_TABLES.parse)] = ()
    """Prices of your own, which come before those of the table
    ([how](concepts/replay.md#prices-of-your-own)) [IF-8]."""
