"""Paths, identifiers and numbers of a text: what a shorter form must not lose or invent. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from wm.domain.paging.stubs import names_in
from wm.text.patterns import Lazy

_PATH = Lazy(r"(?:[\w.~-]*/)+[\w-]+(?:\.\w+)*|\b[\w-]+\.[a-z]{1,4}\b")
_NUMBER = Lazy(r"\d[\d,]*(?:\.\d+)*")
_LEAST_DIGITS = 2
"""A shorter number may be a count that the model made."""


def entities(text: str) -> tuple[str, ...]:
    """Each once: paths, then identifiers, then numbers, each kind in the order of the text."""
    paths = [text[start:end] for start, end in _PATH.spans(text)]
    names = sorted(names_in(text), key=lambda name: (text.find(name), name))
    numbers = [text[start:end].rstrip(",") for start, end in _NUMBER.spans(text)]
    kept = (number for number in numbers if sum(map(str.isdigit, number)) >= _LEAST_DIGITS)
    return tuple(dict.fromkeys((*paths, *names, *kept)))


def missing_in(text: str, wanted: Iterable[str]) -> list[str]:
    """Those of the entities that do not stand in a text. A number may not be part of another."""
    numbers = {text[start:end].rstrip(",") for start, end in _NUMBER.spans(text)}
    return [one for one in wanted if one not in (numbers if one[0].isdigit() else text)]


def plain(text: str) -> str:
    """The words of a text with single spaces: how quotations are compared."""
    return " ".join(text.split())


def json_in(reply: str) -> Any:
    """The JSON object in a model's reply, which may stand in prose or in a fence; None without
    one."""
    begin, end = reply.find("{"), reply.rfind("}")
    try:
        found = json.loads(reply[begin : end + 1]) if 0 <= begin < end else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def texts(value: Any) -> tuple[str, ...]:
    """The strings of a list; () for anything else."""
    found = value if isinstance(value, list) else []
    return tuple(one.strip() for one in found if isinstance(one, str) and one.strip())
