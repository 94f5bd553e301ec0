"""`wm completion SHELL`."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from wm.cli import app, output


@click.command("completion", short_help="Print the completion script for your shell.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> int:
    """Print a script; for bash: eval "$(wm completion bash)" in ~/.bashrc."""
    kind = get_completion_class(shell)
    assert kind is not None
    output.line(kind(app.application, {}, "wm", "_WM_COMPLETE").source())
    return 0
