"""`wm diag`: what memory and evidence tell about themselves (EV-3). Reads, never writes."""
