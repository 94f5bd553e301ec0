"""Verbs for the memory of a workspace: read it, add to it, change it. Models have tools instead."""
