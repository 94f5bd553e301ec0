"""Rules for shared memory: clocks, the join of two trees, what leaves, what arrives. Pure."""
