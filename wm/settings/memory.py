"""Sections [memory], [gate] and [origin]: workspace memory, quality gate, origin of words.

Limits decide what is shown or accepted; no figure here deletes an entry.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Struct, field

from wm.errors import UserError
from wm.settings.schema import Option, TableKind, check_expression, one_of

LEARN_MODES = ("active", "inbox", "off")
LEARN_INBOX = LEARN_MODES[1]


class Trigger(Struct, frozen=True):
    """A way of asking to remember of the user's own: `[[gate.triggers]]` in config.toml (IF-8).

    pattern: what the beginning of a line must match; the text behind it is kept, or that of the
    pattern's group. type: the type of such an entry, "" infers it.
    """

    name: str
    pattern: str = ""
    type: str = ""


def _trigger(given: Mapping[str, Any], at: str) -> Trigger:
    made = Trigger(**given)
    if not made.pattern:
        raise UserError(f"{at} does not say how a request begins.", fix="Give a pattern.")
    check_expression(made.pattern, at)
    return made


_TABLES = TableKind(made=Trigger, noun="trigger", header="[[gate.triggers]]", make=_trigger)


class MemorySettings(Struct, frozen=True, eq=False):
    """Workspace memory (SPEC section 3)."""

    max_text_chars: Annotated[int, Option()] = 2000
    """Longest text of an entry; longer is refused with the count [chars, WM-1]."""
    learn: Annotated[str, Option(common=True, needs_consent=True, parse=one_of(LEARN_MODES))] = (
        "active"
    )
    """What becomes of a statement without a request to remember: active, inbox or off [EX-7]."""
    suspect_rate: Annotated[float, Option()] = 0.25
    """Factor on the strength of an entry whose anchored code changed or is gone [WM-9]."""
    shown_text_chars: Annotated[int, Option()] = 260
    """Characters of an entry's text that a prompt shows, in whole sentences [chars, WM-1]."""
    rendered_entries: Annotated[int, Option(common=True)] = 28
    """Entries shown in a prompt [entries, WM-4]."""
    rendered_chars: Annotated[int, Option(common=True)] = 3600
    """Characters of memory shown in a prompt [chars, WM-4]."""
    user_entries: Annotated[int, Option(common=True)] = 8
    """Entries of scope `user` shown in a prompt; 0 shows none [entries, ID-3]."""
    user_chars: Annotated[int, Option()] = 800
    """Characters of entries of scope `user` shown in a prompt [chars, ID-3]."""
    type_caps: Annotated[dict[str, int], Option(common=True)] = field(
        default_factory=lambda: {"feedback": 10, "decision": 10, "project": 8, "reference": 6}
    )
    """Entries of each type that a prompt shows before it fills up with the strongest of any type;
    another name makes another type [entries, WM-4]."""
    type_weights: Annotated[dict[str, float], Option()] = field(
        default_factory=lambda: {
            "reference": 1.0,
            "project": 1.25,
            "feedback": 2.25,
            "decision": 2.5,
        }
    )
    """Retention weight of each type [WM-2]."""
    source_weights: Annotated[dict[str, float], Option()] = field(
        default_factory=lambda: {"compaction": 1.0, "stated": 1.2, "manual": 1.4, "explicit": 2.0}
    )
    """Retention weight of each source [WM-2]."""
    importance_weights: Annotated[dict[str, float], Option()] = field(
        default_factory=lambda: {"low": 0.7, "normal": 1.0, "high": 1.5}
    )
    """Retention weight of each importance that the user may give [WM-2]."""
    half_life_days: Annotated[float, Option(common=True)] = 45.0
    """Half-life of an entry that was never reinforced [days, WM-2]."""
    half_life_growth: Annotated[float, Option()] = 0.85
    """Each reinforcement divides the decay rate: half-life = base / growth^count [WM-2]."""
    max_reinforcements: Annotated[int, Option()] = 6
    """From this count on, a recurrence resets the age without being counted [times, WM-3]."""
    reinforcement_window_hours: Annotated[float, Option()] = 168.0
    """A recurrence counts only this long after the last one that counted [hours, WM-3]."""
    dormant_after_days: Annotated[float, Option()] = 14.0
    """Days without activity after which a workspace is dormant [days, WM-2]."""
    dormant_rate: Annotated[float, Option()] = 0.25
    """Rate at which dormant days count for an entry's age [WM-2]."""

    # Fixed: not options of config.toml.
    max_waiting_chars: int = 50_000
    """Longest text that waits in the inbox; longer is refused with the count [chars, EX-3]."""
    max_rationale_chars: int = 180
    """Longest reason that is kept with an entry [chars, WM-1]."""
    listed_omissions: int = 200
    """Entries left out of a prompt that are listed one by one; further ones are counted [entries,
    EP-3]."""
    promotion_attempts: int = 3
    """Failed attempts to store a pending memory before it goes to the inbox [times, WM-6]."""

    @property
    def types(self) -> tuple[str, ...]:
        """The types of an entry; those that config.toml adds come last."""
        return tuple(self.type_caps)


class GateSettings(Struct, frozen=True, eq=False):
    """The quality gate (SPEC EX-3)."""

    min_chars: Annotated[int, Option()] = 20
    """Shortest candidate text [chars, EX-3]."""
    min_chars_cjk: Annotated[int, Option()] = 8
    """Shortest candidate text in Chinese, Japanese or Korean [chars, EX-3]."""
    triggers: Annotated[tuple[Trigger, ...], Option(parse=_TABLES.parse)] = ()
    """Ways of asking to remember of your own, tried before the built-in ones: `[[gate.triggers]]`
    [IF-8]."""

    # Fixed: not options of config.toml.
    min_chars_explicit: int = 6
    """Shortest text that a person asked to keep [chars, EX-3]."""
    min_chars_explicit_cjk: int = 3
    """Shortest text that a person asked to keep, in Chinese, Japanese or Korean [chars, EX-3]."""
    max_line_chars: int = 4000
    """Longer lines are not searched for triggers [chars, EX-6]."""
    max_message_lines: int = 10_000
    """Lines of one message, from its beginning, that are searched for requests [lines, EX-6]."""
    max_requests: int = 50
    """Requests to remember, and to forget, taken from one message; no person types more [requests,
    EX-6]."""


class OriginSettings(Struct, frozen=True, eq=False):
    """Where the words of a session first appeared (SPEC TR-3)."""

    # Fixed: not options of config.toml.
    max_heard_chars: int = 200_000
    """Characters of one output that are compared, the first and the last half. After a longer
    output, the model's own words in that session do not count [chars, TR-3]."""
    beginning_s: float = 10.0
    """Another process may have recorded a session's start and first message within this time,
    because the daemon was starting [s, TR-3]."""
    max_pasted_chars: int = 40_000
    """Characters of one pasted block that are compared, the first and the last half [chars,
    TR-3]."""
    max_typed_chars: int = 8_000
    """Characters at each end of a longer message that may be typed; the middle was pasted [chars,
    TR-3]."""
    max_typed_lines: int = 15
    """A block of more lines without a blank line was pasted [lines, TR-3]."""
    max_typed_block_chars: int = 2_000
    """A longer block without a blank line was pasted [chars, TR-3]."""
    kept_words: int = 3_000
    """Words kept of what the user said, and as many of what the model said; the oldest sentences
    are removed first [words, TR-3]."""
