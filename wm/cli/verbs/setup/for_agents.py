"""`wm hook | statusline | completion`: called by agents and shells.

`wm.cli.main` dispatches hook and statusline before it imports click; this module provides their
help.
"""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from wm.agents import hook_client
from wm.agents.setup import AGENTS
from wm.cli import output


@click.command("hook")
@click.argument("agent", metavar="AGENT", type=click.Choice(list(AGENTS)))
@click.argument("event")
def hook(agent: str, event: str) -> int:
    """Read the EVENT payload of AGENT from standard input and print the hook's answer.

    Agents call this; with these two words the exit code is always 0, so that an agent never stops
    because of wm.
    """
    return hook_client.main(["hook", agent, event])


@click.command("statusline")
def statusline() -> int:
    """Read Claude Code's status from standard input and print one line, or nothing."""
    return hook_client.main(["statusline"])


@click.command("completion")
@click.argument("shell", metavar="SHELL", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> int:
    """Print the completion script for SHELL: bash, zsh or fish.

    For bash and zsh put `eval "$(wm completion bash)"` (or zsh) into ~/.bashrc or ~/.zshrc; for
    fish write it to ~/.config/fish/completions/wm.fish.
    """
    application = click.get_current_context().find_root().command
    kind = get_completion_class(shell)
    assert kind is not None
    output.line(kind(application, {}, "wm", "_WM_COMPLETE").source())
    return 0
