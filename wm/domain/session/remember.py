"""Find what the user asked to remember, or to forget, in a message (EX-1).

Only a request at the start of a line that the user wrote counts. Negations and deferrals win;
questions, fences, quotes, pasted logs and code are nobody's request. Whether a text is worth
keeping is the gate's business (EX-3). Pure and linear (EX-6).
"""

# ruff: noqa: E501  Rows of words in eight languages.
from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from wm.domain.patterns import Lazy, Pattern, encoded
from wm.domain.session.infer import infer_type
from wm.domain.session.trigger_words import (
    ASKS,
    DEFERRALS,
    FORGETS,
    LEADS,
    NEGATIONS,
    TAIL_ASKS,
    Rows,
)
from wm.domain.session.typed import Line, line_numbers, typed_lines
from wm.domain.text import (
    Words,
    canonical,
    one_of,
    translated,
    unaccented,
    with_gaps_of,
    without_invisible,
)
from wm.settings import GateSettings

TOO_MANY = "too_many_requests"
"""The code of the line at which a message had enough of them; nothing behind it is read."""

MAX_BELOW = 200
"""Lines below a request that are looked at for what it asks to keep."""

TRIGGER_CHARS = 300
"""Of a line, so much is searched for a trigger at its start."""


class Request(NamedTuple):
    """The user asked to keep `text`. type: one of the four, None where nothing tells it."""

    text: str
    type: str | None
    lang: str
    trigger: str


class Ignored(NamedTuple):
    """A line that looks like a request and is none, with the reason's code."""

    line: str
    code: str


class Requests(NamedTuple):
    found: tuple[Request, ...]
    ignored: tuple[Ignored, ...]


def _compiled(rows: Rows, start: str = r"^(?:%s)") -> tuple[tuple[str, Lazy], ...]:
    return tuple((lang, Lazy(unaccented(start % text), ignore_case=True)) for lang, text in rows)


_ASKS = _compiled(ASKS)
_TAIL_ASKS = _compiled(TAIL_ASKS)
_NEGATIONS = _compiled(NEGATIONS)
_FORGETS = _compiled(FORGETS)
_DEFERRALS = {lang: Lazy(unaccented(text), ignore_case=True) for lang, text in DEFERRALS}
_LEAD = Words(rf"^(?:\s+|>+\s?|[-*+•]\s+|\d{{1,3}}[.)]\s+|[*_]{{1,2}}|{LEADS})")
_ANY_START = Words("^(?:" + "|".join(text for _, text in ASKS + NEGATIONS) + ")")
"""Every row that is anchored at the start, in one."""

_ANY_LEADS = rf"^(?:[\pZ\t\r\f\v]+|>+\s?|[-*+•]\s+|\d{{1,3}}[.)]\s+|[*_]{{1,2}}|{LEADS})*"
"""Leads of any number: counting them would make the expression too large to run fast."""
_ANY_LINE = Words(
    f"{_ANY_LEADS}(?:{'|'.join(text for _, text in ASKS + NEGATIONS)})", multi_line=True
)
"""The same at the start of any line of a message."""
_ANY_FORGET = Words(f"{_ANY_LEADS}(?:{'|'.join(text for _, text in FORGETS)})", multi_line=True)
"""A line that could ask to forget something."""

_ANY_TAIL = Words(
    r"覚え|憶え|記憶し|メモし|忘れないで|기억해|잊지|메모해|명심해|[，,。;；]\s*(?:请|請|帮我|幫我|你)?(?:记|記)|"
    r"[.;!]\s+(?:\w+,? ){0,2}(?:remember|memori|note|save|keep|merke?|recu|no lo|retiens|souviens|mémorise|lembr|"
    r"guarde|não esq|anote) ?"
)


_FORGET_HINT = Words(
    r"forget|remember|keep|memory|vergiss|vergess|olvid|oubli|esque[cç]|忘|잊",
)


@lru_cache(maxsize=2)
def find_requests(message: str, settings: GateSettings) -> Requests:
    """Every explicit request of a user's message, in order, without duplicates.

    Remembered for the last messages: what to lock and what to do are asked one after the other.
    """
    found: list[Request] = []
    ignored: list[Ignored] = []
    seen: set[str] = set()
    asked = _looked_at(message, settings)
    if not asked.whole:
        ignored.append(Ignored("", "message_too_long"))
    lines: list[Line] = []
    read = typed_lines(asked.text)
    for at in _asking(asked):
        lines.extend(islice(read, max(0, at + MAX_BELOW - len(lines))))
        for result in _read(lines, at, settings):
            if len(found) + len(ignored) >= settings.max_requests:
                return Requests(tuple(found), (*ignored, Ignored(_shown(lines[at]), TOO_MANY)))
            if isinstance(result, Ignored):
                ignored.append(result)
            elif canonical(result.text) in seen:
                ignored.append(Ignored(_shown(lines[at]), "duplicate_in_message"))
            else:
                seen.add(canonical(result.text))
                found.append(result)
    return Requests(tuple(found), tuple(ignored))


class _Message(NamedTuple):
    """A message as it is searched, whether that is all of it, and `_plain` as re2 sees it, in
    which lines have the same numbers."""

    text: str
    whole: bool
    plain: bytes


@lru_cache(maxsize=2)
def _looked_at(message: str, settings: GateSettings) -> _Message:
    text, whole = _clean(message, settings)
    return _Message(text, whole, encoded(_plain(text) + "\n"))


def _asking(message: _Message) -> Iterator[int]:
    """The numbers of the lines that could hold a request.

    Two looks at the whole message find them; lines one by one would cost as much as the rest.
    """
    found = {start for rows in (_ANY_LINE, _ANY_TAIL) for start in rows.line_starts(message.plain)}
    if not found:
        return iter(())
    lines = message.text.split("\n")
    return (number for number in line_numbers(message.plain, found) if _may_ask(lines[number]))


def _may_ask(line: str) -> bool:
    """Could this line hold a request or the refusal of one? Cheap; most cannot."""
    if not line or line.isspace():
        return False
    plain = _without_lead(line[: TRIGGER_CHARS * 2])[1]
    return _ANY_START.match(plain[:TRIGGER_CHARS] + " ") is not None or (
        len(line) <= TRIGGER_CHARS * 2 and _ANY_TAIL.search(plain) is not None
    )


def _shown(line: Line) -> str:
    return line.text.strip()[:TRIGGER_CHARS]


@lru_cache(maxsize=2)
def find_forgets(message: str, settings: GateSettings) -> tuple[str, ...]:
    """What the user asked to forget ("forget that …"), as said, one text per line."""
    asked = _looked_at(message, settings)
    if not _FORGET_HINT.found_in(asked.plain):
        return ()
    hints = set(_ANY_FORGET.line_starts(asked.plain))
    lines = asked.text.split("\n")
    read, reached = typed_lines(asked.text), 0
    texts: list[str] = []
    for number in line_numbers(asked.plain, hints):
        text = _forgotten(lines[number])
        if text is not None:
            # Whether the user typed it depends on all that stands above.
            *_, line = islice(read, number + 1 - reached)
            reached = number + 1
            texts += [] if line.origin else [text]
        if len(texts) >= settings.max_requests:
            break
    return tuple(filter(None, texts))


def _forgotten(line: str) -> str | None:
    """What the line asks to forget, None if it asks for nothing."""
    if len(line) > 2000:
        return None
    body, plain = _without_lead(line)
    matches = (pattern.match(plain) for _, pattern in _FORGETS)
    found = next((m for m in matches if m is not None and not _asks_back(body)), None)
    return None if found is None else _tidy(body[found.start(1) : found.end(1)])


def _clean(message: str, settings: GateSettings) -> tuple[str, bool]:
    """The message as it is searched, and whether that is all of it.

    Of blank lines in a row two are enough: they cost nothing and count as no lines.
    """
    message = with_gaps_of(3, message)
    whole = message.count("\n") < settings.max_message_lines
    if not whole:
        lines = message.split("\n", settings.max_message_lines)
        message = "\n".join(lines[:-1])
    return unicodedata.normalize("NFC", without_invisible(message)), whole


_PLAIN = {
    **{code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},
    ord("*"): " ", 0x2019: "'", 0x2018: "'", 0x02BC: "'", 0x00A0: " ", 0x202F: " ", 0x3000: " ",
}  # fmt: skip
"""One character for one, so that places in the plain line are places in the line."""
_READ_AS_PLAIN = one_of(_PLAIN)


def _plain(text: str) -> str:
    """The text as it is matched, one character for one."""
    return unaccented(translated(text, _PLAIN, _READ_AS_PLAIN))


def _without_lead(line: str) -> tuple[str, str]:
    """The line from its first word that matters, as written and as matched."""
    body = line.strip()
    plain = _plain(body)
    for _ in range(4):
        match = _LEAD.match(plain[:80])
        if match is None or match.end() == 0:
            break
        # A lead in front of nothing, or in the middle of a word, is the text itself.
        if match.end() >= len(plain) or _splits_word(plain, match.end()):
            break
        body, plain = body[match.end() :], plain[match.end() :]
    return body, plain


_GROWS = ("아", "또", "꼭", "あと", "では", "なお", "그리고", "y", "e", "et", "und")
"""Leads that begin longer words where nothing parts them from what follows."""


def _splits_word(text: str, at: int) -> bool:
    if text[:at] in _GROWS or text[at - 1 : at + 1] == "請求":
        return True
    return text[at - 1].isascii() and text[at - 1].isalnum() and text[at].isalnum()


def _read(lines: list[Line], at: int, settings: GateSettings) -> Iterator[Request | Ignored]:
    line = lines[at]
    body, plain = _without_lead(line.text)
    head = plain[:TRIGGER_CHARS]
    negated = any(pattern.match(head) is not None for _, pattern in _NEGATIONS)
    match, lang = (None, "") if negated else _trigger(plain, settings)
    if not negated and match is None:
        return
    if line.origin or len(line.text) > settings.max_line_chars:
        yield Ignored(_shown(line), line.origin or "line_too_long")
    elif negated:
        yield Ignored(_shown(line), "negated_request")
    elif match is not None:
        yield from _judge(match, lang, body, plain, lines, at)


def _trigger(plain: str, settings: GateSettings) -> tuple[Pattern | None, str]:
    """The first row that fits the start of the line; else one that fits its end."""
    for lang, pattern in _ASKS:
        # The space stands for the line's end: "Remember that", and the text below.
        match = pattern.match(plain[: settings.max_line_chars] + " ")
        if match is not None:
            return match, lang
    if len(plain) <= TRIGGER_CHARS * 2:
        for lang, pattern in _TAIL_ASKS:
            match = pattern.match(plain)
            if match is not None and not _POINTING.fullmatch(match.group(1).strip()):
                return match, lang
    return None, ""


_POINTING = Words(
    r"(?:これ|それ|あれ|この件|そのこと|이거|이것|이건|이걸|그거|그것|그건|这个|这|那个|this|that|it|das|dies|esto|"
    r"eso|ceci|cela|isto|isso)?(?:を|は|も|은|는|을|를|도)?"
    r"(?: ?(?:for (?:me|us|later|now|next time|the future)|please|now|bitte|por favor|stp))?[.。,、，:：?？!！\s]*"
)


def _judge(
    match: Pattern, lang: str, body: str, plain: str, lines: list[Line], at: int
) -> Iterator[Request | Ignored]:
    """One line whose trigger fits: a request, several, or why it is none."""
    whole = match.re.groups > 0
    start, end = match.span(1) if whole else (match.end(), len(body))
    text, trigger = body[start:end], plain[: match.end() if not whole else start].strip()
    code = _why_not(text, plain, lang)
    if code == "empty_request" or (not code and _heads_list(text)):
        below = list(_below(lines, at))
        if below:
            for item in below:
                yield Request(item, infer_type(item, lang, trigger), lang, trigger)
            return
    if code:
        yield Ignored(_shown(lines[at]), code)
        return
    text = _tidy(text)
    if _POLITE_QUESTION.match(plain) is not None:
        text = text.rstrip(" ?？")
    yield Request(text, infer_type(text, lang, trigger or plain[:40]), lang, trigger)


HEAD_CHARS = 80
"""A longer text in front of a list says something itself."""


def _heads_list(text: str) -> bool:
    """`follow these rules:` and the like: what is to be kept stands below."""
    bare = text.strip().strip("*_")
    return len(bare) <= HEAD_CHARS and bare.endswith((":", "："))


_ONE_OFF = Words(
    r"^(?:i (?:\w+ )?prefer|je préfère|prefiro|prefiero|ich bevorzuge) (?:not to|to not|that\b|this\b|it\b|option|the (?:first|second|third|last|latter|"
    r"former|other)|your|ça|cela|esto|eso|isso|isto|das\b|no hablar|não falar|ne pas)"
)
_POLITE_QUESTION = Words(
    r"^(?:(?:can|could|would|will) you |(?:kannst|könntest|würdest) du |¿?(?:puedes|podrías) |"
    r"(?:peux-tu|pourrais-tu|tu peux) |(?:você )?(?:pode|poderia) )"
)


_SPOKEN_OF = Words(
    r"^(?:is|was|are|were|means|sounds|appears|reads|looks)\b.{0,40}\b(?:a|an|the|wrong|odd|weird|missing|used|text|word|phrase|name)\b|"
    r"^(?:密码|密碼|我|登录|登入|账号|帳號|用户名)(?:的)?(?:选项|選項|功能|按钮|按鈕|复选框|勾选框)"
)
"""The words of the trigger are what the sentence is about."""


def _why_not(text: str, plain: str, lang: str) -> str:
    """The code of what keeps a triggered text from being a request, "" if nothing does."""
    bare = text.strip(" \t.,:;!?。、：；！？…-–—*_\"'`")
    deferral = _DEFERRALS.get(lang)
    whole = plain[:TRIGGER_CHARS] if lang in ("ja", "ko") else _plain(text).strip()
    if deferral is not None and deferral.search(whole[:TRIGGER_CHARS]) is not None:
        return "deferral"
    if not bare or _POINTING.fullmatch(bare):
        return "empty_request"
    if _ONE_OFF.match(plain) is not None or _SPOKEN_OF.match(_plain(bare)) is not None:
        return "one_off"
    if _POLITE_QUESTION.match(plain) is None and (
        _asks_back(text) or (":" not in plain[: -len(text)] and _ASKS_FIRST.match(text) is not None)
    ):
        return "question"
    return ""


_ASKS_FIRST = Lazy(r"^[^.!?:;。！？]{1,160}\? +\S")
"""A question and what follows it: `Remember the outage we had? It is back.`"""

_QUESTION_END = Lazy(
    r"[?？][\"'”’»)\]*_\s]*$|(?:吗|嗎|呢|ますか|ですか|でしょうか|ましたか|나요|습니까|을까|ㄹ까)[。.\s]*$"
)


def _asks_back(text: str) -> bool:
    return _QUESTION_END.search(text[-80:]) is not None


_NEXT_STEP = Words(
    r"^(?:now|next|then|and now|after that|can you|could you|please (?:fix|run|check|review|update|add|write|"
    r"continue|go on|look)|thanks|thank you|danke|gracias|merci|obrigad[oa]|jetzt|ahora|maintenant|agora)\b"
)


def _tidy(text: str) -> str:
    """The memory as it is kept: no quotes around it, no next step or question behind it."""
    text = text.strip().strip("*_").strip()
    for opening, closing in ('""', "''", "``", "“”", "「」", "„“", "«»"):
        inner = text.rstrip(".。")
        if inner[:1] == opening and inner[-1:] == closing and opening not in inner[1:-1]:
            text = inner[1:-1].strip()
    while True:
        cut = max(text.rfind(". "), text.rfind("! "), text.rfind("? "), text.rfind("。", 0, -1))
        last = text[cut + 1 :].strip()
        if cut < 6 or not (_asks_back(last) or _NEXT_STEP.match(last)):
            return text
        text = text[: cut + 1].strip()


_BULLET = Lazy(r"^\s{0,8}(?:(?:[-*+•]|\d{1,2}[.)])\s+|[・●▪◦]\s{0,2}|\d{1,2}[、．])")


def _below(lines: list[Line], at: int) -> Iterator[str]:
    """The text of "Remember this:" on the next line, or in the list that follows."""
    bulleted = None
    for line in lines[at + 1 : at + 13]:
        if line.origin or len(line.text) > 2000:
            return
        if not line.text.strip():
            if bulleted is None and line.number == lines[at].number + 1:
                continue
            return
        match = _BULLET.match(line.text)
        if bulleted is None:
            bulleted = match is not None
        if bulleted != (match is not None):
            return
        text = _tidy(line.text[match.end() :] if match is not None else line.text)
        if not text or _asks_back(text) or _NEXT_STEP.match(text):
            return
        yield text
        if not bulleted:
            return
