"""What stands on disk and goes over the socket. Pure: no files, no clocks."""
