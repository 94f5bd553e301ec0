"""Fit the weights of `wm.domain.learning.asking` and write its data file.

    python -m tests.bench fit_asking [--check]

Trains on `asking_cases.jsonl`, messages in which `[[…]]` marks the asking and `{{…}}` the fact, and
on `asking_phrases.txt`, ways of asking (+) and what only looks like one (-), with `…` in the place
of the fact. Most messages of `fit_stated` are examples that ask for nothing, like the cases of the
tests without a request. --check writes nothing: it reports what is found with each fifth of the
cases left out, and in `asking_kept.jsonl`, which no fit uses.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat
from pathlib import Path
from typing import NamedTuple

from tests.bench import fit_stated, fitting
from tests.bench.fitting import Example, Fitted, Limits, as_toml, frequent, run, valued
from tests.domain.learning.trigger_cases import BY_LANGUAGE, LAST, MORE
from wm.domain.learning import asking
from wm.domain.learning.concepts import KEEPING, concepts_in, folded

CASES = Path(__file__).with_name("asking_cases.jsonl")
PHRASES = Path(__file__).with_name("asking_phrases.txt")
KEPT = Path(__file__).with_name("asking_kept.jsonl")
OUT = Path(asking.__file__).with_name("asking.toml")

LONGEST = 800
"""Characters of the longest message of `fit_stated` that is used."""

REFUSED = 4
"""How often a case of the tests that asks for nothing counts: its words decide, not its facts."""

LIMITS = Limits(least=5, least_of_words=5, ridge=3.0)
SMALLEST = 0.08
"""A smaller weight is left out."""

HEAD = "# Weights of `asking` (EX-1), made by `python -m tests.bench fit_asking`.\n"

FOLDS = 5
BLOCK = 6
"""Messages that are left out together: near misses are grouped with what they resemble."""

_MARK = re.compile(r"\[\[|\]\](?!\])|\{\{|\}\}(?!\})")


class Span(NamedTuple):
    start: int
    end: int
    fact: bool


class Fits(NamedTuple):
    """The parts of `asking.Model`."""

    asks: Fitted
    known: frozenset[str]
    forward: Fitted
    back: Fitted

    def model(self) -> asking.Model:
        sides = [{"bias": one.bias, **one.weights} for one in (self.forward, self.back)]
        return asking.Model(self.asks.model(), self.known, *sides)


class Message(NamedTuple):
    text: str
    lang: str
    spans: tuple[Span, ...]

    def facts(self) -> list[str]:
        return [self.text[one.start : one.end] for one in self.spans if one.fact]


def main(argv: Sequence[str]) -> int:
    return run("fit_asking", argv, files, check)


def files() -> dict[Path, str]:
    messages = list(marked(CASES))
    found = fit([*messages, *others(messages)])
    tables = {"known": "\n".join(sorted(found.known))}
    for name, side in (("forward", found.forward), ("back", found.back)):
        tables[name] = valued({"bias": side.bias, **side.weights})
    rest = (f"{name} = '''\n{rows}\n'''\n" for name, rows in tables.items())
    return {OUT: as_toml(found.asks, HEAD) + "".join(rest)}


def check() -> None:
    messages = list(marked(CASES))
    written = others(messages)
    left_out(messages, written)
    report("kept", [(fit([*messages, *written]).model(), list(marked(KEPT)))])


def others(messages: Sequence[Message]) -> list[Message]:
    """Phrases, and what asks for nothing."""
    return [*phrases(PHRASES, messages), *silent(), *refused()]


def marked(path: Path) -> Iterator[Message]:
    """The messages of a file, without their marks."""
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        yield unmarked(row["marked"], row["lang"])


def unmarked(text: str, lang: str) -> Message:
    plain, spans, begin = "", [], 0
    at = 0
    for mark in _MARK.finditer(text):
        plain += text[at : mark.start()]
        at = mark.end()
        if mark.group() in ("[[", "{{"):
            begin = len(plain)
        else:
            spans.append(Span(begin, len(plain), mark.group() == "}}"))
    return Message(plain + text[at:], lang, tuple(spans))


def phrases(path: Path, messages: Sequence[Message]) -> Iterator[Message]:
    """The phrases of a file, each with a fact of a message in its language."""
    facts: dict[str, list[str]] = {}
    for one in messages:
        facts.setdefault(one.lang, []).extend(one.facts())
    choice = random.Random(5)
    for line in path.read_text("utf-8").splitlines():
        lang, sign, phrase = line.replace("\\n", "\n").split("|", 2)
        fact = choice.choice(facts[lang])
        text = re.sub(r"[^…]*[^…\s][^…]*", r"[[\g<0>]]", phrase).replace("…", "{{" + fact + "}}")
        yield unmarked(text, lang) if sign == "+" else Message(phrase.replace("…", fact), lang, ())


def silent() -> Iterator[Message]:
    """Messages that ask for nothing: they state nothing, or have no word about keeping."""
    rows = chain(fit_stated.written(fit_stated.CASES), fit_stated.marked(fit_stated.MESSAGES))
    for row in rows:
        text, states = row["text"], bool(row["keep"])
        if len(text) <= LONGEST and not (
            states and concepts_in(text).anywhere.intersection(KEEPING)
        ):
            yield Message(text, "", ())


def refused() -> Iterator[Message]:
    """The cases of the tests that ask for nothing."""
    for lang, rows in BY_LANGUAGE.items():
        for _, text, words in (*rows, *MORE[lang], *LAST[lang]):
            if not words:
                yield from repeat(Message(text, lang, ()), REFUSED)


def fit(messages: Iterable[Message]) -> Fits:
    judged = [row for one in messages for row in _sentences(one)]
    asks = [Example(one.plain, one.lang, one.features, asks, "", "") for one, asks, _ in judged]
    asked = [(asking.tokens(one.text), spans) for one, _, spans in judged if spans]
    words = ({token.word for token in tokens} for tokens, _ in asked)
    known = frequent(words, LIMITS.least_of_words)
    near = [frozenset(row) for tokens, _ in asked for row in asking.surroundings(tokens, known)]
    sides = [side for tokens, spans in asked for side in _sides(tokens, spans)]
    forward, back = (
        [
            Example("", "zh", row, side == wanted, "", "")
            for row, side in zip(near, sides, strict=True)
        ]
        for wanted in (1, -1)
    )
    weights = (fitting.fit(each, LIMITS).pruned(SMALLEST) for each in (asks, forward, back))
    of_sentence, of_forward, of_back = weights
    return Fits(of_sentence, known, of_forward, of_back)


def _sentences(message: Message) -> Iterator[tuple[asking.Sentence, bool, list[tuple[Span, int]]]]:
    """The sentences of a message, whether each asks, and its askings with their sides."""
    at = 0
    sided = list(_sided(message.spans))
    for one in asking.sentences(message.text):
        at = message.text.index(one.text, at)
        end = at + len(one.text)
        own = [
            (Span(max(span.start, at) - at, min(span.end, end) - at, False), side)
            for span, side in sided
            if span.start < end and span.end > at
            and any(map(str.isalnum, message.text[max(span.start, at) : min(span.end, end)]))
        ]  # fmt: skip
        yield one, bool(own), own
        yield from _clauses(one, own)
        at = end


def _clauses(
    sentence: asking.Sentence, asked: list[tuple[Span, int]]
) -> Iterator[tuple[asking.Sentence, bool, list[tuple[Span, int]]]]:
    """The clauses of a sentence; one asks if most of it, or most of an asking, is in both."""
    at = 0
    for one in asking.clauses(sentence):
        at = sentence.text.index(one.text, at)
        end = at + len(one.text)
        shared = (
            (min(span.end, end) - max(span.start, at), min(len(one.text), span.end - span.start))
            for span, _ in asked
        )
        yield one, any(2 * chars > shorter for chars, shorter in shared), []
        at = end


def _sided(spans: Sequence[Span]) -> Iterator[tuple[Span, int]]:
    """The askings of a message; 1: the nearest fact follows, -1: it precedes."""
    for at, one in enumerate(spans):
        if one.fact:
            continue
        before = one.start - spans[at - 1].end if at and spans[at - 1].fact else 10**6
        follows = at + 1 < len(spans) and spans[at + 1].fact
        after = spans[at + 1].start - one.end if follows else 10**6
        yield one, 1 if after <= before else -1


def _sides(tokens: Sequence[asking.Word], spans: Sequence[tuple[Span, int]]) -> Iterator[int]:
    for token in tokens:
        within = (side for one, side in spans if token.start >= one.start and token.end <= one.end)
        yield next(within, 0)


def left_out(messages: Sequence[Message], written: Sequence[Message]) -> None:
    blocks = [messages[at : at + BLOCK] for at in range(0, len(messages), BLOCK)]
    random.Random(2).shuffle(blocks)
    parts = []
    for fold in range(FOLDS):
        kept = [one for block in blocks[fold::FOLDS] for one in block]
        rest = [one for n, block in enumerate(blocks) if n % FOLDS != fold for one in block]
        shown = {words for one in kept for words in _askings(one)}
        unlike = (one for one in written if shown.isdisjoint(_askings(one)))
        parts.append((fit([*rest, *unlike]).model(), kept))
    report("left out", parts)


def _askings(message: Message) -> Iterator[str]:
    """The words of each asking: some phrases were taken from messages."""
    for one in message.spans:
        if not one.fact:
            yield folded(message.text[one.start : one.end])


def report(name: str, parts: Sequence[tuple[asking.Model, Sequence[Message]]]) -> None:
    """Of each language: the facts asked for, found and found with doubt, and what is found but not
    asked for, in messages with a request and in others."""
    counts: dict[str, Counter[str]] = {}
    for weights, messages in parts:
        for one in messages:
            asked, facts = list(asking.requests(one.text, weights)), one.facts()
            found = [x.text for x in asked if x.certain]
            hit = sum(any(fits(text, fact) for text in found) for fact in facts)
            false = sum(not any(fits(text, fact) for fact in facts) for text in found)
            waiting = sum(any(fits(x.text, fact) for x in asked) for fact in facts) - hit
            for group in ("all", one.lang):
                count = counts.setdefault(group, Counter())
                count.update(asked=len(facts), found=hit, waiting=waiting, silent=not facts)
                count["false" if facts else "false in silent"] += false
    for group, count in sorted(counts.items()):
        print(f"{name} {group}: {dict(count)}")


def fits(text: str, fact: str) -> bool:
    """Whether a found text is the fact: it has most of its words, and few others."""
    found, wanted = (
        Counter(folded(one).split() if " " in one else folded(one)) for one in (text, fact)
    )
    both = (found & wanted).total()
    return both >= 0.7 * wanted.total() and found.total() <= 2 * wanted.total() + 4
