"""The integrations that connect agents to the daemon's socket: hooks, plugin, MCP server, setup.

They pass payloads on and print answers; what is remembered is decided by the use cases.
"""
