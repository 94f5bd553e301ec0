"""Sections [store] and [storage]: files, locks, durability, and what is deleted by age or size.

What deletion never touches (memory, journal, tombstones) is not an option.
"""

from typing import Annotated

from msgspec import Struct

from wm.settings.schema import Option


class StoreSettings(Struct, frozen=True, eq=False):
    """Files, locks and durability (SPEC section 2)."""

    lock_wait_s: Annotated[float, Option()] = 5.0
    """Longest wait for a document's lock [s, ST-2]."""
    max_document_bytes: Annotated[int, Option(least=65536)] = 32 * 1024 * 1024
    """A larger document is refused before it is parsed [bytes, ST-5]."""
    evidence_max_age_days: Annotated[float, Option()] = 90.0
    """Evidence that belongs to no entry may be deleted when it is older than this [days, GV-3]."""
    evidence_max_events: Annotated[int, Option()] = 5000
    """Newest records kept of evidence that belongs to no entry; older ones may be deleted [records,
    GV-3]."""
    quarantine_max_files: Annotated[int, Option()] = 200
    """Damaged files kept in quarantine; the oldest are deleted first [files, ST-3]."""
    allow_network_folder: Annotated[bool, Option()] = False
    """Accept a data folder on NFS, SMB or a sync folder [ST-2]."""

    # Fixed: not options of config.toml.
    lock_poll_s: float = 0.005
    """Pause between two attempts to take a lock that another process holds [s, ST-2]."""
    relaxed_flush_s: float = 1.0
    """Session state is flushed to disk within this time [s, ST-1]."""
    max_vector_bytes: int = 512 * 1024 * 1024
    """Larger vector files of a workspace are neither saved nor read [bytes, RC-3]."""
    max_record_bytes: int = 256 * 1024
    """A larger log record is refused [bytes, ST-5]."""
    evidence_segment_bytes: int = 2 * 1024 * 1024
    """At this size an evidence file is closed and the next one started [bytes, EV-1]."""
    evidence_purge_at_least: int = 500
    """Evidence is rewritten only to remove at least this many records [records, GV-3]."""
    document_cache_bytes: int = 16 * 1024 * 1024
    """Parsed documents are kept in memory up to this total size of their files [bytes, ST-2]."""
    watch_quiet_s: float = 0.05
    """Outside changes are reported after this long without a further change [s, ST-4]."""
    watch_pace_s: float = 0.1
    """The system's events about changed files are read this often [s, ST-4]."""
    watch_longest_s: float = 1.0
    """Outside changes are reported after this long even if more keep coming [s, ST-4]."""
    watch_poll_s: float = 2.0
    """If the system has no watches left, the data folder is scanned this often [s, ST-4]."""


class StorageSettings(Struct, frozen=True, eq=False):
    """How long automatically created files are kept, and how many (SPEC section 10)."""

    max_outputs: Annotated[int, Option()] = 300
    """Originals of cut tool outputs kept in a workspace [files, GV-2]."""
    output_max_age_days: Annotated[float, Option(common=True)] = 7.0
    """Originals of cut tool outputs are deleted when they are older [days, GV-2]."""
    recording_max_age_days: Annotated[float, Option(common=True)] = 7.0
    """Recorded bodies are deleted when nothing was added for this long [days, GV-3]."""
    object_max_age_days: Annotated[float, Option(common=True)] = 30.0
    """What paging removed from requests is deleted when its session added nothing for this long;
    no quota deletes it before [days, GV-2]."""
    trash_max_age_days: Annotated[float, Option(common=True)] = 30.0
    """A forgotten entry can be restored for this long [days, GV-3]."""
    session_max_age_days: Annotated[float, Option(common=True)] = 90.0
    """A session's files are deleted when nothing happened in it for this long [days, GV-3]."""
    lost_after_days: Annotated[float, Option()] = 1.0
    """A session's files are deleted after this long if the agent deleted its own record of it. A
    quota, too, deletes no younger session [days, GV-3]."""
    workspace_max_bytes: Annotated[int, Option(common=True)] = 1024 * 1024 * 1024
    """Quota of a workspace. Beyond it recorded bodies, kept outputs and then inactive sessions are
    deleted, oldest first; if more is left, paging stores and removes nothing more [bytes, GV-3]."""
    total_max_bytes: Annotated[int, Option()] = 4 * 1024 * 1024 * 1024
    """Quota of all workspaces together. Beyond it the largest are reduced first [bytes, GV-3]."""
    sweep_hours: Annotated[float, Option()] = 24.0
    """All workspaces are swept this often while the daemon runs [h, GV-2]."""

    # Fixed: not options of config.toml.
    orphan_days: float = 7.0
    """Documents of a session without state are deleted after this long [days, GV-3]."""
    young_minutes: float = 10.0
    """A file that changed within this time is never swept [min, GV-3]."""
    report_files: int = 1000
    """Files that a report names; further ones are counted [files, GV-2]."""
    vectors_max_age_days: float = 30.0
    """Saved vectors of a workspace are deleted when they were not saved again for this long [days,
    GV-3]."""
    sweep_events: int = 500
    """A workspace is swept after this many events of a session [events, GV-2]."""
    sweep_workspaces: int = 1000
    """Workspaces that one run sweeps, the longest waiting first [workspaces, GV-2]."""
    rotations: int = 20
    """Evidence logs that one run may rewrite [logs, GV-3]."""
