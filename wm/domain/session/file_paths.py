"""Normalise the path of a file for hot state (HS-1).

Pure: reads no disk and follows no links. It protects the rule that one file
has one spelling, and that a path outside the root is absolute.
"""

from __future__ import annotations

MAX_PATH_CHARS = 1024


def normalised_path(path: str, *, root: str, cwd: str = "") -> str:
    """Return the path relative to `root` if it is inside, else absolute; "" for an invalid path.

    cwd: the base of a relative path; `root` if it is empty or itself relative.
    `.` and `..` are resolved in the text. A path without a known base (`~user`, a URL), a path
    that is too long, and one with control characters are invalid.
    """
    path = path.removeprefix("file://")
    if not path or len(path) > MAX_PATH_CHARS or not path.isprintable():
        return ""
    if "://" in path or path.startswith("~") or path in ("-", "."):
        return ""
    if _is_windows(path):
        path = path.replace("\\", "/")
        resolved = _resolve(path)
    else:
        base = cwd if cwd.startswith("/") else root
        resolved = _resolve(path if path.startswith("/") else f"{base}/{path}")
    inside = _below(resolved, _resolve(root.replace("\\", "/") if _is_windows(root) else root))
    return resolved if inside is None else inside


def folder(path: str, *, root: str, cwd: str = "") -> str:
    """Like `normalised_path` for a folder; "" is the root itself."""
    found = normalised_path(f"{path.rstrip('/') or '/'}/x", root=root, cwd=cwd)
    return found[:-2] if found.endswith("/x") else ""


def _resolve(path: str) -> str:
    """Remove empty parts, `.` and `..`; climbing above the root stays at the root."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if parts:
                parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return ("" if _is_windows(path) else "/") + "/".join(parts)


def _below(path: str, root: str) -> str | None:
    """Return the part of `path` below `root`; None if it is elsewhere or is the root."""
    head = root.rstrip("/") + "/"
    return path[len(head) :] if path.startswith(head) and len(path) > len(head) else None


def _is_windows(path: str) -> bool:
    return len(path) > 2 and path[0].isalpha() and path[1] == ":" and path[2] in "\\/"
