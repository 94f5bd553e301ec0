"""Search over memories: words, vectors, ranking, and how results are shown."""
