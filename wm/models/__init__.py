"""Models that `wm` calls. Each is optional: without its model a feature does less and says so."""
