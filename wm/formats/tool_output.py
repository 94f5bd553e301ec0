"""`cache/tool-outputs/<id>_<sid>.json`: what a tool printed before it was pruned (PR-3, ID-4).

Written once, without its secrets, and deleted with its session or by a sweep. The file name follows
from the content, so equal outputs are one file.
"""

from typing import ClassVar

from wm.formats.base import Document, optional

ID_DIGITS = 20
"""Number of hex digits after `t_`."""


class ToolOutput(Document):
    """The original of one pruned output, redacted. Written once; session and text determine its
    name, so a repeated output of a session is one file."""

    slug: ClassVar[str] = "tool_output"

    id: str
    session: str
    """The `<sid>` of the session whose tool printed it, as in the names of the session's other
    files."""
    agent: str = ""
    tool: str = ""
    command: str = optional("")
    kind: str = ""
    """The rule that shortened it."""
    mode: str = "normal"
    lines: int = 0
    kept_lines: int = 0
    chars: int = 0
    created_at: str = ""
    text: str = ""


def file_name(handle: str, session: str) -> str:
    """Return the file name of an output, without `.json`. It contains the session, so that a
    deleted session's outputs are found by name alone."""
    return f"{handle}_{session}"


def of_file_name(name: str) -> tuple[str, str]:
    """Return (handle, session) of a file name; ("", "") if it is not the name of an output."""
    handle, session = name[: ID_DIGITS + 2], name[ID_DIGITS + 3 :]
    ours = name.startswith("t_") and name[ID_DIGITS + 2 : ID_DIGITS + 3] == "_" and session
    return (handle, session) if ours else ("", "")
