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
    """Run the daemon in the foreground, until SIGTERM or Ctrl-C. `wm up` needs no terminal.

    Takes sockets from systemd or launchd if they give some.
    """
    return serve(caller.settings, open_runtime)
