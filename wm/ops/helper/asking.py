"""The one door to the helper model: consent, key, daily cap, redaction (HM-1, TR-1).

Each call reserves what it may cost at most before it begins, under the lock of `helper-use.json`,
and is booked with what it cost afterwards. So the cap holds for all processes, and a server that
reports more than was reserved is stopped at the next call. Expected failures are values.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from wm.api.models import HelperState
from wm.domain.times import iso
from wm.errors import StoreError, UserError
from wm.formats.home import HelperUse
from wm.models import helper
from wm.models.helper import HelperCall, HelperFailure, HelperReply, server_at
from wm.ops.runtime import Runtime
from wm.settings import ANTHROPIC, OLLAMA, find_helper_key
from wm.store.base import Ref
from wm.wire.prices import Price, prices

USE: Ref[HelperUse] = Ref(HelperUse)
_BYTES_PER_TOKEN = 2
"""Few texts have more tokens than bytes / 2, so a reservation is rarely too small."""
_MILLION = 1_000_000
_SESSION = (100, 70_000 * 2, 50_000), (20, 60_000, 4_000)
"""Calls, input and output tokens of the summaries and answers in a session of 200 turns."""


class HelperCost(Struct, frozen=True):
    tokens: int = 0
    dollars: float = 0.0


def ask(
    runtime: Runtime, purpose: str, text: str, max_tokens: int, wait_s: float
) -> HelperReply | HelperFailure:
    """Ask the helper model, if it may be asked. purpose: the name of a prompt. The reply is foreign
    text without secrets."""
    settings = runtime.settings.helper
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
        url=settings.url,
        name=settings.name,
        key=key,
        instructions=prompt(purpose),
        text=runtime.redactor.text(text),
        max_tokens=max_tokens,
        wait_s=wait_s,
    )
    size = len(call.instructions.encode()) + len(call.text.encode("utf-8", "replace"))
    most = _cost(runtime, size // _BYTES_PER_TOKEN, max_tokens)
    try:
        if refused := _reserve(runtime, most):
            return refused
        reply = helper.ask(call)
        _settle(runtime, most, reply)
    except StoreError as error:
        return HelperFailure("not_counted", error.message)
    if isinstance(reply, HelperFailure):
        return reply
    return replace(reply, text=runtime.redactor.text(reply.text))


def why_not(runtime: Runtime) -> HelperFailure | None:
    """Why the helper model may not be asked; None if it may."""
    settings = runtime.settings.helper
    if not settings.model:
        return HelperFailure("off", "helper.model in config.toml names no model.")
    where = server_at(settings.url)
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


def prompt(purpose: str) -> str:
    raw = pkgutil.get_data(__package__, f"prompts/{purpose}.txt")
    assert raw is not None
    return raw.decode()


def fenced(content: str) -> str:
    return f"<content>\n{content}\n</content>"


# --- what it costs --------------------------------------------------------------------------------


def _price(runtime: Runtime) -> Price:
    return prices(runtime.settings.prices)(runtime.settings.helper.name)


def _cost(runtime: Runtime, tokens_in: int, tokens_out: int) -> HelperCost:
    """A local model costs nothing, unless the user gave it a price."""
    price = _price(runtime)
    if runtime.settings.helper.provider == OLLAMA and not price.own:
        return HelperCost(tokens_in + tokens_out)
    dollars = price.times(tokens_in) * (tokens_in * price.input + tokens_out * price.output)
    return HelperCost(tokens_in + tokens_out, dollars / _MILLION)


def _use(runtime: Runtime) -> HelperUse:
    """Today's use."""
    return _today(runtime, runtime.store.read(USE).document)


def _today(runtime: Runtime, found: HelperUse | None) -> HelperUse:
    use, day = found or HelperUse(), runtime.now().date().isoformat()
    if use.day == day:
        return use
    anew = {"day": day, "calls": 0, "tokens": 0, "dollars": 0.0, "outcomes": {}}
    return use.model_copy(update=anew)


def _change(runtime: Runtime, change: Callable[[HelperUse], HelperUse]) -> None:
    with runtime.store.transaction([USE]) as transaction:
        use = _today(runtime, transaction.read(USE).document)
        changed = change(use)
        if changed is not use:
            transaction.put(USE, changed)
            transaction.commit()


def _reserve(runtime: Runtime, most: HelperCost) -> HelperFailure | None:
    """Book what a call may cost at most; a failure if the day's cap does not allow it."""
    limits = runtime.settings.helper
    over: list[str] = []

    def reserve(use: HelperUse) -> HelperUse:
        tokens, dollars = use.tokens + most.tokens, use.dollars + most.dollars
        if tokens > limits.daily_tokens:
            over.append(f"helper.daily_tokens is {limits.daily_tokens:,}")
        elif dollars > limits.daily_dollars and most.dollars:
            over.append(f"helper.daily_dollars is {limits.daily_dollars:g}")
        if over:
            return use
        update = {"calls": use.calls + 1, "tokens": tokens, "dollars": dollars}
        return use.model_copy(update=update)

    _change(runtime, reserve)
    return (
        HelperFailure("over_cap", f"{over[0]}; the next day (UTC) begins anew.") if over else None
    )


def _settle(runtime: Runtime, most: HelperCost, reply: HelperReply | HelperFailure) -> None:
    """Book what the call cost instead; all that was reserved if that is not known."""
    if isinstance(reply, HelperFailure):
        outcome, cost = reply.reason, most if reply.may_cost else HelperCost()
    else:
        outcome, cost = "ok", most
        if reply.input_tokens and reply.output_tokens:
            cost = _cost(runtime, reply.input_tokens, reply.output_tokens)

    def settle(use: HelperUse) -> HelperUse:
        counted = {**use.outcomes, outcome: use.outcomes.get(outcome, 0) + 1}
        tokens = max(0, use.tokens - most.tokens) + cost.tokens
        dollars = max(0.0, use.dollars - most.dollars) + cost.dollars
        update = {"outcomes": counted, "tokens": tokens, "dollars": round(dollars, 6)}
        return use.model_copy(update=update)

    _change(runtime, settle)


def note(runtime: Runtime, outcome: str) -> None:
    """Count how the check of a reply ended. Raises StoreError."""

    def counted(use: HelperUse) -> HelperUse:
        outcomes = {**use.outcomes, outcome: use.outcomes.get(outcome, 0) + 1}
        return use.model_copy(update={"outcomes": outcomes})

    _change(runtime, counted)


# --- what a person sees ---------------------------------------------------------------------------


def state(runtime: Runtime) -> HelperState:
    """The helper model, its server, today's use, and what a long session would cost."""
    settings, use = runtime.settings.helper, _use(runtime)
    where, refused = server_at(settings.url), why_not(runtime)
    session = [_cost(runtime, given, made) for _calls, given, made in _SESSION]
    return HelperState(
        model=settings.model,
        host=where.host if where is not None else "",
        local=where is not None and where.local,
        agreed_at=use.agreed_at if where is not None and use.host == where.host else "",
        reason=refused.reason if refused is not None else "",
        problem=refused.detail if refused is not None else "",
        day=use.day,
        calls=use.calls,
        tokens=use.tokens,
        dollars=use.dollars,
        outcomes=dict(use.outcomes),
        daily_tokens=settings.daily_tokens,
        daily_dollars=settings.daily_dollars,
        session_tokens=sum(one.tokens for one in session),
        session_dollars=round(sum(one.dollars for one in session), 4),
    )


def agree(runtime: Runtime) -> None:
    """The user agreed that removed content goes to the configured server. Raises StoreError."""
    moment = iso(runtime.now())
    where = server_at(runtime.settings.helper.url)
    assert where is not None
    _change(runtime, lambda use: use.model_copy(update={"host": where.host, "agreed_at": moment}))
