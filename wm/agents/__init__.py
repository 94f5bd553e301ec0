"""The integrations that connect agents to the daemon's socket."""
