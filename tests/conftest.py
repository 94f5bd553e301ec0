"""What holds for every test."""

from __future__ import annotations

import signal

from hypothesis import HealthCheck, settings

# The machine may be busy: how long an example took says nothing. A run that finds something must
# find it again, so every run tries the same examples; `--hypothesis-profile search` tries others.
UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("search", UNHURRIED)
settings.register_profile("same", UNHURRIED, derandomize=True)
settings.load_profile("same")

# A shell that starts a run in the background has it ignore Ctrl-C, and all that it starts: those
# that are stopped with it would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
