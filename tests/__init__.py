"""The tests, and the measurements of `tests.bench`."""

import os

# As in the daemon (`settings.one_numeric_thread`): threads of numpy's library wait in a loop, so a
# decomposition of a matrix of 256 rows took 36 times as long beside other work.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
