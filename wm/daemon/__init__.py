"""One process per user that serves the use cases on a Unix socket.

It owns the socket, the queues of updates and the background work. It decides nothing about memory:
everything that it answers, a command can also compute from the files.
"""
