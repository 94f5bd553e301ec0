"""Search over memories: words, vectors, ranking, and how results are shown.

Works on documents in memory: opens no file, runs no model, changes no entry.
"""
