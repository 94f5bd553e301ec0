"""The one door to the helper model: consent, key, daily cap, redaction (HM-1, TR-1).

Each call reserves what it may cost at most before it begins, under the lock of `helper-use.json`,
and is booked with what it cost afterwards. So the cap applies to all processes, and a server that
reports more than was reserved is stopped at the next call. Expected failures are values.
"""

from __future__ import annotations

import pkgutil
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from wm.api.models import HelperState
from wm.domain.times import iso
from wm.errors import StoreError, UserError
from wm.formats.home import HelperUse
from wm.models import helper
from wm.models.helper import HelperCall, HelperFailure, HelperReply, server_at
from wm.ops.runtime import Runtime
from wm.settings import ANTHROPIC, OLLAMA, USUAL_SERVERS, HelperSettings, find_helper_key
from wm.store.base import Health, Reading, Ref
from wm.text.patterns import Lazy
from wm.wire.prices import Price, prices

USE: Ref[HelperUse] = Ref(HelperUse)
_BYTES_PER_TOKEN = 2
"""Few texts have more tokens than bytes / 2, so a reservation is rarely too small."""
_MILLION = 1_000_000
_UNKNOWN = "use_unknown"
"""The outcome that marks a day whose use was lost with the file."""
_TAG_END = Lazy(r"<\s*/\s*content", ignore_case=True)
_SESSION = (140_000, 50_000), (60_000, 4_000), (35_000, 2_000)
"""Tokens read and written for 50 summaries, for 20 answers, and for 12 audits of a summary: a
session of 200 turns."""


class HelperCost(Struct, frozen=True):
    """What a call costs; negative to take back what was booked too much."""

    tokens: int = 0
    dollars: float = 0.0

    def less(self, other: HelperCost) -> HelperCost:
        return HelperCost(self.tokens - other.tokens, self.dollars - other.dollars)


class NoAnswer(Exception):
    """Why the helper model did not answer."""


def answer(runtime: Runtime, purpose: str, text: str, max_tokens: int) -> str:
    """The text of the reply to `ask`. Raises NoAnswer."""
    reply = ask(runtime, purpose, text, max_tokens)
    if isinstance(reply, HelperFailure):
        raise NoAnswer(reply.detail or reply.reason)
    return reply.text


def ask(runtime: Runtime, purpose: str, text: str, max_tokens: int) -> HelperReply | HelperFailure:
    """Ask the helper model, if it may be asked. purpose: the name of a prompt. The reply is foreign
    text without secrets."""
    settings: HelperSettings = runtime.settings.helper
    if refused := why_not(runtime):
        return refused
    try:
        key = find_helper_key(settings.key_file)
    except UserError as error:
        return HelperFailure("no_key", f"{error.message} {error.fix}")
    if not key and settings.provider == ANTHROPIC:
        return HelperFailure("no_key", "Set helper.key_file in config.toml, or WM_HELPER_KEY.")
    call = HelperCall(
        provider=settings.provider,
        url=_url(runtime),
        name=settings.name,
        key=key,
        instructions=prompt(purpose),
        text=runtime.redactor.text(text),
        max_tokens=max_tokens,
        wait_s=settings.summary_wait_s,
    )
    size = len(call.instructions.encode()) + len(call.text.encode("utf-8", "replace"))
    most = cost(runtime, size // _BYTES_PER_TOKEN, max_tokens)
    day = _day(runtime)
    try:
        if over := _book(runtime, day, most, capped=True):
            return HelperFailure("over_cap", f"{over}; the next day (UTC) begins anew.")
        reply = helper.ask(call)
        if isinstance(reply, HelperFailure):
            spent = most if reply.may_cost else HelperCost()
            _book(runtime, day, spent.less(most), reply.reason)
            return reply
        is_counted = reply.input_tokens and reply.output_tokens
        spent = cost(runtime, reply.input_tokens, reply.output_tokens) if is_counted else most
        _book(runtime, day, spent.less(most), "ok")
    except StoreError as error:
        return HelperFailure("not_counted", error.message)
    return replace(reply, text=runtime.redactor.text(reply.text))


def why_not(runtime: Runtime) -> HelperFailure | None:
    """Why the helper model may not be asked; None if it may."""
    settings = runtime.settings.helper
    if not settings.model:
        return HelperFailure("off", "helper.model in config.toml names no model.")
    where = server_at(_url(runtime))
    if where is None:
        fix = "Give helper.base_url an https URL, or http on this machine."
        return HelperFailure("wrong_url", fix)
    if not where.local and _use(runtime).host != where.host:
        fix = f"`wm models helper` shows what would be sent to {where.host}, and asks."
        return HelperFailure("not_confirmed", fix)
    if settings.provider == ANTHROPIC and not _price(runtime).known:
        fix = f"Add a [[prices.models]] for {settings.name} to config.toml."
        return HelperFailure("no_price", f"Without a price no daily cap holds. {fix}")
    return None


def _url(runtime: Runtime) -> str:
    own = runtime.settings.helper
    return (own.base_url or USUAL_SERVERS.get(own.provider, "")).rstrip("/").removesuffix("/v1")


def prompt(purpose: str) -> str:
    raw = pkgutil.get_data(__package__, f"prompts/{purpose}.txt")
    assert raw is not None
    return raw.decode()


def fenced(content: str) -> str:
    """Content between tags that it cannot close."""
    return f"<content>\n{_TAG_END.sub('<|/content', content)}\n</content>"


# --- what it costs --------------------------------------------------------------------------------


def _price(runtime: Runtime) -> Price:
    return prices(runtime.settings.prices)(runtime.settings.helper.name)


def cost(runtime: Runtime, tokens_in: int, tokens_out: int) -> HelperCost:
    """A local model costs nothing, unless the user gave it a price."""
    price = _price(runtime)
    if runtime.settings.helper.provider == OLLAMA and not price.own:
        return HelperCost(tokens_in + tokens_out)
    dollars = price.times(tokens_in) * (tokens_in * price.input + tokens_out * price.output)
    return HelperCost(tokens_in + tokens_out, dollars / _MILLION)


def _day(runtime: Runtime) -> str:
    return runtime.now().date().isoformat()


def _use(runtime: Runtime) -> HelperUse:
    """Today's use."""
    return _on(runtime, runtime.store.read(USE), _day(runtime))


def _on(runtime: Runtime, reading: Reading[HelperUse], day: str) -> HelperUse:
    """The use on this day. What an unreadable file counted is not known, so all is used up."""
    use, limits = reading.document or HelperUse(), runtime.settings.helper
    if use.day != day:
        anew = {"day": day, "calls": 0, "tokens": 0, "dollars": 0.0, "outcomes": {}}
        use = use.model_copy(update=anew)
    if reading.health not in (Health.LOST, Health.RESTORED):
        return use
    most = {
        "tokens": max(use.tokens, limits.daily_tokens),
        "dollars": max(use.dollars, limits.daily_dollars),
        "outcomes": {**use.outcomes, _UNKNOWN: 1},
    }
    return use.model_copy(update=most)


def _book(
    runtime: Runtime, day: str, cost: HelperCost, outcome: str = "", *, capped: bool = False
) -> str:
    """Add to the use on the day on which the call began, unless a later day is counted already.
    capped: for a new call, and only if the cap allows it. Returns which cap does not; "" for none.
    """
    with runtime.store.transaction([USE]) as transaction:
        reading = transaction.read(USE)
        if not capped and reading.document is not None and reading.document.day > day:
            return ""
        use = _on(runtime, reading, day)
        tokens = max(0, use.tokens + cost.tokens)
        dollars = max(0.0, round(use.dollars + cost.dollars, 6))
        over = _over(runtime, use, tokens, dollars if cost.dollars else 0.0) if capped else ""
        if not over:
            update: dict[str, Any] = {"calls": use.calls + capped, "tokens": tokens}
            if outcome:
                update["outcomes"] = {**use.outcomes, outcome: use.outcomes.get(outcome, 0) + 1}
            use = use.model_copy(update={**update, "dollars": dollars})
        transaction.put(USE, use)
        transaction.commit()
    return over


def _over(runtime: Runtime, use: HelperUse, tokens: int, dollars: float) -> str:
    """Which cap such a use exceeds; "" for none."""
    limits = runtime.settings.helper
    if tokens <= limits.daily_tokens and dollars <= limits.daily_dollars:
        return ""
    if _UNKNOWN in use.outcomes:
        return "helper-use.json could not be read, so all of today's cap counts as used"
    if tokens > limits.daily_tokens:
        return f"helper.daily_tokens is {limits.daily_tokens:,}"
    return f"helper.daily_dollars is {limits.daily_dollars:g}"


def note(runtime: Runtime, outcome: str) -> None:
    """Count how the check of a reply ended. Raises StoreError."""
    _book(runtime, _day(runtime), HelperCost(), outcome)


# --- what a person sees ---------------------------------------------------------------------------


def state(runtime: Runtime) -> HelperState:
    """The helper model, its server, today's use, and what a long session would cost."""
    settings, use, refused = runtime.settings.helper, _use(runtime), why_not(runtime)
    if refused is None and (over := _over(runtime, use, use.tokens + 1, use.dollars)):
        refused = HelperFailure("over_cap", f"{over}; the next day (UTC) begins anew.")
    where = server_at(_url(runtime))
    session = sum(cost(runtime, read, written).dollars for read, written in _SESSION)
    return HelperState(
        model=settings.model,
        host=_url(runtime) if where is None else "" if where.local else where.host,
        reason=refused.reason if refused is not None else "",
        problem=refused.detail if refused is not None else "",
        use=use,
        daily_tokens=settings.daily_tokens,
        daily_dollars=settings.daily_dollars,
        session_dollars=round(session, 4),
    )


def agree(runtime: Runtime) -> None:
    """The user agreed that removed content goes to the configured server. Raises StoreError."""
    where = server_at(_url(runtime))
    assert where is not None
    with runtime.store.transaction([USE]) as transaction:
        use = _on(runtime, transaction.read(USE), _day(runtime))
        agreed = {"host": where.host, "agreed_at": iso(runtime.now())}
        transaction.put(USE, use.model_copy(update=agreed))
        transaction.commit()
