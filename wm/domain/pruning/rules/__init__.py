"""The rules of the table, one family of outputs per module (PR-4)."""
