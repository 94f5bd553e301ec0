"""Use cases for searching memories and for managing the embedding models."""
