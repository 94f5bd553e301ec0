"""Rules for the memory of a workspace."""
