"""`python -m wm` is the `wm` command; so is `python -I …/wm/__main__.py`.

Agents start it by path: that finds this package, and what is installed beside it, whatever
PYTHONPATH, the current folder or the user's site say (`wm.agents.hook_lines.WmCommand`).
"""

import sys

if not __package__:
    sys.path.insert(0, __file__.rpartition("/wm/")[0])

from wm.cli.main import main

if __name__ == "__main__":
    main()
