"""Readers of other programs' memories: one module per source, listed in `sources`. Pure."""
