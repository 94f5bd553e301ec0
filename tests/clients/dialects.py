"""The other APIs that agents speak, in terms of the Messages API.

Three dialects: OpenAI's Responses and chat completions, and Gemini's generateContent. A request is
read into the form of a Messages body, so that scripts and checks read one form; an answer's blocks
become the events of the dialect's stream. What a dialect does not have (cache marks, thinking) is
left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.clients.accounting import Block, blocks_of

JsonObject = dict[str, Any]


@dataclass(frozen=True)
class Reply:
    """What goes back: blocks with ids, and the numbers of the usage."""

    number: int
    model: str
    blocks: tuple[Block, ...]
    prompt_tokens: int
    cached_tokens: int
    output_tokens: int

    @property
    def total(self) -> int:
        return self.prompt_tokens + self.output_tokens

    @property
    def calls(self) -> list[Block]:
        return [block for block in self.blocks if block["type"] == "tool_use"]

    @property
    def text(self) -> str:
        return "\n".join(block["text"] for block in self.blocks if block["type"] == "text")


@dataclass(frozen=True)
class Dialect:
    """One API. read: its body as a Messages body. events: an answer as the events of a stream.
    whole: the same answer for a client that does not stream."""

    name: str
    fits: Callable[[str], bool]
    streams: Callable[[str, JsonObject], bool]
    read: Callable[[JsonObject], JsonObject]
    events: Callable[[Reply], Iterator[JsonObject]]
    whole: Callable[[Reply], JsonObject]
    named: bool = False
    """Each event of the stream is preceded by its type."""
    ends: str = ""
    """The last line of the stream."""


def dialect_of(route: str) -> Dialect | None:
    return next((dialect for dialect in DIALECTS if dialect.fits(route)), None)


def _body(
    system: Iterable[str], messages: Iterable[JsonObject], tools: list[str], source: JsonObject
) -> JsonObject:
    return {
        "model": source.get("model", ""),
        "system": [{"type": "text", "text": text} for text in system if text],
        "messages": list(messages),
        "tools": [{"name": name} for name in tools],
    }


def _text(content: Any) -> str:
    return "\n".join(str(part["text"]) for part in blocks_of(content) if "text" in part)


def _blocks(content: Any) -> list[Block]:
    return [
        {"type": "text", "text": str(part["text"])} for part in blocks_of(content) if "text" in part
    ]


def _called(id: str, name: str, arguments: Any) -> JsonObject:
    block = {"type": "tool_use", "id": id, "name": name, "input": arguments}
    return {"role": "assistant", "content": [block]}


def _answered(id: str, content: Any) -> JsonObject:
    block = {"type": "tool_result", "tool_use_id": id, "content": _blocks(content)}
    return {"role": "user", "content": [block]}


def _object(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


# --- OpenAI's Responses -----------------------------------------------------------------------


def _read_responses(body: JsonObject) -> JsonObject:
    items = [item for item in body.get("input") or [] if isinstance(item, dict)]
    added = [tool for item in items for tool in item.get("tools") or []]
    tools = [str(tool.get("name") or tool.get("type")) for tool in [*body.get("tools", []), *added]]
    system = [str(body.get("instructions") or "")]
    return _body(system, filter(None, map(_response_item, items)), tools, body)


def _response_item(item: JsonObject) -> JsonObject | None:
    kind = item.get("type")
    if kind == "message":
        role = "system" if item["role"] == "developer" else item["role"]
        return {"role": role, "content": _blocks(item["content"])}
    if kind in ("function_call", "custom_tool_call"):
        given = item.get("arguments", item.get("input", ""))
        name = "__".join(filter(None, (item.get("namespace"), item["name"])))
        return _called(item["call_id"], name, _object(str(given)))
    if kind in ("function_call_output", "custom_tool_call_output"):
        return _answered(item["call_id"], item["output"])
    return None


def _response_events(reply: Reply) -> Iterator[JsonObject]:
    whole = _whole_response(reply)
    yield {"type": "response.created", "response": {**whole, "output": [], "status": "in_progress"}}
    for index, item in enumerate(whole["output"]):
        yield {"type": "response.output_item.added", "output_index": index, "item": item}
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": "response.completed", "response": whole}


def _whole_response(reply: Reply) -> JsonObject:
    return {
        "id": f"resp_{reply.number}",
        "object": "response",
        "status": "completed",
        "model": reply.model,
        "output": [_response_output(reply, block) for block in reply.blocks],
        "usage": {
            "input_tokens": reply.prompt_tokens,
            "input_tokens_details": {"cached_tokens": reply.cached_tokens},
            "output_tokens": reply.output_tokens,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": reply.total,
        },
    }


def _response_output(reply: Reply, block: Block) -> JsonObject:
    if block["type"] == "text":
        part = {"type": "output_text", "text": block["text"], "annotations": []}
        names = {"id": f"msg_{reply.number}", "role": "assistant", "status": "completed"}
        return {"type": "message", **names, "content": [part]}
    # A server's tools are in a namespace of their own.
    space, mark, name = block["name"].rpartition("__")
    names = {"id": f"fc_{block['id']}", "call_id": block["id"], "name": name}
    names |= {"namespace": space} if mark else {}
    if isinstance(block["input"], str):
        return {"type": "custom_tool_call", **names, "input": block["input"], "status": "completed"}
    arguments = json.dumps(block["input"])
    return {"type": "function_call", **names, "arguments": arguments, "status": "completed"}


# --- OpenAI's chat completions ----------------------------------------------------------------


def _read_chat(body: JsonObject) -> JsonObject:
    messages = [m for m in body.get("messages") or [] if isinstance(m, dict)]
    system = [_text(m.get("content")) for m in messages if m.get("role") == "system"]
    rest = (one for m in messages if m.get("role") != "system" for one in _chat_message(m))
    tools = [str(tool.get("function", {}).get("name")) for tool in body.get("tools") or []]
    return _body(system, rest, tools, body)


def _chat_message(message: JsonObject) -> Iterator[JsonObject]:
    if message["role"] == "tool":
        yield _answered(str(message.get("tool_call_id")), message.get("content"))
        return
    if blocks := _blocks(message.get("content")):
        yield {"role": message["role"], "content": blocks}
    for call in message.get("tool_calls") or []:
        made = call["function"]
        yield _called(call["id"], made["name"], _object(made["arguments"]))


def _chat_events(reply: Reply) -> Iterator[JsonObject]:
    for delta in _chat_deltas(reply):
        yield _chat_chunk(reply, [{"index": 0, "delta": delta, "finish_reason": None}])
    reason = "tool_calls" if reply.calls else "stop"
    yield _chat_chunk(reply, [{"index": 0, "delta": {}, "finish_reason": reason}])
    yield {**_chat_chunk(reply, []), "usage": _chat_usage(reply)}


def _chat_deltas(reply: Reply) -> Iterator[JsonObject]:
    yield {"role": "assistant", "content": reply.text or None}
    for index, block in enumerate(reply.calls):
        made = {"name": block["name"], "arguments": json.dumps(block["input"])}
        call = {"index": index, "id": block["id"], "type": "function", "function": made}
        yield {"tool_calls": [call]}


def _chat_chunk(reply: Reply, choices: list[JsonObject]) -> JsonObject:
    head = {"id": f"chatcmpl-{reply.number}", "object": "chat.completion.chunk", "created": 1}
    return {**head, "model": reply.model, "choices": choices}


def _chat_usage(reply: Reply) -> JsonObject:
    return {
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.output_tokens,
        "total_tokens": reply.total,
        "prompt_tokens_details": {"cached_tokens": reply.cached_tokens},
    }


def _whole_chat(reply: Reply) -> JsonObject:
    deltas = list(_chat_deltas(reply))
    calls = [call for delta in deltas[1:] for call in delta["tool_calls"]]
    message = {**deltas[0], **({"tool_calls": calls} if calls else {})}
    reason = "tool_calls" if calls else "stop"
    choice = {"index": 0, "message": message, "finish_reason": reason}
    whole = _chat_chunk(reply, [choice])
    return {**whole, "object": "chat.completion", "usage": _chat_usage(reply)}


# --- Gemini's generateContent -----------------------------------------------------------------


def _read_gemini(body: JsonObject) -> JsonObject:
    system = [_text((body.get("systemInstruction") or {}).get("parts"))]
    declared = [f for tool in body.get("tools") or [] for f in tool.get("functionDeclarations", [])]
    messages = [one for content in body.get("contents") or [] for one in _gemini_content(content)]
    return _body(system, messages, [str(f.get("name")) for f in declared], body)


def _gemini_content(content: JsonObject) -> Iterator[JsonObject]:
    role = "assistant" if content.get("role") == "model" else "user"
    for part in content.get("parts") or []:
        if "functionCall" in part:
            call = part["functionCall"]
            yield _called(str(call.get("id")), call["name"], call.get("args"))
        elif "functionResponse" in part:
            done = part["functionResponse"]
            yield _answered(str(done.get("id")), json.dumps(done["response"], ensure_ascii=False))
        elif part.get("text"):
            yield {"role": role, "content": [{"type": "text", "text": part["text"]}]}


def _gemini_events(reply: Reply) -> Iterator[JsonObject]:
    yield _whole_gemini(reply)


def _whole_gemini(reply: Reply) -> JsonObject:
    parts = [_gemini_part(block) for block in reply.blocks]
    content = {"role": "model", "parts": parts or [{"text": ""}]}
    return {
        "responseId": f"response-{reply.number}",
        "modelVersion": reply.model,
        "candidates": [{"index": 0, "content": content, "finishReason": "STOP"}],
        "usageMetadata": {
            "promptTokenCount": reply.prompt_tokens,
            "cachedContentTokenCount": reply.cached_tokens,
            "candidatesTokenCount": reply.output_tokens,
            "totalTokenCount": reply.total,
        },
    }


def _gemini_part(block: Block) -> JsonObject:
    if block["type"] == "text":
        return {"text": block["text"]}
    return {"functionCall": {"id": block["id"], "name": block["name"], "args": block["input"]}}


def _asked_for(_route: str, body: JsonObject) -> bool:
    return body.get("stream") is True


DIALECTS = (
    Dialect(
        "responses",
        lambda route: route.endswith("/responses"),
        _asked_for,
        _read_responses,
        _response_events,
        _whole_response,
        named=True,
    ),
    Dialect(
        "chat",
        lambda route: route.endswith("/chat/completions"),
        _asked_for,
        _read_chat,
        _chat_events,
        _whole_chat,
        ends="data: [DONE]\n\n",
    ),
    Dialect(
        "gemini",
        lambda route: route.endswith((":generateContent", ":streamGenerateContent")),
        lambda route, _body: route.endswith(":streamGenerateContent"),
        _read_gemini,
        _gemini_events,
        _whole_gemini,
    ),
)
