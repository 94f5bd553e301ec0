"""The tests, and the measurements of `tests.bench`."""

import os

# As in the daemon (`settings.one_numeric_thread`). A solution of 256 equations took 36 times as long
# beside other work on two processors, because the threads of numpy's library wait in a loop.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
