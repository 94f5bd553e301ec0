"""Every constant and option, with unit, reason and SPEC id.

The only module that reads the environment and `config.toml`. Everybody else receives
a `Settings` value. `docs/constants.md` is generated from the options below.

A field is declared with `option(default, "one sentence", spec="ID")`. Fields marked
`fixed=True` are constants of the format and refuse to be set in `config.toml`.
"""

import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, dataclass_transform

from msgspec import Struct, StructMeta, field, structs

from wm.errors import UserError


class Option(Struct, frozen=True):
    """What is known of an option beside its default. least, most: the bounds of its value."""

    default: Any
    text: str
    spec: str
    unit: str = ""
    fixed: bool = False
    most: float | None = None
    least: float = 0


def option(
    default: Any,
    text: str,
    *,
    spec: str,
    unit: str = "",
    fixed: bool = False,
    most: float | None = None,
    least: float = 0,
) -> Any:
    """A field that documents itself (see `wm.settings.table`)."""
    return Option(default, text, spec, unit, fixed, most, least)


@dataclass_transform(frozen_default=True, field_specifiers=(option,))
class _Sectional(StructMeta):
    """Makes a field with its default of each `option`, and keeps what else it says."""

    def __new__(
        cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **config: Any
    ) -> Any:
        options = {name: v for name, v in namespace.items() if isinstance(v, Option)}
        fields = {name: _field(found.default) for name, found in options.items()}
        return super().__new__(
            cls, name, bases, {**namespace, **fields, "options": options}, **config
        )


def _field(default: Any) -> Any:
    return field(default_factory=default.copy) if isinstance(default, dict) else default


class Section(Struct, metaclass=_Sectional, frozen=True):
    """A section of `config.toml`."""

    options: ClassVar[Mapping[str, Option]]
    """By name, in the order of the fields."""


class StoreSettings(Section):
    """Files, locks and durability (SPEC section 2)."""

    lock_wait_s: float = option(5.0, "Longest wait for a document's lock.", spec="ST-2", unit="s")
    lock_poll_s: float = option(
        0.005,
        "Pause between two tries of a contended lock.",
        spec="ST-2",
        unit="s",
        least=0.0005,
    )
    relaxed_flush_s: float = option(
        1.0, "Hot session state is flushed to disk within this time.", spec="ST-1", unit="s"
    )
    max_document_bytes: int = option(
        32 * 1024 * 1024,
        "A larger document is refused before it is parsed.",
        spec="ST-5",
        unit="bytes",
        least=65536,
    )
    max_vector_bytes: int = option(
        512 * 1024 * 1024,
        "Vectors of a workspace that would take more are not saved, and larger files not read.",
        spec="RC-3",
        unit="bytes",
    )
    max_record_bytes: int = option(
        256 * 1024, "A larger log record is refused.", spec="ST-5", unit="bytes", least=65536
    )
    evidence_segment_bytes: int = option(
        2 * 1024 * 1024,
        "An evidence file is closed and the next begun at this size.",
        spec="EV-1",
        unit="bytes",
    )
    evidence_max_age_days: float = option(
        90.0,
        "Evidence that answers for no entry may go when it is older than this.",
        spec="GV-3",
        unit="days",
    )
    evidence_max_events: int = option(
        5000,
        "Evidence that answers for no entry may go beyond the newest so many records.",
        spec="GV-3",
        unit="records",
    )
    evidence_purge_at_least: int = option(
        500,
        "Evidence is rewritten only to take out at least so many records.",
        spec="GV-3",
        unit="records",
    )
    document_cache_bytes: int = option(
        16 * 1024 * 1024,
        "Parsed documents are kept in memory up to this size of their files.",
        spec="ST-2",
        unit="bytes",
    )
    quarantine_max_files: int = option(
        200,
        "Quarantine keeps at most this many files; the oldest leave first.",
        spec="ST-3",
        unit="files",
    )
    allow_network_folder: bool = option(
        False, "Accept a data folder on NFS, SMB or a sync folder.", spec="ST-2"
    )
    watch_quiet_s: float = option(
        0.05,
        "Changes made outside are told once nothing more has come for this long.",
        spec="ST-4",
        unit="s",
    )
    watch_pace_s: float = option(
        0.1, "Hints of the system about changed files are taken this often.", spec="ST-4", unit="s"
    )
    watch_longest_s: float = option(
        1.0, "They are told after this long even if more keep coming.", spec="ST-4", unit="s"
    )
    watch_poll_s: float = option(
        2.0,
        "Where the system has no watches left, the data folder is looked at this often.",
        spec="ST-4",
        unit="s",
        least=0.1,
    )


class MemorySettings(Section):
    """Workspace memory (SPEC section 3)."""

    max_text_chars: int = option(
        2000,
        "Longest text of an entry; longer is refused with the count.",
        spec="WM-1",
        unit="chars",
    )
    suspect_rate: float = option(
        0.25,
        "Strength of an entry whose code changed or is gone counts at this rate.",
        spec="WM-9",
    )
    shown_text_chars: int = option(
        260, "Whole sentences of an entry's text that a prompt shows.", spec="WM-1", unit="chars"
    )
    max_waiting_chars: int = option(
        50_000,
        "Longest text that waits in the inbox; longer is refused with the count.",
        spec="EX-3",
        unit="chars",
    )
    max_rationale_chars: int = option(180, "Longest rationale.", spec="WM-1", unit="chars")
    rendered_entries: int = option(28, "Entries shown in a prompt.", spec="WM-4", unit="entries")
    rendered_chars: int = option(3600, "Characters shown in a prompt.", spec="WM-4", unit="chars")
    listed_omissions: int = option(
        200,
        "Entries left out of a prompt that are named one by one; the rest is counted.",
        spec="EP-3",
        unit="entries",
    )
    type_caps: dict[str, int] = option(
        {"feedback": 10, "decision": 10, "project": 8, "reference": 6},
        "Entries of one type shown in a prompt.",
        spec="WM-4",
        unit="entries",
    )
    type_weights: dict[str, float] = option(
        {"reference": 1.0, "project": 1.25, "feedback": 2.25, "decision": 2.5},
        "Retention weight of a type.",
        spec="WM-2",
    )
    source_weights: dict[str, float] = option(
        {"compaction": 1.0, "manual": 1.4, "explicit": 2.0},
        "Retention weight of a source.",
        spec="WM-2",
    )
    importance_weights: dict[str, float] = option(
        {"low": 0.7, "normal": 1.0, "high": 1.5},
        "Retention weight of the user's importance.",
        spec="WM-2",
    )
    half_life_days: float = option(
        45.0, "Half-life of an entry that was never reinforced.", spec="WM-2", unit="days"
    )
    half_life_growth: float = option(
        0.85,
        "Each reinforcement divides the decay rate: half-life = base / growth^count.",
        spec="WM-2",
    )
    max_reinforcements: int = option(
        6,
        "At this count a recurrence refreshes the clock without counting.",
        spec="WM-3",
        unit="times",
    )
    reinforcement_window_hours: float = option(
        168.0,
        "A recurrence counts only after this long since the last.",
        spec="WM-3",
        unit="hours",
    )
    dormant_after_days: float = option(
        14.0,
        "Days without activity after which a workspace is dormant.",
        spec="WM-2",
        unit="days",
    )
    dormant_rate: float = option(
        0.25, "Rate at which dormant days count for an entry's age.", spec="WM-2"
    )
    promotion_attempts: int = option(
        3,
        "Failed promotions of a pending memory before it goes to the inbox.",
        spec="WM-6",
        unit="times",
    )


class GateSettings(Section):
    """The quality gate (SPEC EX-3)."""

    min_chars: int = option(20, "Shortest candidate text.", spec="EX-3", unit="chars")
    min_chars_cjk: int = option(
        8, "Shortest candidate text in Chinese, Japanese or Korean.", spec="EX-3", unit="chars"
    )
    min_chars_explicit: int = option(
        6, "Shortest text that a person asked to keep.", spec="EX-3", unit="chars"
    )
    min_chars_explicit_cjk: int = option(
        3, "The same in Chinese, Japanese or Korean.", spec="EX-3", unit="chars"
    )
    max_line_chars: int = option(
        4000, "Longer lines are not searched for triggers.", spec="EX-6", unit="chars"
    )
    max_message_lines: int = option(
        10_000,
        "Lines of one message, from its first, that are searched for requests.",
        spec="EX-6",
        unit="lines",
    )
    max_requests: int = option(
        50,
        "Requests to remember, and to forget, that one message may hold; nobody types more.",
        spec="EX-6",
        unit="requests",
    )


class SessionSettings(Section):
    """Hot session state and prompt epochs (SPEC sections 5 and 6)."""

    action_weights: dict[str, int] = option(
        {"edit": 50, "write": 45, "grep": 30, "read": 20},
        "Weight of what was done to a file.",
        spec="HS-1",
    )
    mention_weight: int = option(3, "Score that each further touch adds.", spec="HS-1")
    kept_files: int = option(20, "Active files kept.", spec="HS-1", unit="files")
    recent_files: int = option(
        5,
        "Of the active files kept, places for the newest, whatever their score.",
        spec="HS-1",
        unit="files",
    )
    shown_files: int = option(8, "Active files shown.", spec="HS-1", unit="files")
    kept_errors: int = option(5, "Open errors kept.", spec="HS-2", unit="errors")
    shown_errors: int = option(3, "Open errors shown.", spec="HS-2", unit="errors")
    kept_decisions: int = option(8, "Recent decisions kept.", spec="HS-3", unit="decisions")
    kept_pending: int = option(12, "Pending memories kept.", spec="HS-3", unit="memories")
    shown_pending: int = option(6, "Pending memories shown.", spec="HS-3", unit="memories")
    max_id_chars: int = option(
        500, "Longest session id, and longest name of an agent.", spec="ST-5", unit="chars"
    )
    kept_messages: int = option(
        64,
        "Digests of user messages kept, to take one that arrives twice once.",
        spec="HS-3",
        unit="messages",
    )
    rendered_chars: int = option(
        700, "Characters of the hot snapshot, whole lines.", spec="HS-3", unit="chars"
    )
    rendered_line_chars: int = option(
        160,
        "Characters that one item of the hot snapshot may take of its text.",
        spec="HS-3",
        unit="chars",
    )
    max_summary_chars: int = option(280, "Longest summary of an error.", spec="HS-2", unit="chars")
    max_output_chars: int = option(
        2_000_000,
        "Tool output beyond this is not searched for errors (first and last half).",
        spec="HS-2",
        unit="chars",
    )
    max_output_lines: int = option(
        4_000,
        "Lines of a tool's output that are searched for errors (first and last half).",
        spec="HS-2",
        unit="lines",
    )


class CoreSettings(Section):
    """Core blocks (SPEC section 7)."""

    goal_chars: int = option(1000, "Longest goal.", spec="CB-1", unit="chars")
    progress_chars: int = option(2000, "Longest progress.", spec="CB-1", unit="chars")
    context_chars: int = option(1500, "Longest context.", spec="CB-1", unit="chars")


class WorkingSettings(Section):
    """Slots and pool of a session (SPEC section 7)."""

    slots: dict[str, int] = option(
        {"error": 3, "decision": 5, "todo": 3, "dependency": 3},
        "Items that each slot keeps; a further name is a further slot.",
        spec="CB-2",
        unit="items",
    )
    item_chars: int = option(
        200,
        "Longest item; what a tool printed is cut at a word, what somebody adds is refused.",
        spec="CB-2",
        unit="chars",
    )
    pool_rate: float = option(
        0.85, "What is left of an item's score after one more event.", spec="CB-3", most=1
    )
    pool_floor: float = option(0.01, "An item of the pool below this score leaves.", spec="CB-3")
    pool_items: int = option(50, "Items of the pool at most.", spec="CB-3", unit="items")
    compacted_items: int = option(
        10, "Best items of the pool that a compaction keeps.", spec="CB-5", unit="items"
    )
    kept_compactions: int = option(
        20, "Compactions that the compaction log holds.", spec="CB-5", unit="compactions"
    )
    rendered_chars: int = option(
        1600, "Characters of the working memory in a prompt.", spec="CB-4", unit="chars"
    )
    searched_chars: int = option(
        64_000,
        "So much of a manifest, a message or an answer is searched for items.",
        spec="CB-2",
        unit="chars",
    )


class PressureSettings(Section):
    """How full a session's context is (SPEC section 9)."""

    moderate_percent: float = option(
        70.0,
        "Share of the limit from which the level is moderate.",
        spec="PS-1",
        unit="%",
        most=100,
    )
    high_percent: float = option(
        85.0, "Share of the limit from which the level is high.", spec="PS-1", unit="%", most=100
    )
    critical_percent: float = option(
        95.0,
        "Share of the limit from which the level is critical.",
        spec="PS-1",
        unit="%",
        most=100,
    )
    limit_chars: int = option(
        180_000,
        "Limit where no token counts are known: characters of what the hooks heard.",
        spec="PS-1",
        unit="chars",
    )
    unknown_limit_tokens: int = option(
        200_000,
        "Limit for token counts of a client that does not say how large its window is.",
        spec="PS-1",
        unit="tokens",
    )
    chars_per_token: int = option(
        4,
        "Characters that count as a token where a client told its count once, at a resume.",
        spec="PS-1",
        unit="chars",
    )
    claude_reserve_tokens: int = option(
        33_000,
        "Claude Code compacts by itself this far below the end of the window.",
        spec="PS-1",
        unit="tokens",
    )
    rearm_percent: float = option(
        5.0,
        "A level is told again once the share fell this far below it in between.",
        spec="PS-3",
        unit="%",
        most=100,
    )
    review_chars: int = option(2000, "Longest text of an intervention.", spec="PS-3", unit="chars")
    kept_items: int = option(
        8, "Largest items of a session that are known by name.", spec="PS-3", unit="items"
    )
    least_item_chars: int = option(
        2000, "A smaller item is not among the largest.", spec="PS-3", unit="chars"
    )
    caution_zone_percent: float = option(
        50.0,
        "Share of the window from which the proxy's zone is caution.",
        spec="PS-2",
        unit="%",
        most=100,
    )
    warning_zone_percent: float = option(
        70.0,
        "Share of the window from which the proxy's zone is warning.",
        spec="PS-2",
        unit="%",
        most=100,
    )
    critical_zone_percent: float = option(
        85.0,
        "Share of the window from which the proxy's zone is critical.",
        spec="PS-2",
        unit="%",
        most=100,
    )
    emergency_zone_percent: float = option(
        95.0,
        "Share of the window above which the proxy's zone is emergency.",
        spec="PS-2",
        unit="%",
        most=100,
    )
    zone_recent_s: float = option(
        86_400.0,
        "So long after its last exchange a conversation's zone is shown and counted.",
        spec="PS-2",
        unit="s",
    )


class BudgetSettings(Section):
    """Instruction files of a project (SPEC CT-4)."""

    max_lines: int = option(
        200,
        "Lines of an instruction file; of AGENTS.md those outside of dated entries.",
        spec="CT-4",
        unit="lines",
    )
    prune_bytes: int = option(
        75 * 1024, "From this size on AGENTS.md is pruned.", spec="CT-4", unit="bytes"
    )
    target_bytes: int = option(60 * 1024, "A prune stops at this size.", spec="CT-4", unit="bytes")
    refuse_bytes: int = option(
        100 * 1024, "From this size on AGENTS.md is refused.", spec="CT-4", unit="bytes"
    )
    max_bullets: int = option(5, "Top-level bullets of a dated entry.", spec="CT-4", unit="bullets")


class OriginSettings(Section):
    """Where the words of a session first appeared (SPEC TR-3)."""

    max_heard_chars: int = option(
        200_000,
        "So much of one output is read (first and last half); more, and the model's own words "
        "of that session no longer count.",
        spec="TR-3",
        unit="chars",
    )
    beginning_s: float = option(
        10.0,
        "A session's start and first message within this time may be taken in by another process "
        "than the rest: the daemon is being started.",
        spec="TR-3",
        unit="s",
    )
    max_pasted_chars: int = option(
        40_000, "The same for one block pasted into a message.", spec="TR-3", unit="chars"
    )
    max_typed_chars: int = option(
        8_000,
        "Of a longer message, so much at each end can be typed; the middle was pasted.",
        spec="TR-3",
        unit="chars",
    )
    max_typed_lines: int = option(
        15, "A longer block without a blank line was pasted.", spec="TR-3", unit="lines"
    )
    max_typed_block_chars: int = option(
        2_000, "A longer block without a blank line was pasted.", spec="TR-3", unit="chars"
    )
    kept_words: int = option(
        3_000,
        "Words kept of what the user said, and as many of what the model said; the oldest "
        "sentences leave.",
        spec="TR-3",
        unit="words",
    )


class DaemonSettings(Section):
    """The daemon and its socket (SPEC IF-1, IF-6)."""

    connect_timeout_s: float = option(
        0.25, "Longest wait of a client for a connection.", spec="IF-1", unit="s", least=0.01
    )
    request_timeout_s: float = option(
        10.0, "Deadline of one request in the daemon.", spec="IF-1", unit="s", least=0.1
    )
    header_timeout_s: float = option(
        5.0,
        "A connection that has not sent its whole head by then is closed.",
        spec="IF-1",
        unit="s",
        least=0.1,
    )
    body_timeout_s: float = option(
        30.0,
        "A request whose body has not arrived by then is closed.",
        spec="IF-1",
        unit="s",
        least=0.1,
    )
    max_head_bytes: int = option(
        64 * 1024, "Largest request line and headers.", spec="IF-1", unit="bytes", least=4096
    )
    max_body_bytes: int = option(
        16 * 1024 * 1024, "Largest request body.", spec="IF-1", unit="bytes", least=65536
    )
    max_connections: int = option(
        256,
        "Connections served at once; more are told to come back.",
        spec="IF-1",
        unit="connections",
        least=8,
    )
    drain_s: float = option(
        5.0,
        "On SIGTERM, requests under way get this long to finish; what was answered is written for "
        "as long as some of it is in each such span.",
        spec="IF-6",
        unit="s",
    )
    start_wait_s: float = option(
        10.0,
        "A client that started the daemon waits this long for its first answer.",
        spec="IF-6",
        unit="s",
        least=0.5,
    )
    idle_exit_s: float = option(
        0.0, "Exit after this long without a request; 0: never.", spec="IF-6", unit="s"
    )
    batch_requests: int = option(
        64, "Updates of one workspace that share a flush.", spec="ST-1", unit="requests", least=1
    )
    gather_s: float = option(
        0.003,
        "After a shared flush, the next batch waits this long for those just answered.",
        spec="ST-1",
        unit="s",
    )
    queue_requests: int = option(
        1024,
        "Updates that may wait for one workspace; more get 503.",
        spec="IF-1",
        unit="requests",
        least=1,
    )
    max_buffered_bytes: int = option(
        64 * 1024 * 1024,
        "Bytes of unfinished request bodies held at once; more get 503.",
        spec="IF-6",
        unit="bytes",
        least=65536,
    )
    worker_threads: int = option(
        4,
        "Threads that wait for the disk, so that the socket does not.",
        spec="IF-1",
        unit="threads",
    )
    activated_idle_exit_s: float = option(
        1800.0,
        "The same as idle_exit_s where the service manager holds the socket.",
        spec="IF-6",
        unit="s",
    )
    log_max_bytes: int = option(
        1024 * 1024,
        "daemon.log is rotated at this size; one older file is kept.",
        spec="IF-6",
        unit="bytes",
        least=4096,
    )


class HookSettings(Section):
    """Deadlines of the agents' hooks (SPEC IF-2, IF-3)."""

    event_timeout_s: float = option(
        1.0,
        "A per-event hook gives up after this long and stays silent.",
        spec="IF-3",
        unit="s",
        least=0.05,
    )
    start_timeout_s: float = option(
        5.0,
        "What the daemon did not take may take this long on the files; so may a daemon's start.",
        spec="IF-3",
        unit="s",
        least=0.1,
    )
    lock_wait_s: float = option(
        2.0,
        "Longest wait of a hook for a document's lock: what is busy is told within its deadline.",
        spec="ST-2",
        unit="s",
    )
    context_chars: int = option(
        9_900,
        "So much may one hook of Claude Code add; it shows no more than the beginning of what is "
        "longer than 10,000. The working memory gives way.",
        spec="EP-2",
        unit="chars",
    )


class RecallSettings(Section):
    """Search by words and by meaning (SPEC section 12)."""

    model: str = option(
        "",
        "What makes texts comparable by meaning: embedded, none, an installed model, or the folder "
        "of one (needs the extra [models]). Empty: what `wm models use` chose, at first embedded. "
        "Read when a process starts.",
        spec="RC-2",
    )
    models_url: str = option(
        "https://huggingface.co",
        "Where `wm models pull` fetches from; a mirror will do, every file has a pinned digest.",
        spec="RC-2",
    )
    pull_wait_s: float = option(
        15.0,
        "Longest silence of that server before `wm models pull` gives up.",
        spec="RC-2",
        unit="s",
        least=0.1,
    )
    max_model_bytes: int = option(
        4 * 1024 * 1024 * 1024,
        "Largest file of a model that `wm models import` takes.",
        spec="RC-2",
        unit="bytes",
    )
    max_hits: int = option(
        10, "Hits of one search unless asked otherwise.", spec="RC-1", unit="hits", least=1
    )
    bm25_k1: float = option(1.2, "Term saturation of BM25.", spec="RC-1")
    bm25_b: float = option(0.75, "Length normalisation of BM25.", spec="RC-1")
    synonym_weight: float = option(
        0.35, "What a word used for a query word counts, of 1.", spec="RC-1"
    )
    prefix_weight: float = option(
        0.5, "What a beginning shared with an unknown query word counts, of 1.", spec="RC-1"
    )
    slip_weight: float = option(
        0.8, "What a word one slip of typing away from an unknown one counts, of 1.", spec="RC-1"
    )
    phrase_bonus: float = option(
        0.25, "Raise of a hit in which the query stands together.", spec="RC-1"
    )
    month_bonus: float = option(
        0.6, "Raise of a hit from the month that the query names.", spec="RC-1"
    )
    decision_bonus: float = option(
        0.25, "Raise of a decision when the query asks what was decided.", spec="RC-1"
    )
    recency_share: float = option(
        0.12, "Raise of the newest hit over the oldest; the double for `now`.", spec="RC-1"
    )
    superseded_factor: float = option(
        0.7, "Factor of a superseded statement when the query asks for today.", spec="RC-1"
    )
    history_factor: float = option(
        1.6, "Factor of a superseded statement when the query asks for the past.", spec="RC-1"
    )
    short_floor: float = option(
        0.3,
        "Share of a query of up to three words that the best hit must hold, else none is shown.",
        spec="RC-1",
    )
    middle_floor: float = option(0.2, "The same for four words.", spec="RC-1")
    long_floor: float = option(0.1, "The same for longer queries.", spec="RC-1")
    judged_hits: int = option(
        50, "Hits that are judged by more than single words.", spec="RC-1", unit="hits"
    )
    held_base: float = option(
        0.5, "Weight of a document's words beside the share of the query it holds.", spec="RC-1"
    )
    phrase_chars: int = option(
        4000, "The beginning of a text that is looked at for phrases.", spec="RC-1", unit="chars"
    )
    vector_share: float = option(
        0.65, "What meaning counts in a query without names, of 1; words get the rest.", spec="RC-1"
    )
    model_share: float = option(
        0.85, "The same for a model of its own folder, which knows more.", spec="RC-1"
    )
    name_lexical: float = option(
        0.3, "What a query of nothing but names takes from that.", spec="RC-1"
    )
    sentence_words: int = option(
        2,
        "Words from which on a query is a sentence; of fewer meaning counts for less.",
        spec="RC-1",
        unit="words",
    )
    proper_even: float = option(
        0.6,
        "How far a question that names somebody or something is shared out evenly, of 1.",
        spec="RC-1",
    )
    whitening_ridge: float = option(
        10.0, "How softly directions common to all texts are shrunk.", spec="RC-1"
    )
    graph_from: int = option(
        20_000,
        "From so many vectors on a graph names the candidates of a query; below, all are compared.",
        spec="RC-3",
        unit="vectors",
    )
    graph_hits: int = option(
        256, "Candidates that the graph names of a query.", spec="RC-3", unit="documents"
    )
    neighbour: float = option(
        0.25, "What the next text of a conversation lends of its score.", spec="RC-1"
    )
    next_neighbour: float = option(0.1, "The same for the next but one.", spec="RC-1")
    spoken_bonus: float = option(
        0.8, "Raise of what a person said over what was answered.", spec="RC-1", unit="deviations"
    )
    background: int = option(
        100,
        "Texts that are thought to be there as well when a question's words are weighed.",
        spec="RC-1",
        unit="texts",
    )
    kin_told: float = option(
        0.5,
        "What another word for a query word, or a shared beginning, counts there, of 1.",
        spec="RC-1",
    )
    name_told: float = option(
        2.0, "What an identifier or path of a query counts there, in words.", spec="RC-1"
    )
    pairs_told: float = option(
        0.7,
        "Share of a sentence's pairs of letters that are all of it: the others reach over two "
        "words.",
        spec="RC-1",
    )
    chance_likeness: float = option(
        0.075,
        "Likeness that chance brings, times the square root of twice the logarithm of the number "
        "of texts.",
        spec="RC-1",
    )
    script_likeness: float = option(
        0.2,
        "What likeness counts at most for a query in no Latin script with the default model.",
        spec="RC-1",
    )
    answer_floor: float = option(
        0.1,
        "The best hit's share of the query's weight and its likeness, less chance, must reach "
        "this together, else none is shown.",
        spec="RC-1",
    )
    short_answer: float = option(
        0.4, "Added to that floor for a query of one word; less for longer ones.", spec="RC-1"
    )
    pasted_words: int = option(
        10,
        "Beyond so many words a query is a text: the floor sinks, and it is compared with wholes.",
        spec="RC-1",
    )
    answer_words: float = option(
        0.6, "Share of a query's weight that a hit's words must hold to answer it.", spec="RC-1"
    )
    answer_support: float = option(
        0.8,
        "What the share and the likeness must reach together where the words hold only half of "
        "that.",
        spec="RC-1",
    )
    answer_margin: float = option(
        0.15, "By how much of that the best hit must pass every other one to answer.", spec="RC-1"
    )
    answer_tokens: int = option(200, "Longest answer.", spec="RC-1", unit="tokens")
    prompts: bool = option(
        True,
        "Tell a session behind a message of the user what the message recalls and its prompt does "
        "not show.",
        spec="RC-1",
    )
    prompt_entries: int = option(
        3, "Entries that one message recalls at most.", spec="RC-1", unit="entries"
    )
    prompt_chars: int = option(
        900,
        "Their lines together; pinned ones have a limit of their own.",
        spec="RC-1",
        unit="chars",
    )
    prompt_sentences: int = option(
        4, "First sentences of a message that are looked up.", spec="RC-1", unit="sentences"
    )
    prompt_read_chars: int = option(
        2000, "The beginning of a message that is read for that.", spec="RC-1", unit="chars"
    )
    prompt_words: float = option(
        0.4, "Share of a sentence's weight that a recalled entry's words must hold.", spec="RC-1"
    )
    prompt_floor: float = option(
        0.6, "What that share and the likeness, less chance, must reach together.", spec="RC-1"
    )
    same_hint: float = option(
        0.7, "Likeness from which two entries may state the same, as a hint.", spec="RC-1"
    )
    against_hint: float = option(
        0.75, "Likeness from which another number or a denial may contradict.", spec="RC-1"
    )
    hint_pairs: int = option(
        3, "Neighbours of one entry that are looked at for hints.", spec="RC-1", unit="entries"
    )
    hint_wait_s: float = option(
        20.0, "Longest wait of a diagnosis for all vectors.", spec="RC-1", unit="s"
    )
    standing_entries: int = option(
        6, "Pinned entries that come with every reply.", spec="RC-1", unit="entries"
    )
    standing_chars: int = option(
        1200, "Their texts together; what does not fit is counted.", spec="RC-1", unit="chars"
    )
    alike_floor: float = option(
        0.3, "Likeness from which a hit is said to be alike in meaning.", spec="RC-1"
    )
    fresh_hits: int = option(
        10, "Hits among which the newest statement comes first.", spec="RC-1", unit="hits"
    )
    same_floor: float = option(0.3, "Likeness from which two hits speak of the same.", spec="RC-1")
    fresh_reach: float = option(
        0.7, "A newer statement passes an older one from this share of its score.", spec="RC-1"
    )
    value_floor: float = option(
        0.15, "The likeness that is enough where a number is asked for.", spec="RC-1"
    )
    value_reach: float = option(
        0.4, "The share of the score that is enough where a number is asked for.", spec="RC-1"
    )
    piece_tokens: int = option(
        256, "Longer texts are embedded in pieces of so many tokens.", spec="RC-2", unit="tokens"
    )
    max_pieces: int = option(
        32, "Pieces of one text at most; words are found in all of it.", spec="RC-2", unit="pieces"
    )
    embed_wait_s: float = option(
        0.25,
        "Longest wait of a search for the vectors of its query and of what is new; "
        "then words decide alone.",
        spec="RC-2",
        unit="s",
    )
    embed_queue: int = option(
        64, "Batches that wait for the embedder at most.", spec="RC-2", unit="batches"
    )
    embed_idle_s: float = option(
        300.0, "An embedder that nobody asks is unloaded after this long.", spec="RC-2", unit="s"
    )
    embed_batch: int = option(
        16, "Texts that a local model is given at once, at most.", spec="RC-2", unit="texts"
    )


class ToolSettings(Section):
    """The tools that a model is given (SPEC IF-4)."""

    timeout_s: float = option(
        10.0,
        "Longest wait of `wm mcp` for the daemon's answer to a call.",
        spec="IF-4",
        unit="s",
        least=0.1,
    )
    hits: int = option(8, "Hits of memory_query unless asked otherwise.", spec="IF-4", unit="hits")
    answer_chars: int = option(
        8000,
        "Memories in one answer, together; what is more is counted.",
        spec="IF-4",
        unit="chars",
    )
    output_chars: int = option(
        20_000,
        "Lines of a kept tool output in one answer, together.",
        spec="PR-3",
        unit="chars",
    )
    file_chars: int = option(
        20_000, "Longest file that the memory tool writes.", spec="IF-4", unit="chars"
    )
    view_chars: int = option(
        16_000, "Lines of a file in one answer, together.", spec="IF-4", unit="chars"
    )
    max_waiting: int = option(
        100,
        "Proposals of agents that wait in the inbox; a further one is refused.",
        spec="TR-3",
        unit="entries",
    )


class ContractSettings(Section):
    """The handoff of a project (SPEC section 11)."""

    handoff_chars: int = option(
        4000, "Longest handoff: what a person reads in about a minute.", spec="CT-3", unit="chars"
    )
    handoff_items: int = option(
        12, "Items of one section of the handoff; more are counted.", spec="CT-3", unit="items"
    )
    handoff_item_chars: int = option(220, "Whole sentences of one item.", spec="CT-3", unit="chars")
    inject_handoff: bool = option(
        False, "Give every new session the project's handoff, without being asked.", spec="CT-3"
    )
    inject_chars: int = option(
        4000, "Of the handoff, whole lines that a session is given.", spec="CT-3", unit="chars"
    )


class PruningRule(Struct, frozen=True):
    """A user's own rule for tool output (PR-4): `[[pruning.rules]]` in config.toml.

    tool: the agent's word for the tool; command, output: expressions that the command line, and
    a line of the output, must hold. What is not given does not matter. leave: such output stays
    whole. keep: expressions of lines that stay. noun: what the lines that are gone are called.
    """

    name: str
    tool: str = ""
    command: str = ""
    output: str = ""
    leave: bool = False
    keep: tuple[str, ...] = ()
    noun: str = ""


class PruningSettings(Section):
    """Pruning of tool output (SPEC section 8)."""

    enabled: bool = option(True, "Cut long tool output before the model reads it.", spec="PR-1")
    threshold_lines: int = option(
        50, "An output of so many lines stays whole.", spec="PR-1", unit="lines"
    )
    end_lines: int = option(
        30, "Lines kept at each end of a longer one.", spec="PR-1", unit="lines"
    )
    aggressive_threshold_lines: int = option(
        30, "The threshold while the session's pressure is high.", spec="PR-1", unit="lines"
    )
    aggressive_end_lines: int = option(
        20, "Lines kept at each end then.", spec="PR-1", unit="lines"
    )
    hyper_threshold_lines: int = option(
        15, "The threshold while the session's pressure is critical.", spec="PR-1", unit="lines"
    )
    hyper_end_lines: int = option(10, "Lines kept at each end then.", spec="PR-1", unit="lines")
    slack_lines: int = option(
        5, "A cut that would save no more lines than this is not made.", spec="PR-1", unit="lines"
    )
    error_lines: int = option(
        200,
        "Lines that look like errors and are kept in any mode; of more, the first and last of "
        "each kind.",
        spec="PR-2",
        unit="lines",
    )
    max_chars: int = option(
        12_000_000, "A longer output is left as it is.", spec="PR-2", unit="chars"
    )
    rules: tuple[PruningRule, ...] = option(
        (), "Rules of your own, asked before the others: `[[pruning.rules]]`.", spec="PR-4"
    )


class ImportSettings(Section):
    """`wm import` (SPEC CB-6)."""

    max_file_bytes: int = option(
        8 * 1024 * 1024, "A larger foreign file is refused unread.", spec="CB-6", unit="bytes"
    )
    max_files: int = option(2000, "Foreign files that one run reads.", spec="CB-6", unit="files")
    max_looked_at: int = option(
        50_000,
        "Names that one run looks at below a folder that was given.",
        spec="CB-6",
        unit="names",
    )
    max_facts: int = option(
        1000, "Statements that one run takes into one workspace.", spec="CB-6", unit="statements"
    )
    max_chars: int = option(
        1_000_000, "Characters of text of these statements.", spec="CB-6", unit="chars"
    )
    max_sessions: int = option(
        20,
        "Sessions whose own memory one run takes, the newest.",
        spec="CB-6",
        unit="sessions",
    )


class StorageSettings(Section):
    """What is kept of files that come by themselves (SPEC section 10)."""

    max_outputs: int = option(
        300, "Originals of pruned tool output kept in a workspace.", spec="GV-2", unit="files"
    )
    output_max_age_days: float = option(
        7.0, "Originals of pruned tool output go when they are older.", spec="GV-2", unit="days"
    )
    recording_max_age_days: float = option(
        7.0,
        "Recorded bodies go when nothing was added to them for this long.",
        spec="GV-3",
        unit="days",
    )
    trash_max_age_days: float = option(
        30.0, "A forgotten entry can be brought back for this long.", spec="GV-3", unit="days"
    )
    session_max_age_days: float = option(
        90.0,
        "The files of a session go when nothing happened in it for this long.",
        spec="GV-3",
        unit="days",
    )
    lost_after_days: float = option(
        1.0,
        "They go after this long where the agent's own record of the session is gone; so much "
        "rest a session needs before a quota may take it.",
        spec="GV-3",
        unit="days",
    )
    orphan_days: float = option(
        7.0,
        "Documents of a session that has no state go after this long.",
        spec="GV-3",
        unit="days",
    )
    young_minutes: float = option(
        10.0, "A file that changed since is never swept.", spec="GV-3", unit="min"
    )
    workspace_max_bytes: int = option(
        256 * 1024 * 1024,
        "Beyond this, recorded bodies, kept outputs and then resting sessions go, oldest first.",
        spec="GV-3",
        unit="bytes",
    )
    total_max_bytes: int = option(
        2 * 1024 * 1024 * 1024,
        "The same for all workspaces together; the largest give.",
        spec="GV-3",
        unit="bytes",
    )
    report_files: int = option(
        1000, "Files that a report names; the rest is counted.", spec="GV-2", unit="files"
    )
    vectors_max_age_days: float = option(
        30.0,
        "Saved vectors of a workspace go when they were not saved for this long.",
        spec="GV-3",
        unit="days",
    )
    sweep_events: int = option(
        500,
        "A session's workspace is swept after so many of its events.",
        spec="GV-2",
        unit="events",
    )
    sweep_hours: float = option(
        24.0,
        "All workspaces are swept this often while the daemon lives.",
        spec="GV-2",
        unit="h",
    )
    sweep_workspaces: int = option(
        1000,
        "Workspaces that one run sweeps, those that waited longest first.",
        spec="GV-2",
        unit="workspaces",
    )
    rotations: int = option(20, "Evidence logs that one run may rewrite.", spec="GV-3", unit="logs")


class Paths(Struct, frozen=True):
    """Where things are on this machine (SPEC ID-1). All absolute."""

    home: Path
    socket: Path
    config: Path
    cache: Path


class AgentPaths(Struct, frozen=True):
    """Where the agents and the service manager keep what `wm setup` touches. All absolute.

    claude, opencode: the agents' own folders. claude_state: the file in which Claude Code keeps
    its state and the user's MCP servers. record: what setup keeps to undo itself.
    search: the folders in which programs are looked for. runtime: XDG_RUNTIME_DIR or "".
    """

    claude: Path
    claude_state: Path
    opencode: Path
    record: Path
    systemd: Path
    launchd: Path
    search: tuple[Path, ...] = ()
    runtime: str = ""


class ForeignPaths(Struct, frozen=True):
    """Where other programs keep what `wm import` reads. All absolute.

    data: the user's data folder, with the older plugin's store. claude, opencode: the agents'
    own folders, with the user's files of instructions.
    """

    data: Path
    claude: Path
    opencode: Path


class ProxySettings(Section):
    """The Messages API proxy (SPEC section 14)."""

    upstream: str = option(
        "https://api.anthropic.com",
        "Where requests go on to; http only on this machine.",
        spec="TR-4",
    )
    port: int = option(
        8642, "Port of `wm proxy` on the loopback; 0: a free one.", spec="PX-1", most=65535
    )
    ca_file: str = option(
        "",
        "PEM file of authorities to believe beside the system's; none: NODE_EXTRA_CA_CERTS.",
        spec="PX-10",
    )
    connect_timeout_s: float = option(
        10.0, "Longest wait for a connection to the upstream.", spec="PX-10", unit="s", least=0.1
    )
    idle_upstream_s: float = option(
        30.0, "An unused connection to the upstream is kept so long.", spec="PX-1", unit="s"
    )
    max_head_bytes: int = option(
        64 * 1024, "Largest request line and headers.", spec="PX-10", unit="bytes", least=4096
    )
    head_timeout_s: float = option(
        30.0,
        "Longest wait for a request's head once its client began.",
        spec="PX-10",
        unit="s",
        least=0.1,
    )
    linger_s: float = option(
        2.0,
        "A client whose connection ends behind its answer is read on so long, so that it sees it.",
        spec="PX-10",
        unit="s",
    )
    kept_request_bytes: int = option(
        64 * 1024 * 1024,
        "Of a request, so much is kept while it is under way; a longer one passes unread.",
        spec="PX-10",
        unit="bytes",
    )
    unpacked_bytes: int = option(
        64 * 1024 * 1024,
        "A compressed answer is read no further than this, unpacked; it passes all the same.",
        spec="PX-10",
        unit="bytes",
    )
    max_clients: int = option(
        400, "Most connections of clients; one more is closed at once.", spec="PX-10"
    )
    recording_max_bytes: int = option(
        64 * 1024 * 1024,
        "A session's recorded bodies take no more than this; what follows is not recorded.",
        spec="PX-11",
        unit="bytes",
    )
    drain_s: float = option(
        10.0, "On SIGTERM, answers under way get this long to end.", spec="PX-1", unit="s"
    )


class ModelPrice(Struct, frozen=True):
    """A table of `[[prices.models]]`: what a model costs, in dollars per million tokens. 0 for what
    the cache takes: the usual share of `input`."""

    name: str
    input: float
    output: float
    cache_read: float = 0.0
    cache_write_5m: float = 0.0
    cache_write_1h: float = 0.0


class PriceSettings(Section):
    """What models cost (SPEC PX-11, IF-8)."""

    models: tuple[ModelPrice, ...] = option(
        (),
        "Prices of your own, before those of the table "
        "([how](concepts/replay.md#prices-of-your-own)).",
        spec="IF-8",
    )


class Settings(Struct, frozen=True, eq=False):
    """Everything that was decided before the program began."""

    paths: Paths
    store: StoreSettings = StoreSettings()
    memory: MemorySettings = MemorySettings()
    gate: GateSettings = GateSettings()
    session: SessionSettings = SessionSettings()
    core: CoreSettings = CoreSettings()
    working: WorkingSettings = WorkingSettings()
    origin: OriginSettings = OriginSettings()
    pressure: PressureSettings = PressureSettings()
    budget: BudgetSettings = BudgetSettings()
    daemon: DaemonSettings = DaemonSettings()
    hooks: HookSettings = HookSettings()
    recall: RecallSettings = RecallSettings()
    contract: ContractSettings = ContractSettings()
    imports: ImportSettings = ImportSettings()
    tools: ToolSettings = ToolSettings()
    proxy: ProxySettings = ProxySettings()
    prices: PriceSettings = PriceSettings()
    storage: StorageSettings = StorageSettings()
    pruning: PruningSettings = PruningSettings()


SOCKET_LIMIT = 103 if sys.platform == "darwin" else 107
"""Longest socket path in bytes (ID-1): sun_path less its terminator."""

SECTIONS: dict[str, type[Any]] = {
    "store": StoreSettings,
    "memory": MemorySettings,
    "gate": GateSettings,
    "session": SessionSettings,
    "core": CoreSettings,
    "working": WorkingSettings,
    "origin": OriginSettings,
    "pressure": PressureSettings,
    "budget": BudgetSettings,
    "daemon": DaemonSettings,
    "hooks": HookSettings,
    "recall": RecallSettings,
    "contract": ContractSettings,
    "imports": ImportSettings,
    "tools": ToolSettings,
    "proxy": ProxySettings,
    "prices": PriceSettings,
    "storage": StorageSettings,
    "pruning": PruningSettings,
}


def user_home(env: Mapping[str, str]) -> Path:
    """The user's home folder.

    Raises UserError where neither HOME nor the account gives an absolute one.
    """
    home = env.get("HOME", "")
    if not home:
        import pwd

        try:
            home = pwd.getpwuid(os.getuid()).pw_dir
        except KeyError:
            home = ""
    if not home.startswith("/"):
        raise UserError(
            "HOME is not set to an absolute folder, so there is no place for the data.",
            fix="Set HOME, or set WM_HOME to the folder that wm should use.",
        )
    return Path(home)


def find_paths(env: Mapping[str, str]) -> Paths:
    """Resolve the four places of ID-1 from the environment.

    Raises UserError for a relative WM_HOME or WM_SOCKET and for a socket path over the limit.
    """

    def place(name: str, *rest: str, default: str) -> Path:
        base = env.get(name, "")
        root = Path(base) if base.startswith("/") else user_home(env) / default
        return root.joinpath(*rest)

    home = (
        Path(env["WM_HOME"])
        if env.get("WM_HOME")
        else place("XDG_DATA_HOME", "wm", default=".local/share")
    )
    if not home.is_absolute():
        raise UserError(
            f"WM_HOME is {str(home)!r}, which is not an absolute path.",
            fix="Give the folder from the root on, for example $HOME/wm-data.",
        )
    return Paths(
        home=home,
        socket=_socket_path(env, home),
        config=place("XDG_CONFIG_HOME", "wm", "config.toml", default=".config"),
        cache=place("XDG_CACHE_HOME", "wm", default=".cache"),
    )


def _socket_path(env: Mapping[str, str], home: Path) -> Path:
    named = env.get("WM_SOCKET", "")
    runtime = env.get("XDG_RUNTIME_DIR", "")
    if named:
        path = Path(named)
        if not path.is_absolute():
            raise UserError(
                f"WM_SOCKET is {named!r}, which is not an absolute path.",
                fix="Give the socket's path from the root on.",
            )
    elif runtime.startswith("/") and not env.get("WM_HOME"):
        path = Path(runtime) / "wm" / "wm.sock"
    else:
        # A home of its own gets a socket of its own: two homes must never share a daemon.
        path = home / "run" / "wm.sock"
    length = len(os.fsencode(path))
    if length > SOCKET_LIMIT:
        raise UserError(
            f"The socket path {path} is {length} bytes long; this system allows {SOCKET_LIMIT}.",
            fix="Set WM_SOCKET to a shorter path in a folder that only you can enter.",
        )
    return path


def find_agent_paths(env: Mapping[str, str] | None = None) -> AgentPaths:
    """Resolve what `wm setup` needs to know from the environment. Raises UserError."""
    env = os.environ if env is None else env
    user = user_home(env)
    named = env.get("CLAUDE_CONFIG_DIR", "")
    base = env.get("XDG_CONFIG_HOME", "")
    config = Path(base) if base.startswith("/") else user / ".config"
    folders = env.get("PATH", "").split(os.pathsep)
    own = Path(named) if named.startswith("/") else None
    return AgentPaths(
        claude=own or user / ".claude",
        claude_state=(own or user) / ".claude.json",
        opencode=config / "opencode",
        record=config / "wm" / "setup.json",
        systemd=config / "systemd" / "user",
        launchd=user / "Library" / "LaunchAgents",
        search=tuple(Path(folder) for folder in folders if folder.startswith("/")),
        runtime=env.get("XDG_RUNTIME_DIR", ""),
    )


def find_foreign_paths(env: Mapping[str, str] | None = None) -> ForeignPaths:
    """Resolve where other programs keep what they remember. Raises UserError."""
    env = os.environ if env is None else env
    agents = find_agent_paths(env)
    base = env.get("XDG_DATA_HOME", "")
    data = Path(base) if base.startswith("/") else user_home(env) / ".local" / "share"
    return ForeignPaths(data=data, claude=agents.claude, opencode=agents.opencode)


class AgentSession(Struct, frozen=True):
    """What an agent tells a program that it starts: its session, its project folder, or ""."""

    session: str = ""
    project: str = ""


def find_agent_session(env: Mapping[str, str] | None = None) -> AgentSession:
    """The session that this process was started in; only Claude Code says so."""
    env = os.environ if env is None else env
    project = env.get("CLAUDE_PROJECT_DIR", "")
    return AgentSession(
        session=env.get("CLAUDE_CODE_SESSION_ID", ""),
        project=project if project.startswith("/") else "",
    )


class Network(Struct, frozen=True):
    """What the environment says of the way out of here. proxy: may hold a password."""

    proxy: str = ""
    no_proxy: str = ""
    ca_file: str = ""

    def __repr__(self) -> str:
        return f"Network(no_proxy={self.no_proxy!r}, ca_file={self.ca_file!r})"


def find_network(env: Mapping[str, str] | None = None) -> Network:
    """As other programs read it: small letters first."""
    env = os.environ if env is None else env

    def either(*names: str) -> str:
        found = (env.get(word) for name in names for word in (name, name.upper()))
        return next((value for value in found if value), "")

    return Network(
        proxy=either("https_proxy", "all_proxy"),
        no_proxy=either("no_proxy"),
        ca_file=env.get("NODE_EXTRA_CA_CERTS", ""),
    )


def environment() -> dict[str, str]:
    """All of the environment, for a program that we start in it."""
    return dict(os.environ)


def forbid_telemetry() -> None:
    """Call it before onnxruntime is imported: from 1.29 on it tells its makers of every model that
    is opened, and keeps a number of the machine, unless this is set when it begins."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"


def wants_colour(env: Mapping[str, str] | None = None) -> bool:
    """Whether the user did not ask for plain text (IF-7)."""
    env = os.environ if env is None else env
    return not env.get("NO_COLOR") and env.get("TERM") != "dumb"


def load(env: Mapping[str, str] | None = None) -> Settings:
    """Read environment and config.toml once.

    Raises UserError with file, section and option for anything that does not fit.
    """
    paths = find_paths(os.environ if env is None else env)
    try:
        text = paths.config.read_text("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return Settings(paths=paths)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UserError(
            f"{paths.config} cannot be read: {reason}.", fix="Mend or remove the file."
        ) from error
    import tomllib  # here, not above: it costs every start, and few have the file

    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UserError(
            f"{paths.config} is not valid TOML: {error}.", fix="Mend the line it names."
        ) from error
    return apply_config(Settings(paths=paths), data, where=str(paths.config))


def load_or_defaults() -> Settings:
    """`load`, or the defaults where config.toml does not fit: for what must work then, too."""
    try:
        return load()
    except UserError:
        return Settings(paths=find_paths(os.environ))


def has_editor(env: Mapping[str, str] | None = None) -> bool:
    """Whether the user named an editor."""
    env = os.environ if env is None else env
    return bool(env.get("VISUAL") or env.get("EDITOR"))


class Activation(Struct, frozen=True):
    """What a service manager handed over: `sockets` inherited descriptors from 3 on (IF-6)."""

    sockets: int = 0


def activation(env: Mapping[str, str] | None = None, pid: int | None = None) -> Activation:
    """Read LISTEN_PID and LISTEN_FDS as sd_listen_fds(3) does. Foreign ones do not count."""
    values = os.environ if env is None else env
    mine = str(os.getpid() if pid is None else pid)
    count = values.get("LISTEN_FDS", "")
    if values.get("LISTEN_PID") != mine or not count.isdecimal():
        return Activation()
    return Activation(int(count))


DAEMON_ENVIRONMENT = (
    "HOME", "PATH", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "PYTHONPATH",
    "LD_LIBRARY_PATH",
)  # fmt: skip
"""What a daemon started in the background inherits by name, beside WM_*, XDG_* and LC_*: an
agent's environment is full of secrets that the daemon has no use for."""


NUMERIC_THREADS = "OPENBLAS_NUM_THREADS"


@contextmanager
def one_numeric_thread() -> Iterator[None]:
    """What is imported in here computes on the thread that asks. numpy's products are small here:
    on all processors they take longer, spin while they wait, and keep others from working. Nothing
    of it is left in the environment: programs that we start decide for themselves."""
    if NUMERIC_THREADS in os.environ:
        yield
        return
    os.environ[NUMERIC_THREADS] = "1"
    try:
        yield
    finally:
        os.environ.pop(NUMERIC_THREADS, None)


TOKENIZING_THREADS = "TOKENIZERS_PARALLELISM"


def one_tokenizing_thread() -> None:
    """Have the tokenizers of this process work on the thread that asks, unless the environment
    says otherwise: they ask it at each batch. On all processors a few short texts take longer."""
    os.environ.setdefault(TOKENIZING_THREADS, "false")


def daemon_environment(env: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment for a daemon that is started in the background (F71)."""
    values = os.environ if env is None else env
    prefixes = ("WM_", "XDG_", "LC_")
    return {k: v for k, v in values.items() if k in DAEMON_ENVIRONMENT or k.startswith(prefixes)}


def apply_config(settings: Settings, data: Mapping[str, Any], *, where: str) -> Settings:
    """Settings with the options of a parsed config.toml. Raises UserError (IF-8)."""
    changed: dict[str, Any] = {}
    for section, options in data.items():
        kind = SECTIONS.get(section)
        if kind is None:
            raise UserError(
                f"{where}: there is no section [{section}].",
                fix=f"Sections are: {', '.join(SECTIONS)}.",
            )
        if not isinstance(options, dict):
            raise UserError(f"{where}: {section} is no section.", fix=f"Begin it with [{section}].")
        known = kind.options
        values: dict[str, Any] = {}
        for name, value in options.items():
            spec = known.get(name)
            if spec is None or spec.fixed:
                raise UserError(
                    f"{where}: [{section}] has no option {name!r}.",
                    fix=f"Options are: {', '.join(known)}.",
                )
            values[name] = _checked(
                value,
                getattr(getattr(settings, section), name),
                where=f"{where}: [{section}] {name}",
            )
            _within(values[name], spec, where=f"{where}: [{section}] {name}")
        changed[section] = structs.replace(getattr(settings, section), **values)
    return structs.replace(settings, **changed)


_LONGEST = {"days": 36_500, "hours": 876_000, "h": 876_000, "min": 52_560_000, "s": 2_000_000}
"""By unit. A hundred years: a calendar ends soon behind them. In seconds it is a wait, and the
system takes none whose milliseconds need more than 31 bits."""
_MOST_NUMBER = 2**53
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}", re.ASCII)


def _within(value: Any, spec: Option, *, where: str) -> None:
    most = spec.most if spec.most is not None else _LONGEST.get(spec.unit)
    if most is not None and value > most:
        raise UserError(f"{where} is {value!r}.", fix=f"{most} is the most.")
    if spec.least and value < spec.least:
        raise UserError(f"{where} is {value!r}.", fix=f"{spec.least} is the least.")


def _checked(value: Any, default: Any, *, where: str) -> Any:
    if isinstance(default, dict):
        if not isinstance(value, dict):
            raise UserError(f"{where} must be a table.", fix="Write it as { name = value }.")
        for name in value:
            if not _NAME.fullmatch(name):
                raise UserError(
                    f"{where}: {name!r} is no name.",
                    fix="A name is up to 32 small letters, digits, - and _, a letter first.",
                )
        sample = next(iter(default.values()))
        return {
            **default,
            **{k: _checked(v, sample, where=f"{where}.{k}") for k, v in value.items()},
        }
    if isinstance(default, tuple):
        return (_prices if "[prices]" in where else _pruning_rules)(value, where)
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise UserError(f"{where} is {value!r}.", fix="Write true or false.")
        return value
    if isinstance(default, str):
        if not isinstance(value, str):
            raise UserError(f"{where} is {value!r}.", fix='Write a text in "quotes".')
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UserError(f"{where} is {value!r}.", fix="Write a number.")
    if isinstance(default, int) and not isinstance(value, int):
        raise UserError(f"{where} is {value!r}.", fix="Write a whole number.")
    if value < 0:
        raise UserError(f"{where} is {value!r}.", fix="Write a number of 0 or more.")
    if not value <= _MOST_NUMBER:  # neither is one that is no number, or has no end
        raise UserError(f"{where} is {value!r}.", fix=f"{_MOST_NUMBER} is the most.")
    return value


def _prices(value: Any, where: str) -> tuple[ModelPrice, ...]:
    """The tables of `[[prices.models]]`. Raises UserError naming model, field and fault."""
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise UserError(f"{where} must be tables.", fix="Begin each model with [[prices.models]].")
    made: list[ModelPrice] = []
    for number, given in enumerate(value, 1):
        at = f"{where}, model {number}"
        name = given.get("name")
        if not isinstance(name, str) or not re.search(r"[A-Za-z0-9]", name):
            raise UserError(f"{at} has no name.", fix='Write name = "…", as requests name it.')
        if name in (one.name for one in made):
            raise UserError(f"{at}: {name!r} has a price already.", fix="Remove one of the two.")
        made.append(_price(given, f"{at} ({name})"))
    return tuple(made)


def _price(given: Mapping[str, Any], at: str) -> ModelPrice:
    known = ModelPrice.__struct_fields__
    for field_name, value in given.items():
        if field_name not in known:
            raise UserError(
                f"{at} has no field {field_name!r}.", fix=f"Fields are: {', '.join(known)}."
            )
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if field_name != "name" and not (number and 0 <= value <= 1_000_000):
            raise UserError(
                f"{at}: {field_name} is {value!r}.", fix="Write dollars per million tokens."
            )
    for needed in ("input", "output"):
        if needed not in given:
            raise UserError(
                f"{at} has no {needed}.", fix=f"Write {needed} = dollars per million tokens."
            )
    return ModelPrice(**given)


def _pruning_rules(value: Any, where: str) -> tuple[PruningRule, ...]:
    """The tables of `[[pruning.rules]]`. Raises UserError naming rule, field and fault."""
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise UserError(f"{where} must be tables.", fix="Begin each rule with [[pruning.rules]].")
    rules: list[PruningRule] = []
    for number, given in enumerate(value, 1):
        at = f"{where}, rule {number}"
        name = given.get("name")
        if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9_-]{0,39}", name):
            raise UserError(
                f"{at} has no name.", fix='Write name = "…": lower-case letters, _ or -.'
            )
        if name in (rule.name for rule in rules):
            raise UserError(f"{at}: {name!r} is the name of an earlier rule.", fix="Rename one.")
        rules.append(_pruning_rule(given, f"{at} ({name})"))
    return tuple(rules)


def _pruning_rule(given: Mapping[str, Any], at: str) -> PruningRule:
    known = {f.name: f.default for f in structs.fields(PruningRule) if f.name != "name"}
    for field_name, value in given.items():
        if field_name == "name":
            continue
        if field_name not in known:
            raise UserError(
                f"{at} has no field {field_name!r}.", fix=f"Fields are: name, {', '.join(known)}."
            )
        kind = known[field_name]
        if isinstance(kind, tuple):
            if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
                raise UserError(f"{at}: {field_name} is {value!r}.", fix='Write ["…", "…"].')
        elif type(value) is not type(kind):
            fix = "Write true or false." if isinstance(kind, bool) else 'Write a text: "…".'
            raise UserError(f"{at}: {field_name} is {value!r}.", fix=fix)
    made = PruningRule(**{**given, "keep": tuple(given.get("keep", ()))})
    if not (made.tool or made.command or made.output):
        raise UserError(
            f"{at} says of no output that it is its own.", fix="Give tool, command or output."
        )
    for text in (made.command, made.output, *made.keep):
        _check_expression(text, at)
    return made


def _check_expression(text: str, at: str) -> None:
    import re2  # here, not above: few have rules of their own

    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(text, options=options)
    except re2.error as error:
        said = error.args[0].decode() if isinstance(error.args[0], bytes) else error.args[0]
        raise UserError(
            f"{at}: {text!r} is no expression: {said}.",
            fix="Write it in the syntax of RE2, which has no look-around and no references.",
        ) from error


def table() -> list[tuple[str, str, str, str, str, str]]:
    """Rows (section, option, default, unit, SPEC id, meaning): the source of docs/constants.md."""
    rows = []
    for section, kind in SECTIONS.items():
        defaults = kind()
        for name, found in kind.options.items():
            value = getattr(defaults, name)
            shown = (
                ", ".join(f"{k} {v}" for k, v in value.items())
                if isinstance(value, dict)
                else str(value).lower()
                if isinstance(value, bool)
                else "none"
                if value == ()
                else str(value)
            )
            rows.append((section, name, shown, found.unit, found.spec, found.text))
    return rows
