"""Transcripts of Codex, Copilot CLI, Gemini CLI and Qwen Code, turned back into requests.

They hold what was said, not what was sent: each answer gets a request of the Messages API with the
messages before it. Everything else that was sent becomes one block, as large as the first reported
usage says. Side calls (titles, routing, most summaries) are in no transcript.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from wm.replay import requests
from wm.text.jsontext import as_object
from wm.wire.block import CHARS_PER_TOKEN
from wm.wire.usage import Usage


class _OpenAnswer(Struct):
    """An answer that may continue. results: of its calls."""

    name: str
    at: float | None
    usage: Usage | None
    blocks: list[requests.JsonObject] = field(default_factory=list)
    results: list[requests.JsonObject] = field(default_factory=list)


class _Thread(requests.RecordedThread, kw_only=True):
    """One conversation. used: a usage that was reported before its answer. unseen: in
    characters."""

    name: str
    left: requests.SkippedRequests
    model: str = ""
    answer: _OpenAnswer | None = None
    used: Usage | None = None

    def says(self, blocks: list[requests.JsonObject]) -> Iterator[requests.Sent]:
        """The user, or the client in the user's name."""
        yield from self.close()
        self.add("user", blocks)

    def answers(
        self, blocks: list[requests.JsonObject], name: str = "", usage: Usage | None = None
    ) -> Iterator[requests.Sent]:
        """The model. A line of the same name replaces the answer, one without a name continues
        it."""
        open_ = self.answer
        if open_ is not None and name and name == open_.name:
            open_.blocks, open_.results, open_.usage = blocks, [], usage
        elif open_ is not None and not (name or open_.results):
            open_.blocks += blocks
        else:
            yield from self.close()
            self.answer = _OpenAnswer(name, self.at, usage or self.used, list(blocks))
            self.used = None

    def returns(self, result: requests.JsonObject) -> None:
        """A tool that the answer called."""
        if self.answer is not None:
            self.answer.results.append(result)
        else:
            self.add("user", [result])

    def uses(self, usage: Usage | None) -> None:
        """The service's own count, before or behind the answer that it belongs to."""
        if self.answer is not None and self.answer.usage is None and not self.answer.results:
            self.answer.usage = usage
        else:
            self.used = usage

    def restarts(self) -> Iterator[requests.Sent]:
        """The history was replaced by what follows."""
        yield from self.close()
        self.messages, self.ready = [], []

    def compacts(self, summary: list[requests.JsonObject]) -> Iterator[requests.Sent]:
        """A summary took the place of all turns but the one that runs."""
        yield from self.close()
        prompts = (n for n, one in enumerate(self.messages) if _is_prompt(one))
        kept = self.messages[max(prompts, default=len(self.messages)) :]
        self.messages, self.ready = [], []
        self.add("user", summary)
        for message in kept:
            self.add(message["role"], message["content"])

    def close(self) -> Iterator[requests.Sent]:
        """The request of the open answer; what follows it is another turn."""
        done, self.answer = self.answer, None
        if done is None or not done.blocks:
            return
        if why := self.why_no_request():
            self.left.add(why)
        else:
            yield self._request(done)
        self.add("assistant", done.blocks)
        self.add("user", done.results)

    def _request(self, done: _OpenAnswer) -> requests.Sent:
        if self.unseen < 0 and done.usage is not None:
            known = sum(map(len, self.ready))
            self.unseen = max(0, done.usage.prompt * CHARS_PER_TOKEN - known)
        system = requests.system_of("", max(0, self.unseen))
        raw = requests.request_of(self.model, system, self.ready[:-1], self.messages[-1])
        call = "subagent" if "/" in self.name else "main"
        return requests.Sent(
            raw=raw, conversation=self.name, at=done.at, usage=done.usage, call=call
        )


def _is_prompt(message: requests.JsonObject) -> bool:
    is_text = any(block["type"] == "text" for block in message["content"])
    return message["role"] == "user" and is_text


# --- blocks of the Messages API ---------------------------------------------------------------


def _text(words: Any) -> list[requests.JsonObject]:
    return [{"type": "text", "text": words}] if isinstance(words, str) and words.strip() else []


def _call(name: Any, key: Any, given: Any) -> requests.JsonObject:
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            given = {"input": given}
    given = given if isinstance(given, dict) else {"input": given}
    return {"type": "tool_use", "id": str(key), "name": str(name), "input": given}


def _result(key: Any, content: Any) -> requests.JsonObject:
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    return {"type": "tool_result", "tool_use_id": str(key), "content": text}


def _count(found: Mapping[str, Any], key: str) -> int:
    value = found.get(key)
    return value if isinstance(value, int) else 0


def _usage(
    found: Mapping[str, Any], prompt: str, cached: str, output: str, put: str = ""
) -> Usage | None:
    """The usage in these fields; None without a prompt, which includes what was cached."""
    read, wrote = _count(found, cached), _count(found, put)
    fresh = max(0, _count(found, prompt) - read - wrote)
    usage = Usage(fresh, _count(found, output), cache_read=read, cache_write_5m=wrote)
    return usage if usage.prompt else None


# --- Codex ------------------------------------------------------------------------------------


def _codex(thread: _Thread, found: requests.JsonObject) -> Iterator[requests.Sent]:
    payload = as_object(found.get("payload"))
    match found.get("type"):
        case "turn_context":
            thread.model = str(payload.get("model") or thread.model)
        case "response_item":
            yield from _codex_item(thread, payload)
        case "token_usage_record":
            names = ("input_tokens", "cached_input_tokens", "output_tokens")
            usage = as_object(payload.get("usage"))
            thread.uses(_usage(usage, *names, put="cache_write_input_tokens"))
        case "compacted":
            yield from thread.restarts()
            for item in requests.blocks_of(payload.get("replacement_history")):
                yield from _codex_item(thread, item)


def _codex_item(thread: _Thread, item: Mapping[str, Any]) -> Iterator[requests.Sent]:
    kind, key = item.get("type"), item.get("call_id")
    if kind == "message":
        said = [
            b for part in requests.blocks_of(item.get("content")) for b in _text(part.get("text"))
        ]
        is_model = item.get("role") == "assistant"
        yield from thread.answers(said) if is_model else thread.says(said)
    elif kind in ("function_call", "custom_tool_call"):
        given = item.get("arguments", item.get("input"))
        yield from thread.answers([_call(item.get("name"), key, given)])
    elif kind in ("function_call_output", "custom_tool_call_output"):
        thread.returns(_result(key, item.get("output")))


# --- Copilot CLI ------------------------------------------------------------------------------


def _copilot(thread: _Thread, found: requests.JsonObject) -> Iterator[requests.Sent]:
    data = as_object(found.get("data"))
    match found.get("type"):
        case "user.message":
            yield from thread.says(_text(data.get("transformedContent") or data.get("content")))
        case "assistant.message":
            thread.model = str(data.get("model") or thread.model)
            calls = [
                _call(one.get("name"), one.get("toolCallId"), one.get("arguments"))
                for one in requests.blocks_of(data.get("toolRequests"))
            ]
            yield from thread.answers([*_text(data.get("content")), *calls])
        case "tool.execution_complete":
            text = as_object(data.get("result")).get("content") or data.get("error") or ""
            thread.returns(_result(data.get("toolCallId"), text))
        case "session.compaction_complete" if data.get("success"):
            yield from thread.compacts(_text(data.get("summaryContent")))
        case "session.usage_record":
            usage = as_object(data.get("usage"))
            if usage.get("interactionType", MAIN) == MAIN:
                names = ("inputTokens", "cacheReadTokens", "outputTokens", "cacheWriteTokens")
                thread.uses(_usage(usage, *names))


MAIN = "conversation-agent"
"""Copilot's name of a request that is not a side call."""


# --- Gemini CLI -------------------------------------------------------------------------------


def _gemini(thread: _Thread, found: requests.JsonObject) -> Iterator[requests.Sent]:
    replaced = as_object(found.get("$set")).get("messages")
    if isinstance(replaced, list):
        yield from thread.restarts()
        known = _Thread(name=thread.name, left=requests.SkippedRequests())
        for line in requests.blocks_of(replaced):
            list(_gemini(known, line))  # these were counted when they were written
        list(known.close())
        thread.messages, thread.ready = known.messages, known.ready
    elif found.get("type") == "user":
        yield from thread.says(_parts(found.get("content")))
    elif found.get("type") == "gemini":
        calls = requests.blocks_of(found.get("toolCalls"))
        asked = [_call(one.get("name"), one.get("id"), one.get("args")) for one in calls]
        thread.model = str(found.get("model") or thread.model)
        usage = _usage(as_object(found.get("tokens")), "input", "cached", "output")
        said = _parts(found.get("content"))
        yield from thread.answers([*said, *asked], str(found.get("id")), usage)
        for one in calls:
            for part in requests.blocks_of(one.get("result")):
                done = as_object(part.get("functionResponse"))
                thread.returns(_result(one.get("id"), done.get("response")))


def _parts(content: Any) -> list[requests.JsonObject]:
    """The texts of a list of parts, without the model's thoughts."""
    if isinstance(content, str):
        return _text(content)
    said = (
        part.get("text") for part in requests.blocks_of(content) if part.get("thought") is not True
    )
    return [block for words in said for block in _text(words)]


# --- Qwen Code --------------------------------------------------------------------------------


def _qwen(thread: _Thread, found: requests.JsonObject) -> Iterator[requests.Sent]:
    parts = requests.blocks_of(as_object(found.get("message")).get("parts"))
    if found.get("type") == "assistant":
        thread.model = str(found.get("model") or thread.model)
        called = [as_object(part.get("functionCall")) for part in parts if "functionCall" in part]
        calls = [_call(one.get("name"), one.get("id"), one.get("args")) for one in called]
        names = ("promptTokenCount", "cachedContentTokenCount", "candidatesTokenCount")
        usage = _usage(as_object(found.get("usageMetadata")), *names)
        yield from thread.answers([*_parts(parts), *calls], str(found.get("uuid")), usage)
    elif found.get("type") == "tool_result":
        for part in parts:
            done = as_object(part.get("functionResponse"))
            thread.returns(_result(done.get("id"), done.get("response")))
    elif found.get("type") == "user":
        yield from thread.says(_parts(parts))


# --- files ------------------------------------------------------------------------------------

Take = Callable[[_Thread, requests.JsonObject], Iterator[requests.Sent]]
_CODEX_LINES = frozenset(
    {"session_meta", "turn_context", "response_item", "event_msg", "token_usage_record"}
)


def _reader(found: requests.JsonObject) -> Take | None:
    """Which agent wrote a line; None if none of these."""
    kind = found.get("type")
    if kind in _CODEX_LINES and isinstance(found.get("payload"), dict):
        return _codex
    if isinstance(kind, str) and "." in kind and isinstance(found.get("data"), dict):
        return _copilot
    if "projectHash" in found:
        return _gemini
    return _qwen if "provenance" in found else None


def is_other_transcript(found: requests.JsonObject) -> bool:
    return _reader(found) is not None


def other_transcripts(
    lines: Iterable[requests.JsonObject], left: requests.SkippedRequests, path: Path
) -> Iterator[requests.Sent]:
    """The requests whose answers a transcript contains. Copilot's file names no session; its folder
    does."""
    name = path.parent.name if path.stem == "events" else path.stem
    threads: dict[str, _Thread] = {}
    take: Take | None = None
    for found in lines:
        take = take or _reader(found)
        agent = str(found.get("agentId") or "")
        thread = threads.setdefault(
            agent, _Thread(name=f"{name}/{agent}" if agent else name, left=left)
        )
        thread.at = requests.seconds(found.get("timestamp")) or thread.at
        if take is not None:
            yield from take(thread, found)
    for thread in threads.values():
        yield from thread.close()
