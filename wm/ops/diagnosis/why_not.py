"""Why a text is not in the memory: the rule that stops it now, or stopped it (EV-2).

Runs the text through everything a newcomer meets, in that order: known entries, the trash,
tombstones, the gate, the echo guard; and adds what the evidence says. Writes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from wm.api.diagnosis import RuleCheck, WhyNotAnswer, WhyNotRequest
from wm.domain.learning import requests, stated
from wm.domain.learning.entry_type import infer_type
from wm.domain.memory import echo_guard
from wm.domain.memory.consolidate import MemoryEditor
from wm.domain.memory.tombstones import is_forgotten
from wm.errors import UserError
from wm.formats.evidence import EvidenceRecord
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.ops import explanations
from wm.ops.diagnosis.why import find_entry_or_text
from wm.ops.learning.remember import judge
from wm.ops.learning.stated import CHOSEN, INBOX, OFF, UNSURE, mode
from wm.ops.memory.documents import memory_editor, read_journal, read_memory, read_tombstones
from wm.ops.memory.render import omissions, rendered
from wm.ops.operation import LocatedWork, Operation, located
from wm.ops.storage.evidence import names, quotes, read_log
from wm.text.letters import canonical

PROPOSED, ASKED = "compaction", "explicit"


def _run(work: LocatedWork, request: WhyNotRequest) -> WhyNotAnswer:
    given = work.redact(request.text.strip())
    if not canonical(given):
        raise UserError("There is no text to ask about.", fix='`wm why --not "the text"`.')
    memory = read_memory(work)
    asked = requests.find_requests(given, work.settings.gate)
    # A message that asks to remember something is checked by the text that it asks to remember.
    text = asked.found[0].text if asked.found else given
    entry = _find_entry(work, text)
    if entry is not None:
        text = entry.text
    kind = request.type or (entry.type if entry else infer_type(text))
    question = _Question(work, memory, text, kind, entry)
    checks = [*_message(asked), *question.checks()]
    if entry is None and not asked.found:
        checks.append(_in_passing(work, given))
    records = question.records()
    verdict, sentence = _verdict(checks, records)
    return WhyNotAnswer(
        text=text,
        type=kind,
        verdict=verdict,
        sentence=sentence,
        entry=entry,
        checks=tuple(sorted(checks, key=lambda check: not check.stops)),
        records=records,
        sentences=tuple(explanations.happened(r, of=entry.id if entry else "") for r in records),
    )


def _find_entry(work: LocatedWork, text: str) -> MemoryEntry | None:
    """The entry with this id or exactly this text; active ones first."""
    wanted = canonical(text)
    order = ("active", "inbox", "superseded", "trashed")
    same = [e for e in read_memory(work).entries if canonical(e.text) == wanted]
    same.sort(key=lambda e: order.index(e.status) if e.status in order else len(order))
    return same[0] if same else find_entry_or_text(work, text)


def _message(asked: requests.Requests) -> Iterable[RuleCheck]:
    """How the text would be read as a line of a user's message."""
    if asked.found:
        sentence = f"As a user message, it asks wm to remember “{asked.found[0].text}”."
        yield _check("trigger", sentence, stops=False)
    for ignored in asked.ignored[:1]:
        sentence = f"As a user message, it asks for nothing: {explanations.reason(ignored.code)}."
        yield _check("trigger", sentence, (ignored.code,))


def _in_passing(work: LocatedWork, message: str) -> RuleCheck:
    """What becomes of it if the user says it without asking to remember it (EX-7)."""
    found = stated.statements(message)
    judged = [judge(work.runtime, one.text, type=one.type, source="stated") for one in found]
    codes = [code for one in judged for code in one.reasons]
    how = mode(work.runtime, work.place)
    if not found or how == OFF:
        codes = ["learning_off" if how == OFF else stated.missed_because(message)]
    if codes and (how == OFF or not any(one.ok for one in judged)):
        sentence = f"Said in passing it is not learned, because {explanations.reasons(codes)}."
        return _check("passing", sentence, tuple(codes))
    sure = any(one.is_certain and its.ok for one, its in zip(found, judged, strict=True))
    code = CHOSEN if how == INBOX else "" if sure else UNSURE
    sentence = f"it waits in the inbox: {explanations.reason(code)}" if code else "it is kept"
    return _check("passing", f"Said in passing, {sentence}.", stops=False)


class _Question(Struct, frozen=True):
    """A text, and the entry that states it exactly, if any."""

    work: LocatedWork
    memory: WorkspaceMemory
    text: str
    kind: str
    entry: MemoryEntry | None

    def checks(self) -> Iterator[RuleCheck]:
        """Everything that a newcomer meets, in that order."""
        if self.entry is not None:
            yield self._stored(self.entry)
        yield from self._pending()
        stones = read_tombstones(self.work).stones
        if is_forgotten(self.text, stones, self.work.store.digest):
            message = "It was forgotten, so agents cannot store it again (tombstone); a person can."
            yield _check("forgotten", message, ("forgotten",))
        yield from self._gate()
        if self.entry is None:
            yield from self._echo()
            yield from self._twins()

    def _stored(self, entry: MemoryEntry) -> RuleCheck:
        if entry.status == "active":
            view = rendered(self.work, self.memory).selection
            code = omissions((entry,), self.work.place, view)[entry.id]
            if not code:
                sentence = f"It is stored as {entry.id}, and prompts show it."
                return _check("shown", sentence, entry=entry.id, stops=False)
            why = explanations.reason(code)
            sentence = f"It is stored as {entry.id}; prompts do not show it: {why}."
            return _check("hidden", sentence, (code,), entry.id)
        by = entry.superseded_by or "another entry"
        rule, sentence = {
            "inbox": ("waiting", f"It waits in the inbox as {entry.id}"),
            "superseded": ("replaced", f"It was replaced by {by}"),
        }.get(entry.status, ("forgotten", f"It was forgotten and is in the trash as {entry.id}"))
        why = f", because {explanations.reasons(entry.reasons)}" if entry.reasons else ""
        return _check(rule, f"{sentence}{why}.", entry.reasons, entry.id)

    def _pending(self) -> Iterator[RuleCheck]:
        wanted = canonical(self.text)
        for pending in read_journal(self.work).entries:
            if canonical(pending.entry.text) == wanted:
                codes = tuple(filter(None, pending.last_failure.split(",")))
                why = explanations.reasons(codes)
                yield _check(
                    "waiting", f"It waits in the journal to be stored later: {why}.", codes
                )

    def _gate(self) -> Iterator[RuleCheck]:
        """The gate's verdict, for a compaction's proposal and for a person's request."""
        for source, rule, who, end in (
            (PROPOSED, "gate", "proposed by a compaction", "is refused"),
            (ASKED, "gate_asked", "asked for by a person", "waits in the inbox"),
        ):
            codes = judge(self.work.runtime, self.text, type=self.kind, source=source).reasons
            sentence = f"The rules for memory (the gate) accept it when it is {who}."
            if codes:
                sentence = f"When it is {who} it {end}, because {explanations.reasons(codes)}."
            yield _check(rule, sentence, codes, stops=bool(codes))

    def _echo(self) -> Iterator[RuleCheck]:
        shown = rendered(self.work, self.memory).selection.shown
        shown_entry = next((e for e in shown if echo_guard.is_echo(self.text, (e.text,))), None)
        if shown_entry is not None:
            sentence = (
                f"It repeats {shown_entry.id}, which prompts show; a repetition is not a new fact."
            )
            yield _check("echo", sentence, ("echo",), shown_entry.id)

    def _twins(self) -> Iterator[RuleCheck]:
        """What consolidation would find: the same fact in other words, or a contradiction."""
        work, at = self.work, self.work.moment
        newcomer = MemoryEntry(
            id="m_asked", type=self.kind, text=self.text, source=ASKED, created_at=at, updated_at=at
        )
        with memory_editor(work, self.memory, MemoryEditor) as editor:
            twins = editor.twins(newcomer)
            admission = editor.admit(newcomer, now=work.now, settings=work.settings.memory)
        for twin in twins[:1]:
            sentence = f"{twin.id} says the same; a repetition confirms it or replaces it."
            yield _check("known", sentence, ("duplicate",), twin.id)
        against = admission.details.get("contradicts")
        if isinstance(against, tuple):
            sentence = f"It may contradict {', '.join(map(str, against))}; both would be kept."
            yield _check("contradicts", sentence, ("may_contradict",), str(against[0]), stops=False)

    def records(self) -> tuple[EvidenceRecord, ...]:
        """Evidence about the text, oldest first, without prompts that showed it."""
        wanted, entry = canonical(self.text), self.entry
        return tuple(
            r
            for r in read_log(self.work).records
            if r.type != "epoch_opened"
            and (quotes(r, wanted) or (entry is not None and names(r, entry.id)))
        )


def _check(
    rule: str, sentence: str, codes: tuple[str, ...] = (), entry: str = "", *, stops: bool = True
) -> RuleCheck:
    return RuleCheck(rule=rule, stops=stops, reason_codes=codes, sentence=sentence, entry=entry)


_ORDER = ("waiting", "replaced", "forgotten", "gate_asked", "gate", "known", "echo", "hidden")


def _verdict(checks: Iterable[RuleCheck], records: tuple[EvidenceRecord, ...]) -> tuple[str, str]:
    """The deciding rule as a code, and the sentence that answers the question."""
    by_rule = {check.rule: check for check in reversed(list(checks))}
    if "shown" in by_rule or ("hidden" in by_rule and by_rule["hidden"].entry):
        rule = "shown" if "shown" in by_rule else "hidden"
        return rule, by_rule[rule].sentence
    stopped = next((by_rule[r] for r in _ORDER if r in by_rule and by_rule[r].stops), None)
    if stopped is None and "passing" in by_rule and by_rule["passing"].stops and not records:
        sentence = f"{by_rule['passing'].sentence} “Remember that …” keeps it."
        return "passing", sentence
    if stopped is None:
        return "nothing", _nothing(records)
    if stopped.rule in ("waiting", "replaced", "forgotten"):
        return stopped.rule, stopped.sentence
    if stopped.rule == "gate_asked":
        why = explanations.reasons(stopped.reason_codes)
        sentence = (
            f"The rules for memory (the gate) refuse it, because {why}. "
            "If a person asks for it, it waits in the inbox."
        )
        return "refused", sentence
    if stopped.rule == "gate":
        return "asked_only", f"{stopped.sentence} A person can still have it stored."
    return "known", stopped.sentence


def _nothing(records: tuple[EvidenceRecord, ...]) -> str:
    refused = [r for r in records if r.outcome == "rejected"]
    if not records:
        return "Nothing stops it: the evidence log has no proposal of it."
    if not refused:
        return "Nothing stops it now; its records in the evidence log follow."
    last = refused[-1]
    why = explanations.reasons(last.reason_codes) or "no reason was kept"
    return f"Nothing stops it now; on {last.created_at[:10]} it was refused: {why}."


why_not = Operation("why_not", WhyNotRequest, WhyNotAnswer, located(_run))
