"""Regenerate every generated document: `python -m tests.docs.build`.

With `--check` nothing is written; the exit code is 1 if the tree differs. A new generated
document is one more line in `GENERATORS`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import partial

from tests.docs import commands, constants, schemas, screens, socket
from tests.docs.pages import ROOT
from wm.formats.registry import IN_PROJECTS, REGISTRY

GENERATORS: Mapping[str, Callable[[], str]] = {
    "docs/cli.md": commands.text,
    "docs/constants.md": constants.text,
    "docs/protocol.md": socket.page,
    "docs/screens.md": screens.text,
    "schemas/cli.schema.json": schemas.printed,
    "schemas/openapi.json": socket.openapi,
    **{f"schemas/{slug}.schema.json": partial(schemas.text, slug) for slug in REGISTRY},
    **{f"schemas/{slug}.schema.json": partial(schemas.project_text, slug) for slug in IN_PROJECTS},
}
"""Path from the project's root -> its text."""


def stale() -> list[str]:
    """Generated documents whose file differs from what the sources say."""
    return [path for path, make in GENERATORS.items() if _current(path) != make()]


def _current(path: str) -> str | None:
    file = ROOT / path
    return file.read_text("utf-8") if file.exists() else None


def main(arguments: list[str]) -> int:
    wrong = stale()
    for path in wrong:
        print(path)
        if "--check" not in arguments:
            (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / path).write_text(GENERATORS[path](), "utf-8")
    return 1 if wrong and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
