"""Reading what other programs remember: one module per source, listed in `sources`. Pure."""
