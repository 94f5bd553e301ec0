"""`wm daemon`: this process becomes the daemon of this user.

Apart from the verbs that start and stop one, which need neither the store nor an event loop.
"""

from __future__ import annotations

import click

from wm.cli.context import Caller, workspace_options
from wm.daemon.serve import serve
from wm.ops.local import open_runtime


@click.command("daemon")
@workspace_options
def daemon(caller: Caller) -> int:
    """Run in the foreground until SIGTERM. Takes sockets from systemd or launchd if given."""
    return serve(caller.settings, open_runtime)
