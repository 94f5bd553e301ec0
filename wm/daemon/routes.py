"""The one table of what the socket answers, and how a path finds its row (IF-1).

Dispatch, OpenAPI and both clients read this table; nothing else knows a path. It imports
neither models nor use cases, so that a client may use it at the price of a dictionary.

A row names its use case; the request's fields come from the path, then the query string,
then the members of the JSON body. A field in the path can therefore not be overruled.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any
from urllib.parse import quote, unquote, urlencode

from msgspec import Struct, field


class Route(Struct, frozen=True, eq=False, dict=True):
    """One row.

    operation: name in `wm.ops.catalogue`, or of a handler of `wm.daemon.control`.
    takes: the request field that the whole JSON body fills, where it is somebody else's
    payload; "" where the members of the body are fields themselves.
    text: the response's `content_type` and `body` are the answer, byte for byte.
    control: answered by the daemon itself, not by a use case. asks: what its query may name; of
    any other row that stands in the use case's request.
    heavy: a query that may take more than a millisecond: it runs beside the loop.
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
    def parameters(self) -> tuple[str, ...]:
        """Names in braces, in order."""
        return tuple(s[1:-1] for s in self.path.split("/") if s.startswith("{"))

    @cached_property
    def in_query(self) -> bool:
        """Whether the fields that are not in the path travel in the query string."""
        return self.method in ("GET", "DELETE")


ROUTES: tuple[Route, ...] = (
    Route("GET", "/v1/status", "status", "Who answers, and what it can do", control=True),
    Route(
        "GET",
        "/v1/changes",
        "changes",
        "Server-sent events for what changes",
        control=True,
        asks=("workspace", "lastEventId"),
    ),
    Route("GET", "/v1/openapi.json", "openapi", "This description", control=True),
    Route("POST", "/v1/shutdown", "shutdown", "Finish what is under way and exit", control=True),
    Route("GET", "/metrics", "metrics", "Counters for Prometheus", control=True),
    Route("GET", "/v1/workspaces", "list_workspaces", "All workspaces", heavy=True),
    Route("POST", "/v1/workspaces/move", "move_workspace", "A folder adopts another's memory"),
    Route("GET", "/v1/workspaces/export", "export_workspace", "All of one workspace", heavy=True),
    Route("GET", "/v1/entries", "inspect", "What a workspace remembers and shows", heavy=True),
    Route("POST", "/v1/entries", "remember", "Keep a text"),
    Route("POST", "/v1/entries/import", "import_entries", "Take in statements of other programs"),
    Route("POST", "/v1/entries/accept-outside", "accept_outside", "Accept edits made by hand"),
    Route("POST", "/v1/entries/notice-outside", "notice_outside", "Look for edits made by hand"),
    Route("GET", "/v1/entries/{id}", "show_entry", "One entry"),
    Route("PATCH", "/v1/entries/{id}", "edit_entry", "Change an entry"),
    Route("DELETE", "/v1/entries/{id}", "forget_entry", "Forget an entry"),
    Route("POST", "/v1/entries/{id}/restore", "restore_entry", "Take a forgotten entry back"),
    Route("POST", "/v1/entries/{id}/accept", "accept_entry", "Accept an entry of the inbox"),
    Route("POST", "/v1/entries/{id}/reject", "reject_entry", "Reject an entry of the inbox"),
    Route("GET", "/v1/allowed-secrets", "list_allowed", "What was declared to be no secret"),
    Route("POST", "/v1/allowed-secrets", "allow_secret", "Declare a text to be no secret"),
    Route("POST", "/v1/allowed-secrets/remove", "disallow_secret", "Take that back"),
    Route("GET", "/v1/models", "list_models", "Models that compare by meaning", heavy=True),
    Route("POST", "/v1/models/use", "use_model", "Choose one; vectors are made anew meanwhile"),
    Route("POST", "/v1/requests/finish", "finish_request", "A proxy passed this on", heavy=True),
    Route("POST", "/v1/requests/record", "record_exchange", "Bodies to be kept", heavy=True),
    Route("GET", "/v1/search", "search", "Find entries by words and meaning", heavy=True),
    Route(
        "POST",
        "/v1/memories",
        "memory_files",
        "The body is a command of the provider's memory tool",
        takes="command",
    ),
    Route(
        "POST",
        "/v1/tools/{name}",
        "call_tool",
        "A model calls a memory tool; the body is its arguments",
        takes="arguments",
    ),
    Route("GET", "/v1/outputs/{id}", "show_output", "The original of a pruned output", heavy=True),
    Route("GET", "/v1/why", "why", "What is known about an entry or a text", heavy=True),
    Route("GET", "/v1/why-not", "why_not", "The rule that keeps a text out", heavy=True),
    Route("GET", "/v1/history", "history", "What happened, newest first", heavy=True),
    Route("GET", "/v1/trash", "list_trash", "What was forgotten and can come back", heavy=True),
    Route("GET", "/v1/acts", "list_acts", "What `undo` can take back", heavy=True),
    Route("POST", "/v1/acts/plan", "plan_undo", "What taking an act back would do", heavy=True),
    Route("POST", "/v1/acts/undo", "undo", "Take an act back"),
    Route("POST", "/v1/rollback/plan", "plan_rollback", "What a rollback would do", heavy=True),
    Route("POST", "/v1/rollback", "rollback", "Take back what models taught since a moment"),
    Route("POST", "/v1/sweep", "sweep_storage", "Take away what nothing needs", heavy=True),
    Route("GET", "/v1/diag/status", "diag_status", "Is all well here", heavy=True),
    Route("GET", "/v1/diag/rejected", "diag_rejected", "What was refused, and why", heavy=True),
    Route("GET", "/v1/diag/missing", "diag_missing", "What prompts leave out", heavy=True),
    Route("GET", "/v1/diag/explain/{id}", "diag_explain", "The numbers of an entry", heavy=True),
    Route("GET", "/v1/diag/commands", "diag_commands", "Commands of compactions", heavy=True),
    Route("GET", "/v1/diag/quality", "diag_quality", "Entries to look at twice", heavy=True),
    Route("GET", "/v1/diag/alike", "diag_alike", "Entries that may say the same", heavy=True),
    Route("GET", "/v1/diag/trace", "diag_trace", "What one session set off", heavy=True),
    Route("GET", "/v1/diag/coverage", "diag_coverage", "How far evidence reaches", heavy=True),
    Route("GET", "/v1/diag/disappearances", "diag_disappearances", "What went where", heavy=True),
    Route("GET", "/v1/diag/health", "diag_health", "Are the files whole", heavy=True),
    Route("GET", "/v1/diag/audit", "diag_audit", "Do memory and evidence agree", heavy=True),
    Route("POST", "/v1/contract/look", "show_contract", "The session contract and its faults"),
    Route("POST", "/v1/contract", "init_contract", "Make a session contract"),
    Route("POST", "/v1/budget", "check_budget", "How large instruction files are", heavy=True),
    Route("POST", "/v1/budget/prune", "prune_budget", "Old entries of AGENTS.md go to its archive"),
    Route("PATCH", "/v1/contract", "change_contract", "Change a field of the contract"),
    Route("POST", "/v1/contract/accept", "accept_contract", "Accept reviews and count as they are"),
    Route("POST", "/v1/contract/compactions", "count_compaction", "Count a session's compactions"),
    Route("POST", "/v1/handoff", "handoff", "Write the handoff of a project"),
    Route("GET", "/v1/sessions/{session_id}", "show_session", "The hot state of a session"),
    Route("DELETE", "/v1/sessions/{session_id}", "delete_session", "Delete a session's files"),
    Route("POST", "/v1/sessions/{session_id}/events", "record_event", "Something happened"),
    Route("GET", "/v1/sessions/{session_id}/blocks", "read_blocks", "The core blocks"),
    Route("POST", "/v1/sessions/{session_id}/blocks/{block}", "change_block", "Write a core block"),
    Route("POST", "/v1/sessions/continue", "continue_session", "Core blocks go on elsewhere"),
    Route("GET", "/v1/sessions/{session_id}/slots", "read_working", "Slots and pool"),
    Route("POST", "/v1/sessions/{session_id}/slots", "add_item", "Add an item to them"),
    Route("DELETE", "/v1/sessions/{session_id}/slots", "remove_items", "Take items out of them"),
    Route("POST", "/v1/sessions/{session_id}/prompt", "prompt", "The text for a prompt"),
    Route(
        "POST",
        "/v1/hooks/claude-code/statusline",
        "statusline",
        "One line for Claude Code's status line",
        takes="payload",
        text=True,
    ),
    Route(
        "POST",
        "/v1/hooks/{agent}/{name}",
        "hook",
        "An agent's own payload; answers what its hook must print",
        takes="payload",
        text=True,
    ),
)


class Match(Struct, frozen=True):
    """The row for a path and what its braces stood for."""

    route: Route
    values: Mapping[str, str]


class _Node(Struct):
    literal: dict[str, _Node] = field(default_factory=dict)
    braces: _Node | None = None
    routes: dict[str, Route] = field(default_factory=dict)


class Router:
    """Finds the row of a method and a path. A literal segment wins over one in braces."""

    def __init__(self, routes: Iterable[Route] = ROUTES) -> None:
        self.routes = tuple(routes)
        self._root = _Node()
        self._exact: dict[tuple[str, str], Match] = {}
        self._named = {route.operation: route for route in reversed(self.routes)}
        self._ending: dict[tuple[str, str], Route] = {}
        """The rows whose path ends in its only braces and leads there only: found without a
        walk, which is a tenth of what such a request costs the daemon's loop."""
        for route in self.routes:
            self._add(route)
        for route in self.routes:
            above, _, last = route.path.rpartition("/")
            if len(route.parameters) == 1 and last.startswith("{") and self._is_plain(above):
                self._ending[route.method, above] = route

    def _add(self, route: Route) -> None:
        node = self._root
        for segment in route.path.split("/")[1:]:
            if segment.startswith("{"):
                node.braces = node.braces or _Node()
                node = node.braces
            else:
                node = node.literal.setdefault(segment, _Node())
        if route.method in node.routes:
            raise ValueError(f"two rows for {route.method} {route.path}")
        node.routes[route.method] = route
        if not route.parameters:
            self._exact[route.method, route.path] = Match(route, {})

    def find(self, method: str, path: str) -> Match | frozenset[str]:
        """The match, or the methods that the path would allow (empty: no such path)."""
        method = "GET" if method == "HEAD" else method
        exact = self._exact.get((method, path))
        if exact is not None:
            return exact
        above, _, last = path.rpartition("/")
        ending = self._ending.get((method, above))
        if ending is not None and last:
            return Match(ending, {ending.parameters[0]: unquote(last, errors="replace")})
        allowed: set[str] = set()
        for node, values in self._nodes(path.split("/")[1:]):
            route = node.routes.get(method)
            if route is not None:
                return Match(route, dict(zip(route.parameters, values, strict=True)))
            allowed.update(node.routes)
        return frozenset(allowed)

    def _is_plain(self, path: str) -> bool:
        """Whether only literal segments lead along a path."""
        node = self._root
        for segment in path.split("/")[1:]:
            if node.braces is not None:
                return False
            node = node.literal[segment]
        return True

    def _nodes(self, segments: list[str]) -> list[tuple[_Node, tuple[str, ...]]]:
        """Every node that the segments lead to, literal ways first."""
        found: list[tuple[_Node, tuple[str, ...]]] = [(self._root, ())]
        for segment in segments:
            following: list[tuple[_Node, tuple[str, ...]]] = []
            for node, values in found:
                if segment in node.literal:
                    following.append((node.literal[segment], values))
            for node, values in found:
                if node.braces is not None and segment:
                    text = unquote(segment, errors="replace")
                    following.append((node.braces, (*values, text)))
            found = following
        return found

    def named(self, operation: str) -> Route:
        """The first row of a use case. Raises KeyError."""
        return self._named[operation]


def compose(route: Route, fields: Mapping[str, Any]) -> tuple[str, Any]:
    """The request target and JSON body (None: none) that carry `fields` on this route.

    `fields` are plain JSON values under the names of the model, in either spelling. None is
    left out of a query string. Raises KeyError for a path field that is missing.
    """
    rest = dict(fields)
    segments = []
    for segment in route.path.split("/"):
        if segment.startswith("{"):
            segment = quote(str(_take(rest, segment[1:-1])), safe="")
        segments.append(segment)
    path = "/".join(segments)
    body: Any = None
    if route.takes:
        body = _take(rest, route.takes)
    elif not route.in_query:
        return path, rest
    pairs = [(name, _query_text(value)) for name, value in _flat(rest)]
    return (f"{path}?{urlencode(pairs)}" if pairs else path), body


def camel(name: str) -> str:
    """A field's name on the wire."""
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
