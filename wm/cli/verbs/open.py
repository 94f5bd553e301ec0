"""`wm open`: shows the memory in a browser; the page ends soon after its last tab (UI-1).

Starts the daemon; if that fails, the page works on the files.
"""

from __future__ import annotations

import contextlib
import getpass
import webbrowser

import click

from wm.cli import output
from wm.cli.context import Caller, lasting_options
from wm.cli.options import flag, number
from wm.daemon.lifecycle import start
from wm.errors import Unavailable
from wm.page.serve import Opened, serve
from wm.settings import Desktop, find_desktop


@click.command("open")
@number(
    "--port",
    most=65535,
    default=0,
    metavar="PORT",
    help="Serve on this port of the loopback; without it any free one.",
)
@flag("--no-browser", help="Only print the address.")
@lasting_options
def command(caller: Caller, port: int, no_browser: bool) -> int:
    """Browse and search the memory in a browser, decide about the inbox, watch a session.

    Serves a page on this machine only, for you only, until it was closed for some minutes or you
    press Ctrl-C.
    """
    with contextlib.suppress(Unavailable):  # the page then works on the files
        start(caller.settings)
    key = caller.call("inspect", limit=0).place.key
    desktop = find_desktop()
    serve(caller.settings, key, port=port, opened=lambda page: _opened(page, desktop, no_browser))
    output.line("The page is closed.")
    return 0


def _opened(page: Opened, desktop: Desktop, no_browser: bool) -> None:
    launched = not no_browser and desktop.graphical and webbrowser.open(page.file.as_uri())
    output.line("Your browser opens." if launched else "Open this address in your browser:")
    output.line(f"  {page.address}")
    if desktop.ssh_server:
        forward = f"-L {page.port}:127.0.0.1:{page.port}"
        output.line("From the machine in front of you, forward the port first:")
        output.line(f"  ssh -N {forward} {getpass.getuser()}@{desktop.ssh_server}")
    output.line("It works once and only for you. Ctrl-C closes the page.")
