"""Parse requests into the request model of their route, and encode response models as bytes.

JSON is parsed once, here. A refusal names the place and the reason, never the value, because
refusals may be logged (TR-1).
"""

from __future__ import annotations

import json
import types
import typing
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import parse_qsl

from pydantic_core import from_json

from wm.daemon.messages import HttpRequest, Response
from wm.daemon.routes import Route, camel
from wm.errors import HostError
from wm.formats.base import Record
from wm.ops.operation import Operation

PROJECT_HEADER = b"x-wm-project"
"""The project folder of the agent that runs the hook, as the agent reports it."""

_SEVERAL = (tuple, list, set, frozenset)
_MAX_QUERY_FIELDS = 100


class Binding:
    """A route with its use case: parses requests and encodes answers."""

    def __init__(self, route: Route, operation: Operation[Any, Any]) -> None:
        self.route = route
        self.operation = operation
        fields = operation.request.model_fields
        unknown = {*route.parameters, *filter(None, [route.takes])} - set(fields)
        if unknown:
            raise ValueError(f"{route.path}: {operation.request.__name__} has no {sorted(unknown)}")
        self._alias = {name: f.alias or name for name, f in fields.items()}
        self._fields = frozenset(self._alias.values())
        self._renamed = tuple((name, alias) for name, alias in self._alias.items() if alias != name)
        self._several = {
            self._alias[name] for name, f in fields.items() if _takes_several(f.annotation)
        }

    def request(self, request: HttpRequest, values: Mapping[str, str], query: str) -> Record:
        """The request model. Raises HostError (400, 415, 422)."""
        filled = self._body(request)
        if query:
            self._put(filled, self._query(query))
        if values:
            self._put(filled, values)
        if self.route.text and (project := request.header(PROJECT_HEADER)):
            # A shell line cannot quote a path for a query string; a header takes it raw.
            filled["project"] = project.decode("utf-8", "surrogateescape")
        return self.operation.requested(filled)  # type: ignore[no-any-return]

    def response(self, answer: Record, *, status: int = 200) -> Response:
        """The response for the answer of the use case."""
        if self.route.text:
            body = str(getattr(answer, "body", "")).encode("utf-8", "replace")
            kind = str(getattr(answer, "content_type", "text/plain"))
            return Response(status, body, kind)
        return Response(status, answer.__pydantic_serializer__.to_json(answer, by_alias=True))

    def _body(self, request: HttpRequest) -> dict[str, Any]:
        body = request.body
        takes = self.route.takes
        if not body:
            return {self._alias[takes]: {}} if takes else {}
        if self.route.in_query:
            raise HostError.of("daemon.no_body", method=request.method)
        _require_json(request)
        value = read_json(body)
        if not isinstance(value, dict):
            raise HostError("The body must be a JSON object.")
        # Each name needs a colon: if the counts are equal, no name was dropped as a duplicate.
        if not takes and body.count(b":") != len(value):
            _refuse_duplicates(body)
        return {self._alias[takes]: value} if takes else value

    def _query(self, query: str) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for name, value in query_pairs(query):
            alias = self._alias.get(name, name)
            if alias not in self._fields:
                # Ignoring a misspelled filter would return a wrong answer.
                apart = {*map(camel, self.route.parameters), camel(self.route.takes)}
                raise unknown_parameter(self.route, name, self._fields - apart)
            if alias in self._several:
                values.setdefault(alias, []).append(value)
            else:
                values[alias] = value
        return values

    def _put(self, filled: dict[str, Any], values: Mapping[str, Any]) -> None:
        """Set these fields, replacing both spellings of each that the body may have used."""
        for name, value in values.items():
            filled.pop(name, None)
            filled[self._alias.get(name, name)] = value
        for name, alias in self._renamed:
            if alias in filled:
                filled.pop(name, None)


def query_pairs(query: str) -> list[tuple[str, str]]:
    """Names and values of a query string, in order. Raises HostError."""
    try:
        return parse_qsl(
            query, keep_blank_values=True, max_num_fields=_MAX_QUERY_FIELDS, errors="replace"
        )
    except ValueError as error:
        raise HostError(f"The query string cannot be read: {error}.") from None


def unknown_parameter(route: Route, name: str, known: Iterable[str]) -> HostError:
    """The error for an unknown name in a query string; it lists the known ones."""
    names = ", ".join(sorted(known))
    fix = f"It has {names}." if names else "It takes none."
    message = f"{route.method} {route.path} has no query parameter {name[:80]!r}."
    return HostError(message, fix=fix).with_status(400, "unknown_parameter")


def read_json(body: bytes) -> Any:
    """Parse JSON, including what agents send: lone surrogates and bytes that are not UTF-8 are
    replaced (F45). Raises HostError for anything else, NaN included."""
    try:
        return from_json(body, allow_inf_nan=False)
    except ValueError:
        return _read_damaged(body)


def _read_damaged(body: bytes) -> Any:
    try:
        value = json.loads(body.decode("utf-8", "replace"), parse_constant=_no_constant)
        return from_json(
            json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"), allow_inf_nan=False
        )
    except RecursionError:
        raise HostError("The JSON body is nested too deeply.") from None
    except ValueError as error:
        # The parser's message names a position and a reason, never the text.
        raise HostError(f"The body is not JSON: {error}.") from None


def _refuse_duplicates(body: bytes) -> None:
    """Refuse a name that occurs twice. It is a mistake of the client, and choosing one of the
    values would hide it (F44). An agent's own payload is not checked."""
    try:
        json.loads(body, object_pairs_hook=_unique)
    except ValueError:
        return  # damaged text, already repaired by `read_json`


def _unique(pairs: list[tuple[str, Any]]) -> None:
    seen = set()
    for name, _ in pairs:
        if name in seen:
            raise HostError.of("daemon.name_twice", name=name[:80])
        seen.add(name)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _require_json(request: HttpRequest) -> None:
    kind = request.header(b"content-type")
    if kind is None:
        return
    word = kind.split(b";", 1)[0].strip().lower()
    # curl -d sends the form type by default; the body decides.
    if word not in (b"application/json", b"application/x-www-form-urlencoded", b"text/plain", b""):
        raise HostError.of("daemon.not_json").with_status(415)


def _takes_several(annotation: Any) -> bool:
    origin = typing.get_origin(annotation)
    if origin in (typing.Union, types.UnionType):
        return any(_takes_several(part) for part in typing.get_args(annotation))
    return origin in _SEVERAL or annotation in _SEVERAL
