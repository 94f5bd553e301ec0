"""Linear-time matching of foreign text (EX-6, TR-5). `re` never sees what others wrote."""

from __future__ import annotations

from typing import Any

import re2

Pattern = Any
"""A compiled google-re2 pattern: the methods of `re.Pattern` that re2 has."""


def compile(text: str, *, ignore_case: bool = False, multi_line: bool = False) -> Pattern:
    """A compiled pattern. Raises re2.error for what re2 cannot match in linear time."""
    flags = ("i" if ignore_case else "") + ("m" if multi_line else "")
    options = re2.Options()
    options.log_errors = False
    return re2.compile(f"(?{flags}){text}" if flags else text, options=options)


def words(text: str) -> frozenset[str]:
    """A set of words, written as one text."""
    return frozenset(text.split())
