"""Use cases that bring facts into memory: requests, compactions, the journal, and their origins."""
