"""Use cases on files in a user's project: contract, handoff, instruction files.

They write only on request and never follow a link out of the project.
"""
