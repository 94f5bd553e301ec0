"""The `wm` command."""
