"""What wm 760881f promised to programs still holds: formats, JSON, codes, paths, exit codes, verbs.

Additions are free. A wanted difference has a row in `differences.py`.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.recordings import record, surface
from tests.recordings.differences import DIFFERENCES
from tests.recordings.shapes import Shape, missing
from tests.recordings.story import Player, play

GONE = "gone"
Losses = dict[str, str]
"""Place -> what was recorded there, and what is there now."""


@pytest.fixture(scope="module")
def player() -> Player:
    return play()


def shape_losses(name: str, recorded: dict[str, Shape], found: dict[str, Shape]) -> Losses:
    """Fields that went or changed their type, and rows that went as a whole."""
    losses = {f"{name} / {row}": GONE for row in recorded.keys() - found.keys()}
    for row in recorded.keys() & found.keys():
        for path, what in missing(recorded[row], found[row]).items():
            losses[f"{name} / {row} / {path}"] = what
    return losses


def command_losses() -> Losses:
    recorded, found = record.load("commands"), surface.command_tree()
    losses = {f"commands / {path}": GONE for path in recorded.keys() - found.keys()}
    for path in recorded.keys() & found.keys():
        was, now = recorded[path], found[path]
        for option, kind in was["options"].items():
            new_kind = now["options"].get(option, GONE)
            if not takes_all_of(kind, new_kind):
                losses[f"commands / {path} / {option}"] = f"{kind}, now {new_kind}"
        arguments, first = was["arguments"], now["arguments"][: len(was["arguments"])]
        further = now["arguments"][len(arguments) :]
        if arguments != first or any("required" in one for one in further):
            losses[f"commands / {path} / arguments"] = f"{arguments}, now {now['arguments']}"
    return losses


def takes_all_of(was: str, now: str) -> bool:
    """The same kind of option; it may have more choices."""
    before, after = was.split(", "), now.split(", ")
    return before[1:] == after[1:] and set(before[0].split(" / ")) <= set(after[0].split(" / "))


def route_losses() -> Losses:
    recorded, found = record.routes(), surface.routes()
    losses = {f"routes / {row}": GONE for row in recorded.keys() - found.keys()}
    for row in recorded.keys() & found.keys():
        losses |= shape_losses(f"routes / {row}", recorded[row], found[row])
    return losses


def code_losses() -> Losses:
    literals = surface.literals()
    codes = record.load("codes")
    return {f"codes / {c}": GONE for c in codes if not surface.is_written(c, literals)}


def library_losses() -> Losses:
    recorded, found = record.load("library"), surface.library_names()
    return {
        f"library / {name} / {one}": f"now {found.get(name, GONE)}"
        for name, parameters in recorded.items()
        for one in parameters
        if one not in found.get(name, ())
    }


READ_OFF: dict[str, Callable[[], Losses]] = {
    "commands": command_losses,
    "routes": route_losses,
    "codes": code_losses,
    "library": library_losses,
    "formats": lambda: shape_losses("formats", record.shapes("formats"), surface.formats()),
    "printed": lambda: shape_losses("printed", record.shapes("printed"), surface.printed()),
}
"""Recording -> what the tree does not keep of it."""


def unexpected(losses: Losses) -> Losses:
    return {place: what for place, what in losses.items() if place not in DIFFERENCES}


@pytest.mark.parametrize("name", READ_OFF)
def test_everything_that_the_recording_declares_still_exists(name: str) -> None:
    assert unexpected(READ_OFF[name]()) == {}


def story_losses(player: Player) -> Losses:
    recorded, found = record.story(), player.recorded
    losses = shape_losses(
        "story",
        {step: outcome["shape"] for step, outcome in recorded.items()},
        {step: outcome["shape"] for step, outcome in found.items()},
    )
    for step in recorded.keys() & found.keys():
        if recorded[step]["code"] != found[step]["code"]:
            codes = f"{recorded[step]['code']}, now {found[step]['code']}"
            losses[f"story / {step} / code"] = codes
    return losses


def test_every_step_of_the_story_ends_with_its_code_and_the_fields_of_its_json(
    player: Player,
) -> None:
    assert unexpected(story_losses(player)) == {}


def test_the_files_of_the_data_folder_have_their_places_and_fields(player: Player) -> None:
    losses = shape_losses("files", record.shapes("files"), player.files)
    assert unexpected(losses) == {}


def test_every_listed_difference_exists(player: Player) -> None:
    found = story_losses(player) | shape_losses("files", record.shapes("files"), player.files)
    for losses in READ_OFF.values():
        found |= losses()
    assert DIFFERENCES.keys() - found.keys() == set()


@pytest.mark.parametrize(
    ("now", "losses"),
    [
        ({"$": "object", "$.a": "str", "$.b": "number"}, {}),
        ({"$": "object", "$.a": "null|str", "$.c": "str"}, {}),
        ({"$": "object"}, {"$.a": "str, now gone"}),
        ({"$": "object", "$.a": "number"}, {"$.a": "str, now number"}),
    ],
)
def test_a_removed_or_retyped_field_is_a_loss(now: Shape, losses: Losses) -> None:
    assert missing({"$": "object", "$.a": "str"}, now) == losses
