"""One process per user that serves the use cases on a Unix socket."""
