"""Paths, identifiers and numbers of a text: what a shorter form must not lose or invent. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from wm.domain.paging.stubs import names_in
from wm.text.jsontext import as_list
from wm.text.patterns import Lazy

_PATH = Lazy(r"(?:[\w.~-]*/)+[\w-]+(?:\.\w+)*|\b[\w-]+\.[a-z]{1,4}\b")
_NUMBER = Lazy(r"\d[\d,]*(?:\.\d+)*")
_NUMBERED = Lazy(r"\b[A-Za-z_]+\d\w*")
"""A name with a digit."""
_WORD = Lazy(r"\b[A-Za-z_]\w*")
_LEAST_DIGITS = 2
"""A shorter number may be a count that the model made."""


def entities(text: str) -> tuple[str, ...]:
    """Each once: paths, then identifiers, also short ones with a digit (`pier7`), then numbers,
    each kind in the order of the text."""
    paths = [text[start:end] for start, end in _PATH.spans(text)]
    names = sorted(names_in(text), key=lambda name: (text.find(name), name))
    kept = (one for one in _numbers(text) if sum(map(str.isdigit, one)) >= _LEAST_DIGITS)
    return tuple(dict.fromkeys((*paths, *names, *_numbered(text), *kept)))


def _numbered(text: str) -> Iterator[str]:
    for start, end in _NUMBERED.spans(text):
        is_version = text[end : end + 1] == "." and text[end + 1 : end + 2].isdigit()
        if not is_version:
            yield text[start:end]


def _numbers(text: str) -> list[str]:
    return [text[start:end].rstrip(",") for start, end in _NUMBER.spans(text)]


def missing_in(text: str, wanted: Iterable[str]) -> list[str]:
    """Those of the entities that a text lacks. A number or a name may not be part of another."""
    known = {*_numbers(text), *_WORD.findall(text)}
    return [
        one
        for one in wanted
        if one not in known and (one not in text or _WORD.fits(one) or _NUMBER.fits(one))
    ]


def plain(text: str) -> str:
    """The words of a text with single spaces: how quotations are compared."""
    return " ".join(text.split())


def json_in(reply: str) -> Any:
    """The JSON object in a model's reply, which may be in prose or in a fence; None without
    one."""
    begin, end = reply.find("{"), reply.rfind("}")
    try:
        found = json.loads(reply[begin : end + 1]) if 0 <= begin < end else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def texts(value: Any) -> tuple[str, ...]:
    """The strings of a list; () for anything else."""
    found = as_list(value)
    return tuple(one.strip() for one in found if isinstance(one, str) and one.strip())
