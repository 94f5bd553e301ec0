"""Sections [budget], [contract], [imports] and [team]: a project's instruction files, its contract
and handoff, what an import may read, and how entries of other authors enter.
"""

from typing import Annotated

from msgspec import Struct

from wm.settings.schema import Option, one_of

ACCEPT = ("inbox", "signed", "all")


class BudgetSettings(Struct, frozen=True, eq=False):
    """Instruction files of a project (SPEC CT-4)."""

    max_lines: Annotated[int, Option(common=True)] = 200
    """Most lines of an instruction file; in AGENTS.md only lines outside dated entries count
    [lines, CT-4]."""
    prune_bytes: Annotated[int, Option()] = 75 * 1024
    """From this size on, AGENTS.md is pruned [bytes, CT-4]."""
    target_bytes: Annotated[int, Option()] = 60 * 1024
    """Pruning of AGENTS.md stops at this size [bytes, CT-4]."""
    refuse_bytes: Annotated[int, Option()] = 100 * 1024
    """From this size on, AGENTS.md is refused [bytes, CT-4]."""

    # Fixed: not options of config.toml.
    max_bullets: int = 5
    """Most top-level bullets of a dated entry [bullets, CT-4]."""


class ContractSettings(Struct, frozen=True, eq=False):
    """The handoff of a project (SPEC section 11)."""

    handoff_chars: Annotated[int, Option()] = 4000
    """Longest handoff; a person reads it in about a minute [chars, CT-3]."""
    inject_handoff: Annotated[bool, Option(common=True)] = False
    """Give every new session the project's handoff [CT-3]."""
    inject_chars: Annotated[int, Option()] = 4000
    """Characters of the handoff that a session is given, in whole lines [chars, CT-3]."""

    # Fixed: not options of config.toml.
    handoff_items: int = 12
    """Items of one section of the handoff; further ones are counted [items, CT-3]."""
    handoff_item_chars: int = 220
    """Characters of one item of the handoff, in whole sentences [chars, CT-3]."""


class ImportSettings(Struct, frozen=True, eq=False):
    """`wm import` (SPEC CB-6)."""

    max_files: Annotated[int, Option()] = 2000
    """Files that one import reads [files, CB-6]."""
    max_facts: Annotated[int, Option()] = 1000
    """Statements that one import takes into one workspace [statements, CB-6]."""

    # Fixed: not options of config.toml.
    max_file_bytes: int = 8 * 1024 * 1024
    """A larger file is not imported [bytes, CB-6]."""
    max_looked_at: int = 50_000
    """Names that one import looks at below a given folder [names, CB-6]."""
    max_chars: int = 1_000_000
    """Characters of text that one import takes into one workspace [chars, CB-6]."""
    max_sessions: int = 20
    """Newest sessions whose memory one import takes [sessions, CB-6]."""


class TeamSettings(Struct, frozen=True, eq=False):
    """Entries that others share (SPEC section 21)."""

    accept: Annotated[str, Option(common=True, needs_consent=True, parse=one_of(ACCEPT))] = "inbox"
    """How entries of other authors enter: after approval (inbox), at once if git verifies their
    author's signature (signed), or all at once [SY-3]."""
    allowed_signers: Annotated[str, Option()] = ""
    """File of allowed SSH signers, as git reads it; empty: git's own setting [SY-3]."""
    sync_minutes: Annotated[float, Option()] = 15.0
    """While a session is active, the daemon syncs an approved project this often; 0 never
    [min, SY-1]."""
