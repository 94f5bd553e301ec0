"""`python -m tests.ops.phantoms [STREAMS]`: generated conversations with calls of phantom tools.

A client without our tools talks to a scripted service that refuses what the real one refuses, and
binds thinking to its exact prefix. Answers have thinking, text, real and phantom calls in any
order, and cleanup tags in the texts, real ones and others; they come streamed, cut at every byte or
anywhere, or in one piece. The client retries, leaves in the middle, rewinds, writes texts as
strings, or leaves out thinking; the proxy is killed.

Of each answer: the client sees no phantom call, no tag, blocks without gaps, one end, and all
usage. Of each request: the service takes it with all thinking, and a proxy that was killed and
started again sends the same bytes. `one SEED` repeats a conversation.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

from tests.clients.scripts import Answer, Request, always, call, say, script, think
from tests.clients.upstream import Upstream, Verdict, events, whole
from tests.ops.test_paging import EAGER
from tests.ops.test_turns import DiskLedger
from wm.domain.paging.levels import PagingLimits
from wm.net.messages import ResponseHead
from wm.ops.paging.phantoms import NAMES
from wm.ops.paging.policy import PagingPolicy, paging_policy
from wm.ops.paging.turns import ManagedConversation
from wm.proxy.phantom_side import PhantomSide
from wm.proxy.preparing import call_result
from wm.wire.answer import message
from wm.wire.binding import BETA
from wm.wire.body import index
from wm.wire.phantom_answer import PhantomAnswer
from wm.wire.policy import Policy, Prepared, nothing
from wm.wire.usage import Usage

STREAMS = 100_000
MARK = {"cache_control": {"type": "ephemeral"}}
TOOLS = [
    {"name": name, "description": name, "input_schema": {"type": "object"}}
    for name in ("Read", "Bash")
]
STREAM = ResponseHead(200, b"OK", [(b"Content-Type", b"text/event-stream")])
PLAIN = ResponseHead(200, b"OK", [(b"Content-Type", b"application/json")])
_EVERY_BYTE = 4_000
LINES = "\n".join(f"berth {line} of the quay is kept by crew {line * 7919}" for line in range(20))
"""Paging replaces lines that were sent before by references, but not in what it brings back."""
SAFE = paging_policy("safe")
PATIENT = PagingPolicy(PagingLimits(repeats=False, stubs=True, least=1 << 40), reads_tags=True)
"""Makes no cuts, but the model is taught the tags."""
UNCHANGED = (nothing, SAFE, PATIENT)
TAGS = [
    '<wm:drop of="Bash"/>\n',
    '<wm:anchor of="./ferry"/>  \n',
    '<wm:summarize of="./ferry">It “works”.\n\n`Twice`.</wm:summarize>\n',
    '<wm:collapse of="./ferry">Done.</wm:collapse>\n',
    '<wm:declare_losses of="./ferry">times</wm:declare_losses>\n',
]
NO_TAGS = [
    '`<wm:drop of="a"/>`\n',
    'In `code\n<wm:drop of="a"/>\nmore`.\n\n',
    '```xml\n<wm:drop of="a"/>\n```\n',
    '~~~~\n~~~\n<wm:drop of="a"/>\n~~~~\n',
    '> <wm:drop of="a"/>\n',
    'a <wm:drop of="a"/>\n',
    '    <wm:drop of="a"/>\n',
    '<wm:drop of="a"/> so\n',
    "<wm:drop of=a/>\n",
    '<wm:later of="a"/>\n',
    '<wm:drop of="a">x</wm:drop>\n',
    '<wm:summarize of="a">x</wm:collapse>\n',
    '<wm:summarize of="a"></wm:summarize>\n',
    "<wm:\n",
    "<w\n<b>é</b>\n",
]


class Talk:
    """One conversation, its client, its proxy, and the service."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.done: Counter[str] = Counter()
        self.upstream = Upstream(script=script(always(lambda _request: True, self._answer)))
        self.disk = DiskLedger()
        eager = PagingPolicy(EAGER, reads_tags=self.random.random() < 0.5)
        self.policy: Policy = self.random.choice([nothing, SAFE, PATIENT, eager])
        self.teaches = isinstance(self.policy, PagingPolicy) and self.policy.reads_tags
        self.clean: dict[str, str] = {}
        """What the client gets of a text."""
        self.streams = self.random.random() < 0.7
        self.drops_thinking = self.random.random() < 0.2
        self.conversation = self._started()
        self.messages: list[dict[str, Any]] = []
        self.expected = b""
        """What the next request must be after a restart."""
        self.at, self.number = 1000.0, 0
        self.phantom_share = self.random.choice([0.2, 0.5, 0.8])

    def _started(self) -> ManagedConversation:
        return ManagedConversation(
            "", self.disk.recovered(), lambda _name: self.policy, bounded=False, offers=True
        )

    # -- the service -------------------------------------------------------------------------

    def _answer(self, _request: Request) -> Answer:
        chance = self.random
        made = [think(f"Think {chance.random()}.")] if chance.random() < 0.6 else []
        for _ in range(chance.randrange(1, 4)):
            kind = chance.random()
            if kind < self.phantom_share:
                made.append(call(chance.choice(sorted(NAMES)), query=f"é {chance.random()}"))
            elif kind < 0.75:
                made.append(say(self._text()))
            else:
                made.append(call("Bash", command=f"./ferry {chance.random()}"))
        return Answer(tuple(made))

    def _text(self) -> str:
        chance = self.random
        words = f"Said {chance.random()} “so”. " * chance.randrange(1, 4)
        if not self.teaches:
            return words
        parts = [(f"{words}\n", f"{words}\n")] if chance.random() < 0.8 else []
        for _ in range(chance.randrange(0, 4)):
            is_tag = chance.random() < 0.6
            part = chance.choice(TAGS if is_tag else NO_TAGS)
            parts.insert(chance.randrange(len(parts) + 1), (part, "" if is_tag else part))
        text = "".join(part for part, _ in parts) or words
        if text[-1:] == "\n" and chance.random() < 0.3 and parts[-1:] and parts[-1][1] == "":
            text = text[:-1]
        self.clean[text] = "".join(seen for _, seen in parts) if parts else words
        self.done["tags"] += self.clean[text] != text
        return text

    def _shown(self, blocks: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """What the client gets of these blocks."""
        for block in blocks:
            text = self.clean.get(block.get("text", ""), block.get("text"))
            if block.get("name") in NAMES or (block["type"] == "text" and not text.strip()):
                continue
            yield {**block, "text": text} if block["type"] == "text" else block

    def _decide(self, raw: bytes, *, tolerant: bool) -> tuple[Request, Verdict]:
        headers = {"anthropic-beta": BETA} if tolerant else {}
        request = Request("POST", "/v1/messages", headers, json.loads(raw))
        verdict = self.upstream.decide(request)
        assert verdict.status == 200, verdict.refused
        listed = [tool["name"] for tool in (request.body or {})["tools"]]
        assert set(listed) > NAMES
        if self.policy in UNCHANGED:
            assert not verdict.dropped
        self.done["requests"] += 1
        return request, verdict

    # -- the proxy ---------------------------------------------------------------------------

    def _prepared(self, raw: bytes) -> Prepared:
        self.number += 1
        turn = self.conversation.plan(raw, "balanced", f"r_{self.number:016x}", self.at)
        assert turn is not None
        if not turn.must_wait:
            return turn.prepared
        self.disk.take(turn)
        return self.conversation.accept(turn, ())

    def ask(self) -> None:
        """One request of the client, to the end of its answer or of its patience."""
        self.at += self.random.choice([1.0, 1.0, 400.0])
        raw = json.dumps(self._body(), ensure_ascii=False).encode()
        made = self._prepared(raw)
        if self.expected:
            assert _said(made.raw) == _said(self.expected)
        self.expected = b""
        side = PhantomSide(PhantomAnswer(made.phantoms), raw, made.raw, 1 << 20, self._failed, 0.0)
        seen, usages, shown = b"", [], []
        while True:
            request, verdict = self._decide(side.sent, tolerant=made.tolerant)
            if not usages:
                self.conversation.answered(made.request, ok=True)
            usages.append(verdict.usage)
            shown += self._shown(verdict.blocks)
            seen += b"".join(self._received(side, request, verdict))
            if not side.has_calls:
                break
            results = [call_result(one, LINES) for one in side.answer.calls]
            self.conversation.exchanged(made.request, raw, side.answer.with_results(results))
            if (turn := self.conversation.take_records()) is not None:
                self.disk.take(turn)
            self.done["phantom calls"] += len(results)
            self.done["answers with tags only"] += not results
            more = side.next_request(results, 1.0)
            if more is None:
                seen += side.close()[1]
                break
            self.conversation.continued(made.request, side.answer.first_usage or Usage())
            if self.random.random() < 0.1:
                self._leaves(seen)
                return
        self._check(seen, shown, usages)
        self._ends(made.request, usages)
        self._takes(shown)

    def _failed(self, error: Exception) -> None:
        raise error

    def _received(self, side: PhantomSide, request: Request, verdict: Verdict) -> Iterator[bytes]:
        """The bytes for the client, of one answer of the service."""
        side.head(STREAM if self.streams else PLAIN)
        if not self.streams:
            side.body(json.dumps(whole(request, verdict)).encode())
            yield side.end()[1]
            return
        self.done["streams"] += 1
        stream = "".join(
            f"event: {e['type']}\ndata: {json.dumps(e, ensure_ascii=False)}\n\n"
            for e in events(request, verdict)
        ).encode()
        by_byte = len(stream) <= _EVERY_BYTE and self.random.random() < 0.25
        at = 0
        while at < len(stream):
            step = 1 if by_byte else self.random.randrange(1, 200)
            yield side.body(stream[at : at + step])[1]
            at += step
        yield side.end()[1]

    def _ends(self, name: str, usages: list[Any]) -> None:
        total = Usage()
        for one in usages:
            total += Usage(one.input_tokens, 9, one.cache_read, one.cache_creation)
        self.conversation.used(name, total)
        self.conversation.examine()
        if self.random.random() < 0.7:  # else it is killed before that is written
            while (behind := self.conversation.take_due()) is not None:
                self.disk.take(behind)
                self.conversation.stored(behind)

    # -- the client --------------------------------------------------------------------------

    def _check(self, seen: bytes, shown: list[dict[str, Any]], usages: list[Any]) -> None:
        assert not any(name.encode() in seen for name in NAMES)
        if self.streams:
            assert seen.count(b"event: message_start") == 1 == seen.count(b"event: message_stop")
            made = message([seen])
            starts = [e for e in _events(seen) if e["type"] == "content_block_start"]
            assert [e["index"] for e in starts] == list(range(len(shown)))
        else:
            made = seen
        found = json.loads(made or b"{}")
        assert found.get("content", []) == shown
        prompt = sum(one.input_tokens + one.cache_read + one.cache_creation for one in usages)
        usage = found["usage"]
        names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
        assert sum(usage[name] for name in names) == prompt
        calls = any(block["type"] == "tool_use" for block in shown)
        assert found["stop_reason"] == ("tool_use" if calls else "end_turn")

    def _takes(self, shown: list[dict[str, Any]]) -> None:
        """The client's turn after a whole answer."""
        chance = self.random
        if chance.random() < 0.1:  # it did not arrive: the same request again
            self.done["retries"] += 1
            return
        kept = [b for b in shown if not (self.drops_thinking and b["type"] == "thinking")]
        if not kept:
            return  # no client keeps an empty message
        content: Any = kept
        if len(kept) == 1 and kept[0]["type"] == "text" and chance.random() < 0.5:
            content = kept[0]["text"]
        self.messages.append({"role": "assistant", "content": content})
        results = [
            {
                "type": "tool_result",
                "tool_use_id": b["id"],
                "content": f"{chance.random()}\n{LINES}",
            }
            for b in kept
            if b["type"] == "tool_use"
        ]
        words = [say(f"Go on {chance.random()}.")] if not results or chance.random() < 0.2 else []
        self.messages.append({"role": "user", "content": [*results, *words]})

    def _leaves(self, seen: bytes) -> None:
        """The client left before the end; it keeps the complete blocks of a stream, or nothing."""
        self.done["aborts"] += 1
        if not self.streams or self.random.random() < 0.5:
            return
        found = json.loads(message([seen]) or b"{}").get("content", [])
        kept = [b for b in found if b["type"] == "text" or not self.drops_thinking]
        if any(block["type"] == "text" for block in kept):
            self.messages.append({"role": "assistant", "content": kept})
            self.messages.append({"role": "user", "content": "Stop. Do something else."})

    def _body(self) -> dict[str, Any]:
        *earlier, last = self.messages
        content = last["content"]
        if not isinstance(content, str):
            last = {**last, "content": [*content[:-1], {**content[-1], **MARK}]}
        return {
            "model": "claude-opus-5-5",
            "max_tokens": 9,
            "stream": self.streams,
            "thinking": {"type": "adaptive"},
            "tools": TOOLS,
            "system": [{"type": "text", "text": "You look after a harbour.", **MARK}],
            "messages": [*earlier, last],
        }

    def run(self, requests: int) -> Counter[str]:
        self.messages.append({"role": "user", "content": "Go."})
        for _ in range(requests):
            self.ask()
            fate = self.random.random()
            if fate < 0.1 and len(self.messages) > 4:
                del self.messages[2 * self.random.randrange(1, len(self.messages) // 2) + 1 :]
                self.done["rewinds"] += 1
            if 0.1 < fate < 0.3:
                self._restart()
        return self.done

    def _restart(self) -> None:
        """A killed proxy that is started again sends the same bytes."""
        raw = json.dumps(self._body(), ensure_ascii=False).encode()
        if self.policy is nothing:  # else an unproven cut is made again
            self.expected = self.conversation.preview(raw)
        self.conversation = self._started()
        self.done["restarts"] += 1


def _said(raw: bytes) -> tuple[bytes, bytes]:
    """The bytes of the tools and the messages of a request."""
    body = index(raw)
    assert body is not None
    return body.fields["tools"].of(raw), body.fields["messages"].of(raw)


def _events(seen: bytes) -> list[dict[str, Any]]:
    lines = [line[6:] for line in seen.split(b"\n") if line.startswith(b"data: ")]
    return [json.loads(line) for line in lines]


def check(seed: int) -> Counter[str]:
    """One conversation. Raises AssertionError."""
    try:
        return Talk(seed).run(12)
    except Exception as error:
        error.add_note(f"python -m tests.ops.phantoms one {seed}")
        raise


def main(words: list[str]) -> None:
    total: Counter[str] = Counter()
    seed = int(words[1]) if words[:1] == ["one"] else 0
    most = int(words[0]) if words and words[0] != "one" else (1 if words else STREAMS)
    while total["streams"] < most:
        total += check(seed)
        seed += 1
        if words[:1] == ["one"]:
            break
        if seed % 200 == 0:
            print(seed, dict(total), file=sys.stderr, flush=True)
    print(json.dumps(total))


if __name__ == "__main__":
    main(sys.argv[1:])
