"""`wm diag`: reports about memory and evidence (EV-3). Reads only."""
