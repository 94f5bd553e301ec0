"""What recall is asked over: documents, filters, hits. Entries, tool outputs and the proxy's
objects all come as these, so that one engine serves them (RC-1)."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field


class Document(Struct, frozen=True):
    """What is searched. time: ISO 8601 of its statement, "" if unknown. metadata: words to
    filter by. Some have a meaning here: a document whose `status` is superseded lends its
    words to the one in `superseded_by`, and stands behind it unless history is asked for;
    `tags` holds several words, `path` several paths, one a line. Documents added one after the
    other with the same `thread`, or without one at the same time, are parts of one
    conversation."""

    id: str
    text: str
    time: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)


class Filters(Struct, frozen=True):
    """Only documents whose metadata have these values, and whose time lies in [since, until).

    tags: all of them must be there. path: one of the document's paths is this one or lies below it.
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
        if self.tags and not set(self.tags) <= set(document.metadata.get("tags", "").split()):
            return False
        paths = document.metadata.get("path", "").split("\n")
        return not self.path or any(_below(path, self.path) for path in paths)


def _below(path: str, folder: str) -> bool:
    folder = folder.removeprefix("./").rstrip("/")
    path = path.removeprefix("./")
    if folder in ("", "."):
        return bool(path)
    return path == folder or path.startswith(folder + "/")


class Hit(Struct, frozen=True):
    """score: comparable within one answer only. why: what matched, for people. held: the share of
    the query's weight that its words hold. near: how alike the meaning is, -1 if unknown."""

    id: str
    score: float
    why: str
    held: float = 0.0
    near: float = -1.0
