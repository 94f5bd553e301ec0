"""Use cases that bring facts into memory."""
