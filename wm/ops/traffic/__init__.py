"""Use cases on what proxies report: flows, recorded bodies, conversations. All text is redacted."""
