"""Recorded outputs of real tools on small projects that were broken on purpose, with labels."""
