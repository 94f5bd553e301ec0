"""Faults, kills, power cuts, races and flipped bits: `python -m tests.crash`."""
