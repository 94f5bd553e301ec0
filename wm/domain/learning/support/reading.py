"""Read a sentence into the items and marks of a statement (TR-3).

Knows function words by class, in fourteen languages; `cjk` reads Chinese, Japanese and Korean.
Phrases of one meaning get one wording first: "A is replaced by B" is a move from A to B, "A needs
approval" is asking before A, "never A without B" is B before A. Does not judge meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain, groupby, takewhile

from msgspec import Struct

from wm.domain.learning import function_words as fw
from wm.domain.learning.common_words import FRAMING
from wm.domain.learning.concepts import concepts_of, folded, language, phrases
from wm.domain.learning.support import items
from wm.domain.learning.support.cjk import cjk_tokens
from wm.text.letters import normalised
from wm.text.patterns import Lazy, escaped
from wm.text.scripts import is_cjk
from wm.text.stems import stem
from wm.text.word_grams import JOINED

MAX_TOKENS = 160

COMMA, IN_NAME = "\x02", "\x03"
_ELIDED = Lazy(r"^(?:[ldnsjmtc]|qu|jusqu|lorsqu)'|'(?:d|ll|ve|re|m)$")
_FULL_WIDTH = str.maketrans({char: f"{char} " for char in "，：；（）、"})
_TIGHT_COMMA = Lazy(r",(\p{Han}|\p{Hiragana}|\p{Katakana}|\p{Hangul})")
_ITALIAN = Lazy(r"\b((?:da|de|ne|su|a|co)l)l'")
_COMMA = Lazy(r"\b(?:e\.g|i\.e)\.|[,:、](?:\s|$)|[()]|\s[-–—]+\s")
PLACES = frozenset(items.SAME.words("places"))
"""Words for the project itself, which a sentence may add."""
_BORDER: tuple[list[str], ...] = ([], [COMMA])
"""What is beside a word at the beginning or the end of a clause."""
_FRAME_NOUNS = PLACES.union(map(normalised, items.SAME.words("frame_nouns")))
_PHRASES = {
    (one, other): both
    for one, other, both in (map(normalised, row) for row in items.SAME.rows("phrases"))
}
_EXCEPT = fw.WITHOUT | fw.UNLESS
_ARTICLE = Lazy(r"\b[dlj]'|'")
_WE = {lang: frozenset(words) for lang, *words in items.SAME.rows("we")}
_WORDS = {
    name: frozenset(normalised(items.SAME.table(name)).split())
    for name in items.SAME.words("word_sets")
}
_TRIGGERS = _EXCEPT.union(fw.ONLY_WORDS, *(_WORDS[name] for name in ("replacing", "needing")))


def spaced(text: str) -> str:
    """Insert a space after full-width punctuation, and after a comma before a Chinese, Japanese or
    Korean letter, so that they separate clauses."""
    return _TIGHT_COMMA.sub(r", \1", text.translate(_FULL_WIDTH))


def with_commas(plain_text: str) -> str:
    """Replace the punctuation that separates clauses by a mark."""
    return _COMMA.sub(f" {COMMA} ", _ITALIAN.sub(r"\1 ", plain_text))


def without_elision(chunk: str, word: str) -> str:
    """The raw word of a chunk without an elided French article or English auxiliary; one that
    is alone stays."""
    match = _ELIDED.search(chunk) if "'" in chunk else None
    if match is None:
        return word
    if match.group() in ("'re", "'m"):
        return "are"
    rest = word[len(match.group()) - 1 :] if not match.start() else word[: match.start()]
    return rest or word


def tokens(raw: Sequence[str], digest: Callable[[str], int]) -> tuple[int, ...]:
    """Convert one sentence of raw lower-case words into marks and digests. Words of a name begin
    with `IN_NAME`."""
    typed = [word for chunk in raw[: 4 * MAX_TOKENS] if (word := chunk.strip("."))]  # cut off
    raw = _joined(typed)
    raw = raw[1:] if raw[:1] == ["to"] else raw  # "to deploy we run …": a purpose, no direction
    table = _function_words(raw)
    lang = next((name for name, words in _TABLES.items() if words is table), "")
    limited = _is_limited(raw) or _is_reported(typed)
    raw = [*chain(*map(_compound, raw))] if lang in ("de", "nl", "sv") else raw
    raw = _reworded(_with_ne(raw, table), table)
    reader = _Reader(raw, table, lang, digest, [fw.QUALIFIED] if limited else [])
    for at in range(len(raw)):
        reader.take(at)
    # German is excluded: "nicht" may follow the word that it negates.
    found = reader.found if lang == "de" else _denied(reader.found)
    return tuple(found[:MAX_TOKENS])


class _Reader(Struct):
    """Reads the words of one sentence from left to right. table: the function words of its
    language. found: the tokens so far."""

    raw: Sequence[str]
    table: Mapping[str, int]
    lang: str
    digest: Callable[[str], int]
    found: list[int]

    def take(self, at: int) -> None:
        word = self.raw[at]
        if word not in self.table and fw.LATIN.get(items.synonyms().get(word, "")) == fw.VERB:
            word = "use"
        if word.startswith(IN_NAME):
            parts = filter(None, word[1:].split("."))
            self.found += chain(*(_of_name(part, self.digest) for part in parts))
            return
        self._qualify(word, at)
        if self._ends_use(word, at):
            self.found.append(fw.TURN)
        elif word in fw.BOUNDS and _has_digit(self.raw[at + 1 : at + 3]):
            self.found.append(fw.BOUNDS[word])
        elif word == COMMA:
            self.found.append(fw.SPLIT)
        elif not word.isascii() and any(map(is_cjk, word)):
            self.found += cjk_tokens(word, self.digest)
        elif self._introduces(word, at):
            self.found += [*_group(word, self.lang), fw.FRAME]
        elif word in self.table:
            self._add_mark(word, at)
        else:
            self.found += _group(word, self.lang)
            for part in (word,) if word.replace(".", "").isdigit() else word.split("."):
                if part:
                    self._add_word(part, at)

    def _qualify(self, word: str, at: int) -> None:
        """Add what a word says of its clause beside its own meaning."""
        if word in _WORDS["was"] and not _WORDS["now"].isdisjoint(self.raw):
            self.found.append(fw.HEDGE)
        self.found += _degree(word)
        if word in fw.ONLY_WORDS:
            self.found.append(_limit(self.raw, at, self.found))

    def _ends_use(self, word: str, at: int) -> bool:
        """Whether a word says that something is over: "is over", "stop using"."""
        if word in _WORDS["over"] and not self._is_content(at + 1):
            return True
        return word == "stop" and "".join(self.raw[at + 1 : at + 2]).endswith("ing")

    def _introduces(self, word: str, at: int) -> bool:
        """Whether a word only introduces what is said: "I think the port is …"."""
        begins = word in _WORDS["speaking"] and self.found[-1:] in _STARTS
        return begins and self._is_content(at + 1)

    def _add_mark(self, word: str, at: int) -> None:
        mark = self.table[word]
        if mark == fw.TURN and _is_denied_before(word, self.raw[:at], self.table):
            return
        if word == "not" and self._is_content(at - 1) and self._is_content(at + 1):
            self.found.append(fw.SPLIT)  # "rspec not minitest"
        if mark >= fw.CAN and not _WORDS["asking"].isdisjoint(self.raw[at:]):
            self.found += _asker(self.found, "")
        self.found += _group(word, self.lang)
        self.found += _marks(mark, self.raw, at, self.found)

    def _add_word(self, part: str, at: int) -> None:
        frames = _frames(part, self.raw, at, self.table)
        if frames and part in _FRAME_NOUNS and self.raw[at + 1 : at + 2] != [COMMA]:
            self.found.append(fw.FRAME)
        is_this_project = part in PLACES and self.raw[at - 1] in _WORDS["this"]
        if is_this_project or (frames and part not in PLACES):
            return
        self.found += _asker(self.found, part) if part in _WORDS["asking"] else []
        self.found.append(items.item(part, self.digest, self.lang, _tool_before(self.raw, at)))
        if at and self.raw[at - 1] in _WORDS["asking"]:
            self.found.append(items.POST | fw.TO)
        self.found += _of_ending(part, self.raw[at + 1 :]) if self.lang == "tr" else []

    def _is_content(self, at: int) -> bool:
        return _is_content(self.raw, at, self.table)


def _is_limited(raw: Sequence[str]) -> bool:
    """Whether it may hold for a time or a task only."""
    return _limits().is_match(f" {' '.join(raw)} ")


def _is_reported(raw: Sequence[str]) -> bool:
    """Whether it says what another says ("Tom thinks we should …"), or denies that something is so
    ("I doubt that …"). Not "the user says that …"."""
    text = folded(" ".join(raw).replace(COMMA, ",").replace(IN_NAME, ""))
    found = concepts_of(text, language(text), of=_REPORTED).anywhere
    is_own = "own_words" in found or not _FRAME_NOUNS.isdisjoint(raw[:2])
    return "denied" in found or ("hearsay" in found and not is_own)


_REPORTED = ("hearsay", "denied", "own_words")


@lru_cache(maxsize=4096)
def _compound(word: str) -> tuple[str, ...]:
    """The two known words that a word joins: German "Produktionsdatenbank"."""
    if items.is_known(word):
        return (word,)
    # A text without spaces is one word of any length, so the number of cuts is bounded.
    cuts = (at for at in range(min(len(word) - 4, 40), 3, -1) if items.is_known(word[at:]))
    pairs = ((head, word[at:]) for at in cuts for head in (word[:at], word[:at].rstrip("sn-")))
    return next((pair for pair in pairs if items.is_known(pair[0])), (word,))


def _group(word: str, lang: str) -> list[int]:
    """The mark of a word that says that several people do it: "we", Spanish "usamos"."""
    known = _WE.get(lang, ())
    endings = tuple(one[1:] for one in known if one[0] == "-")
    return [fw.WE] if word in known or word.endswith(endings) else []


@lru_cache(maxsize=4096)
def _degree(word: str) -> tuple[int, ...]:
    """Whether a word speaks of all, of what one may or prefers, or of what one must."""
    marks = ((fw.CAN, fw.PREFERRING), (fw.MUST, fw.REQUIRING))
    found = tuple(mark for mark, beginnings in marks if word.startswith(beginnings))
    return (fw.ALL, *found) if word in fw.UNIVERSAL else found


def _of_name(part: str, digest: Callable[[str], int]) -> Iterator[int]:
    """The items of a part of a name: a number and its unit ("200ms") are two."""
    if any(map(str.isdigit, part)) and part in items.synonyms():
        yield items.item(part, digest)  # "k8s"
        return
    amount = _AMOUNT.match(part) if part[0] < ":" else None
    yield items.number(digest(part if amount is None else amount.group(1))) | items.VALUE
    if amount is not None:
        yield items.item(amount.group(2), digest)


_AMOUNT = Lazy(r"^([0-9]+)([a-z]+)$")


def _is_content(raw: Sequence[str], at: int, table: Mapping[str, int]) -> bool:
    """Whether the word there is neither a function word nor a border."""
    words = raw[at : at + 1] if at >= 0 else ()
    return any(word[0] > COMMA and word not in table for word in words)


_STARTS: tuple[list[int], ...] = ([], [fw.SPLIT], [fw.COORD], [fw.CONDITION], [fw.QUALIFIED])
"""The last token before a clause, if any."""


def _of_ending(word: str, after: Sequence[str]) -> list[int]:
    """The mark of the ending of a Turkish verb: "if it is full" (doluysa), "do not delete" (silme),
    "without asking" (sormadan), but not "before asking" (sormadan önce)."""
    if word.endswith(("sa", "se")) and word[-3:-2] not in "aeıioöuü":
        return [fw.CONDITION_END]
    is_last = after[:1] in _BORDER and word.endswith(("ma", "me"))
    is_without = after[:1] != ["önce"] and word.endswith(("madan", "meden"))
    return [fw.TURN] if is_last or is_without or _DENYING.search(word) else []


_DENYING = Lazy(r"m(?:[ae](?:m[ae]l[ıi]|y[ıi]n|z|d[ıi]|s[ıi]n)|[ıiuü]yor)\w{0,4}$")


def _tool_before(raw: Sequence[str], at: int) -> str:
    """The tool that is called with this word, or ""."""
    before = [word.removeprefix(IN_NAME) for word in raw[max(0, at - 2) : at]]
    first, last = ["", "", *before][-2:]
    if last == "just" and _TABLES["en"].get(first) not in (fw.VERB, fw.PREP, fw.BY):
        return ""  # "just fix it"
    if raw[at].endswith("ing") or (first, last) == ("to", "make"):
        return ""  # "needs Docker running", "to make it easier"
    if last in _TOOLS and (last in _WORDS["runners"] or raw[at] in _WORDS["called"]):
        return last  # not "npm breaks the lockfile"
    return first if last in _RUNS and first in _TOOLS else ""


def _asker(found: Sequence[int], word: str) -> list[int]:
    """The mark of a name at the beginning before "ask": "Mara must ask", German "Mara fragen"."""
    is_name = bool(found) and found[-1] >= items.FIRST_WORD and found[-2:-1] in _STARTS
    return [items.POST | (fw.TO if word.endswith("en") else fw.FROM)] if is_name else []


_TOOLS, _RUNS = frozenset(items.SAME.words("tools")), ("run", "exec")


def _is_denied_before(word: str, before: Sequence[str], table: Mapping[str, int]) -> bool:
    """Whether a negation only repeats one of its clause: "ne … pas", "personne ne …"."""
    clause = takewhile(lambda one: one != COMMA, reversed(before))
    denied = [one for one in clause if table.get(one) == fw.TURN]  # Portuguese "no" is "in the"
    return not (_BEFORE_NE if word == "ne" else _NO).isdisjoint(denied)


def _with_ne(raw: list[str], table: Mapping[str, int]) -> list[str]:
    """The words, with the "ne" that spoken French leaves out before the verb."""
    at = raw.index("pas") if "pas" in raw and "ne" not in raw else 0
    return (
        [*raw[: at - 1], "ne", *raw[at - 1 :]]
        if at and _denies_verb_before(raw, at, table)
        else raw
    )


def _denies_verb_before(raw: Sequence[str], at: int, table: Mapping[str, int]) -> bool:
    """Whether a French "pas" without "ne" denies the verb before it: "touche pas au dossier", "on
    utilise pas npm", but not "pnpm pas npm"."""
    if at > 1:
        return raw[at - 2] in _SUBJECTS and _is_content(raw, at - 1, {})
    after = table.get(raw[at + 1]) if raw[at + 1 :] else None
    return at == 1 and after in (fw.NOTHING, fw.PREP, fw.TO)


_SUBJECTS = {"on", "je", "tu", "il", "elle", "nous", "vous", "ils", "elles"}
_NO = {"ne", "no", "não", "non"}
_BEFORE_NE = {"personne", "rien", "aucun", "aucune", "jamais"}


def _denied(found: Sequence[int]) -> list[int]:
    """The tokens, with a flag on the next word after each negation, if it is not a common verb."""
    made, denies, verbs = [], False, 0
    for token in found:
        is_word = token >= items.FIRST_WORD
        made.append(token | items.DENIED if denies and is_word else token)
        verbs = 0 if token in (fw.SPLIT, fw.COORD) else verbs + (token == fw.VERB)
        # "use A not use B" denies B.
        passes = not is_word and (token != fw.VERB or verbs > 1)
        denies = token == fw.TURN or (denies and passes)
    return made


def _marks(mark: int, raw: Sequence[str], at: int, found: list[int]) -> list[int]:
    if mark in (fw.THAN, fw.TO) and any(word.startswith(fw.PREFERRING) for word in raw[:at]):
        return [fw.SPLIT, fw.TURN]
    if raw[at] in _WORDS["relative"] and found and found[-1] >= items.FIRST_WORD:
        return [fw.SPLIT]  # "strings that clients must not parse"
    if mark == fw.NOTHING:
        # "vor dem Linter müssen die Tests …": the next noun is governed by no preposition.
        refers = [fw.PRONOUN] if raw[at] in _WORDS["pronouns"] else []
        is_behind = found and found[-1] != fw.FOR and found[-1] >= fw.VERB
        return [fw.NOTHING, *refers] if is_behind else refers
    if raw[at] == "plus" and "ne" in raw[:at]:
        return []  # "ne … plus" negates, it does not compare.
    is_last = raw[at + 1 : at + 2] in _BORDER
    if mark == fw.BEFORE and (is_last or raw[at + 1] in _WORDS["earlier"]):
        return [fw.HEDGE]  # "it was 5432 before", "antes usábamos"
    if raw[at] in _WORDS["behind"]:
        return [fw.TURN, fw.SPLIT]
    if mark == fw.CONTRAST:
        return [] if is_last else [fw.SPLIT, fw.TURN]  # "findet … statt"
    if mark == fw.UNTIL:
        # "from 9 until 17" is one range.
        return [fw.TO] if found and found[-1] & items.VALUE else [fw.SPLIT, fw.QUALIFIED, fw.TO]
    if raw[at] == "while" and (fw.TURN in found or not at):
        return [fw.CONDITION]
    if raw[at] in fw.UNLESS or raw[at] in fw.WITHOUT:
        # "Never X without Y" does not ban X.
        return [fw.CONDITION, fw.TURN]
    if raw[at] == "se" and not fw.AFTER_IF.isdisjoint(raw[at + 1 : at + 2]):
        return [fw.CONDITION]
    return [mark]


def _limit(raw: Sequence[str], at: int, found: Sequence[int]) -> int:
    """The mark of an "only". "Only Mara may …" limits the subject, "Mara may only …" does not."""
    return fw.ONLY if found or fw.MAY.isdisjoint(raw[at + 2 : at + 5]) else fw.ONLY_SUBJECT


def _has_digit(raw: Sequence[str]) -> bool:
    return any(char.isdigit() for word in raw for char in items.NUMBERS.get(word, word))


def _frames(word: str, raw: Sequence[str], at: int, table: Mapping[str, int]) -> bool:
    """Whether a word only introduces the statement: "the user wants", but not "the user table"."""
    if any(fw.LATIN.get(after) == fw.BEFORE for after in raw[at + 1 : at + 4]):
        return False  # "ask the user before you push"
    if word not in _FRAME_NOUNS:
        return stem(word) in FRAMING
    is_part = at and raw[at - 1] != COMMA and table.get(raw[at - 1]) != fw.NOTHING
    if is_part or word in _WORDS["teams"]:
        return False  # "for sessions only"; "I use vim" says nothing of a team
    after = raw[at + 1] if at + 1 < len(raw) else ""
    if after == COMMA:
        # "Decision: …", but not "in this repo, …"
        return raw[at - 1 : at] in _BORDER or raw[at - 1] in _FRAME_NOUNS
    frames = stem(after) in FRAMING or table.get(after) == fw.FRAME
    return frames or (after in fw.MODALS and word[-1] != "s")


@cache
def _limits() -> Lazy:
    """The phrases of all languages, between spaces where a language has them."""
    rows = {row: "" if lang in JOINED else " " for lang, row in phrases("limit").items()}
    plain = ((normalised(_ARTICLE.sub("", row)), end) for row, end in rows.items())
    found = (f"{end}{escaped(one)}{end}" for row, end in plain for one in row.split("|"))
    return Lazy("|".join(found))


def _joined(raw: Sequence[str]) -> list[str]:
    """The words, with the one word for each phrase."""
    found = [""]
    for at, word in enumerate(raw):
        if raw[at + 1 : at + 2] == ["안"] and "".join(raw[at + 2 : at + 3])[:1] in _BECOMES:
            word = word.removesuffix("면")  # Korean "must not", without a condition
        while (both := _PHRASES.get((found[-1], word))) is not None:
            word = both
            found.pop()
        found.append(word)
    return found[1:]


_BECOMES = frozenset("되된될돼됩")


def _reworded(raw: list[str], table: Mapping[str, int]) -> list[str]:
    """The words, with one wording for phrases of one meaning. table: the function words of the
    language."""
    if _TRIGGERS.isdisjoint(raw):
        return raw
    if raw[0] in _EXCEPT and COMMA in raw:
        # "Without A, never B"
        cut = raw.index(COMMA)
        raw = [*raw[cut + 1 :], *raw[:cut]]
    made: list[str] = []
    for is_end, run in groupby(raw, lambda word: word == COMMA or table.get(word) == fw.SPLIT):
        clause = list(run)
        for rewrite in () if is_end else (_as_move, _as_asking, _as_order):
            clause = rewrite(clause, table)
        made += clause
    return made


def _find(kind: str, words: Sequence[str], start: int = 0) -> int:
    """The place of the first word of a kind, or the end."""
    known = _WORDS[kind]
    return next((at for at in range(start, len(words)) if words[at] in known), len(words))


def _as_move(words: list[str], table: Mapping[str, int]) -> list[str]:
    """Reads "replace A with B", in either voice and order, as "move from A to B"."""
    at, by = _find("replacing", words), _find("by_what", words)
    marks = [table.get(word, fw.VERB) for word in words[:at]]
    is_passive = fw.VOICE in marks or by <= at + 1
    if at == len(words) or (by == len(words) and (is_passive or fw.VERB not in marks)):
        return words
    head = ["from"] if is_passive else ["to"] if by == len(words) else []
    made = [*head, *words[: at + 1], *([] if is_passive else ["from"]), *words[at + 1 :]]
    return made if by == len(words) else ["to" if w in _WORDS["by_what"] else w for w in made]


def _as_asking(words: list[str], table: Mapping[str, int]) -> list[str]:
    """Reads "A needs approval" as "ask before A"."""
    at = _find("needing", words)
    only = next((i for i, word in enumerate(words) if word in fw.ONLY_WORDS), len(words))
    if at == len(words) and _find("with_what", words) == only + 1:  # "A only with approval"
        at, words = only, [*words[:only], *words[only + 1 :]]
    end = _find("consent", words, at)
    if not 0 < at < end < len(words) or fw.TURN in map(table.get, words):
        return words
    tail = [word for word in words[end + 1 :] if word != "first"]
    tail = tail if "before" not in tail else tail[: tail.index("before")]
    return ["ask", *words[at + 1 : end], *tail, *_before(words[:at], table)]


def _as_order(words: list[str], table: Mapping[str, int]) -> list[str]:
    """Reads "never A without B" as "B before A"."""
    at = next((i for i, word in enumerate(words) if word in _EXCEPT), len(words))
    head = _before(words[:at], table)
    if fw.TURN not in map(table.get, words[:at]) or at >= len(words) - 1 or not head:
        return words
    return [*words[at + 1 :], *head]


def _before(words: list[str], table: Mapping[str, int]) -> list[str]:
    """The words with "before", which governs all of them."""
    loose = (fw.TURN, fw.PREP, fw.NOTHING, fw.VOICE)
    found = [word for word in words if table.get(word) not in loose]
    return ["before", *found] if found else []


def _function_words(raw: Sequence[str]) -> dict[str, int]:
    """The function words of the language with the most hint words in this sentence."""
    known = set(raw)
    counts = {name: len(known & hints) for name, hints in _HINTS.items()}
    most = max(counts.values())
    likely = [name for name, count in counts.items() if count == most]
    best = language(" ".join(raw)) if len(likely) > 1 else likely[0]
    return _TABLES.get(best if best in likely or not most else likely[0], fw.LATIN)


_HINTS = {name: frozenset(row.split()) for name, row in fw.HINTS.items()}
_TABLES = {name: {**fw.LATIN, **own} for name, own in fw.BY_LANGUAGE.items()}
_TABLES["pt"].pop("no", None)
_TABLES["pt"].update(fw.BY_LANGUAGE["pt"])
