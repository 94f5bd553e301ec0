"""What holds for every test."""

from __future__ import annotations

from hypothesis import settings

# The machine may be busy: how long an example took says nothing. A run that finds something must
# find it again, so every run tries the same examples; `--hypothesis-profile search` tries others.
settings.register_profile("search", deadline=None)
settings.register_profile("same", deadline=None, derandomize=True)
settings.load_profile("same")
