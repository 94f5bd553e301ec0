"""What one message of the user teaches beside what it asks to remember (EX-7). Pure."""

from __future__ import annotations

from collections.abc import Iterable

from wm.domain.learning.inner_requests import asks_for_the_same
from wm.domain.learning.requests import NEGATED, Requests
from wm.domain.learning.stated import Statement, statements
from wm.domain.memory.scope import WORKSPACE
from wm.secrets.redact import PRIVATE_LABEL
from wm.text.letters import canonical

MAX_LEARNED = 6
"""Statements of one message that are learned; a message with more is a document."""


def taught(text: str, before: str, asked: Requests) -> tuple[Statement, ...]:
    """What a message states as lasting, without what it asks to remember anyway, or not to; and
    what it may ask to remember. before: the agent's last words."""
    found = statements(text, before)
    known = [item.text for item in asked.found]
    known += [item.line for item in asked.ignored if item.code == NEGATED]
    new = [one for one in found[:MAX_LEARNED] if _is_new(one.text, known)]
    new = [one for one in new if not asks_for_the_same(one.text)]
    known += [one.text for one in new if not one.only_change]
    unsure = (item for item in asked.unsure if _is_new(item.text, known))
    return (*new, *(Statement(x.text, x.type or "", WORKSPACE, False) for x in unsure))


def _is_new(text: str, known: Iterable[str]) -> bool:
    """Whether a text may be learned and none of the known ones contains it, or it one of them."""
    own = canonical(text)
    others = map(canonical, known)
    return PRIVATE_LABEL not in text and not any(own in one or one in own for one in others)
