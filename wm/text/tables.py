"""Word tables stored as data beside the code of a package.

A package's `words.toml` has one string per table, or one per language of a table; other files
beside a module likewise. Long strings are literal ('''), which are parsed four times as fast. Never
reads a user's file.
"""

from __future__ import annotations

import pkgutil
import tomllib
from functools import cached_property
from typing import Any


class Tables:
    """The word tables of one package, read once, when the first of them is needed."""

    def __init__(self, package: str, file: str = "words.toml") -> None:
        self._package = package
        self._file = file

    @cached_property
    def _tables(self) -> dict[str, Any]:
        data = pkgutil.get_data(self._package, self._file)
        assert data is not None, f"{self._package} was installed without its {self._file}"
        return tomllib.loads(data.decode())

    def rows(self, name: str, *, columns: int = 0) -> list[list[str]]:
        """The words of each line with some. columns: the last one takes the rest of the line."""
        lines = str(self._tables[name]).splitlines()
        return [line.split(None, columns - 1) for line in lines if line]

    def table(self, name: str) -> Any:
        """A table of the file as it is."""
        return self._tables[name]

    def words(self, name: str) -> tuple[str, ...]:
        """The words of a table, in order."""
        return tuple(str(self._tables[name]).split())

    def joined(self, name: str) -> str:
        """The patterns of a table, one a line, as alternatives of one pattern."""
        return "|".join(f"(?:{row})" for row in self._tables[name].splitlines() if row)

    def phrases(self, name: str) -> tuple[str, ...]:
        """The phrases of a table, which commas or line ends separate, in order."""
        lines = str(self._tables[name]).strip().splitlines()
        return tuple(phrase for line in lines for phrase in line.split(", "))

    def names(self) -> tuple[str, ...]:
        """The names of all tables, in order."""
        return tuple(self._tables)

    def rows_of(self, name: str) -> dict[str, str]:
        """The row of each language of a table."""
        found: dict[str, str] = self._tables[name]
        return found
