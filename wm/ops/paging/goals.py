"""Follows the messages of a user and finds returns to an earlier subject (GA-1).

The embedded model makes the vectors, whichever one search uses: it needs 0.1 ms for a message. A
request waits `WAIT_S` for one of them and `_MOST_WAITS` times as long for all; a return that is
noticed later counts for the next request of the same turn. What is remembered is derived from the
history.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from threading import Event
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from wm.domain.memory.echo_guard import without_injected
from wm.domain.paging import goals
from wm.models.embed import EMBEDDED, ModelCard
from wm.models.worker import EmbedWorker
from wm.ops.paging.contents import block_text
from wm.ops.paging.faults import text_in
from wm.settings import RecallSettings
from wm.wire.body import Body, Message
from wm.wire.history import ConversationHistory

if TYPE_CHECKING:
    from wm.domain.paging.goals import Vector

WAIT_S = 0.005
"""Most that a request waits for the vector of a message."""
_MOST_WAITS = 4
"""Of these together: after a restart all messages are new, and a request has 50 ms for all that is
asked."""
_OPEN_S = 8 * 3_600.0
"""How long an unused model stays open: users often return after a pause, and it opens in 0.1 s."""
_BESIDE = 2
"""Messages beside the similar ones whose removed content is looked into."""
_MOST_CHARS = 4_000
MOST_SAID = 2_000
"""Characters of an answer that are compared."""
_SAID = frozenset(("text", "tool_use"))
_MOST_NEW = 32
"""Messages that a request takes at most."""


class GoalModel:
    """Vectors of messages, and the limits of the model that makes them; opened by the first
    question. Thread-safe. wait_s: most that a call waits."""

    def __init__(
        self, settings: RecallSettings, *, name: str = EMBEDDED, wait_s: float = WAIT_S
    ) -> None:
        self._worker = EmbedWorker(name, replace(settings, embed_idle_s=_OPEN_S))
        self.wait_s = wait_s
        self._limits: goals.GoalLimits | None = None
        self._is_asked = False
        self._answered = Event()

    @property
    def limits(self) -> goals.GoalLimits | None:
        """None until the model is open, and without one."""
        if not self._is_asked:
            self._is_asked = self._worker.submit(goals.known_messages(), self._opened)
        if self._is_asked:
            self._answered.wait(self.wait_s)
        return self._limits

    def _opened(self, card: ModelCard | None, rows: Sequence[Vector]) -> None:
        if card is not None:
            self._limits = goals.calibrated([row[0] for row in rows])
        self._answered.set()

    def vector(self, text: str) -> Vector | None:
        """None if it is not there in time."""
        return self._worker.query(text[:_MOST_CHARS], self.wait_s)


class _Prompt(Struct, frozen=True):
    """A message of the user with enough words. number: of the message in the request."""

    number: int
    text: str


class ReturnedTo(Struct, frozen=True):
    """query: the user's message, and those that it returns to: a question seldom has the words
    of its answer. at: its number in the request. first, end: numbers of the messages that belong to
    the subject."""

    query: str
    at: int
    first: int
    end: int


class GoalSignal(Struct):
    """Follows one conversation."""

    _places: list[str] = field(default_factory=list)
    _prompts: list[_Prompt] = field(default_factory=list)
    _answers: list[str] = field(default_factory=list)
    """The beginning of what the model wrote after each prompt."""
    _asked: list[Vector] = field(default_factory=list)
    """Vectors of the prompts, as far as they are computed."""
    _turns: list[Vector] = field(default_factory=list)
    """For each of these but the last, the sum of its vector and that of its answer."""
    _found: ReturnedTo | None = None
    """Where the newest prompt returned to, until that is taken."""

    def take(self) -> ReturnedTo | None:
        """Where the user returned to with the newest prompt, once; None if the work continues, or
        if that is not known yet."""
        if len(self._asked) < len(self._prompts):
            return None
        found, self._found = self._found, None
        return found

    def read(self, body: Body, past: ConversationHistory, model: GoalModel) -> None:
        """Take the prompts that are new, as far as their vectors are there."""
        self._read(body, past)
        limits = model.limits
        if limits is None:
            return
        until = time.monotonic() + _MOST_WAITS * model.wait_s
        for prompt in self._prompts[len(self._asked) :][:_MOST_NEW]:
            texts = (prompt.text, ["", *self._answers][len(self._asked)])
            vector, said = (model.vector(t) if time.monotonic() < until else None for t in texts)
            if vector is None or said is None:
                return
            self._turns += [one + said for one in self._asked[-1:]]
            found = goals.returned(self._turns, vector, limits, self._asked)
            self._found = None if found is None else self._returned_to(prompt, found)
            self._asked.append(vector)

    def _returned_to(self, prompt: _Prompt, found: goals.GoalReturn) -> ReturnedTo:
        # The messages beside the most similar ones are mostly of their subject.
        similar = self._prompts[max(0, found.first - 1) : found.end + 1]
        query = "\n".join([prompt.text, *(one.text for one in similar)])
        first = self._prompts[max(0, found.first - _BESIDE)].number
        end = self._prompts[min(found.end + _BESIDE, len(self._asked))].number
        return ReturnedTo(query, prompt.number, first, end)

    def _read(self, body: Body, past: ConversationHistory) -> None:
        """Take the prompts that are new; all of them after an edit or a rewind."""
        places = [line[-1] if line else "" for line in past.places]
        known = len(self._places)
        if places[:known] != self._places:
            self._prompts, self._answers, self._asked, self._turns = [], [], [], []
            self._found, known = None, 0
        for number in range(known, len(places)):
            message = body.messages[number]
            text = _typed(message)
            if goals.says_much(text):
                self._prompts.append(_Prompt(number, text))
                self._answers.append("")
            elif message.role == "assistant" and self._answers:
                said = [block_text(b, is_result=False) for b in message.blocks if b.type in _SAID]
                self._answers[-1] = "\n".join((self._answers[-1], *said))[:MOST_SAID].strip()
        self._places = places


def _typed(message: Message) -> str:
    """What the user wrote in a message."""
    if message.role != "user":
        return ""
    texts = (text_in(block.value) for block in message.blocks if block.type == "text")
    return without_injected("\n".join(texts)).strip()
