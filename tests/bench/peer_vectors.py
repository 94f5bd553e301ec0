"""Compare the rules with recorded inputs and outputs of the plugin that came before.

    python -m tests.bench peer_vectors PATH

PATH is a JSON file, gzipped or not, of cases {area, input, peer_output}. Each area is put to the
rule of ours that answers for it. A case agrees, differs for a reason that `DIFFERENCES` names, or
differs for none: that is a finding, and the run fails. Areas that ours has no counterpart for
stand in `NOT_OURS` with the reason. Without the file nothing is compared and nothing fails.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from tests.bench.sets import Home
from wm.domain.change import same_fact
from wm.domain.failures.commands import ran
from wm.domain.failures.open_errors import after_tool
from wm.domain.learning import requests
from wm.domain.memory import candidates, consolidate, gate, retention, select
from wm.domain.session import active_files
from wm.domain.times import iso
from wm.formats.events import ToolFinished
from wm.formats.session_state import ActiveFile, OpenError
from wm.formats.workspace_memory import MemoryEntry, Workspace, WorkspaceMemory
from wm.secrets.redact import Redactor
from wm.settings import GateSettings, MemorySettings, SessionSettings
from wm.store.identity import key_of
from wm.store.paths import sid
from wm.text.letters import canonical

Input = dict[str, Any]

GATE, MEMORY, SESSION = GateSettings(), MemorySettings(), SessionSettings()
REDACTOR = Redactor(lambda secret: "a" * 64)
NOW = datetime(2026, 6, 20, 12, 0, tzinfo=UTC)
ROOT = "/w"


class Area(NamedTuple):
    """ours: our answer to an input; theirs: their output in the same words."""

    ours: Callable[[Input], object]
    theirs: Callable[[Any], object]


def _moment(milliseconds: float | None) -> str:
    return iso(datetime.fromtimestamp(milliseconds / 1000, UTC)) if milliseconds else ""


def _entry(raw: Input) -> MemoryEntry:
    clock = raw.get("retentionClock")
    last = raw.get("lastReinforcedAt")
    return MemoryEntry(
        id=raw.get("id", "e"),
        type=raw.get("type", "decision"),
        text=raw.get("text", "Use X"),
        source=raw.get("source", "compaction"),
        confidence=raw.get("confidence", 0.75),
        status=raw.get("status", "active"),
        created_at=raw.get("createdAt", ""),
        updated_at=raw.get("updatedAt", ""),
        retention_clock=_moment(clock) if isinstance(clock, int | float) else "",
        user_importance=raw.get("userImportance", "normal"),
        reinforcement_count=max(0, raw.get("reinforcementCount", 0)),
        last_reinforced_at=_moment(last) if isinstance(last, int) and last > 0 else "",
    )


def _memory(entries: Sequence[MemoryEntry] = ()) -> WorkspaceMemory:
    return WorkspaceMemory(workspace=Workspace(root=ROOT, key="k"), entries=tuple(entries))


def _gate(asked: Input) -> object:
    return gate.judge(
        asked["text"], type=asked["type"], source="compaction", settings=GATE, redactor=REDACTOR
    ).ok


def _requests(asked: Input) -> object:
    return [request.text for request in requests.find_requests(asked["text"], GATE).found]


def _candidates(asked: Input) -> object:
    items = candidates.parse(asked["summary"]).items
    kept = [
        (item.type, item.text)
        for item in items
        if item.action == "add"
        and gate.judge(
            item.text, type=item.type, source="compaction", settings=GATE, redactor=REDACTOR
        ).ok
    ]
    commands = [(item.action, item.ref) for item in items if item.action != "add"]
    return kept, commands


def _their_candidates(said: Any) -> object:
    kept = [(entry["type"], entry["text"]) for entry in said["entries"]]
    return kept, [(c["kind"].lower(), c.get("ref", "")) for c in said["commands"]]


def _same_key(asked: Input) -> object:
    entry = _entry(asked)
    about = same_fact.identity(entry.text) if entry.type in same_fact.IDENTITY_TYPES else ""
    return f"{entry.type}:{canonical(entry.text)}", about


def _their_key(said: Any) -> object:
    _, _, rest = said["identity"].partition(":")
    about = rest.partition(":")[2] if rest.startswith(("url:", "path:")) else ""
    return said["exact"], about.removeprefix("https://").removeprefix("./")


def _strength(asked: Input) -> object:
    entry = _entry(asked["entry"])
    memory = _memory([entry]).model_copy(update={"last_activity_at": asked["lastActivityAt"] or ""})
    found = retention.strength(entry, memory, now=NOW, settings=MEMORY)
    half = retention.half_life_days(entry, MEMORY)
    return round(retention.initial_strength(entry, MEMORY), 4), round(half, 3), round(found, 3)


def _reinforced(asked: Input) -> object:
    entry = _entry({"createdAt": "2026-01-01T00:00:00.000Z", **asked["entry"]})
    again = retention.reinforce(entry, session=asked["session"], now=NOW, settings=MEMORY)
    return again.entry != entry, again.entry.reinforcement_count


def _consolidated(asked: Input) -> object:
    memory = _memory()
    for raw in asked["entries"]:
        memory = (
            consolidate.MemoryEditor(memory).admit(_entry(raw), now=NOW, settings=MEMORY).memory
        )
    return sorted(e.id for e in memory.entries if e.status == "active")


def _promoted(asked: Input) -> object:
    memory = _memory([_entry(raw) for raw in asked["before"] or asked["after"]])
    done = consolidate.MemoryEditor(memory).admit(
        _entry(asked["pending"][0]), now=NOW, settings=MEMORY
    )
    return done.outcome


def _their_promotion(said: Any) -> object:
    for outcome in ("promoted", "absorbed", "superseded", "rejected"):
        if said[f"{outcome}Keys"]:
            return outcome
    return ""


def _shown(asked: Input) -> object:
    limits = asked["limits"]
    memory = _memory([_entry(raw) for raw in asked["entries"]])
    memory = memory.model_copy(
        update={
            "limits": memory.limits.model_copy(
                update={
                    "max_rendered_chars": limits["maxRenderedChars"],
                    "max_entries": limits["maxEntries"],
                }
            )
        }
    )
    chosen = select.select(memory, branch=None, now=NOW, settings=MEMORY)
    return sorted(entry.text for entry in chosen.shown)


def _their_lines(said: Any) -> object:
    lines = [line[2:] for line in said["prompt"].split("\n") if line.startswith("- ")]
    return sorted(line.split(" [")[0] if line.endswith("verify]") else line for line in lines)


def _redacted(asked: Input) -> object:
    text = Home().runtime.redactor.text(asked["text"])
    return text != asked["text"]


def _errors(asked: Input) -> object:
    event = ToolFinished(tool="bash", command=asked["command"], output=asked["output"], exit_code=1)
    found = after_tool((), event, root=ROOT, now=NOW, settings=SessionSettings(kept_errors=1000))
    return sorted({(error.category, error.file or None) for error in found}, key=str)


def _purpose(asked: Input) -> object:
    what = ran(asked["command"], root=ROOT)
    return next((c.purpose for c in what.suspects if c.purpose), None) or None


def _cleared(asked: Input) -> object:
    event = ToolFinished(tool="bash", command=asked["command"], exit_code=asked["exit"])
    open_errors = tuple(
        OpenError(fingerprint=kind, category=kind, summary=kind, command="other", target="x")
        for kind in asked["open"]
    )
    left = after_tool(open_errors, event, root=ROOT, now=NOW, settings=SESSION)
    return [error.category for error in left]


def _edited(asked: Input) -> object:
    root = asked["root"] or ROOT
    before = (OpenError(fingerprint="f", category="test", summary="s", file=asked["errorFile"]),)
    event = ToolFinished(tool="edit", paths=(asked["touched"],))
    return after_tool(before, event, root=root, now=NOW, settings=SESSION)[0].status


def _touched(asked: Input) -> object:
    files: tuple[ActiveFile, ...] = ()
    for second, (path, action) in enumerate(asked["touches"]):
        now = NOW.replace(second=second % 60, minute=second // 60)
        event = ToolFinished(tool=action, paths=(path,))
        files = active_files.touch(files, event, root=ROOT, now=now, settings=SESSION)
    return [f"{ROOT}/{file.path}|{file.action}|{file.count}" for file in files[:8]]


AREAS: dict[str, Area] = {
    "quality_gate": Area(_gate, lambda said: said["accepted"]),
    "explicit_extraction": Area(_requests, lambda said: [e["text"] for e in said["entries"]]),
    "candidate_parsing": Area(_candidates, _their_candidates),
    "candidate_parsing_head": Area(_candidates, _their_candidates),
    "keys": Area(_same_key, _their_key),
    "retention_strength": Area(
        _strength,
        lambda said: (
            round(said["initial"], 4),
            round(said["halfLifeDays"], 3),
            round(said["strength"], 3),
        ),
    ),
    "reinforcement": Area(
        _reinforced, lambda said: (said["outcome"] == "reinforced", said["count"])
    ),
    "consolidation": Area(_consolidated, lambda said: sorted(e["id"] for e in said["kept"])),
    "promotion_accounting": Area(_promoted, _their_promotion),
    "render": Area(_shown, _their_lines),
    "redaction": Area(_redacted, lambda said: "[REDACTED]" in said["once"]),
    "error_extraction": Area(
        _errors, lambda said: sorted({(e["category"], e["file"] or None) for e in said}, key=str)
    ),
    "command_category": Area(_purpose, lambda said: said),
    "error_clearing": Area(_cleared, lambda said: said),
    "maybe_fixed": Area(_edited, lambda said: said),
    "active_files": Area(_touched, lambda said: said[:8]),
    "session_file": Area(lambda asked: sid(asked["sessionID"]) + ".json", lambda said: said),
    "workspace_key": Area(lambda asked: key_of(asked["root"]), lambda said: said),
}


# --- deliberate differences ----------------------------------------------------------------------

Reason = tuple[Callable[[Any, Any], bool], str]
"""What our answer and theirs have to be for the reason to hold, and the reason."""


def _always(_ours: Any, _theirs: Any) -> bool:
    return True


_CANDIDATES: tuple[Reason, ...] = (
    (lambda _ours, theirs: theirs is UNRECORDED, "their answer was not recorded for this version"),
    (
        lambda ours, theirs: len(ours[0]) > len(theirs[0]),
        "numbered bullets, short Chinese texts and rules that say 'ignore' are candidates (EX-2, "
        "EX-3); a line like a title ends the section instead of voiding it",
    ),
    (
        lambda ours, theirs: len(ours[0]) < len(theirs[0]),
        "foreign prose in a section makes it unclean, and orders to approve without reading are "
        "refused (EX-2, EX-3)",
    ),
    (
        lambda ours, theirs: bool(ours[0]) and ours[0][0][1].startswith(theirs[0][0][1][:200]),
        "a text is kept whole up to 2,000 characters, never cut silently (WM-1)",
    ),
)
DIFFERENCES: dict[str, tuple[Reason, ...]] = {
    "quality_gate": (
        (
            lambda ours, theirs: ours and not theirs,
            "a sentence that states a rule or a lasting fact passes although it holds a telling "
            "word, a hash, a path or an HTTP verb, and in eight languages (EX-3)",
        ),
    ),
    "explicit_extraction": (
        (
            lambda ours, theirs: theirs and not ours,
            "tasks ('remember to'), fences, pasted output and 'remembering' are no requests (EX-1)",
        ),
        (
            lambda ours, theirs: ours and not theirs,
            "eight languages, and six characters are enough for what a person asked (EX-1, EX-3)",
        ),
        (
            lambda ours, theirs: ours[0].endswith(theirs[0]) or theirs[0].endswith(ours[0]),
            "'I prefer' is part of what is kept; commas and 'the fact that' are not",
        ),
        (
            lambda ours, theirs: ours[0].startswith(theirs[0][:200]),
            "a text is kept whole, never cut silently (WM-1)",
        ),
    ),
    "candidate_parsing": _CANDIDATES,
    "candidate_parsing_head": _CANDIDATES,
    "keys": (
        (
            _always,
            "marks that carry meaning stay (C#), backticks do not, TCP/IP is no path and ~ is part "
            "of one (WM-5)",
        ),
    ),
    "retention_strength": ((_always, "a negative count is none (WM-2)"),),
    "consolidation": (
        (
            lambda ours, theirs: len(ours) > len(theirs),
            "two facts about one file both live, and caps decide what is shown, not what is kept "
            "(WM-4, WM-5)",
        ),
        (_always, "of two spellings of one text the one that is named by ids and pins stays"),
    ),
    "promotion_accounting": (
        (
            lambda ours, _theirs: ours == "promoted",
            "nothing is lost to capacity, to another fact about the file, or to a superseded twin "
            "(WM-4, WM-5, WM-6)",
        ),
    ),
    "render": ((_always, "room goes by strength, not by the order of the sections (WM-4)"),),
    "redaction": (
        (
            lambda ours, theirs: ours and not theirs,
            "known formats and credentials in URLs need no label (TR-1)",
        ),
        (
            lambda ours, theirs: theirs and not ours,
            "what is hidden already stays, and a word of three letters behind Bearer is none",
        ),
    ),
    "error_extraction": (
        (
            _always,
            "one error per place with its file, in the category of the command, from the "
            "tools' own formats; a bare sum of failures names none (HS-2)",
        ),
    ),
    "error_clearing": (
        (_always, "success clears errors of the same command and target only (HS-2)"),
    ),
    "maybe_fixed": ((_always, "a backslash is part of a name outside Windows (HS-2)"),),
    "workspace_key": ((_always, "a description of two folders, not a path"),),
}

NOT_OURS = {
    "active_file_extraction": "agents' payloads are read in wm.domain.payloads, by another shape",
    "compaction_refs": "the numbered list follows strength and carries a snapshot id (EX-2)",
    "hot_render": "sections share the room; secrets are hidden before anything is stored (HS-3)",
    "migration": "stores of the plugin are imported into the inbox, not cleaned in place (CB-6)",
    "v1_core_memory": "no core blocks yet",
    "v1_extract": "errors are read from failed commands only (HS-2)",
    "v1_pool_score": "no pool yet; its scores grow without end there",
    "v1_pressure": "no measure of pressure yet",
    "v1_pressure_config": "no measure of pressure yet",
    "v1_prune": "no pruning of tool output yet",
    "v1_render": "no working memory of its own; hot state is frozen for an epoch (EP-1)",
    "v1_sweep": "no cache of tool output yet",
    "v1_working_memory": "no pool yet",
}

UNRECORDED = "not recorded"


@dataclass
class Compared:
    """What became of the cases of one area. reasons: how often each difference has which."""

    agree: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    unexplained: list[str] = field(default_factory=list)


def compare(cases: Sequence[Input]) -> dict[str, Compared]:
    found: dict[str, Compared] = {}
    for case in cases:
        name = case["area"]
        result = found.setdefault(name, Compared())
        if name not in AREAS:
            result.reasons[NOT_OURS.get(name, "an area without a mapping")] += 1
            if name not in NOT_OURS:
                result.unexplained.append(_difference(case, "", ""))
            continue
        ours, theirs = AREAS[name].ours(case["input"]), _theirs(case)
        if ours == theirs:
            result.agree += 1
        elif reason := _reason(name, ours, theirs):
            result.reasons[reason] += 1
        else:
            result.unexplained.append(_difference(case, ours, theirs))
    return found


def _theirs(case: Input) -> object:
    said = case["peer_output"]
    if said is None and case["area"] != "command_category":
        return UNRECORDED
    return AREAS[case["area"]].theirs(said)


def _reason(name: str, ours: Any, theirs: Any) -> str:
    return next((why for holds, why in DIFFERENCES.get(name, ()) if holds(ours, theirs)), "")


def _difference(case: Input, ours: object, theirs: object) -> str:
    return f"{json.dumps(case['input'], ensure_ascii=False)[:200]}: {ours} instead of {theirs}"


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench peer_vectors",
        description="Compare the rules with recorded answers of the plugin that came before.",
    )
    parser.add_argument("path", type=Path, metavar="PATH", help="JSON, gzipped or not")
    asked = parser.parse_args(argv)
    if not asked.path.exists():
        print(f"skipped: there is no {asked.path}, and nothing of it is part of the project")
        return 0
    data = asked.path.read_bytes()
    text = gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
    return _report(compare(json.loads(text)["cases"]))


def _report(found: dict[str, Compared]) -> int:
    for name, result in found.items():
        differ = sum(result.reasons.values())
        print(
            f"{name}: {result.agree} agree, {differ} differ, {len(result.unexplained)} unexplained"
        )
        for reason, count in result.reasons.items():
            print(f"    {count} x {reason}")
        for difference in result.unexplained:
            print(f"    UNEXPLAINED {difference}")
    agree = sum(result.agree for result in found.values())
    differ = sum(sum(result.reasons.values()) for result in found.values())
    left = sum(len(result.unexplained) for result in found.values())
    print(f"together: {agree} agree, {differ} differ for a reason, {left} unexplained")
    return 1 if left else 0
