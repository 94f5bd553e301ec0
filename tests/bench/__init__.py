"""Measurements, each as a ratio against something in the same run.

    python -m tests.bench            lists them
    python -m tests.bench updates    runs one (several names run several, `all` runs all)

Rounds of the two sides are interleaved and the medians of the per-round ratios are printed,
with the goal beside them. Counts (flushes, wake-ups, bytes) stand where a count says it.
"""
