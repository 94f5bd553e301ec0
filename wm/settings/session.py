"""Sections [session], [core], [working] and [pressure]: the state of one session, its own memory,
and the levels of its context.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Struct, field

from wm.errors import UserError
from wm.settings.schema import Option, TableKind, check_expression


class ErrorRule(Struct, frozen=True):
    """A category of errors of the user's own: `[[session.errors]]` in config.toml (IF-8).

    name: the category. pattern: what a line of a failed command's output must match; its groups
    `file`, `line` and `message`, if it has them, say where and what. command: what the command
    line must match, "" for any.
    """

    name: str
    pattern: str = ""
    command: str = ""


def _error_rule(given: Mapping[str, Any], at: str) -> ErrorRule:
    made = ErrorRule(**given)
    if not made.pattern:
        raise UserError(f"{at} does not say which lines are errors.", fix="Give a pattern.")
    for text in (made.pattern, made.command):
        check_expression(text, at)
    return made


_TABLES = TableKind(made=ErrorRule, noun="rule", header="[[session.errors]]", make=_error_rule)


class SessionSettings(Struct, frozen=True, eq=False):
    """Hot session state and prompt epochs (SPEC sections 5 and 6)."""

    action_weights: Annotated[dict[str, int], Option()] = field(
        default_factory=lambda: {"edit": 50, "write": 45, "grep": 30, "read": 20}
    )
    """Score that a file gets from each kind of action [HS-1]."""
    kept_files: Annotated[int, Option()] = 20
    """Active files kept for a session [files, HS-1]."""
    shown_files: Annotated[int, Option(common=True)] = 8
    """Active files shown in a prompt [files, HS-1]."""
    kept_errors: Annotated[int, Option()] = 5
    """Open errors kept for a session [errors, HS-2]."""
    shown_errors: Annotated[int, Option(common=True)] = 3
    """Open errors shown in a prompt [errors, HS-2]."""
    errors: Annotated[tuple[ErrorRule, ...], Option(parse=_TABLES.parse)] = ()
    """Categories of errors of your own, read before the built-in formats: `[[session.errors]]`
    [IF-8]."""
    rendered_chars: Annotated[int, Option()] = 700
    """Characters of session state shown in a prompt, in whole lines [chars, HS-3]."""

    # Fixed: not options of config.toml.
    mention_weight: int = 3
    """Score that each further action on a file adds [HS-1]."""
    recent_files: int = 5
    """Places among the active files for the newest, whatever their score [files, HS-1]."""
    kept_decisions: int = 8
    """Recent decisions kept [decisions, HS-3]."""
    kept_pending: int = 12
    """Pending memories kept [memories, HS-3]."""
    shown_pending: int = 6
    """Pending memories shown [memories, HS-3]."""
    max_id_chars: int = 500
    """Longest session id, and longest name of an agent [chars, ST-5]."""
    kept_messages: int = 64
    """Digests of user messages kept, to handle a repeated message once [messages, HS-3]."""
    rendered_line_chars: int = 160
    """Longest line of one item in the session state of a prompt [chars, HS-3]."""
    max_summary_chars: int = 280
    """Longest summary of an error [chars, HS-2]."""
    max_output_chars: int = 2_000_000
    """Characters of tool output searched for errors: the first and the last half [chars, HS-2]."""
    max_output_lines: int = 4_000
    """Lines of tool output searched for errors: the first and the last half [lines, HS-2]."""


class CoreSettings(Struct, frozen=True, eq=False):
    """Core blocks (SPEC section 7)."""

    goal_chars: Annotated[int, Option()] = 1000
    """Longest goal of a session [chars, CB-1]."""
    progress_chars: Annotated[int, Option()] = 2000
    """Longest progress of a session [chars, CB-1]."""
    context_chars: Annotated[int, Option()] = 1500
    """Longest context of a session [chars, CB-1]."""


class WorkingSettings(Struct, frozen=True, eq=False):
    """Slots and pool of a session (SPEC section 7)."""

    slots: Annotated[dict[str, int], Option(common=True)] = field(
        default_factory=lambda: {"error": 3, "decision": 5, "todo": 3, "dependency": 3}
    )
    """Items kept in each slot of working memory; another name makes another slot [items, CB-2]."""
    pool_rate: Annotated[float, Option(most=1)] = 0.85
    """Factor on an item's score after each event [CB-3]."""
    pool_floor: Annotated[float, Option()] = 0.01
    """An item whose score falls below this is removed from the pool [CB-3]."""
    pool_items: Annotated[int, Option()] = 50
    """Most items in the pool [items, CB-3]."""
    rendered_chars: Annotated[int, Option()] = 1600
    """Characters of the working memory in a prompt [chars, CB-4]."""

    # Fixed: not options of config.toml.
    item_chars: int = 200
    """Longest item: tool output is cut at a word, an added item is refused [chars, CB-2]."""
    compacted_items: int = 10
    """Best items of the pool that stay after a compaction [items, CB-5]."""
    kept_compactions: int = 20
    """Compactions kept in the compaction log [compactions, CB-5]."""
    searched_chars: int = 64_000
    """Characters of a manifest, message or answer that are searched for items [chars, CB-2]."""


class PressureSettings(Struct, frozen=True, eq=False):
    """How full a session's context is (SPEC section 9)."""

    moderate_percent: Annotated[float, Option(most=100, common=True)] = 70.0
    """Share of the context limit from which the pressure is moderate [%, PS-1]."""
    high_percent: Annotated[float, Option(most=100, common=True)] = 85.0
    """Share of the context limit from which the pressure is high [%, PS-1]."""
    critical_percent: Annotated[float, Option(most=100, common=True)] = 95.0
    """Share of the context limit from which the pressure is critical [%, PS-1]."""
    limit_chars: Annotated[int, Option()] = 180_000
    """Context limit where no token counts are known: characters seen by the hooks [chars, PS-1]."""
    unknown_limit_tokens: Annotated[int, Option()] = 200_000
    """Context limit for a client that reports tokens but not the size of its window [tokens,
    PS-1]."""
    caution_zone_percent: Annotated[float, Option(most=100)] = 50.0
    """Share of the window from which the proxy's zone is caution [%, PS-2]."""
    warning_zone_percent: Annotated[float, Option(most=100)] = 70.0
    """Share of the window from which the proxy's zone is warning [%, PS-2]."""
    critical_zone_percent: Annotated[float, Option(most=100)] = 85.0
    """Share of the window from which the proxy's zone is critical [%, PS-2]."""
    emergency_zone_percent: Annotated[float, Option(most=100)] = 95.0
    """Share of the window above which the proxy's zone is emergency [%, PS-2]."""

    # Fixed: not options of config.toml.
    chars_per_token: int = 4
    """Characters counted as one token where a client reported its tokens only once [chars,
    PS-1]."""
    claude_reserve_tokens: int = 33_000
    """Claude Code compacts this many tokens before the end of the window [tokens, PS-1]."""
    rearm_percent: float = 5.0
    """A level is reported again after the share fell this far below it [%, PS-3]."""
    review_chars: int = 2000
    """Longest text that asks for a review of the context [chars, PS-3]."""
    kept_items: int = 8
    """Largest items of a session that are listed by name [items, PS-3]."""
    least_item_chars: int = 2000
    """Smaller items are not listed [chars, PS-3]."""
    zone_recent_s: float = 86_400.0
    """A conversation's zone is shown for this long after its last exchange [s, PS-2]."""
