"""Read a sentence into the items and marks of a statement (TR-3).

Knows function words by class, in fourteen languages; `cjk` reads Chinese, Japanese and Korean.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wm.domain.learning import function_words as fw
from wm.domain.learning.common_words import FRAMING
from wm.domain.learning.concepts import language
from wm.domain.learning.support.cjk import cjk_tokens
from wm.domain.learning.support.items import DENIED, FIRST_WORD, NUMBERS, SAME, VALUE, item, number
from wm.domain.learning.support.wording import COMMA, is_temporary, joined, reworded
from wm.text.letters import normalised
from wm.text.patterns import Lazy
from wm.text.scripts import is_cjk
from wm.text.stems import stem

MAX_TOKENS = 160

IN_NAME = "\x03"
_ELIDED = Lazy(r"^(?:[ldnsjmtc]|qu|jusqu|lorsqu)'|'(?:d|ll|ve|re|m)$")
_FULL_WIDTH = str.maketrans({char: f"{char} " for char in "，：；（）、"})
_TIGHT_COMMA = Lazy(r",(\p{Han}|\p{Hiragana}|\p{Katakana}|\p{Hangul})")
_COMMA = Lazy(r"[,:、](?:\s|$)|[()]|\s[-–—]+\s")
_USERS = frozenset(map(normalised, SAME.words("users")))
_FRAME_NOUNS = _USERS | frozenset(SAME.words("frame_nouns"))


def spaced(text: str) -> str:
    """Insert a space after full-width punctuation, and after a comma before a Chinese, Japanese or
    Korean letter, so that they separate clauses."""
    return _TIGHT_COMMA.sub(r", \1", text.translate(_FULL_WIDTH))


def with_commas(plain_text: str) -> str:
    """Replace the punctuation that separates clauses by a mark."""
    return _COMMA.sub(f" {COMMA} ", plain_text)


def without_elision(chunk: str, word: str) -> str:
    """The raw word of a chunk without an elided French article or English auxiliary."""
    match = _ELIDED.search(chunk) if "'" in chunk else None
    if match is None:
        return word
    return word[len(match.group()) - 1 :] if not match.start() else word[: match.start()]


def tokens(raw: Sequence[str], digest: Callable[[str], int]) -> tuple[int, ...]:
    """Convert one sentence of raw lower-case words into marks and digests. Words of a name begin
    with `IN_NAME`."""
    raw = joined([chunk.strip(".") for chunk in raw])
    table = _function_words(raw)
    found: list[int] = [fw.TEMPORARY] if is_temporary(raw) else []
    raw = reworded(raw, table)
    for at, word in enumerate(raw):
        if word.startswith(IN_NAME):
            found += [number(digest(p)) | VALUE for p in word[1:].split(".") if p]
            continue
        found += [fw.ALL] if word in fw.UNIVERSAL else []
        found += [_limit(raw, at, found)] if word in fw.ONLY_WORDS else []
        if word in fw.BOUNDS and _has_digit(raw[at + 1 : at + 3]):
            found.append(fw.BOUNDS[word])
            continue
        if word == COMMA:
            found.append(fw.SPLIT)
        elif not word.isascii() and any(map(is_cjk, word)):
            found += cjk_tokens(word, digest)
        elif word in table:
            if table[word] == fw.TURN and _is_denied_before(word, raw[:at]):
                continue
            found += _marks(table[word], raw, at, found)
        elif word:
            for part in word.split(".") if not word.replace(".", "").isdigit() else (word,):
                if part and not _frames(part, raw, at):
                    found.append(item(part, digest))
                elif part in _USERS:
                    found.append(fw.FRAME)
    if table is not _TABLES["de"]:
        # German is excluded: "nicht" may follow the word that it negates.
        found = _denied(found)
    return tuple(found[:MAX_TOKENS])


def _is_denied_before(word: str, before: Sequence[str]) -> bool:
    """Whether a negation only repeats one of its clause: "ne … pas", "no … nunca"."""
    before = before[len(before) - [COMMA, *before][::-1].index(COMMA) :]
    return ("ne" in before and word != "ne") or not {"no", "não", "non"}.isdisjoint(before)


def _denied(found: Sequence[int]) -> list[int]:
    """The tokens, with a flag on the next word after each negation, if it is not a common verb."""
    made, denies, verbs = [], False, 0
    for token in found:
        is_word = token >= FIRST_WORD
        made.append(token | DENIED if denies and is_word else token)
        verbs = 0 if token in (fw.SPLIT, fw.COORD) else verbs + (token == fw.VERB)
        # "use A not use B" denies B.
        passes = not is_word and (token != fw.VERB or verbs > 1)
        denies = token == fw.TURN or (denies and passes)
    return made


def _marks(mark: int, raw: Sequence[str], at: int, found: list[int]) -> list[int]:
    if mark == fw.TO and any(word.startswith(fw.PREFERRING) for word in raw[:at]):
        return [fw.THAN]
    if raw[at] == "que" and not fw.COMPARATIVES.isdisjoint(raw):
        return [fw.THAN]
    if mark == fw.NOTHING:
        # "vor dem Linter müssen die Tests …": the next noun is governed by no preposition.
        return [fw.NOTHING] if found and found[-1] >= fw.VERB else []
    if mark == fw.CONTRAST:
        # "I'd rather have A than B"
        is_verb = raw[at] == "rather" and "than" in raw[at + 2 :]
        # "findet … statt"
        is_last = raw[at + 1 : at + 2] in ([], [COMMA])
        return [fw.VERB] if is_verb else [] if is_last else [fw.SPLIT, fw.TURN]
    if mark == fw.UNTIL:
        # "from 9 until 17" is one range.
        return [fw.TO] if found and found[-1] & VALUE else [fw.SPLIT, fw.TEMPORARY, fw.TO]
    if raw[at] == "while" and fw.TURN in found:
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
    return any(char.isdigit() for word in raw for char in NUMBERS.get(word, word))


def _frames(word: str, raw: Sequence[str], at: int) -> bool:
    """Whether a word only introduces the statement: "the user wants", but not "the user table"."""
    if stem(word) not in FRAMING or word not in _FRAME_NOUNS:
        return stem(word) in FRAMING
    after = raw[at + 1] if at + 1 < len(raw) else ""
    return after == COMMA or after in fw.MODALS or stem(after) in FRAMING


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
