"""Find secrets in text and replace them. Pure; the entry point is `redact`."""
