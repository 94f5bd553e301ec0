"""What recall is asked over: documents, filters, hits. Entries, tool outputs and the proxy's
objects all come as these, so that one engine serves them (RC-1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct, field

from wm.domain.recall.terms import folded
from wm.domain.workspace.sameness import paths

_ELSEWHERE = ("/", "~", "../")
"""How a path begins that is not below the root."""


class Document(Struct, frozen=True):
    """What is searched. time: ISO 8601 of its statement, "" if unknown. metadata: words to
    filter by. Some have a meaning here: a document whose `status` is superseded lends its
    words to the one in `superseded_by`, and stands behind it unless history is asked for;
    `tags` and `path` hold several, one a line. Documents added one after the
    other with the same `thread`, or without one at the same time, are parts of one
    conversation."""

    id: str
    text: str
    time: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)


class Filters(Struct, frozen=True):
    """Only documents whose metadata have these values, and whose time lies in [since, until).

    tags: all of them must be there, in whatever case and with or without accents. path: one of the
    document's paths, or of those that its text names, is this one or lies below it.
    """

    metadata: Mapping[str, str] = field(default_factory=dict)
    since: str = ""
    until: str = ""
    tags: tuple[str, ...] = ()
    path: str = ""

    def admit(self, document: Document) -> bool:
        if self.since and document.time < self.since:
            return False
        if self.until and not document.time < self.until:
            return False
        if not all(document.metadata.get(k) == v for k, v in self.metadata.items()):
            return False
        if self.tags and not _folded(self.tags) <= _folded(_lines(document, "tags")):
            return False
        return not self.path or self._is_about(document)

    def _is_about(self, document: Document) -> bool:
        if any(_below(path, self.path) for path in _lines(document, "path")):
            return True
        # Most texts name no such path: those are not taken apart.
        folder = _plain(self.path)
        return folder in document.text and any(_below(p, folder) for p in paths(document.text))


def _lines(document: Document, name: str) -> list[str]:
    return document.metadata.get(name, "").split("\n")


def _folded(words: Iterable[str]) -> set[str]:
    return set(map(folded, words))


def _plain(folder: str) -> str:
    folder = folder.removeprefix("./").rstrip("/")
    return "" if folder == "." else folder


def _below(path: str, folder: str) -> bool:
    folder, path = _plain(folder), path.removeprefix("./")
    if not folder:
        return bool(path) and not path.startswith(_ELSEWHERE)
    return path == folder or path.startswith(folder + "/")


class Hit(Struct, frozen=True):
    """score: comparable within one answer only. why: what matched, for people. held: the share of
    the query's weight that its words hold. near: how alike the meaning is, -1 if unknown."""

    id: str
    score: float
    why: str
    held: float = 0.0
    near: float = -1.0
