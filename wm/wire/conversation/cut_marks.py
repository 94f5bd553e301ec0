"""Cache marks of ours in requests with a cut, so that the next cut finds what was written before
it. Pure."""

from __future__ import annotations

from msgspec import Struct, field

from wm.wire.cachesim import LOOK_BACK_BLOCKS
from wm.wire.conversation.request import NOWHERE, Changes, OpenRequest, OwnMarks, SentRequest
from wm.wire.marks import client_marks, end_mark, end_marked, room_for
from wm.wire.policy import DroppedSteps


class CutMarks(Struct):
    """Where earlier requests had marks.

    anchors: messages at whose end one had a mark, and the place of that end. step: place of a step
    whose text had a mark, nothing before it changed.
    """

    anchors: list[tuple[int, str]] = field(default_factory=list)
    step: str = ""

    def wanted(self, one: OpenRequest, changes: Changes) -> tuple[str, ...]:
        """Where marks help, the best first: where an earlier request had one before the changes,
        and where the next cut is likely to begin. A mark there finds the earlier one, too, if it
        is not far behind."""
        places, steps = one.past.places, changes.steps
        at = {place: number for number, place in enumerate(one.order(steps))}
        texts = [decision.block for listed in steps.texts.values() for decision in listed]
        ends = {places[n][-1]: n for n in steps.anchors}
        known = [places[n][-1] for n in self._usable(one, changes.first)]
        # A step between others that is replaced later moves the texts of those behind it.
        if ends.get(self.step, NOWHERE) < changes.begin:
            known.append(self.step)
        known = sorted((place for place in known if place in at), key=at.__getitem__)[-1:]
        following = [place for place in texts[-1:] if place not in known]
        if changes.last < len(places) - 1 and places[changes.last]:
            following.append(places[changes.last][-1])
        following.sort(key=at.__getitem__, reverse=True)
        if known and any(0 <= at[f] - at[known[0]] < LOOK_BACK_BLOCKS for f in following[:1]):
            return (*following, *known)
        return (*known, *following)

    def _usable(self, one: OpenRequest, first: int) -> list[int]:
        """The messages before `first` with a mark of an earlier request at their end."""
        return [
            number
            for number, place in self.anchors
            if number < min(first, len(one.past.places))
            and one.past.places[number][-1:] == (place,)
        ]

    def take(self, one: OpenRequest, made: SentRequest) -> None:
        """The request went out."""
        places, first = one.past.places, made.changes.first
        marked = {*made.own.messages, *client_marks(one.body, made.own.splices)}
        marked = {n for n in marked if n >= first}
        if end_mark(one.body):
            marked.add(len(places) - 1)
        numbers = (*self._usable(one, first), *sorted(marked))
        self.anchors = [(n, places[n][-1]) for n in numbers]
        if first < NOWHERE:
            self.step = list(made.own.texts)[-1] if made.own.texts else ""


def own_marks(one: OpenRequest, wanted: tuple[str, ...], steps: DroppedSteps) -> OwnMarks:
    """The marks of ours at these places, as many as the request has room for."""
    found = OwnMarks(wanted)
    if not wanted:
        return found
    room = room_for(one.body)
    texts = {decision.block for listed in steps.texts.values() for decision in listed}
    ends = {places[-1]: number for number, places in enumerate(one.past.places) if places}
    room.keep([ends[place] for place in wanted if place in ends])
    for place in wanted:
        is_text = place in texts
        if not is_text and ends.get(place) in steps.messages:
            continue  # it was marked in an earlier request, and a step replaces it now
        made = [] if is_text else end_marked(one.body.messages[ends[place]], room.mark)
        if (is_text or made) and room.take(found.splices):
            found.splices += made
            if is_text:
                found.texts[place] = room.mark
            else:
                found.messages.append(ends[place])
    return found
