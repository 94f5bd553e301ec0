"""What a prompt and a search result really say, the same for every agent.

A client puts more into the place of the user's words than the user typed; none of that may
be learned as if the user had said it (EX-4). All scans are linear (EX-6).
"""

from __future__ import annotations

from wm.domain import patterns

MACHINE_TAGS = (
    "system-reminder",
    "task-notification",
    "command-name",
    "command-message",
    "command-args",
    "local-command-stdout",
    "local-command-stderr",
    "local-command-caveat",
    "bash-input",
    "bash-stdout",
    "bash-stderr",
)
"""Elements that clients write into a user message; what stands inside is not the user's."""

CONTINUATION = "This session is being continued from a previous conversation"

_COMMAND = patterns.compile(r"^/[A-Za-z][\w:.-]*(?:\s|$)")
_TAG = patterns.compile(rf"</?(?:{'|'.join(MACHINE_TAGS)})(?:\s[^<>]*)?>")
_NUMBERED = patterns.Lazy(r"^((?:[A-Za-z]:)?[^:\n\x00]{1,512}):\d+[:-]")
_HEADER = patterns.Lazy(r"^((?:/|[A-Za-z]:[\\/])[^\n\x00]{1,512}):$")

MAX_MATCHED_PATHS = 10
"""A search touches at most this many files of the activity list (HS-1)."""


def of_user(prompt: str) -> str:
    """The words that the user typed; "" for a slash command or a message of the client's."""
    text = _without_machine_elements(prompt).strip()
    if _COMMAND.match(text) or text.startswith(CONTINUATION):
        return ""
    return text


def added(prompt: str) -> str:
    """A prompt to which a client added something, "" for one that is only what was typed: what
    stands in it besides the user's words was shown to the model and said by nobody (TR-3)."""
    typed = _COMMAND.match(prompt.strip()) is not None or of_user(prompt) == prompt.strip()
    return "" if typed else prompt


def _without_machine_elements(prompt: str) -> str:
    """One pass over the tags: text inside an element goes, an element never closed goes whole."""
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


def matched_paths(output: str, *, limit: int = MAX_MATCHED_PATHS) -> tuple[str, ...]:
    """Files that a search names: `path:12:text`, `/path:` as a header, or one path a line."""
    found: dict[str, None] = {}
    for line in output[:200_000].splitlines():
        match = _NUMBERED.match(line) or _HEADER.match(line)
        if match:
            found[match.group(1)] = None
            if len(found) >= limit:
                break
    return tuple(found)
