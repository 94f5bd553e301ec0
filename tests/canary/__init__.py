"""Secrets that must not be in any byte that `wm` writes (TR-1): `python -m tests.canary`."""
