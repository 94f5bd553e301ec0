"""`cache/tool-outputs/<id>_<sid>.json`: what a tool printed before it was pruned (PR-3, ID-4)."""

from typing import ClassVar

from wm.formats.base import Document, optional

ID_DIGITS = 20
"""Hex digits behind `t_`."""


class ToolOutput(Document):
    """The original of one pruned output, redacted. Written once; its name follows from session
    and text, so the same output of a session is one file."""

    slug: ClassVar[str] = "tool_output"

    version: int = 1
    id: str
    session: str
    """The `<sid>` of the session whose tool printed it, as in the names of its other files."""
    agent: str = ""
    tool: str = ""
    command: str = optional("")
    kind: str = ""
    """The rule that cut it."""
    mode: str = "normal"
    lines: int = 0
    kept_lines: int = 0
    chars: int = 0
    created_at: str = ""
    text: str = ""


def file_name(handle: str, session: str) -> str:
    """What the file of an output is called, without `.json`: a deleted session's outputs are
    found by their names alone."""
    return f"{handle}_{session}"


def of_file_name(name: str) -> tuple[str, str]:
    """(handle, session) that a file name tells; ("", "") for one that is not ours."""
    handle, session = name[: ID_DIGITS + 2], name[ID_DIGITS + 3 :]
    ours = name.startswith("t_") and name[ID_DIGITS + 2 : ID_DIGITS + 3] == "_" and session
    return (handle, session) if ours else ("", "")
