"""Find the decisions, todos and notes that a message states, line by line (CB-2, HS-3).

Conservative: only a line with an explicit label counts ("TODO: …", "- [ ] …", "Root cause: …",
"Decision: …", "We decided to …"), in eight languages, outside fences, quotes and pasted logs. A
wish, a plan, a question or a report of another person's decision does not count. Never reads the
agent's own todo tool. Does not judge quality; the caller runs the gate. Pure and linear (EX-6).
"""

# ruff: noqa: E501  Rows of words in eight languages.
from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from wm.domain.learning.typed_lines import typed_lines
from wm.text.letters import WordPattern, canonical, unaccented, without_invisible
from wm.text.patterns import Lazy, encoded

MIN_CHARS, MIN_DECISION_CHARS = 6, 12
MAX_DECISION_CHARS = 400
MAX_DECISIONS = 8
"""Maximum decisions per text; a text with more is a list of something else."""
MAX_LINES = 5
"""Maximum lines of one kind per message; a message with more is a separate document."""

TODO, DONE, NOTE = "todo", "done", "note"


class Stated(NamedTuple):
    """kind: todo, done (a finished todo) or note."""

    kind: str
    text: str


_LEAD = Lazy(r"^\s{0,8}(?:(?:[-*+•]|\d{1,2}[.)])\s+)?(?:\*\*|__)?")
_BOX = Lazy(r"^\s{0,8}(?:[-*+•]|\d{1,2}[.)])\s+\[([ xX])\]\s+(\S.*)$")
_TODO = WordPattern(
    r"^(?:to-?do|to do|remaining|next steps?|follow-?ups?|aufgaben?|noch zu tun|zu erledigen|offen|nächster schritt|tareas?(?: pendientes?)?|pendientes?|por hacer|siguiente paso|"
    r"à faire|reste à faire|prochaine étape|a fazer|tarefas?|pendências?|próximo passo|待办|待辦|待办事项|下一步|やること|残り|次のステップ|할 일|남은 일|다음 단계)"
    r"(?:\*\*|__)?\s?[:：](?:\*\*|__)?\s*(.*)$"
)
_LATER = WordPattern(
    r"^(?:(?:and |then |also )?(?:please )?don.?t forget to (.*)$|(?:and |so |then )?(?:we|i) (?:will )?still (?:need|have) to (.*)$|"
    r"vergiss nicht,? (.*)$|wir müssen noch (.*)$|no (?:te )?olvides (?:de )?(.*)$|(?:todavía|aún) (?:tenemos|hay) que (.*)$|"
    r"n.oublie pas de (.*)$|il reste à (.*)$|não (?:te )?esque[çc]as? (?:de )?(.*)$|ainda (?:temos|precisamos) (?:que |de )?(.*)$|"
    r"(?:别|別)忘了?(.*)$|还(?:需要|要)(.*)$|忘れずに(.*)$|잊지 말고 (.*)$)"
)
_DONE = WordPattern(
    r"^(?:done|finished|erledigt|hecho|terminado|fait|terminé|feito|concluído|完成|已完成|完了|완료)\s?[:：]\s*(.*)$"
)
_NOTE = WordPattern(
    r"^(?:note|important|root cause|(?:key )?finding|gotcha|caveat|hinweis|wichtig|ursache|nota|importante|causa(?: raíz| raiz)?|remarque|cause(?: racine)?|observação|"
    r"注意|重要|根本原因|原因|備考|참고|중요|원인)(?:\*\*|__)?\s?[:：](?:\*\*|__)?\s*(.*)$"
)
_KINDS = ((TODO, _TODO), (TODO, _LATER), (DONE, _DONE), (NOTE, _NOTE))


_DECISION = WordPattern(
    r"^\[?(?:decision|decided|final decision|design decision|entscheidung|beschluss|decisión|décision|decisão|决定|決定|決定事項|决策|決策|결정|결정 사항)\]?"
    r"(?:\*\*|__)?\s?[:：](?:\*\*|__)?\s*(.*)$"
)
_DECIDED = WordPattern(
    r"^(?:(?:so|ok(?:ay)?|then|thus|therefore|also)[, ]+)?"
    r"(?:we(?: have|'ve)?(?: now| finally| therefore)? (?:decided (?:to|on|against|that|not to)|agreed (?:to|on|that)|settled on|chose (?:to|not)|opted (?:for|to))|"
    r"we (?:chose|picked|went with|standardi[sz]ed on)|it was decided (?:to|that)|"
    r"wir haben (?:uns (?:entschieden|darauf geeinigt)|entschieden|beschlossen)|"
    r"(?:hemos decidido|decidimos|se decidió|acordamos)|"
    r"(?:nous avons (?:décidé|choisi)|on a décidé|il a été décidé)|"
    r"(?:decidimos|ficou decidido|optamos por|combinamos)|"
    r"(?:我们|我們)(?:最终|最終|已经|已經)?(?:决定|決定|选择|選擇))\b?"
)
_DECIDED_BEHIND = Lazy(
    r"(?:ことに(?:決めた|決めました|しました|した|決定しました)|기로 (?:결정했(?:다|습니다|어요)|했(?:다|습니다)))[。.]?$"
)
_OPEN = WordPattern(
    r"[?？]\s*$|\b(?:not (?:yet )?decided|to be decided|tbd|pending|if we|once we|unless we|should we|noch nicht|por decidir|"
    r"à décider|a decidir)\b|(?:未定|待定|미정|まだ)"
)


def _at_starts(*rules: Lazy, more: str = "") -> Lazy:
    """What may begin a line that one of these rules fits, or occur in it. One search over a text
    finds the lines that are worth reading: most lines of most texts state nothing."""
    texts = "|".join(rule.text.removeprefix("^") for rule in rules)
    lead = r"^[\pZ\t]*(?:(?:[-*+•]|\d{1,2}[.)])\s+)?(?:\*\*|__)?[\pZ\t]*"
    return Lazy(rf"{lead}(?:{texts}){more}", ignore_case=True, multi_line=True)


_MAY_DECIDE = _at_starts(_DECISION, _DECIDED, more=rf"|{_DECIDED_BEHIND.text[:-1]}[\pZ\t]*$")
_MAY_STATE = _at_starts(*(rule for _, rule in _KINDS), more=rf"|{_BOX.text}")


def decisions_in(assistant_text: str) -> tuple[str, ...]:
    """The stated decisions as whole lines, without their labels, in order, without duplicates."""
    found: dict[str, str] = {}
    for line in _typed(assistant_text, _MAY_DECIDE, MAX_DECISION_CHARS):
        text = _decision(line)
        if MIN_DECISION_CHARS <= len(text) <= MAX_DECISION_CHARS and len(found) < MAX_DECISIONS:
            found.setdefault(canonical(text), text)
    return tuple(found.values())


def stated_in(message: str, max_chars: int) -> tuple[Stated, ...]:
    """The todos and notes of a message in order, without duplicates, each at most `max_chars`."""
    found: dict[tuple[str, str], Stated] = {}
    for line in _typed(message, _MAY_STATE, max_chars):
        one = _stated(line)
        if one is None or not MIN_CHARS <= len(one.text) <= max_chars:
            continue
        if sum(known.kind == one.kind for known in found.values()) < MAX_LINES:
            found.setdefault((one.kind, canonical(one.text)), one)
    return tuple(found.values())


def _typed(message: str, wanted: Lazy, max_chars: int) -> Iterator[str]:
    """The lines that the writer typed and a pattern matches, without the much longer ones."""
    text = without_invisible(message)
    plain = encoded(unaccented(text))
    numbers = frozenset(wanted.line_numbers(plain))
    for line in typed_lines(text) if numbers else ():
        if line.number in numbers and not line.origin and len(line.text) <= 2 * max_chars:
            yield line.text


def _without_mark(line: str) -> str:
    lead = _LEAD.match(line)
    return line[lead.end() if lead is not None else 0 :].strip()


def _decision(line: str) -> str:
    """The decision that a line states, or ""."""
    body = _without_mark(line)
    label = _DECISION.match(body)
    text = body[label.start(1) :].strip() if label is not None else body
    stated = label is not None or _DECIDED.match(body) or _DECIDED_BEHIND.search(body[-40:])
    return text.strip("*_ ").strip() if stated and _OPEN.search(text) is None else ""


def _stated(line: str) -> Stated | None:
    box = _BOX.match(line)
    if box is not None:
        return Stated(TODO if box.group(1) == " " else DONE, box.group(2).strip())
    body = _without_mark(line)
    for kind, pattern in _KINDS:
        match = pattern.match(body)
        if match is not None:
            at = max(match.start(n) for n in range(1, match.re.groups + 1))
            return Stated(kind, body[at:].strip().strip("*_ ").strip())
    return None
