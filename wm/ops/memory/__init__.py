"""Use cases on the entries of a workspace. Every change is staged with its evidence."""
