"""The door to the hook client: for `wm hook`, and as a script for the agents (IF-3).

A script is compiled at every start, a module once. So the script is these few lines, and what
it does stands in `hook_client`, found beside it: `-I` keeps this folder off the path, and
importing the package would cost as much again.
"""

import posix
import sys

if __name__ == "__main__":
    sys.path.insert(0, __file__.rpartition("/")[0])
    import hook_client  # type: ignore[import-not-found, unused-ignore]

    # Our file names are no top-level modules for the library that may be imported now.
    del sys.path[0]
    code = hook_client.main(sys.argv[1:])
    # Everything is written and flushed: taking the interpreter down would only cost.
    posix._exit(code)

from wm.agents.hook_client import main

__all__ = ["main"]
