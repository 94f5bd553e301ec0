"""Verbs for agents' sessions: list and delete them, read and change their own memory."""
