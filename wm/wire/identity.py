"""Identifies a request: agent, session, subagent, workspace, and kind of call. Pure (PX-9).

Clients state these in headers, or else in the prompt. What is known of a session also applies to
its side calls, which carry no identity. Conversations of an unknown client are distinguished by
their history: two that begin alike are one until they differ.
"""

from __future__ import annotations

import base64
import binascii
from collections import OrderedDict
from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field
from msgspec.structs import replace

from wm.text.jsontext import as_object, as_text, object_of
from wm.wire.block import Block
from wm.wire.body import Body
from wm.wire.history import Continuation, ConversationHistory, HistoryChange, compare

Call = Literal["main", "subagent", "title", "summary", "count", "other"]

MESSAGES = "/v1/messages"

CLAUDE_CODE = "claude-code"
OPENCODE = "opencode"

_CLAUDE_FOLDER = "Primary working directory: "
_OPENCODE_FOLDER = "Working directory: /"
_LOOKED_AT_CHARS = 200_000
_SUMMARY_REQUEST = "CRITICAL: Respond with TEXT ONLY"
_SUMMARY_SYSTEM = "You are a context summarization agent"
_TITLE_CHARS = 400
_MAX_CONVERSATIONS = 512
_MAX_MESSAGES = 20_000
"""Limit over all conversations: a proxy runs for weeks, and a message takes about 250 bytes."""


class RequestIdentity(Struct, frozen=True):
    """session, parent, subagent: the client's own ids, or "". folder: the working folder that the
    client states. workspace: a key from the URL or a header."""

    agent: str
    call: Call
    session: str = ""
    parent: str = ""
    subagent: str = ""
    folder: str = ""
    workspace: str = ""
    model: str = ""
    stream: bool = False

    @property
    def is_turn(self) -> bool:
        """Whether it is a call of the conversation itself. Those beside it, such as for a title,
        only apply what was decided."""
        return self.call in ("main", "subagent")

    @property
    def conversation(self) -> str:
        """The name that consecutive requests share: each subagent and each kind of side call has a
        history of its own."""
        return "/".join((self.session, self.subagent, "" if self.call == "main" else self.call))


def identify(
    path: str, headers: Mapping[str, str], body: Body | None, *, workspace: str = ""
) -> RequestIdentity:
    """What one request states about itself. path: without query; headers: names in lower case."""
    agent = _agent(headers)
    session, parent = _session(headers, body)
    subagent = headers.get("x-claude-code-agent-id", "")
    model = body.value("model") if body is not None else None
    return RequestIdentity(
        agent=agent,
        call=_call(path, agent, body, is_child=bool(subagent or parent)),
        session=session,
        parent=parent,
        subagent=subagent,
        folder=_folder(headers, body),
        workspace=workspace,
        model=as_text(model),
        stream=body is not None and body.value("stream") is True,
    )


class Conversations(Struct):
    """What is known of the sessions so far. One owner; bounded, the least recently seen are
    evicted."""

    _folders: OrderedDict[str, str] = field(default_factory=OrderedDict)
    _histories: OrderedDict[str, ConversationHistory] = field(default_factory=OrderedDict)
    _messages: int = 0
    """Number of messages in all histories."""
    _unnamed: int = 0

    def follow(
        self, found: RequestIdentity, now: ConversationHistory
    ) -> tuple[RequestIdentity, HistoryChange]:
        """The identity, completed from its session, and how the request continues the history."""
        named = found if found.session else replace(found, session=self._recognise(now))
        if not named.folder:
            known = self._folders.get(named.session) or self._folders.get(named.parent, "")
            named = replace(named, folder=known)
        elif named.session:
            self._place(named.session, named.folder)
        name = named.conversation
        change = compare(self._histories.get(name), now)
        if now.lines:
            self._keep(name, now)
        return named, change

    def _place(self, session: str, folder: str) -> None:
        self._folders[session] = folder
        self._folders.move_to_end(session)
        if len(self._folders) > _MAX_CONVERSATIONS:
            self._folders.popitem(last=False)

    def _keep(self, name: str, now: ConversationHistory) -> None:
        old = self._histories.pop(name, None)
        self._messages += len(now.lines) - (len(old.lines) if old is not None else 0)
        self._histories[name] = now
        while len(self._histories) > 1 and (
            len(self._histories) > _MAX_CONVERSATIONS or self._messages > _MAX_MESSAGES
        ):
            self._messages -= len(self._histories.popitem(last=False)[1].lines)

    def _recognise(self, now: ConversationHistory) -> str:
        """The unnamed conversation that this one continues: the longest that is a prefix of it."""
        best, common = "", 0
        for name, known in self._histories.items():
            session = name.partition("/")[0]
            if not session.startswith("unnamed-"):
                continue
            change = compare(known, now)
            goes_on = change.kind in (Continuation.APPENDED, Continuation.AGAIN)
            if goes_on and not change.head_changed and change.common > common:
                best, common = session, change.common
        if best:
            return best
        self._unnamed += 1
        return f"unnamed-{self._unnamed}"


def _agent(headers: Mapping[str, str]) -> str:
    name = headers.get("user-agent", "").lower()
    if "x-claude-code-session-id" in headers or name.startswith("claude-cli/"):
        return CLAUDE_CODE
    return OPENCODE if name.startswith("opencode/") else ""


def _session(headers: Mapping[str, str], body: Body | None) -> tuple[str, str]:
    for name in ("x-claude-code-session-id", "x-session-id", "x-session-affinity"):
        if headers.get(name):
            return headers[name], headers.get("x-parent-session-id", "")
    user = as_object(body.value("metadata") if body is not None else None)
    stated = object_of(as_text(user.get("user_id"))) or {}
    return as_text(stated.get("session_id")), ""


def _call(path: str, agent: str, body: Body | None, *, is_child: bool) -> Call:
    if path.endswith("/count_tokens"):
        return "count"
    if not path.endswith(MESSAGES) or body is None:
        return "other"
    system = [_text(block)[:_TITLE_CHARS] for block in body.system]
    if any(text.startswith(_SUMMARY_SYSTEM) for text in system) or _asks_for_summary(body):
        return "summary"
    if agent and not body.tools:
        return "title" if any("title" in text.lower() for text in system) else "other"
    return "subagent" if is_child else "main"


def _asks_for_summary(body: Body) -> bool:
    """Claude Code asks for a summary in the last message of the conversation."""
    last = next((m for m in reversed(body.messages) if m.role == "user"), None)
    blocks = last.blocks if last is not None else ()
    return any(_SUMMARY_REQUEST in _text(block)[:_TITLE_CHARS] for block in blocks)


def _folder(headers: Mapping[str, str], body: Body | None) -> str:
    named = headers.get("x-wm-workspace", "")
    if named:
        return _decoded(named)
    if body is None:
        return ""
    for block in body.system:
        for line in _text(block)[:_LOOKED_AT_CHARS].split("\n"):
            if (stripped := line.lstrip()).startswith(_OPENCODE_FOLDER):
                return stripped[len(_OPENCODE_FOLDER) - 1 :]
    # Claude Code puts it into the reminders before or after the user's first words.
    for message in body.messages[:3]:
        for block in message.blocks:
            _, mark, rest = _text(block)[:_LOOKED_AT_CHARS].partition(_CLAUDE_FOLDER)
            if mark and rest.startswith("/"):
                return rest.partition("\n")[0].rstrip()
    return ""


def _decoded(named: str) -> str:
    """A path, plain or in base64: a header cannot carry every path as it is."""
    if named.startswith("/"):
        return named
    try:
        padded = named + "=" * (-len(named) % 4)
        path = base64.b64decode(padded, altchars=b"-_", validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        return ""
    return path if path.startswith("/") else ""


def _text(block: Block) -> str:
    return as_text(block.value.get("text"))
