"""Use cases on the entries of a workspace."""
