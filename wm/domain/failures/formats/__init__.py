"""One module per family of tools: how its output reports errors (HS-2).

Each `find` reads the lines of an output once, from top to bottom, and yields what it recognises. No
module knows which command ran or opens an error: `checks` chooses the parser, `open_errors` keeps
the list. A line that merely mentions an error is not one; the formats' own marks decide.
"""
