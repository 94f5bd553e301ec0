"""Use cases on what proxies passed on."""
