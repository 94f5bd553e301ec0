"""Fit the weights of `wm.domain.learning.asking` and write its data file.

    python -m tests.bench fit_asking [MESSAGES] [--check]

MESSAGES: JSON lines with the `text` of real messages; those in which `requests` finds nothing are
examples that ask for nothing, like the sentences of `stated_cases.txt` and the cases of the tests
without a request. Trains also on
`asking_cases.jsonl`, messages in which `[[…]]` marks the asking and `{{…}}` the fact, and on
`asking_phrases.txt`, ways of asking (+) and what only looks like one (-), with `…` in the place of
the fact. --check writes nothing: it reports what is found with each fifth of the cases left out,
and in `asking_kept.jsonl`, which no fit uses.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tests.bench import fit_stated
from tests.bench.fitting import frequent, minimum
from tests.domain.learning.trigger_cases import BY_LANGUAGE, LAST, MORE
from wm.domain.learning import asking
from wm.domain.learning.concepts import folded
from wm.domain.learning.requests import find_requests
from wm.settings import GateSettings
from wm.text import word_grams

CASES = Path(__file__).with_name("asking_cases.jsonl")
PHRASES = Path(__file__).with_name("asking_phrases.txt")
KEPT = Path(__file__).with_name("asking_kept.jsonl")
OUT = Path(asking.__file__).with_name("asking.toml")

REAL, LONGEST = 3_000, 800
"""Real messages that a fit uses, and the characters of the longest."""

REFUSED = 4
"""How often a case of the tests that asks for nothing counts: its words decide, not its facts."""

LEAST = 5
"""Examples with a feature; a rarer feature gets no weight."""

LEAST_OF_WORDS = 5
"""Examples with a word; a rarer word is replaced by its shape."""

RIDGE = 3.0
SMALLEST = 0.08
"""A smaller weight is left out."""

FOLDS = 5
BLOCK = 6
"""Messages that are left out together: near misses are grouped with what they resemble."""

_PART = re.compile(r" |^<|>$|^[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""A pair of words, the beginning or end of one, or letters that no space separates."""

_MARK = re.compile(r"\[\[|\]\](?!\])|\{\{|\}\}(?!\})")


class Span(NamedTuple):
    start: int
    end: int
    fact: bool


class Message(NamedTuple):
    text: str
    lang: str
    spans: tuple[Span, ...]

    def facts(self) -> list[str]:
        return [self.text[one.start : one.end] for one in self.spans if one.fact]


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench fit_asking")
    parser.add_argument("messages", nargs="?", type=Path, metavar="MESSAGES")
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args(argv)
    messages = list(marked(CASES))
    written = [*phrases(PHRASES, messages), *silent(asked.messages), *refused()]
    if asked.check:
        left_out(messages, written)
        report("kept", [(fit([*messages, *written]), list(marked(KEPT)))])
        return 0
    OUT.write_text(as_toml(fit([*messages, *written])), "utf-8")
    print(f"{len(messages)} messages, {len(written)} phrases: {OUT}")
    return 0


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


def silent(path: Path | None) -> Iterator[Message]:
    """Messages that ask for nothing."""
    texts = (row["text"] for row in fit_stated.written(fit_stated.CASES))
    real = () if path is None else (json.loads(line)["text"] for line in path.open())
    short = (text for text in real if len(text) <= LONGEST)
    chosen = random.Random(7).sample(list(short), REAL) if path is not None else []
    for text in (*texts, *chosen):
        if not find_requests(text, GateSettings()).found:
            yield Message(text, "", ())


def refused() -> Iterator[Message]:
    """The cases of the tests that ask for nothing."""
    for lang, rows in BY_LANGUAGE.items():
        for _, text, words in (*rows, *MORE[lang], *LAST[lang]):
            if not words:
                yield from repeat(Message(text, lang, ()), REFUSED)


def fit(messages: Iterable[Message]) -> asking.Model:
    judged = [row for one in messages for row in _sentences(one)]
    known = frequent(
        ({word.lower() for word in word_grams.words(one.plain)} for one, *_ in judged),
        LEAST_OF_WORDS,
    )
    bags = [{*(f"f:{name}" for name in one.features), *_grams(one, known)} for one, *_ in judged]
    found = ridge(bags, [asks for _, asks, _ in judged])
    features = {name[2:]: w for name, w in found.items() if name[:2] == "f:"}
    grams = dict.fromkeys(known, 0.0)
    grams |= {name[2:]: w for name, w in found.items() if name[:2] == "g:"}
    asked = [(asking.tokens(one.text), spans) for one, _, spans in judged if spans]
    words = frequent(({token.word for token in tokens} for tokens, _ in asked), LEAST_OF_WORDS)
    near = [set(row) for tokens, _ in asked for row in asking.surroundings(tokens, words)]
    sides = [side for tokens, spans in asked for side in _sides(tokens, spans)]
    forward, back = (ridge(near, [side == wanted for side in sides]) for wanted in (1, -1))
    return asking.Model(features | {"bias": found["bias"]}, grams, words, forward, back)


def _grams(one: asking.Sentence, known: frozenset[str]) -> Iterator[str]:
    return (f"g:{gram}" for gram in word_grams.grams(one.plain, one.lang, known))


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


def ridge(bags: Sequence[set[str]], truth: Sequence[bool]) -> dict[str, float]:
    """The weight of each frequent feature, and the bias."""
    names = sorted(frequent(bags, LEAST))
    at = {name: column for column, name in enumerate(names, 1)}
    rows = [[0, *sorted(at[name] for name in bag if name in at)] for bag in bags]
    ones = np.ones(len(rows))
    found = minimum(rows, np.array(truth, float), ones, np.zeros(len(at) + 1), RIDGE).tolist()
    return {"bias": found[0], **dict(zip(names, found[1:], strict=True))}


def left_out(messages: Sequence[Message], written: Sequence[Message]) -> None:
    blocks = [messages[at : at + BLOCK] for at in range(0, len(messages), BLOCK)]
    random.Random(2).shuffle(blocks)
    parts = []
    for fold in range(FOLDS):
        kept = [one for block in blocks[fold::FOLDS] for one in block]
        rest = [one for n, block in enumerate(blocks) if n % FOLDS != fold for one in block]
        shown = {words for one in kept for words in _askings(one)}
        others = (one for one in written if shown.isdisjoint(_askings(one)))
        parts.append((fit([*rest, *others]), kept))
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


def as_toml(found: asking.Model) -> str:
    def table(name: str, weights: Mapping[str, float], known: frozenset[str]) -> str:
        rows = (
            f"{weight:.2f} {feature}"
            for feature, weight in sorted(weights.items())
            if abs(weight) >= SMALLEST or feature in known or feature == "bias"
        )
        return f"{name} = '''\n" + "\n".join(rows) + "\n'''\n"

    # A word of any weight is a feature of its pairs; its beginnings and ends are not.
    words = frozenset(gram for gram in found.grams if _PART.search(gram) is None)
    return (
        "# Weights of `asking` (EX-1), made by `python -m tests.bench fit_asking`.\n"
        f"known = '''\n{chr(10).join(sorted(found.known))}\n'''\n"
        + table("features", found.features, frozenset())
        + table("grams", found.grams, words)
        + table("forward", found.forward, frozenset())
        + table("back", found.back, frozenset())
    )
