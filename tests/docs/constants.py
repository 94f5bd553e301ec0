"""`docs/constants.md`: every option and fixed figure, from `wm.settings`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from wm.settings import SECTIONS, describe, options_of

HEAD = """# Constants and options

Every number that `wm` works with. An option is set in `config.toml` under its section:

```toml
[memory]
half_life_days = 60
```

`wm config` shows the options with the values that apply. It is read when a process starts: after
a change, `wm down` and `wm up` restart the daemon.

- **A mistake in the file** (no TOML, a wrong type, an unknown option, a folder in its place) stops
  nothing. The defaults apply to all options, and what needs your consent is off: nothing is fetched
  over the network, no bodies are recorded, and the proxy needs an upstream on its command line. The
  daemon goes on with what it loaded when it started. `wm` says what is wrong on standard error,
  `wm config` and `wm doctor` end with exit code 1, and the agents' hooks say it when a session
  starts and when something is remembered.
- **An option of an earlier version** is ignored, with one warning that names it and what to use
  instead. The fixed figures at the end of this page cannot be set.

This page is generated (`python -m tests.docs.build`); the source is `wm/settings/`.
"""

FIXED = """
## Fixed figures

They cannot be set in `config.toml`: internal sizes, durations and fitted numbers. Their meaning and
reason stand behind each in `wm/settings/`. An option of an earlier version that is listed here is
ignored with a warning ([decision](adr/0027-fewer-options.md)).
"""

Row = tuple[str, str]
"""Section and name."""


def text() -> str:
    options = [(s, n) for s, kind in SECTIONS.items() for n in options_of(kind)]
    common = [(s, n) for s, n in options if options_of(SECTIONS[s])[n].common]
    fixed = [(s, n) for s, kind in SECTIONS.items() for n in describe(kind)]
    fixed = [row for row in fixed if row not in options]
    parts = [HEAD, "\n## The options most people touch\n"]
    parts.extend(_table((f"{s}.{n}", s, n) for s, n in common))
    parts.append("\nThe other options follow, section by section.")
    parts.extend(_sections([row for row in options if row not in common], "## [{}]"))
    parts.append(FIXED.rstrip("\n"))
    parts.extend(_lists(fixed))
    return "\n".join(parts) + "\n"


def _sections(rows: list[Row], heading: str) -> Iterable[str]:
    for section in dict.fromkeys(s for s, _ in rows):
        yield f"\n{heading.format(section)}\n"
        yield from _table((n, s, n) for s, n in rows if s == section)


def _lists(rows: list[Row]) -> Iterable[str]:
    """A paragraph for each section: names, values and units."""
    for section in dict.fromkeys(s for s, _ in rows):
        figures = [_figure(section, name) for s, name in rows if s == section]
        yield f"\n**{section}:** {', '.join(figures)}."


def _figure(section: str, name: str) -> str:
    _meaning, unit, _spec = describe(SECTIONS[section])[name]
    return f"`{name}` {_default(getattr(SECTIONS[section](), name))} {unit}".rstrip()


def _table(rows: Iterable[tuple[str, str, str]]) -> Iterable[str]:
    yield "| Option | Default | Unit | What it does | Rule |\n|---|---|---|---|---|"
    for shown, section, name in rows:
        meaning, unit, spec = describe(SECTIONS[section])[name]
        default = _default(getattr(SECTIONS[section](), name))
        yield f"| `{shown}` | {default} | {unit} | {meaning} | {spec} |"


def _default(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{k} {v}" for k, v in value.items())
    if isinstance(value, bool):
        return str(value).lower()
    return "none" if value == () else str(value)
