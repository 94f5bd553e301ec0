"""`python -m wm.daemon`: run the daemon without the command line around it, as `start` does."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress


def detach() -> None:
    """Detach from the caller's session, folder and file descriptors. A caller's pipe that stays
    open here would never end for its reader (F27)."""
    os.setsid()
    if os.fork():
        os._exit(0)
    os.chdir("/")
    os.umask(0o077)
    _close_inherited()


def _close_inherited() -> None:
    try:
        names = os.listdir("/dev/fd")
    except OSError:  # /proc is missing in some containers
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        return
    for name in names:
        if int(name) > 2:
            with suppress(OSError):  # the list includes the descriptor of the listing itself
                os.close(int(name))


def main(arguments: list[str]) -> int:
    """Serve until asked to stop. Errors go to stderr."""
    background = "--background" in arguments
    if background:
        detach()
    # Modules imported here live as long as the process: collecting garbage among them takes a
    # tenth of the start. The daemon enables the collector after its first answer.
    gc.disable()
    from wm.daemon.serve import serve
    from wm.errors import WmError
    from wm.ops.local import open_runtime
    from wm.settings import load

    try:
        return serve(load(), open_runtime, background=background)
    except WmError as error:
        os.write(2, f"{error.message} {error.fix}".strip().encode("utf-8", "replace") + b"\n")
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
