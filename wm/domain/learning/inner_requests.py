"""Find requests to remember inside a line, "fix it and remember that …", and at its end (EX-1).

A request counts behind a mark or a conjunction, and only with a link to the fact: "that", a colon.
So "remember the user's choice in a cookie" stays a task. At the end of a line it points back:
"…, keep that in mind". `opening_requests` finds those at the start of a line. The verbs and links
of sixteen languages are tables (`words.toml`). Pure and linear (EX-6).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import zip_longest

from wm.domain.learning.concepts import concepts_of, folded, language, phrases
from wm.domain.learning.function_words import LATIN
from wm.domain.learning.stated import lasting_score
from wm.text.letters import translated
from wm.text.patterns import Lazy, encoded, escaped
from wm.text.sentences import without_ordinals
from wm.text.word_grams import JOINED

_LATIN = (0xC0, 0x530)
_LATIN_EXTENDED = (0x1E00, 0x1F00)
_MORE = {ord("ı"): "i", ord("đ"): "d", ord("ł"): "l"}


def words_of(name: str) -> str:
    """The row of every language of a table."""
    return "|".join(filter(None, phrases(name).values()))


_PLEASE = words_of("please")
_AND = f"{_PLEASE}|{words_of('also')}"


class _Flat(dict[int, str]):
    """Translation table: a letter becomes its small letter without accents, one for one."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        low = char.lower()
        if _LATIN[0] <= code < _LATIN[1] or _LATIN_EXTENDED[0] <= code < _LATIN_EXTENDED[1]:
            low = unicodedata.normalize("NFD", char)[0].lower()
        low = _MORE.get(ord(low[0]), low)
        self[code] = low if len(low) == 1 else char
        return self[code]


_FLAT = _Flat()


_IS_LATIN = Lazy(
    "[" + "".join(f"\\x{{{a:x}}}-\\x{{{b - 1:x}}}" for a, b in (_LATIN, _LATIN_EXTENDED)) + "]"
)


def flattened(text: str) -> str:
    """Small letters without accents, one character for one."""
    if text.isascii() or not _IS_LATIN.is_match(text):
        return text.lower()
    return translated(text, _FLAT)


def _any_of(concept: str, lang: str) -> str:
    words = filter(None, phrases(concept).get(lang, "").split("|"))
    return "|".join(_word(word) for word in sorted(words, key=len, reverse=True)) or "\\z."


def _word(word: str) -> str:
    border = r"\b" if word[-1].isascii() and word[-1].isalnum() else ""
    return escaped(word).replace("\\'", r"['\x{2019}]\s?") + border


_BEFORE = r"[.!?;,(\x{2014}\x{2013}@-]\s*"
_AFTER_CJK = "[外请請並并또고]|あと"
"""Ends of words such as 另外 that come before a request; "Xと覚えて" asks to keep X."""


_INFINITIVE = ("en", "de", "es", "fr", "pt")
"""Languages in which a task may follow the comma: "Vergiss nicht, die Datei zu schließen"."""


def _pattern(lang: str) -> Lazy:
    verb, link, pointer = (
        _any_of(name, lang) for name in ("request_verb", "request_link", "request_pointer")
    )
    comma = "" if lang in _INFINITIVE else r"|,\s+"
    if lang in JOINED:
        direct = _any_of("request_direct", lang)
        return Lazy(
            rf"(?:^|[。！？，、；,;.!?\s：:]|{_AFTER_CJK})(?:顺便|順便|另外|同时|也)?"
            rf"((?:{verb})(?:{pointer})?\s*[:：,，。、.!！]|{direct})\s*([^\s].{{2,}})"
        )
    return Lazy(
        rf"(?:^|{_BEFORE}|\s)({verb})(?:\s+(?:{pointer})){{0,2}}"
        rf"(?:,?\s+(?:{link})\s*[:,]?\s*|\s*:\s*{comma})([^\s].{{4,}})"
    )


_FINITE = Lazy(
    rf"(?:^|{_BEFORE}|\s)(rem\w{{0,4}}ber|(?:keep|bear) in mind),?\s+"
    r"((?:(?:we|i|you|they|he|she|there)\b|(?:it|this)'s\b|"
    r"(?:the|our|my|all|every|each|both|no|any|it|th(?:is|at|[eo]se))\s(?:[^\s.,;:!?]+\s){0,6}?"
    rf"(?:{_any_of('request_finite', 'en')})).{{3,}})"
)
"""A request without "that", as most English writers have it, also misspelt: "remeber this is a
game". It needs a subject and its verb: "remember the choice in a cookie" is a task."""

_PATTERNS = (*(_pattern(lang) for lang in phrases("request_verb")), _FINITE)


def _in_any_language(concept: str) -> str:
    return "|".join(_any_of(concept, lang) for lang in phrases(concept))


_REMINDERS, _TAILS = map(_in_any_language, ("request_reminder", "request_tail"))


_ONLY = "only|just|nur|solo|so|seulement|uniquement|solamente|alleen"
_UNTIL = r"(?:until|till|bis|hasta|ate|fino a|tot|jusqu.(?:a|au|en)?)\s+(?:\S+\s+){0,2}\S+"
_SCOPE = (
    rf"(?:(?:{_ONLY})\s+)?(?:{_UNTIL}|nest[ea]\s+\S+|(?:for|on|in|across|fur|auf|pour|sur|dans|para|pra|"
    r"en|em|per|su|voor|op)\s+(?:(?:this|the|our|my|all|every|whole|entire|dies(?:e[nmrs]?)?|das|alle|"
    r"unsere?[nm]?|meine?[nm]?|ce|cet|cette|tou(?:s|t|te|tes)|les|nos|mes|est[ae]|tod[ao]s?|mis|nuestr[ao]s?|"
    rf"quest[ao]|tutti|i|deze|dit|dezen)\s+){{1,3}}[^\s,;:]+(?:\s+\S+)?)(?:\s+(?:{_ONLY}))?"
)
"""Where or how long something holds, with no fact: "for this branch only", "until friday"."""
_ONLY_SCOPE = Lazy(rf"^(?:{_SCOPE}|for next time|from now on)$")
_THIS_BRANCH = Lazy(
    r"(\b(?:on|in|for|auf|fur|en|dans|sur|pour|para|su|per|op|voor|na|w|dla|pa|i)\s)?"
    r"\b(?:this|dies(?:e[nmrs]?)?|cette|est[ae]|nest[ea]|ness[ea]|quest[ao]|deze|te[nj]|tym|bu|"
    r"den har)\s+(?:git[ -])?(?:branch\w*|zweig|rama|ramo|galez\w*|dal\w*|grenen)\b|"
    r"эт(?:а|ои|у) ветк\pL?|这个?分支|這個?分支|このブランチ|이 브랜치"
)
_OF = Lazy(r"^\s(?:of|des|der|vom|von|del?|du|d'|d[ao]s?|di|van|av)\b|^[的の의]")
_LIMITS = Lazy(rf"\b(?:{_ONLY})\b|^{_UNTIL}|\bbranch")


def says_only_where(text: str) -> bool:
    """Whether a text only says where or how long the fact before it holds: "in this repo"."""
    return _ONLY_SCOPE.is_match(flattened(text).strip(" \t.,:;!"))


def names_this_branch(text: str) -> bool:
    """Whether a fact is about the branch that is checked out: not "this branch of the parser", nor
    "this branch office"."""
    flat = flattened(text)
    return any(
        not _OF.is_match(rest := flat[found.end() :])
        and (bool(found[1]) or _says_of_it(rest.split(None, 1), language(folded(text))))
        for found in _THIS_BRANCH.finditer(flat)
    )


def _says_of_it(rest: list[str], lang: str) -> bool:
    """Whether the words behind a noun go on with the sentence, and are not a part of a name."""
    if not rest or lang in JOINED or not rest[0].isalpha() or rest[0] in LATIN:
        return True
    found = concepts_of(folded(" ".join(rest)), lang).first
    return not found.isdisjoint(("state", "present", "copula", "must", "ban"))


def _tail_pattern(tails: str) -> Lazy:
    """A request at the end of a line: a mark or "and", a phrase that points back, small words or
    where it holds."""
    small = "for later|for next time|from now on|for the future|decision|rule|fact|convention|ok|ja"
    small = f"{small}|{_PLEASE}"
    return Lazy(
        rf"(?:[.;,!،。，；！।、(\x{{2014}}\x{{2013}}-]\s*|\s)(?:(?:{_AND})[,:]?\s+)*"
        rf"(?:(?:{_PLEASE}),?\s+|请|請|你要)?(?:{tails})(?:\s+(?:{small}|({_SCOPE})))?"
        r"[\s.!。！।)*_]*$"
    )


_TAIL = _tail_pattern(f"{_TAILS}|{_REMINDERS}")
_REMINDER = _tail_pattern(_REMINDERS)
_MOST_IN_LINE = 16
"""Requests that are looked for in one line; each costs time in proportion to its length."""
_NEGATED = Lazy(
    r"(?:\b(?:not|n't|never|nicht|nie|ne|pas|no|nunca|nao|non|niet|nooit|khong|dung)|لا|मत|"
    r"不要|不用|别|別)\s*(?:need to |have to )?$"
)
_DIRECT = Lazy(rf"(?:^|{_BEFORE}|(?:^|[\s,.;(])(?:{_AND})[,:]?\s+)$")
"""What may precede the verb: "I remember that" is not a request."""


def _hint() -> Lazy:
    """A verb with what may precede it, or a request that points back."""
    joined = [_any_of(name, lang) for name in ("request_verb", "request_direct") for lang in JOINED]
    verbs = "|".join(
        _any_of("request_verb", lang) for lang in phrases("request_verb") if lang not in JOINED
    )
    before = rf"(?:^|{_BEFORE}|[\s,.;(](?:{_AND})[,:]?\s+|^(?:{_AND})[,:]?\s+)"
    others = f"{'|'.join(joined)}|{_TAILS}|{_REMINDERS}"
    return Lazy(rf"{before}(?:{verbs}|rem\w{{0,4}}ber\b)|{others}", multi_line=True)


_HINT = _hint()

_STOP = Lazy(
    r"[.!?…]+(?:\s+|$)|[。！？।]|\)\s*$|\.{2,}|"
    r"\s+(?:and|und|et|y|e|en) (?:now|jetzt|maintenant|ahora|agora|ora|nu)\b"
)
_SENTENCE_ENDS = Lazy(r"[.!?…]+\s+|[。！？।]\s*|;\s+")
_MARKED = Lazy(
    rf"^(?:[^\s]|\s+(?:and|und|et|y|e|en|и|ve|और)\s|\s+i\s+(?:{_any_of('request_tail', 'pl')}))"
)
"""A request at the end follows a mark or "and", so that "where I save this" is none."""

_POINTERS = tuple(p for lang in JOINED for p in phrases("request_pointer")[lang].split("|"))
"""A Chinese request may go on with one of these: the next lines say what to keep."""

_AND_AT_END = Lazy(rf"[\s,;]+(?:{_AND})\s*$")
_ENGLISH = frozenset(phrases("request_verb")["en"].split("|")) | {"remeber", "rember", "rememeber"}
_DIRECTLY = frozenset(phrases("request_direct")["zh"].split("|"))
_ASKS = Lazy(r"[?？؟]\s*$")


def asking_lines(text: str) -> frozenset[int]:
    """The numbers of the lines that may hold such a request, and some others. Cheap."""
    return frozenset(_HINT.line_numbers(encoded(flattened(text))))


def fact_before(line: str) -> str:
    """The last sentence before a request at the end of a typed line, or ""."""
    return last_sentence(without_tail(line))


def without_tail(line: str) -> str:
    """The text before a request at the end of a typed line, or ""."""
    flat = flattened(line)
    found = _TAIL.search(flat)
    if found is None or not _MARKED.is_match(found.group()) or _negates(flat[: found.start()]):
        return ""
    text = line[: found.start() + (flat[found.start()] in ".!。！।")].strip()
    scope = line[found.start(1) : found.end(1)] if found[1] else ""
    # A limit is part of the fact: "read-only, remember that until friday".
    return f"{text} ({scope})" if text and _LIMITS.search(flattened(scope)) else text


def last_sentence(text: str) -> str:
    """The last sentence of a text, without words that only introduce it; "" if at most two
    characters are left, such as あと."""
    fact = _without_frame(text.strip().removeprefix(without_last_sentence(text)))
    return fact if len(fact) > 2 else ""


def without_last_sentence(text: str) -> str:
    """The text up to the beginning of its last sentence."""
    text = text.strip()
    starts = [stop.end() for stop in _SENTENCE_ENDS.finditer(text) if stop.end() < len(text)]
    return text[: starts[-1] if starts else 0]


def facts_in(line: str) -> Iterator[str]:
    """What a typed line asks to keep, in order. A request inside another's text ends it."""
    for found, after in zip_longest(pairs := tuple(_requests_in(line)), pairs[1:]):
        _, begin, end = found
        text = _without_end(line[begin : after[0]]) if after and after[0] < end else line[begin:end]
        text = _without_frame(text)
        is_fact = len(text) >= 4 and not (_ASKS.search(text) or is_polite(text))
        is_fact = is_fact and not says_only_where(text)
        if is_fact and not text.startswith(_POINTERS):
            yield text


_FRAMES = tuple((pair[0], pair[1]) for pair in ("()", "[]", "“”", "„“", "«»", '""', "''"))
_DASHES = Lazy(r"^[-–—]+\s+|\s+[-–—]+$")


def _without_frame(text: str) -> str:
    """The text without quotation marks or brackets around all of it, and without one at an end
    whose counterpart is missing; those around a part stay: "use foo[0]"."""
    text = _DASHES.sub("", text.strip(" \t*_")).strip(" \t*_")
    for opening, closing in _FRAMES:
        begins, ends = text.startswith(opening), text.endswith(closing)
        more = text.count(closing) - text.count(opening)
        odd = closing == '"' and text.count(closing) % 2 == 1  # "'" may be an apostrophe
        if begins and ends and len(text) > 1 and closing not in text[1:-1]:
            text = text[1:-1].strip()
        elif ends and (more > 0 or odd):
            text = text[:-1].strip()
        elif begins and (more < 0 or odd):
            text = text[1:].strip()
    return text


def is_polite(text: str) -> bool:
    """Whether a text only says please: "the port is 5433, remember that please" asks once."""
    return _POLITE.match(flattened(text).strip(" .,;:!-")) is not None


_POLITE = Lazy(rf"^(?:(?:{_PLEASE})[ ,.!]*)+$")


def asks_for_the_same(text: str) -> bool:
    """Whether a text only points at what was said before: "always like this", 今後も同じです."""
    return _SAME.match(" ".join(_PUNCTUATION.sub(" ", flattened(text)).split())) is not None


_SAME = Lazy(rf"^(?:(?:{_in_any_language('request_same')})\s*)+$")
_PUNCTUATION = Lazy(r"[\pP\pS]")


def alone(text: str) -> str:
    """The text without a further request in it or at its end: "A, and remember that B" and "A,
    remember that" are A."""
    text = _without_frame(without_tail(text)) or text
    begin = next((at for at, _, _ in _requests_in(text) if at), len(text))
    return _without_end(text[:begin]) if begin < len(text) else text


def _without_end(text: str) -> str:
    return _AND_AT_END.sub("", text).rstrip(" ,;:.(-")


def _requests_in(line: str) -> Iterator[tuple[int, int, int]]:
    """Where each request inside a typed line begins, and where what it asks to keep begins and
    ends."""
    flat, at = without_ordinals(flattened(line)), 0
    patterns = _PATTERNS
    for _ in range(_MOST_IN_LINE):
        matches = {p: match for p in patterns if (match := p.search(flat[at:])) is not None}
        patterns = tuple(matches)  # what matches nothing here matches nothing later in the line
        found = min(matches.values(), key=lambda m: m.start(1), default=None)
        if found is None:
            return
        verb, begin = at + found.start(1), at + found.start(2)
        stop = _STOP.search(flat[begin:])
        end = begin + stop.start() if stop is not None else len(line)
        if line[end : end + 1] == ")" and "(" in line[begin:end]:
            end += 1
        head = flat[:verb]
        # "Do you remember that …?" asks; "can you fix it and remember that …?" is a request.
        asked = stop is not None and "?" in stop.group() and _AND_AT_END.search(head) is None
        # "I remember that …"; in other languages "i" means "and"
        states = found[1] in _ENGLISH and head.rstrip()[-2:].strip(" .,;") == "i"
        apart = _DIRECT.search(head[-24:]) is not None or flat[verb] > "\u2e80"
        # A text to show: 加上提示：记住你可以撤销
        states = states or (head[-1:] in ":：" and head != "" and found[1] in _DIRECTLY)
        if apart and not (asked or states or _negates(head)):
            yield verb, begin, end
        at = begin


def _negates(head: str) -> bool:
    return _NEGATED.search(head[-20:]) is not None


def is_reminder(rest: str) -> bool:
    """Whether a fact is followed by "don't forget", at the end of its line."""
    return _REMINDER.is_match(flattened(rest.partition("\n")[0]))


def is_retracted(fact: str, rest: str) -> bool:
    """Whether the user takes the fact back, in its own later text or in the first words after."""
    stop = _STOP.search(fact)
    line, _, more = rest[:80].partition("\n")
    asked = _TAIL.search(flattened(line))  # "don't forget it" has the verb of "forget it"
    line = line if asked is None else line[: asked.start()]
    after = f"{fact[stop.end() :] if stop is not None else ''} {line} {more}"
    plain = folded(after)
    return (
        bool(plain)
        and "retract" in concepts_of(plain, language(folded(fact + " " + after))).anywhere
    )


OPENING_CHARS, NAMING_CHARS = 40, 4
"""How early a message takes something back, and the shortest word that names what [chars]."""
_STAYS = Lazy(
    "|".join(
        rf"\b(?:{_any_of('stays', lang)})" if row.isascii() else _any_of("stays", lang)
        for lang, row in phrases("stays").items()
    )
)
"""Words that say that something stays as it was."""


LEAST_STAYING = -2.5
"""Least `lasting_score` of what stays, with or without the word that says so: of 22 such texts in
14 languages all have more, of 22 as "the linter still crashes" and "keep going" 6."""


def takes_back(message: str, text: str) -> bool:
    """Whether a message takes back a text of the message before: it says so first, and that
    something which the text names stays: "scratch that, the port is still 25". That must read like
    a fact or a rule: "forget it, the tests still fail" reports a fault."""
    said = folded(message)
    named = any(len(word) >= NAMING_CHARS for word in {*folded(text).split()} & {*said.split()})
    if not named or not _STAYS.is_match(flattened(message)):
        return False
    if not is_retracted("", message[:OPENING_CHARS]):
        return False
    starts = [end for _, end in _OPENING.spans(message[:OPENING_CHARS])] or [0]
    rests = [message[start:] for start in starts]
    rests += [" ".join(_STAYS.sub(" ", flattened(rest)).split()) for rest in rests]
    return max(map(lasting_score, rests)) >= LEAST_STAYING


_OPENING = Lazy(r"[,.;:!]\s+|[，、。]\s*")
