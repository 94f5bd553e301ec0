"""Replay recorded work offline: what it cost, and where the tokens went (PX-11)."""
