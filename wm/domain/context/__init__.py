"""What a session's context holds: how full it is, and what it is kept small by."""
