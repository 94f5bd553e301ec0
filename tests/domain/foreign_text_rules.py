"""Every rule that reads foreign text, as a function of that text (EX-6).

`test_linear_patterns` gives each of them hostile input; `tests.bench linear` measures how their
time grows with it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from wm.domain.change import contradiction
from wm.domain.failures.open_errors import after_tool
from wm.domain.imports import markdown
from wm.domain.learning import provenance, requests, statements
from wm.domain.memory import candidates, echo_guard, gate
from wm.domain.pruning.modes import Mode
from wm.domain.pruning.prune import prune
from wm.domain.pruning.tool_call import PrunableCall
from wm.formats.events import ToolFinished
from wm.formats.session_state import WordOrigins
from wm.secrets.redact import Redactor
from wm.settings import GateSettings, OriginSettings, PruningSettings, SessionSettings
from wm.text import escape, letters, sentences

GATE = GateSettings()
REDACTOR = Redactor(lambda secret: f"{len(secret):064x}")
NOW = datetime(2026, 11, 21, tzinfo=UTC)


def pruned(subject: str) -> object:
    return prune(PrunableCall("bash", "bash", "make", subject), Mode.NORMAL, PruningSettings())


def _errors(subject: str) -> object:
    event = ToolFinished(tool="bash", command="make", output=subject, exit_code=1)
    return after_tool((), event, root="/home/ana/shop", now=NOW, settings=SessionSettings())


def _words() -> provenance.SessionWords:
    return provenance.SessionWords(WordOrigins(), b"k" * 16, OriginSettings())


RULES: dict[str, Callable[[str], object]] = {
    "redact": REDACTOR.text,
    "requests": lambda s: requests.find_requests(s, GATE),
    "forgets": lambda s: requests.find_requests_and_forgets(s, GATE)[1],
    "candidates": candidates.parse,
    "echo": echo_guard.without_injected,
    "gate": lambda s: gate.judge(
        s, type="project", source="compaction", settings=GATE, redactor=REDACTOR
    ),
    "decisions": statements.decisions_in,
    "errors": _errors,
    "prune": pruned,
    "contradictions": contradiction.proposition,
    "words of a user": lambda s: _words().record_user(s),
    "words of a model": lambda s: _words().record_agent(s),
    "words of a tool": lambda s: _words().record_foreign(s),
    "words of a candidate": lambda s: _words().judge(s),
    "instructions of a project": markdown.statements,
    "canonical": letters.canonical.__wrapped__,
    "neutralise": escape.neutralise,
    "safe": escape.safe,
    "first sentences": lambda s: sentences.first_sentences(s, 260),
}
