"""The data types of search: documents, filters, hits. Entries, tool outputs and the proxy's
objects are all converted to these, so that one engine searches them (RC-1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct, field

from wm.domain.change.same_fact import paths
from wm.text.terms import folded

_ELSEWHERE = ("/", "~", "../")
"""Path prefixes that point outside the root."""


class SearchDocument(Struct, frozen=True):
    """One searchable text. time: ISO 8601 time of the statement, "" if unknown. metadata: values to
    filter by. Some have a meaning here: a document with `status` superseded adds its score to
    the one in `superseded_by` and ranks after it unless the query asks for history;
    `tags` and `path` hold several values, one per line. Consecutive documents with the same
    `thread`, or with no thread and the same time, belong to one conversation."""

    id: str
    text: str
    time: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)


class Filters(Struct, frozen=True):
    """Conditions on documents: these metadata values, and a time in [since, until).

    tags: all of them must be present, ignoring case and accents. path: one of the document's paths,
    or of those in its text, is this path or below it.
    """

    metadata: Mapping[str, str] = field(default_factory=dict)
    since: str = ""
    until: str = ""
    tags: tuple[str, ...] = ()
    path: str = ""

    def admit(self, document: SearchDocument) -> bool:
        if self.since and document.time < self.since:
            return False
        if self.until and not document.time < self.until:
            return False
        if not all(document.metadata.get(k) == v for k, v in self.metadata.items()):
            return False
        if self.tags and not _folded(self.tags) <= _folded(_lines(document, "tags")):
            return False
        return not self.path or self._is_about(document)

    def _is_about(self, document: SearchDocument) -> bool:
        if any(_below(path, self.path) for path in _lines(document, "path")):
            return True
        # Most texts do not contain the path: skip splitting those into words.
        folder = _plain(self.path)
        return folder in document.text and any(_below(p, folder) for p in paths(document.text))


def _lines(document: SearchDocument, name: str) -> list[str]:
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
    """score: comparable within one answer only. why: what matched, for people. confidence: how
    probably it is relevant, 0 to 1, if every second query has an answer."""

    id: str
    score: float
    why: str
    confidence: float = 0.0
