"""One file per verb. Each has a `command`; what it prints is in `wm.cli.output`'s terms."""
