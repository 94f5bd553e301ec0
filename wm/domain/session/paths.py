"""Spell the path of a file the way hot state keeps it (HS-1).

Pure: nothing is looked up on disk, links are not followed. It protects the rule that one file
has one spelling, and that a path which climbs out of the root says so by being absolute.
"""

from __future__ import annotations

MAX_PATH_CHARS = 1024


def spelled(path: str, *, root: str, cwd: str = "") -> str:
    """Relative to `root` when inside it, else absolute; "" for what is no path of a file.

    cwd: what a relative path is relative to; `root` where it is empty or itself relative.
    `.` and `..` are resolved in the text. A path that cannot be placed (`~user`, a URL, too
    long, with control characters) is none.
    """
    path = path.removeprefix("file://")
    if not path or len(path) > MAX_PATH_CHARS or not path.isprintable():
        return ""
    if "://" in path or path.startswith("~") or path in ("-", "."):
        return ""
    if _is_windows(path):
        path = path.replace("\\", "/")
        whole = _resolve(path)
    else:
        base = cwd if cwd.startswith("/") else root
        whole = _resolve(path if path.startswith("/") else f"{base}/{path}")
    inside = _below(whole, _resolve(root.replace("\\", "/") if _is_windows(root) else root))
    return whole if inside is None else inside


def folder(path: str, *, root: str, cwd: str = "") -> str:
    """The same for a folder; "" is the root itself."""
    found = spelled(f"{path.rstrip('/') or '/'}/x", root=root, cwd=cwd)
    return found[:-2] if found.endswith("/x") else ""


def _resolve(path: str) -> str:
    """Without empty parts, `.` and `..`; climbing above the root stays there."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if parts:
                parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return ("" if _is_windows(path) else "/") + "/".join(parts)


def _below(path: str, root: str) -> str | None:
    """The part of `path` behind `root`; None where it lies elsewhere or is the root."""
    head = root.rstrip("/") + "/"
    return path[len(head) :] if path.startswith(head) and len(path) > len(head) else None


def _is_windows(path: str) -> bool:
    return len(path) > 2 and path[0].isalpha() and path[1] == ":" and path[2] in "\\/"
