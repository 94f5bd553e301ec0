"""A decision that one person tells Claude Code reaches another person's OpenCode, through git."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients.agents import CLAUDE, OPENCODE
from tests.clients.harness import Machine
from tests.clients.scripts import answer, say, script, turns
from tests.clients.wired import Wired, memory_blocks

pytestmark = pytest.mark.clients

STATEMENT = "Please remember that we decided to deploy with `make ship`, which tags the release."
FACT = "make ship"


@pytest.fixture
def remote(machine: Machine) -> Path:
    """The project's remote, to which the first person has pushed the project."""
    bare = machine.root / "shop.git"
    machine.tool("git", "init", "-q", "--bare", "-b", "main", str(bare))
    machine.tool("git", "remote", "add", "origin", str(bare))
    machine.tool("git", "push", "-q", "origin", "main")
    _introduce(machine, "Ann")
    return bare


@pytest.fixture
def ben(machine: Machine, remote: Path) -> Iterator[Machine]:
    """Another person, with a home and a clone of their own."""
    root = Path(tempfile.mkdtemp(prefix="wmb-")).resolve()
    other = Machine(root, machine.clients, machine.upstream)
    other.prepare()
    shutil.rmtree(other.repo)
    machine.tool("git", "clone", "-q", str(remote), str(other.repo))
    _introduce(other, "Ben")
    yield other
    other.end_strays()
    shutil.rmtree(root, ignore_errors=True)


def _introduce(machine: Machine, name: str) -> None:
    machine.tool("git", "config", "--global", "user.name", name)
    machine.tool("git", "config", "--global", "user.email", f"{name.lower()}@example.org")


def shared_by(ann: Machine, wm: Wired) -> None:
    """Ann tells Claude Code a decision, shares it and syncs."""
    ann.upstream.script = script(*turns(answer(say("Noted."))))
    stated = CLAUDE.run(ann, STATEMENT)
    assert stated.code == 0, stated.out + stated.err
    [entry] = (view["entry"] for view in wm.ask("inspect")["entries"])
    ann.tool("wm", "share", entry["id"])
    assert "1 entry" in ann.tool("wm", "sync", "--yes")


def first_blocks(person: Machine) -> list[str]:
    """What wm puts into the first request of a new session of OpenCode."""
    person.upstream.script = script(*turns(answer(say("I see."))))
    ran = OPENCODE.run(person, "How do we deploy?")
    assert ran.code == 0, ran.out + ran.err
    return memory_blocks(person.upstream.of_kind("main", ran.session)[0].request)


def test_a_shared_decision_waits_for_approval_and_then_is_in_the_first_request(
    machine: Machine, wm: Wired, ben: Machine
) -> None:
    shared_by(machine, wm)
    his = Wired(ben)
    his.setup()
    assert "1 entry waiting for your approval" in ben.tool("wm", "sync")
    assert not [block for block in first_blocks(ben) if FACT in block]
    assert "Ann" in ben.tool("wm", "inbox")
    [waiting] = (view["entry"] for view in his.ask("inbox")["entries"])
    ben.tool("wm", "inbox", "accept", waiting["id"])
    [block] = first_blocks(ben)
    assert FACT in block
    assert "Ann" in block


def test_with_the_rule_all_it_is_in_the_first_request_with_its_authors_name(
    machine: Machine, wm: Wired, ben: Machine
) -> None:
    shared_by(machine, wm)
    file = ben.home / ".config" / "wm" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('[team]\naccept = "all"\n')
    his = Wired(ben)
    his.setup()
    ben.tool("wm", "sync")
    [block] = first_blocks(ben)
    assert FACT in block
    assert "Ann" in block
    assert his.texts()
