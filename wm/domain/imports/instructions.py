"""Instruction files that people and agents write: CLAUDE.md, AGENTS.md, MEMORY.md.

Every statement goes to the inbox, because such a file may come with a repository of another
author, unless the user claims it as their own. Claude Code's own memory (`MEMORY.md` and one file
per topic) names types in its front matter. A fact is dated by the last change of its file.
"""

from __future__ import annotations

from wm.api.imports import ImportFact
from wm.domain.facts import Refusal
from wm.domain.imports import foreign
from wm.domain.imports.foreign import ForeignFile, ForeignMemory, ImportSource, Spot
from wm.domain.imports.markdown import MarkdownStatement, statements
from wm.formats.workspace_memory import TYPES
from wm.secrets.redact import without_private

NAME = "instructions"
NAMES = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "MEMORY.md")
TYPE_OF = {"user": "feedback", **{name: name for name in TYPES}}
"""`type` in a topic file of Claude Code -> our type."""
MAX_TAG_CHARS = 60


def wants(parts: tuple[str, ...]) -> bool:
    topic = len(parts) > 3 and parts[-2] == "memory" and parts[-4] == "projects"
    return parts[-1] in NAMES or (topic and parts[-1].endswith(".md"))


def parse(file: ForeignFile) -> ForeignMemory | Refusal:
    """Extract the statements of one file."""
    found = statements(without_private(file.text))
    kind = TYPE_OF.get(found.about.get("type", "").lower(), "")
    facts = [_fact(file, statement, kind) for statement in found.within(file.max_chars)]
    return ForeignMemory(tuple(facts), foreign.tally(file.path, found.codes))


def _fact(file: ForeignFile, statement: MarkdownStatement, kind: str) -> ImportFact:
    tag = statement.section[:MAX_TAG_CHARS]
    return ImportFact(
        id=foreign.id_of_text(statement.text),
        text=statement.text,
        bare=statement.bare,
        type=kind,
        source="manual",
        tags=(tag,) if tag else (),
        created_at=file.modified,
        updated_at=file.modified,
        reasons=("imported",),
        came_from=NAME,
        file=file.path,
        line=statement.line,
    )


SOURCE = ImportSource(
    name=NAME,
    spots=(
        *(Spot(foreign.PROJECT, name) for name in (*NAMES, ".claude/CLAUDE.md")),
        Spot(foreign.CLAUDE, "CLAUDE.md"),
        Spot(foreign.CLAUDE, "projects/{project}/memory/*.md"),
        Spot(foreign.OPENCODE, "AGENTS.md"),
    ),
    wants=wants,
    parse=parse,
    json=False,
    can_be_users=True,
)
