"""What a step of a session is: its type, its relations, and whether it is worth searching. Pure.

A step is an answer with its calls and their results (OB-1, OB-3). Decides from tools, paths and
identifiers; knows nothing of requests and stores nothing.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field

from wm.domain.paging.files import SHELLS, FileUse
from wm.formats.paged_object import ObjectAdmission, ObjectRelation
from wm.text.patterns import Lazy

FULL, COLLAPSED, PRUNED, SHORT, GONE = 0, 1, 2, 3, 4
"""How much of a block is in the request (OB-2): all, without lines that it repeats, without lines
that pruning leaves out, a note, nothing."""
DESIGN_DECISION, PLAN, ERROR_CONTEXT = "design_decision", "plan", "error_context"
DEBUGGING, FILE_CONTEXT, TOOL_RESULT = "debugging_session", "file_context", "tool_result"
EXTERNAL_REFERENCE = "external_reference"

PRIORS: Mapping[str, float] = {
    DESIGN_DECISION: 0.95,
    PLAN: 0.85,
    ERROR_CONTEXT: 0.85,
    DEBUGGING: 0.8,
    FILE_CONTEXT: 0.7,
    EXTERNAL_REFERENCE: 0.7,
    TOOL_RESULT: 0.5,
}
"""How likely an object of a type is needed again (OB-4)."""
THRESHOLD = 0.4
LEAST_NOVELTY = 0.15
_RICH_NAMES = 12
"""An object with so many identifiers has full utility."""
_RECENT_OBJECTS = 8
_RECENT_FAILURE = 4
"""Steps after a failure in which an edit counts as debugging."""

_PLANNERS = frozenset({"todowrite", "todo_write", "update_plan", "exitplanmode", "taskcreate"})
_OUTSIDE = frozenset({"webfetch", "web_fetch", "websearch", "web_search", "fetch", "read_url"})
_LISTERS = frozenset({"ls", "pwd", "cd", "tree", "echo", "which", "true", "sleep", "clear"})
_LISTING_TOOLS = frozenset({"ls", "list", "glob", "list_directory"})
_DECIDES = Lazy(r"(?i)\b(?:decided|decision|instead of|going with|we(?:'ll| will) use|chose)\b")


class StepCall(Struct, frozen=True):
    """One call of a step. uses: the files that it reads and writes."""

    tool: str
    command: str
    uses: tuple[FileUse, ...]
    failed: bool


class StepFacts(Struct, frozen=True):
    """A step as the rules see it. said: what the model wrote beside its calls. names: the
    identifiers of all its texts."""

    id: str
    calls: tuple[StepCall, ...]
    said: str
    names: frozenset[str]


class JudgedStep(Struct, frozen=True):
    type: str
    relations: tuple[ObjectRelation, ...]
    admission: ObjectAdmission


class StepJudge(Struct):
    """Judges the steps of one conversation in their order, and remembers what relations need."""

    _readers: dict[tuple[str, str], str] = field(default_factory=dict)
    """Path and part -> the last object that shows it."""
    _users: dict[str, str] = field(default_factory=dict)
    """Path -> the last object that read or wrote it."""
    _writers: dict[str, str] = field(default_factory=dict)
    _names: list[frozenset[str]] = field(default_factory=list)
    _last_write: str = ""
    _since_failure: int = _RECENT_FAILURE + 1

    def judge(self, step: StepFacts) -> JudgedStep:
        failed = any(call.failed for call in step.calls)
        self._since_failure = 0 if failed else self._since_failure + 1
        kind = self._type(step, failed=failed)
        relations = tuple(dict.fromkeys(self._relations(step, failed=failed)))
        admission = self._admission(step, kind)
        self._remember(step)
        return JudgedStep(kind, relations, admission)

    def _type(self, step: StepFacts, *, failed: bool) -> str:
        tools = {call.tool.lower() for call in step.calls}
        uses = [use for call in step.calls for use in call.uses]
        if tools & _PLANNERS:
            return PLAN
        if failed:
            return ERROR_CONTEXT
        if any(use.writes for use in uses) and self._since_failure <= _RECENT_FAILURE:
            return DEBUGGING
        if tools & _OUTSIDE:
            return EXTERNAL_REFERENCE
        if _DECIDES.search(step.said):
            return DESIGN_DECISION
        return FILE_CONTEXT if uses else TOOL_RESULT

    def _relations(self, step: StepFacts, *, failed: bool) -> Iterator[ObjectRelation]:
        for use in (use for call in step.calls for use in call.uses):
            if use.writes and (known := self._users.get(use.path)):
                yield ObjectRelation(kind="depends_on", other=known)
            elif not use.writes and (shown := self._readers.get((use.path, use.part))):
                yield ObjectRelation(kind="supersedes", other=shown)
            elif not use.writes and (wrote := self._writers.get(use.path)):
                yield ObjectRelation(kind="references", other=wrote)
        if failed and self._last_write:
            yield ObjectRelation(kind="caused_by", other=self._last_write)

    def _admission(self, step: StepFacts, kind: str) -> ObjectAdmission:
        prior = PRIORS[kind]
        novelty = min((_distance(step.names, one) for one in self._names), default=1.0)
        utility = min(1.0, len(step.names) / _RICH_NAMES)
        score = 0.35 * prior + 0.25 * novelty + 0.25 * utility + 0.15
        reason = ""
        if all(_lists(call) for call in step.calls):
            reason = "listing"
        elif self._is_reread(step):
            reason = "reread"
        elif novelty <= LEAST_NOVELTY:
            reason = "known"
        elif score < THRESHOLD:
            reason = "low_score"
        return ObjectAdmission(
            prior=prior,
            novelty=round(novelty, 3),
            utility=round(utility, 3),
            recency=1.0,
            score=round(score, 3),
            reason=reason,
        )

    def _is_reread(self, step: StepFacts) -> bool:
        """Whether the step only shows files that were shown before and not written since."""
        uses = [use for call in step.calls for use in call.uses]
        return bool(uses) and all(
            not use.writes
            and (use.path, use.part) in self._readers
            and self._writers.get(use.path) is None
            for use in uses
        )

    def _remember(self, step: StepFacts) -> None:
        self._names = [*self._names, step.names][-_RECENT_OBJECTS:]
        for use in (use for call in step.calls for use in call.uses):
            self._users[use.path] = step.id
            if use.writes:
                self._writers[use.path] = self._last_write = step.id
            else:
                self._readers[use.path, use.part] = step.id
                self._writers.pop(use.path, None)


def _distance(one: frozenset[str], other: frozenset[str]) -> float:
    """Share of the identifiers that only one of the two has; 1 if one has none."""
    if not one or not other:
        return 1.0
    return 1.0 - len(one & other) / len(one | other)


def _lists(call: StepCall) -> bool:
    """Whether a call only lists names, and succeeded."""
    if call.failed:
        return False
    tool = call.tool.lower()
    is_command = tool in SHELLS and _LISTERS.issuperset(_programs(call.command))
    return is_command or tool in _LISTING_TOOLS


def _programs(command: str) -> Sequence[str]:
    """The program of each step of a command line."""
    steps = command.replace("&&", "\n").replace(";", "\n").replace("|", "\n").split("\n")
    return [words[0] for step in steps if (words := _split(step))]


def _split(step: str) -> list[str]:
    try:
        return shlex.split(step)
    except ValueError:
        return step.split()
