"""The route table of the socket, and the lookup of a path in it (IF-1).

The dispatcher, OpenAPI and both clients read this table; no other module knows a path. It imports
neither models nor use cases, so that a client can load it cheaply.

A route names its use case. The fields of a request come from the path, then the query string,
then the members of the JSON body, so the body cannot override a field in the path.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any
from urllib.parse import quote, unquote, urlencode

from msgspec import Struct, field


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
    def parameters(self) -> tuple[str, ...]:
        """Names in braces, in order."""
        return tuple(s[1:-1] for s in self.path.split("/") if s.startswith("{"))

    @cached_property
    def in_query(self) -> bool:
        """Whether the fields that are not in the path travel in the query string."""
        return self.method in ("GET", "DELETE")


ROUTES: tuple[Route, ...] = (
    Route("GET", "/v1/status", "status", "State and abilities of the daemon", control=True),
    Route(
        "GET",
        "/v1/changes",
        "changes",
        "Server-sent events for changes",
        control=True,
        asks=("workspace", "lastEventId"),
    ),
    Route("GET", "/v1/openapi.json", "openapi", "This description", control=True),
    Route("POST", "/v1/shutdown", "shutdown", "Finish running requests and exit", control=True),
    Route("GET", "/metrics", "metrics", "Counters for Prometheus", control=True),
    Route("GET", "/v1/workspaces", "list_workspaces", "All workspaces", heavy=True),
    Route("POST", "/v1/workspaces/move", "move_workspace", "Let a folder adopt another's memory"),
    Route("GET", "/v1/workspaces/export", "export_workspace", "Export one workspace", heavy=True),
    Route("GET", "/v1/entries", "inspect", "Memory and prompt text of a workspace", heavy=True),
    Route("POST", "/v1/entries", "remember", "Remember a text"),
    Route("POST", "/v1/entries/import", "import_entries", "Import statements of other programs"),
    Route("POST", "/v1/entries/accept-outside", "accept_outside", "Accept edits made by hand"),
    Route("POST", "/v1/entries/notice-outside", "notice_outside", "Look for edits made by hand"),
    Route("GET", "/v1/entries/{id}", "show_entry", "One entry"),
    Route("PATCH", "/v1/entries/{id}", "edit_entry", "Change an entry"),
    Route("DELETE", "/v1/entries/{id}", "forget_entry", "Forget an entry"),
    Route("POST", "/v1/entries/{id}/restore", "restore_entry", "Restore a forgotten entry"),
    Route("POST", "/v1/entries/{id}/accept", "accept_entry", "Accept an entry of the inbox"),
    Route("POST", "/v1/entries/{id}/reject", "reject_entry", "Reject an entry of the inbox"),
    Route("GET", "/v1/allowed-secrets", "list_allowed", "Texts declared not to be secrets"),
    Route("POST", "/v1/allowed-secrets", "allow_secret", "Declare a text not to be a secret"),
    Route("POST", "/v1/allowed-secrets/remove", "disallow_secret", "Declare a text a secret again"),
    Route("GET", "/v1/models", "list_models", "Available embedding models", heavy=True),
    Route("POST", "/v1/models/use", "use_model", "Choose the embedding model"),
    Route("POST", "/v1/requests/finish", "finish_request", "A proxied request ended", heavy=True),
    Route("POST", "/v1/requests/record", "record_exchange", "Record bodies", heavy=True),
    Route("GET", "/v1/search", "search", "Find entries by words and meaning", heavy=True),
    Route(
        "POST",
        "/v1/memories",
        "memory_files",
        "Run a command of the provider's memory tool; the body is the command",
        takes="command",
    ),
    Route(
        "POST",
        "/v1/tools/{name}",
        "call_tool",
        "Run a memory tool for a model; the body is its arguments",
        takes="arguments",
    ),
    Route("GET", "/v1/outputs/{id}", "show_output", "The original of a pruned output", heavy=True),
    Route("GET", "/v1/why", "why", "Records about an entry or a text", heavy=True),
    Route("GET", "/v1/why-not", "why_not", "The rule that refuses a text", heavy=True),
    Route("GET", "/v1/history", "history", "Events, newest first", heavy=True),
    Route("GET", "/v1/trash", "list_trash", "Forgotten entries that can be restored", heavy=True),
    Route("GET", "/v1/acts", "list_acts", "Acts that `undo` can reverse", heavy=True),
    Route("POST", "/v1/acts/plan", "plan_undo", "Preview of an undo", heavy=True),
    Route("POST", "/v1/acts/undo", "undo", "Undo an act"),
    Route("POST", "/v1/rollback/plan", "plan_rollback", "Preview of a rollback", heavy=True),
    Route("POST", "/v1/rollback", "rollback", "Undo what models taught since a time"),
    Route("POST", "/v1/sweep", "sweep_storage", "Delete files no longer needed", heavy=True),
    Route("GET", "/v1/diag/status", "diag_status", "Overall state of a workspace", heavy=True),
    Route("GET", "/v1/diag/rejected", "diag_rejected", "Refused texts, with reasons", heavy=True),
    Route("GET", "/v1/diag/missing", "diag_missing", "Entries that prompts leave out", heavy=True),
    Route("GET", "/v1/diag/explain/{id}", "diag_explain", "The numbers of an entry", heavy=True),
    Route("GET", "/v1/diag/commands", "diag_commands", "Commands of compactions", heavy=True),
    Route("GET", "/v1/diag/quality", "diag_quality", "Entries of doubtful quality", heavy=True),
    Route("GET", "/v1/diag/alike", "diag_alike", "Entries that may be duplicates", heavy=True),
    Route("GET", "/v1/diag/trace", "diag_trace", "Effects of one session", heavy=True),
    Route("GET", "/v1/diag/coverage", "diag_coverage", "What the evidence covers", heavy=True),
    Route("GET", "/v1/diag/disappearances", "diag_disappearances", "Vanished entries", heavy=True),
    Route("GET", "/v1/diag/health", "diag_health", "State of the files", heavy=True),
    Route("GET", "/v1/diag/audit", "diag_audit", "Compare memory with evidence", heavy=True),
    Route("POST", "/v1/contract/look", "show_contract", "The session contract and its faults"),
    Route("POST", "/v1/contract", "init_contract", "Create a session contract"),
    Route("POST", "/v1/budget", "check_budget", "Sizes of instruction files", heavy=True),
    Route("POST", "/v1/budget/prune", "prune_budget", "Archive old entries of AGENTS.md"),
    Route("PATCH", "/v1/contract", "change_contract", "Change a field of the contract"),
    Route("POST", "/v1/contract/accept", "accept_contract", "Accept the current reviews and count"),
    Route("POST", "/v1/contract/compactions", "count_compaction", "Count a session's compactions"),
    Route("POST", "/v1/handoff", "handoff", "Write the handoff of a project"),
    Route("GET", "/v1/sessions/{session_id}", "show_session", "The hot state of a session"),
    Route("DELETE", "/v1/sessions/{session_id}", "delete_session", "Delete a session's files"),
    Route("POST", "/v1/sessions/{session_id}/events", "record_event", "Record an event"),
    Route("GET", "/v1/sessions/{session_id}/blocks", "read_blocks", "The core blocks"),
    Route("POST", "/v1/sessions/{session_id}/blocks/{block}", "change_block", "Write a core block"),
    Route("POST", "/v1/sessions/continue", "continue_session", "Continue core blocks elsewhere"),
    Route("GET", "/v1/sessions/{session_id}/slots", "read_working", "The working memory"),
    Route("POST", "/v1/sessions/{session_id}/slots", "add_item", "Add an item to working memory"),
    Route("DELETE", "/v1/sessions/{session_id}/slots", "remove_items", "Remove such items"),
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
    """The route of a path and the values of its parameters."""

    route: Route
    values: Mapping[str, str]


class _Node(Struct):
    literal: dict[str, _Node] = field(default_factory=dict)
    braces: _Node | None = None
    routes: dict[str, Route] = field(default_factory=dict)


class Router:
    """Finds the route of a method and a path. A literal segment wins over a parameter."""

    def __init__(self, routes: Iterable[Route] = ROUTES) -> None:
        self.routes = tuple(routes)
        self._root = _Node()
        self._named = {route.operation: route for route in reversed(self.routes)}
        for route in self.routes:
            self._add(route)

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

    def find(self, method: str, path: str) -> Match | frozenset[str]:
        """The match, or the methods that the path allows (empty: unknown path)."""
        method = "GET" if method == "HEAD" else method
        allowed: set[str] = set()
        for node, values in self._nodes(path.split("/")[1:]):
            route = node.routes.get(method)
            if route is not None:
                return Match(route, dict(zip(route.parameters, values, strict=True)))
            allowed.update(node.routes)
        return frozenset(allowed)

    def _nodes(self, segments: list[str]) -> list[tuple[_Node, tuple[str, ...]]]:
        """Every node that the segments lead to, literal segments first."""
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
        """The first route of a use case. Raises KeyError."""
        return self._named[operation]


def compose(route: Route, fields: Mapping[str, Any]) -> tuple[str, Any]:
    """The request target and JSON body (None: none) that carry `fields` on this route.

    `fields` are plain JSON values under the names of the model, in either spelling. None values are
    left out of a query string. Raises KeyError if a path field is missing.
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
