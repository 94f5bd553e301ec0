"""A session that the agent deletes leaves no file of `wm`; entries learned from it stay (GV-1)."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.clients.agents import CLAUDE, OPENCODE
from tests.clients.harness import Machine
from tests.clients.scripts import answer, say, script, think, turns
from tests.clients.wired import Wired, wait_for
from wm.store.paths import sid

pytestmark = pytest.mark.clients

ASK_TO_KEEP = "Please remember that we deploy with `make ship`."


def tree(machine: Machine) -> set[str]:
    """Files of the workspace, but for its evidence and the daemon's own reports."""
    folder = machine.home / ".local" / "share" / "wm" / "workspaces"
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    return {name for name in found if "/evidence/" not in name and "sweep.json" not in name}


def left_of(machine: Machine, session: str) -> list[str]:
    return [name for name in tree(machine) if sid(session) in Path(name).name]


def test_a_session_that_opencode_deletes_leaves_no_file(machine: Machine, wm: Wired) -> None:
    machine.upstream.script = script(
        *turns(answer(think("Noted."), say("I will.")), answer(think("Well."), say("Yes.")))
    )
    kept = OPENCODE.run(machine, ASK_TO_KEEP)
    before = tree(machine)
    gone = OPENCODE.run(machine, "Is it so?")
    assert (kept.code, gone.code) == (0, 0)
    assert left_of(machine, gone.session)
    assert tree(machine) - before
    machine.tool("opencode", "session", "delete", gone.session)
    wait_for("the session's files to go", lambda: not left_of(machine, gone.session))
    assert tree(machine) == before
    assert left_of(machine, kept.session)
    assert any("make ship" in text for text in wm.texts())


def ended_session(machine: Machine) -> str:
    """The id of a session of OpenCode that left files."""
    machine.upstream.script = script(*turns(answer(think("Well."), say("Yes."))))
    run = OPENCODE.run(machine, "Is it so?")
    assert run.code == 0
    assert left_of(machine, run.session)
    return run.session


def test_a_session_that_opencode_deletes_without_a_daemon_leaves_no_file(
    machine: Machine, wm: Wired
) -> None:
    session = ended_session(machine)
    wm.kill()
    machine.tool("opencode", "session", "delete", session)
    wait_for("the session's files to go", lambda: not left_of(machine, session))


def test_a_session_that_opencode_deletes_from_another_folder_leaves_no_file(
    machine: Machine, wm: Wired
) -> None:
    session = ended_session(machine)
    machine.another("elsewhere").tool("opencode", "session", "delete", session)
    wait_for("the session's files to go", lambda: not left_of(machine, session))


def test_a_session_without_its_claude_transcript_is_deleted_by_the_next_sweep(
    machine: Machine, wm: Wired
) -> None:
    machine.upstream.script = script(*turns(answer(think("Noted."), say("I will."))))
    run = CLAUDE.run(machine, ASK_TO_KEEP)
    assert run.code == 0
    transcripts = list((machine.home / ".claude" / "projects").rglob(f"{run.session}.jsonl"))
    assert len(transcripts) == 1
    assert f'"transcript": "{transcripts[0]}"' in state(machine, run.session)
    two_days_old(machine)
    assert wm.ask("gc", "--dry-run")["deleted"] == 0
    transcripts[0].unlink()
    planned = wm.ask("gc", "--dry-run")["logs"][0]
    done = wm.ask("gc")["logs"][0]
    assert planned["files"] == done["files"]
    assert [count["rule"] for count in done["rules"]] == ["lost_transcript"]
    assert not left_of(machine, run.session)
    assert any("make ship" in text for text in wm.texts())


def two_days_old(machine: Machine) -> None:
    at = time.time() - 2 * 86_400
    for path in (machine.home / ".local" / "share" / "wm" / "workspaces").rglob("*"):
        os.utime(path, (at, at))


def state(machine: Machine, session: str) -> str:
    folder = machine.home / ".local" / "share" / "wm" / "workspaces"
    (file,) = folder.rglob(f"sessions/{sid(session)}.json")
    return file.read_text()
