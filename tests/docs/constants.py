"""`docs/constants.md`: every constant and option, from `wm.settings`."""

from __future__ import annotations

from itertools import groupby

from wm import settings

HEAD = """# Constants and options

Every number that `wm` works with. An option is set in `config.toml` under its section:

```toml
[memory]
half_life_days = 60
```

This page is generated (`python -m tests.docs.build`); the source is `wm/settings.py`.
"""


def text() -> str:
    parts = [HEAD]
    for section, rows in groupby(settings.table(), key=lambda row: row[0]):
        parts.append(f"\n## [{section}]\n")
        parts.append("| Option | Default | Unit | What it does | Rule |\n|---|---|---|---|---|")
        for _, name, default, unit, spec, meaning in rows:
            parts.append(f"| `{name}` | {default} | {unit} | {meaning} | {spec} |")
    return "\n".join(parts) + "\n"
