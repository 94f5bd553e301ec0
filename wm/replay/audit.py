"""Where the tokens of recorded sessions went, and what caching and the policy `safe` save (PX-11).

Reports kinds, tool names and file paths, never content.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct, field

from wm.api.replay import AuditReport, FileReads, PruningSavings, Share
from wm.domain.paging.files import WRITERS
from wm.ops.paging.contents import uses_in
from wm.ops.paging.policy import paging_policy
from wm.replay.files import Progress, requests_of
from wm.replay.report import factors_of, light, models, turn
from wm.replay.requests import UNSEEN, Sent, SkippedRequests
from wm.replay.run import MAX_CONVERSATIONS, Counted, ReplayRun
from wm.replay.totals import added
from wm.settings import PriceSettings, PruningSettings
from wm.wire.block import Block
from wm.wire.body import Body, Message, index
from wm.wire.cachesim import dollars, uncached
from wm.wire.history import Continuation, ConversationHistory, compare, history
from wm.wire.policy import nothing
from wm.wire.prices import DATED, PriceOf, prices
from wm.wire.rows import estimate

MOST_FILES = 20
REMINDER = "<system-reminder>"
Name = tuple[str, str]
"""`kind` or `tool`, and its name."""


class _Reads(Struct):
    """Reads of one file in one conversation. parts: those read since the file was last written."""

    parts: set[str] = field(default_factory=set)
    reads: int = 0
    again: int = 0
    unchanged: int = 0
    tokens: int = 0


class _AuditedConversation(Struct):
    body: Body | None = None
    past: ConversationHistory | None = None
    messages: list[Counter[Name]] = field(default_factory=list)
    now: Counter[Name] = field(default_factory=Counter)
    head: Counter[Name] = field(default_factory=Counter)
    files: dict[str, _Reads] = field(default_factory=dict)
    calls: dict[str, str] = field(default_factory=dict)
    """Call id -> tool name."""
    again: dict[str, str] = field(default_factory=dict)
    """Call id -> path that was read again."""


class _Sums(Struct):
    first: Counter[Name] = field(default_factory=Counter)
    sent: Counter[Name] = field(default_factory=Counter)
    blocks: Counter[Name] = field(default_factory=Counter)
    conversations: dict[str, _AuditedConversation] = field(default_factory=dict)
    _open: OrderedDict[str, _AuditedConversation] = field(default_factory=OrderedDict)
    """Conversations whose newest request is still in memory."""

    def take(self, sent: Sent) -> None:
        """Count one more request."""
        one = self.conversations.setdefault(sent.conversation, _AuditedConversation())
        self._open[sent.conversation] = one
        self._open.move_to_end(sent.conversation)
        while len(self._open) > MAX_CONVERSATIONS:
            # Keep its counts: otherwise everything would count again when it continues.
            self._open.popitem(last=False)[1].body = None
        body = index(sent.raw, one.body)
        if body is None:
            return
        past = history(body, (one.body, one.past) if one.body and one.past else None)
        change = compare(one.past, past)
        if change.kind is Continuation.FIRST or change.head_changed:
            one.head = self._counted(_head(body))
        for gone in one.messages[change.common :]:
            one.now.subtract(gone)
        del one.messages[change.common :]
        for message in body.messages[change.common :]:
            one.messages.append(self._counted(self._message(one, message)))
            one.now.update(one.messages[-1])
        one.body, one.past = body, past
        self.sent.update(one.now)
        self.sent.update(one.head)

    def _counted(self, found: Iterator[tuple[Name, int]]) -> Counter[Name]:
        counted: Counter[Name] = Counter()
        for name, tokens in found:
            counted[name] += tokens
            self.blocks[name] += 1
        self.first.update(counted)
        return counted

    def _message(self, one: _AuditedConversation, message: Message) -> Iterator[tuple[Name, int]]:
        for block in message.blocks:
            tokens = estimate(block)
            yield ("kind", _kind(message.role, block)), tokens
            call = block.call
            if block.type == "tool_use":
                one.calls[call] = str(block.value.get("name", ""))
                _touch(one, block)
            elif block.type == "tool_result":
                yield ("tool", one.calls.get(call) or "(unknown)"), tokens
                if call in one.again:
                    one.files[one.again[call]].tokens += tokens


def audit(
    paths: Sequence[Path],
    *,
    clock: Callable[[], float],
    progress: Progress,
    settings: PruningSettings,
    redacted: Callable[[str], str],
    own: PriceSettings | None = None,
) -> AuditReport:
    """Analyse recordings. redacted: removes secrets from a path. own: the user's prices.

    Raises UserError for a file that is not a recording.
    """
    left, sums = SkippedRequests(), _Sums()
    safe = paging_policy("safe", pruning=settings)
    plain, less = ReplayRun(nothing, clock), ReplayRun(safe, clock, bounded=True)
    counted: list[Counted] = []
    shorter: list[Counted] = []
    for sent in requests_of(paths, left, progress):
        if sent.outline is not None:
            left.add("exchanges whose bodies were not recorded")
            continue
        one, other = plain.count(sent), less.count(sent)
        if one is None or other is None:
            left.add("bodies that are not requests")
            continue
        sums.take(sent)
        counted.append(light(one))
        shorter.append(light(other))
    return _report(paths, counted, shorter, sums, left, redacted, prices(own or PriceSettings()))


def _report(
    paths: Sequence[Path],
    counted: list[Counted],
    shorter: list[Counted],
    sums: _Sums,
    left: SkippedRequests,
    redacted: Callable[[str], str],
    find: PriceOf,
) -> AuditReport:
    factors = factors_of(counted)
    total = added([turn(n, one, factors, find) for n, one in enumerate(counted)])
    pruned = added([turn(n, one, factors, find) for n, one in enumerate(shorter)])
    known = models(counted, factors, find)
    factor = max(known, key=lambda one: one.requests).factor if known else 1.0
    kinds = _shares(sums, "kind", factor)
    reported = total.requests > 0 and total.reported_requests == total.requests
    files = [file for one in sums.conversations.values() for file in one.files.values()]
    return AuditReport(
        files=tuple(redacted(str(path)) for path in paths),
        requests=total.requests,
        conversations=len(sums.conversations),
        prices=DATED,
        models=known,
        tokens=total.reported if reported else total.tokens,
        bills=total.bills,
        reported=reported,
        saved=_saved(counted, find) if reported else total.bills.uncached - total.bills.as_marked,
        amplification=sum(k.sent for k in kinds) / max(1, sum(k.tokens for k in kinds)),
        kinds=kinds,
        tools=_shares(sums, "tool", factor),
        reads=sum(one.reads for one in files),
        reads_again=sum(one.again for one in files),
        reads_unchanged=sum(one.unchanged for one in files),
        rereads=_rereads(sums, factor, redacted),
        pruning=PruningSavings(
            results=sum(one.decided for one in shorter),
            sent=max(0, total.tokens.prompt - pruned.tokens.prompt),
            dollars=total.bills.as_marked - pruned.bills.as_marked,
        ),
        left=dict(left.counts),
    )


def _saved(counted: Sequence[Counted], find: PriceOf) -> float:
    """Savings by the service's own figures."""
    rows = [(one.sent.usage, find(one.model)) for one in counted]
    return sum(dollars(uncached(u), p) - dollars(u, p) for u, p in rows if u is not None)


def _shares(sums: _Sums, what: str, factor: float) -> tuple[Share, ...]:
    found = [
        Share(
            name=name,
            tokens=round(tokens * factor),
            sent=round(sums.sent[what, name] * factor),
            blocks=sums.blocks[what, name],
        )
        for (kind, name), tokens in sums.first.items()
        if kind == what
    ]
    return tuple(sorted(found, key=lambda share: -share.sent))


def _rereads(sums: _Sums, factor: float, redacted: Callable[[str], str]) -> tuple[FileReads, ...]:
    """The files whose repeated reading cost most."""
    rows = [
        FileReads(
            path=redacted(path),
            reads=one.reads,
            again=one.again,
            unchanged=one.unchanged,
            tokens=round(one.tokens * factor),
        )
        for conversation in sums.conversations.values()
        for path, one in conversation.files.items()
        if one.again
    ]
    return tuple(sorted(rows, key=lambda row: -row.tokens)[:MOST_FILES])


def _touch(one: _AuditedConversation, block: Block) -> None:
    """Record the reads and writes of a call."""
    for use in uses_in(block):
        known = one.files.setdefault(use.path, _Reads())
        if use.writes:
            known.parts.clear()
            continue
        if known.reads:
            known.again += 1
            one.again[block.call] = use.path
        known.unchanged += use.part in known.parts
        known.reads += 1
        known.parts.add(use.part)


def _head(body: Body) -> Iterator[tuple[Name, int]]:
    for block in body.tools:
        if not block.value.get("defer_loading"):
            yield ("kind", "tool schemas"), estimate(block)
    for block in body.system:
        unseen = str(block.value.get("text", "")).startswith(UNSEEN)
        name = "tools and system prompt (not recorded)" if unseen else "system prompt"
        yield ("kind", name), estimate(block)


def _kind(role: str, block: Block) -> str:
    match block.type:
        case "tool_result":
            return "tool results"
        case "tool_use":
            edits = str(block.value.get("name", "")).lower() in WRITERS
            return "edits and written files" if edits else "tool calls"
        case "thinking" | "redacted_thinking":
            return "thinking"
        case "image" | "document":
            return "images and documents"
        case "text" if role == "assistant":
            return "the model's words"
        case "text":
            said = str(block.value.get("text", "")).startswith(REMINDER)
            return "reminders" if said or role == "system" else "the user's words"
    return "other"
