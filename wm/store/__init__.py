"""Files and locks of the data folder. No other package opens files there."""
