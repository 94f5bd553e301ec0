"""What stands between the agents and the socket."""
