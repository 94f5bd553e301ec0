"""The memory of a workspace as a folder of text files, for the provider's memory tool (IF-4).

Pure: takes entries, returns a folder and a plan; changes no memory. One file per type
(`/memories/decision.md`) shows the entries in force, one per line. It is read-only, because only
a user's act changes what is in force (TR-3). Every other file is one entry that a model wrote
(`file` names it): a proposal in the inbox, which the tool may write and delete freely, and which
no prompt shows. When the user accepts it, it is in force; a later write by the model waits again.

The answers follow the provider's specification of the tool to the letter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from wm.domain.counts import counted
from wm.domain.memory import scope
from wm.formats.workspace_memory import MemoryEntry
from wm.text.escape import safe
from wm.text.fitting import count_that_fits

ROOT = "/memories"
COMMANDS = ("view", "create", "str_replace", "insert", "delete", "rename")

MAX_PATH_CHARS = 200
MAX_DEPTH = 6
MAX_LINES = 999_999
SNIPPET_LINES = 2
"""Lines before and after a change that its answer shows."""

LISTED_LEVELS = 2
_NOT_LISTED = "node_modules"
_ENCODED = ("%2e", "%2f", "%5c")


class FolderError(Exception):
    """A refused command; `str()` is the answer."""


class File(Struct, frozen=True):
    """text: its content. draft: the proposal that it shows, None for entries in force.

    accepted: the entry in force under this path, which only the user may remove.
    """

    text: str
    draft: MemoryEntry | None = None
    accepted: MemoryEntry | None = None

    @property
    def is_shared(self) -> bool:
        """Whether it shows the entries of a type in force, so it belongs to no single entry."""
        return self.draft is None and self.accepted is None


class Write(Struct, frozen=True):
    """The file at `path` gets the content `text`."""

    path: str
    text: str


class FolderPlan(Struct, frozen=True):
    """The answer, and the changes to make first. remove: drafts. move: (draft, new path)."""

    answer: str
    write: Write | None = None
    remove: tuple[MemoryEntry, ...] = ()
    move: tuple[tuple[MemoryEntry, str], ...] = ()


class Folder(Struct, frozen=True):
    """The files by path."""

    files: Mapping[str, File]

    def is_folder(self, path: str) -> bool:
        return path == ROOT or bool(self.below(path))

    def exists(self, path: str) -> bool:
        return path in self.files or self.is_folder(path)

    def below(self, path: str) -> tuple[str, ...]:
        """The files in a folder and its subfolders, by name."""
        return tuple(sorted(name for name in self.files if name.startswith(f"{path}/")))


# --- building the folder ------------------------------------------------------------------


def folder(entries: Sequence[MemoryEntry], branch: str) -> Folder:
    """The folder of a workspace as this branch sees it."""
    files: dict[str, File] = {}
    kinds: dict[str, list[str]] = {}
    for entry in entries:
        if entry.status == "active" and scope.visible(entry.scope, branch):
            if entry.file:
                files[entry.file] = File(entry.text, accepted=entry)
            else:
                kinds.setdefault(_shared_path(entry.type), []).append(_line(entry))
    for path, lines in kinds.items():
        files[path] = File("\n".join(lines))
    for entry in entries:
        if is_draft(entry):
            known = files.get(entry.file)
            accepted = None if known is None else known.accepted
            files[entry.file] = File(entry.text, draft=entry, accepted=accepted)
    return Folder(files)


def is_draft(entry: MemoryEntry) -> bool:
    """Whether it is a file that the tool wrote and the user has not accepted yet."""
    return bool(entry.file) and entry.status == "inbox" and not entry.outside


def _shared_path(kind: str) -> str:
    plain = kind if kind.isascii() and kind.replace("_", "").isalnum() else "other"
    return f"{ROOT}/{plain}.md"


def _line(entry: MemoryEntry) -> str:
    because = f" (because {entry.rationale})" if entry.rationale else ""
    return f"- {safe(' '.join((entry.text + because).split()))}"


# --- one command --------------------------------------------------------------------------


def plan(
    command: Mapping[str, Any], found: Folder, max_chars: int, max_view_chars: int
) -> FolderPlan:
    """The plan for a command. Raises FolderError.

    max_chars: limit per file. max_view_chars: limit per answer; the answer counts the remainder.
    """
    match command.get("command"):
        case "view":
            return FolderPlan(_view(command, found, max_view_chars))
        case "create":
            return _create(command, found, max_chars)
        case "str_replace":
            return _replace(command, found, max_chars)
        case "insert":
            return _insert(command, found, max_chars)
        case "delete":
            return _delete(command, found)
        case "rename":
            return _rename(command, found)
        case other:
            said = safe(str(other))[:40]
            raise FolderError(
                f"Error: There is no command `{said}`. The commands are: {', '.join(COMMANDS)}."
            )


def _view(command: Mapping[str, Any], found: Folder, max_view_chars: int) -> str:
    path = _path(command, "path")
    file = found.files.get(path)
    if file is not None:
        return _numbered(path, file.text, command.get("view_range"), max_view_chars)
    if not found.is_folder(path):
        raise FolderError(f"The path {path} does not exist. Please provide a valid path.")
    return _listing(path, found)


def _listing(path: str, found: Folder) -> str:
    sizes: dict[str, int] = {path: 0}
    for name in found.below(path):
        size = len(found.files[name].text.encode())
        parts = name.removeprefix(f"{path}/").split("/")
        sizes[path] += size
        if any(part.startswith(".") or part == _NOT_LISTED for part in parts):
            continue
        for level in range(1, min(len(parts), LISTED_LEVELS) + 1):
            is_file = level == len(parts)
            shown = f"{path}/{'/'.join(parts[:level])}{'' if is_file else '/'}"
            sizes[shown] = sizes.get(shown, 0) + size
    head = (
        f"Here're the files and directories up to {LISTED_LEVELS} levels deep in {path}, "
        "excluding hidden items and node_modules:"
    )
    return "\n".join([head, *(f"{_size(size)}\t{name}" for name, size in sizes.items())])


def _size(count: int) -> str:
    """The size as `du -h` writes it: 512B, 1.5K, 2.0M."""
    amount, units = float(count), "BKMG"
    for unit in units:
        if amount < 1024 or unit == units[-1]:
            break
        amount /= 1024
    return f"{count}B" if unit == "B" else f"{amount:.1f}{unit}"


def _numbered(path: str, text: str, view_range: Any, max_chars: int) -> str:
    lines = text.split("\n")
    if len(lines) > MAX_LINES:
        raise FolderError(f"File {path} exceeds maximum line limit of 999,999 lines.")
    first, last = _range(view_range, len(lines))
    head = f"Here's the content of {path} with line numbers:"
    rows = _rows(lines, first, last)
    shown = rows[: max(1, count_that_fits((len(row) + 1 for row in rows), max_chars))]
    more = len(rows) - len(shown)
    rest = [f"({counted(more, 'more line')}; view_range shows them)"] if more else []
    return "\n".join([head, *shown, *rest])


def _range(view_range: Any, count: int) -> tuple[int, int]:
    """First and last line, counted from 1."""
    if view_range is None:
        return 1, count
    given = view_range if isinstance(view_range, list | tuple) else ()
    if len(given) == 2 and all(type(line) is int for line in given):
        first, last = given[0], count if given[1] == -1 else given[1]
        if 1 <= first <= min(last, count):
            return first, min(last, count)
    raise FolderError(
        f"Error: Invalid `view_range` parameter: {safe(str(view_range))[:80]}. It should be two "
        f"line numbers within the range of lines of the file: [1, {count}]"
    )


def _rows(lines: Sequence[str], first: int, last: int) -> list[str]:
    return [f"{number:>6}\t{lines[number - 1]}" for number in range(first, last + 1)]


def _create(command: Mapping[str, Any], found: Folder, max_chars: int) -> FolderPlan:
    path = _path(command, "path")
    text = _stored(_parameter(command, "file_text"), path, max_chars)
    if found.exists(path):
        raise FolderError(f"Error: File {path} already exists")
    _require_free(path, found)
    return FolderPlan(f"File created successfully at: {path}", write=Write(path, text))


def _replace(command: Mapping[str, Any], found: Folder, max_chars: int) -> FolderPlan:
    path = _path(command, "path")
    file = found.files.get(path)
    old, new = _parameter(command, "old_str"), _parameter(command, "new_str", "")
    if file is None:
        raise FolderError(f"Error: The path {path} does not exist. Please provide a valid path.")
    _require_own(path, file)
    old, new = _plain(old), _plain(new)
    count = file.text.count(old) if old else 0
    if count == 0:
        raise FolderError(
            f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}."
        )
    if count > 1:
        lines = ", ".join(map(str, _lines_of(file.text, old)))
        raise FolderError(
            f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: "
            f"{lines}. Please ensure it is unique"
        )
    at = file.text[: file.text.index(old)].count("\n") + 1
    text = _stored(file.text.replace(old, new), path, max_chars)
    changed = text.split("\n")
    first = max(1, min(at, len(changed)) - SNIPPET_LINES)
    last = min(len(changed), at + new.count("\n") + SNIPPET_LINES)
    answer = "\n".join(["The memory file has been edited.", *_rows(changed, first, last)])
    return FolderPlan(answer, write=Write(path, text))


def _lines_of(text: str, part: str) -> list[int]:
    """The lines in which `part` begins, in order."""
    found, at, line = [], text.find(part), 1
    last = 0
    while at >= 0:
        line += text.count("\n", last, at)
        found.append(line)
        last, at = at, text.find(part, at + len(part))
    return found


def _insert(command: Mapping[str, Any], found: Folder, max_chars: int) -> FolderPlan:
    path = _path(command, "path")
    file = found.files.get(path)
    at, text = command.get("insert_line"), _parameter(command, "insert_text")
    if file is None:
        raise FolderError(f"Error: The path {path} does not exist")
    _require_own(path, file)
    lines = file.text.split("\n")
    if type(at) is not int or not 0 <= at <= len(lines):
        raise FolderError(
            f"Error: Invalid `insert_line` parameter: {safe(str(at))[:40]}. It should be within "
            f"the range of lines of the file: [0, {len(lines)}]"
        )
    lines.insert(at, _plain(text).rstrip("\n"))
    content = _stored("\n".join(lines), path, max_chars)
    return FolderPlan(f"The file {path} has been edited.", write=Write(path, content))


def _delete(command: Mapping[str, Any], found: Folder) -> FolderPlan:
    path = _path(command, "path")
    return FolderPlan(f"Successfully deleted {path}", remove=_drafts(path, found))


def _rename(command: Mapping[str, Any], found: Folder) -> FolderPlan:
    old, new = _path(command, "old_path"), _path(command, "new_path")
    drafts = _drafts(old, found)
    if found.exists(new):
        raise FolderError(f"Error: The destination {new} already exists")
    if new.startswith(f"{old}/"):
        raise FolderError(f"Error: The path {new} is below {old}, which cannot move into itself")
    _require_free(new, found)
    move = tuple((draft, new + draft.file.removeprefix(old)) for draft in drafts)
    for _, target in move:
        _valid(target)
    return FolderPlan(f"Successfully renamed {old} to {new}", move=move)


# --- permissions --------------------------------------------------------------------------


def _drafts(path: str, found: Folder) -> tuple[MemoryEntry, ...]:
    """The drafts at or below a path. Raises FolderError if there are none, or one of the files is
    not only a draft."""
    if path == ROOT:
        raise FolderError(f"Error: The path {ROOT} itself cannot be deleted or moved")
    names = [path] if path in found.files else found.below(path)
    if not names:
        raise FolderError(f"Error: The path {path} does not exist")
    drafts = []
    for name in names:
        file = found.files[name]
        if file.draft is None or file.accepted is not None:
            raise FolderError(_protected(name))
        drafts.append(file.draft)
    return tuple(drafts)


def _require_own(path: str, file: File) -> None:
    if file.is_shared:
        raise FolderError(_protected(path))


def _protected(path: str) -> str:
    return (
        f"Error: {path} shows memories that the user accepted; only the user can change them. "
        "Write your proposal to a file of your own."
    )


def _require_free(path: str, found: Folder) -> None:
    """Raise FolderError if a file has the name of a folder in the path."""
    parts = path.split("/")
    for level in range(3, len(parts)):
        above = "/".join(parts[:level])
        if above in found.files:
            raise FolderError(f"Error: The path {above} is a file, so nothing can be below it")


def _path(command: Mapping[str, Any], name: str) -> str:
    path = _parameter(command, name)
    return _valid(path.removesuffix("/") if path != "/" else path)


def _valid(path: str) -> str:
    """The path, if it stays below the folder. File names are only compared, never passed to a file
    system; a path that tries to leave is refused all the same."""
    parts = path.split("/")[2:]
    good = (
        (path == ROOT or path.startswith(f"{ROOT}/"))
        and len(path) <= MAX_PATH_CHARS
        and len(parts) <= MAX_DEPTH
        and "\\" not in path
        and not any(code in path.lower() for code in _ENCODED)
        and not {"", ".", ".."} & set(parts)
        and safe(path) == path
        and all(part == part.strip() for part in parts)
    )
    if not good:
        raise FolderError(
            f"Error: {safe(path)[:MAX_PATH_CHARS]!r} is not a valid path below {ROOT}"
        )
    return path


def _parameter(command: Mapping[str, Any], name: str, default: str | None = None) -> str:
    value = command.get(name, default)
    if not isinstance(value, str):
        said = safe(str(command.get("command")))[:40]
        raise FolderError(f"Error: The command `{said}` needs the text parameter `{name}`")
    return value


def _plain(text: str) -> str:
    """The text as stored and shown: characters that could steer a terminal or hide are escaped, so
    a model finds verbatim what it was shown (TR-1)."""
    return safe(text.replace("\r\n", "\n"), keep_newlines=True)


def _stored(text: str, path: str, max_chars: int) -> str:
    text = _plain(text).rstrip().lstrip("\n")
    if not text.strip():
        raise FolderError(f"Error: The file {path} would be empty; a memory needs some text")
    if len(text) > max_chars:
        raise FolderError(
            f"Error: The file {path} would have {len(text)} characters; the limit is {max_chars}"
        )
    return text
