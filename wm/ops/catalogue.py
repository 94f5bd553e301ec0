"""All use cases by name, for the routes, the client and the command line.

A use case is imported on first use: most processes need one, and a daemon never loads an unused
diagnosis. A process that only talks to the daemon needs the response model alone (`answer_model`),
which takes a third of a command's time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wm.formats.base import Record

if TYPE_CHECKING:
    from wm.ops.operation import Operation

_TABLE = Path(__file__).with_name("operations.txt").read_text("utf-8")
_ROWS = {row[0]: row[1:] for row in map(str.split, _TABLE.splitlines()) if row[0] != "#"}


class Catalogue(Mapping[str, "Operation[Any, Any]"]):
    """Operations by name, each imported on first use."""

    def __getitem__(self, name: str) -> Operation[Any, Any]:
        module = import_module(f"wm.ops.{_ROWS[name][0]}")
        operation: Operation[Any, Any] = getattr(module, name)
        return operation

    def __iter__(self) -> Iterator[str]:
        return iter(_ROWS)

    def __len__(self) -> int:
        return len(_ROWS)


OPERATIONS = Catalogue()


def answer_model(name: str) -> type[Record]:
    """The response model of a use case, without importing the use case."""
    module, _, model = _ROWS[name][1].rpartition(".")
    found: type[Record] = getattr(import_module(f"wm.{module}"), model)
    return found
