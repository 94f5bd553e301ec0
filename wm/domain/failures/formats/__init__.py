"""One module per family of tools: how its output reports errors (HS-2).

Each `find` reads the lines of an output once, from top to bottom, and yields what it recognises.
No module knows which command ran; the table assigns that.
"""
