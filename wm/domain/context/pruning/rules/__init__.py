"""The rules of the table, one family of output a file (PR-4)."""
