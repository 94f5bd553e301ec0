"""`python -m wm.daemon`: run the daemon without the command line around it, as `start` does."""

from __future__ import annotations

import gc
import os
import sys

# What is imported here lives as long as the process: collecting garbage among it takes a tenth of
# the start. The daemon enables the collector after its first answer.
gc.disable()

from wm.daemon.lifecycle import detach  # noqa: E402
from wm.daemon.serve import serve  # noqa: E402
from wm.errors import WmError  # noqa: E402
from wm.ops.local import open_runtime  # noqa: E402
from wm.settings import load  # noqa: E402


def main(arguments: list[str]) -> int:
    """Serve until asked to stop. Errors go to stderr."""
    background = "--background" in arguments
    if background:
        detach()
    try:
        return serve(load(), open_runtime, background=background)
    except WmError as error:
        os.write(2, f"{error.message} {error.fix}".strip().encode("utf-8", "replace") + b"\n")
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
