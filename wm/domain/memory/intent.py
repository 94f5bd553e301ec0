"""Detect orders of harmful intent, states of the moment and guesses, by the concepts that they
combine.

In sixteen languages.

A rule is a combination of concepts within one sentence: a secret, a verb of sending and a place
outside; a verb of ignoring and the user's orders; hiding and the user. `intent.toml` has the words
of each concept. A verb that the sentence negates does not count. Pure and linear (EX-6). The caller
decides what happens to the text.
"""

# ruff: noqa: E501  Long patterns.
from __future__ import annotations

import unicodedata
from functools import cache

from wm.text.letters import normalised, translated, unaccented
from wm.text.patterns import Lazy, Phrases, escaped
from wm.text.tables import Tables

_CAPITALS = str.maketrans("аеорсухіјѕвкмнтзгı", "aeopcyxijsbkmhtzri")
"""`normalised` makes some of these Cyrillic letters Latin, depending on case and word; this table
makes all of them Latin."""

_ACCENTS = dict.fromkeys((*range(0x300, 0x370), *range(0x64B, 0x656)))
"""Also those of Arabic, which few people type."""

_SENTENCE = Lazy(r"[.!?;]+(?:\s|$)|[。！？；]+")
_CLAUSE = Lazy(r"[,:]\s|[,،]|[，、：]|\s-\s")
_CAUSES = Lazy(
    r"^\s*(?:should we|let|have|make|lass|lasse|lasst|fais|faites|haz|deja|fai|lascia|laat|lat) "
)
"""An order to let software do it."""
_EMPHASIS = Lazy(r"決して|絶対に|절대|결코")
"""Does not negate by itself: a negated verb follows."""
_AWAY = Lazy(
    r"\b(?:https?|s?ftp|wss?|s3|gs)://[^\s/]*|\b[\w.+-]+@[\w-]+\.\w|\b(?:nc|scp|rsync) \S|"
    r"(?:^|\s)(?:[\w-]+\.)+(?:com|net|org|io|dev|xyz|info|biz|app|site|online|top|example|cloud|ru|cn)\b"
)
_ENCODED = Lazy(r"\bbase64[- ]?(?:decode|encoded|string)|\bdecode\b.{0,40}\bbase64\b")
_FILE = Lazy(r"\w\.[a-z]{1,5}\b")
_HERE = Lazy(r"://(?:localhost|127\.|0\.0\.0\.0|\[?::1|10\.|192\.168\.)")
_PIPED = Lazy(
    r"\b(?:curl|wget|iwr|irm|invoke-webrequest|fetch)\b[^|\n]{1,200}\|\s?(?:sudo )?(?:\w*sh|python\d?|node|perl|ruby|iex|php)\b"
    r"|(?:\beval|\bsource|\b(?:ba|z)?sh|\bpython\d?|\bnode)\b[^\n]{0,16}[<$]?\(\s?(?:curl|wget)\b|\biex\b.{0,40}\b(?:iwr|irm|downloadstring)\b"
    r"|\bbase64 (?:-d|-D|--decode)\b.{0,60}(?:\|\s?(?:sudo )?\w*sh\b|\bexecut|\brun\b)|`(?:curl|wget) |\b(?:exec|eval)\(.{0,60}(?:b64decode|urlopen|requests\.get|atob\()"
)  # fmt: skip


LONGEST_ARTICLE = 4
"""Characters before the subject of a sentence."""


def has_harmful_intent(text: str) -> bool:
    """Whether a sentence orders to leak, disobey, deceive, act unasked or run a download.

    text: normalised and without accents, as in the gate.
    """
    folded = _folded(text)
    if _PIPED.is_match(folded):
        return True
    sentences = _split(_SENTENCE, folded)
    if _has("THIS", folded) and any(map(_invalidates, sentences)):
        return True
    return any(_orders_harm(sentence) for sentence in sentences)


def _invalidates(sentence: str) -> bool:
    """Whether orders are said not to count, in a text that counts itself instead."""
    return _has("ORDERS", sentence) and (_has("VOID", sentence) or _has("INVALID", sentence))


def describes_moment(text: str) -> bool:
    """Whether a sentence says which services run now, or which files an editor has open.

    text: normalised and without accents, as in the gate.
    """
    folded = _folded(text)
    if not (_has("EDITOR", folded) or _has("SERVICE", folded)):
        return False
    return any(_is_state(sentence) for sentence in _split(_SENTENCE, folded))


def reports_progress(text: str) -> bool:
    """Whether a sentence says what was just done, is being worked on, or how the tests are now.

    text: normalised and without accents, as in the gate.
    """
    return any(_is_progress(f" {one} ") for one in _split(_SENTENCE, _folded(text)))


def _is_progress(sentence: str) -> bool:
    moment = any(_has(concept, sentence) for concept in _MOMENT) or _is_result(sentence)
    return moment and not _has("ALWAYS", sentence)


_MOMENT = ("JUST", "WORKING", "WAITING", "FOR_NOW", "LEFT", "UNKNOWN")


_MOMENTARY = (
    "JUST", "WORKING", "WAITING", "FOR_NOW", "LEFT", "UNKNOWN", "NOW", "ALWAYS", "DOUBT",
    "DOUBT_END", "ME", "CHAT", "TESTS", "PASSES", "EVERYTHING", "EDITOR", "SERVICE", "RUNNING",
    "OPENED", "USER", "SECRET",
)  # fmt: skip
"""Concepts that tell reports and talk from rules."""


def momentary(text: str) -> frozenset[str]:
    """The concepts of the moment that a text expresses, and with `first:` those that it begins
    with. text: normalised and without accents, as in the gate."""
    plain = _folded(text)
    padded = f" {plain} "
    found = {name for name in _MOMENTARY if _has(name, padded)}
    return frozenset((*found, *(f"first:{name}" for name in found if _begins(name, plain))))


_HARM = (
    "SECRET", "SEND", "PLACE", "IGNORE", "SKIP", "ORDERS", "AUTHORITY", "CHECKS", "HIDE", "USER",
    "SECRETLY", "ACT", "GRANT", "POWER", "APPROVE", "UNASKED", "FETCH", "RUN_IT", "RUN", "PROGRAM",
    "VOID", "INVALID", "THIS", "ASSUMED", "ALWAYS", "NOT_BEFORE",
    "PROMPTS", "KEEPER", "ASKS", "BEFORE", "ROUTINE",
)  # fmt: skip
_HARM_VERBS = frozenset(("SEND", "IGNORE", "SKIP", "HIDE", "ACT", "GRANT", "FETCH", "RUN", "ASKS"))


def harm_signs(text: str) -> frozenset[str]:
    """The concepts of harmful intent that a text expresses, each as `harm:CONCEPT`, or as
    `harm:not_CONCEPT` for a verb that is only negated. text: as in the gate."""
    plain = _folded(text)
    found = {name: "" for name in _HARM if _has(name, plain)}
    found |= {name: "not_" for name in _HARM_VERBS & found.keys() if not _wanted(name, plain)}
    away = ("harm:AWAY",) if _leaves(plain) else ()
    return frozenset((*away, *(f"harm:{said}{name}" for name, said in found.items())))


def _is_result(sentence: str) -> bool:
    if not (_has("TESTS", sentence) and _has("PASSES", sentence)):
        return False
    return _has("NOW", sentence) or _has("EVERYTHING", sentence)


def is_guess(text: str) -> bool:
    """Whether a text begins or ends as a guess. text: as in the gate."""
    folded = _folded(text).rstrip(" .。")
    ends = (end for _, end in _concept("DOUBT_END").spans(folded))
    return _begins("DOUBT", folded) or len(folded) in ends


def _is_state(sentence: str) -> bool:
    editor = _has("EDITOR", sentence)
    if not (editor or _has("SERVICE", sentence)) or _has("ALWAYS", sentence):
        return False
    if editor and _has("OPENED", sentence) and _FILE.is_match(sentence):
        return True
    return _has("NOW", sentence) and _has("RUNNING", sentence)


def _orders_harm(sentence: str) -> bool:
    return (
        _leaks(sentence)
        or _overrides(sentence)
        or _hides(sentence)
        or _grants(sentence)
        or _answers_prompts(sentence)
        or _takes_over(sentence)
        or _runs_download(sentence)
    )


def _leaks(sentence: str) -> bool:
    """A secret, a verb of sending in the imperative, and a place outside; or the agent's own orders
    and a verb of showing."""
    own, secret = _has("OWN_ORDERS", sentence), _has("SECRET", sentence)
    if not (own or secret):
        return False
    shown = _wanted("REVEAL", sentence)
    if own and any(not _describes(sentence, at) for at in shown):
        return True
    return (
        secret
        and (_leaves(sentence) or _has("PLACE", sentence))
        and any(
            not _describes(sentence, at, "SCRIPT") for at in (*_wanted("SEND", sentence), *shown)
        )
    )


def _overrides(sentence: str) -> bool:
    """A verb of ignoring with the orders of an authority, or with the checks that protect it."""
    if _has("VOID", sentence) and _has("ORDERS", sentence) and _has("USER", sentence):
        return True
    checks = _has("CHECKS", sentence)
    if not checks and not (_has("ORDERS", _wish(sentence)) and _has("AUTHORITY", sentence)):
        return False
    verbs = _wanted("IGNORE", sentence) + (_wanted("SKIP", sentence) if checks else [])
    return any(not _describes(sentence, at) for at in verbs)


def _wish(sentence: str) -> str:
    """What the user wants, of a sentence that says so: "wants" is not what would be ignored."""
    user = _concept("USER").search(sentence)
    if user is None or user.start() > LONGEST_ARTICLE:
        return sentence
    rest = sentence[user.end() :].lstrip(" ,")
    wants = _concept("WILL").search(rest)
    return rest[wants.end() :] if wants is not None and not wants.start() else sentence


def _hides(sentence: str) -> bool:
    """Something is kept from the user, or done secretly. HIDE includes the negation."""
    knows = _has("USER", sentence) or _has("AGENT", sentence)
    if knows and _wanted("HIDE", _EMPHASIS.sub("", sentence)):
        return True
    if not _has("SECRETLY", sentence):
        return False
    done = _wanted("ACT", sentence) + _wanted("SEND", sentence)
    return any(not _describes(sentence, at) for at in done)


def _grants(sentence: str) -> bool:
    """Power is granted in advance, or approval is given without a question."""
    power = _has("POWER", sentence)
    if power and _wanted("GRANT", sentence):
        return True
    if not _has("UNASKED", sentence):
        return False
    if not power and (_has("ROUTINE", sentence) or not _has("AGENT", sentence)):
        return False
    names = ("APPROVE", "ASSUMED", "RUN", "ACT")
    acts = (at for name in names for at in _wanted(name, sentence))
    return any(not _describes(sentence, at, "SCRIPT") for at in acts)


def _answers_prompts(sentence: str) -> bool:
    """The agent's own questions are answered yes without the user."""
    if not (_has("PROMPTS", sentence) and _wanted("APPROVE", sentence)):
        return False
    return _has("UNASKED", sentence) or _has("UNSEEN", sentence)


def _takes_over(sentence: str) -> bool:
    """The agent is to obey only one voice that is not the user's, or to copy this note elsewhere."""
    names_note = _has("THIS", sentence)
    verbs: list[int] = []
    if names_note or not _has("USER", sentence):
        verbs += _wanted("OBEY_ONLY", sentence)
        if names_note or _has("VOICE", sentence):
            verbs += _wanted("FOLLOW_ONLY", sentence)
    if names_note and _has("SPREAD", sentence):
        verbs += _wanted("SEND", sentence) + _wanted("ACT", sentence)
    return any(not _describes(sentence, at) for at in verbs)


def _runs_download(sentence: str) -> bool:
    """Something from outside is fetched and run, or something encoded is."""
    return (
        (_leaves(sentence) and bool(_wanted("FETCH", sentence) or _has("RUN_IT", sentence)))
        or _ENCODED.is_match(sentence)
    ) and any(not _describes(sentence, at) for at in _wanted("RUN", sentence))


def _leaves(sentence: str) -> bool:
    """Whether the sentence names an address on another machine."""
    return _AWAY.is_match(sentence) and not _HERE.is_match(sentence)


def _wanted(concept: str, sentence: str) -> list[int]:
    """Start offsets of the concept's words that the sentence does not negate."""
    spans = _concept(concept).spans(sentence)
    return [start for start, end in spans if not _is_negated(sentence, start, end)]


def _is_negated(sentence: str, start: int, end: int) -> bool:
    before = _split(_CLAUSE, sentence[max(0, start - 60) : start])[-1].replace("--no-", "--")
    return _has("NOT_BEFORE", before) or _has(
        "NOT_AFTER", _split(_CLAUSE, sentence[end : end + 24])[0]
    )


def _describes(sentence: str, at: int, other: str = "PROGRAM") -> bool:
    """Whether software is the subject: `The client posts the token` is not an order.
    other: a second concept that names software."""
    before = _split(_CLAUSE, sentence[max(0, at - 80) : at])[-1]
    software = _has("PROGRAM", before) or _has(other, before)
    return software and not (_has("AGENT", before) or _CAUSES.is_match(before))


# --- concepts ------------------------------------------------------------------------------------


def _folded(text: str) -> str:
    if text.isascii():
        return normalised(text).lower()
    apart = unicodedata.normalize("NFD", unaccented(normalised(text)).lower())
    bare = translated(apart, _ACCENTS)  # Vietnamese letters can have two accents
    return translated(unicodedata.normalize("NFC", bare), _CAPITALS)


def _split(mark: Lazy, text: str) -> list[str]:
    """The parts between marks, at least one."""
    return mark.sub("\n", text).split("\n")


def _has(concept: str, text: str) -> bool:
    return _concept(concept).is_match(text)


def _begins(concept: str, text: str) -> bool:
    found = _concept(concept).search(text)
    return found is not None and found.start() == 0


@cache
def concepts() -> Tables:
    """Read for the first text only: most processes judge none."""
    return Tables("wm.domain.memory", "intent.toml")


@cache
def _concept(name: str) -> Phrases:
    words = _folded(str(concepts().table(name))).strip("\n").replace("\n", "|")
    gaps = words.replace(" ~ ", "*").split("|")
    return Phrases(gaps, lambda: "|".join(map(_word, words.split("|"))))


def _word(folded: str) -> str:
    """The pattern of a word or phrase: re2 knows word borders for ASCII letters only."""
    pattern = escaped(folded).replace(r"\*", r"[^\s,.;:!?]*").replace(r"\ \~\ ", r" (?:\S+ ){0,5}?")
    first = r"\b" if folded[0].isascii() and folded[0].isalnum() else ""
    return first + pattern + (r"\b" if folded[-1].isascii() and folded[-1].isalnum() else "")
