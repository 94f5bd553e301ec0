"""Use cases for searching memories and for managing the embedding models.

They own the index and the vectors of a process; both can be rebuilt from the documents.
"""
