"""Find where a user asks, in whatever words, to keep something for later sessions (EX-1).

`opening_requests` and `inner_requests` know the usual forms. People also write "file that away for
next time" and "don't make me explain this again: …". Two linear models find these. The first judges
a sentence, and each of its clauses, by its words (`word_grams`) and concepts, without what it
quotes: does it ask? The second judges each word by its surroundings: is it part of the asking, and
does the fact follow or precede it? Of the texts beside the asking, the one that reads most like a
lasting statement is kept, and how much it does counts for the request. The weights are data, which
`python -m tests.bench fit_asking` makes. Pure and linear (EX-6).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, islice, takewhile
from typing import NamedTuple

from wm.domain.change.statement import OVER
from wm.domain.learning.concepts import KEEPING, concepts_of, folded, language, phrases
from wm.domain.learning.inner_requests import flattened, is_polite
from wm.domain.learning.stated import lasting_score
from wm.text.linear_model import LinearModel, read_model
from wm.text.patterns import Lazy
from wm.text.patterns import words as word_set
from wm.text.scripts import is_cjk_heavy
from wm.text.sentence_forms import forms_of
from wm.text.sentences import without_ordinals
from wm.text.tables import Tables
from wm.text.word_grams import JOINED, grams

ASKS_SCORE, WAITING_SCORE = -0.6, -1.6
"""A sentence asks to keep a text if its score, and a share of the score by which the text is a
lasting statement (`stated`), reach the first. From the second on, the request is unsure, as is
one in which no word is about keeping or knowing. Of 282 real messages 8 have an unsure request in
other words and none a sure one; with 0.15 less 12 have an unsure one."""

FEW, PER_DOUBLING = 3, 1.5
"""Up to so many sentences, each is judged alone. Each doubling raises both scores by so much: in a
long message some sentence resembles an asking by chance."""

LASTING_SHARE, LEAST_LASTING, MOST_LASTING = 0.75, -5.0, 2.0
"""The share, and the limits of the score, which is 0 where a statement is kept by itself."""

NEAR_SCORE = -6.0
"""Below this score of a sentence, its clauses are not judged."""

ELSEWHERE = 1.25
"""How much more lasting a text must be that is not where the asking points to."""

MAX_CHARS = 400
"""Longest sentence that is judged [chars]."""

MAX_MESSAGE_CHARS = 1_500
"""Longest text that is judged [chars]. What is longer is a document: in real messages, most
sentences of one that seem to ask are about something else."""

LEAST_CHARS, LEAST_JOINED = 10, 6
"""Characters of a fact; the second in Chinese, Japanese and Korean."""

MAX_TOKENS = 120
"""Words of a sentence among which the asking is looked for."""

_SENTENCE = Lazy(r"[.!?…;]+(?:\s+|$)|[。！？；।]\s*|\n+")
_ITEM = Lazy(r"\s+(\d\)\s)")
"""Where an item of a list begins inside a line: "two things: 1) … 2) …"."""
_CLAUSE = Lazy(r"[,;:]\s+|\s[-–—]+\s|\s\(|\)(?:\s|$)|[，、：（）]\s*")
_TOKEN = Lazy(
    r"[\x{3040}-\x{30ff}\x{3400}-\x{9fff}\x{ac00}-\x{d7af}]|"
    r"[0-9A-Za-z\x{c0}-\x{1fff}]+(?:['’._/@-][0-9A-Za-z\x{c0}-\x{1fff}]+)*|\S"
)
_JOINED = Lazy(r"^[\x{3040}-\x{30ff}\x{3400}-\x{9fff}\x{ac00}-\x{d7af}]")
_BULLET = Lazy(r"^\s{0,8}(?:(?:[-*+•]|\d{1,2}[.)])\s+|[・●▪◦]\s{0,2})")
_QUOTED = Lazy(
    r"\"[^\"\n]+\"|“[^”\n]+”|„[^“”\n]+[“”]|«[^»\n]+»|「[^」\n]+」|『[^』\n]+』|‘[^’\n]+’|"
    r"(?:^|[\s(:：])'(?:\w'\w|[^'\n])+'"
)
_START, _END = "^", "$"
_KEEPING = frozenset(KEEPING)


class Sentence(NamedTuple):
    """A sentence or a clause of a message. plain: without what it quotes, which is another's.
    features: its concepts, its form, its place, and the concepts of its neighbours."""

    text: str
    plain: str
    lang: str
    features: frozenset[str]


class Word(NamedTuple):
    """A word, a mark, or a Chinese, Japanese or Korean letter. word: in the form for matching."""

    start: int
    end: int
    word: str


class Model(NamedTuple):
    """asks: weighs a sentence. known: words of the second model that are not replaced by their
    shapes. forward, back: weights of the surroundings of a word that belongs to an asking whose
    fact follows it, or precedes it, with those of the feature `bias`."""

    asks: LinearModel
    known: frozenset[str]
    forward: Mapping[str, float]
    back: Mapping[str, float]


@cache
def model() -> Model:
    """The fitted weights."""
    tables = Tables("wm.domain.learning", "asking.toml")
    forward, back = (
        {name: float(value) for value, name in tables.rows(table, columns=2)}
        for table in ("forward", "back")
    )
    asks = read_model("wm.domain.learning", "asking.toml")
    return Model(asks, frozenset(tables.words("known")), forward, back)


class Asked(NamedTuple):
    """What a text asks to keep. certain: it is kept; otherwise it is an unsure statement."""

    text: str
    certain: bool


def requests(typed: str, weights: Model | None = None) -> Iterator[Asked]:
    """What the typed text of a user asks to keep, in order.

    weights: in place of the fitted ones.
    """
    if len(typed) > MAX_MESSAGE_CHARS:
        return
    found = weights or model()
    every = sentences(_ITEM.sub(r"\n\1", typed))
    raised = PER_DOUBLING * math.log2(max(1.0, len(every) / FEW))
    for at, one in enumerate(every):
        asks, part = score(one, found) - raised, one.text
        if asks >= NEAR_SCORE:
            parts = ((score(x, found) - raised, x.text) for x in clauses(one))
            asks, part = max([(asks, part), *parts])
        if asks + LASTING_SHARE * MOST_LASTING < WAITING_SCORE:
            continue
        best = max(_candidates(every, at, part, found), key=_Candidate.lasts, default=None)
        if best is None:
            continue
        both = asks + LASTING_SHARE * best.lasts()
        certain = both >= ASKS_SCORE and _speaks_of_keeping(one.features) and _asks(part, one.lang)
        for text in best.texts if both >= WAITING_SCORE else ():
            if not is_polite(text):
                yield Asked(text, certain)


def _speaks_of_keeping(features: frozenset[str]) -> bool:
    """Whether a word is about keeping or knowing; "always" by itself is part of a rule."""
    found = _KEEPING & features
    return bool(found) and not (found == {"for_good"} and "always" in features)


def _asks(part: str, lang: str) -> bool:
    """Whether the words that ask are more than one word of any meaning: "ask her before changing
    it" resembles an asking, but "it" does not ask."""
    start, end, _ = _locate(part, model())
    asking = part[start:end]
    is_word = len(tokens(asking)) == 1
    return not is_word or not _KEEPING.isdisjoint(concepts_of(folded(asking), lang).anywhere)


def _lasts(text: str) -> float:
    """How much a text reads like a lasting statement, within limits."""
    return max(LEAST_LASTING, min(MOST_LASTING, lasting_score(text)))


def sentences(typed: str) -> list[Sentence]:
    """The sentences of a text, in order."""
    texts = [text for text in map(str.strip, _split(typed, _SENTENCE)) if text]
    return _parts_of(texts, language(folded(" ".join(texts)[:2000])))


def clauses(one: Sentence) -> list[Sentence]:
    """The clauses of a sentence, in order; empty if it has only one."""
    texts = [text for text in map(str.strip, _split(one.text, _CLAUSE)) if tidy(text)]
    return _parts_of(texts, one.lang) if len(texts) > 1 else []


def _parts_of(texts: Sequence[str], lang: str) -> list[Sentence]:
    plain = [_unquoted(text[:MAX_CHARS]) for text in texts]
    concepts = [concepts_of(folded(text), lang) for text in plain]
    every: list[Sentence] = []
    for at, text in enumerate(texts):
        features = {*concepts[at].anywhere, *(f"first:{name}" for name in concepts[at].first)}
        features |= forms_of(text)
        features.add(f"ends:{'' if text[-1].isalnum() else text[-1]}")
        features.add(_place(at, len(texts)))
        features |= set(_pairs(features))
        size = len(text) // 4 if lang in JOINED else text.count(" ")
        features.add(f"size:{min(size // 4, 5)}")
        if at:
            features.update(f"prev:{name}" for name in concepts[at - 1].anywhere)
        if at + 1 < len(texts):
            features.update(f"next:{name}" for name in concepts[at + 1].anywhere)
        every.append(Sentence(text, plain[at], lang, frozenset(features)))
    return every


_BESIDE = word_set("""
    ban limit soon general ask task hypo deictic past must negated always condition write request
    retract person we
""")
"""Concepts that change what those of a request mean: "note it" in a file, for now, a question."""


def _pairs(features: Collection[str]) -> Iterator[str]:
    """The pairs of concepts of a request, and those with a concept that changes them."""
    asking = sorted(_KEEPING.intersection(features))
    yield from (f"{one}&{other}" for one, other in combinations(asking, 2))
    yield from (f"{one}&{other}" for one in asking for other in _BESIDE.intersection(features))


def _split(text: str, ends: Lazy) -> Iterator[str]:
    """The parts of a text between ends that no quotation contains."""
    begin, quoted = 0, [*_QUOTED.spans(text)] if _may_quote(text) else []
    for stop in ends.finditer(without_ordinals(text)):
        if not any(first < stop.start() < last - 1 for first, last in quoted):
            yield text[begin : stop.end()]
            begin = stop.end()
    yield text[begin:]


def _may_quote(text: str) -> bool:
    return any(map(text.__contains__, "\"'“„«「『‘"))


def _unquoted(text: str) -> str:
    return _QUOTED.sub(" _ ", text) if _may_quote(text) else text


def _place(at: int, count: int) -> str:
    if count == 1:
        return "alone"
    return "opens" if at == 0 else "closes" if at == count - 1 else "between"


def score(one: Sentence, weights: Model) -> float:
    """The log odds that a sentence asks to keep something."""
    if len(one.text) > MAX_CHARS:
        return float("-inf")
    return weights.asks.weigh(one.features, grams(one.plain, one.lang, weights.asks.grams))


def tokens(text: str) -> list[Word]:
    """The words and marks of a sentence."""
    flat = flattened(text)
    found = (match.span() for match in _TOKEN.finditer(text))
    return [Word(start, end, flat[start:end]) for start, end in islice(found, MAX_TOKENS)]


def surroundings(found: Sequence[Word], known: Collection[str]) -> Iterator[tuple[str, ...]]:
    """The features of each token: itself, two neighbours on each side, its parts, its place."""
    shown = [one.word if one.word in known else _shape(one.word) for one in found]
    padded = [_START, _START, *shown, _END, _END]
    for at, one in enumerate(found):
        a, b, c, d, e = padded[at : at + 5]
        yield (
            f"0{c}", f"-1{b}", f"-2{a}", f"+1{d}", f"+2{e}", f"-0{b} {c}", f"0+{c} {d}",
            f"-2-1{a} {b}", f"+1+2{d} {e}", f"-0+{b} {c} {d}", f"-2-0{a} {b} {c}",
            f"0+2{c} {d} {e}", f"at:{min(at, 4)}", f"left:{min(len(found) - 1 - at, 4)}",
            *_parts(one.word),
        )  # fmt: skip


def _shape(word: str) -> str:
    """What a rare word looks like."""
    if _JOINED.is_match(word) or not word[0].isalnum():
        return word
    if word[0].isdigit():
        return "<0>"
    return "</>" if any(mark in word for mark in "/._") else "<a>"


def _parts(word: str) -> tuple[str, ...]:
    if not word[0].isalpha() or _JOINED.is_match(word):
        return ()
    return (*(f"<{word[:size]}" for size in (3, 4, 5)), *(f"{word[-size:]}>" for size in (2, 3)))


class _Asking(NamedTuple):
    """Where the words of the asking begin and end in a sentence. back: the fact precedes them."""

    start: int
    end: int
    back: bool

    def moved(self, by: int) -> _Asking:
        return self._replace(start=self.start + by, end=self.end + by)


class _Candidate(NamedTuple):
    """What an asking may ask to keep: one text, or the items of a list. expected: it is where the
    asking points to."""

    texts: tuple[str, ...]
    expected: bool

    def lasts(self) -> float:
        """How much the text resembles what lasts, less where it was not expected."""
        return max(map(_lasts, self.texts)) - (0 if self.expected else ELSEWHERE)


def _candidates(
    every: Sequence[Sentence], at: int, part: str, weights: Model
) -> Iterator[_Candidate]:
    """The rest of an asking sentence and the text beside it, the expected text first.

    part: the part of the sentence that asks.
    """
    text = every[at].text
    asking = _locate(part, weights).moved(text.index(part))
    if asking.back and _ends_rule(text[asking.start : asking.end], every[at].lang):
        return
    begin = asking.end if asking.back else _fact_start(text, asking, every[at].lang)
    before, after = tidy(text[: asking.start]), tidy(text[begin:])
    following = [one.text for one in every[at + 1 :]]
    items = list(takewhile(_BULLET.is_match, following)) or following[:1]
    listed = tuple(tidy(_BULLET.sub("", one)) for one in items)
    previous = tidy(every[at - 1].text) if at else ""
    places: tuple[tuple[str, ...], ...] = ((after,), listed, (previous,), (before,))
    if asking.back:
        places = ((before,), (after,), (previous,), listed)
    expected = True
    for place in places:
        facts = tuple(one for one in place if _is_fact(one))
        if facts:
            yield _Candidate(facts, expected)
            expected = False


def _ends_rule(asking: str, lang: str) -> bool:
    """Whether these words say that what precedes them is over: "the rule about squashing does not
    apply any more", but not "I won't say it any more"."""
    known = concepts_of(folded(asking), lang).anywhere & _KEEPING
    return known <= {"for_good", "weary"} and OVER.search(asking.lower()) is not None


def _fact_start(text: str, asking: _Asking, lang: str) -> int:
    """Where the fact behind the words that ask begins: directly behind them, if a punctuation mark,
    a link ("that") or a verb ("remember") is at this border. Otherwise the last of them may be the
    fact's verb or negation ("next time don't | touch X"), and it begins at the last mark or link
    among them."""
    if flattened(text[: asking.end]).endswith(_VERBS):
        return asking.end
    words, links = tokens(text), phrases("request_link").get(lang, "").split("|")
    inside = [word for word in words if asking.start <= word.start < asking.end]
    after = next((word for word in words if word.start >= asking.end), None)
    if after is None or not inside or any(_is_border(x, links) for x in (inside[-1], after)):
        return asking.end
    borders = (word.end for word in reversed(inside) if _is_border(word, links))
    return next(borders, asking.start)


def _is_border(token: Word, links: Collection[str]) -> bool:
    """Whether a clause may end at a token: a mark, a link, or a word of a script without spaces."""
    is_mark = not token.word[0].isalnum()
    return is_mark or token.word in links or _JOINED.is_match(token.word)


_VERBS = tuple("|".join(phrases("request_verb").values()).split("|"))


def _is_fact(text: str) -> bool:
    """Whether a text is long enough: "this decision" only points to one."""
    return len(text) >= (LEAST_JOINED if is_cjk_heavy(text) else LEAST_CHARS)


def _locate(text: str, weights: Model) -> _Asking:
    """The words of greatest sum that belong to an asking."""
    found = tokens(text)
    scores = [
        (
            sum(weights.forward.get(name, 0.0) for name in ("bias", *features)),
            sum(weights.back.get(name, 0.0) for name in ("bias", *features)),
        )
        for features in surroundings(found, weights.known)
    ]
    begin, end = _greatest([max(one) + SHIFT for one in scores])
    forward = sum(one for one, _ in scores[begin:end])
    back = sum(one for _, one in scores[begin:end])
    return _Asking(found[begin].start, found[end - 1].end, back > forward)


SHIFT = 1.0
"""Added to the score of each word: an asking has no gaps."""


def _greatest(values: Sequence[float]) -> tuple[int, int]:
    """The neighbouring values of greatest sum: the first index, and the one behind the last."""
    best, found = values[0], (0, 1)
    begin, total = 0, 0.0
    for at, value in enumerate(values):
        if total <= 0:
            total, begin = 0.0, at
        total += value
        if total > best:
            best, found = total, (begin, at + 1)
    return found


def tidy(text: str) -> str:
    """A fact without the marks around it, but with the bracket that closes one of its own."""
    bare = text.strip(" \t\n\"'“”*_()[]-–—,，、;；:：.。!！")
    return bare + ")" if bare.count("(") > bare.count(")") and bare + ")" in text else bare
