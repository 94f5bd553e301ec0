"""One module per family of tools: what its output looks like when something is wrong (HS-2).

Each `find` reads the lines of an output once, from top to bottom, and yields what it
recognises. None knows which command ran; that is the table's business.
"""
