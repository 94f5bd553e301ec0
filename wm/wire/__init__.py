"""The Messages API without a socket: bodies, streams, usage. Pure; bytes in, values out.

Nothing here changes what passes. Unknown fields, events and blocks are no errors: what is not
understood is not told of.
"""
