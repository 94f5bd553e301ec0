"""`python -m wm` is the `wm` command."""

from wm.cli.main import main

if __name__ == "__main__":
    main()
