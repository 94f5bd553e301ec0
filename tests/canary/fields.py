"""Requests with a canary in every field that takes a text, found by walking the models.

A field that is added to a request, and a use case that is added to the catalogue, are covered
without a change here.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from tests.canary.tokens import Mint

Path = tuple[str, ...]

SENSIBLE: Mapping[str, Any] = {
    "workspace": "",
    "session_id": "canary-1",
    "session": "canary-1",
    "agent": "claude-code",
    "type": "project",
    "source": "explicit",
    "origin": "user",
    "importance": "normal",
    "user_importance": "normal",
    "status": "",
    "since": "1h",
    "before": "",
    "call": "main",
    "tool": "bash",
    "command": "pytest -q",
    "message_id": "m-1",
    "limit": 10,
    "exit_code": 1,
}
"""What the fields say that are no canary. Texts that are not named here are sentences."""

ORDINARY: Mapping[Any, Any] = {int: 1, float: 1.0, bool: False}

SENTENCE = "The ferry timetable is released every Monday with make ship."
NAMES = frozenset(
    [
        "id",
        "session_id",
        "session",
        "directory",
        "workspace",
        "agent",
        "name",
        "type",
        "source",
        "origin",
        "importance",
        "call",
        "old",
        "new",
        "act",
        "entry",
        "status",
        "message_id",
        "parent_session",
        "paths",
        "cwd",
        "tags",
        "file",
        "tool",
    ]
)
"""Fields that hold a name, not a sentence."""


class Filler:
    """Fills a model: sensible values, and a canary where it is asked for."""

    def __init__(self, mint: Mint, operation: str, known: Mapping[str, Any]) -> None:
        self._mint = mint
        self._operation = operation
        self._known = known

    def requests(self, model: type[BaseModel]) -> Iterator[dict[str, Any]]:
        """One request with canaries everywhere but in its workspace, then one for each field."""
        for picks in _kinds(model):
            leaves: list[Path] = []
            self._model(model, (), picks, leaves, None)
            for wild in (
                set(leaves) - {("directory",), ("workspace",)},
                *({leaf} for leaf in leaves),
            ):
                yield self._model(model, (), picks, [], wild)

    def _model(
        self,
        model: type[BaseModel],
        at: Path,
        picks: Mapping[str, Any],
        leaves: list[Path],
        wild: set[Path] | None,
    ) -> dict[str, Any]:
        made = {}
        for name, field in model.model_fields.items():
            kind = picks.get(name, field.annotation)
            value = self._value(kind, (*at, name), leaves, wild)
            default = field.get_default(call_default_factory=True)
            if value is None and field.is_required():
                value = ORDINARY[kind]
            if value is not None:
                made[name] = value
            elif default is not PydanticUndefined and default is not None:
                made[name] = default
        return made

    def _value(self, kind: Any, at: Path, leaves: list[Path], wild: set[Path] | None) -> Any:
        origin = typing.get_origin(kind)
        if origin is typing.Annotated:
            return self._value(typing.get_args(kind)[0], at, leaves, wild)
        if origin is typing.Literal:
            return typing.get_args(kind)[0]
        if origin in (typing.Union, types.UnionType):
            return self._value(typing.get_args(kind)[0], at, leaves, wild)
        if origin is tuple:
            value = self._value(typing.get_args(kind)[0], at, leaves, wild)
            return [] if value is None else [value]
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            return self._model(kind, at, {}, leaves, wild)
        if kind is str:
            leaves.append(at)
            return self._text(at) if wild is not None and at in wild else self._sensible(at[-1])
        inner = typing.get_args(kind)[1] if origin is dict else Any
        if inner is not Any:
            return {"x-member": self._value(inner, (*at, "x-member"), leaves, wild)}
        if kind is dict or origin is dict:
            leaves.append(at)
            return self._object(at) if wild is not None and at in wild else {}
        value = self._known.get(at[-1], SENSIBLE.get(at[-1]))
        return None if isinstance(value, str) and kind in (int, float, bool) else value

    def _sensible(self, name: str) -> Any:
        return self._known.get(name, SENSIBLE.get(name, SENTENCE))

    def _text(self, at: Path) -> str:
        place = f"{self._operation}: {'.'.join(at)}"
        known = at[-1] in ("session_id", "session", "id")
        return self._mint.name(place, known=known) if at[-1] in NAMES else self._mint.text(place)

    def _object(self, at: Path) -> dict[str, Any]:
        place = f"{self._operation}: {'.'.join(at)}"
        return {**self._mint.member(place), "text": self._mint.text(place)}


def _kinds(model: type[BaseModel]) -> Iterator[dict[str, Any]]:
    """Which member of a union each field is: every event has requests of its own."""
    for name, field in model.model_fields.items():
        members = [m for m in typing.get_args(field.annotation) if isinstance(m, type)]
        if len(members) > 1 and all(issubclass(m, BaseModel) for m in members):
            yield from ({name: member} for member in members)
            return
    yield {}
