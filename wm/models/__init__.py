"""Models that `wm` calls. Each is optional: a feature without its model does less, and says so."""
