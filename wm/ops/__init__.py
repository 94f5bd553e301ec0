"""Use cases: load, decide, save. No sockets, no printing.

A use case is an `Operation` (`ops.operation`); its rules are in `wm.domain`. The socket, the
command line and the library run the same ones.
"""
