"""Find the decisions that an assistant's text states (HS-3).

Conservative: only a line that begins with "Decision:" or "We decided to …" counts, in eight
languages, outside fences and quotes. A wish, a plan, a question or a report of another person's
decision does not count. Does not judge quality; the caller runs the gate. Pure and linear (EX-6).
"""

# ruff: noqa: E501  Rows of words in eight languages.
from __future__ import annotations

from wm.domain.learning.typed_lines import typed_lines
from wm.text.letters import WordPattern, canonical, without_invisible
from wm.text.patterns import Lazy

MIN_CHARS = 12
MAX_CHARS = 400
MAX_DECISIONS = 8
"""Maximum decisions per text; a text with more is a list of something else."""

_LEAD = Lazy(r"^\s{0,8}(?:(?:[-*+•]|\d{1,2}[.)])\s+)?(?:\*\*|__)?")
_LABEL = WordPattern(
    r"^\[?(?:decision|decided|final decision|design decision|entscheidung|beschluss|decisión|décision|decisão|决定|決定|決定事項|决策|決策|결정|결정 사항)\]?"
    r"(?:\*\*|__)?\s?[:：](?:\*\*|__)?\s*(.*)$"
)
_STATED = WordPattern(
    r"^(?:(?:so|ok(?:ay)?|then|thus|therefore|also)[, ]+)?"
    r"(?:we(?: have|'ve)?(?: now| finally| therefore)? (?:decided (?:to|on|against|that|not to)|agreed (?:to|on|that)|settled on|chose (?:to|not)|opted (?:for|to))|"
    r"we (?:chose|picked|went with|standardi[sz]ed on)|it was decided (?:to|that)|"
    r"wir haben (?:uns (?:entschieden|darauf geeinigt)|entschieden|beschlossen)|"
    r"(?:hemos decidido|decidimos|se decidió|acordamos)|"
    r"(?:nous avons (?:décidé|choisi)|on a décidé|il a été décidé)|"
    r"(?:decidimos|ficou decidido|optamos por|combinamos)|"
    r"(?:我们|我們)(?:最终|最終|已经|已經)?(?:决定|決定|选择|選擇))\b?"
)
_STATED_BEHIND = Lazy(
    r"(?:ことに(?:決めた|決めました|しました|した|決定しました)|기로 (?:결정했(?:다|습니다|어요)|했(?:다|습니다)))[。.]?$"
)
_OPEN = WordPattern(
    r"[?？]\s*$|\b(?:not (?:yet )?decided|to be decided|tbd|pending|if we|once we|unless we|should we|noch nicht|por decidir|"
    r"à décider|a decidir)\b|(?:未定|待定|미정|まだ)"
)


def decisions_in(assistant_text: str) -> tuple[str, ...]:
    """The stated decisions as whole lines, without their labels, in order, without duplicates."""
    found: list[str] = []
    seen: set[str] = set()
    for line in typed_lines(without_invisible(assistant_text)):
        if line.origin or not line.text or len(line.text) > 2 * MAX_CHARS:
            continue
        text = _decision(line.text)
        key = canonical(text)
        if MIN_CHARS <= len(text) <= MAX_CHARS and key not in seen and len(found) < MAX_DECISIONS:
            seen.add(key)
            found.append(text)
    return tuple(found)


def _decision(line: str) -> str:
    """The decision that a line states, or ""."""
    lead = _LEAD.match(line)
    body = line[lead.end() if lead is not None else 0 :].strip()
    label = _LABEL.match(body)
    text = body[label.start(1) :].strip() if label is not None else body
    stated = label is not None or _STATED.match(body) or _STATED_BEHIND.search(body[-40:])
    if not stated or _OPEN.search(text) is not None:
        return ""
    return text.strip("*_ ").strip()
