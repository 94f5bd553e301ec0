"""Checks summaries that a model wrote: form, length, what was lost, what was invented (HM-3). Pure.

A summary that fails is redone once with the faults named; if that fails too, the extractive summary
stays. Does not judge prose: a sentence whose paths, identifiers and numbers are right may be wrong.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from wm.domain.paging.entities import entities, json_in, missing_in, plain, texts
from wm.domain.paging.stubs import MAX_NAMES, names_in
from wm.domain.paging.summary import SHARES, summary
from wm.text.jsontext import as_list

_MOST_ITEMS, _ITEM_CHARS = 12, 200
_TOLERANCE = 1.5
"""A form may be so many times as long as asked for."""
_LEAST_CHARS = 400
_LEAST_QUOTE = 8


class Abstract(Struct, frozen=True):
    """detailed, compact: levels 1 and 2. losses: what they lack, as the model says, and the
    rarest identifiers that are missing. can_answer: questions that `detailed` answers."""

    detailed: str
    compact: str
    losses: tuple[str, ...]
    can_answer: tuple[str, ...]


def must_survive(content: str) -> tuple[str, ...]:
    """The entities that a detailed summary has to name: those of the lines that tell most."""
    return entities(summary(content, 2).text)[:MAX_NAMES]


def most_chars(content: str, level: int) -> int:
    """The length that is asked for."""
    return max(_LEAST_CHARS, int(len(content) * SHARES[level]))


def parsed(content: str, reply: str) -> Abstract | None:
    """The summary in a model's reply; None if it has another form."""
    found = json_in(reply) or {}
    detailed, compact = found.get("detailed"), found.get("compact")
    asked = texts(found.get("can_answer"))
    if not (isinstance(detailed, str) and isinstance(compact, str) and asked):
        return None
    detailed, compact = detailed.strip(), compact.strip()
    said = (one[:_ITEM_CHARS] for one in texts(found.get("losses"))[:_MOST_ITEMS])
    lost = sorted(names_in(content) - names_in(detailed), key=lambda n: (content.count(n), n))
    losses = tuple(dict.fromkeys((*said, *lost[:MAX_NAMES])))
    questions = tuple(one[:_ITEM_CHARS] for one in asked[:_MOST_ITEMS])
    return Abstract(detailed, compact, losses, questions)


def faults(content: str, made: Abstract | None) -> list[str]:
    """What is wrong with a summary, as instructions for the next try; [] for a good one."""
    if made is None:
        return ["Answer with one JSON object of the form that was asked for."]
    found = []
    for level, text in ((1, made.detailed), (2, made.compact)):
        most = most_chars(content, level)
        if not text or len(text) > _TOLERANCE * most:
            name = "detailed" if level == 1 else "compact"
            found.append(f"`{name}` must have 1 to {most} characters.")
    if missing := missing_in(made.detailed, must_survive(content)):
        found.append(f"`detailed` must contain, letter by letter: {', '.join(missing)}")
    both = f"{made.detailed}\n{made.compact}"
    if invented := missing_in(content, entities(both)):
        found.append(f"The content does not contain: {', '.join(invented[:MAX_NAMES])}")
    return found


def unanswered(made: Abstract, reply: str) -> list[str]:
    """The questions for which the reply quotes no words of the detailed summary."""
    quotes = as_list((json_in(reply) or {}).get("quotes"))
    text = plain(made.detailed)
    return [
        question
        for number, question in enumerate(made.can_answer)
        if not _quotes(text, quotes[number] if number < len(quotes) else None)
    ]


def _quotes(text: str, quote: object) -> bool:
    return isinstance(quote, str) and len(plain(quote)) >= _LEAST_QUOTE and plain(quote) in text


def undeclared(content: str, said: str, reply: str) -> tuple[str, ...]:
    """The losses that an audit found (OB-7). said: both forms and the losses that are declared.
    Each is proved by a quotation with a name or a number that nothing of these has, and names
    nothing that the content lacks."""
    found = (json_in(reply) or {}).get("missing")
    text = plain(content)
    return tuple(
        dict.fromkeys(
            loss.strip()[:_ITEM_CHARS]
            for one in as_list(found)[:_MOST_ITEMS]
            if isinstance(one, dict)
            and isinstance(loss := one.get("loss"), str)
            and loss.strip()
            and _quotes(text, quote := one.get("quote"))
            and missing_in(said, entities(str(quote)))
            and not missing_in(content, entities(loss))
        )
    )


def questions(made: Sequence[str]) -> str:
    return "\n".join(f"{number}. {one}" for number, one in enumerate(made, 1))
