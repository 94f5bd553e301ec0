"""The dispatcher: find the route of a request, run its use case, answer (IF-1).

A bug becomes a 500 with an incident id; the log has the same id with the stack frames. The daemon
keeps serving. A failure of a daemon whose code was replaced is not a bug: it is refused, and the
update that was answered before it ran waits in `unserved` for the next daemon.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct, field

from wm.daemon.actors import Actors
from wm.daemon.binding import Binding, query_pairs, unknown_parameter
from wm.daemon.code import replaced
from wm.daemon.log import DaemonLog
from wm.daemon.messages import HttpRequest, Reply, Response, Stream, problem
from wm.daemon.metrics import LagProbe, Metrics
from wm.daemon.routes import Match, Route, Router
from wm.errors import Busy, HostError, WmError
from wm.ops.operation import Done, Operation

Control = Callable[[HttpRequest, Mapping[str, str]], Response | Stream]
"""A handler of the daemon itself: takes the request and its query, answers at once."""


class Dispatcher(Struct, eq=False):
    """Handles requests for `HttpServer`. It never raises. is_replaced: whether the files of the
    running code changed."""

    router: Router
    operations: Mapping[str, Operation[Any, Any]]
    actors: Actors
    controls: Mapping[str, Control]
    metrics: Metrics
    log: DaemonLog
    probe: LagProbe
    is_replaced: Callable[[], bool] = lambda: False
    unserved: list[HttpRequest] = field(default_factory=list)
    _bindings: dict[str, Binding] = field(default_factory=dict)

    def __call__(self, request: HttpRequest, reply: Reply) -> None:
        self.probe.touch()
        path, _, query = request.target.partition("?")
        label = "none"
        try:
            found = self.router.find(request.method, path)
            if isinstance(found, Match):
                label = f"{found.route.method} {found.route.path}"
                self._serve(found, request, query, label, reply)
            else:
                self._answer(label, reply, _not_found(request.method, found))
        except Exception as error:  # noqa: BLE001 - the dispatcher
            self._answer(label, reply, self._failure(label, error))

    def _serve(
        self, match: Match, request: HttpRequest, query: str, label: str, reply: Reply
    ) -> None:
        route = match.route
        if route.control:
            answer = self.controls[route.operation](request, query_fields(route, query))
            self._answer(label, reply, answer)
            return
        binding = self._bindings.get(route.operation) or self._bind(route)
        model = binding.request(request, match.values, query)
        operation = binding.operation

        def answered(done: Done[Any]) -> None:
            self._answer(label, reply, self._rendered(binding, label, done))

        runtime = self.actors.runtime
        parsed = operation.parse(runtime, model)
        # For a client that does not wait: its answer, and the request to queue after it.
        early = operation.at_once(runtime, parsed) if operation.at_once else None
        if early is not None:
            acknowledgement, rest = early
            self.actors.update(
                operation, rest, lambda done: self._finish_queued(label, request, done), soon=True
            )
            self._answer(label, reply, binding.response(acknowledgement, status=202))
        elif operation.writes:
            self.actors.update(operation, parsed, answered)
        elif route.heavy:
            self.actors.query(operation, parsed, answered)
        else:
            answered(self.actors.query_now(operation, parsed))

    def _bind(self, route: Route) -> Binding:
        # Created at first use: building the models of all routes would take 0.1 s of the start.
        binding = Binding(route, self.operations[route.operation])
        self._bindings[route.operation] = binding
        return binding

    def _rendered(self, binding: Binding, label: str, done: Done[Any]) -> Response:
        if done.error is not None or done.response is None:
            return self._failure(label, done.error or RuntimeError("an operation without answer"))
        try:
            return binding.response(done.response)
        except Exception as error:  # noqa: BLE001 - the dispatcher, when the answer is rendered
            return self._failure(label, error)

    def _finish_queued(self, label: str, request: HttpRequest, done: Done[Any]) -> None:
        """Handle the result of an update that was answered when it was queued. The client does not
        learn of a failure, so failures are counted, and `wm status` shows them."""
        if done.error is None:
            return
        if self.is_replaced():
            self.unserved.append(request)
            return
        self.metrics.lost_events += 1
        if isinstance(done.error, WmError):
            self.metrics.last_loss = done.error.message
            self.log.write("failed", what=label, reason=done.error.message)
        else:
            self.metrics.last_loss = "This is a bug."
            self._failure(label, done.error)

    def _failure(self, label: str, error: BaseException) -> Response:
        if isinstance(error, WmError):
            return refusal(error)
        if self.is_replaced():
            return refusal(replaced())
        name = "i_" + os.urandom(6).hex()
        self.metrics.incidents += 1
        self.log.incident(name, label, error)
        return problem(
            500,
            "internal",
            f"wm failed to answer this request; this is a bug. Incident {name}.",
            fix=f"`wm logs` shows what happened under {name}.",
            extra={"incident": name},
        )

    def _answer(self, label: str, reply: Reply, answer: Response | Stream) -> None:
        status = answer.status if isinstance(answer, Response) else 200
        self.metrics.answered(label, status)
        reply(answer)


def refusal(error: WmError) -> Response:
    """A deliberate error as problem+json, with Retry-After if the request may be repeated."""
    retryable = isinstance(error, Busy) or (isinstance(error, HostError) and error.status == 503)
    headers = (("retry-after", "1"),) if retryable else ()
    return problem(error.status, error.code, error.message, fix=error.fix, headers=headers)


def query_fields(route: Route, query: str) -> dict[str, str]:
    """The query string of a control request; the last of a repeated name wins. Raises HostError."""
    fields = dict(query_pairs(query))
    for name in fields:
        if name not in route.asks:
            raise unknown_parameter(route, name, route.asks)
    return fields


def _not_found(method: str, allowed: frozenset[str]) -> Response:
    if not allowed:
        return problem(404, "not_found", "There is no such path.", fix="See /v1/openapi.json.")
    names = ", ".join(sorted(allowed | ({"HEAD"} if "GET" in allowed else set())))
    return problem(
        405, "method", f"{method} is not supported here, only {names}.", headers=(("allow", names),)
    )
