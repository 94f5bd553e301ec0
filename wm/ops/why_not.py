"""Why a text is not in the memory: the rule that stops it, or stopped it (EV-2).

The text is run against everything that a newcomer meets, in that order: what is there already,
the trash, the tombstones, the gate, the echo guard. What the evidence knows of it is told too.
Nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterable

from wm.domain.session import remember as requests
from wm.domain.session.infer import infer_type
from wm.domain.text import canonical
from wm.domain.times import iso
from wm.domain.workspace import echo
from wm.domain.workspace.forget import is_forgotten
from wm.errors import UserError
from wm.formats.diagnosis import Check, WhyNotAnswer, WhyNotRequest
from wm.formats.evidence import EvidenceRecord
from wm.formats.protocol import Place
from wm.formats.workspace_memory import MemoryEntry, WorkspaceMemory
from wm.ops import gate, words
from wm.ops.base import Operation, Work
from wm.ops.evidence import names, quotes, read_log
from wm.ops.memory import ledger_of, read_journal, read_memory, read_tombstones
from wm.ops.place import locate
from wm.ops.render import omissions, rendered
from wm.ops.why import find_entry_or_text

PROPOSED, ASKED = "compaction", "explicit"


def _run(work: Work, request: WhyNotRequest) -> WhyNotAnswer:
    place = locate(work.runtime, request)
    given = work.runtime.redactor.text(request.text.strip())
    if not canonical(given):
        raise UserError("There is no text to ask about.", fix='`wm why-not "the text"`.')
    memory = read_memory(work, place)
    asked = requests.find_requests(given, work.runtime.settings.gate)
    # A message that asks to keep something is asked about by what it asks to keep.
    text = asked.found[0].text if asked.found else given
    entry = _there(work, place, text)
    if entry is not None:
        text = entry.text
    kind = request.type or (entry.type if entry else infer_type(text, ""))
    checks = [
        *_message(asked),
        *_present(work, place, memory, entry),
        *_pending(work, place, text),
        *_stones(work, place, text),
        *_gate(work, text, kind),
        *_echo(work, place, memory, text, entry),
        *_twins(work, place, memory, text, kind, entry),
    ]
    records = _records(work, place, text, entry)
    verdict, sentence = _verdict(checks, records)
    return WhyNotAnswer(
        text=text,
        type=kind,
        verdict=verdict,
        sentence=sentence,
        entry=entry,
        checks=tuple(sorted(checks, key=lambda check: not check.stops)),
        records=records,
        sentences=tuple(words.happened(r, of=entry.id if entry else "") for r in records),
    )


def _there(work: Work, place: Place, text: str) -> MemoryEntry | None:
    """The entry that has this id, or says just this; what is in force before what is not."""
    wanted = canonical(text)
    order = ("active", "inbox", "superseded", "trashed")
    same = [e for e in read_memory(work, place).entries if canonical(e.text) == wanted]
    same.sort(key=lambda e: order.index(e.status) if e.status in order else len(order))
    return same[0] if same else find_entry_or_text(work, place, text)


def _message(asked: requests.Requests) -> Iterable[Check]:
    """What the text would be as a line of a user's message."""
    if asked.found:
        said = f"As a message it asks to keep “{asked.found[0].text}”."
        yield Check(rule="trigger", stops=False, sentence=said)
    for ignored in asked.ignored[:1]:
        said = f"As a message it asks for nothing: {words.reason(ignored.code)}."
        yield Check(rule="trigger", stops=True, reason_codes=(ignored.code,), sentence=said)


def _present(
    work: Work, place: Place, memory: WorkspaceMemory, entry: MemoryEntry | None
) -> Iterable[Check]:
    if entry is None:
        return
    if entry.status == "active":
        view = rendered(work, place, memory).selection
        code = omissions((entry,), place, view)[entry.id]
        said = f"It is there, as {entry.id}, and prompts show it."
        if code:
            said = f"It is there, as {entry.id}; prompts do not show it: {words.reason(code)}."
        yield Check(
            rule="shown" if not code else "hidden",
            stops=bool(code),
            reason_codes=(code,) if code else (),
            sentence=said,
            entry=entry.id,
        )
        return
    rule, said = {
        "inbox": ("waiting", f"It waits in the inbox as {entry.id}"),
        "superseded": ("replaced", f"{entry.superseded_by or 'Another entry'} took its place"),
    }.get(entry.status, ("forgotten", f"It was forgotten and lies in the trash as {entry.id}"))
    why = f", because {words.reasons(entry.reasons)}" if entry.reasons else ""
    yield Check(
        rule=rule, stops=True, reason_codes=entry.reasons, sentence=f"{said}{why}.", entry=entry.id
    )


def _pending(work: Work, place: Place, text: str) -> Iterable[Check]:
    wanted = canonical(text)
    for pending in read_journal(work, place).entries:
        if canonical(pending.entry.text) == wanted:
            codes = tuple(filter(None, pending.last_failure.split(",")))
            said = f"It waits in the journal for its next try: {words.reasons(codes)}."
            yield Check(rule="waiting", stops=True, reason_codes=codes, sentence=said)


def _stones(work: Work, place: Place, text: str) -> Iterable[Check]:
    stones = read_tombstones(work, place).stones
    if is_forgotten(text, stones, work.runtime.store.digest) if stones else False:
        said = "A tombstone keeps agents from learning it again; a person may ask for it."
        yield Check(rule="forgotten", stops=True, reason_codes=("forgotten",), sentence=said)


def _gate(work: Work, text: str, kind: str) -> Iterable[Check]:
    """The gate, for what a compaction proposes and for what a person asks."""
    for source, rule, who in (
        (PROPOSED, "gate", "proposed by a compaction"),
        (ASKED, "gate_asked", "asked for by a person"),
    ):
        verdict = gate.judge(work.runtime, text, type=kind, source=source)
        end = "is refused" if source == PROPOSED else "waits in the inbox"
        said = f"The gate lets it through when it is {who}."
        if verdict.reasons:
            said = f"When it is {who} it {end}, because {words.reasons(verdict.reasons)}."
        yield Check(
            rule=rule, stops=bool(verdict.reasons), reason_codes=verdict.reasons, sentence=said
        )


def _echo(
    work: Work, place: Place, memory: WorkspaceMemory, text: str, entry: MemoryEntry | None
) -> Iterable[Check]:
    shown = rendered(work, place, memory).selection.shown
    told = next((e for e in shown if echo.is_echo(text, (e.text,))), None)
    if told is not None and entry is None:
        said = f"A session that was shown {told.id} only repeats it; that teaches nothing new."
        yield Check(rule="echo", stops=True, reason_codes=("echo",), sentence=said, entry=told.id)


def _twins(
    work: Work,
    place: Place,
    memory: WorkspaceMemory,
    text: str,
    kind: str,
    entry: MemoryEntry | None,
) -> Iterable[Check]:
    """What consolidation would make of it: the same fact in other words, or a contradiction."""
    if entry is not None:
        return
    moment = iso(work.now)
    newcomer = MemoryEntry(
        id="m_asked", type=kind, text=text, source=ASKED, created_at=moment, updated_at=moment
    )
    with ledger_of(work, place, memory) as ledger:
        twins = ledger.twins(newcomer)
        admission = ledger.admit(newcomer, now=work.now, settings=work.runtime.settings.memory)
    for twin in twins[:1]:
        said = f"{twin.id} says the same; a recurrence counts with it or takes its place."
        yield Check(
            rule="known", stops=True, reason_codes=("duplicate",), sentence=said, entry=twin.id
        )
    against = admission.details.get("contradicts")
    if isinstance(against, tuple):
        said = f"It may contradict {', '.join(map(str, against))}; both would stand."
        yield Check(
            rule="contradicts",
            stops=False,
            reason_codes=("may_contradict",),
            sentence=said,
            entry=str(against[0]),
        )


def _records(
    work: Work, place: Place, text: str, entry: MemoryEntry | None
) -> tuple[EvidenceRecord, ...]:
    """What the evidence knows of it, oldest first; without the prompts that showed it."""
    wanted = canonical(text)
    return tuple(
        r
        for r in read_log(work, place).records
        if r.type != "epoch_opened"
        and (quotes(r, wanted) or (entry is not None and names(r, entry.id)))
    )


_ORDER = ("waiting", "replaced", "forgotten", "gate_asked", "gate", "known", "echo", "hidden")


def _verdict(checks: Iterable[Check], records: tuple[EvidenceRecord, ...]) -> tuple[str, str]:
    """The deciding rule as one word, and the sentence that answers the question."""
    by_rule = {check.rule: check for check in reversed(list(checks))}
    if "shown" in by_rule or ("hidden" in by_rule and by_rule["hidden"].entry):
        rule = "shown" if "shown" in by_rule else "hidden"
        return rule, by_rule[rule].sentence
    stopped = next((by_rule[r] for r in _ORDER if r in by_rule and by_rule[r].stops), None)
    if stopped is None:
        return "nothing", _nothing(records)
    if stopped.rule in ("waiting", "replaced", "forgotten"):
        return stopped.rule, stopped.sentence
    if stopped.rule == "gate_asked":
        why = words.reasons(stopped.reason_codes)
        said = f"The gate refuses it, because {why}. What a person asks for waits in the inbox."
        return "refused", said
    if stopped.rule == "gate":
        return "asked_only", f"{stopped.sentence} A person who asks for it gets it in."
    return "known", stopped.sentence


def _nothing(records: tuple[EvidenceRecord, ...]) -> str:
    refused = [r for r in records if r.outcome == "rejected"]
    if not records:
        return "Nothing stops it: nobody has proposed it, as far as the evidence reaches."
    if not refused:
        return "Nothing stops it now; below is what the evidence knows of it."
    last = refused[-1]
    why = words.reasons(last.reason_codes) or "no reason was kept"
    return f"Nothing stops it now; on {last.created_at[:10]} it was refused: {why}."


why_not = Operation("why_not", WhyNotRequest, WhyNotAnswer, _run)
