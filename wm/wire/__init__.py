"""The Messages API without sockets: bodies, streams, usage. Pure; bytes in, values out.

Never changes the forwarded bytes. Unknown fields, events and blocks are not errors: they are
skipped.
"""
