"""`python -m wm.daemon`: the daemon without the command line around it, as `start` runs it."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress

from wm.daemon.lean import stay_lean


def detach() -> None:
    """Leave the caller's session, folder and descriptors. What the caller had open is its own:
    a pipe that we kept would never end for whoever reads it (F27)."""
    os.setsid()
    if os.fork():
        os._exit(0)
    os.chdir("/")
    os.umask(0o077)
    _close_inherited()


def _close_inherited() -> None:
    try:
        names = os.listdir("/dev/fd")
    except OSError:  # a container may have no /proc
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        return
    for name in names:
        if int(name) > 2:
            with suppress(OSError):  # the listing's own is among them
                os.close(int(name))


def main(arguments: list[str]) -> int:
    """Serve until told to stop. Says why on stderr where it cannot."""
    background = "--background" in arguments
    if background:
        detach()
    # What is imported now stays for good: looking for garbage in it costs the start a tenth.
    # The daemon turns the collector on once it has answered.
    gc.disable()
    stay_lean()
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
