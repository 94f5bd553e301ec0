"""Triggers and types of memory that config.toml adds, from the message to the prompt (IF-8)."""

from __future__ import annotations

from msgspec.structs import replace

from tests.ops.conftest import Bench
from wm.formats.workspace_memory import TYPES
from wm.settings import GateSettings, MemorySettings, Trigger

DRAIN = "Drain the queue before the workers are restarted."
OWN = {**dict.fromkeys(TYPES, 10), "runbook": 3}


def configured(files: Bench) -> Bench:
    settings = replace(
        files.settings,
        memory=MemorySettings(type_caps=OWN),
        gate=GateSettings(triggers=(Trigger("runbook", r"runbook:\s*", type="runbook"),)),
    )
    return Bench(settings, files.project, files.store)


def test_a_trigger_of_the_configuration_is_kept_under_its_type_and_shown(files: Bench) -> None:
    bench = configured(files)
    bench.event("user_prompt", text=f"Fix the build.\nRunbook: {DRAIN}")
    [entry] = bench.memory().entries
    assert (entry.text, entry.type, entry.source) == (DRAIN, "runbook", "explicit")
    assert f"runbook:\n- {DRAIN}" in bench.prompt("s-2").blocks[0].text


def test_a_compaction_may_propose_a_type_of_the_configuration(files: Bench) -> None:
    bench = configured(files)
    bench.event("user_prompt", text="Why did we lose messages?")
    bench.event("compaction_started")
    asked = bench.compaction()
    summary = (
        f"Memory candidates:\nMemory ref snapshot id: {asked.snapshot_id}\n- [runbook] {DRAIN}"
    )
    bench.event("compaction_finished", summary=summary)
    assert [(e.type, e.status) for e in bench.memory().entries] == [("runbook", "inbox")]
