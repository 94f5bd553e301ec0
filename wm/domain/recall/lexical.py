"""Find documents by their words: the lexical half of recall (RC-1, RC-4).

BM25 over stems, names and CJK pairs; then what words alone do not tell: how much of the query
is there, whether it stands together, which month it names, and that the newest statement of a
fact comes first. Finds nothing rather than something for a query that the texts do not touch.
Reads no files; an index is derived and can be made again from the documents at any time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from wm.domain.recall.explain import Reasons, explain
from wm.domain.recall.synonyms import SYNONYMS
from wm.domain.recall.terms import is_name, query_words, raw_words, terms_of
from wm.settings import RecallSettings


@dataclass(frozen=True)
class Document:
    """What is searched. time: ISO 8601 of its statement, "" if unknown. metadata: words to
    filter by. Two of them have a meaning here: a document whose `status` is superseded lends its
    words to the one in `superseded_by`, and stands behind it unless history is asked for."""

    id: str
    text: str
    time: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Filters:
    """Only documents whose metadata have these values, and whose time lies in [since, until)."""

    metadata: Mapping[str, str] = field(default_factory=dict)
    since: str = ""
    until: str = ""

    def admit(self, document: Document) -> bool:
        if self.since and document.time < self.since:
            return False
        if self.until and not document.time < self.until:
            return False
        return all(document.metadata.get(k) == v for k, v in self.metadata.items())


@dataclass(frozen=True)
class Hit:
    """score: comparable within one answer only. why: what matched, for people."""

    id: str
    score: float
    why: str


MIN_PREFIX = 5

_HISTORY_TEXT = "before earlier formerly previous previously used original originally was did past"
_HISTORY = frozenset(_HISTORY_TEXT.split())
_NOW_TEXT = "now today current currently still latest newest present"
_NOW = frozenset(_NOW_TEXT.split())
_MONTH_NAMES = (
    "january february march april may june july august september october november december"
)
_MONTHS = {name: f"-{n:02}-" for n, name in enumerate(_MONTH_NAMES.split(), start=1)}


@dataclass(frozen=True)
class _Query:
    """A query taken apart. wanted: for each word its terms with their weights."""

    words: tuple[str, ...]
    wanted: tuple[Mapping[str, float], ...]
    pairs: frozenset[tuple[str, str]]
    month: str
    year: str
    history: bool
    now: bool
    decision: bool


class Index:
    """Documents that can be searched. `add` and `remove` keep it in step (RC-4)."""

    def __init__(self, documents: Iterable[Document], settings: RecallSettings) -> None:
        self._settings = settings
        self._documents: dict[str, Document] = {}
        self._lengths: dict[str, int] = {}
        self._total = 0
        self._postings: dict[str, dict[str, int]] = {}
        self._beginnings: dict[str, set[str]] = {}
        self._known: dict[str, tuple[str, ...]] = {}
        for document in documents:
            self.add(document)

    def __len__(self) -> int:
        return len(self._documents)

    def add(self, document: Document) -> None:
        """Make a document findable; one with its id is replaced."""
        self.remove(document.id)
        terms = self._terms(document.text)
        self._documents[document.id] = document
        self._lengths[document.id] = len(terms)
        self._total += len(terms)
        for term in terms:
            posting = self._postings.get(term)
            if posting is None:
                posting = self._postings[term] = {}
                if len(term) >= MIN_PREFIX:
                    self._beginnings.setdefault(term[:MIN_PREFIX], set()).add(term)
            posting[document.id] = posting.get(document.id, 0) + 1

    def remove(self, document_id: str) -> None:
        """Forget a document; an unknown id is fine."""
        document = self._documents.pop(document_id, None)
        if document is None:
            return
        self._total -= self._lengths.pop(document_id)
        for term in set(self._terms(document.text)):
            posting = self._postings[term]
            posting.pop(document_id, None)
            if not posting:
                del self._postings[term]
                self._beginnings.get(term[:MIN_PREFIX], set()).discard(term)

    def refresh(self, documents: Iterable[Document]) -> None:
        """Make the index hold exactly these documents, touching only what changed."""
        wanted = {d.id: d for d in documents}
        for gone in self._documents.keys() - wanted.keys():
            self.remove(gone)
        for document in wanted.values():
            if self._documents.get(document.id) != document:
                self.add(document)

    def search(self, query: str, k: int, filters: Filters | None = None) -> tuple[Hit, ...]:
        """The best `k` documents for the query, best first; () when nothing is relevant."""
        asked = self._query(query)
        scores, shares = self._scores(asked)
        self._lend(asked, scores, shares)
        if max(shares.values(), default=0.0) < self._floor(asked):
            return ()
        admitted = [i for i in scores if filters is None or filters.admit(self._documents[i])]
        admitted.sort(key=lambda i: -scores[i])
        best = admitted[: max(self._settings.judged_hits, 2 * k)]
        times = sorted(self._documents[i].time for i in best)
        judged = [(self._judged(asked, i, scores[i], shares[i], times), i) for i in best]
        judged.sort(key=lambda pair: (-pair[0], pair[1]))
        return tuple(
            Hit(id=i, score=round(score, 6), why=explain(self._reasons(asked, i)))
            for score, i in judged[:k]
        )

    def _floor(self, asked: _Query) -> float:
        """The share of the query's weight that the best hit must hold: a short query whose
        telling words stand nowhere is about something else, of a sentence little is enough."""
        count = len(asked.words)
        if count <= 3:
            return self._settings.short_floor
        return self._settings.middle_floor if count == 4 else self._settings.long_floor

    def _terms(self, text: str) -> list[str]:
        """Terms of a text in order. Words come again and again, so each is taken apart once."""
        terms: list[str] = []
        for raw in raw_words(text):
            known = self._known.get(raw)
            if known is None:
                known = self._known[raw] = terms_of(raw)
            terms += known
        return terms

    def _query(self, query: str) -> _Query:
        words = query_words(query)
        stems = self._terms(query)
        low = {w.lower() for w in raw_words(query)}
        return _Query(
            words=tuple(words),
            wanted=tuple(self._wanted(word) for word in words),
            pairs=frozenset(pairwise(stems)),
            month=next((part for name, part in _MONTHS.items() if name in low), ""),
            year=next((w for w in low if len(w) == 4 and w.isdigit()), ""),
            history=bool(low & _HISTORY),
            now=bool(low & _NOW),
            decision=bool({"decide", "decided", "decision", "decisions"} & low),
        )

    def _wanted(self, word: str) -> dict[str, float]:
        """Terms that the word may be found by: itself, kin, and beginnings if it is unknown."""
        own = terms_of(word)
        wanted = dict.fromkeys(own, 1.0)
        for term in own:
            for other in SYNONYMS.get(term, ()):
                wanted.setdefault(other, self._settings.synonym_weight)
        if len(own) == 1 and own[0] not in self._postings and len(own[0]) > MIN_PREFIX:
            begin = own[0][: max(MIN_PREFIX, len(own[0]) - 3)]
            near = self._beginnings.get(begin[:MIN_PREFIX], set())
            wanted.update((t, self._settings.prefix_weight) for t in near if t.startswith(begin))
        return wanted

    def _rarity(self, term: str) -> float:
        found = len(self._postings.get(term, ()))
        return math.log(1 + (len(self._documents) - found + 0.5) / (found + 0.5))

    def _scores(self, asked: _Query) -> tuple[dict[str, float], dict[str, float]]:
        """BM25 of every touched document, and which share of the query's weight it holds."""
        scores: dict[str, float] = {}
        held: dict[str, float] = {}
        whole = 0.0
        for word, wanted in zip(asked.words, asked.wanted, strict=True):
            own = (self._rarity(term) for term, weight in wanted.items() if weight == 1.0)
            most = max(own, default=0.0)
            whole += most
            best = self._matched(wanted, scores)
            if asked.month and _is_time(word):
                # The month may stand in the document's time instead of its text.
                best.update((i, most) for i in scores if _in_month(self._documents[i], asked))
            for i, gain in best.items():
                held[i] = held.get(i, 0.0) + min(gain, most)
        return scores, {i: v / whole if whole else 0.0 for i, v in held.items()}

    def _matched(self, wanted: Mapping[str, float], scores: dict[str, float]) -> dict[str, float]:
        """Add one word's BM25 to `scores`; the weight of its best term in each document."""
        k1, b = self._settings.bm25_k1, self._settings.bm25_b
        mean = max(1.0, self._total / max(1, len(self._documents)))
        best: dict[str, float] = {}
        for term, weight in wanted.items():
            rarity = self._rarity(term) * weight
            for i, count in self._postings.get(term, {}).items():
                norm = k1 * (1 - b + b * self._lengths[i] / mean)
                scores[i] = scores.get(i, 0.0) + rarity * count * (k1 + 1) / (count + norm)
                best[i] = max(best.get(i, 0.0), rarity)
        return best

    def _lend(self, asked: _Query, scores: dict[str, float], shares: dict[str, float]) -> None:
        """What replaced a matching statement matches as well, though it may say other words."""
        if asked.history:
            return
        for i in list(scores):
            heir = self._documents[i].metadata.get("superseded_by", "")
            if heir in self._documents and scores[i] > scores.get(heir, 0.0):
                scores[heir] = scores[i]
                shares[heir] = max(shares[i], shares.get(heir, 0.0))

    def _judged(self, asked: _Query, i: str, score: float, share: float, times: list[str]) -> float:
        """The score with what single words do not tell."""
        document = self._documents[i]
        factor = 0.5 + share
        factor += self._settings.phrase_bonus * self._togetherness(asked, document)
        if asked.month and _in_month(document, asked):
            factor += self._settings.month_bonus
        if asked.decision and document.metadata.get("type") == "decision":
            factor += self._settings.decision_bonus
        if document.metadata.get("status") == "superseded":
            past, present = self._settings.history_factor, self._settings.superseded_factor
            factor *= past if asked.history else present
        if not asked.history and times:
            newer = sum(t < document.time for t in times) / len(times)
            factor *= 1 + self._settings.recency_share * newer * (2 if asked.now else 1)
        return score * factor

    def _togetherness(self, asked: _Query, document: Document) -> float:
        """The share of the query's neighbouring terms that are neighbours here too."""
        if not asked.pairs:
            return 0.0
        terms = self._terms(document.text)
        return len(asked.pairs & set(pairwise(terms))) / len(asked.pairs)

    def _reasons(self, asked: _Query, i: str) -> Reasons:
        document = self._documents[i]
        words: list[str] = []
        names: list[str] = []
        related: list[str] = []
        for word, wanted in zip(asked.words, asked.wanted, strict=True):
            found = [t for t in wanted if i in self._postings.get(t, ())]
            if any(t.startswith("=") for t in found) and is_name(word):
                names.append(word)
            elif any(wanted[t] == 1.0 for t in found):
                words.append(word)
            elif found:
                related.append(word)
        return Reasons(
            words=tuple(words),
            names=tuple(names),
            related=tuple(related),
            phrase=len(words) > 1 and self._togetherness(asked, document) >= 0.5,
            time=document.time[:7] if asked.month and _in_month(document, asked) else "",
            superseded=document.metadata.get("status") == "superseded",
        )


def _is_time(word: str) -> bool:
    """Does the word name a month or a year?"""
    return word.lower() in _MONTHS or (len(word) == 4 and word.isdigit())


def _in_month(document: Document, asked: _Query) -> bool:
    return document.time[4:8] == asked.month and document.time.startswith(asked.year)
