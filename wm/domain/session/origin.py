"""Where the words of a session first appeared, and what that says of a candidate (TR-3, EX-5).

What the user typed, and what the model wrote before any tool said it, is `said`; what stood in
tool output, files, web pages and pastes first is `foreign`. A candidate is clean when a few
sentences that were said carry it and nothing telling in it is foreign. A model's sentence that
repeats foreign text is foreign text, so a summary or a second telling washes nothing clean.

Kept are keyed digests of words and of neighbouring words, never text: a set of bits for what is
foreign, short lists for what was said. Both have a fixed size. The set may take a word for
foreign that is not (the fuller, the oftener), and a list forgets its oldest sentences: both
errors lead to the inbox, none to a memory that nobody stated. Pure and linear.
"""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from msgspec import Struct, field
from msgspec.structs import replace

from wm.domain.patterns import Lazy, Pattern, escaped
from wm.domain.session import wording
from wm.domain.session.typed import all_typed, typed_lines
from wm.domain.session.wording import NAME, ORDINARY, PLAIN, Sentence, sentences
from wm.domain.text import Words as Phrase
from wm.domain.text import with_gaps_of
from wm.formats.session_state import WordOrigins
from wm.settings import OriginSettings

USER, AGENT = 0, 1

FOREIGN_FIRST = "first_in_tool_text"
REPEATED = "repeats_tool_text"
UNATTRIBUTABLE = "not_attributable"

_GAP = Lazy(r"\n(?:[ \t]*\n){2,}")
_SPACED_GAP = Lazy(r"\n[ \t]+\n")

ADDRESSED = "addressed"
HIDDEN = "hidden_text"
UNREAD = "unread_text"
UNHEARD = "unheard_text"
"""Why the model's own words count as foreign from then on: a tool's text spoke to the memory or
hid something, was too long to be read, or may have been missed."""

_BITS = 1 << 19
_LAST_BIT = _BITS - 1
_BIT = tuple(1 << at for at in range(8))
_UNIT = struct.Struct("<BBQQ")
_LONGEST_SAID = 1 << 20
_HEAD_WORDS = 5
"""What the head of a sentence takes, in words."""

MOST_UNITS = 3
"""So many sentences together may carry one candidate."""
LEAST_CARRIED = 0.6
"""So much of a candidate's words must stand in those sentences."""
MOST_REPEATED = 0.5
"""More of a candidate's neighbours than this were foreign before the user said them: repeated."""
REPEATS_WORDS, REPEATS_PAIRS = 2 / 3, 1 / 2
"""A model's sentence with more foreign words, or neighbours, than this repeats foreign text."""
MOST_ORDINARY = 1 / 3
"""Neighbours of two ordinary words that may be foreign, of all neighbours of a candidate."""

ADDRESSES = (
    "remember that", "remember:", "please remember", "memory candidates", "from now on",
    "future session", "next session", "ai agent", "ai assistant", "<!-- ai", "agent-note",
    "all agents", "every agent", "agents must", "agents should", "agents run", "agent must",
    "the assistant must", "the assistant should", "\nassistant:", "\nhuman:", "\nuser:",
    "\nsystem:", '"role":', "ignore previous", "ignore all", "ignore any", "disregard",
    "system prompt", "to memory", "to your memory", "in your memory", "keep in mind",
    "you summari", "compaction", "reinforce", "replace [m", "<system", "workspace_memory",
    "function_calls", '"remember"', '"memory"', "the user decided", "the user wants",
    "the team decided",
    "记住", "記住", "从现在", "從現在", "今后", "覚えて", "今後", "これから", "기억", "앞으로",
    "recuerda", "a partir de ahora", "de ahora en adelante", "souviens", "retiens", "désormais",
    "à partir de maintenant", "merke dir", "denk daran", "ab jetzt", "ab sofort", "von nun an",
    "lembre", "a partir de agora", "de agora em diante",
)  # fmt: skip
"""Phrases with which a text speaks to a model or its memory rather than to a reader."""
_ADDRESSES = Lazy("|".join(map(escaped, ADDRESSES)))


class Verdict(Struct, frozen=True):
    """origin: user, agent or tool. reasons: codes, () for a clean one."""

    origin: str
    reasons: tuple[str, ...] = ()

    @property
    def tainted(self) -> bool:
        return bool(self.reasons)


class _Unit(Struct, frozen=True):
    """A sentence that was said. late, late_pairs: bits of its words and neighbours that were
    foreign before."""

    who: int
    sentence: Sentence
    late: int = 0
    late_pairs: int = 0

    def pack(self) -> bytes:
        words = self.sentence.words
        head = (self.who << 4) | self.sentence.negations
        start = _UNIT.pack(head, len(words), self.late, self.late_pairs)
        return start + struct.pack(f"<{len(words)}I", *words)


class _Carried(Struct, frozen=True):
    """What `units` carry of a candidate: the weight of `words`, and of the user's among them."""

    weight: float
    by_user: float
    words: frozenset[int]
    units: tuple[_Unit, ...]

    def turned_like(self, told: Sequence[Sentence]) -> bool:
        """Does the candidate say no where they do? What was said with a "never" carries nothing
        without it, nor the other way about."""
        turned = any(sentence.negations for sentence in told)
        theirs = [bool(unit.sentence.negations) for unit in self.units]
        return turned in theirs or not theirs


class _Said(Struct):
    """What was said, found by word and by neighbours.

    told: who said which sentence. words: said word -> whether it was said before it was foreign;
    a word that was foreign first counts as the user's, not as the model's. late_pairs: the user's
    neighbours that were not the first.
    """

    units: list[_Unit] = field(default_factory=list)
    told: set[tuple[int, Sentence]] = field(default_factory=set)
    words: dict[int, bool] = field(default_factory=dict)
    pairs: set[int] = field(default_factory=set)
    late_pairs: set[int] = field(default_factory=set)

    def add(self, unit: _Unit) -> None:
        self.units.append(unit)
        self.told.add((unit.who, unit.sentence))
        for at, word in enumerate(unit.sentence.words):
            first = not unit.late >> at & 1
            if first or unit.who == USER:
                self.words[word] = self.words.get(word, False) or first
        for at, both in enumerate(unit.sentence.pairs()):
            late = unit.late_pairs >> at & 1
            if late and unit.who == USER and both not in self.pairs:
                self.late_pairs.add(both)
            if not late or unit.who == USER:
                self.pairs.add(both)

    def copy(self) -> _Said:
        return replace(
            self,
            units=list(self.units),
            told=set(self.told),
            words=dict(self.words),
            pairs=set(self.pairs),
            late_pairs=set(self.late_pairs),
        )


class Words:
    """The words of one session while an event is taken in: a working value of one call.

    `kept` makes the record to store, the given one where nothing was added.
    """

    def __init__(self, given: WordOrigins, key: bytes, settings: OriginSettings) -> None:
        self.given = given
        self.key = key
        self.settings = settings
        self._said = _unpacked(given.said)
        self._foreign = _bits(given.foreign)
        self._distrust = dict.fromkeys(given.distrust)
        self._changed = self._said_more = False

    # --- taking in ------------------------------------------------------------------------

    def hear_user(self, message: str) -> None:
        """A user's message: typed lines are said, everything that was pasted is foreign."""
        stated: list[str] = []
        parts = list(self._parts(_without_gaps(message)))
        turns = wording.says_no("\n".join([text for text, typed in parts if typed]))
        for text, typed in parts:
            if typed:
                stated.append(_stated(text))
                if turns and wording.ends_in_no(stated[-1]):
                    # It turns nothing of the next block.
                    self._hear_stated(stated)
                    stated = []
            elif text:
                self._hear_stated(stated)
                stated = []
                self.hear_foreign(text, self.settings.max_pasted_chars)
        self._hear_stated(stated)

    def _hear_stated(self, blocks: list[str]) -> None:
        for sentence in sentences("\n".join(dict.fromkeys(blocks)), self.key):
            self._say(USER, sentence)

    def hear_agent(self, text: str) -> None:
        """What the model wrote: said, unless it repeats foreign text or cannot be trusted."""
        for sentence in sentences(text[: self.settings.max_heard_chars], self.key):
            if self._distrust or self._repeats(sentence):
                self._take([sentence])
            else:
                self._say(AGENT, sentence)

    def hear_foreign(self, text: str, limit: int = 0) -> None:
        """Tool output, a file, a page, a paste."""
        limit = limit or self.settings.max_heard_chars
        if len(text) > limit:
            text = text[: limit // 2] + "\n" + text[-(limit // 2) :]
            self.doubt(UNREAD)
        if wording.hides_text(text):
            self.doubt(HIDDEN)
        decoded = wording.decoded(text)
        if decoded:
            self.doubt(HIDDEN)
            text = f"{text}\n{decoded}"
        plain = wording.plain(text)
        if _ADDRESSES.search("\n" + plain) is not None:
            self.doubt(ADDRESSED)
        self._mark(*wording.features(plain, self.key))

    def hear_summary(self, text: str) -> None:
        """A summary: what nothing that was said carries is foreign from now on, so that its
        repetition later is no first appearance."""
        told = sentences(text[: self.settings.max_heard_chars], self.key)
        self._take(sentence for sentence in told if not self._carries(sentence))

    def doubt(self, code: str) -> None:
        """From now on the model's own words count as foreign, for this reason."""
        if code not in self._distrust:
            self._distrust[code] = None
            self._changed = True

    def kept(self) -> WordOrigins:
        if not self._changed:
            return self.given
        return self.given.model_copy(
            update={
                "foreign": _text(self._foreign) if self._foreign.strip(b"\0") else "",
                "said": self._packed() if self._said_more else self.given.said,
                "distrust": tuple(self._distrust),
            }
        )

    # --- judging ---------------------------------------------------------------------------

    def judge(self, text: str, *, known: Sequence[str] = ()) -> Verdict:
        """Where a candidate comes from. known: names that belong to the place (paths that were
        worked on, the project's name); they speak neither for nor against it."""
        words = wording.kinds(text, self.key)
        for name in known:
            if name in text:
                for word in wording.kinds(name, self.key):
                    words.pop(word, None)
        told = list(sentences(text, self.key))
        if self._holds_foreign(words) or self._holds_foreign_pairs(told, words):
            return Verdict("tool", (FOREIGN_FIRST,))
        found = self._carried(words)
        if (
            any(k == NAME and w not in found.words for w, k in words.items())
            or not self._said_names(text, words)
            or not _suffices(found, words)
            or not found.turned_like(told)
        ):
            return Verdict("agent", (UNATTRIBUTABLE,))
        if self._is_repeated(told, words):
            return Verdict("tool", (REPEATED,))
        return Verdict("user" if found.by_user * 2 >= found.weight else "agent")

    def states(self, text: str) -> bool:
        """Did the user's own words carry this text, whoever said it first?"""
        words = wording.kinds(text, self.key)
        found = self._carried(words)
        return _suffices(replace(found, weight=found.by_user), words)

    @property
    def distrust(self) -> tuple[str, ...]:
        return tuple(self._distrust)

    def _is_foreign_only(self, word: int) -> bool:
        return word not in self._said.words and self._heard(word)

    def _holds_foreign(self, words: Mapping[int, str]) -> bool:
        return any(k != ORDINARY and self._is_foreign_only(w) for w, k in words.items())

    def _holds_foreign_pairs(self, told: Sequence[Sentence], words: Mapping[int, str]) -> bool:
        """Do words stand side by side as foreign text put them, and nobody here did?"""
        ordinary = pairs = 0
        for sentence in told:
            for (one, other), both in zip(pairwise(sentence.words), sentence.pairs(), strict=True):
                if one not in words or other not in words:
                    continue
                pairs += 1
                if both in self._said.pairs or not self._heard(both):
                    continue
                if ORDINARY not in (words[one], words[other]):
                    return True
                ordinary += 1
        return ordinary > MOST_ORDINARY * pairs

    def _is_repeated(self, told: Sequence[Sentence], words: Mapping[int, str]) -> bool:
        """Had foreign text put most of these words side by side before the user did?"""
        pairs = [p for sentence in told for p in sentence.pairs()]
        late = sum(p in self._said.late_pairs for p in pairs)
        if pairs:
            return late > MOST_REPEATED * len(pairs)
        return not any(self._said.words.get(word) for word in words)

    def _said_names(self, text: str, words: Mapping[int, str]) -> bool:
        """Was every name said in one piece? `b.example/a` has the words of `a.example/b`."""
        for name in wording.names(text, self.key):
            told = len(name) < 2 or not all(word in words for word in name)
            if not told and not any(_within(name, u.sentence.words) for u in self._said.units):
                return False
        return True

    def _carried(self, words: Mapping[int, str]) -> _Carried:
        """What the few sentences carry that have most of the words."""
        carried = by_user = 0.0
        used: list[_Unit] = []
        left = {word for word in words if word in self._said.words}
        said = frozenset(left)
        # One word alone may stand anywhere: a sentence carries what it has two words of.
        least = min(2, len(words))
        for _ in range(MOST_UNITS):
            if not left:
                break
            unit = max(
                self._said.units,
                key=lambda one: (len(left.intersection(one.sentence.words)), one.who == USER),
            )
            found = left.intersection(unit.sentence.words)
            if len(said.intersection(unit.sentence.words)) < least:
                break
            weight = sum(_weight(words[word]) for word in found)
            carried += weight
            by_user += weight if unit.who == USER else 0
            used.append(unit)
            left -= found
        return _Carried(carried, by_user, said - left, tuple(used))

    def _carries(self, sentence: Sentence) -> bool:
        words = dict.fromkeys(sentence.words, PLAIN)
        if sum(word in self._said.words for word in words) < LEAST_CARRIED * len(words):
            return False
        return _suffices(self._carried(words), words)

    # --- keeping ----------------------------------------------------------------------------

    def _parts(self, message: str) -> Iterator[tuple[str, bool]]:
        """The message in blocks, each typed or pasted. Nobody types the middle of a very long
        message, nor a block without a gap of so many lines."""
        most = self.settings.max_typed_chars
        if len(message) > 2 * most:
            yield from self._parts(message[:most])
            yield message[most:-most], False
            yield from self._parts(message[-most:])
            return
        if all_typed(message):
            first, *rest = message.split("\n\n")
            yield self._block([first], typed=True)
            for text in dict.fromkeys(rest):
                yield self._block(["", text], typed=True)
            return
        block: list[str] = []
        typed = True
        for line in typed_lines(message):
            mine = not line.origin
            if mine != typed or not line.text or line.text.isspace():
                if block:
                    yield self._block(block, typed)
                block, typed = [], mine
            block.append(line.text)
        if block:
            yield self._block(block, typed)

    def _block(self, lines: list[str], typed: bool) -> tuple[str, bool]:
        text = "\n".join(lines)
        limit = self.settings
        count = text.count("\n") + 1
        long = count > limit.max_typed_lines or len(text) > limit.max_typed_block_chars
        return text, typed and not long

    def _say(self, who: int, sentence: Sentence) -> None:
        said = self._said
        if (who, sentence) in said.told:
            return
        late = sum(1 << at for at, word in enumerate(sentence.words) if not self._is_first(word))
        late_pairs = sum(
            1 << at
            for at, both in enumerate(sentence.pairs())
            if both in said.late_pairs or (both not in said.pairs and self._heard(both))
        )
        if not self._said_more:
            self._said = said.copy()
        self._said.add(_Unit(who, sentence, late, late_pairs))
        self._changed = self._said_more = True

    def _is_first(self, word: int) -> bool:
        known = self._said.words.get(word)
        return not self._heard(word) if known is None else known

    def _repeats(self, sentence: Sentence) -> bool:
        words = set(sentence.words)
        foreign = sum(self._is_foreign_only(word) for word in words)
        pairs = sentence.pairs()
        late = sum(both not in self._said.pairs and self._heard(both) for both in pairs)
        return foreign > REPEATS_WORDS * len(words) or late > REPEATS_PAIRS * len(pairs)

    def _take(self, told: Iterable[Sentence]) -> None:
        """Make the words and neighbours of sentences foreign, but those that were said before."""
        words: set[int] = set()
        pairs: set[int] = set()
        for sentence in told:
            words.update(sentence.words)
            pairs.update(sentence.pairs())
        self._mark(words, pairs)

    def _mark(self, words: set[int], pairs: set[int]) -> None:
        new = words.difference(self._said.words) | pairs.difference(self._said.pairs)
        bits, bit, before = self._foreign, _BIT, bytes(self._foreign)
        for digest in new:
            # As `_places`; a tool shows thousands.
            bits[(digest & _LAST_BIT) >> 3] |= bit[digest & 7]
            other = (digest * 0x85EBCA6B & 0xFFFFFFFF) >> 13
            bits[other >> 3] |= bit[other & 7]
        self._changed = self._changed or bits != before

    def _heard(self, digest: int) -> bool:
        bits = self._foreign
        one, other = _places(digest)
        return bool(bits[one >> 3] >> (one & 7) & bits[other >> 3] >> (other & 7) & 1)

    def _packed(self) -> str:
        """The newest sentences of each speaker that fit."""
        kept: list[bytes] = []
        room = {USER: self.settings.kept_words, AGENT: self.settings.kept_words}
        for unit in reversed(self._said.units):
            room[unit.who] -= len(unit.sentence.words) + _HEAD_WORDS
            if room[unit.who] >= 0:
                kept.append(unit.pack())
        return _text(b"".join(reversed(kept)))


def _suffices(found: _Carried, words: Mapping[int, str]) -> bool:
    return 0 < found.weight >= LEAST_CARRIED * sum(map(_weight, words.values()))


def _within(name: tuple[int, ...], words: tuple[int, ...]) -> bool:
    """Do these words stand side by side, in this order?"""
    size = len(name)
    return any(words[at : at + size] == name for at in range(len(words) - size + 1))


def _weight(kind: str) -> float:
    return 0.5 if kind == ORDINARY else 1.0


def _places(digest: int) -> tuple[int, int]:
    return digest & (_BITS - 1), ((digest * 0x85EBCA6B) & 0xFFFFFFFF) >> 13


_QUESTION = Lazy(r"(?:[^.!?\n。！？]|\.[^\s.!?])*[?？]")
_POLITE = Phrase(
    r"^\W*(?:(?:can|could|would|will) (?:you|we) |please|(?:könntest|kannst) du |"
    r"(?:puedes|podrías) |(?:peux|pourrais)[- ]tu |(?:pode|poderia) )"
)
_QUOTATION = Lazy(r"\"(?:[^\s\"]+\s+){4,}[^\s\"]+\"|“(?:[^\s”]+\s+){4,}[^\s”]+”|«[^»\n]{25,}»")
MOST_QUOTED_WORDS = 101
"""Between marks that stand further apart is no quotation. Counted here: a pattern that counts so
far takes milliseconds to build, and megabytes."""


def _without_gaps(message: str) -> str:
    """The message with one blank line in the place of several."""
    message = with_gaps_of(2, message)
    return _GAP.sub("\n\n", message) if _SPACED_GAP.holds(message) else message


def _stated(text: str) -> str:
    """What the user states: without questions, which may ask about anything, and without long
    quotations, which are somebody else's words. A polite question is a wish."""
    if "?" in text or "？" in text:
        text = _QUESTION.sub(_kept_wish, text)
    quotes = '"' in text or "“" in text or "«" in text
    return _QUOTATION.sub(_kept_long, text) if quotes else text


def _kept_wish(match: Pattern) -> str:
    question = str(match.group())
    return question if _POLITE.match(question) is not None else " "


def _kept_long(match: Pattern) -> str:
    quotation = str(match.group())
    return quotation if len(quotation.split(None, MOST_QUOTED_WORDS)) > MOST_QUOTED_WORDS else " "


def _text(raw: bytes | bytearray) -> str:
    """Bytes as they are stored. In a set of bits, and among digests, only runs of nothing repeat:
    looking for no other repetition takes half the time and leaves less."""
    packer = zlib.compressobj(1, strategy=zlib.Z_RLE)
    return base64.b64encode(packer.compress(raw) + packer.flush()).decode("ascii")


def _bytes(text: str, longest: int) -> bytes:
    """What `_text` stored; nothing for what cannot be that."""
    try:
        unzip = zlib.decompressobj()
        raw = unzip.decompress(base64.b64decode(text), longest)
    except (ValueError, zlib.error):
        return b""
    return b"" if unzip.unconsumed_tail else raw


def _bits(text: str) -> bytearray:
    raw = _bytes(text, _BITS // 8) if text else b""
    return bytearray(raw if len(raw) == _BITS // 8 else _BITS // 8)


@lru_cache(maxsize=16)
def _unpacked(text: str) -> _Said:
    """What was said, not to be changed: several calls share it."""
    said = _Said()
    raw = _bytes(text, _LONGEST_SAID) if text else b""
    at = 0
    while at + _UNIT.size <= len(raw):
        head, count, late, late_pairs = _UNIT.unpack_from(raw, at)
        at += _UNIT.size
        if at + 4 * count > len(raw):
            break
        words = struct.unpack_from(f"<{count}I", raw, at)
        at += 4 * count
        said.add(_Unit(head >> 4, Sentence(words, head & 15), late, late_pairs))
    return said
