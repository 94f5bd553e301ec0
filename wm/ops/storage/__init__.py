"""Use cases that check, sweep and repair the data folder. Rules decide what may be deleted."""
