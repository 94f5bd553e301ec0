"""Find a request to remember at the start of a line, or at its end with its own verb (EX-1).

    bullets, "please" and other leads   skipped, `typed_lines.without_lead`
    a trigger of the configuration      `user_triggers`
    a negation                          an `Ignored` line; what follows may ask again
    a row of `trigger_words`            a request, a list of them, or the reason why it is none
    "That works. From now on …"         the sentence behind the first is read as a line

Pure and linear (EX-6). `requests` decides what else the message says of it.
"""

# ruff: noqa: E501  Rows of words in eight languages.
from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from wm.domain.learning import inner_requests, trigger_words
from wm.domain.learning.concepts import HEAD_CHARS, bans_what_follows, concepts_of, folded, language
from wm.domain.learning.entry_type import infer_type
from wm.domain.learning.stated import lasting_score
from wm.domain.learning.typed_lines import (
    ABBREVIATED,
    ANY_LEADS,
    MOST_SENTENCES,
    SENTENCE_END,
    MessageLine,
    MessageText,
    asks_back,
    is_in_quotation,
    plain_of,
    without_lead,
)
from wm.domain.learning.user_triggers import user_triggers
from wm.secrets.redact import PRIVATE_LABEL
from wm.settings import GateSettings
from wm.text.letters import WordPattern, unaccented
from wm.text.patterns import Lazy, Pattern, unbounded

NEGATED = "negated_request"
"""The code of a line that asks not to remember it."""

TRIGGER_CHARS = 300
"""Number of characters at the start of a line that are searched for a trigger."""


class MemoryRequest(NamedTuple):
    """A request to keep `text`. type: one of the four types, None if the text does not show it."""

    text: str
    type: str | None
    lang: str
    trigger: str


class Ignored(NamedTuple):
    """A line that resembles a request but is not one, with the reason's code."""

    line: str
    code: str


def row_patterns(rows: trigger_words.Rows, start: str = "^") -> tuple[tuple[str, Lazy], ...]:
    """A pattern for each row, with its language."""
    return tuple(
        (lang, Lazy(unaccented(f"{start}(?:{text})"), ignore_case=True)) for lang, text in rows
    )


def any_row(rows: trigger_words.Rows) -> str:
    """One pattern for the rows of all languages."""
    return f"(?:{'|'.join(text for _, text in rows)})"


_ASKS = row_patterns(trigger_words.ASKS)
_TAIL_ASKS = row_patterns(trigger_words.TAIL_ASKS)
_NEGATIONS = row_patterns(trigger_words.NEGATIONS)
DEFERRALS = dict(row_patterns(trigger_words.DEFERRALS, start=""))
_LASTING = WordPattern("^" + any_row(trigger_words.LASTING))

_AT_START = any_row(trigger_words.ASKS + trigger_words.NEGATIONS)
_ANY_START = WordPattern("^" + _AT_START)
"""All rows that are anchored at the start, as one pattern."""

_ANY_LINE = WordPattern(unbounded(ANY_LEADS + _AT_START), multi_line=True)
"""The same rows, and more, at the start of any line of a message; `may_ask` examines the line. With
all bounds the automaton of re2 exceeded its memory as soon as a message had a match: one far down
200 KB took 43 ms, now 0.1 ms."""

_ANY_LATER = WordPattern(
    rf"(?:[.!?][ \t]+|[。！？।]){ANY_LEADS[1:]}{any_row(trigger_words.LASTING)}"
)
_ANY_TAIL = WordPattern(
    r"覚え|憶え|記憶し|メモし|忘れないで|기억해|잊지|메모해|명심해|[，,。;；]\s*(?:请|請|帮我|幫我|你)?(?:记|記)|"
    r"[.;!]\s+(?:\w+,? ){0,2}(?:remember|memori|note|save|keep|merke?|recu|no lo|retiens|souviens|mémorise|lembr|"
    r"guarde|não esq|anote) ?"
)


def opening_lines(message: MessageText, settings: GateSettings) -> Iterator[int]:
    """The numbers of the lines that may hold a request.

    Three searches over the complete message find them; a search per line would cost as much as the
    remaining work. Only the few triggers of a configuration are tried on every line.
    """
    found: set[int] = set()
    for rows in (_ANY_LINE, _ANY_TAIL, _ANY_LATER):
        found.update(rows.line_numbers(message.plain))
    numbers = (number for number in sorted(found) if may_ask(message.lines[number]))
    if not settings.triggers:
        return numbers
    lines = (without_lead(line)[1] for line in message.lines)
    return iter(sorted({*numbers, *user_triggers(settings.triggers).lines(lines)}))


def may_ask(line: str) -> bool:
    """Whether this line may hold a request or the negation of one. Cheap; rejects most lines."""
    if not line or line.isspace():
        return False
    plain = without_lead(line[: TRIGGER_CHARS * 2])[1]
    if _ANY_START.match(plain[:TRIGGER_CHARS] + " ") is not None or next(_later(line), ""):
        return True
    is_long = len(line) > TRIGGER_CHARS * 2
    return _ANY_TAIL.search(plain_of(line[-TRIGGER_CHARS:]) if is_long else plain) is not None


def is_negated(plain: str) -> bool:
    head = plain[:TRIGGER_CHARS]
    return any(pattern.match(head) is not None for _, pattern in _NEGATIONS)


def before_verb(sentence: str) -> str:
    """What a sentence asks to keep whose verb is at its end, or ""."""
    body, plain = without_lead(sentence)
    matches = (pattern.match(plain) for _, pattern in _TAIL_ASKS)
    return next((body[m.start(1) : m.end(1)].strip() for m in matches if m is not None), "")


def requests_at(
    message: MessageText, line: MessageLine, settings: GateSettings
) -> Iterator[MemoryRequest | Ignored]:
    """What a line asks to keep, or why it is no request; nothing for other lines.

    line: of the message; its text may be a part of that line.
    """
    plain = without_lead(line.text)[1]
    negated = is_negated(plain)
    match, kind, lang, origin = None, "", "", line.origin
    if settings.triggers:
        match, kind = user_triggers(settings.triggers).match(plain)
    if match is not None and origin == "pasted_log":
        origin = ""  # "nb: the text" looks like a line of a log, but the user chose that form
    if match is None and not negated:
        match, lang = _trigger(plain)
    if not negated and match is None:
        rest = next(_later(line.text), "")
        if rest:
            yield from requests_at(message, line._replace(text=rest), settings)
    elif origin:
        yield Ignored(shown(line), origin)
    elif negated:
        yield Ignored(shown(line), NEGATED)
        rest = _behind_first_sentence(line.text)
        if rest and not is_negated(without_lead(rest)[1]):
            behind = requests_at(message, line._replace(text=rest), settings)
            yield from (one for one in behind if not _points_back(one))
    elif match is not None:
        for found in _judge(match, lang, message, line, settings.max_line_chars):
            if kind and isinstance(found, MemoryRequest):
                found = found._replace(type=kind)
            yield found


def _later(line: str) -> Iterator[str]:
    """What follows each sentence of a line, if it begins with what holds from now on: "That works.
    From now on …". Not within quotation marks, nor behind an abbreviation."""
    head = line[: TRIGGER_CHARS * 2]
    if not _ANY_LATER.is_match(plain_of(head)):
        return
    for end in islice(SENTENCE_END.finditer(head), MOST_SENTENCES):
        before = head[: end.start()]
        if not (is_in_quotation(before) or ABBREVIATED.is_match(before[-3:])):
            plain = without_lead(head[end.end() :])[1]
            if _LASTING.match(plain) is not None:
                yield line[end.end() :]


def _points_back(found: MemoryRequest | Ignored) -> bool:
    """Whether a request is about what the sentence before took back: "remember it tomorrow"."""
    if isinstance(found, Ignored):
        return False
    plain = folded(found.text)
    concepts = concepts_of(plain, language(plain))
    return "deictic" in concepts.first and "own_project" not in concepts.anywhere


def _behind_first_sentence(line: str) -> str:
    """What follows "forget what I said about tabs": it may ask to remember something else."""
    end = SENTENCE_END.search(line)
    return line[end.end() :].strip() if end is not None else ""


def _trigger(plain: str) -> tuple[Pattern | None, str]:
    """The first row that matches the start of the line, else the first that matches its end."""
    for lang, pattern in _ASKS:
        # The space replaces the line's end: "Remember that", with the text on the next line.
        match = pattern.match(plain + " ")
        if match is not None:
            return match, lang
    for lang, pattern in _TAIL_ASKS:
        match = pattern.match(plain)
        if match is not None and not POINTING.fullmatch(match.group(1).strip()):
            return match, lang
    return None, ""


POINTING = WordPattern(
    r"(?:これ|それ|あれ|この件|そのこと|이거|이것|이건|이걸|그거|그것|그건|这个|这|那个|this|that|it|das|dies|esto|"
    r"eso|ceci|cela|isto|isso)?(?:を|は|も|은|는|을|를|도)?"
    r"(?: ?(?:for (?:me|us|later|now|next time|the future)|please|now|bitte|por favor|stp))?[.。,、，:：?？!！\s]*"
)


def _judge(
    match: Pattern, lang: str, message: MessageText, line: MessageLine, most: int
) -> Iterator[MemoryRequest | Ignored]:
    """Parse a line whose trigger matches: one request, several, or the reason why it is none."""
    body, plain = without_lead(line.text)
    has_group = match.re.groups > 0
    start, end = match.span(1) if has_group else (match.end(), len(body))
    text, trigger = body[start:end], plain[:start].strip()
    code = _why_not(text, plain, lang)
    if code == "empty_request" or (not code and _heads_list(text)):
        items = list(_below(message, line.number, most))
        if items and not code and bans_what_follows(text):  # It belongs to each item.
            items = [f"{text.strip().rstrip(':：')}: {'; '.join(items)}"]
        for item in items:
            yield MemoryRequest(item, infer_type(item), lang, trigger)
        if items:
            return
    if code:
        yield Ignored(shown(line), code)
        return
    text = tidy(text, most)
    if _POLITE_QUESTION.match(plain) is not None:
        text = text.rstrip(" ?？")
    yield MemoryRequest(text, infer_type(text), lang, trigger)


def _heads_list(text: str) -> bool:
    """Whether the text is a heading like `follow these rules:`, with the memories below it."""
    bare = text.strip().strip("*_")
    return len(bare) <= HEAD_CHARS and bare.endswith((":", "："))


_ONE_OFF = WordPattern(
    r"^(?:i (?:\w+ )?prefer|je préfère|prefiro|prefiero|ich bevorzuge) (?:not to|to not|that\b|this\b|it\b|option|the (?:first|second|third|last|latter|"
    r"former|other)|your|ça|cela|esto|eso|isso|isto|das\b|no hablar|não falar|ne pas)"
)

_POLITE_QUESTION = WordPattern(
    r"^(?:(?:can|could|would|will) you |(?:kannst|könntest|würdest) du |¿?(?:puedes|podrías) |"
    r"(?:peux-tu|pourrais-tu|tu peux) |(?:você )?(?:pode|poderia) )"
)

_SPOKEN_OF = WordPattern(
    r"^(?:is|was|are|were|means|sounds|appears|reads|looks)\b.{0,40}\b(?:a|an|the|wrong|odd|weird|missing|used|text|word|phrase|name)\b|"
    r"^の[^は]*$|"
    r"^(?:密码|密碼|我|登录|登入|账号|帳號|用户名)(?:的)?(?:选项|選項|功能|按钮|按鈕|复选框|勾选框)"
)
"""The sentence is about the trigger words themselves."""


def _why_not(text: str, plain: str, lang: str) -> str:
    """The code of the reason why a triggered text is not a request, or ""."""
    bare = text.replace(PRIVATE_LABEL, " ").strip(" \t.,:;!?。、：；！？…-–—*_\"'`")
    deferral = DEFERRALS.get(lang)
    whole = plain[:TRIGGER_CHARS] if lang in ("ja", "ko") else plain_of(text).strip()
    if deferral is not None and deferral.search(whole[:TRIGGER_CHARS]) is not None:
        return "deferral"
    if not bare or POINTING.fullmatch(bare) or inner_requests.says_only_where(bare):
        return "empty_request"
    if _ONE_OFF.match(plain) is not None or _SPOKEN_OF.match(plain_of(bare)) is not None:
        return "one_off"
    if _POLITE_QUESTION.match(plain) is None and (
        asks_back(text) or (":" not in plain[: -len(text)] and _ASKS_FIRST.match(text) is not None)
    ):
        return "question"
    to_do = _TO_DO.match(plain) is not None and (
        lasting_score(text) < LEAST_FACT or _RUNS.match(plain_of(bare)) is not None
    )
    return "task" if to_do or _TO_DO_BEFORE.search(plain) is not None else ""


LEAST_FACT = -2.95
"""Least `lasting_score` of what "don't forget" and "记得" ask to keep and not to do: 20 tasks of 12
languages score -3.0 or less, 27 of 28 facts more."""

_TO_DO = WordPattern(
    r"^你?(?:要|得|必须|必須)?(?:(?:别|別|不要|勿)忘[了记記]?|记得|記得)[^了记記\s,:;，：；、]"
)

_RUNS = WordPattern(r"^[去先]?(?:跑|[运運执執]行|提交|推送|重[启啟]|[检檢]查|更新)")
"""Verbs of an action, not of knowledge: 别忘了跑测试, "don't forget to run the tests", is a task."""

_TO_DO_BEFORE = WordPattern(
    r"[^다라자냐있없않]는 ?(?:거|것)(?:을|를)? ?(?:꼭 |잘 )?잊지|^[^はが]*(?:[うくすつぬむぐぶ]|[^あい]る)(?:の|こと)[をは]?、?\s*忘れ"
)
"""Not to forget to do something, with the same verb as not to forget that something is so."""

_ASKS_FIRST = Lazy(r"^[^.!?:;。！？]{1,160}\? +\S")
"""A question followed by more text: `Remember the outage we had? It is back.`"""

NEXT_STEP = WordPattern(
    r"^(?:now|next|then|and now|after that|can you|could you|please (?:fix|run|check|review|update|add|write|"
    r"continue|go on|look)|thanks|thank you|danke|gracias|merci|obrigad[oa]|grazie|bedankt|tack|dzięki|teşekkür\w*|"
    r"jetzt|ahora|maintenant|agora|adesso|nu|teraz|şimdi)\b|"
    r"^(?:спасибо|теперь|cảm ơn|ありがと|よろしく|お願いします|次[はに]|それから|谢谢|謝謝|然后|然後|接下来|现在|고마워|감사|부탁|이제|그럼)"
)


def tidy(text: str, most: int) -> str:
    """The memory as stored: without surrounding quotes and without a next step or question after
    it. A text longer than `most` characters goes to the inbox and stays as the user wrote it."""
    text = text.strip().strip("*_").strip()
    if len(text) > most:
        return text
    for opening, closing in ('""', "''", "``", "“”", "「」", "„“", "«»"):
        inner = text.rstrip(".。")
        if inner[:1] == opening and inner[-1:] == closing and opening not in inner[1:-1]:
            text = inner[1:-1].strip()
    while True:
        cut = max(text.rfind(". "), text.rfind("! "), text.rfind("? "), text.rfind("。", 0, -1))
        last = text[cut + 1 :].strip()
        if cut < 6 or not (asks_back(last) or NEXT_STEP.match(last)):
            return text
        text = text[: cut + 1].strip()


_BULLET = Lazy(r"^\s{0,8}(?:(?:[-*+•]|\d{1,2}[.)])\s+|[・●▪◦]\s{0,2}|\d{1,2}[、．])")


def _below(message: MessageText, at: int, most: int) -> Iterator[str]:
    """The text of "Remember this:" from the next line, or from the list that follows."""
    bulleted = None
    for number in range(at + 1, len(message.lines)):
        line = message.line(number)
        if line.origin:
            return
        if not line.text.strip():
            if bulleted is None and number == at + 1:
                continue
            return
        match = _BULLET.match(line.text)
        if bulleted is None:
            bulleted = match is not None
        if bulleted != (match is not None):
            return
        text = tidy(line.text[match.end() :] if match is not None else line.text, most)
        if not text or asks_back(text) or NEXT_STEP.match(text):
            return
        yield text
        if not bulleted:
            return


def shown(line: MessageLine) -> str:
    """The beginning of a line, for a person."""
    return line.text.strip()[:TRIGGER_CHARS]
