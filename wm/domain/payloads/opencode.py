"""OpenCode's hooks (IF-2), as our plugin posts them to `/v1/hooks/opencode/<name>`.

`<name>` is the name of the plugin hook or of the bus event. Bodies are close to what OpenCode
passes to a plugin; a plugin hook sends

    {"input": …, "output": …, "directory": "…", "worktree": "…"}

with `input` unchanged and of `output` only the fields named here, a bus event sends

    {"event": {"type": "<name>", "properties": {…}}, "directory": "…", "worktree": "…"}

Fields that are read, and the answer to the plugin:

    chat.message
        input.sessionID, .messageID?; output.message.id,
        output.parts[] {type, text, synthetic, ignored}      -> {"notices": [...], "toast": text}
    tool.execute.after
        input.sessionID, .tool, .args; output.output,
        output.metadata {exit, synthetic?}, replaceable?     -> {"notices": [...], "output": text}
    experimental.chat.system.transform
        input.sessionID?; output.system = [the first
        200 characters of system[0]]                         -> {"system": [texts to push]}
    experimental.session.compacting
        input.sessionID                                      -> {"context": [texts to push]}
    experimental.text.complete (not sent for a summary)
        input.sessionID; output.text
    dispose (the process of this session exits)
        input.sessionID
    message.part.updated (sent only for a tool part whose state.status is "error")
        properties.part {sessionID, type, tool, state {status, input, error}}
    session.created
        properties.info {id, parentID?, title?}
    session.compacted
        properties.sessionID; and beside `event` the field "summary": the last text of
        experimental.text.complete since session.compacting, "" if none came
    session.deleted
        properties.info.id or properties.sessionID
    session.idle, session.error and all others
        nothing is done

A body of a subagent's session also carries `"parentID"` (the plugin remembers it from
session.created): nothing is learned from it, and it gets no memory (EP-2, EX-4).

An empty answer has no body: the plugin then changes nothing. `experimental.chat.system.transform`
also fires for titles and summaries without saying so; the beginning of their system prompt
identifies them, and they get no memory (EP-2). A call without a session id belongs to no session.
A bash call that failed does not throw: its code is `metadata.exit`. A read that failed throws
and has no after-hook; it arrives as message.part.updated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from wm.domain.payloads import prompt_text
from wm.domain.payloads.fields import check_object, integer, mapping, objects, plain, strings, text
from wm.domain.payloads.hook_values import HookOutcome, ParsedHook, Reply, Want
from wm.domain.payloads.normaliser import attached, touched_files
from wm.errors import HostError
from wm.formats.events import (
    AssistantText,
    CompactionFinished,
    CompactionStarted,
    Event,
    SessionDeleted,
    SessionEnded,
    SessionStarted,
    ToolFinished,
    UsageReported,
    UserPrompt,
)
from wm.text import patterns
from wm.text.tables import Tables

TOOL_KINDS = dict(Tables("wm.domain.payloads").rows("opencode", columns=2))

SIDE_CALLS = ("You are a title generator", "You are a context summarization agent")
"""How the system prompts of OpenCode's titles and summaries begin."""

SIDE_AGENTS = ("title", "summary", "compaction")

MOST_OUTPUT = 32_000
RESERVED = 20_000
"""OpenCode's own figures: most tokens of one answer, and the tokens it reserves of an input
limit."""

SPOKEN = (UserPrompt, AssistantText, CompactionFinished)
"""Events whose words could be learned."""

FORKED = patterns.Lazy(r" \(fork #\d{1,9}\)$")
"""OpenCode's title of a session that begins with another one's messages: the only sign of it."""


class _Post(Struct, frozen=True):
    """One post, split into its parts."""

    where: str
    body: Mapping[str, Any]
    input: Mapping[str, Any]
    output: Mapping[str, Any]
    properties: Mapping[str, Any]

    @property
    def directory(self) -> str:
        return text(self.body, "directory")


Reader = Callable[[_Post], tuple[Event, ...]]


def parse(name: str, payload: Any, _project: str = "") -> ParsedHook:
    """Parse one post of the plugin. Names that are not used return no events. The plugin names the
    folder in each post, so the project of the hook's client is not used.

    Raises HostError for a body that is not an object or does not name its session.
    """
    where = f"OpenCode's {name}"
    body = check_object(payload, where=where)
    call = _Post(
        where=where,
        body=body,
        input=mapping(body, "input"),
        output=mapping(body, "output"),
        properties=mapping(mapping(body, "event"), "properties"),
    )
    session_id = _session_id(call)
    read, wants = EVENTS.get(name, (None, frozenset[Want]()))
    events: tuple[Event, ...] = ()
    if read is not None and (session_id or name not in WITHOUT_SESSION):
        if not session_id:
            raise HostError(f"{where}: the body names no session ('sessionID' is missing).")
        events = read(call)
    aside = _is_side_call(call)
    return ParsedHook(
        agent="opencode",
        session_id=session_id,
        directory=call.directory,
        events=tuple(e for e in events if not (aside and isinstance(e, SPOKEN))),
        wants=frozenset() if aside or not session_id or _is_over(events) else wants,
    )


def reply(name: str, outcome: HookOutcome) -> Reply:
    """Return what the plugin pushes into the hook's `output`; None: it changes nothing."""
    new = (*outcome.notices, outcome.review)
    if name == SYSTEM_TRANSFORM:
        return _listed("system", outcome.blocks)
    if name == COMPACTING:
        return _listed("context", (outcome.instructions,))
    if name == "tool.execute.after" and outcome.output:
        noticed = [notice for notice in outcome.notices if notice]
        return {"output": outcome.output, **({"notices": noticed} if noticed else {})}
    if name == "chat.message":
        shown = {"toast": outcome.shown} if outcome.shown else {}
        return {**(_listed("notices", new) or {}), **shown} or None
    if name == "session.created":
        return {"toast": outcome.shown} if outcome.shown else None
    if name == "tool.execute.after":
        return _listed("notices", new)
    if name == MESSAGE_UPDATED:
        return {"prompt": outcome.review} if outcome.review else _listed("notices", outcome.notices)
    return None


def _listed(key: str, texts: tuple[str, ...]) -> dict[str, Any] | None:
    kept = [t for t in texts if t]
    return {key: kept} if kept else None


def _session_id(call: _Post) -> str:
    properties = call.properties
    return (
        text(call.input, "sessionID")
        or text(properties, "sessionID")
        or text(mapping(properties, "info"), "sessionID")
        or text(mapping(properties, "info"), "id")
        or text(mapping(properties, "part"), "sessionID")
    )


def _is_side_call(call: _Post) -> bool:
    """Is it a subagent's call, or OpenCode's own? Neither learns nor receives memory (EP-2)."""
    if text(call.body, "parentID"):
        return True
    system = strings(call.output, "system")
    return bool(system) and system[0].lstrip().startswith(SIDE_CALLS)


def _created(call: _Post) -> tuple[Event, ...]:
    info = mapping(call.properties, "info")
    parent = text(info, "parentID")
    source = "fork" if FORKED.search(text(info, "title")[-40:]) else "startup"
    return (SessionStarted(source=source, parent_session=parent, subagent=bool(parent)),)


def _message(call: _Post) -> tuple[Event, ...]:
    parts = [part for part in objects(call.output, "parts") if text(part, "type") == "text"]
    typed = [text(part, "text") for part in parts if not _is_added(part)]
    added = [text(part, "text") for part in parts if _is_added(part)]
    sent = prompt_text.unquoted("\n".join(filter(None, typed)))
    words = prompt_text.of_user(sent)
    message = text(call.input, "messageID") or text(mapping(call.output, "message"), "id")
    prompt = (UserPrompt(text=words, message_id=message),) if words else ()
    shown = "\n".join(filter(None, (prompt_text.added(sent), *added)))
    return (*prompt, *attached(shown))


def _is_added(part: Mapping[str, Any]) -> bool:
    return part.get("synthetic") is True or part.get("ignored") is True


def _tool_done(call: _Post) -> tuple[Event, ...]:
    name = text(call.input, "tool")
    if not name:
        raise HostError(f"{call.where}: the body does not say which tool ran ('input.tool').")
    args = mapping(call.input, "args")
    output = plain(call.output.get("output"))
    metadata = mapping(call.output, "metadata")
    done = _tool(call, name, args, output, integer(metadata, "exit"), failed=False)
    # True if the plugin can replace the output by a shorter text and sent all of it.
    replaceable = output if call.body.get("replaceable") is True else ""
    marked = metadata.get("synthetic") is True
    return (done.model_copy(update={"replaceable": replaceable, "synthetic": marked}),)


def _part_updated(call: _Post) -> tuple[Event, ...]:
    part = mapping(call.properties, "part")
    state = mapping(part, "state")
    name = text(part, "tool")
    if text(part, "type") != "tool" or text(state, "status") != "error" or not name:
        return ()
    return (_tool(call, name, mapping(state, "input"), text(state, "error"), None, failed=True),)


def _tool(
    call: _Post,
    name: str,
    args: Mapping[str, Any],
    output: str,
    exit_code: int | None,
    *,
    failed: bool,
) -> ToolFinished:
    kind = TOOL_KINDS.get(name, "other")
    return ToolFinished(
        tool=kind,
        name=name,
        command=text(args, "command") if kind == "bash" else "",
        paths=touched_files(kind, text(args, "filePath"), text(args, "patchText"), output),
        output="" if kind in ("edit", "write") and not failed else output,
        exit_code=exit_code if kind == "bash" else None,
        failed=failed,
        cwd=text(args, "workdir") or call.directory,
    )


def _compacted(call: _Post) -> tuple[Event, ...]:
    return (CompactionFinished(summary=text(call.body, "summary")),)


def _wrote(call: _Post) -> tuple[Event, ...]:
    words = text(call.output, "text")
    return (AssistantText(text=words),) if words else ()


def _counted(call: _Post) -> tuple[Event, ...]:
    """Return the reported usage. An answer's tokens are those of the whole conversation up to its
    end; a summary's are those of the conversation that it replaces."""
    info = mapping(call.properties, "info")
    tokens = _tokens(mapping(info, "tokens"))
    if text(info, "role") != "assistant" or info.get("summary") is True or not tokens:
        return ()
    if text(info, "agent") in SIDE_AGENTS or text(info, "mode") in SIDE_AGENTS:
        return ()
    named = (text(info, "providerID"), text(info, "modelID"))
    return (
        UsageReported(
            tokens=tokens,
            limit=_fits(mapping(call.body, "limit"), mapping(call.body, "compaction")),
            model="/".join(filter(None, named)),
            source="opencode",
        ),
    )


def _is_over(events: tuple[Event, ...]) -> bool:
    """Is the context full? OpenCode compacts next, and a message in between would be lost."""
    return any(isinstance(e, UsageReported) and 0 < e.limit <= e.tokens for e in events)


def _tokens(tokens: Mapping[str, Any]) -> int:
    cache = mapping(tokens, "cache")
    parts = [integer(tokens, key) for key in ("input", "output", "reasoning")]
    parts += [integer(cache, key) for key in ("read", "write")]
    return integer(tokens, "total") or sum(max(0, part or 0) for part in parts)


def _fits(limit: Mapping[str, Any], compaction: Mapping[str, Any]) -> int:
    """Return the tokens at which OpenCode compacts by itself: the window less what an answer may
    need. 0 if the model's window is not known; the window itself if nothing would remain, or if the
    user switched compaction off."""
    window = max(0, integer(limit, "input") or integer(limit, "context") or 0)
    answer = min(integer(limit, "output") or MOST_OUTPUT, MOST_OUTPUT)
    kept_free = answer
    if integer(limit, "input"):
        reserved = integer(compaction, "reserved")
        kept_free = min(answer, RESERVED) if reserved is None else max(0, reserved)
    fits = window - kept_free
    return window if compaction.get("auto") is False or fits <= 0 else fits


def _always(*events: Event) -> Reader:
    return lambda _call: events


SYSTEM_TRANSFORM = "experimental.chat.system.transform"
COMPACTING = "experimental.session.compacting"
MESSAGE_UPDATED = "message.updated"
WITHOUT_SESSION = frozenset({SYSTEM_TRANSFORM, "dispose"})
"""Calls that OpenCode may make outside a session; nothing is done for them then."""

_NOTICES = frozenset({Want.NOTICES})

EVENTS: Mapping[str, tuple[Reader, frozenset[Want]]] = {
    "session.created": (_created, frozenset()),
    "chat.message": (_message, _NOTICES),
    "tool.execute.after": (_tool_done, _NOTICES),
    MESSAGE_UPDATED: (_counted, frozenset({Want.PROMPT})),
    "message.part.updated": (_part_updated, frozenset()),
    SYSTEM_TRANSFORM: (_always(), frozenset({Want.BLOCKS})),
    COMPACTING: (_always(CompactionStarted(trigger="")), frozenset({Want.INSTRUCTIONS})),
    "session.compacted": (_compacted, frozenset()),
    "experimental.text.complete": (_wrote, frozenset()),
    "session.deleted": (_always(SessionDeleted()), frozenset()),
    "dispose": (_always(SessionEnded(reason="dispose")), frozenset()),
}
"""Every hook and event that is used: its reader, and what its reply needs."""
