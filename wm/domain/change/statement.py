"""Parse a statement for comparison: clauses, content words, values, phrases of change (WM-8).

Reads structure, not meaning, with the phrase tables of `words.toml`. `says_change` is the score of
a linear model of these phrases and of the words, whose weights `python -m tests.bench fit_change`
makes. Decides nothing; `compare` does. Pure and linear in the text's length (EX-6).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache, cached_property, lru_cache
from itertools import chain, pairwise, starmap, takewhile

from msgspec import Struct
from msgspec.structs import replace

from wm.domain.change.contradiction import MAX_CHARS, VALUE_WORDS
from wm.domain.learning.concepts import concepts_of, language
from wm.domain.learning.concepts import folded as folded_words
from wm.domain.learning.support.items import synonyms
from wm.text.linear_model import LinearModel, read_model
from wm.text.patterns import Lazy, Phrases, encoded
from wm.text.scripts import is_cjk, is_hangul, is_hiragana, is_kana
from wm.text.stems import stem
from wm.text.tables import Tables
from wm.text.terms import STOP_WORDS, folded
from wm.text.word_grams import grams

_TABLES = Tables("wm.domain.change")
_BORDER = (
    r"[\x00-,./:-@\[-`{-\x{bf}×÷،؛؟।॥\x{2000}-\x{2bff}\x{3000}-\x{303f}"
    r"\x{ff01}-\x{ff0f}\x{ff1a}-\x{ff20}\x{1f000}-\x{1faff}]"
)
"""What may be beside a word. As `[^\\pL\\pM\\pN-]`, a pattern took 1.4 ms to compile, not 0.02."""


def _phrases(name: str) -> Phrases:
    """One pattern of a table's phrases: complete words, or any place in a text without spaces."""
    lines = [line.lower() for line in dict.fromkeys(map(" ".join, _TABLES.rows(name))) if line]
    letters = (line.rstrip("$").replace(" ", "*") for line in lines)
    return Phrases(letters, lambda: _pattern(lines))


def _pattern(lines: Iterable[str]) -> str:
    inside: list[str] = []
    spaced: list[str] = []
    text = "\n".join(lines).replace(".", r"\.").replace("-", r"\-")
    text = text.replace(" * ", r" (?:\S+ ){1,3}").replace("*", r"[^\s,.;:!?()]*")
    for line in text.replace(" ", r"\s+").split("\n"):
        (inside if not line.isascii() and any(map(is_cjk, line)) else spaced).append(line)
    either = [rf"(?:^|{_BORDER})(?:{'|'.join(spaced)})(?:$|{_BORDER})"] if spaced else []
    return "|".join([*either, *inside])


OVER, _OVER_AFTER, _OVER_BEFORE = map(_phrases, ("over", "over_after", "over_before"))
LIFTS, NOW, CHANGES, ALSO = map(_phrases, ("lifts", "now", "changes", "also"))
EXCEPT, NOT_YET, _DENIES, _TO = map(_phrases, ("except", "not_yet", "denies", "to"))
NEEDS, PAST, _TO_ENGLISH, _FROM = map(_phrases, ("needs", "past", "to_english", "from"))
_FROM_BEHIND, _TO_NAME = map(_phrases, ("from_behind", "to_name"))
ELSEWHERE, NOT_ONLY, PERMITS, BANS = map(_phrases, ("elsewhere", "not_only", "permits", "bans"))
HOLDS, CHECKS, THEIR_OWN, NAMES = map(_phrases, ("holds", "checks", "their_own", "names"))
_MAY, BOUNDS = map(_phrases, ("may", "bounds"))
_SEVERAL, _OCCASIONS = map(_phrases, ("several", "occasions"))
_BEFORE: dict[str, dict[str, str]] = {
    lang: {word: role for role in ("of", "in") for word in table[role].split()}
    for lang, table in _TABLES.table("before").items()
}
_BEHIND = {lang: tuple(row.split()) for lang, row in _TABLES.rows_of("behind").items()}
_JOINS = frozenset(_TABLES.words("joins"))
_ACTIONS = {
    folded(word): number for number, row in enumerate(_TABLES.rows("actions")) for word in row
}
"""What is done with a thing: statements about different actions are about different attributes."""
_WRITING = _ACTIONS["written"]
_OWNING = frozenset(map(folded, _TABLES.words("owning")))
_OURS = {lang: frozenset(row.split()) for lang, row in _TABLES.rows_of("ours").items()}
_USES, _GROUPS = _phrases("uses"), frozenset(_TABLES.words("groups"))
VALUE_NOUNS = frozenset(_TABLES.words("value_nouns"))
"""A number behind one of these may be a value, even if the statement begins with it."""
_NUMBERING = frozenset(folded(" ".join(_TABLES.words("numbering"))).split())
_NUMBERED = tuple(folded(" ".join(_TABLES.words("numbered"))).split())
_COUNTED = VALUE_WORDS | frozenset(map(folded, _TABLES.words("counted")))
_DUTCH = frozenset(_TABLES.words("dutch"))
_ENGLISH = frozenset(_TABLES.words("english"))
_SAYING = (OVER, _OVER_BEFORE, _OVER_AFTER, LIFTS, NOW, CHANGES)
"""Phrases whose words do not count as content."""
_TELLING = {
    "over": OVER, "lifts": LIFTS, "now": NOW, "changes": CHANGES, "also": ALSO, "except": EXCEPT,
    "not_yet": NOT_YET, "needs": NEEDS, "past": PAST,
}  # fmt: skip
"""Phrases that are features of `says_change`."""
_GERMAN = frozenset(_TABLES.words("german"))
"""A text with one of these writes every noun with a capital."""
_CASES = frozenset(map(folded, _TABLES.words("cases")))
_CASES_CJK = _TABLES.words("cases_cjk")
_PLAIN = frozenset(map(folded, (*_TABLES.words("plain"), *STOP_WORDS)))
_PLAIN_STEMS = _PLAIN | {stem(word) for word in _PLAIN}
_PARTICLES = tuple(sorted(_TABLES.words("particles"), key=len, reverse=True))
_SUBJECT_MARKS, _OBJECT_MARKS, _TOPIC_MARKS = (
    _TABLES.words(f"{name}_marks") for name in ("subject", "object", "topic")
)
_AGENTS = frozenset(_TABLES.words("agents"))
_WITHOUT = frozenset(_TABLES.words("without"))
_WITH, _HAS, _IN_THE, BE, SIZES = (
    frozenset(_TABLES.words(name)) for name in ("with", "has", "in_the", "be", "sizes")
)
_TROUBLE, _STATES = frozenset({"trouble", "defect"}), _phrases("states")
_FAULTS = _phrases("faults")
_OF = frozenset("的の의")
ARTICLES = frozenset(_TABLES.words("articles"))
_NOT_TIES = _TABLES.words("not_ties")
_TIES = Lazy("|".join(sorted((*_TABLES.words("ties_cjk"), *_NOT_TIES), key=len, reverse=True)))
_CLAUSE_ENDS = Lazy(r"[,;:!?.،؛؟](?:\s|$)|[，。；：！？、]|\s[-–—]+\s|\n")
_WORD = Lazy(
    r"[\p{Han}ー々]+|[\p{Katakana}ー]+|\p{Hiragana}+|[^\s\p{Han}\p{Hiragana}\p{Katakana}ー]+"
)
_HANGUL = "".join(sorted(set("".join(_PARTICLES))))
_EDGE = "\"'`“”‘’«»()[]{}<>,;:!?.。，、،؛؟।॥"
_CODE = frozenset("._/@:#$+-\\")
_CAPITALIZED = Lazy(r" \p{Lu}\p{Ll}+")


class ContentWord(Struct, frozen=True):
    """A word that carries content. start: its offset in its clause."""

    word: str
    term: str
    parts: tuple[str, ...]
    start: int
    clause: int
    end: int
    is_value: bool = False
    is_number: bool = False
    is_verb: bool = False
    """Known for Japanese and Korean only."""
    sense: str = ""
    """The representative of its synonyms, such as "db" and "database"; "" if it has none."""
    role: str = ""
    """How it restricts a subject: "opens" the statement, or is "of" what precedes it or "in" it."""

    @property
    def opens(self) -> bool:
        """Whether it restricts what the statement that it begins is about."""
        return self.role == "opens" or self.word.endswith(_BEHIND["zh"])

    @property
    def is_participle(self) -> bool:
        """Whether it may be an English participle."""
        return self.word.endswith("ed") and self.word.isascii() and len(self.word) > 4

    @property
    def is_adverb(self) -> bool:
        """Whether it may be an English adverb."""
        return self.word.endswith("ly") and self.word.isascii() and len(self.word) > 4

    def gap(self, other: ContentWord) -> bool:
        """Whether the other word follows directly."""
        return 0 <= other.start - self.end <= 2


class ChangeClause(Struct, frozen=True):
    """A part of a sentence. old, new: spans whose words are over, or are what replaces them.
    inherits: it names only what is over, so its subject is that of its sentence."""

    text: str
    old: tuple[tuple[int, int], ...]
    new: tuple[tuple[int, int], ...]
    ends: bool
    inherits: bool = False


class ParsedStatement(Struct, frozen=True, dict=True):
    """A text parsed for `judge`."""

    text: str
    clauses: tuple[ChangeClause, ...]
    words: tuple[ContentWord, ...]
    cases: frozenset[str]
    tail: tuple[ContentWord, ...]
    lang: str

    def units(self, words: Iterable[ContentWord]) -> frozenset[str]:
        """What the numbers among `words` count."""
        return frozenset(unit for n in words if is_amount(n) and (unit := self._unit(n)))

    def _unit(self, number: ContentWord) -> str:
        """The word behind a number, its own letters, or the word before: "port is 2525"."""
        own = number.word.lstrip("0123456789.")
        beside = [w for w in self.words if w.clause == number.clause and not is_cjk(w.word[0])]
        behind = next((w.word for w in beside if number.gap(w) and not w.is_number), "")
        if not number.is_number:
            return behind if behind in _COUNTED else ""
        if behind or own.isalpha():
            return behind or own
        lead = (w for w in beside if w.end <= number.start)
        return next((w.word for w in lead if BE.issuperset(self.between(w, number).split())), "")

    def has(self, phrases: Lazy, clauses: Collection[int] = ()) -> bool:
        """Whether a clause, one of these if any, has one of the phrases. Kept: several entries are
        compared with it."""
        found = self._known.get(id(phrases))
        if found is None:
            found = frozenset(n for n, raw in enumerate(self._raw) if phrases.found_in(raw))
            self._known[id(phrases)] = found
        return not found.isdisjoint(clauses) if clauses else bool(found)

    @cached_property
    def _known(self) -> dict[int, frozenset[int]]:
        return {}

    @cached_property
    def _raw(self) -> tuple[bytes, ...]:
        return tuple(encoded(clause.text) for clause in self.clauses)

    @cached_property
    def beginnings(self) -> frozenset[str]:
        """Parts of words by which texts about the same things are found."""
        found = set()
        for word in self.words:
            parts = (part for part in word.parts if len(part) > 2)
            for term in (word.word.lower(), word.sense or word.term.lower(), *parts):
                found.add(term[:2] if is_cjk(term[0]) else term[:4])
        return frozenset(found)

    @cached_property
    def actions(self) -> frozenset[int]:
        """What is done with the subject: written, deployed, owned, …"""
        found = (_ACTIONS.get(word.strip(_EDGE)) for word in folded(self.text).split())
        return frozenset(row for row in found if row is not None)

    @cached_property
    def numbered(self) -> dict[ContentWord, ContentWord]:
        """Numbers and letters that are part of a name, each with its noun: "worker 6", "the printer
        in hall 3". A number before a unit, or at the end, is a value."""
        found: dict[ContentWord, ContentWord] = {}
        first, *others = self.words
        if first.is_number and others and others[0].word.startswith(_NUMBERED):  # "3番の搬入口"
            found[first] = next((w for w in others if w.word not in _NUMBERED), others[0])
        words = [*self.words[:1], *(w for w in self.words[1:] if w.word not in _NUMBERING)]
        for noun, mark, after in zip(words, words[1:], words[2:], strict=False):
            unit = after.word[0] if is_cjk(after.word[0]) else after.word
            name = mark.word.removeprefix("#")
            letter = len(name) == 1 and not is_cjk(name)
            named = letter or (mark.is_number and "." not in name)  # 3.11 is a version
            if not named or noun.word in VALUE_WORDS or _is_version(noun.word, name):
                continue
            counts = unit in _COUNTED and mark.gap(after)
            between = {part.strip(_EDGE) for part in folded(self.between(noun, mark)).split()}
            if noun.clause == after.clause and not counts and between <= _NUMBERING:
                found[mark] = noun
        return found

    @cached_property
    def is_ours(self) -> bool:
        """Whether its subject is we, or I."""
        first = self.words[0]
        lead = self.clauses[first.clause].text[: first.start].split()
        return not _OURS.get(self.lang, frozenset()).isdisjoint(lead)

    def between(self, word: ContentWord, other: ContentWord) -> str:
        return self.clauses[word.clause].text[word.end : other.start]

    def is_of(self, whose: ContentWord, thing: ContentWord) -> bool:
        """Whether the thing belongs to what precedes it, in Chinese, Japanese or Korean."""
        behind = self.clauses[whose.clause].text[whose.end - 1 : thing.start].strip()
        return whose.clause == thing.clause and behind[-1:] in _OF and len(behind) < 3

    def acts(self, actor: ContentWord, verb: ContentWord) -> bool:
        """Whether the actor precedes this verb: "Carla deploys", "the design team reviews"."""
        lead, behind = self.clauses[verb.clause].text[: verb.start], self.between(actor, verb)
        return _GROUPS.issuperset(behind.split()) and CHANGES.search(lead) is None

    def without(self, phrases: Lazy) -> list[str]:
        """Its words, of any kind, without these phrases."""
        words = folded(phrases.sub(" ", self.text.lower())).split()
        return [bare for word in words if (bare := word.strip(_EDGE))]

    def is_occasion(self, word: ContentWord) -> bool:
        """Whether a word says when something is done: "ask before deleting files"."""
        clause = self.clauses[word.clause].text
        if (match := _OCCASIONS.search(clause)) is None:
            return False
        begin, end = match.span()
        if any(map(is_cjk, clause)):
            return word.start < int(begin)
        return word.start >= int(end) - 1 and len(self._since(end - 1, word)) < 4

    def is_one_of_several(self, word: ContentWord) -> bool:
        """Whether a word is the object of a verb with several objects."""
        clause = self.clauses[word.clause].text
        begin = max((w.start for w in self._before(word)), default=0)
        ends = (begin + end for _, end in _SEVERAL.spans(clause[begin : word.start]))
        return any(ARTICLES.issuperset(self._since(end, word)) for end in ends)

    def is_object(self, word: ContentWord) -> bool:
        """Whether a word directly follows a verb, with an article at most, and no verb that has one
        object."""
        before = self._before(word)
        if not before or is_cjk(word.word[0]) or _USES.is_match(self._written(before[-1])):
            return False
        return ARTICLES.issuperset(self._since(before[-1].end, word))

    @cached_property
    def conjuncts(self) -> list[list[ContentWord]]:
        """Its words, in parts that "and" or the end of a clause separates."""
        found: list[list[ContentWord]] = [list(self.words[:1])]
        for one, word in pairwise(self.words):
            if one.clause == word.clause and _JOINS.isdisjoint(self.between(one, word).split()):
                found[-1].append(word)
            else:
                found.append([word])
        return found

    def uses_first(self, word: ContentWord) -> bool:
        """Whether a word begins the statement but for the verb: "we use yarn"."""
        lead = self.clauses[word.clause].text[: word.start]
        return word is self.words[0] and _USES.is_match(lead)

    def names_tool(self, word: ContentWord) -> bool:
        """Whether it says that something is done with what this word names, or is that: "tests run
        with vitest", "we switched to vitest", "the API is GraphQL"."""
        clause = self.clauses[word.clause]
        before = self.lead(word)
        changed = any(start <= word.start < end for start, end in clause.new)
        used = before and (before in _WITH or _USES.is_match(before))
        named = before and word.is_value and before not in _BEFORE.get(self.lang, {})
        return not word.role and (changed or bool(used or named))

    def lead(self, word: ContentWord) -> str:
        """The word without content, but for articles, directly before this one."""
        begin = max((w.end for w in self._before(word)), default=0)
        return next((w for w in reversed(self._since(begin, word)) if w not in ARTICLES), "")

    @cached_property
    def names_only_tool(self) -> bool:
        """Whether it says no more than what we use: "we use yarn", "we switched to uv"."""
        name = list(takewhile(lambda w: not w.role, self.words))
        is_code = not set("()[]{}=<>").isdisjoint(self.text)  # "use foo[0]"
        if not name or is_code or self.words != (*name,) or self.denies or is_amount(name[0]):
            return False
        lead = self.clauses[name[0].clause].text[: name[0].start]
        is_one_name = all(a.clause == b.clause and a.gap(b) for a, b in pairwise(name))
        used = self.names_tool(name[0]) if CHANGES.is_match(lead) else self.uses_first(name[0])
        return is_one_name and used

    def kinds(self, words: Iterable[ContentWord]) -> frozenset[str]:
        """The kinds of value that these words name, as far as their form or the word before them
        shows it: "amount", "place", "language", what the subject "has", what it is made "with" or
        written "in". A word that may be of several kinds has all of them."""
        return frozenset(chain.from_iterable(map(self._kinds_of, words)))

    def _kinds_of(self, word: ContentWord) -> set[str]:
        lead = self.lead(word)
        found: set[str] = set()
        if is_amount(word):
            is_short = len(word.word) < 3 and not word.is_number  # a unit, or "Ms Berger"
            if not is_short and not self._is_date_of_change(word):
                found.add("amount")
            if lead not in _WITH:
                return found
        if self.is_language(word):
            return found | {"language"}
        if lead in _HAS:
            return found | {"has"}
        if lead in _WITH:
            return found | ({"with", "in"} if word.is_value else {"with"})
        if "/" in word.word or self.clauses[word.clause].text[word.end :].startswith(_BEHIND["zh"]):
            return {"place"}
        if _BEFORE.get(self.lang, {}).get(lead) == "in":
            last = self.clauses[word.clause].text[: word.start].split()[-1]
            if last == lead and last not in _IN_THE:  # "in Go", but not "in the attic"
                found = {"in", "with"}
            return found if _WRITING in self.actions else found | {"place"}
        if word.is_value and (lead or word is self.words[0]):
            return {"in", "with", "place", "language"}
        return set()

    def _is_date_of_change(self, word: ContentWord) -> bool:
        """Whether a word only says since when: "as of this week"."""
        lead = self.clauses[word.clause].text[: word.start]
        return not word.is_number and any(word.start - end < 6 for _, end in NOW.spans(lead))

    def purpose(self) -> tuple[ContentWord, ...]:
        """What its value is for, if it names both: "we use jest for tests"."""
        first = self.words[0] if self.words else None
        if first is None or self.tail[:1] != (first,) or not self.uses_first(first):
            return ()
        return tuple(w for w in self.words if w.clause == first.clause and w not in self.tail)

    def is_language(self, word: ContentWord) -> bool:
        """Whether a word names a language that people speak."""
        return "tongue" in self._concepts(word)

    def is_trouble(self, word: ContentWord) -> bool:
        """Whether a word reports a condition that may pass: "slow", "down"."""
        known = self._concepts(word)
        return _STATES.is_match(self._written(word)) or not _TROUBLE.isdisjoint(known)

    def is_fault(self, word: ContentWord) -> bool:
        """Whether it says that its subject does not do this any more: "start", "respond"."""
        return self.clauses[word.clause].ends and _FAULTS.is_match(self._written(word))

    def _concepts(self, word: ContentWord) -> frozenset[str]:
        return frozenset(concepts_of(folded_words(self._written(word)), self.lang).anywhere)

    def _written(self, word: ContentWord) -> str:
        return self.clauses[word.clause].text[word.start : word.end]

    def _before(self, word: ContentWord) -> list[ContentWord]:
        return [w for w in self.words if w.clause == word.clause and w.start < word.start]

    def _since(self, begin: int, word: ContentWord) -> list[str]:
        return self.clauses[word.clause].text[begin : word.start].split()

    def calls(self, name: ContentWord) -> bool:
        """Whether it says that something is called so; a function is called by, or in, another."""
        clause = self.clauses[name.clause].text
        if (match := NAMES.search(clause)) is None or name.role:
            return False
        return _AGENTS.isdisjoint(clause[match.end() : name.start].split())

    @cached_property
    def duty(self) -> str:
        """Whether it says who has something ("holds") or who reviews it ("checks")."""
        return next((n for n, one in (("holds", HOLDS), ("checks", CHECKS)) if self.has(one)), "")

    def is_duty(self, word: ContentWord) -> bool:
        """Whether a word says who has something, or who reviews it."""
        return any(phrases.is_match(self._written(word)) for phrases in (HOLDS, CHECKS))

    def has_duty(self, first: ContentWord, last: ContentWord) -> bool | None:
        """Whether these words, which follow each other, are who has the duty that it is about;
        False if they are that duty."""
        clause, lead = self.clauses[first.clause].text, self.words[0]
        behind = clause[last.start + len(last.word) :].removeprefix("さん").replace(" ", "")
        before = clause[: first.start].split()[-1:]
        if behind.startswith(_SUBJECT_MARKS) or clause[: first.start].endswith("由"):
            return True
        if behind.startswith(_TOPIC_MARKS):
            return any(mark in clause for mark in _OBJECT_MARKS)
        if not _AGENTS.isdisjoint(before):
            return True
        if first is lead and ("由" in clause or not _AGENTS.isdisjoint(clause.split())):
            return False  # "the dock is managed by Ann"
        verb = (HOLDS if self.duty == "holds" else CHECKS).search(clause)
        if verb is None or lead.role:
            return None
        if verb.end() >= len(clause.rstrip(".")):  # in Turkish the object may come first
            named = any(w.is_value for w in self.words[1:])
            return True if first.is_value else (not named if first is last is lead else None)
        if first is lead:
            return True
        between = (verb.end() <= w.start < first.start for w in self.words)
        return None if first.is_value or lead.start >= verb.start() or any(between) else False

    def uses(self, words: Sequence[ContentWord]) -> bool:
        """Whether one of these words, which begin a clause, uses something or changes to it."""
        return any(
            _USES.is_match(text)
            or (CHANGES.is_match(text) and (_to(text, 1) < len(text) or _FROM.is_match(text)))
            for text in starmap(self.between, pairwise(words))
        )

    @cached_property
    def denies(self) -> bool:
        return self.has(_DENIES)

    def denies_all(self, words: Iterable[ContentWord]) -> bool:
        """Whether the clause of each of these words denies something: of npm, but not of pnpm, in
        "use pnpm, never npm"."""
        return self.denies and all(self.has(_DENIES, {word.clause}) for word in words)

    @cached_property
    def bans(self) -> bool:
        """Whether its first clause with content denies something; "5 minutes, not 10" does not."""
        return bool(self.words) and _DENIES.found_in(self._raw[self.words[0].clause])

    @cached_property
    def forbids(self) -> bool:
        """Whether it denies what is done, near its beginning: "never use tabs", not "in a container
        without tabs" nor, in Portuguese, "no Jenkins"."""
        first = self.words[0].clause if self.words else 0
        text = self.clauses[first].text if self.clauses else ""
        if (match := _DENIES.search(text)) is None:
            return False
        begin, word = match.start(), match.group().strip()
        before = sum(w.clause == first and w.end <= begin for w in self.words)
        late = before > 1 and self.lang not in _BEHIND  # in Hindi a verb and its "not" come last
        return not (late or word in _WITHOUT or (word == "no" and begin))

    @cached_property
    def phrases(self) -> frozenset[str]:
        """Which phrase tables it has words of, and whether they say what is over."""
        facts = {
            "spans": any(clause.old for clause in self.clauses),
            "ends": any(clause.ends for clause in self.clauses),
        }
        found = (name for name, phrases in _TELLING.items() if self.has(phrases))
        return frozenset((*found, *(name for name, true in facts.items() if true)))

    @cached_property
    def script(self) -> str:
        """The language by which `grams` splits the text into words or letters."""
        return "zh" if any(map(is_cjk, self.text)) else "en"

    @cached_property
    def says_change(self) -> float:
        """The log odds that it says that something changed, whatever that is."""
        known = model()
        return known.weigh(self.phrases, grams(self.text, self.script, known.grams))

    @cached_property
    def lifts(self) -> bool:
        """Whether a rule or a ban ends: "is allowed again", "you can push to main now"."""
        return self.has(LIFTS) or (self.has(_MAY) and self.has(NOW))

    @cached_property
    def prefers(self) -> bool:
        """Whether it says what is used in place of what: "tabs over spaces", "npm, not pnpm"."""
        return "contrast" in concepts_of(folded_words(self.text), self.lang).anywhere

    @cached_property
    def demands(self) -> bool:
        return self.denies or self.has(NEEDS)


@cache
def model() -> LinearModel:
    """The fitted weights of words of change."""
    return read_model("wm.domain.change", "change_words.toml")


def is_amount(word: ContentWord) -> bool:
    """Whether a word is a number, in digits or letters, or another amount."""
    return word.is_number or word.word in VALUE_WORDS


def is_action(word: str) -> bool:
    """Whether a word names an action that tells attributes apart."""
    return word in _ACTIONS and word not in _OWNING


def is_owning(word: str) -> bool:
    """Whether a word names an action whose subject is the value: "Jun owns the parser"."""
    return word in _OWNING


def marks_change(text: str) -> bool:
    """Whether a text has a phrase of change."""
    raw = encoded(text.lower())
    return any(phrases.found_in(raw) for phrases in _SAYING)


@lru_cache(maxsize=512)
def reading(text: str) -> ParsedStatement:
    """Parse a text for `judge`."""
    shown = text[:MAX_CHARS]
    clauses: list[ChangeClause] = []
    words: list[ContentWord] = []
    lang = language(folded_words(shown))
    for number, part in enumerate(_clauses(shown)):
        plain = _lowered(part)
        clauses.append(_clause(plain, first=not number))
        words += _with_roles(plain, list(_words(part, plain, number)), lang, opens=not words)
    cases: set[str] = set()
    for word in folded(shown).split():
        either = [part.strip(_EDGE) for part in word.split("/")]
        if _CASES.issuperset(either):  # a path names none
            cases.update(synonyms().get(case, case) for case in either)
    cases |= {case for case in _CASES_CJK if case in shown}
    return ParsedStatement(
        shown, tuple(clauses), tuple(words), frozenset(cases), _tail(clauses, words), lang
    )


def _lowered(text: str) -> str:
    """In lower case, but for names, so that "we write it in Move" has no phrase of change."""
    low = text.lower()
    if len(low) != len(text):
        return text
    for start, end in _CAPITALIZED.spans(text):
        if start and low[start + 1 : end] not in VALUE_WORDS:
            low = low[:start] + text[start:end] + low[end:]
    return low


def _is_version(noun: str, name: str) -> bool:
    """React 17 and React 18; but redis 1 and redis 2 may run side by side."""
    return len(name) > 1 and "technology" in concepts_of(folded_words(noun), "en").anywhere


def _clauses(text: str) -> Iterator[str]:
    begin = 0
    for start, end in _CLAUSE_ENDS.spans(text):
        is_number = text[start] == "." and text[end : end + 1].isdigit()
        if is_number and _NUMBERING.issuperset(text[begin:start].lower().split()[-1:]):
            continue  # "bay no. 3"
        if text[begin:start].strip():
            yield text[begin:start]
        begin = end
    if text[begin:].strip():
        yield text[begin:]


def _clause(text: str, *, first: bool) -> ChangeClause:
    """Find what a clause says is over, and where the new value begins."""
    size = len(text)
    verb_last = not text.isascii() and (any(map(is_kana, text)) or any(map(is_hangul, text)))
    match = _OVER_BEFORE.search(text)
    if match is not None and _PLAIN.issuperset(folded(text[: match.start()]).split()):
        return _from_to(text, match.end(), _TO_NAME)  # "we renamed X to Y", not "X was renamed …"
    if match is not None:
        alone = not text[match.end() :].strip()  # Turkish "…, not on port 8000"
        return ChangeClause(text, ((0, match.start()),), ((match.end(), size),), False, alone)
    if (match := OVER.search(text)) is not None:
        before = text[: match.start()].split()
        if not verb_last and (not before or before[-1] in _JOINS):
            # "…, no longer with Jest", "… and no longer Jest": a preposition may follow.
            begin = text.find(" ", match.end() + 1)
            stop = size if begin < 0 else _to(text, begin + 1)
            new = ((0, match.start()), (stop, size))
            inherits = bool(before) or not first
            return ChangeClause(text, ((match.end() - 1, stop),), new, True, inherits)
        stop = match.end() if verb_last else _to(text, match.end())
        if (since := NOW.search(text[match.end() - 1 :])) is not None:
            stop = min(stop, match.end() - 1 + since.start())
        inherits = (after := _OVER_AFTER.search(text)) is not None and not after.start()
        return ChangeClause(text, ((0, stop),), ((stop, size),), True, inherits)
    if (match := _OVER_AFTER.search(text)) is not None:
        begin = match.end()
        behind = text.find(" ", begin + 1)  # "statt auf dem NFS": a preposition may follow
        stop = size if behind < 0 else _to(text, behind + 1)
        return ChangeClause(text, ((begin, stop),), ((0, match.start()), (stop, size)), True, True)
    if (match := CHANGES.search(text)) is None:
        return ChangeClause(text, (), (), False)
    if (source := _FROM_BEHIND.search(text)) is not None:
        return ChangeClause(text, ((0, source.end()),), ((source.end(), size),), False)
    source = _FROM.search(text)  # "wir sind von Ant auf Gradle umgestiegen"
    return _from_to(text, match.end() if source is None else source.end())


def _from_to(text: str, begin: int, others: Lazy | None = None) -> ChangeClause:
    """A clause that names from `begin` on what is over, and then what replaces it. others: more
    words before the latter."""
    stop = _to(text, begin)
    if stop == len(text) and others and (match := others.search(text[begin - 1 :])) is not None:
        stop = begin - 1 + match.start()
    if stop == len(text):
        return ChangeClause(text, (), (), False)
    return ChangeClause(text, ((begin, stop),), ((stop, len(text)),), False)


def _to(text: str, begin: int) -> int:
    """Where the words of the new value begin."""
    known = frozenset(text.split())
    english = not _ENGLISH.isdisjoint(known) and _DUTCH.isdisjoint(known)
    phrases = _TO_ENGLISH if english else _TO
    match = phrases.search(text[begin - 1 :])
    return len(text) if match is None else begin - 1 + match.start()


def _words(shown: str, plain: str, clause: int) -> Iterator[ContentWord]:
    with_cjk = not plain.isascii() and any(map(is_cjk, plain))
    german = not _GERMAN.isdisjoint(plain.split())
    found = ((a, b, phrases) for phrases in _SAYING for a, b in phrases.spans(plain))
    said = [(a, b) for a, b, of in found if of is NOW or len(plain[a:b].split()) <= 2]
    for start, end in _WORD.spans(plain):
        raw = plain[start:end]
        hangul = with_cjk and any(map(is_hangul, raw))
        if any(
            (first <= start and end <= last) or (hangul and start == first) for first, last in said
        ):
            continue
        if is_cjk(raw[0]):
            yield from _cjk_words(raw, start, clause, plain[end : end + 2])
            continue
        bare = raw.strip(_EDGE) if not raw.lstrip(_EDGE).startswith("/") else raw.strip("\"'`,;:()")
        for glue in ("'", "’"):
            head, _, tail = bare.partition(glue)
            bare = (tail if len(head) < 3 and len(tail) > 2 else head) if glue in bare else bare
        bare = bare.rstrip(_HANGUL) if bare[:1].isascii() else bare
        is_folder = bare[:-1].isalnum() and bare.endswith("/")  # "the backend is in backend/"
        bare = folded(bare if is_folder else bare.rstrip("/") or bare)
        if not bare or not any(map(str.isalnum, bare)):
            continue
        coded = not _CODE.isdisjoint(bare.strip("-")) or "`" in shown[start:end]
        term = stem(bare) if bare.isascii() else bare
        written = shown[start:end].strip(_EDGE)
        capital = written[:1].isupper() and bool(shown[:start].strip()) and not german
        if (term in _PLAIN_STEMS or bare in _PLAIN) and not capital:
            continue
        number = bare.lstrip("v#$€£~<>=+-")[:1].isdigit()
        inner = any(map(str.isupper, written[1:]))
        value = number or coded or capital or inner or bare in VALUE_WORDS or with_cjk
        sense = "" if coded else synonyms().get(bare, "")
        yield ContentWord(bare, term, _parts(bare), start, clause, end, value, number, sense=sense)


def _with_roles(
    plain: str, words: list[ContentWord], lang: str, *, opens: bool
) -> Iterator[ContentWord]:
    """The words of a clause with how they restrict its subject. opens: no clause before has any."""
    begin, role = 0, ""
    for at, word in enumerate(words):
        before = plain[begin : word.start].split()
        if not at or before:
            role = _BEFORE.get(lang, {}).get(before[0], "") if 0 < len(before) < 4 else ""
        begin = word.end
        if not at and opens:
            ends = [w.start for w in words[1 : 2 if lang == "ja" else 4]] or [len(plain)]
            parts = chain.from_iterable(plain[word.start : end].split()[:3] for end in ends)
            is_place = any(part.endswith(_BEHIND.get(lang, ())) for part in parts)
            role = "opens" if role or is_place else ""
        yield replace(word, role=role) if role else word


def _cjk_words(raw: str, at: int, clause: int, after: str) -> Iterator[ContentWord]:
    """The content words of a run in one script; Hiragana carries grammar only."""
    if is_hiragana(raw[0]):
        return
    if is_hangul(raw[0]):
        bare = next(
            (raw.removesuffix(p) for p in _PARTICLES if raw.endswith(p) and len(raw) > len(p)), raw
        )
        verb = bare.endswith(_VERB_ENDINGS)
        yield ContentWord(bare, bare, (), at, clause, at + len(raw), is_verb=verb)
        return
    begin = 0
    ties = (tie for tie in _TIES.spans(raw) if raw[slice(*tie)] not in _NOT_TIES)
    for start, end in (*ties, (len(raw), len(raw))):
        word = raw[begin:start]
        verb = end == len(raw) and after[:1] in _OKURIGANA and after not in _HONORIFICS
        if word:
            yield ContentWord(word, word, (), at + begin, clause, at + start, is_verb=verb)
        begin = end


def _parts(bare: str) -> tuple[str, ...]:
    if _CODE.isdisjoint(bare):
        return ()
    split = "".join(char if char.isalnum() else " " for char in bare).split()
    return tuple(stem(part) for part in split)


def _tail(clauses: Sequence[ChangeClause], words: list[ContentWord]) -> tuple[ContentWord, ...]:
    """The words of the first clause that name a statement's value: the last ones, or, before what
    it is for, what is used."""
    first = [word for word in words if word.clause == words[0].clause] if words else []
    until = next((at for at, word in enumerate(first) if word.role == "of"), 0)
    text = clauses[first[0].clause].text if until else ""
    # "we keep logs for 30 days", "we use yarn for installs and jest for tests"
    several = any(w.is_number for w in first[until:]) or not _JOINS.isdisjoint(text.split())
    if until and not several and _USES.is_match(text[: first[0].start]):
        return tuple(first[:until])
    if any(word.is_verb for word in first):  # the value comes before the verb
        first = [word for word in first if not word.is_verb] or first
    return tuple(first[-1:])


_VERB_ENDINGS = ("니다", "써", "써요", "어요", "아요", "해요", "세요", "한다", "된다")
_OKURIGANA = frozenset("っしすさせいりきくるけえ")
_HONORIFICS = ("さん", "さま")
