"""`wm setup` and `wm unsetup`: changes the settings of the agents on this machine.

Says what would change and why, and asks before it writes (IF-5). `wm.agents.setup` decides what
changes.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

import click

from wm.agents import other_agents, setup_apply, setup_facts
from wm.agents import setup as agent_setup
from wm.cli import output
from wm.cli.agent_facts import look
from wm.cli.context import Caller, json_option, workspace_options
from wm.cli.options import Decorator, choice, flag
from wm.cli.verbs.setup.daemon import replace_outdated, restart
from wm.daemon.instance import has_listener
from wm.settings.memory import LEARN_MODES

TITLES = {
    "": "wm",
    setup_facts.LEARNING: "wm",
    setup_facts.OPENCODE: "OpenCode",
    setup_facts.SERVICE: "The daemon",
}
"""Whose change it is -> the title above its lines; other agents have it in their dialects."""


FIRST = (
    "next: start an agent in a repository and say: remember that we deploy with make ship",
    "in a repository where you worked before: wm import --from transcripts --dry-run",
    "to check that it works: wm doctor",
)
"""What to do after setup."""


MCP = "mcp"
"""In place of an agent: every other client of MCP."""

LOADED_FIRST = "import wm.daemon.__main__, wm.ops.local_hooks"
"""The modules of a session's first hook and of the daemon."""


def agent_option(which: str, *more: str) -> Decorator:
    """which: the agents that are used if none is named. more: further values."""
    return click.option(
        "--agent",
        "agents",
        multiple=True,
        type=click.Choice([*setup_facts.AGENTS, *more]),
        help=f"Only this agent; may be repeated. Default: {which}",
    )


def plan_options(command: Callable[..., int]) -> Any:
    """The options of `carry_out`."""
    yes = flag("--yes", "-y", help="Do it without asking.")
    dry_run = flag("--dry-run", help="Show what would be changed, and change nothing.")
    diff = flag("--diff", help="Show every byte that would be changed.")
    # The option's name in older versions, where the diff of the user's files was always shown.
    full = click.option("--full", "diff", is_flag=True, hidden=True)
    return yes(dry_run(full(diff(json_option(workspace_options(command))))))


@click.command("setup")
@agent_option("those that are found. mcp: print what to add to any other agent.", MCP)
@flag("--service", help="Also let systemd or launchd start the daemon when it is needed.")
@choice("--learn", LEARN_MODES, help="What to do with what you say in passing.")
@plan_options
def setup(caller: Caller, agents: tuple[str, ...], service: bool, learn: str, **how: bool) -> int:
    """Add wm to the settings of the agents found here. `wm unsetup` restores every byte.

    A second run changes nothing. Settings of other users are not touched.

    The first run asks what to do with a sentence that you mean to last and do not ask to remember:
    active keeps it at once and shows you its undo, inbox asks you first, off ignores it. --learn
    answers in advance; with --yes alone it is active. An installation from before wm learned in
    passing keeps such sentences in the inbox until you choose.
    """
    if MCP in agents:
        _print_server(as_json=how["as_json"])
        agents = tuple(agent for agent in agents if agent != MCP)
        if not agents:
            return 0
    facts = look(caller.settings)
    if not learn and (agents or facts.found) and not agent_setup.is_learning_chosen(facts):
        learn = _mode(facts, asks=not (how["yes"] or how["as_json"] or how["dry_run"]))
    if not learn and agent_setup.is_from_before(facts) and not how["as_json"]:
        output.note("What you say in passing waits in the inbox: wm setup --learn active keeps it.")
    plan = agent_setup.plan_setup(facts, agents=agents, service=service, learn=learn)
    code = carry_out(plan, done="Wired. ", **how)
    if code == 0 and plan.changes and not how["dry_run"] and not how["as_json"]:
        output.hint("\n".join(FIRST))
    if code == 0 and not how["dry_run"] and (how["yes"] or not how["as_json"]):
        _load_once()
        _renew_daemon(caller, learn)
    return code


def _load_once() -> None:
    """Let Python compile what a session's first hook loads: uv and pipx install it uncompiled.

    Compiling takes 2 s, and more than the hook's deadline on a busy machine; the session would then
    begin without memory. -I, as in a hook: the environment must not turn the compiling off.
    """
    subprocess.run([sys.executable, "-I", "-c", LOADED_FIRST], capture_output=True, check=False)


def _print_server(*, as_json: bool) -> None:
    """The MCP server for an agent whose settings wm does not know."""
    server = {"command": shutil.which("wm") or "wm", "args": ["mcp", "--memory"]}
    shown = {"mcpServers": {"wm": server}}
    if as_json:
        output.as_json(shown)
        return
    output.line("Add this where the agent keeps its MCP servers; some call the section otherwise:")
    output.line()
    output.lines(json.dumps(shown, indent=2, ensure_ascii=False).splitlines())


def _renew_daemon(caller: Caller, learn: str) -> None:
    """Restart a running daemon that is of another wm, or that still learns in another mode."""
    settings = caller.settings
    why = replace_outdated(settings)
    if not why and learn and learn != settings.memory.learn and has_listener(settings.paths.socket):
        restart(settings)
        why = f"it now learns as you chose: {learn}"
    if why:
        output.note(f"The daemon was restarted: {why}.")


def _mode(facts: setup_facts.MachineFacts, *, asks: bool) -> str:
    """The mode of learning: the person's answer, else the default."""
    default = "inbox" if agent_setup.is_from_before(facts) else "active"
    if asks and sys.stdin.isatty():
        output.line("When you say something that is meant to last and do not ask to remember it,")
        output.line("wm can keep it at once (active), ask you first (inbox), or ignore it (off).")
        return output.chosen("Learn", LEARN_MODES, default)
    return "" if agent_setup.is_from_before(facts) else default


@click.command("unsetup")
@agent_option("everything that setup did.")
@plan_options
def unsetup(caller: Caller, agents: tuple[str, ...], **how: bool) -> int:
    """Undo `wm setup`. A file that was not changed since is restored byte for byte.

    From a file that you changed since, only wm's own parts are removed. Memory stays.
    """
    plan = agent_setup.plan_unsetup(look(caller.settings), agents=agents)
    return carry_out(plan, done="Undone. ", **how)


def carry_out(
    plan: agent_setup.SetupPlan, *, done: str, yes: bool, dry_run: bool, diff: bool, as_json: bool
) -> int:
    """Show a plan, ask, and carry it out."""
    if as_json:
        return _as_json(plan, yes=yes, dry_run=dry_run)
    _print_changes(plan.changes)
    for note in plan.notes:
        output.lines(output.wrap(note, output.width(), keep_words=True))
    for sentence in plan.refused.values():
        output.problem(sentence)
    wrong = 1 if plan.refused else 0
    if plan.nothing_to_do:
        output.line("Nothing to do." if not wrong else "Nothing else to do.")
        return wrong
    if diff:
        output.line()
        output.lines(_coloured(plan.diff))
    elif not yes:
        output.hint("every byte of it: the same command with --diff --dry-run")
    if dry_run:
        return wrong
    if not yes and not output.confirm("Make these changes?"):
        output.note("Nothing was changed. Use --yes to answer in advance.")
        return 1
    applied = setup_apply.apply(plan)
    success = "" if applied.problems else done
    output.line(f"{success}{output.count(len(applied.changed), 'file')} changed.")
    for problem in applied.problems:
        output.problem(problem)
    return 1 if applied.problems else wrong


def _print_changes(changes: Sequence[agent_setup.FileChange]) -> None:
    """By agent, one line for a file and one for its purpose. Files of one purpose in one folder are
    one line."""
    for title, of_agent in groupby(changes, key=_title):
        output.line(f"{title}:")
        alike = groupby(of_agent, key=lambda one: (one.say, one.path.parent, one.purpose))
        for (say, folder, purpose), group in alike:
            files = list(group)
            several = f"{folder}/ ({len(files)} files)"
            path = str(files[0].path) if len(files) == 1 else several
            output.line(f"  {say}: {output.home_short(path)}")
            if purpose:
                output.lines(output.wrap_block(purpose, indent=6))


def _title(change: agent_setup.FileChange) -> str:
    return TITLES.get(change.agent) or other_agents.title(change.agent)


def _as_json(plan: agent_setup.SetupPlan, *, yes: bool, dry_run: bool) -> int:
    act = yes and not dry_run and not plan.nothing_to_do
    applied = setup_apply.apply(plan) if act else setup_apply.Applied()
    output.as_json(
        {
            "changes": [
                {"path": str(c.path), "agent": c.agent, "what": c.say, "diff": c.diff}
                for c in plan.changes
            ],
            "notes": list(plan.notes),
            "applied": act,
            "problems": [*plan.refused.values(), *applied.problems],
        }
    )
    return 1 if applied.problems or plan.refused else 0


def _coloured(diff: str) -> list[str]:
    paint = {"+": output.good, "-": output.bad, "@": output.dim}
    return [paint.get(text[:1], str)(output.safe(text)) for text in diff.splitlines()]
