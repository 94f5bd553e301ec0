"""Use cases on the state of one session: events in, prompt text out.

Nothing here admits a fact to the workspace memory; `ops.learning` does.
"""
