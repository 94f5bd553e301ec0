"""Applies known decisions, then a policy's new ones, to a request as splices. Pure (PX-2).

A decision names a block by its place: the identity of everything up to and with it. Logged
decisions come first, so that the same history has the same bytes after a restart; the policy only
sees blocks without one. What can be replaced: the content of a tool result or lines of it, the
input of a tool call, a complete step (an answer with its calls, and the message with all their
results), and thinking of finished turns. Passages of what was removed can be appended behind a
message of the user (GA-3). Ids, pairs, other thinking and all other bytes stay unchanged. New
decisions must be logged before the request is sent (`wm.proxy.preparing` ensures this).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, TypeVar

from msgspec import Struct, field

from wm.text.jsontext import as_list, objects_in
from wm.wire.block import MARK, SPELLED_MARK, Block
from wm.wire.body import Body, Message, Replacement
from wm.wire.history import ConversationHistory
from wm.wire.spans import ByteSpan

Form = Literal["content", "lines", "input", "step", "thinking", "passages", "tools", "exchange"]
T = TypeVar("T", list[Any], dict[str, Any])
THINKING = frozenset(("thinking", "redacted_thinking"))
FIRST_LEVELS = 2
"""Replacements up to this level are made when a block first appears, or not at all."""
Log = Mapping[str, "Decision"]
"""The decisions of a conversation, by block."""


def behind(place: str) -> str:
    """What a decision names that appends passages after the block at this place."""
    return f"a_{place}"


class Decision(Struct, frozen=True, dict=True):
    """block: the place of a block (`wm.wire.history`). text: its replacement, never empty. reason:
    a stable word.

    level: the fidelity level of the replacement (OB-2); a later decision must have a higher one.

    form: what is replaced. `content`: the content of a result, by the text. `lines`: runs of lines
    of a result or a text, by references; the text is a JSON list of `[first, count, reference]`.
    `input`: members of a call's input, by notes; the text is a JSON object of these, with null for
    a member that is left out. `step`: a step, named by its last result, by a text block at the end
    of the message before it. `thinking`: a block of thinking of a finished turn, by nothing.
    `passages`: nothing is replaced; the text is appended at the end of the message, and `block` is
    `behind` its last place, so that the block itself can be decided on later. Only this form
    repeats content. `tools`, `exchange`: not of a block; `wm.ops.paging.phantoms` applies them
    before all others.
    """

    block: str
    text: str
    reason: str = ""
    form: Form = "content"
    level: int = 3

    @cached_property
    def quoted(self) -> bytes:
        """The text as JSON."""
        return json_of(self.text)


class Moment(Struct, frozen=True):
    """What a policy knows of a request besides its history. Prices and credit are multiples of the
    model's price of an input token.

    read, write: price of a cached and of a written token. credit: what this request may cost more
    than without new decisions (PX-7). cached: number of messages at the beginning that the cache
    holds in their present form; 0 if it is cold. prompt: tokens of the request as it would be sent.
    emergency: the context is nearly full, so a cut may cost more than the credit.

    The rest explains these: window: tokens of the model's context; 0 if unknown. scale: tokens by
    the service's count for each estimated one. at: when it was made; until: when the cache entries
    expire; both in seconds since 1970.
    """

    read: float = 0.1
    write: float = 1.25
    credit: float = 0.0
    cached: int = 0
    prompt: int = 0
    emergency: bool = False
    window: int = 0
    scale: float = 1.0
    at: float = 0.0
    until: float = 0.0


Policy = Callable[[Body, ConversationHistory, Log, Moment], tuple[Decision, ...]]
"""Makes the missing decisions. Pure: the same arguments give the same decisions."""


class Prepared(Struct, frozen=True):
    """raw: the body for the upstream; the same object that arrived if nothing was replaced.

    decisions: the new ones, to be logged first. replaced: number of decisions that were applied.
    trouble: "" for success, else `late` or `failed`. tolerant: the body asks the service to drop
    thinking that is bound to another prefix, which needs `wm.wire.binding.BETA`. request: the name
    under which the outcome is reported; "" for none. marked: the place of the end of a request with
    a cut, and the places of the marks that `wm` set in it. phantoms: names of tools in it whose
    calls `wm` answers itself, so the client must not see them (PX-5).
    """

    raw: bytes
    decisions: tuple[Decision, ...] = ()
    replaced: int = 0
    trouble: str = ""
    tolerant: bool = False
    request: str = ""
    marked: tuple[str, ...] = ()
    phantoms: frozenset[str] = frozenset()


def nothing(
    _body: Body, _history: ConversationHistory, _log: Log, _moment: Moment
) -> tuple[Decision, ...]:
    """The policy that makes no decisions."""
    return ()


class DroppedSteps(Struct):
    """The steps that decisions replace. messages: numbers of their messages. texts: decisions on
    the steps that follow a message, by its number. anchors: that number by the number of a step's
    results."""

    messages: set[int] = field(default_factory=set)
    texts: dict[int, list[Decision]] = field(default_factory=dict)
    anchors: dict[int, int] = field(default_factory=dict)


def dropped(body: Body, past: ConversationHistory, log: Log) -> DroppedSteps:
    """The steps that can be replaced as decided. A decision on anything else has no effect."""
    found = DroppedSteps()
    for number in range(len(past.places)):
        decision = replacing(body, past, log, number)
        if decision is not None:
            # The answer was the last message that stayed.
            anchor = found.anchors.get(number - 2, number - 2)
            found.messages |= {number - 1, number}
            found.texts.setdefault(anchor, []).append(decision)
            found.anchors[number] = anchor
    return found


def replacing(body: Body, past: ConversationHistory, log: Log, number: int) -> Decision | None:
    """The decision in force that replaces the step that ends with this message; None without."""
    places = past.places[number]
    decision = log.get(places[-1]) if places else None
    if decision is None or decision.form != "step" or not is_step(body.messages, number):
        return None
    before = body.messages[number - 2]
    return decision if before.role == "user" and before.blocks else None


def dropping(body: Body, past: ConversationHistory, log: Log, number: int) -> Decision | None:
    """The decision in force that replaces the step with this message; None without."""
    ends = range(number, min(number + 2, len(past.places)))
    found = (replacing(body, past, log, end) for end in ends)
    return next((one for one in found if one is not None), None)


def is_step(messages: Sequence[Message], number: int) -> bool:
    """Whether this message consists of the results of all calls of the answer before it, between
    two other messages."""
    if not 2 <= number < len(messages) - 1:
        return False
    answer, results_ = messages[number - 1], messages[number]
    if answer.role != "assistant" or results_.role != "user":
        return False
    if any(block.type != "tool_result" for block in results_.blocks):
        return False
    calls = [block.call for block in answer.blocks if block.type == "tool_use"]
    answered = [block.call for block in results_.blocks]
    return bool(calls) and len(calls) == len(answered) and set(calls) == set(answered)


def replaced(
    body: Body,
    past: ConversationHistory,
    log: Log,
    steps: DroppedSteps,
    marks: Mapping[str, Any] | None = None,
    first: int = 0,
) -> tuple[list[Replacement], list[int]]:
    """The splices for these decisions, and the number of the message of each decision that applies,
    in order. steps: those that the decisions replace (`dropped`). marks: cache marks for their
    texts, by place. first: number of the first message to read."""
    splices: list[Replacement] = []
    added = {number: [one] for number, one in appended(body, past, log, first)}
    applied = [*added, *(number for number in steps.anchors if number >= first)]
    for number in range(first, len(body.messages)):
        message, places = body.messages[number], past.places[number]
        if number in steps.messages:
            span = ByteSpan(body.messages[number - 1].span.end, message.span.end)
            splices.append((span, b""))
            continue
        if log.keys().isdisjoint(places):
            continue
        for block, place in zip(message.blocks, places, strict=True):
            decision = log.get(place)
            made = _replacement(message.role, block, decision) if decision is not None else None
            if made is not None:
                splices.append(made)
                applied.append(number)
        if message.role == "assistant" and any(is_dropped_thinking(p, log) for p in places):
            thinking = _without_thinking(message, places, log)
            splices += thinking
            applied += [number] * len(thinking)
    for number in sorted({*(at for at in steps.texts if at >= first), *added}):
        # The passages came first, and what is before a change keeps its form.
        texts = (*added.get(number, ()), *steps.texts.get(number, ()))
        parts = [_text(one.quoted, (marks or {}).get(one.block) or None) for one in texts]
        splices += _appended(body.messages[number], parts)
    return splices, sorted(applied)


def appended(
    body: Body, past: ConversationHistory, log: Log, first: int = 0
) -> Iterator[tuple[int, Decision]]:
    """The decisions that append passages from this message on, each with the number of its message.
    A step that is replaced loses its own."""
    if not any(one.form == "passages" for one in log.values()):
        return
    for number in range(first, len(body.messages)):
        places = past.places[number]
        if places and body.messages[number].role == "user":
            decision = log.get(behind(places[-1]))
            if decision is None or decision.form != "passages":
                continue
            if dropping(body, past, log, number) is None:
                yield number, decision


def pending(body: Body, past: ConversationHistory, log: Log) -> list[str]:
    """Places of decisions that were made when more followed their block: on a step that nothing
    follows, so that they have no effect, and on thinking of a turn that is not finished. So it is
    when the client goes back into what a cut removed."""
    steps, begin = dropped(body, past, log).messages, turn_begin(body.messages)
    return [
        place
        for number, places in enumerate(past.places)
        if number not in steps
        for place in places
        if (decision := log.get(place)) is not None
        and (decision.form == "step" or (decision.form == "thinking" and number >= begin))
    ]


def _replacement(role: str, block: Block, decision: Decision) -> Replacement | None:
    """The splice for a text, a result or a call; None if the decision does not fit the block."""
    member = block.type if block.type == "text" else "content"
    name = "input" if decision.form == "input" else member
    span = block.span if block.text else block.member(name)
    if span is None:
        return None
    if decision not in block.derived:
        block.derived[decision] = _made(role, block, decision)
    made = block.derived[decision]
    return None if made is None else (span, made)


def _made(role: str, block: Block, decision: Decision) -> bytes | None:
    """What a decision puts in place of a block's content or input."""
    text = text_in_place(role, block, decision)
    if text is None or decision.form == "input":
        return None if text is None else text.encode("utf-8", "replace")
    return _content(block, decision.quoted if decision.form == "content" else json_of(text))


def text_in_place(role: str, block: Block, decision: Decision) -> str | None:
    """What a block shows under a decision about itself; None if the decision does not fit it."""
    is_result = role == "user" and block.type == "tool_result"
    if decision.form == "content" and is_result:
        return decision.text
    if decision.form == "lines" and (is_result or block.type == "text"):
        text = result_text(block.value.get("content")) if is_result else block.value.get("text")
        return with_references(str(text), decision.text)
    if decision.form == "input" and block.type == "tool_use":
        return with_notes(block.value.get("input"), decision.text)
    return None


def result_text(content: Any) -> str:
    """The text of a text-only result; "" for one with other parts."""
    if isinstance(content, str):
        return content
    parts = as_list(content)
    texts = [part.get("text") for part in objects_in(parts)]
    are_texts = len(texts) == len(parts) and all(isinstance(text, str) for text in texts)
    return "\n".join(map(str, texts)) if are_texts else ""


def with_references(text: str, references: str) -> str | None:
    """The text with runs of its lines replaced, as a decision of form `lines` says; None if it does
    not fit."""
    lines, out, at = text.split("\n"), [], 0
    for first, count, reference in _decoded(references, list):
        if not at <= first <= first + count <= len(lines):
            return None
        out += [*lines[at:first], reference]
        at = first + count
    return "\n".join([*out, *lines[at:]]) if at else None


def with_notes(given: Any, notes: str) -> str | None:
    """The input with members replaced, as a decision of form `input` says; None if it does not
    fit."""
    found = _decoded(notes, dict)
    if not isinstance(given, dict) or not found or not found.keys() <= given.keys():
        return None
    kept = {k: v for k, v in {**given, **found}.items() if k not in found or v is not None}
    return json.dumps(kept, ensure_ascii=False)


def _decoded(text: str, kind: type[T]) -> T:
    """The JSON value of a decision's text; an empty one if it is of another kind."""
    try:
        found = json.loads(text)
    except ValueError:
        return kind()
    return found if isinstance(found, kind) else kind()


def turn_begin(messages: Sequence[Message]) -> int:
    """Number of the last message with a prompt: the turn after it is not finished."""
    for number in range(len(messages) - 1, -1, -1):
        message = messages[number]
        if message.role == "user" and any(b.type != "tool_result" for b in message.blocks):
            return number
    return 0


def is_dropped_thinking(place: str, log: Log) -> bool:
    decision = log.get(place)
    return decision is not None and decision.form == "thinking"


def _without_thinking(message: Message, places: Sequence[str], log: Log) -> list[Replacement]:
    """The splices that take thinking out of an answer. Its last block is none, so that one
    stays."""
    blocks = message.blocks
    return [
        (ByteSpan(block.span.start, after.span.start), b"")
        for (block, after), place in zip(pairwise(blocks), places, strict=False)
        if block.type in THINKING
        and blocks[-1].type not in THINKING
        and is_dropped_thinking(place, log)
    ]


def _text(quoted: bytes, mark: Any) -> bytes:
    named = b"" if mark is None else b", %b: %b" % (SPELLED_MARK, json_of(mark))
    return b'{"type": "text", "text": %b%b}' % (quoted, named)


def _appended(message: Message, parts: Sequence[bytes]) -> list[Replacement]:
    """Blocks at the end of a message."""
    last = message.blocks[-1]
    if last.text:
        return into_list(last, b",".join([b"}", *parts]))
    end = last.span.end
    return [(ByteSpan(end, end), b"".join(b"," + part for part in parts))]


def into_list(text: Block, rest: bytes) -> list[Replacement]:
    """The splices that put a content of one text into a list with more behind the text. They leave
    the text itself free for a decision."""
    start, end = text.span.start, text.span.end
    before, behind = ByteSpan(start, start), ByteSpan(end, end)
    return [(before, b'[{"type":"text","text":'), (behind, rest + b"]")]


def json_of(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def _content(block: Block, quoted: bytes) -> bytes:
    """A text as the content of a result. A cache mark inside the old content stays: without it the
    client's prefix would not be cached."""
    mark = _mark_in(block.value.get("content")) if SPELLED_MARK in block.raw else None
    return quoted if mark is None else b"[%b]" % _text(quoted, mark)


def _mark_in(content: Any) -> Any:
    marks = [part[MARK] for part in objects_in(content) if MARK in part]
    return marks[-1] if marks else None
