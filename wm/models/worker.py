"""The embedding thread of the process (RC-2): started by the first text, ended when idle.

Queries go before documents. The queue is bounded: texts that do not fit are refused and submitted
again at the next search. If the model cannot be opened, the embedded model replaces it, with the
reason in `trouble`. If that fails too, every request returns nothing, with the reason in
`problem`, and search uses words only. No caller waits longer than its own limit.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from wm.errors import ModelUnavailable
from wm.models.embed import EMBEDDED, Embedder, ModelCard
from wm.models.opening import open_embedder
from wm.settings import RecallSettings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.float32]

Done = Callable[["ModelCard | None", "Sequence[Rows]"], None]
"""Called in the worker's thread with the vectors of each text; (None, ()) without a model."""

KEPT_QUERIES = 256


class EmbedWorker:
    """Embeds texts in one background thread. Thread-safe."""

    def __init__(
        self,
        name: str,
        settings: RecallSettings,
        unloaded: Callable[[], None] = lambda: None,
        troubled: Callable[[str], None] = lambda _why: None,
        rest: Callable[[], None] = lambda: None,
    ) -> None:
        """name: the model to open. unloaded: called in the worker's thread after an idle model was
        released. troubled: called with the reason when another model replaces it. rest: called
        between two short steps of a batch."""
        self.name = name
        self.problem = ""
        self.trouble = ""
        self.card: ModelCard | None = None
        """Card of the opened model; it stays after an idle model is released."""
        self._settings = settings
        self._unloaded = unloaded
        self._troubled = troubled
        self._rest = rest
        self._lock = threading.Condition()
        self._queries: deque[tuple[str, threading.Event]] = deque()
        self._batches: deque[tuple[Sequence[str], Done]] = deque()
        self._answers: OrderedDict[str, Rows] = OrderedDict()
        self._embedder: Embedder | None = None
        self._thread: threading.Thread | None = None

    def query(self, text: str, wait_s: float) -> Rows | None:
        """The vector of a query; None if it is not ready within `wait_s`. It is computed anyway, so
        that the same query finds it later."""
        with self._lock:
            known = self._answers.get(text)
            if known is not None:
                self._answers.move_to_end(text)
                return known
            if self.problem or len(self._queries) >= self._settings.embed_queue:
                return None
            made = threading.Event()
            self._queries.append((text, made))
            self._wake()
        made.wait(wait_s)
        with self._lock:
            return self._answers.get(text)

    def submit(self, texts: Sequence[str], done: Done) -> bool:
        """Queue documents for embedding; False if the queue is full or no model opens. Without
        texts it only opens the model, to get its card."""
        with self._lock:
            if self.problem or len(self._batches) >= self._settings.embed_queue:
                return False
            self._batches.append((texts, done))
            self._wake()
            return True

    def _wake(self) -> None:
        if self._thread is None:
            thread = threading.Thread(target=self._live, name="wm-embed", daemon=True)
            thread.start()  # may raise if the system is out of threads; the next text tries again
            self._thread = thread
        self._lock.notify()

    def _live(self) -> None:
        try:
            self._serve()
        finally:
            with self._lock:
                if self._thread is threading.current_thread():
                    self._embedder, self._thread = None, None
        # Called here because a local variable holds the model until `_serve` returns.
        self._unloaded()

    def _serve(self) -> None:
        while True:
            with self._lock:
                idle = self._settings.embed_idle_s
                if not self._lock.wait_for(lambda: self._queries or self._batches, idle):
                    # Release the model while nothing waits; the next text starts a new thread.
                    self._embedder, self._thread = None, None
                    return
                query = self._queries.popleft() if self._queries else None
                batch = None if query else self._batches.popleft()
            embedder = self._open()
            if query is not None:
                self._answer(embedder, *query)
            elif batch is not None:
                self._embed(embedder, *batch)

    def _open(self) -> Embedder | None:
        if self._embedder is None and not self.problem:
            try:
                self._embedder = self._opened()
            except ModelUnavailable as error:
                self.problem = f"{error.message} {error.fix}"
                return None
            found = self._embedder.card if self._embedder is not None else None
            if found is None:
                self.problem = "no model is in use"
            elif self.card not in (None, found):
                # Otherwise vectors of both models would be compared with each other.
                self._embedder = None
                self.problem = f"The files of the model {found.id} changed while it was in use."
            self.card = self.card or found
        return self._embedder

    def _opened(self) -> Embedder | None:
        """Open the model named `name`, or the embedded one if that fails."""
        if not self.trouble:
            try:
                return open_embedder(self.name, self._settings)
            except ModelUnavailable as error:
                if self.name == EMBEDDED:
                    raise
                self.trouble = f"{error.message} {error.fix}"
                self._troubled(self.trouble)
        return open_embedder(EMBEDDED, self._settings)

    def _fail(self, error: ModelUnavailable) -> None:
        """Record that the opened model cannot embed: search then uses words only."""
        self.problem = f"{error.message} {error.fix}"
        self._troubled(self.problem)

    def _answer(self, embedder: Embedder | None, text: str, made: threading.Event) -> None:
        try:
            if embedder is not None:
                rows = embedder.embed([embedder.pieces(text)[0]])
                with self._lock:
                    self._answers[text] = rows[0]
                    while len(self._answers) > KEPT_QUERIES:
                        self._answers.popitem(last=False)
        except ModelUnavailable as error:
            self._fail(error)
        finally:
            made.set()

    def _embed(self, embedder: Embedder | None, texts: Sequence[str], done: Done) -> None:
        card: ModelCard | None = None
        found: list[Rows] = []
        try:
            if embedder is not None:
                step = embedder.at_once
                for start in range(0, len(texts), step):
                    found += _rows(embedder, texts[start : start + step])
                    self._rest()
                card = embedder.card
        except ModelUnavailable as error:
            self._fail(error)
        finally:
            # The submitter must get an answer even if a text made the model fail.
            done(card, found if card is not None else ())
            self._rest()


def _rows(embedder: Embedder, texts: Sequence[str]) -> list[Rows]:
    pieces = [embedder.pieces(text) for text in texts]
    rows = embedder.embed([piece for parts in pieces for piece in parts])
    found, at = [], 0
    for parts in pieces:
        found.append(rows[at : at + len(parts)])
        at += len(parts)
    return found
