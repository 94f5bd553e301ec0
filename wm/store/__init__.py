"""Files and locks of the data folder. No other package opens files there.

Writes are atomic and in a fixed order; the content of a document is decided by the caller.
"""
