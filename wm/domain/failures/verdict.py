"""Whether an output shows that a command failed whose exit code is hidden (HS-2).

For outputs without a summary that a rule reads. A linear model weighs what ran, what each of the
last three lines says and what any line says; its weights are data, which `python -m tests.bench
fit_verdict` makes from recorded outputs. Pure and linear in the output (EX-6).
"""

from __future__ import annotations

from collections.abc import Sequence, Sized
from functools import cache

from wm.domain.failures import known_tools, summaries, telling
from wm.domain.failures.commands import ShellCommand
from wm.domain.failures.detected import LAST_WORD, DetectedError
from wm.text.linear_model import LinearModel, read_model

LEAST = 0.8
"""The log odds from which on the command failed. Of 409 failures of tools that no fit uses, 0.82
are read right, and 3 of 76 harmless outputs open an error; with 0.5 as many and 4, with 1.1 0.81
and 2."""


@cache
def model() -> LinearModel:
    """The fitted weights."""
    return read_model("wm.domain.failures", "verdict.toml")


def failed(found: frozenset[str], *, complete: bool) -> bool:
    """Whether the command failed. found: the `features` of its output. complete: the output has its
    end. Not if no line says that something is wrong, or the end is missing, unless an error is in a
    file that the command names."""
    shown = "located:asked" in found or (complete and "objects:0" not in found)
    return shown and model().weigh(found, frozenset()) > LEAST


def features(
    lines: Sequence[str],
    command: str,
    active: Sequence[ShellCommand],
    places: Sequence[DetectedError],
) -> frozenset[str]:
    """The features of an output. active: the parts of the command line that may have failed.
    places: the errors that `formats.located` finds."""
    full = telling.worded(lines)
    shapes = list(map(telling.shapes_of, full))
    wrong = list(filter(telling.says_wrong, shapes))
    found = {f"purpose:{c.purpose}" for c in active if c.purpose}
    found |= {"own"} if any(c.own for c in active) else set()
    found |= {"task"} if any(c.word in known_tools.TASK_RUNNERS for c in active) else set()
    for at, place in enumerate(("last", "last2", "last3")[: len(full)], 1):
        line, kinds = full[-at].strip(), telling.kinds(full[-at].strip())
        name = line.split(":", 1)[0].strip()
        found |= {f"{place}:{shape}" for shape in shapes[-at]}
        found |= {f"{where}:kind{kind}" for kind in kinds for where in (place, "end")}
        found |= {f"{place}:indented"} if full[-at][:1].isspace() else set()
        found |= {f"{place}:sums"} if telling.only_sums(line) else set()
        if any(c.word and c.word in (name, name.split(" ", 1)[0]) for c in active):
            found.add(f"{place}:named")
    found |= {f"any:{shape}" for own in shapes for shape in own}
    found |= {f"wrong:{shape}" for own in wrong for shape in own}
    found |= {f"any:kind{kind}" for line in full for kind in telling.kinds(line.strip())[:1]}
    found |= {f"sum:{said}" for said in summaries.said(lines)}
    said = ["".join(lines[e.at : e.at + 1]) for e in places]
    clear = [t for t, e in zip(said, places, strict=True) if e.name != LAST_WORD]
    found |= {"located:objects"} if any(map(telling.objects, said)) else set()
    asked = any(e.file and e.file.rsplit("/", 1)[-1] in command for e in places)
    found |= {"located:asked"} if asked else set()
    counts: dict[str, Sized] = {"lines": full, "objects": wrong, "located": places}
    counts |= {"findings": [text for text in clear if not telling.is_mild(text)]}
    return frozenset(found | {f"{name}:{_size(len(of))}" for name, of in counts.items()})


def _size(number: int) -> str:
    return str(number) if number < 3 else "3+" if number < 8 else "8+"
