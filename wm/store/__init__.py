"""Files and locks: the only package that opens the data folder."""
