"""Use cases: load, decide, save. No sockets, no printing."""
