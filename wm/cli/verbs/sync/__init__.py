"""Verbs that share memory with others, and with the user's other computers."""
