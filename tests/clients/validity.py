"""Which requests the service refuses, and with which words.

Every function returns the sentences of what is wrong, in the order they are met; no sentence means
the request is accepted. Prefix binding of thinking, a switch of the upstream, is not decided here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from tests.clients.accounting import Block, ThinkingLedger, blocks_of, signature_of

MAX_CACHE_MARKS = 4
ROLES = ("user", "assistant", "system")


def refusals(body: object, ledger: ThinkingLedger) -> list[str]:
    """Everything wrong with a Messages request, shape first."""
    if not isinstance(body, dict):
        return ["The request body is not a JSON object."]
    shape = list(_shape(body))
    if shape:
        return shape
    messages: list[dict[str, Any]] = body["messages"]
    return [
        *_contents(messages),
        *_system_texts(body),
        *_pairing(messages),
        *_marks(body),
        *_signatures(messages, ledger),
        *_latest_thinking(messages, ledger),
    ]


def unpaired(messages: list[dict[str, Any]]) -> list[str]:
    """What is wrong with the calls of a request in another API: each is answered later.

    Gemini CLI repeats each result when it resumes a session, with and without wm.
    """
    asked: set[str] = set()
    answered: set[str] = set()
    wrong = []
    for number, message in enumerate(messages):
        asked.update(_ids(message, "tool_use", "id"))
        results = _ids(message, "tool_result", "tool_use_id")
        wrong += [
            f"messages.{number}: a result without its call: {call}"
            for call in results
            if call not in asked
        ]
        answered.update(results)
    return [*wrong, *(f"a call without its result: {call}" for call in sorted(asked - answered))]


def _shape(body: dict[str, Any]) -> Iterator[str]:
    for name in ("model", "max_tokens", "messages"):
        if name not in body:
            yield f"{name}: Field required"
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        yield "messages: at least one message is required"
        return
    for number, message in enumerate(messages):
        if not isinstance(message, dict) or message.get("role") not in ROLES:
            yield f"messages.{number}.role: must be one of {', '.join(ROLES)}"
        elif not isinstance(message.get("content"), str | list):
            yield f"messages.{number}.content: must be a string or a list of blocks"
    if isinstance(messages[0], dict) and messages[0].get("role") != "user":
        yield "messages.0.role: the first message must have the role user"
    if isinstance(messages[-1], dict) and messages[-1].get("role") == "assistant":
        yield "This model does not support assistant message prefill."


def _contents(messages: list[dict[str, Any]]) -> Iterator[str]:
    for number, message in enumerate(messages):
        content = message["content"]
        # A resumed session carries a role:"system" entry without content; the service takes it.
        if not content and message["role"] != "system":
            yield f"messages.{number}: all messages must have non-empty content"
        for index, block in enumerate(content if isinstance(content, list) else []):
            yield from _block(f"messages.{number}.content.{index}", block)


def _system_texts(body: dict[str, Any]) -> Iterator[str]:
    system = body.get("system")
    for index, block in enumerate(system if isinstance(system, list) else []):
        yield from _block(f"system.{index}", block)


def _block(place: str, block: object) -> Iterator[str]:
    if not isinstance(block, dict) or not isinstance(block.get("type"), str):
        yield f"{place}.type: Field required"
        return
    if block["type"] == "text" and not str(block.get("text", "")):
        yield f"{place}.text: text content blocks must be non-empty"
    if block["type"] == "tool_result" and isinstance(block.get("content"), list):
        for index, part in enumerate(block["content"]):
            yield from _block(f"{place}.content.{index}", part)


def _pairing(messages: list[dict[str, Any]]) -> Iterator[str]:
    """Each tool_use is answered in the very next message, all of them, before anything else."""
    seen: Counter[str] = Counter()
    for number, message in enumerate(messages):
        before = messages[number - 1] if number else None
        asked = _ids(before, "tool_use", "id") if before else []
        answered = _ids(message, "tool_result", "tool_use_id")
        place = f"messages.{number}"
        missing = [call for call in asked if call not in answered]
        if missing:
            yield (
                f"messages.{number - 1}: `tool_use` ids were found without `tool_result` blocks "
                f"immediately after: {', '.join(missing)}."
            )
        if answered:
            yield from _results(place, message, asked, answered)
        calls = _ids(message, "tool_use", "id")
        if calls and message["role"] != "assistant":
            yield f"{place}: `tool_use` blocks are only allowed in assistant messages"
        seen.update(calls)
    last = _ids(messages[-1], "tool_use", "id")
    if last:
        yield f"messages.{len(messages) - 1}: `tool_use` ids without `tool_result`: {last}."
    repeated = [call for call, times in seen.items() if times > 1]
    if repeated:
        yield f"messages: `tool_use` ids must be unique: {', '.join(repeated)}"


def _results(
    place: str, message: dict[str, Any], asked: list[str], answered: list[str]
) -> Iterator[str]:
    if message["role"] != "user":
        yield f"{place}: `tool_result` blocks are only allowed in user messages"
    orphans = [call for call in answered if call not in asked]
    if orphans:
        yield f"{place}: unexpected `tool_use_id` found in `tool_result` blocks: {orphans}."
    double = [call for call, times in Counter(answered).items() if times > 1]
    if double:
        yield f"{place}: each tool_use must have a single result, found multiple for {double}"
    kinds = [block.get("type") == "tool_result" for block in blocks_of(message["content"])]
    if kinds != sorted(kinds, reverse=True):
        yield f"{place}: `tool_result` blocks must come before other content"


def _ids(message: dict[str, Any], kind: str, key: str) -> list[str]:
    return [str(b.get(key)) for b in blocks_of(message["content"]) if b.get("type") == kind]


def _marks(body: dict[str, Any]) -> Iterator[str]:
    marked = list(_marked(body))
    count = len(marked) + ("cache_control" in body)
    if count > MAX_CACHE_MARKS:
        yield f"A maximum of 4 blocks with cache_control may be provided. Found {count}."
    for block in marked:
        if signature_of(block) is not None:
            yield "cache_control cannot be set for thinking blocks"


def _marked(value: Any) -> Iterator[Block]:
    """Every marked block, however deep; what a tool was called with is data, not blocks."""
    if isinstance(value, list):
        for item in value:
            yield from _marked(item)
    elif isinstance(value, dict):
        if "cache_control" in value and "messages" not in value:
            yield value
        for key in ("tools", "system", "messages", "content"):
            yield from _marked(value.get(key))


def _signatures(messages: list[dict[str, Any]], ledger: ThinkingLedger) -> Iterator[str]:
    for number, message in enumerate(messages):
        for index, block in enumerate(blocks_of(message["content"])):
            signature = signature_of(block)
            if signature is None:
                continue
            place = f"messages.{number}.content.{index}"
            known = ledger.issued.get(signature)
            if known is None:
                yield f"{place}: Invalid `signature` in `thinking` block"
            elif block["type"] == "thinking" and block.get("thinking") != known.shown_text:
                yield f"{place}: `thinking` blocks cannot be modified"
            if message["role"] != "assistant":
                yield f"{place}: `thinking` blocks are only allowed in assistant messages"


def _latest_thinking(messages: list[dict[str, Any]], ledger: ThinkingLedger) -> Iterator[str]:
    """While a tool is being answered, the thinking in front of its call has to be complete.

    Thinking taken out altogether is how a client restarts a history after compaction, and accepted.
    """
    latest = next((m for m in reversed(messages) if m["role"] == "assistant"), None)
    if latest is None:
        return
    kept = [s for s in map(signature_of, blocks_of(latest["content"])) if s is not None]
    for call in _ids(latest, "tool_use", "id"):
        wanted = ledger.signatures_of(ledger.answers_of_tools.get(call, -1))
        if kept and not wanted <= set(kept):
            yield (
                "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot "
                "be modified. These blocks must remain as they were in the original response."
            )
