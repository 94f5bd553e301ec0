"""Find the todos and notes that a message states, line by line (CB-2).

Conservative, like `decisions`: only a line with an explicit label counts ("TODO: …", "- [ ] …",
"Root cause: …"), in eight languages, outside fences, quotes and pasted logs. Never reads the
agent's own todo tool. Pure and linear (EX-6).
"""

# ruff: noqa: E501  Rows of words in eight languages.
from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from wm.domain.learning.typed_lines import typed_lines
from wm.text.letters import WordPattern, canonical, without_invisible
from wm.text.patterns import Lazy

MIN_CHARS = 6
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


def stated_in(message: str, max_chars: int) -> tuple[Stated, ...]:
    """The todos and notes of a message in order, without duplicates, each at most `max_chars`."""
    found: dict[tuple[str, str], Stated] = {}
    for statement in _lines(without_invisible(message), max_chars):
        if sum(known.kind == statement.kind for known in found.values()) < MAX_LINES:
            found.setdefault((statement.kind, canonical(statement.text)), statement)
    return tuple(found.values())


def _lines(message: str, max_chars: int) -> Iterator[Stated]:
    for line in typed_lines(message):
        if line.origin or not line.text or len(line.text) > 2 * max_chars:
            continue
        statement = _stated(line.text)
        if statement is not None and MIN_CHARS <= len(statement.text) <= max_chars:
            yield statement


def _stated(line: str) -> Stated | None:
    box = _BOX.match(line)
    if box is not None:
        return Stated(TODO if box.group(1) == " " else DONE, box.group(2).strip())
    lead = _LEAD.match(line)
    body = line[lead.end() if lead is not None else 0 :].strip()
    for kind, pattern in _KINDS:
        match = pattern.match(body)
        if match is not None:
            at = max(match.start(n) for n in range(1, match.re.groups + 1))
            return Stated(kind, body[at:].strip().strip("*_ ").strip())
    return None
