"""How the rules read the recorded outputs, against the labels that the breaks give.

errors: a row is right if every expected error that the output names is open, and nothing else is.
closing: the open errors after each run of a flow. pruning: lines that must stay, and bytes removed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.bench.sets import Home, _shown, errors, prune
from tests.corpus.record import families
from wm.domain.pruning.lines import without_escapes

Row = dict[str, Any]
_COUNTS = re.compile(
    r"(?i)[1-9]\d* (?:\w+ ){0,2}(?:fail|error|problem|offense|issue|diagnostic|file)|FAIL|not ok \d"
    r"|fail\w*[:\" =]+[1-9]|errors?[:\" =]+[1-9]"
)
"""What a closing summary of a failed check holds, whatever the tool."""
HIDDEN = ("tail", "true", "echo", "tee")
"""Forms in which the exit code says nothing of the tool."""
FEWEST_LINES = {"normal": 50, "aggressive": 30, "hyper": 15}
"""Outputs of up to so many lines stay whole in a mode."""


class Judged(NamedTuple):
    right: bool
    wanted: int = 0
    found: int = 0
    extra: int = 0
    places: int = 0
    placed: int = 0
    why: str = ""


def report(rows: list[Row], *, misses: bool = False) -> str:
    """The figures of these rows, and with `misses` each wrong row."""
    rows = [labelled(row) for row in rows]
    said = [f"{len({row['tool'] for row in rows})} tools, {len(rows)} rows"]
    for name, judge in (
        ("errors", judged_errors),
        ("closing", judged_flow),
        ("pruning", judged_cut),
    ):
        judged = [(row, one) for row in rows for one in judge(row)]
        if judged:
            said.append(_figures(name, [one for _row, one in judged]))
        if misses:
            said += [_miss(row, one) for row, one in judged if not one.right]
    return "\n".join(said)


def _miss(row: Row, one: Judged) -> str:
    return f"  {row['id']} | {row.get('form', '')} | {row.get('command', '')[:90]} | {one.why}"


def _figures(name: str, judged: list[Judged]) -> str:
    total = {key: sum(getattr(one, key) for one in judged) for key in Judged._fields[:-1]}
    rate = {
        "right": _share(total["right"], len(judged)),
        "recall": _share(total["found"], total["wanted"]),
        "precision": _share(total["found"], total["found"] + total["extra"]),
        "places": _share(total["placed"], total["places"]),
    }
    return f"{name}: {len(judged)} judged, " + ", ".join(f"{k} {v:.3f}" for k, v in rate.items())


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


# --- errors -------------------------------------------------------------------------------------


def judged_errors(row: Row) -> Iterator[Judged]:
    if "output" not in row:
        return
    output = _squeezed(row["output"])
    visible = [one for one in row["expect"] if all(_has(output, say) for say in one["says"])]
    if (row["expect"] and not visible) or not row["output"].strip():
        return  # this form does not say what is wrong: no label
    if row["command"].startswith("grep "):
        visible = []  # its output is other texts
    tool = _TOOLS.get(row["tool"], {})
    if row["form"] == "code" and tool.get("category", "runtime") == "runtime":
        return  # `; echo "exit code: $?"` behind a program that is not a check: open to argument
    failed = row["exit"] != 0 or (
        row["form"] == "code" and not row["output"].rstrip().endswith("exit code: 0")
    )
    hidden = row["form"] in HIDDEN and row["exit"] == 0
    if not failed and not hidden:
        visible = []
    opened = errors({**row, "tool": "bash"})["open"]
    left, found, placed, places = list(opened), 0, 0, 0
    for one in visible:
        fit = [p for p in left if _fits(one, p)]
        fit.sort(key=lambda p, line=one["line"]: p["line"] != line)
        if fit:
            left.remove(fit[0])
            found += 1
            places += bool(one["line"])
            placed += bool(one["line"]) and fit[0]["line"] == one["line"]
    extra = sum(not _excused(p, visible, row) for p in left)
    if hidden and not (tool.get("summary") and _COUNTS.search(row["output"])):
        # The output does not say that the check failed: nothing need be open.
        visible, found = visible[:found], found
    why = f"wanted {[(v['file'], v['line'], v['says']) for v in visible]}, "
    why += f"open {[(p['file'], p['line'], p['text']) for p in opened][:4]}"
    right = found == len(visible) and not extra
    yield Judged(right, len(visible), found, extra, places, placed, why)


_TOOLS = families()["tool"]


def labelled(row: Row) -> Row:
    """The row with the words of its labels as the TOML files have them now; file and line are those
    of the recording. So a corrected label needs no new run."""
    tool = _TOOLS.get(row["tool"], {})
    now = tool.get("expect", {})
    if "events" in row:
        return {**row, "expect": {name: _corrected(was, now.get(name))
                                  for name, was in row["expect"].items()}}  # fmt: skip
    expect = _corrected(row["expect"], now.get(row["break"]))
    return {**row, "expect": expect, "keep": tool.get("keep", {}).get(row["break"], [])}


def _corrected(was: list[Row], now: list[list[str]] | None) -> list[Row]:
    if now is None or len(now) != len(was):
        return was
    return [
        {**old, "file": file, "says": says}
        for old, (file, _at, *says) in zip(was, now, strict=True)
    ]


def _fits(wanted: Row, opened: Row) -> bool:
    if wanted["file"] and opened["file"] and not _same_file(wanted["file"], opened["file"]):
        return False
    text = _squeezed(f"{opened['text']} {opened['file']}")
    return all(_has(text, say) for say in wanted["says"])


def _has(text: str, say: str) -> bool:
    """Does the squeezed text hold one of the alternatives `a|b`?"""
    return any(_squeezed(one) in text for one in say.split("|"))


def _excused(opened: Row, visible: list[Row], row: Row) -> bool:
    """A further error in a file that is wrong, or about the same."""
    others = _TOOLS.get(row.get("tool", ""), {}).get("also", {})
    every = [file for files in others.values() for file in files]
    also = others.get(row.get("break", ""), every)
    files = [*also, *row.get("files", []), *(one["file"] for one in row["expect"])]
    if opened["file"] and visible and any(_same_file(file, opened["file"]) for file in files):
        return True
    return any(_fits({**one, "file": ""}, opened) for one in visible)


def _same_file(a: str, b: str) -> bool:
    return a == b or a.endswith(f"/{b}") or b.endswith(f"/{a}")


def _squeezed(text: str) -> str:
    """Without terminal escapes, frames and white space: tools wrap their lines."""
    return re.sub(r"[\s│|]+", "", without_escapes(text)).casefold()


# --- closing ------------------------------------------------------------------------------------


def judged_flow(row: Row) -> Iterator[Judged]:
    if "events" not in row:
        return
    home = Home(row["root"], kept_errors=1000)
    for event in row["events"]:
        home.event("tool_finished", tool="bash", command=event["command"],
                   exit_code=event["exit"], output=event["output"])  # fmt: skip
        if "open" not in event:
            continue
        opened = [_shown(error) for error in home.open_errors()]
        seen = {name for name, wanted in row["expect"].items()
                if any(_fits(one, p) for one in wanted for p in opened)}  # fmt: skip
        known = [one for wanted in row["expect"].values() for one in wanted]
        stray = [
            p["text"]
            for p in opened
            if not _excused(p, known, {"expect": known, "tool": row["tool"]})
        ]
        right = seen == set(event["open"]) and not stray
        why = f"{event['command']}: open {sorted(seen)}, wanted {event['open']}, stray {stray[:3]}"
        yield Judged(right, len(event["open"]), len(seen & set(event["open"])),
                     len(seen - set(event["open"])) + len(stray), why=why)  # fmt: skip


# --- pruning ------------------------------------------------------------------------------------


def judged_cut(row: Row) -> Iterator[Judged]:
    """One for each mode in which the output is long enough. placed of places: bytes removed."""
    if "output" not in row:
        return
    lines = row["output"].split("\n")
    if len(lines) <= FEWEST_LINES["hyper"]:
        return
    must = list(_must_keep(row, lines))
    outputs = prune({**row, "tool": "bash", "synthetic": False})["outputs"]
    for mode, least in FEWEST_LINES.items():
        if len(lines) <= least or not must:
            continue
        left = set(outputs[mode].split("\n"))
        lost = [some for some in must if not left.intersection(some)]
        size = len(row["output"].encode()) if len(lines) > 100 else 0
        gone = size - len(outputs[mode].encode()) if size else 0
        why = f"{mode} {len(lines)} lines, lost {[some[0] for some in lost][:3]}"
        yield Judged(not lost, len(must), len(must) - len(lost), 0, size, gone, why)


def _must_keep(row: Row, lines: list[str]) -> Iterator[list[str]]:
    """Lines of which one must stay: each with a word of `keep`; without such words, for each thing
    that is wrong, those that say it."""
    for word in row.get("keep", []):
        yield from ([line] for line in lines if word in line)
    if row.get("keep"):
        return
    bare = [_squeezed(line) for line in lines]
    for say in (say for one in row["expect"] for say in one["says"] if say):
        saying = [line for line, text in zip(lines, bare, strict=True) if _has(text, say)]
        if saying:
            yield saying


JUDGES = {"errors": judged_errors, "closing": judged_flow, "pruning": judged_cut}
