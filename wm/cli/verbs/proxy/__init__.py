"""Verbs of the proxy, and of sessions that it recorded.

`proxy` and `run` serve; `replay` and `audit` read recordings offline.
"""
