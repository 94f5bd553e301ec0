"""What the upstream knows about a request's prefix: identity, prompt cache, thinking binding.

A request is read as one row of units: tools, then system blocks, then the blocks of the messages.
Two spellings of the same content are the same unit: cache marks do not count, and a plain string
is a list of one text block (a client rewrites both as its marks move on). Nothing here refuses a
request; `validity` does.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

Block = dict[str, Any]

LOOK_BACK_BLOCKS = 20
BYTES_PER_TOKEN = 4
LIFETIMES_S = {"5m": 300.0, "1h": 3600.0}


@dataclass(frozen=True)
class Unit:
    """One block of the prefix: its position, whose it is, and whether it carries a mark."""

    place: str
    section: str
    role: str
    block: Block
    marked: bool

    @property
    def identity(self) -> bytes:
        return f"{self.section}/{self.role}:".encode() + canonical(self.block)

    @property
    def tokens(self) -> int:
        return max(1, len(canonical(self.block)) // BYTES_PER_TOKEN)

    @property
    def lifetime_s(self) -> float:
        """How long the entry at its mark lives after each use."""
        return LIFETIMES_S[(self.block.get("cache_control") or {}).get("ttl", "5m")]


@dataclass(frozen=True)
class Usage:
    """Input tokens, split as the service reports them; `input_tokens` excludes both cache parts."""

    input_tokens: int
    cache_read: int
    cache_creation: int

    def wire(self, output_tokens: int) -> dict[str, int]:
        return {
            "input_tokens": self.input_tokens,
            "cache_read_input_tokens": self.cache_read,
            "cache_creation_input_tokens": self.cache_creation,
            "output_tokens": output_tokens,
        }


def blocks_of(content: object) -> list[Block]:
    """Content in its list spelling; an empty string and None are no blocks."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return [b for b in content if isinstance(b, dict)] if isinstance(content, list) else []


def canonical(block: Block) -> bytes:
    return json.dumps(_plain(block), sort_keys=True, ensure_ascii=False).encode()


def _plain(value: Any) -> Any:
    """The same value without marks, with every block's `content` in list spelling."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    plain = {key: _plain(item) for key, item in value.items() if key != "cache_control"}
    if value.get("type") == "tool_result" and "content" in value:
        plain["content"] = [_plain(block) for block in blocks_of(value["content"])]
    return plain


def units(body: dict[str, Any]) -> list[Unit]:
    """The whole prefix in order. Deferred tools are outside the prefix."""
    return [*_tools(body), *_system(body), *_messages(body)]


def _tools(body: dict[str, Any]) -> Iterator[Unit]:
    for index, tool in enumerate(body.get("tools") or []):
        if not tool.get("defer_loading"):
            yield Unit(f"tools.{index}", "tools", "", tool, "cache_control" in tool)


def _system(body: dict[str, Any]) -> Iterator[Unit]:
    for index, block in enumerate(blocks_of(body.get("system"))):
        yield Unit(f"system.{index}", "system", "", block, "cache_control" in block)


def _messages(body: dict[str, Any]) -> Iterator[Unit]:
    for number, message in enumerate(body.get("messages") or []):
        for index, block in enumerate(blocks_of(message.get("content"))):
            place = f"messages.{number}.content.{index}"
            yield Unit(place, "messages", str(message.get("role")), block, "cache_control" in block)


def chain(row: Iterable[Unit], salt: dict[str, bytes] | None = None) -> list[str]:
    """For each unit the hash of everything up to and including it.

    `salt` mixes in, at the first unit of a section, what else the prefix depends on from there.
    """
    hashes: list[str] = []
    state = b""
    seen: set[str] = set()
    for unit in row:
        extra = b""
        if unit.section not in seen:
            seen.add(unit.section)
            extra = (salt or {}).get(unit.section, b"")
        state = hashlib.sha256(state + extra + unit.identity).digest()
        hashes.append(state.hex())
    return hashes


@dataclass
class CacheEntry:
    lifetime_s: float
    ends: float


@dataclass
class PromptCache:
    """Entries exist only where an earlier request had a mark, and until they were not used for
    the lifetime of that mark."""

    entries: dict[str, CacheEntry] = field(default_factory=dict)

    def account(self, body: dict[str, Any]) -> Usage:
        """The usage of this request; its own marks become entries for the next one."""
        row = units(body)
        hashes = chain(row, _cache_salt(body))
        marks = {index: unit.lifetime_s for index, unit in enumerate(row) if unit.marked}
        if "cache_control" in body and row:
            marks.setdefault(len(row) - 1, LIFETIMES_S["5m"])
        now = time.monotonic()
        read_to = max((self._longest_hit(hashes, mark, now) for mark in marks), default=-1)
        write_to = max(marks, default=-1)
        if read_to >= 0:
            self._use(hashes[read_to], now)
        for mark, lifetime_s in marks.items():
            self._use(hashes[mark], now, lifetime_s)
        tokens = [unit.tokens for unit in row]
        return Usage(
            input_tokens=sum(tokens[write_to + 1 :]),
            cache_read=sum(tokens[: read_to + 1]),
            cache_creation=sum(tokens[read_to + 1 : write_to + 1]),
        )

    def _use(self, key: str, now: float, lifetime_s: float = 0.0) -> None:
        """An entry that is alive keeps the lifetime that was paid for it."""
        found = self.entries.get(key)
        lives = found.lifetime_s if found is not None and found.ends >= now else lifetime_s
        self.entries[key] = CacheEntry(lives, now + lives)

    def _longest_hit(self, hashes: list[str], mark: int, now: float) -> int:
        first = max(0, mark - LOOK_BACK_BLOCKS + 1)
        living = (
            i
            for i in range(mark, first - 1, -1)
            if (found := self.entries.get(hashes[i])) is not None and found.ends >= now
        )
        return next(living, -1)


def _cache_salt(body: dict[str, Any]) -> dict[str, bytes]:
    """A cache belongs to a model; another tool choice or thinking mode spares tools and system."""
    model = str(body.get("model")).encode()
    thinking = body.get("thinking") or {}
    mode = [body.get("tool_choice"), thinking.get("type"), thinking.get("budget_tokens")]
    first = next((name for name in ("tools", "system", "messages") if body.get(name)), "messages")
    toggles = json.dumps(mode, sort_keys=True).encode()
    salt = {"messages": toggles}
    salt[first] = model + salt.get(first, b"")
    return salt


@dataclass(frozen=True)
class IssuedThinking:
    """One thinking block as it went out, and the hash of everything it was produced after."""

    shown_text: str
    prefix: str
    answer: int


@dataclass
class ThinkingLedger:
    """Every signature this upstream gave out."""

    issued: dict[str, IssuedThinking] = field(default_factory=dict)
    answers_of_tools: dict[str, int] = field(default_factory=dict)

    def issue(self, shown_text: str, prefix: str, answer: int) -> str:
        seed = f"{len(self.issued)}:{prefix}:{shown_text}".encode()
        signature = hashlib.sha512(seed).hexdigest()
        self.issued[signature] = IssuedThinking(shown_text, prefix, answer)
        return signature

    def signatures_of(self, answer: int) -> set[str]:
        return {key for key, thinking in self.issued.items() if thinking.answer == answer}

    def mismatches(self, body: dict[str, Any]) -> list[str]:
        """Places of thinking blocks whose prefix is no longer the one they were produced after."""
        row = units(body)
        hashes = chain(row)
        places = []
        for index, unit in enumerate(row):
            known = self.issued.get(signature_of(unit.block) or "")
            before = hashes[index - 1] if index else ""
            if known is not None and known.prefix != before:
                places.append(unit.place)
        return places


def signature_of(block: Block) -> str | None:
    """The signed part of a thinking or redacted_thinking block; None for every other block."""
    key = {"thinking": "signature", "redacted_thinking": "data"}.get(str(block.get("type")))
    return str(block.get(key, "")) if key else None
