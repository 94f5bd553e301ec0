"""`--json` of every verb fits its schema, on the files and through the daemon."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from tests.cli.terminal import Terminal
from tests.docs.printed import PRINTS, PROBLEM
from tests.docs.schemas import validate_printed
from tests.docs.screens import EVENTS, SESSION
from wm.cli.app import commands
from wm.cli.context import Caller

NO_JSON = {
    "daemon",
    "hook",
    "mcp",
    "open",
    "run",
    "statusline",
    "completion",
    "help",
    "inbox review",
}
"""Verbs whose output has another form: a log, an agent's own, one line, a script."""

ONE = "We deploy with `make ship`."

LINES: dict[str, tuple[str, ...]] = {
    "status": ("status",),
    "logs": ("logs",),
    "inspect": ("inspect", "--all"),
    "show": ("show", "{entry}"),
    "search": ("search", "deploy"),
    "why": ("why", "{entry}"),
    "why-not": ("why-not", "All 40 tests pass now."),
    "why not": ("why", "--not", "All 40 tests pass now."),
    "history": ("history", "--limit", "1"),
    "show history": ("show", "--history", "--limit", "1"),
    "output": ("output", "{output}", "--lines", "2:4"),
    "objects list": ("objects",),
    "objects policy": ("objects", "policy", "tight"),
    "diag status": ("diag",),
    "diag rejected": ("diag", "rejected", "--since", "7d"),
    "diag missing": ("diag", "missing"),
    "diag explain": ("diag", "explain", "{entry}"),
    "diag commands": ("diag", "commands"),
    "diag quality": ("diag", "quality"),
    "diag alike": ("diag", "alike"),
    "diag trace": ("diag", "trace"),
    "diag coverage": ("diag", "coverage"),
    "diag disappearances": ("diag", "disappearances"),
    "diag health": ("diag", "health"),
    "diag audit": ("diag", "audit"),
    "diag revert": ("diag", "revert", "{entry}"),
    "state init": ("state", "init", "Ship the berth planner."),
    "state show": ("state",),
    "state set": ("state", "set", "next_actions", "--append", "Write the tests."),
    "state validate": ("state", "validate"),
    "handoff": ("handoff",),
    "budget check": ("budget",),
    "budget prune": ("budget", "prune", "--dry-run"),
    "recap": ("recap",),
    "session list": ("session",),
    "session show": ("session", "show", "8d2f"),
    "session core set": ("session", "core", "set", "goal", "Mend the berths."),
    "session core append": ("session", "core", "append", "goal", "Then the docks."),
    "session core show": ("session", "core"),
    "session working add": ("session", "working", "add", "--slot", "todo", "Call the harbour."),
    "session working show": ("session", "working"),
    "session working remove": ("session", "working", "remove", "harbour"),
    "session working clear": ("session", "working", "clear", "--slot", "error"),
    "session continue": ("session", "continue"),
    "session delete": ("session", "delete", "8d2f", "--dry-run"),
    "workspace list": ("workspace",),
    "workspace link": ("workspace", "link"),
    "remember": ("remember", "We use Postgres 16 in tests."),
    "learn": ("learn",),
    "edit": ("edit", "{entry}", "We deploy with `make sail`."),
    "pin": ("pin", "{entry}"),
    "importance": ("importance", "{entry}", "high"),
    "inbox list": ("inbox",),
    "inbox edit": ("inbox", "edit", "{waiting}", "--wait", "The demo tenant is Zebra."),
    "inbox accept": ("inbox", "accept", "{waiting}"),
    "share": ("share", "{entry}"),
    "team list": ("team",),
    "unshare": ("unshare", "{entry}"),
    "forget": ("forget", "{entry}"),
    "forget list": ("forget", "--list"),
    "restore": ("restore", "{entry}"),
    "undo list": ("undo", "--list"),
    "rollback": ("rollback", "--since", "1m", "--dry-run"),
    "undo since": ("undo", "--since", "1m", "--dry-run"),
    "undo": ("undo",),
    "import": ("import", "--dry-run"),
    "export": ("export",),
    "export file": ("export", "-o", "out.json"),
    "gc": ("gc", "--dry-run"),
    "fsck check": ("fsck",),
    "config show": ("config", "memory"),
    "config allow-secret": ("config", "allow-secret", "--list"),
    "models list": ("models",),
    "models use": ("models", "use", "embedded"),
    "models test": ("models", "test", "embedded"),
    "models helper": ("models", "helper"),
    "doctor": ("doctor", "--no-proof"),
    "setup": ("setup", "--dry-run"),
    "unsetup": ("unsetup", "--dry-run"),
}
"""What is printed -> a command line for it; in this order, because some change what is there."""

BY_OPTION = {
    *("export file", "forget list", "inbox several", "show history", "undo list", "undo since"),
    *("unshare purge", "why not"),
}
"""Another form of a verb's JSON, with an option of it."""

ELSEWHERE = {
    *(
        "up",
        "down",
        "fsck repair",
        "inbox reject",
        "inbox several",
        "workspace mv",
        "workspace unlink",
        "proxy",
    ),
    *("objects show", "objects restore", "objects why", "objects purge"),
    *("replay", "audit", "models import", "models pull", "models remove"),
    *("sync", "unshare purge", "team leave"),
    PROBLEM,
}
"""Tested below, or with the mistakes, with the proxy, or in `tests/sync`."""


def test_every_verb_has_a_schema_and_a_case() -> None:
    assert set(LINES) | ELSEWHERE == set(PRINTS)
    leaves = {path for verb, command in commands().items() for path in _leaves(verb, command)}
    assert leaves - NO_JSON == set(PRINTS) - {PROBLEM, *BY_OPTION}


def _leaves(path: str, command: click.Command) -> list[str]:
    if not isinstance(command, click.Group):
        return [path]
    return [
        leaf for name, one in command.commands.items() for leaf in _leaves(f"{path} {name}", one)
    ]


def fits(user: Terminal, verb: str, *words: str) -> Any:
    said = user.wm(*words, "--json")
    assert said.code == 0, (verb, said)
    validate_printed(verb, said.json)
    assert said.err == ""
    return said.json


def test_the_json_of_every_verb_fits_its_schema(user: Terminal) -> None:
    entry = user.remember(ONE)
    waiting = user.remember("hm")
    for event in EVENTS:
        _record(user, event)
    handle = _record(user, LISTED).pruned.handle
    for verb, words in LINES.items():
        ids = {"entry": entry, "waiting": waiting, "output": handle}
        fits(user, verb, *(w.format(**ids) for w in words))


LISTED = {
    "kind": "tool_finished",
    "tool": "bash",
    "command": "ls",
    "replaceable": "\n".join(f"bays/pier/crate-{n}.yaml" for n in range(100)),
}


def _record(user: Terminal, event: dict[str, Any]) -> Any:
    with user.inside(user.repo, user.env):
        return Caller(user.settings(), "", "").call("record_event", **SESSION, event=event)


def test_the_other_outputs_fit_their_schema(user: Terminal) -> None:
    rejected = fits(user, "inbox reject", "inbox", "reject", user.remember("hm"))
    assert rejected["entry"]["text"] == "hm"
    two = [user.remember("hm"), user.remember("hmm")]
    done = fits(user, "inbox several", "inbox", "accept", *two)
    assert [entry["status"] for entry in done["entries"]] == ["active", "active"]
    user.remember(ONE)
    moved = user.repo.parent / "moved"
    moved.mkdir()
    user.repo.rename(moved / "ferry")
    before, user.repo = user.repo, moved / "ferry"
    linked = user.wm("workspace", "unlink", "--json")
    assert (linked.code, linked.json["type"]) == (1, "user_error")
    assert fits(user, "workspace mv", "workspace", "mv", str(before), str(user.repo))["message"]
    assert user.wm("search", "deploy").code == 0


def test_up_down_and_repair_fit_their_schema_and_repair_requires_a_stopped_daemon() -> None:
    with TemporaryDirectory(prefix="wm-", ignore_cleanup_errors=True) as folder:
        user = Terminal(Path(folder))
        assert fits(user, "down", "down") == {"stopped": False}
        try:
            assert fits(user, "up", "up")["started"] is True
            assert fits(user, "up", "up")["started"] is False
            said = user.wm("fsck", "repair", "--json")
            assert (said.code, said.json["detail"]) == (
                1,
                "The daemon is running; repair needs exclusive access to the files.",
            )
        finally:
            down = fits(user, "down", "down")
        assert down["stopped"] is True
        assert fits(user, "fsck repair", "fsck", "repair") == {"sound": True, "findings": []}


def test_missing_lines_of_an_output_are_reported(user: Terminal) -> None:
    for event in EVENTS:
        _record(user, event)
    handle = _record(user, LISTED).pruned.handle
    said = user.wm("output", handle, "--grep", "no such line")
    assert (said.code, said.out, said.err) == (1, "", "That selects no line of it.\n")
    assert user.wm("output", handle, "--grep", "no such line", "--json").code == 1
    assert user.wm("output", handle, "--grep", "crate-7.").code == 0
