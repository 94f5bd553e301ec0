"""The `wm` command: parses arguments, calls use cases, prints. Contains no rule about memory."""
