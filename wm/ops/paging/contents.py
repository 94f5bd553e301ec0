"""The texts of a step: what its blocks contain, and the objects that are stored of them (OB-1).

Reads blocks of a request; what is stored is redacted by the daemon. Thinking is never stored: it
belongs to the service, which signs it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Set
from itertools import chain
from typing import Any

from msgspec import Struct, field

from wm.api.tools import INSTRUCTIONS, TOOLS
from wm.domain.paging import stubs
from wm.domain.paging.files import FileUse, uses
from wm.domain.paging.objects import StepCall, StepFacts, StepJudge
from wm.formats.paged_object import ObjectPart, PagedObject
from wm.ops.paging.phantoms import tags_text
from wm.wire.account import Bill
from wm.wire.block import CHARS_PER_TOKEN, Block
from wm.wire.body import Body
from wm.wire.history import ConversationHistory
from wm.wire.policy import THINKING, result_text
from wm.wire.rows import estimate, size

MAX_NAMES = 32
"""Identifiers that are stored with an object, the rarest in it first."""

_INJECTED = (
    *("workspace_memory", "core_memory", "working_memory", "last_session", "recalled_context"),
    *("wm-session", "wm-handoff"),
)
"""Tags of the texts that memory adds to prompts."""
_DESCRIPTIONS = frozenset(tool.description for tool in TOOLS)
_OF_THE_AGENT = frozenset(("tool_use", "tool_result", *THINKING))


def block_text(block: Block, *, is_result: bool) -> str:
    """The text of a block by which its content is named."""
    value = block.value
    if block.type == "tool_use":
        return "\n".join(strings(value.get("input")))
    if is_result:
        return result_text(value.get("content"))
    if isinstance(text := value.get("text"), str):
        return text
    return "\n".join(strings({**value, "signature": "", "data": ""}))


def uses_in(block: Block) -> Iterator[FileUse]:
    """The reads and writes of files in a call; nothing for other blocks."""
    if block.type == "tool_use":
        yield from uses(str(block.value.get("name", "")), block.value.get("input"))


def has_failed(result: Block) -> bool:
    return result.value.get("is_error") is True


def strings(value: Any, *, without: Set[str] = frozenset()) -> Iterator[str]:
    """All strings in a JSON value, but for the members with these names."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            if name not in without:
                yield from strings(inner, without=without)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner, without=without)


def added(body: Body, read: int) -> Bill:
    """What memory itself adds to a request: the definitions of its tools, and the texts that it
    injects into prompts. read: tokens at its beginning that the cache holds."""
    at, found = 0, [0, 0]
    tools = (block for block in body.tools if not block.value.get("defer_loading"))
    for block in chain(tools, body.system, *(message.blocks for message in body.messages)):
        at += size(block)
        if block.type not in _OF_THE_AGENT:
            found[at > read] += _added(block)
    return Bill(*found)


def _added(block: Block) -> int:
    known: int | None = block.derived.get("added")
    if known is None:
        value, chars = block.value, 0
        if isinstance(text := value.get("text"), str):
            chars += sum(len(one) for one in (INSTRUCTIONS, tags_text()) if one in text)
            for tag in _INJECTED:
                ends = (one.find(f"</{tag}>") for one in text.split(f"<{tag}>")[1:])
                chars += sum(end + 2 * len(tag) + 5 for end in ends if end >= 0)
        is_tool = str(value.get("description")) in _DESCRIPTIONS
        known = block.derived["added"] = size(block) if is_tool else chars // CHARS_PER_TOKEN
    return known


class ObjectReader(Struct):
    """Makes the objects of one conversation, step by step."""

    _judge: StepJudge = field(default_factory=StepJudge)
    _read: dict[str, str] = field(default_factory=dict)
    """Place of a block -> the id of its step, for the steps that were read."""
    _count: int = 0

    def new(self, body: Body, past: ConversationHistory, conversation: str) -> list[PagedObject]:
        """The steps that were not read before, in order."""
        found = []
        for number in range(1, len(body.messages)):
            places = past.places[number]
            if not places or places[-1] in self._read or not _answers(body, number):
                continue
            self._count += 1
            both = (*past.places[number - 1], *places)
            made = self._object(body, number, both, conversation)
            self._read.update(dict.fromkeys(both, made.id))
            found.append(made)
        return found

    def id_of(self, place: str) -> str:
        """The id of the step with this block; "" if it was not read."""
        return self._read.get(place, "")

    def _object(
        self, body: Body, number: int, places: tuple[str, ...], conversation: str
    ) -> PagedObject:
        answer, results = body.messages[number - 1], body.messages[number]
        found = {block.call: block for block in results.blocks}
        parts: list[ObjectPart] = []
        calls, texts, said = [], [], []
        for block in answer.blocks:
            text = block_text(block, is_result=False)
            texts.append(text)
            if block.type == "tool_use":
                result = found.get(block.call)
                failed = result is not None and has_failed(result)
                calls.append(_call(block.value, failed=failed))
                parts += _call_parts(block.value)
            elif block.type not in THINKING and text:
                said.append(text)
                parts.append(ObjectPart(id=stubs.handle_of(text), kind="text", text=text))
        for block in results.blocks:
            text = block_text(block, is_result=True)
            texts.append(text)
            if text:
                parts.append(_result_part(block, text))
        whole = "\n".join(texts)
        names = stubs.names_in(whole)
        facts = StepFacts(stubs.handle_of(whole), tuple(calls), "\n".join(said), names)
        judged = self._judge.judge(facts)
        labels = [part.label for part in parts if part.label]
        return PagedObject(
            id=facts.id,
            conversation=conversation,
            places=places,
            number=self._count,
            type=judged.type,
            label="; ".join(labels[:3]),
            tokens=sum(estimate(b) for m in (answer, results) for b in m.blocks),
            parts=tuple(parts),
            names=tuple(sorted(names, key=lambda n: (whole.count(n), -len(n), n))[:MAX_NAMES]),
            relations=judged.relations,
            admission=judged.admission,
        )


def _answers(body: Body, number: int) -> bool:
    """Whether this message has the results of calls of the answer before it."""
    message, before = body.messages[number], body.messages[number - 1]
    return (
        message.role == "user"
        and before.role == "assistant"
        and any(block.type == "tool_result" for block in message.blocks)
    )


def _call(value: Mapping[str, Any], *, failed: bool) -> StepCall:
    tool, given = str(value.get("name", "")), value.get("input")
    command = given.get("command") if isinstance(given, dict) else ""
    return StepCall(
        tool, command if isinstance(command, str) else "", tuple(uses(tool, given)), failed
    )


def _call_parts(value: Mapping[str, Any]) -> Iterator[ObjectPart]:
    """The input of a call with notes for its long texts, and each of these texts."""
    tool, given = str(value.get("name", "")), value.get("input")
    fields = given if isinstance(given, dict) else {}
    notes = stubs.input_notes(fields)
    text = json.dumps({**fields, **notes} if fields else given, ensure_ascii=False)
    path = next((use.path for use in uses(tool, given)), "")
    label = stubs.label_of(tool, given)
    handle = stubs.handle_of(text)
    yield ObjectPart(id=handle, kind="call", tool=tool, label=label, path=path, text=text)
    for key in notes:
        inner = stubs.text_of_member(fields[key])
        handle = stubs.handle_of(inner)
        yield ObjectPart(id=handle, kind="input", tool=tool, path=path, text=inner)


def _result_part(block: Block, text: str) -> ObjectPart:
    return ObjectPart(id=stubs.handle_of(text), kind="result", failed=has_failed(block), text=text)
