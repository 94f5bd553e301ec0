"""Verbs for the daemon, the agents and the models."""
