"""Use cases that check, sweep and repair the data folder."""
