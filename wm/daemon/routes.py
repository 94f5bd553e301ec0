"""The route table of the socket, and the lookup of a path in it (IF-1).

The dispatcher, OpenAPI and both clients read this table; no other module knows a path. It imports
neither models nor use cases, so that a client can load it cheaply.

A route names its use case. The fields of a request come from the path, then the query string,
then the members of the JSON body, so the body cannot override a field in the path.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any
from urllib.parse import quote, unquote, urlencode

import msgspec
from msgspec import Struct


class Route(Struct, frozen=True, eq=False, dict=True):
    """One route.

    operation: a name in `wm.ops.catalogue`, or of a handler in `wm.daemon.control`.
    takes: the request field that receives the whole JSON body, if the body is an agent's payload;
    "" if the members of the body are the fields.
    text: the answer is the response's `content_type` and `body`, byte for byte.
    control: answered by the daemon itself, without a use case. asks: the query parameters of a
    control route; those of other routes are in the request model of the use case.
    heavy: a query that may take more than a millisecond, so it runs in a worker.
    """

    method: str
    path: str
    operation: str
    summary: str
    takes: str = ""
    text: bool = False
    control: bool = False
    asks: tuple[str, ...] = ()
    heavy: bool = False

    @cached_property
    def segments(self) -> tuple[str, ...]:
        return tuple(self.path.split("/")[1:])

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """Names in braces, in order."""
        return tuple(s[1:-1] for s in filter(_is_parameter, self.segments))

    @cached_property
    def in_query(self) -> bool:
        """Whether the fields that are not in the path travel in the query string."""
        return self.method in ("GET", "DELETE")


ROUTES: tuple[Route, ...] = msgspec.json.decode(
    pkgutil.get_data(__package__, "routes.json") or b"", type=tuple[Route, ...]
)


class Match(Struct, frozen=True):
    """The route of a path and the values of its parameters."""

    route: Route
    values: Mapping[str, str]


class Router:
    """Finds the route of a method and a path. A literal segment wins over a parameter."""

    def __init__(self, routes: Iterable[Route] = ROUTES) -> None:
        self.routes = tuple(routes)
        self._named = {route.operation: route for route in reversed(self.routes)}
        self._by_length: dict[int, list[Route]] = {}
        shapes = set()
        for route in sorted(self.routes, key=_literals_first):
            shape = (route.method, *("" if _is_parameter(s) else s for s in route.segments))
            if shape in shapes:
                raise ValueError(f"two rows for {route.method} {route.path}")
            shapes.add(shape)
            self._by_length.setdefault(len(route.segments), []).append(route)

    def find(self, method: str, path: str) -> Match | frozenset[str]:
        """The match, or the methods that the path allows (empty: unknown path)."""
        method = "GET" if method == "HEAD" else method
        segments = path.split("/")[1:]
        allowed = set()
        for route in self._by_length.get(len(segments), ()):
            values = _values(route, segments)
            if values is not None and route.method == method:
                return Match(route, values)
            if values is not None:
                allowed.add(route.method)
        return frozenset(allowed)

    def named(self, operation: str) -> Route:
        """The first route of a use case. Raises KeyError."""
        return self._named[operation]


def _is_parameter(segment: str) -> bool:
    return segment.startswith("{")


def _literals_first(route: Route) -> list[bool]:
    """Sort key: of two routes that fit, the one whose last segments are literal is found."""
    return list(map(_is_parameter, reversed(route.segments)))


def _values(route: Route, segments: list[str]) -> dict[str, str] | None:
    """The parameters of a route in a path of the same length; None if the path is another one."""
    values = {}
    for wanted, segment in zip(route.segments, segments, strict=True):
        if _is_parameter(wanted) and segment:
            values[wanted[1:-1]] = unquote(segment, errors="replace")
        elif wanted != segment:
            return None
    return values


def compose(route: Route, fields: Mapping[str, Any]) -> tuple[str, Any]:
    """The request target and JSON body (None: none) that carry `fields` on this route.

    `fields` are plain JSON values under the names of the model, in either spelling. None values are
    left out of a query string. Raises KeyError if a path field is missing.
    """
    rest = dict(fields)
    path = route.path
    for name in route.parameters:
        path = path.replace(f"{{{name}}}", quote(str(_take(rest, name)), safe=""))
    body: Any = None
    if route.takes:
        body = _take(rest, route.takes)
    elif not route.in_query:
        return path, rest
    pairs = [(name, _query_text(value)) for name, value in _flat(rest)]
    return (f"{path}?{urlencode(pairs)}" if pairs else path), body


def camel(name: str) -> str:
    """The JSON name of a field."""
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def _take(fields: dict[str, Any], name: str) -> Any:
    for spelling in (camel(name), name):
        if spelling in fields:
            return fields.pop(spelling)
    raise KeyError(name)


def _flat(fields: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    for name, value in fields.items():
        if isinstance(value, list | tuple):
            yield from ((name, item) for item in value)
        elif value is not None:
            yield name, value


def _query_text(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)
