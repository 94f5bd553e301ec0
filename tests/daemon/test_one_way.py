"""How many modules of wm a request passes, counted while it runs (docs/adr/0030).

A request goes through the real dispatch, queue, use case and file store. A profiler notes each
call of a Python function of wm, in the loop's thread and in the worker's. Two counts:

- the way: modules with a frame on the call stack at one of the points where the request is queued,
  a document is read or staged, bytes are written or flushed, or an index is asked. What is on the
  way hands the request on.
- all: modules with at least one call, by layer. That includes every rule and text tool that is
  asked in passing and returns, and the inner parts of the file store.

Not counted: `wm.formats` (values with generated validators), `wm.settings`, `wm.errors`,
`wm.models`, module bodies, threads that do not work on the request, and what a search does only
where a model of meaning is loaded.
"""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from msgspec import Struct, field, structs

import wm
from tests.daemon.wire import run
from wm.daemon.actors import Actors, Workers
from wm.daemon.dispatch import Dispatcher
from wm.daemon.log import DaemonLog
from wm.daemon.messages import HttpRequest, Response, Stream
from wm.daemon.metrics import LagProbe, Metrics
from wm.daemon.routes import Router
from wm.ops.catalogue import OPERATIONS
from wm.ops.local import open_runtime
from wm.ops.runtime import Process, utc_now
from wm.search.index import SearchIndex
from wm.settings import load
from wm.store.evidence import EvidenceLog
from wm.store.files import FileStore
from wm.store.fsops import Disk
from wm.store.transaction import FileTransaction

ROOT = f"{Path(wm.__file__).parent}/"
LAYERS = ("net", "daemon", "ops", "domain", "search", "store")
THREADS = ("MainThread", "wm-worker")
"""The loop's and the use case's. Others load models and save vectors, at any time."""

TO_THE_DISK = (Actors.update, FileTransaction.put, EvidenceLog.append, Disk.write, Disk.flush)
TO_THE_INDEX = (FileStore.read, SearchIndex.search)

LONGEST_WAY = {"remember": 15, "search": 10}
MOST_AT_ALL = {
    "remember": {"daemon": 6, "ops": 19, "domain": 32, "search": 1, "store": 17},
    "search": {"daemon": 5, "ops": 10, "domain": 3, "search": 14, "store": 10},
}
"""The present value. A module less on the way is a number less here."""

Reply = Response | Stream


class Trace(Struct):
    """What was called while `on`. met: the points that were reached."""

    points: frozenset[CodeType]
    on: bool = False
    all: set[str] = field(default_factory=set)
    way: set[str] = field(default_factory=set)
    met: set[CodeType] = field(default_factory=set)

    def __call__(self, frame: FrameType, event: str, _argument: Any) -> None:
        if not self.on or event != "call" or not (name := _module(frame)):
            return
        self.all.add(name)
        if frame.f_code in self.points:
            self.met.add(frame.f_code)
            self.way.update(filter(None, map(_module, _stack(frame))))

    @property
    def by_layer(self) -> Counter[str]:
        return Counter(name.split("/")[0] for name in self.all)


def _module(frame: FrameType) -> str:
    code = frame.f_code
    if not code.co_filename.startswith(ROOT) or code.co_name == "<module>":
        return ""
    name = code.co_filename[len(ROOT) :].removesuffix(".py")
    is_ours = threading.current_thread().name.startswith(THREADS)
    return name if is_ours and name.split("/")[0] in LAYERS else ""


def _stack(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


@contextmanager
def profiled(points: tuple[Callable[..., Any], ...]) -> Iterator[Trace]:
    """A trace that threads begun inside take part in; the caller switches it on."""
    trace = Trace(frozenset(point.__code__ for point in points))
    threading.setprofile(trace)
    sys.setprofile(trace)
    try:
        yield trace
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


class Served(Struct):
    """The dispatch of a daemon without sockets, on real files."""

    door: Dispatcher
    project: Path

    async def ask(self, method: str, target: str, body: dict[str, Any] | None = None) -> Reply:
        answered: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        raw = b"" if body is None else json.dumps(body).encode()
        headers = [
            (b"content-type", b"application/json"),
            (b"x-wm-project", str(self.project).encode()),
        ]
        self.door(HttpRequest(method, target, headers, raw), answered.set_result)
        return await answered

    async def hook(self, name: str, **payload: str) -> bytes:
        body = {"session_id": "s-1", "cwd": str(self.project), **payload}
        answer = await self.ask("POST", f"/v1/hooks/claude-code/{name}", body)
        assert isinstance(answer, Response)
        assert answer.status == 200, answer.body
        return answer.body


@asynccontextmanager
async def served(folder: Path) -> AsyncIterator[Served]:
    settings = load({"HOME": str(folder), "WM_HOME": str(folder / "home")})
    # By words alone: when a model is loaded, and a vector is there, is a matter of time.
    settings = structs.replace(settings, recall=structs.replace(settings.recall, model="none"))
    settings.paths.home.mkdir(mode=0o700)
    project = folder / "project"
    (project / ".git").mkdir(parents=True)
    runtime = structs.replace(open_runtime(settings), process=Process(serves=True))
    loop, metrics = asyncio.get_running_loop(), Metrics()
    workers = Workers(loop, 2)
    actors = Actors(runtime, workers, metrics)
    log = DaemonLog(str(folder / "daemon.log"), utc_now, max_bytes=100_000)
    probe = LagProbe(loop, metrics.loop_lag_seconds)
    try:
        yield Served(Dispatcher(Router(), OPERATIONS, actors, {}, metrics, log, probe), project)
    finally:
        await actors.drain(2.0)
        await asyncio.to_thread(workers.close, 2.0)
        runtime.store.close()
        log.close()


def _holds(trace: Trace, name: str) -> None:
    assert trace.met == trace.points, "a point of the way was not reached"
    assert len(trace.way) <= LONGEST_WAY[name], sorted(trace.way)
    more = trace.by_layer - Counter(MOST_AT_ALL[name])
    assert not more, sorted(trace.all)


def test_a_request_to_remember_passes_few_modules(tmp_path: Path) -> None:
    async def scenario() -> Trace:
        with profiled(TO_THE_DISK) as trace:
            async with served(tmp_path) as daemon:
                await daemon.hook("SessionStart", source="startup")
                # The first of its kind loads and compiles what the others find.
                await daemon.hook("UserPromptSubmit", prompt="Remember that we ship on Mondays.")
                trace.on = True
                said = "Remember that invoices are numbered per year and country."
                answer = await daemon.hook("UserPromptSubmit", prompt=said)
                trace.on = False
                assert b"Remembered as m_" in answer
        return trace

    _holds(run(scenario), "remember")


def test_a_search_passes_few_modules(tmp_path: Path) -> None:
    async def scenario() -> Trace:
        with profiled(TO_THE_INDEX) as trace:
            async with served(tmp_path) as daemon:
                await daemon.hook("SessionStart", source="startup")
                await daemon.hook("UserPromptSubmit", prompt="Remember that we ship on Mondays.")
                target = f"/v1/search?query=ship+monday&directory={daemon.project}"
                await daemon.ask("GET", target)
                trace.on = True
                answer = await daemon.ask("GET", target)
                trace.on = False
                assert isinstance(answer, Response)
                assert b"we ship on Mondays" in answer.body
        return trace

    _holds(run(scenario), "search")
