"""`wm completion SHELL`: prints the script with which a shell completes verbs and options.

Changes no file: the user adds the line that its help names.
"""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from wm.cli import output


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
