"""Use cases that import what other programs remember. An import can be repeated and undone."""
