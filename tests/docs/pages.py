"""Read the tables of `docs/formats/<slug>.md`: the one place where a field is explained.

Under a heading `### Name` (a record's class) stands a table of three columns: the field in
backticks, its kind, its meaning. The schemas take their descriptions from there.
"""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]


def page(slug: str) -> str:
    return (ROOT / "docs" / "formats" / f"{slug}.md").read_text("utf-8")


def meanings(slug: str) -> dict[str, dict[str, str]]:
    """Record name -> field -> meaning, from the tables of one page."""
    found: dict[str, dict[str, str]] = {}
    record = ""
    for line in page(slug).splitlines():
        if line.startswith("#"):
            record = line.lstrip("# ").strip("`")
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `") and len(cells) == 3:
            found.setdefault(record, {})[cells[0].strip("`")] = cells[2]
    return found
