"""Transcripts of Claude Code, turned back into the requests that it sent.

A transcript holds messages; requests are rebuilt from them. Newer versions also hold tools,
system prompt and reminders. For older ones, everything before the messages becomes one block, as
large as the first reported usage says. Side calls (titles, summaries) are in no transcript.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import field

from wm.replay import requests
from wm.replay.run import kept
from wm.wire.block import CHARS_PER_TOKEN

_KINDS = frozenset({"user", "assistant", "system", "attachment", "summary"})
_NAMES = frozenset({"sessionId", "uuid", "leafUuid", "parentUuid"})
_NOT_SENT = ("caller",)


def is_transcript(found: requests.JsonObject) -> bool:
    named = isinstance(found.get("type"), str) and bool(_NAMES & found.keys())
    return named or found.get("type") in _KINDS


class _Thread(requests.RecordedThread):
    """One conversation. places: line id -> number of messages when that line was written."""

    places: dict[str, int] = field(default_factory=dict)
    answer: str = ""
    shape: requests.JsonObject = field(default_factory=dict)


def transcripts(
    lines: Iterable[requests.JsonObject], left: requests.SkippedRequests, _path: Path
) -> Iterator[requests.Sent]:
    """The requests whose answers a transcript contains."""
    threads: OrderedDict[str, _Thread] = OrderedDict()
    for found in lines:
        thread = kept(threads, _conversation(found), _Thread)
        if found.get("type") == "assistant":
            yield from _assistant(thread, found, left)
        else:
            _other(thread, found)


def _other(thread: _Thread, found: requests.JsonObject) -> None:
    if found.get("subtype") == "compact_boundary":
        thread.messages, thread.ready, thread.answer = [], [], ""
        thread.places = {}
    elif found.get("type") == "user":
        _user(thread, found)
    elif found.get("type") == "attachment":
        _remind(thread, found)
    elif found.get("type") == "api-request-shape" and isinstance(found.get("shape"), dict):
        thread.shape = found["shape"]
    if isinstance(found.get("uuid"), str):
        _note_place(thread, found)


def _user(thread: _Thread, found: requests.JsonObject) -> None:
    blocks = _blocks(found)
    if not blocks:
        return
    if not any(block.get("type") == "tool_result" for block in blocks):
        _rewind(thread, found.get("parentUuid"))
    thread.add("user", blocks)


def _assistant(
    thread: _Thread, found: requests.JsonObject, left: requests.SkippedRequests
) -> Iterator[requests.Sent]:
    message, blocks = found.get("message"), _blocks(found)
    if not isinstance(message, dict) or not blocks or _is_made_up(found, message):
        return
    name = str(message.get("id") or found.get("uuid"))
    if name != thread.answer:
        if why := thread.why_no_request():
            left.add(why)
        else:
            yield _request(thread, found, message)
        thread.answer = name
        thread.add("assistant", blocks)
    else:
        _add_to_answer(thread, blocks)
    _note_place(thread, found)


def _request(
    thread: _Thread, found: requests.JsonObject, message: requests.JsonObject
) -> requests.Sent:
    """The request whose answer begins with this line."""
    usage = requests.reported(message.get("usage"))
    if not thread.shape and thread.unseen < 0 and usage is not None:
        known_tokens = sum(map(len, thread.ready)) // CHARS_PER_TOKEN
        thread.unseen = max(0, usage.prompt - known_tokens)
    raw = requests.request_of(
        str(message.get("model") or ""),
        _system(thread),
        thread.ready[:-1],
        thread.messages[-1],
        requests.blocks_of(thread.shape.get("tools")),
    )
    return requests.Sent(
        raw=raw,
        conversation=_conversation(found),
        at=thread.at if thread.at is not None else requests.seconds(found.get("timestamp")),
        usage=usage,
        call="subagent" if found.get("agentId") or found.get("isSidechain") else "main",
    )


def _system(thread: _Thread) -> list[requests.JsonObject]:
    blocks = requests.blocks_of(thread.shape.get("system"))
    if blocks:
        return [*blocks[:-1], {**blocks[-1], "cache_control": requests.MARK}]
    return requests.system_of("", max(0, thread.unseen) * CHARS_PER_TOKEN)


def _remind(thread: _Thread, found: requests.JsonObject) -> None:
    """Add what the client added for the model, if the transcript has its text."""
    rendered = found.get("rendered")
    role = "system" if found.get("renderedRole") == "system" else "user"
    for part in rendered if isinstance(rendered, list) else []:
        thread.add(role, requests.blocks_of(part.get("content")) if isinstance(part, dict) else [])


def _add_to_answer(thread: _Thread, blocks: list[requests.JsonObject]) -> None:
    """Add to the newest answer. The result of its first call may already precede it."""
    for place in range(len(thread.messages) - 1, -1, -1):
        message = thread.messages[place]
        if message["role"] == "assistant":
            thread.messages[place] = {**message, "content": [*message["content"], *blocks]}
            thread.ready[place] = requests.written(thread.messages[place])
            return


def _note_place(thread: _Thread, found: requests.JsonObject) -> None:
    """Remember the time of this line, and the number of messages after it."""
    if isinstance(found.get("uuid"), str):
        thread.places[found["uuid"]] = len(thread.messages)
    thread.at = requests.seconds(found.get("timestamp")) or thread.at


def _rewind(thread: _Thread, parent: object) -> None:
    """A prompt that follows an earlier line means that the user rewound to it."""
    before = len(thread.messages)
    place = thread.places.get(parent, before) if isinstance(parent, str) else before
    if place < len(thread.messages):
        del thread.messages[place:], thread.ready[place:]


def _is_made_up(found: requests.JsonObject, message: requests.JsonObject) -> bool:
    """Is this an error message of the client? It is not an answer and is never sent again."""
    return message.get("model") == "<synthetic>" or found.get("isApiErrorMessage") is True


def _conversation(found: requests.JsonObject) -> str:
    session = str(found.get("sessionId") or "session")
    agent = str(found.get("agentId") or ("side" if found.get("isSidechain") else ""))
    return f"{session}/{agent}" if agent else session


def _blocks(found: requests.JsonObject) -> list[requests.JsonObject]:
    message = found.get("message")
    blocks = requests.blocks_of(message.get("content")) if isinstance(message, dict) else []
    return [{k: v for k, v in block.items() if k not in _NOT_SENT} for block in blocks]
