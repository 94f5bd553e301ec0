"""What a session teaches: requests to remember, candidates, and the origin of their words."""
