"""Rules for the memory of a workspace: admission, ranking, ageing, undo. Pure."""
