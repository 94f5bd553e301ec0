"""Entry point of the hook client: for `wm hook`, and as a script for the agents (IF-3).

Python compiles a script at every start, but a module only once. So this script is a few lines, and
`hook_client` does the work. It is found beside this file: `-I` keeps this folder off the import
path, and importing the package would take as long again.
"""

import posix
import sys

if __name__ == "__main__":
    sys.path.insert(0, __file__.rpartition("/")[0])
    import hook_client  # type: ignore[import-not-found, unused-ignore]

    # Our file names must not shadow modules that the library may import now.
    del sys.path[0]
    code = hook_client.main(sys.argv[1:])
    # Everything is written and flushed: shutting the interpreter down would only take time.
    posix._exit(code)

from wm.agents.hook_client import main

__all__ = ["main"]
