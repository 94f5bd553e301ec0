"""The scripted model: which request gets which answer.

A `Script` is an ordered list of rules; the first rule that fits a request and is not used up gives
the answer. Requests are read here the way both clients spell them, so that a scene can say "the
second main request" or "every summary call" without knowing headers.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from tests.clients.accounting import Block, blocks_of

EVERY_TIME = 1_000_000


@dataclass(frozen=True)
class Request:
    """One HTTP request as it came in; `body` is None when there was no JSON object in it.

    sent: the original body of a request in another API, whose `body` is its Messages form."""

    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any] | None
    sent: dict[str, Any] | None = None

    @property
    def route(self) -> str:
        return self.path.partition("?")[0]

    @property
    def client(self) -> str:
        agent = self.headers.get("user-agent", "")
        return next((name for name in ("claude-cli", "opencode") if agent.startswith(name)), "")

    @property
    def session(self) -> str:
        """The client's own session id. A subagent of OpenCode has one of its own."""
        names = ("x-claude-code-session-id", "x-session-id")
        return next((self.headers[name] for name in names if name in self.headers), "")

    @property
    def parent_session(self) -> str:
        return self.headers.get("x-parent-session-id", "")

    @property
    def messages(self) -> list[dict[str, Any]]:
        return (self.body or {}).get("messages") or []

    @property
    def tools(self) -> list[str]:
        return [str(tool.get("name")) for tool in (self.body or {}).get("tools") or []]

    @property
    def system(self) -> list[str]:
        return [str(b.get("text", "")) for b in blocks_of((self.body or {}).get("system"))]

    @property
    def system_bytes(self) -> bytes:
        """The system prompt as it counts for the prefix: without marks, otherwise to the byte.

        The billing line of Claude Code names a hash of the prompt and is no part of the prompt.
        """
        texts = [text for text in self.system if not text.startswith("x-anthropic-billing-header")]
        return json.dumps(texts, ensure_ascii=False).encode()

    @property
    def text(self) -> str:
        """The whole request as one text, to look for what must or must not be in it."""
        return json.dumps(self.body, ensure_ascii=False) if self.body is not None else ""

    @property
    def last_user_text(self) -> str:
        users = [m for m in self.messages if m.get("role") == "user"]
        return _texts(users[-1]) if users else ""

    @property
    def user_text(self) -> str:
        return "\n".join(_texts(m) for m in self.messages if m.get("role") == "user")

    @property
    def tool_results(self) -> list[str]:
        """The text of every tool result, oldest first."""
        return [
            "\n".join(str(part.get("text", "")) for part in blocks_of(block.get("content")))
            for message in self.messages
            for block in blocks_of(message.get("content"))
            if block.get("type") == "tool_result"
        ]


def _texts(message: dict[str, Any]) -> str:
    return "\n".join(str(b["text"]) for b in blocks_of(message.get("content")) if "text" in b)


def is_messages(request: Request) -> bool:
    if request.body is None:
        return False
    return request.route == "/v1/messages" or request.sent is not None


def is_title(request: Request) -> bool:
    """The side call that names a session: no tools, and a prompt that says so."""
    if not is_messages(request) or request.tools:
        return False
    return any("title" in text[:400].lower() for text in request.system)


def is_summary(request: Request) -> bool:
    """The call that writes the compaction summary."""
    if not is_messages(request):
        return False
    # Claude Code asks at the end of the conversation itself, sometimes behind tool results.
    if "CRITICAL: Respond with TEXT ONLY" in request.last_user_text:
        return True
    return any(text.startswith("You are a context summarization agent") for text in request.system)


def is_subagent(request: Request) -> bool:
    if not is_messages(request) or is_title(request) or is_summary(request):
        return False
    return "x-claude-code-agent-id" in request.headers or bool(request.parent_session)


def is_main(request: Request) -> bool:
    """A turn of the conversation the user sees: has tools and is none of the others."""
    if not is_messages(request) or not request.tools:
        return False
    return not (is_title(request) or is_summary(request) or is_subagent(request))


@dataclass(frozen=True)
class Answer:
    """What goes back. Only the fields a scene cares about are named.

    `context_tokens` makes the reported usage that large, which makes a client compact by itself.
    `status` other than 200 sends an error body of `error_type`. `cut_after` ends the
    stream after that many events without a word.
    """

    blocks: tuple[Block, ...] = ()
    context_tokens: int | None = None
    status: int = 200
    error_type: str = "api_error"
    headers: tuple[tuple[str, str], ...] = ()
    cut_after: int | None = None
    before: Callable[[], None] | None = None


Predicate = Callable[[Request], bool]
Reply = Answer | Callable[[Request], Answer]


@dataclass
class Rule:
    """One line of a script. `times` counts down; a rule at zero no longer fits."""

    when: Predicate
    reply: Reply
    times: int = 1


@dataclass
class Script:
    """Rules in order, then what every conversation needs: a title, a summary, an end."""

    rules: list[Rule] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def answer(self, request: Request) -> tuple[Answer, str]:
        """The answer, and the name of the rule that gave it."""
        with self._lock:
            for number, rule in enumerate([*self.rules, *_fallback()]):
                if rule.times > 0 and rule.when(request):
                    rule.times -= 1
                    reply = rule.reply
                    name = f"rule {number}" if number < len(self.rules) else "fallback"
                    return (reply if isinstance(reply, Answer) else reply(request)), name
        raise AssertionError("the last fallback rule fits every request")

    @property
    def unused(self) -> list[int]:
        """Numbers of the rules that were expected and never fitted (rules for every time aside)."""
        return [n for n, rule in enumerate(self.rules) if 0 < rule.times < EVERY_TIME // 2]


def _fallback() -> list[Rule]:
    return [
        Rule(is_title, answer(say("A short title"))),
        Rule(is_summary, answer(say("<summary>\nThe work so far.\n</summary>"))),
        Rule(lambda request: True, answer(say("Done."))),
    ]


def script(*rules: Rule) -> Script:
    return Script(list(rules))


def turns(*answers: Answer, when: Predicate = is_main) -> list[Rule]:
    """One rule per answer: the conversation of the main agent (or whoever `when` picks)."""
    return [Rule(when, reply) for reply in answers]


def always(when: Predicate, reply: Reply) -> Rule:
    return Rule(when, reply, EVERY_TIME)


def said(words: str) -> Predicate:
    """The user's side of the conversation holds these words."""
    return lambda request: is_messages(request) and words in request.user_text


def both(*predicates: Predicate) -> Predicate:
    return lambda request: all(predicate(request) for predicate in predicates)


def answer(*blocks: Block, context_tokens: int | None = None) -> Answer:
    return Answer(blocks, context_tokens)


def say(text: str) -> Block:
    return {"type": "text", "text": text}


def think(text: str) -> Block:
    """Thinking; the upstream signs it when it goes out."""
    return {"type": "thinking", "thinking": text}


def call(tool: str, **arguments: Any) -> Block:
    """A tool call; the upstream gives it an id when it goes out."""
    return {"type": "tool_use", "name": tool, "input": arguments}


def texts_of(requests: Iterable[Request]) -> str:
    return "\n".join(request.text for request in requests)
