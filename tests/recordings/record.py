"""Write the recordings: `python -m tests.recordings.record`, on the tree that is to be kept.

Done once, on 760881f. A recording is not made anew to let a test pass: a wanted difference stands
in `differences.py`, with its reason.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.recordings import installed, surface
from tests.recordings.shapes import Shape, flat, nested
from tests.recordings.story import Recording, play

FOLDER = Path(__file__).with_name("760881f")


def write() -> None:
    played = play()
    _write("commands", surface.command_tree())
    _write("formats", _all_nested(surface.formats()))
    _write("printed", _all_nested(surface.printed()))
    _write("routes", {name: _all_nested(parts) for name, parts in surface.routes().items()})
    _write("codes", surface.codes())
    _write("library", surface.library_names())
    _write("story", {k: {**v, "shape": nested(v["shape"])} for k, v in played.recorded.items()})
    _write("files", _all_nested(played.files))
    for name, content in installed.written().items():
        (FOLDER / name).write_text(content, "utf-8")


def text(name: str) -> str:
    """A recorded file of an agent."""
    return (FOLDER / name).read_text("utf-8")


def load(name: str) -> Any:
    return json.loads(text(f"{name}.json"))


def shapes(name: str) -> dict[str, Shape]:
    """A recording of one shape a row."""
    return {row: flat(shape) for row, shape in load(name).items()}


def routes() -> dict[str, dict[str, Shape]]:
    rows = load("routes").items()
    return {row: {part: flat(shape) for part, shape in parts.items()} for row, parts in rows}


def story() -> Recording:
    return {
        step: {**outcome, "shape": flat(outcome["shape"])}
        for step, outcome in load("story").items()
    }


def _all_nested(rows: dict[str, Shape]) -> dict[str, Any]:
    return {row: nested(shape) for row, shape in rows.items()}


def _write(name: str, value: Any) -> None:
    FOLDER.mkdir(exist_ok=True)
    content = json.dumps(value, indent=1, ensure_ascii=False, sort_keys=name != "story")
    (FOLDER / f"{name}.json").write_text(content + "\n", "utf-8")


if __name__ == "__main__":
    write()
