"""Extract the user's words from a prompt, and the files from a search result, for every agent.

A client adds text to the user's message; none of it may be learned as the user's own words
(EX-4). All scans are linear (EX-6).
"""

from __future__ import annotations

from wm.text import patterns
from wm.text.tables import Tables

MACHINE_TAGS = Tables("wm.domain.payloads").words("machine_tags")
"""Elements that clients write into a user message; their content is not the user's."""

CONTINUATION = "This session is being continued from a previous conversation"
_CLIENTS = (CONTINUATION, "Base directory for this skill: ")
"""Openings of messages of which the user typed nothing: a summary, the text of a skill."""

IDE_CONTEXT, IDE_REQUEST = "# Context from my IDE setup:", "## My request for Codex:"
"""Headings of Codex in an editor: the open files and the selected text, then the user's words."""

_COMMAND = patterns.Lazy(r"^/[A-Za-z][\w:.-]*(?:\s|$)")
_REMEMBER = patterns.Lazy(r"^/(?:wm:)?remember:?\s+")
"""The one command whose argument is for us (EX-1)."""

_PLAN = patterns.Lazy(
    r"^(?:Implement the following plan:|A previous agent produced the plan below[^\n]*)\s*\n"
    r"#+[ \t]+(?:Plan:[ \t]*)?(\S[^\n]*)"
)
"""A client starts a new session with the agent's plan, which the user accepted."""

_TAG = patterns.Lazy(rf"</?(?:{'|'.join(MACHINE_TAGS)})(?:\s[^<>]*)?>")
_NUMBERED = patterns.Lazy(r"^((?:[A-Za-z]:)?[^:\n\x00]{1,512}):\d+[:-]")
_HEADER = patterns.Lazy(r"^((?:/|[A-Za-z]:[\\/])[^\n\x00]{1,512}):$")

MAX_MATCHED_PATHS = 10
"""Most files of the activity list that one search touches (HS-1)."""


def of_user(prompt: str) -> str:
    """Return the words that the user typed; "" for a slash command or a message of the client's. Of
    a plan that the agent wrote only its title is left."""
    text = _without_machine_elements(prompt).strip()
    if text.startswith(IDE_CONTEXT):
        text = text.rpartition(IDE_REQUEST)[2].strip()  # the last: the selected text may have one
    asked = _REMEMBER.match(text)
    if asked is not None:
        return f"Remember: {text[asked.end() :]}"
    if _COMMAND.match(text) or text.startswith(_CLIENTS):
        return ""
    plan = _PLAN.match(text)
    if plan is not None:
        return f"Implement the plan: {plan.group(1).strip()}"
    return text


def unquoted(prompt: str) -> str:
    """Remove the quotes that `opencode run "a b"` sends with the prompt, and the backslashes before
    those in it; the user did not type them."""
    text = prompt.strip()
    inner = text[1:-1]
    is_one = text == f'"{inner}"' and '"' not in inner.replace('\\"', "")
    return inner.replace('\\"', '"') if is_one and inner else prompt


def added(prompt: str) -> str:
    """Return a prompt to which a client added something, "" if it is only what the user typed. The
    added text was shown to the model, but is not the words of the user (TR-3)."""
    typed = _COMMAND.match(prompt.strip()) is not None or of_user(prompt) == prompt.strip()
    return "" if typed else prompt


def _without_machine_elements(prompt: str) -> str:
    """Remove the elements in one pass over the tags; an unclosed element is removed to the end."""
    kept: list[str] = []
    depth = end = 0
    for tag in _TAG.finditer(prompt):
        if depth == 0:
            kept.append(prompt[end : tag.start()])
        depth = max(0, depth - 1) if tag.group().startswith("</") else depth + 1
        end = tag.end()
    if depth == 0:
        kept.append(prompt[end:])
    return "".join(kept)


def matched_paths(output: str) -> tuple[str, ...]:
    """Return the files that a search names: `path:12:text`, `/path:` as a header, or one path a
    line."""
    found: dict[str, None] = {}
    for line in output[:200_000].splitlines():
        match = _NUMBERED.match(line) or _HEADER.match(line)
        if match:
            found[match.group(1)] = None
            if len(found) >= MAX_MATCHED_PATHS:
                break
    return tuple(found)
