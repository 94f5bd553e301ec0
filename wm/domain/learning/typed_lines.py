"""The lines of a message: which of them the user typed, and their form for matching (EX-1, TR-3).

A line's origin is "" if the user typed it, else the code of what contains it: a fence, a quote, a
log, a diff, code, or text that the user announced as another person's. Pure and linear.
"""

# ruff: noqa: E501  Rows of words in eight languages.
from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from functools import cache, cached_property
from itertools import count, repeat
from typing import NamedTuple

from msgspec import Struct

from wm.domain.learning import trigger_words
from wm.domain.learning.concepts import folded, phrases
from wm.secrets.redact import PRIVATE_LABEL
from wm.text.letters import WordPattern, translated, unaccented
from wm.text.patterns import Lazy, encoded


class MessageLine(NamedTuple):
    """A line of a message. origin: "" (typed), fenced, quoted, pasted_log, pasted_text."""

    number: int
    text: str
    origin: str


class MessageText(Struct, frozen=True, dict=True):
    """A message of which each form is made once, when a rule first reads it."""

    text: str

    @cached_property
    def plain(self) -> bytes:
        """The form for matching, encoded: the same lines, each with an end."""
        return encoded(plain_of(self.text) + "\n")

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    @cached_property
    def origins(self) -> list[str]:
        """The origin of each line."""
        return list(origins(self.text, self.lines))

    def line(self, number: int) -> MessageLine:
        return MessageLine(number, self.lines[number], self.origins[number])

    def rewritten(
        self, change: Callable[[str], str], only: Container[int] | None = None
    ) -> MessageText:
        """The message with its typed lines changed. only: the numbers of those to change."""
        lines = zip(count(), self.lines, self.origins, strict=False)
        changed = (
            text if origin or (only is not None and number not in only) else change(text)
            for number, text, origin in lines
        )
        text = "\n".join(changed)
        return self if text == self.text else MessageText(text)


_FENCE = Lazy(r"^\s{0,3}(```+|~~~+)")
_QUOTE = Lazy(r"^\s{0,3}(?:>|&gt;|┃|│|\|\s)")
_LOG = Lazy(
    r"^(?:\[?\d{4}-\d\d-\d\d|\[?\d\d:\d\d(?::\d\d)?\b|\[?(?:INFO|WARN(?:ING)?|ERROR|DEBUG|TRACE|FATAL|NOTICE)\b|"
    r"\[\d+[.\]:]|\$ |% |# \S+@|>>> |\.\.\. |[❯➜] |PS [A-Z]:\\|[\w.-]+@[\w.-]+[:~].{0,60}[$#] |"
    r"[\w./-]+:\d+:|[\w./-]+\(\d+|[a-z][\w.-]{0,30}(?:\[\d+\])?: |at [\w.$<>]+ ?\(|Traceback|  File \"|\s+at |"
    r"[+-]{1,3}[^\s]|\+ |@@ |diff --git|index [0-9a-f]{6}|commit [0-9a-f]{7}|npm (?:ERR|WARN)|make(?:\[\d+\])?: |"
    r"[{}\[\]<]|</?\w|\w+=\S+ \w+=|(?:FAIL|PASS|===|---) |ok(?:  |\t| \d)|"
    r"(?:WARNUNG|FEHLER|AVISO|ADVERTENCIA|AVERTISSEMENT|ERREUR|AVVISO|ERRORE|WAARSCHUWING|FOUT|OSTRZEŻENIE|BŁĄD|"
    r"ВНИМАНИЕ|ПРЕДУПРЕЖДЕНИЕ|ОШИБКА|UYARI|HATA|CẢNH BÁO|LỖI|警告|경고|تحذير|चेतावनी) ?[:：])",
    multi_line=True,
)
_OPENERS = ("opener", "request_verb", "fyi", "correct", "decide")
"""Concepts whose words may open a remark, as in "onthoud: …" and "fyi: …"."""

_TO_KEEP = WordPattern(
    r"^[^\w]*(?:(?:please|pls|and|also|so|ok|bitte|por favor|s'il te plaît|次回のために|忘れずに|필히|꼭)[,、]?\s*|请|請|帮我|幫我|你要){0,3}"
    r"(?:(?:always )?(?:remember|memori[sz]e)\b|(?:keep|bear|have)\b.{0,30}\bin mind\b|"
    r"(?:add|save|store|write|put|commit|record|keep|note)\b.{0,40}\b(?:memory|sessions?|conversations?|chats?|future|next time)\b|"
    r"merke? (?:dir|euch)\b|merken sie sich|folgendes merken|behalte?\b.{0,30}\bim (?:kopf|hinterkopf|gedächtnis)|denke? (?:bitte )?(?:daran|dran)|"
    r"recuerd[ae]n?\b|acu[eé]rdate|ten(?:ga)?\b.{0,20}\ben (?:cuenta|mente)|memoriza|anota\b|guarda\b.{0,30}\bmemoria|"
    r"retiens|retenez|mémorise|souviens-toi|rappelle-toi|gardez?\b.{0,20}\ben (?:tête|mémoire)|"
    r"lembr[ae]\b|lembre-se|memorize|anote\b|tenha\b.{0,20}\bem mente|guarde\b.{0,30}\bmemória|"
    r"(?:记住|記住|牢记|牢記|谨记|别忘|記得|记得)|.{0,20}(?:覚えて|憶えて|記憶して|忘れないで)|.{0,20}(?:기억해|기억하세요|명심해|잊지 (?:마|말)))"
)
"""A request to keep the text that follows, which is then the user's own."""

_ENDS = frozenset(":： \t\u3000\xa0")
"""Last characters of a line that may announce another person's text."""

_QUOTE_STARTS = tuple(">&┃│|")
_ANNOUNCED = WordPattern(
    r"(?:translate|summari[sz]e|explain|rewrite|proofread|correct|review|analy[sz]e|classify|what does|fix the|read|"
    r"reply to|respond to|answer|look at|check|parse|format|here(?:'s| is| are)|this is|below|following|quote|"
    r"wrote|writes|said|says|reads|states|readme|issue|comment|e-?mail|message|ticket|document|text|transcript|chat|"
    r"article|page|snippet|file|contents?|prompt|review|description|"
    r"übersetze|fasse|erkläre|schreibt|schrieb|sagt|folgende|traduce|resume|explica|dice|escribió|siguiente|"
    r"traduis|résume|explique|écrit|suivant|traduza|resuma|explique|disse|escreveu|seguinte|"
    r"翻译|总结|解释|以下|下面|写道|说|翻訳|要約|説明|次の|以下の|번역|요약|설명|다음)[^:：]{0,120}[:：]\s*$"
)
_OWN = WordPattern(
    r"^(?:(?:so|ok(?:ay)?|also|and|but|btw|here|these|those|are)[, ]+)*(?:i|we|my|our)\b[^:：]{0,60}"
    r"\b(?:rules?|concerns?|requirements?|conventions?|preferences?|constraints?|principles?|guidelines?|decisions?)\b[^:：]{0,40}[:：]\s*$|"
    r"\b(?:to answer|answering|answers? to) your questions?\b[^:：]{0,20}[:：]\s*$"
)
"""The user announces an own list: "I have the following concerns:", "here are our rules:"."""

_OUTPUT = WordPattern(
    r"\b(?:log|logs|output|error|errors|trace|traceback|stack|console|terminal|result|printed|prints|shows?|gets?|getting|got|"
    r"ausgabe|fehler|salida|erreur|sortie|saída|erro)\b[^:：]{0,80}[:：]\s*$|(?:日志|输出|报错|ログ|出力|エラー|로그|출력)[^:：]{0,20}[:：]\s*$"
)

_MAY_BE_MARKED = Lazy(
    r"^[^\pL\pN\n]|[" + "".join(f"\\x{{{ord(char):x}}}" for char in sorted(_ENDS)) + "]$",
    multi_line=True,
)
"""A line that `typed_lines` must examine closely; most lines do not match."""


def all_typed(message: str) -> bool:
    """Whether every line is certainly the user's own. Cheap; False proves nothing."""
    return not _MAY_BE_MARKED.is_match(message) and not _LOG.is_match(message)


def typed_lines(message: str) -> Iterator[MessageLine]:
    """Yield every line of a message with its origin."""
    lines = message.split("\n")
    return map(MessageLine, count(), lines, origins(message, lines))


def origins(message: str, lines: list[str]) -> Iterator[str]:
    """Yield the origin of each line. lines: those of the message."""
    if all_typed(message):
        yield from repeat("", len(lines))
        return
    logs = _logs(message, lines)
    fence = ""
    announced = ""
    for i, text in enumerate(lines):
        if not text:
            announced = "" if announced == "pasted_log" and _printed(lines, i) else announced
            yield "fenced" if fence else ""
            continue
        plain = text[0].isalnum() and text[-1] not in _ENDS
        if plain and not (fence or announced or logs[i] or logs[i - 1]):
            yield ""  # fast path: most lines of most messages
            continue
        # Checking the first character saves a pattern match on most lines, which would cost as much
        # as the remaining work.
        mark = _FENCE.match(text) if text.lstrip()[:1] in ("`", "~") else None
        if mark is not None and (not fence or _closes(text, fence)):
            fence = "" if fence else mark.group(1)
            announced = ""
            yield "fenced"
            continue
        origin = "fenced" if fence else _origin(lines, logs, i)
        if origin == "quoted":
            announced = ""
        elif not origin and announced and text.strip():
            origin = announced
        yield origin
        if not origin and not fence and text.rstrip()[-1:] in (":", "："):
            announced = _announces(text) or announced


def _printed(lines: list[str], i: int) -> bool:
    """Whether the line above the blank line at `i` is output, and not the line that announced it."""
    return i > 0 and bool(lines[i - 1].strip()) and not _announces(lines[i - 1])


def _closes(text: str, fence: str) -> bool:
    bare = text.strip()
    return bare.startswith(fence) and not bare.strip(fence[0])


def _logs(message: str, lines: list[str]) -> bytearray:
    """Flag for each line that looks like program output, found in one pass over the message."""
    logs = bytearray(len(lines))
    found = list(_LOG.line_numbers(encoded(message)))
    for number in found:
        line = lines[number]
        logs[number] = _opener(line) not in _openers() and not line.startswith(_LABELS)
    # What a compiler notes may go on over several lines, above and below the others.
    for number in filter(logs.__getitem__, found):
        for step in (-1, 1):
            beside = number + step
            while 0 <= beside < len(lines) and not logs[beside] and _is_note(lines[beside]):
                logs[beside] = True
                beside += step
    return logs


_LABELS = (PRIVATE_LABEL, "[secret:")
"""The user typed what our own labels replace; a bracket else opens a line of a log."""


def _opener(line: str) -> str | None:
    """The words of a line before its first colon; None of a number, such as a log's date."""
    words, colon, _ = line[:40].partition(": ")
    return folded(words) if colon and not words[:1].isdigit() else None


def _is_note(line: str) -> bool:
    return _opener(line) in _PRINTED


_PRINTED = frozenset({"note", "hint", "hinweis", "remarque", "nota"})
"""Openers that compilers print too ("note: required by …"): a line of output if it is next to one."""


@cache
def _openers() -> frozenset[str]:
    """Words that open a remark; any other word before a colon is a program's name before its
    output."""
    rows = (row for name in _OPENERS for row in phrases(name).values())
    return frozenset(phrase for row in rows for phrase in row.split("|"))


def _origin(lines: list[str], logs: bytearray, i: int) -> str:
    text = lines[i]
    head = text[:200]
    if head.lstrip()[:1] in _QUOTE_STARTS and _QUOTE.match(head) is not None:
        return "quoted"
    if logs[i] or head.startswith(("\t", "    ")):
        return "pasted_log"
    before = i > 0 and bool(logs[i - 1])
    after = i + 1 < len(lines) and bool(logs[i + 1])
    # Between two lines of a log, or directly below one: printed, not typed.
    return "pasted_log" if before and (after or not text[:1].isupper()) else ""


def _announces(text: str) -> str:
    """Return the code if this line announces text that is not the user's own, else ""."""
    tail = text.rstrip()[-300:]
    if not tail.endswith((":", "：")):
        return ""
    if any(own.match(text[:200]) is not None for own in (_TO_KEEP, _OWN)):
        return ""
    if _OUTPUT.search(tail) is not None:
        return "pasted_log"
    return "pasted_text" if _ANNOUNCED.search(tail) is not None else ""


# --- the form for matching --------------------------------------------------------------------

_PLAIN = {
    **{code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},
    ord("*"): " ", 0x2019: "'", 0x2018: "'", 0x02BC: "'", 0x00A0: " ", 0x202F: " ", 0x3000: " ",
}  # fmt: skip
"""Maps one character to one, so that offsets in the plain line are offsets in the line."""


def plain_of(text: str) -> str:
    """The text in the form for matching, one character per character."""
    return unaccented(translated(text, _PLAIN))


ANY_LEADS = (
    rf"^(?:[\pZ\t\r\f\v]+|>+\s?|[-*+•]\s+|\d{{1,3}}[.)]\s+|[*_]{{1,2}}|{trigger_words.LEADS})*"
)
"""Any number of leads: a bounded count would make the pattern too large to run fast."""

_LEAD = WordPattern(rf"^(?:\s+|>+\s?|[-*+•]\s+|\d{{1,3}}[.)]\s+|[*_]{{1,2}}|{trigger_words.LEADS})")


def without_lead(line: str) -> tuple[str, str]:
    """The line without its leads, as written and in the form for matching."""
    body = line.strip()
    plain = plain_of(body)
    for _ in range(4):
        match = _LEAD.match(plain[:80])
        if match is None or match.end() == 0:
            break
        # A lead with nothing after it, or inside a word, is part of the text.
        if match.end() >= len(plain) or _splits_word(plain, match.end()):
            break
        body, plain = body[match.end() :], plain[match.end() :]
    return body, plain


_GROWS = ("아", "또", "꼭", "あと", "では", "なお", "그리고", "y", "e", "et", "und")
"""Leads that are also beginnings of longer words in text without spaces or punctuation."""


def _splits_word(text: str, at: int) -> bool:
    if text[:at] in _GROWS or text[at - 1 : at + 1] == "請求":
        return True
    return text[at - 1].isascii() and text[at - 1].isalnum() and text[at].isalnum()


# --- sentences of a line ----------------------------------------------------------------------

MOST_SENTENCES = 12
"""Sentences of a line that are looked at."""

SENTENCE_END = Lazy(r"[.!?]\s+|[。！？।]")

PART_END = Lazy(r"[.!?;]\s+|[。！？।；]")

ABBREVIATED = Lazy(r"(?:^|[^\pL\pN])\p{Ll}$")
"""What a full stop follows that ends no sentence: the last letter of "e.g.", "z. B."."""


def is_in_quotation(before: str) -> bool:
    """Whether a quotation that begins in this part of a line has not ended there. A single mark is
    an apostrophe unless it is beside a space."""
    if sum(map(before.count, '"“”„«»')) % 2:
        return True
    opened, closed = (sum(1 for _ in marks.spans(before)) for marks in (_OPENS, _CLOSES))
    return opened > closed


_OPENS = Lazy(r"(?:^|[\s(:])['‘`]\S|[「『]")

_CLOSES = Lazy(r"[^\s(:]['’`](?:[\s.,;:!?)]|$)|[」』]")

_QUESTION_END = Lazy(
    r"[?？][\"'”’»)\]*_\s]*$|(?:吗|嗎|呢|ますか|ですか|でしょうか|ましたか|나요|습니까|을까|ㄹ까)[。.\s]*$"
)


def asks_back(text: str) -> bool:
    return _QUESTION_END.search(text[-80:]) is not None
