"""One thread that embeds for the whole process (RC-2): opened at the first text, closed when idle.

Queries go before documents. The queue is bounded: what does not fit is refused, and asked for
again at the next search. Where the model cannot be opened the embedded one takes its place, with
the reason in `trouble`; where that one cannot either, every request comes back empty, with the
reason in `problem`, and words answer alone. Nobody waits longer than they say.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
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
    """Safe for several threads."""

    def __init__(
        self,
        name: str,
        settings: RecallSettings,
        unloaded: Callable[[], None] = lambda: None,
        troubled: Callable[[str], None] = lambda _why: None,
        rest: Callable[[], None] = lambda: None,
        at_work: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        """name: of the model to open; unloaded: called in the worker's thread when an idle model
        is gone; troubled: when another one had to take its place, with why; rest: between two
        short steps of a batch and of opening a model; at_work: entered while it does either."""
        self.name = name
        self.problem = ""
        self.trouble = ""
        self.card: ModelCard | None = None
        """Of the model that was opened; it stays when an idle one is given back."""
        self._settings = settings
        self._unloaded = unloaded
        self._troubled = troubled
        self._rest = rest
        self._at_work = at_work
        self._lock = threading.Condition()
        self._queries: deque[tuple[str, threading.Event]] = deque()
        self._batches: deque[tuple[Sequence[str], Done]] = deque()
        self._answers: OrderedDict[str, Rows] = OrderedDict()
        self._embedder: Embedder | None = None
        self._thread: threading.Thread | None = None

    @property
    def is_loaded(self) -> bool:
        return self._embedder is not None

    def query(self, text: str, wait_s: float) -> Rows | None:
        """The vector of a query; None if it is not there within `wait_s`. It is made all the
        same, so that the same question finds it later."""
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
        """Embed documents when there is time; False if the queue is full or no model opens. No
        texts: opens the model, to tell which it is."""
        with self._lock:
            if self.problem or len(self._batches) >= self._settings.embed_queue:
                return False
            self._batches.append((texts, done))
            self._wake()
            return True

    def _wake(self) -> None:
        if self._thread is None:
            thread = threading.Thread(target=self._live, name="wm-embed", daemon=True)
            thread.start()  # a system that has none left is asked again for the next text
            self._thread = thread
        self._lock.notify()

    def _live(self) -> None:
        self._work()
        # Only here: until `_work` has returned, its own name holds the model.
        self._unloaded()

    def _work(self) -> None:
        try:
            self._serve()
        finally:
            with self._lock:
                if self._thread is threading.current_thread():
                    self._embedder, self._thread = None, None

    def _serve(self) -> None:
        while True:
            with self._lock:
                idle = self._settings.embed_idle_s
                if not self._lock.wait_for(lambda: self._queries or self._batches, idle):
                    # Given back while nothing waits; the next text starts a new thread.
                    self._embedder, self._thread = None, None
                    return
                query = self._queries.popleft() if self._queries else None
                batch = None if query else self._batches.popleft()
            with self._at_work():
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
                # Vectors of both would be compared with one another.
                self._embedder = None
                self.problem = f"The files of the model {found.id} changed while it was in use."
            self.card = self.card or found
        return self._embedder

    def _opened(self) -> Embedder | None:
        """The model of our name, or the embedded one where that cannot be opened."""
        if not self.trouble:
            try:
                return open_embedder(self.name, self._settings, self._rest)
            except ModelUnavailable as error:
                if self.name == EMBEDDED:
                    raise
                self.trouble = f"{error.message} {error.fix}"
                self._troubled(self.trouble)
        return open_embedder(EMBEDDED, self._settings, self._rest)

    def _fail(self, error: ModelUnavailable) -> None:
        """It was opened and cannot embed: words answer alone."""
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
            # Whoever asked must hear of it, even if a text was too much for the model.
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
