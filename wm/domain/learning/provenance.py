"""Record where the words of a session first appeared, and judge candidates by it (TR-3, EX-5).

Words that the user typed, or that the model wrote before any tool output contained them, are
`said`. Words that first appeared in tool output, files, web pages or pastes are `foreign`. A
candidate is clean when a few said sentences support it and no distinctive word in it is foreign.
A model's sentence that repeats foreign text is foreign, so neither a summary nor a repetition
makes foreign text clean.

The record holds keyed digests of words and of neighbouring words, never text: a Bloom filter for
foreign words and short lists for said sentences. Both have a fixed size. The filter can report a
false positive (more often as it fills), and a list drops its oldest sentences. Both errors send a
candidate to the inbox; neither admits a memory that was not stated. Pure and linear.
"""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, pairwise

from msgspec import Struct, field
from msgspec.structs import astuple

from wm.domain.learning import distinctive_words
from wm.domain.learning.concepts import HEAD_CHARS, bans_what_follows, concepts_in
from wm.domain.learning.distinctive_words import ORDINARY, Sentence, sentences
from wm.domain.learning.support import comparison, items, reading
from wm.domain.learning.typed_lines import all_typed, typed_lines
from wm.formats.session_state import WordOrigins
from wm.settings import OriginSettings
from wm.text.letters import WordPattern as Phrase
from wm.text.letters import with_gaps_of
from wm.text.patterns import Lazy, Pattern, escaped
from wm.text.patterns import words as word_set
from wm.text.scripts import is_cjk_heavy
from wm.text.sentences import sentences as text_sentences
from wm.text.tables import Tables

USER, AGENT = 0, 1

FOREIGN_FIRST = "first_in_tool_text"
REPEATED = "repeats_tool_text"
UNATTRIBUTABLE = "not_attributable"

_GAP = Lazy(r"\n(?:[ \t]*\n){2,}")
_SPACED_GAP = Lazy(r"\n[ \t]+\n")

ADDRESSED = "addressed"
HIDDEN = "hidden_text"
UNREAD = "unread_text"
MISSED = "unheard_text"
"""Reasons to count the model's own words as foreign from then on: tool output addressed the
memory, contained hidden text, was too long to read, or may have been missed."""

_BITS = 1 << 19
_UNIT = struct.Struct("<BBQQ")
_STATES = 0x40
"""Flag in the first byte of a unit: its statement follows the words."""
_MAX_STATEMENT_BYTES = 1 << 20
_HEAD_WORDS = 5
"""Size of a unit's header, counted in words."""

MAX_UNITS = 3
"""Maximum said sentences that together may cover a sentence of a summary."""
MIN_COVERED = 0.6
"""Minimum share of its words that those sentences must contain."""
MAX_REPEATED = 0.5
"""Above this share of neighbour pairs that were foreign before the user said them, a candidate
counts as repeated."""
MAX_FOREIGN_WORDS, MAX_FOREIGN_PAIRS = 2 / 3, 1 / 2
"""Above either share of foreign words or neighbour pairs, a model's sentence repeats foreign
text."""
MIN_REARRANGED = 0.8
"""From this share on of words of the user, or of a tool beside half of the user's, a model's
sentence may be a rearrangement of them."""
MAX_ORDINARY = 1 / 3
"""Maximum share of foreign neighbour pairs with an ordinary word among a candidate's pairs."""

_TABLES = Tables("wm.domain.learning", "common_words.toml")
_ROLES = tuple(f"\n{role}:" for role in ("assistant", "human", "user", "system"))
_ADDRESSES = Lazy("|".join(map(escaped, (*_TABLES.phrases("addresses"), *_ROLES))))


class SupportVerdict(Struct, frozen=True):
    """origin: user, agent or tool. reasons: codes; () for a clean candidate."""

    origin: str
    reasons: tuple[str, ...] = ()

    @property
    def tainted(self) -> bool:
        return bool(self.reasons)


class _Unit(Struct, frozen=True):
    """A said sentence. late, late_pairs: bits of its words and neighbour pairs that were foreign
    before it was said."""

    who: int
    sentence: Sentence
    late: int = 0
    late_pairs: int = 0

    def pack(self) -> bytes:
        words = self.sentence.words
        tokens = self.sentence.tokens
        head = (self.who << 4) | self.sentence.negations | (_STATES if tokens else 0)
        start = _UNIT.pack(head, len(words), self.late, self.late_pairs)
        packed = start + struct.pack(f"<{len(words)}I", *words)
        if not tokens:
            return packed
        return packed + struct.pack(f"<B{len(tokens)}I", len(tokens), *tokens)


class _Statements(Struct):
    """The sentences of user and model, indexed by word and by neighbour pair.

    spoken: (speaker, sentence) pairs. words: said word -> whether said before it was foreign;
    a word that was foreign first counts if the user said it, not if the model did. late_pairs:
    neighbour pairs of the user that were foreign first. by_user: words of the user's statements.
    """

    units: list[_Unit] = field(default_factory=list)
    spoken: set[tuple[int, Sentence]] = field(default_factory=set)
    words: dict[int, bool] = field(default_factory=dict)
    pairs: set[int] = field(default_factory=set)
    late_pairs: set[int] = field(default_factory=set)
    by_user: set[int] = field(default_factory=set)

    def add(self, unit: _Unit) -> None:
        self.units.append(unit)
        self.spoken.add((unit.who, unit.sentence))
        if unit.who == USER:
            self.by_user.update(items.words(unit.sentence.tokens))
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

    def copy(self) -> _Statements:
        return _Statements(*(type(part)(part) for part in astuple(self)))


_NEEDS_CONTEXT = word_set(
    "deictic subject_not joined contrast condition only exempt refers reason hearsay remaining"
)
"""Concepts at the beginning of a sentence that needs the one before it: "It …", "But …"."""


def standalone_sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text and their parts between semicolons. The text itself if it has several
    lines, or if a part is as short as a heading or belongs to another part: "It …", "Never do the
    following"."""
    found = tuple("\n".join(text_sentences(text)).replace("; ", ";\n").split("\n"))
    if "\n" in text or any(one.count(" ") < 2 and not is_cjk_heavy(one) for one in found):
        return (text,)
    first, *others = map(concepts_in, found)
    leans = any(not _NEEDS_CONTEXT.isdisjoint(one.first) for one in others)
    limits = not _LIMITS_NEXT.isdisjoint(first.first)
    refers = any("refers" in one.anywhere for one in (first, *others))
    return (text,) if leans or limits or refers else found


_LIMITS_NEXT = word_set("deictic condition only exempt")
"""Concepts at the beginning of a sentence that limits the next one: "Unless it is Friday; …"."""


def content_words(text: str, key: bytes) -> frozenset[int]:
    """Digests of the content words of a text, by stem, without those that name a class only."""
    found = (items.content_words(sentence.tokens) for sentence in sentences(text, key))
    return frozenset[int]().union(*found)


class SessionWords:
    """The words of one session while one event is processed: a working value of one call.

    `kept` returns the record to store: the given record if nothing was added.
    """

    def __init__(self, given: WordOrigins, key: bytes, settings: OriginSettings) -> None:
        self.given = given
        self.key = key
        self.settings = settings
        self._history = _unpacked(given.said)
        self._foreign = _bits(given.foreign)
        self._distrust = dict.fromkeys(given.distrust)
        self._changed = self._has_new_statements = False

    # --- recording ------------------------------------------------------------------------

    def record_user(self, message: str) -> None:
        """Record a user's message: typed lines are said, pasted text is foreign."""
        stated: list[str] = []
        parts = list(self._parts(_without_gaps(message)))
        turns = distinctive_words.says_no("\n".join([text for text, typed in parts if typed]))
        is_listing = False
        for text, typed in parts:
            if typed:
                text, is_listing = _without_banned_items(text, is_listing)
                stated.append(_stated(text))
                if turns and distinctive_words.ends_in_no(stated[-1]):
                    # The negation does not apply to the next block.
                    self._record_stated(stated)
                    stated = []
            elif text:
                self._record_stated(stated)
                stated = []
                self.record_foreign(text, self.settings.max_pasted_chars)
        self._record_stated(stated)

    def _record_stated(self, blocks: list[str]) -> None:
        for sentence in sentences("\n".join(dict.fromkeys(blocks)), self.key):
            self._add_statement(USER, sentence)

    def record_agent(self, text: str) -> None:
        """Record the model's text: said, unless it repeats foreign text or is distrusted."""
        for sentence in sentences(text[: self.settings.max_heard_chars], self.key):
            if self._distrust or self._repeats(sentence):
                self._mark_foreign([sentence])
            elif self._rearranges(sentence):
                self._add_statement(AGENT, sentence._replace(tokens=()))
            else:
                self._add_statement(AGENT, sentence)

    def record_foreign(self, text: str, limit: int = 0) -> None:
        """Record tool output, a file, a page or a paste."""
        limit = limit or self.settings.max_heard_chars
        if len(text) > limit:
            text = text[: limit // 2] + "\n" + text[-(limit // 2) :]
            self.doubt(UNREAD)
        if distinctive_words.hides_text(text):
            self.doubt(HIDDEN)
        decoded = distinctive_words.decoded(text)
        if decoded:
            self.doubt(HIDDEN)
            text = f"{text}\n{decoded}"
        plain = distinctive_words.plain(text)
        if _ADDRESSES.search("\n" + plain) is not None:
            self.doubt(ADDRESSED)
        self._add_to_filter(*distinctive_words.features(plain, self.key))

    def record_summary(self, text: str) -> None:
        """Record a summary: sentences that no said sentence covers become foreign, so that a later
        repetition of them is not a first appearance."""
        claims = sentences(text[: self.settings.max_heard_chars], self.key)
        self._mark_foreign(sentence for sentence in claims if not self._covers(sentence))

    def doubt(self, code: str) -> None:
        """Count the model's own words as foreign from now on, for this reason."""
        if code not in self._distrust:
            self._distrust[code] = None
            self._changed = True

    def kept(self) -> WordOrigins:
        if not self._changed:
            return self.given
        return self.given.model_copy(
            update={
                "foreign": _text(self._foreign) if self._foreign.strip(b"\0") else "",
                "said": self._packed() if self._has_new_statements else self.given.said,
                "distrust": tuple(self._distrust),
            }
        )

    # --- judging ---------------------------------------------------------------------------

    def judge(self, text: str, *, known: Sequence[str] = ()) -> SupportVerdict:
        """Return the origin of a candidate. known: names that belong to the project (paths that
        were worked on, the project's name); they count neither for nor against it."""
        words = distinctive_words.kinds(text, self.key)
        for name in known:
            if name in text:
                for word in distinctive_words.kinds(name, self.key):
                    words.pop(word, None)
        claims = list(sentences(text, self.key))
        if self._holds_foreign(words) or self._holds_foreign_pairs(claims, words):
            return SupportVerdict("tool", (FOREIGN_FIRST,))
        names = [name for name in known if name in text]
        names += filter(text.lower().__contains__, reading.PLACES)
        speakers = self._speakers(claims, names)
        if not words or not claims or None in speakers or not self._names_are_stated(text, words):
            return SupportVerdict("agent", (UNATTRIBUTABLE,))
        if self._is_repeated(claims, words):
            return SupportVerdict("tool", (REPEATED,))
        is_users = speakers.count(USER) * 2 >= len(speakers)
        return SupportVerdict("user" if is_users else "agent")

    def repeats_foreign(self, text: str) -> bool:
        """Whether a text repeats a sentence or a phrase that only foreign text has."""
        claims = list(sentences(text, self.key))
        kinds = distinctive_words.kinds(text, self.key)
        return any(map(self._repeats, claims)) or self._holds_foreign_pairs(claims, kinds)

    def is_stated_by_user(self, text: str) -> bool:
        """Whether the user's own statements support this text, whoever said it first."""
        by = self._speakers(list(sentences(text, self.key)), ())
        return bool(by) and all(who == USER for who in by)

    def _speakers(self, claims: Sequence[Sentence], known: Sequence[str]) -> list[int | None]:
        """The speaker of each sentence, the user before the model; None if no statement supports
        it."""
        names = (sentence for name in known for sentence in sentences(name, self.key))
        of_place = frozenset[int]().union(*(items.words(name.tokens) for name in names))
        said = {who: self._statements(who) for who in (USER, AGENT)}

        def speaker(claim: Sentence) -> int | None:
            tokens = claim.tokens
            return next((w for w in said if comparison.supports(tokens, said[w], of_place)), None)

        return [*map(speaker, claims)]

    @property
    def distrust(self) -> tuple[str, ...]:
        return tuple(self._distrust)

    def _is_foreign_only(self, word: int) -> bool:
        return word not in self._history.words and self._in_filter(word)

    def _holds_foreign(self, words: Mapping[int, str]) -> bool:
        return any(k != ORDINARY and self._is_foreign_only(w) for w, k in words.items())

    def _holds_foreign_pairs(self, claims: Sequence[Sentence], words: Mapping[int, str]) -> bool:
        """Whether neighbouring words of the candidate were neighbours only in foreign text."""
        ordinary = pairs = 0
        for sentence in claims:
            for (one, other), both in zip(pairwise(sentence.words), sentence.pairs(), strict=True):
                if one not in words or other not in words:
                    continue
                pairs += 1
                if both in self._history.pairs or not self._in_filter(both):
                    continue
                if ORDINARY not in (words[one], words[other]):
                    return True
                ordinary += 1
        return ordinary > MAX_ORDINARY * pairs

    def _is_repeated(self, claims: Sequence[Sentence], words: Mapping[int, str]) -> bool:
        """Whether most neighbour pairs were foreign before the user said them."""
        pairs = [p for sentence in claims for p in sentence.pairs()]
        late = sum(p in self._history.late_pairs for p in pairs)
        if pairs:
            return late > MAX_REPEATED * len(pairs)
        return not any(self._history.words.get(word) for word in words)

    def _names_are_stated(self, text: str, words: Mapping[int, str]) -> bool:
        """Whether every name was said in one piece: `b.org/a` has the words of `a.org/b`."""
        names = (name for name in distinctive_words.names(text, self.key) if len(name) > 1)
        names = (name for name in names if words.keys() >= set(name))
        units = self._history.units
        return all(any(_within(name, unit.sentence.words) for unit in units) for name in names)

    def _covers(self, sentence: Sentence) -> bool:
        """Whether a few said sentences contain most words of this one."""
        words = set(sentence.words)
        said = left = words & self._history.words.keys()
        # One shared word proves nothing: a sentence counts only if it contains two of the words.
        least = min(2, len(words))
        for _ in range(MAX_UNITS):
            if not left:
                break
            best = max(
                self._history.units, key=lambda one: len(left.intersection(one.sentence.words))
            )
            if len(said.intersection(best.sentence.words)) < least:
                break
            left = left.difference(best.sentence.words)
        covered = len(said) - len(left)
        return 0 < covered >= MIN_COVERED * len(words)

    # --- storing ----------------------------------------------------------------------------

    def _parts(self, message: str) -> Iterator[tuple[str, bool]]:
        """Yield the message in blocks, each typed or pasted. The middle of a very long message
        counts as pasted, and so does a block with too many lines or characters without a blank
        line."""
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

    def _add_statement(self, who: int, sentence: Sentence) -> None:
        said = self._history
        if (who, sentence) in said.spoken:
            return
        late = sum(1 << at for at, word in enumerate(sentence.words) if not self._is_first(word))
        late_pairs = sum(
            1 << at
            for at, both in enumerate(sentence.pairs())
            if both in said.late_pairs or (both not in said.pairs and self._in_filter(both))
        )
        if not self._has_new_statements:
            self._history = said.copy()
        self._history.add(_Unit(who, sentence, late, late_pairs))
        self._changed = self._has_new_statements = True

    def _is_first(self, word: int) -> bool:
        known = self._history.words.get(word)
        return not self._in_filter(word) if known is None else known

    def _repeats(self, sentence: Sentence) -> bool:
        words = set(sentence.words)
        foreign = sum(self._is_foreign_only(word) for word in words)
        pairs = sentence.pairs()
        late = sum(both not in self._history.pairs and self._in_filter(both) for both in pairs)
        return foreign > MAX_FOREIGN_WORDS * len(words) or late > MAX_FOREIGN_PAIRS * len(pairs)

    def _rearranges(self, sentence: Sentence) -> bool:
        """Whether the model rearranges the user's words, or puts words of a tool in the place of
        some. Such a sentence states nothing: a tool may have shown the model the same sentence."""
        words = items.words(sentence.tokens)
        known = sum(word in self._history.by_user for word in words)
        if not words or 2 * known < len(words) or (USER, sentence) in self._history.spoken:
            return False
        foreign = sum(map(self._is_foreign_only, set(sentence.words)))
        if known + foreign < MIN_REARRANGED * len(words):
            return False
        return not comparison.supports(sentence.tokens, self._statements(USER))

    def _statements(self, who: int) -> list[tuple[int, ...]]:
        return [unit.sentence.tokens for unit in self._history.units if unit.who == who]

    def _mark_foreign(self, claims: Iterable[Sentence]) -> None:
        """Mark the words and neighbour pairs of sentences as foreign, except those said before."""
        claims = tuple(claims)
        words = {word for sentence in claims for word in sentence.words}
        self._add_to_filter(words, {both for sentence in claims for both in sentence.pairs()})

    def _add_to_filter(self, words: set[int], pairs: set[int]) -> None:
        new = words.difference(self._history.words) | pairs.difference(self._history.pairs)
        before = bytes(self._foreign)
        for place in chain.from_iterable(map(_places, new)):
            self._foreign[place >> 3] |= 1 << (place & 7)
        self._changed = self._changed or self._foreign != before

    def _in_filter(self, digest: int) -> bool:
        return all(self._foreign[at >> 3] >> (at & 7) & 1 for at in _places(digest))

    def _packed(self) -> str:
        """Pack the newest sentences of each speaker that fit."""
        kept: list[bytes] = []
        room = {USER: self.settings.kept_words, AGENT: self.settings.kept_words}
        for unit in reversed(self._history.units):
            room[unit.who] -= len(unit.sentence.words) + _HEAD_WORDS
            if room[unit.who] >= 0:
                kept.append(unit.pack())
        return _text(b"".join(reversed(kept)))


def _within(name: tuple[int, ...], words: tuple[int, ...]) -> bool:
    """Whether these words are neighbours in this order."""
    size = len(name)
    return any(words[at : at + size] == name for at in range(len(words) - size + 1))


def _places(digest: int) -> tuple[int, int]:
    return digest & (_BITS - 1), ((digest * 0x85EBCA6B) & 0xFFFFFFFF) >> 13


_QUESTION = Lazy(r"(?:[^.!?\n。！？]|\.[^\s.!?])*[?？]")
_POLITE = Phrase(
    r"^\W*(?:(?:can|could|would|will) (?:you|we) |please|(?:könntest|kannst) du |"
    r"(?:puedes|podrías) |(?:peux|pourrais)[- ]tu |(?:pode|poderia) )"
)
_QUOTATION = Lazy(r"\"(?:[^\s\"]+\s+){4,}[^\s\"]+\"|“(?:[^\s”]+\s+){4,}[^\s”]+”|«[^»\n]{25,}»")
MOST_QUOTED_WORDS = 101
"""Longest quotation in words; marks further apart do not quote. Counted in code: a pattern with
this bound takes milliseconds and megabytes to compile."""


def _without_gaps(message: str) -> str:
    """Replace several blank lines by one."""
    message = with_gaps_of(2, message)
    return _GAP.sub("\n\n", message) if _SPACED_GAP.is_match(message) else message


def _stated(text: str) -> str:
    """What the user states: without questions, which may ask about anything, and without long
    quotations, which are another person's words. A polite question is kept: it is a wish."""
    if "?" in text or "？" in text:
        text = _QUESTION.sub(_polite_or_blank, text)
    quotes = '"' in text or "“" in text or "«" in text
    return _QUOTATION.sub(_unquoted_or_blank, text) if quotes else text


def _without_banned_items(text: str, is_listing: bool) -> tuple[str, bool]:
    """A block without what a ban lists behind its heading, in its line or in the lines below it:
    "never do the following: push to main" does not state "push to main". is_listing: the block
    before ends with such a heading; also returned for this one."""
    kept: list[str] = []
    ends_in_heading = False
    for line in text.split("\n"):
        ends = _HEAD_END.spans(line[:HEAD_CHARS])
        span = next((one for one in ends if _is_banning(line[: one[0]], line[slice(*one)])), None)
        if span is not None:
            kept.append(line[: span[0]])
            is_listing = ends_in_heading = not line[span[1] :].strip()
        elif not is_listing:
            kept.append(line)
        elif line.strip():
            ends_in_heading = False
    return "\n".join(kept), ends_in_heading


def _is_banning(head: str, end: str) -> bool:
    """Whether a heading bans what follows. One that ends in a full stop or in a dash does if its
    last word points ahead: "Never do the following. …", but not "Don't do that. …"."""
    if not bans_what_follows(head):
        return False
    last = concepts_in(head.rstrip("*_ ").split()[-1]).anywhere
    points = "refers" in last or ("deictic" in last and end[0] not in ".。")
    return points or not {":", "："}.isdisjoint(end)


_HEAD_END = Lazy(r"[:：.][*_]*(?:\s|$)|\s[-–—]+\s|[：。]")


def _polite_or_blank(match: Pattern) -> str:
    question = str(match.group())
    return question if _POLITE.match(question) is not None else " "


def _unquoted_or_blank(match: Pattern) -> str:
    quotation = str(match.group())
    return quotation if len(quotation.split(None, MOST_QUOTED_WORDS)) > MOST_QUOTED_WORDS else " "


def _text(raw: bytes | bytearray) -> str:
    """Encode bytes for storage. In a set of bits and among digests only runs of zeros repeat:
    run-length compression takes half the time of a full search and gives a smaller result."""
    packer = zlib.compressobj(1, strategy=zlib.Z_RLE)
    return base64.b64encode(packer.compress(raw) + packer.flush()).decode("ascii")


def _bytes(text: str, longest: int) -> bytes:
    """Decode the result of `_text`; b"" for anything else."""
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
def _unpacked(text: str) -> _Statements:
    """Decode said sentences. Cached and shared by several calls: do not change the result."""
    said = _Statements()
    raw = _bytes(text, _MAX_STATEMENT_BYTES) if text else b""
    at = 0
    while at + _UNIT.size <= len(raw):
        head, count, late, late_pairs = _UNIT.unpack_from(raw, at)
        at += _UNIT.size
        if at + 4 * count > len(raw):
            break
        words = struct.unpack_from(f"<{count}I", raw, at)
        at += 4 * count
        tokens: tuple[int, ...] = ()
        if head & _STATES and at < len(raw):
            size = raw[at]
            if at + 1 + 4 * size > len(raw):
                break
            tokens = struct.unpack_from(f"<{size}I", raw, at + 1)
            at += 1 + 4 * size
        sentence = Sentence(words, head & 15, tokens)
        said.add(_Unit(head >> 4 & 3, sentence, late, late_pairs))
    return said
