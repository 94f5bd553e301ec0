"""How a check and a step of the proof look in the terminal: verdict, name, what was found."""

from __future__ import annotations

from wm.cli import output

NAME = 12
COLUMN = 2 + 7 + 2 + NAME + 1

THE_HOME = "the data folder"
"""What is found in it is named by its path in it, which is empty for the folder itself."""

PAINTS: dict[str, output.Paint] = {
    "ok": output.good,
    "note": output.dim,
    "warning": output.warn,
    "error": output.bad,
}


def print_check(verdict: str, name: str, detail: str, fix: str = "") -> None:
    """One line, wrapped under its detail, and the fix below it."""
    head = f"  {verdict:<7}  {name:<{NAME}} "
    first, *rest = output.hang(head, detail, COLUMN)
    output.line("  " + PAINTS[verdict](first[2:9]) + first[9:])
    output.lines(rest)
    if fix:
        output.lines(output.hang("", f"→ {fix}", COLUMN))
