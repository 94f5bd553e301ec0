"""Verbs of the proxy, and of sessions that it recorded."""
