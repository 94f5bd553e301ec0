"""The daemon's answers about itself: status, changes, metrics, description, shutdown.

They run on the event loop, so they read no files. The shutdown is answered before it begins.
"""

from __future__ import annotations

import json
import os
import pkgutil
import time
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import timedelta

from msgspec import Struct, field

from wm.api.control import PROTOCOL
from wm.daemon.actors import Actors
from wm.daemon.changes import Hub
from wm.daemon.code import PACKAGE
from wm.daemon.dispatch import Control
from wm.daemon.http import HttpServer
from wm.daemon.messages import Channel, HttpRequest, Response, Stream
from wm.daemon.metrics import Metrics
from wm.daemon.routes import Router
from wm.domain.times import iso
from wm.ops.runtime import Runtime

METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Controls(Struct, eq=False):
    """The handlers of the routes marked `control`.

    stop: begins the shutdown. code: identity of the code. `server` is set as soon as the server
    exists.
    """

    runtime: Runtime
    router: Router
    actors: Actors
    hub: Hub
    metrics: Metrics
    stop: Callable[[], None]
    code: str = ""
    activated: bool = False
    log_path: str = ""
    server: HttpServer | None = None
    _started: str = ""
    _begun: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self._started = iso(self.runtime.now())

    def table(self) -> dict[str, Control]:
        return {
            "status": self.status,
            "changes": self.changes,
            "metrics": self.scrape,
            "openapi": self.openapi,
            "shutdown": self.shutdown,
        }

    def status(self, _request: HttpRequest, _query: Mapping[str, str]) -> Response:
        """A `DaemonStatus`, written as plain JSON: it is the first answer after every start, and
        building the serializer of a model would add 30 ms."""
        paths = self.runtime.settings.paths
        answer = {
            "name": "wm",
            "version": self.runtime.process.version,
            "package": PACKAGE,
            "code": self.code,
            "protocol": PROTOCOL,
            "pid": os.getpid(),
            "startedAt": self._started,
            "uptimeS": round(time.monotonic() - self._begun, 3),
            "home": str(paths.home),
            "socket": str(paths.socket),
            "capabilities": sorted(route.operation for route in self.router.routes),
            "activated": self.activated,
            "connections": len(self.server.connections) if self.server else 0,
            "waiting": self.actors.waiting,
            "subscribers": len(self.hub),
            "incidents": self.metrics.incidents,
            "lostEvents": self.metrics.lost_events,
            "lastLoss": self.metrics.last_loss,
            "log": self.log_path,
            "troubles": dict(self.runtime.signals.troubles),
        }
        return Response(200, json.dumps(answer).encode())

    def changes(self, request: HttpRequest, query: Mapping[str, str]) -> Stream:
        header = request.header(b"last-event-id") or b""
        last_id = query.get("lastEventId") or header.decode("latin-1")
        workspace = query.get("workspace", "")

        def opened(channel: Channel) -> None:
            self.hub.subscribe(channel, workspace, last_id)

        return Stream(opened)

    def scrape(self, _request: HttpRequest, _query: Mapping[str, str]) -> Response:
        self.metrics.dropped_subscribers = self.hub.dropped
        server = self.server
        gauges = {
            "wm_connections": len(server.connections) if server else 0,
            "wm_connections_refused": server.refused if server else 0,
            "wm_updates_waiting": self.actors.waiting,
            "wm_subscribers": len(self.hub),
        }
        runtime = self.runtime
        since = runtime.now() - timedelta(seconds=runtime.settings.pressure.zone_recent_s)
        zones = Counter(zone for zone, at in runtime.signals.zones.values() if at >= since)
        text = self.metrics.text(gauges, dict(runtime.signals.notices), zones)
        return Response(200, text.encode(), METRICS_TYPE)

    def openapi(self, _request: HttpRequest, _query: Mapping[str, str]) -> Response:
        return Response(200, pkgutil.get_data(__package__, "openapi.json") or b"")

    def shutdown(self, _request: HttpRequest, _query: Mapping[str, str]) -> Response:
        """Answer with a `Stopping`, as plain JSON for the same reason."""
        self.stop()
        answer = {"pid": os.getpid(), "message": "Finishing the requests in progress."}
        return Response(200, json.dumps(answer).encode(), close=True)
