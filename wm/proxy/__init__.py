"""The Messages API proxy: passes requests through and observes them (SPEC PX).

Owns sockets and tasks only: `wm.wire` interprets bytes, the daemon stores records. Rule: a fault
of ours on a request's path leaves its bytes unchanged.
"""
