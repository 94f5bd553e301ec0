"""Find what the user asks to remember, or to forget, in a message (EX-1).

A message is prepared once: normalised, with each request on a line of its own. Then step follows
step, and each adds requests or removes some of those found:

    at the start of a line          `opening_requests`   "Remember that X", "From now on X"
    inside a line, or at its end    `inner_requests`     "Fix it and note that X", "X, note it"
    in other words                  `asking`             "file that away for next time: X"
    the fact before "always like this"
    without what the message denies, takes back, or means as a task
    without what it asks to forget  `forgets`            "Forget that X"

Only what the user typed counts: questions, fences, quotes, pasted logs and code are not requests.
Negations and deferrals take precedence. Does not judge whether a text is worth keeping; the gate
does (EX-3). Pure and linear (EX-6).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice, pairwise
from typing import NamedTuple

from wm.domain.learning import asking, forgets, inner_requests
from wm.domain.learning.concepts import concepts_of, folded, language
from wm.domain.learning.entry_type import infer_type
from wm.domain.learning.opening_requests import (
    DEFERRALS,
    LEAST_FACT,
    NEGATED,
    NEXT_STEP,
    POINTING,
    TRIGGER_CHARS,
    Ignored,
    MemoryRequest,
    before_verb,
    is_negated,
    may_ask,
    opening_lines,
    requests_at,
    shown,
)
from wm.domain.learning.sentence_features import doubts_before
from wm.domain.learning.stated import Statement, candidates, lasting_score
from wm.domain.learning.typed_lines import (
    ABBREVIATED,
    MOST_SENTENCES,
    PART_END,
    SENTENCE_END,
    MessageText,
    asks_back,
    is_in_quotation,
    plain_of,
    without_lead,
)
from wm.domain.memory.scope import WORKSPACE
from wm.secrets.redact import PRIVATE_LABEL
from wm.settings import GateSettings
from wm.text.letters import canonical, with_gaps_of, without_invisible
from wm.text.patterns import Lazy, encoded
from wm.text.word_grams import JOINED

TOO_MANY = "too_many_requests"
"""The reason why `Requests.unparsed` waits in the inbox."""


class Requests(NamedTuple):
    found: tuple[MemoryRequest, ...]
    ignored: tuple[Ignored, ...]
    unparsed: str = ""
    """The requesting paragraphs beyond `max_requests` or below `max_message_lines`, as written.
    They are not parsed one by one; they go to the inbox together, so nothing is lost."""
    unsure: tuple[MemoryRequest, ...] = ()
    """What the message may ask to keep: learned as an uncertain statement."""


def find_requests(message: str, settings: GateSettings) -> Requests:
    """Every explicit request in a user's message, in order, without duplicates."""
    prepared = _prepared(message)
    return _requests(prepared, settings, _forgets(prepared, settings))


def find_requests_and_forgets(
    message: str, settings: GateSettings
) -> tuple[Requests, tuple[str, ...]]:
    """What a user's message asks to remember and to forget."""
    prepared = _prepared(message)
    gone = _forgets(prepared, settings)
    found = _requests(prepared, settings, gone)
    return (_without_forgotten(prepared, found, gone) if gone else found), tuple(gone.values())


def _forgets(message: MessageText, settings: GateSettings) -> Mapping[int, str]:
    """The lines that ask to forget something, each with what that is."""
    may_forget = forgets.HINT.found_in(message.plain) and forgets.ANY_LINE.found_in(message.plain)
    return forgets.forgets_in(message, settings) if may_forget else {}


def _requests(message: MessageText, settings: GateSettings, gone: Mapping[int, str]) -> Requests:
    """The steps of the module's beginning. gone: the lines that ask to forget something."""
    found = _at_line_starts(message, settings)
    if not found.unparsed:
        found = _with_inner(message, found, settings)
        found = _with_other_words(message, found, settings)
    found = _with_antecedents(message, found)
    return _without_withdrawn(message, found, is_about_other=bool(gone))


# --- preparing --------------------------------------------------------------------------------

DOCUMENT_CHARS, EDGE_CHARS = 12_000, 1_500
"""A longer message is mostly pasted, except so much of its beginning and its end [chars]."""


def _prepared(message: str) -> MessageText:
    """The message with each request on a line of its own. Runs of blank lines shrink to two, so
    they cost no time and do not count towards the line limit."""
    text = unicodedata.normalize("NFC", without_invisible(with_gaps_of(3, message)))
    prepared = _private_apart(MessageText(text))
    if len(prepared.text) > DOCUMENT_CHARS:
        return prepared
    return _forgets_apart(_requests_apart(prepared))


def _private_apart(message: MessageText) -> MessageText:
    """A private part ends its line: it says nothing here, and may come before a request."""
    if PRIVATE_LABEL not in message.text:
        return message
    return MessageText(_PRIVATE_START.sub("", message.text)).rewritten(_behind_private)


def _requests_apart(message: MessageText) -> MessageText:
    """A sentence that asks to keep what it says, or what is before it, ends its line, so that the
    next one is not taken for the fact: "… と覚えて。ありがとう"."""
    asking = inner_requests.asking_lines(message.text)
    return message.rewritten(_request_apart, asking) if asking else message


def _forgets_apart(message: MessageText) -> MessageText:
    """A request to forget has a line of its own."""
    if not forgets.HINT.found_in(message.plain):
        return message
    parts = encoded(plain_of(PART_END.sub("\n", message.text)) + "\n")
    return message.rewritten(_forget_apart) if forgets.ANY_LINE.found_in(parts) else message


_PRIVATE_START = Lazy(r"^[ \t]*(?:\[private\][.;,:]?[ \t]*)+", multi_line=True)

_PRIVATE = Lazy(r"\[private\][.;,:]?[ \t]*")


def _behind_private(line: str) -> str:
    """A line with a break behind the first private part that a request follows, if none is before
    it: what a request asks to keep may contain private parts."""
    if PRIVATE_LABEL not in line or may_ask(line):
        return line
    for part in islice(_PRIVATE.finditer(line), MOST_SENTENCES):
        rest = line[part.end() :]
        opening = rest[: TRIGGER_CHARS * 2]
        asks = may_ask(rest) or forgets.forgotten(opening, TRIGGER_CHARS) is not None
        if asks and not is_in_quotation(line[: part.start()]):
            return f"{line[: part.end()].rstrip()}\n{rest}"
    return line


def _request_apart(line: str) -> str:
    """A line with breaks around its sentences that ask to keep something and have others beside
    them."""
    breaks: list[int] = []
    begin = first = 0
    stops = [stop.end() for stop in islice(SENTENCE_END.finditer(line), MOST_SENTENCES)]
    for end in (*stops, len(line)):
        if is_in_quotation(line[:end]):
            continue
        sentence = line[begin:end].strip()
        own = before_verb(sentence)
        is_pointing = own != "" and POINTING.fits(own)
        if own and not is_pointing:
            breaks += [begin, end]
        elif is_pointing or _asks_behind(line[first:end], sentence):
            breaks.append(end)
        first = breaks[-1] if breaks else 0
        begin = end
    parts = [line[a:b].strip() for a, b in pairwise(sorted({0, *breaks, len(line)}))]
    return "\n".join(filter(None, parts)) if len(parts) > 1 else line


def _asks_behind(text: str, sentence: str) -> bool:
    """Whether the last sentence of a text asks to keep what is before it. Where the verb alone is a
    sentence in Chinese, Japanese and Korean, the fact may be the next sentence."""
    if not inner_requests.fact_before(text):
        return False
    is_joined = language(folded(sentence)) in JOINED
    return not is_joined or inner_requests.fact_before(sentence) != ""


def _forget_apart(line: str) -> str:
    """A line with breaks between its requests, if one of them is to forget: neither is a part of
    what the other one is about."""
    ends = [
        part.end()
        for part in islice(PART_END.finditer(line), MOST_SENTENCES)
        if not ABBREVIATED.is_match(line[: part.start()][-3:])
    ]
    cuts, any_forgets = {0, len(line)}, False
    for begin, end in pairwise((0, *ends, len(line))):
        if is_in_quotation(line[:begin]):
            continue
        if forgets.forgotten(line[begin:end], TRIGGER_CHARS, None):
            cuts, any_forgets = cuts | {begin, end}, True
        elif may_ask(line[begin:end]):
            cuts.add(begin)
    parts = (line[a:b].rstrip(" ;；") for a, b in pairwise(sorted(cuts)))
    return "\n".join(filter(None, parts)) if any_forgets else line


# --- the steps --------------------------------------------------------------------------------


def _at_line_starts(message: MessageText, settings: GateSettings) -> Requests:
    """The requests at the start of a line; from the first line on that is too many, as written."""
    found: list[MemoryRequest] = []
    ignored: list[Ignored] = []
    seen: set[str] = set()
    numbers = opening_lines(message, settings)
    for at in numbers:
        reads = at < settings.max_message_lines
        for result in requests_at(message, message.line(at), settings) if reads else ():
            reads = len(found) + len(ignored) < settings.max_requests
            if not reads:
                break
            if isinstance(result, Ignored):
                ignored.append(result)
            elif canonical(result.text) in seen:
                ignored.append(Ignored(shown(message.line(at)), "duplicate_in_message"))
            else:
                seen.add(canonical(result.text))
                found.append(result)
        if not reads:
            unparsed = _paragraphs(message, chain([at], numbers))
            return Requests(tuple(found), tuple(ignored), unparsed)
    return Requests(tuple(found), tuple(ignored))


def _paragraphs(message: MessageText, numbers: Iterable[int]) -> str:
    """The requesting lines among these numbers, each with the typed lines directly below it."""
    kept: list[str] = []
    lines, end = message.lines, 0
    for start in numbers:
        if start < end or is_negated(without_lead(lines[start][:TRIGGER_CHARS])[1]):
            continue
        below = range(start, len(lines))
        is_end = (n for n in below if message.origins[n] or not lines[n].strip())
        end = next(is_end, len(lines))
        kept += lines[start:end]
    return "\n".join(kept)


def _with_inner(message: MessageText, found: Requests, settings: GateSettings) -> Requests:
    """With the requests inside lines, each in a text of its own."""
    asking_lines = inner_requests.asking_lines(message.text)
    if not asking_lines:
        return found
    apart = (one._replace(text=inner_requests.alone(one.text)) for one in found.found)
    alone = tuple(one for one in apart if not inner_requests.is_polite(one.text))
    found = found._replace(found=alone)
    inner = _unknown(_inside(message, sorted(asking_lines), settings), found, settings)
    return found._replace(found=(*alone, *inner))


def _inside(message: MessageText, numbers: Iterable[int], settings: GateSettings) -> Iterator[str]:
    """What these lines ask to keep inside them."""
    for number in numbers:
        text = message.lines[number]
        if number >= settings.max_message_lines or message.origins[number]:
            continue
        if any(DEFERRALS[lang].search(text[:TRIGGER_CHARS]) for lang in ("ja", "ko")):
            continue
        is_long = len(text) > settings.max_line_chars
        inner = () if is_long else inner_requests.facts_in(text)
        yield from filter(None, (*inner, inner_requests.fact_before(text)))


def _with_other_words(message: MessageText, found: Requests, settings: GateSettings) -> Requests:
    """With the requests in other words; one line with a request seldom has a second one."""
    if found.found and "\n" not in message.text.strip():
        return found
    others = list(_in_other_words(message, settings))
    certain = _unknown((x.text for x in others if x.certain), found, settings)
    found = found._replace(found=(*found.found, *certain))
    unsure = _unknown((x.text for x in others if not x.certain), found, settings)
    return found._replace(unsure=tuple(unsure))


def _in_other_words(message: MessageText, settings: GateSettings) -> Iterator[asking.Asked]:
    lines = islice(zip(message.lines, message.origins, strict=True), settings.max_message_lines)
    typed = (x for x, origin in lines if not origin and len(x) <= settings.max_line_chars)
    read = "\n".join(islice(typed, asking.MAX_MESSAGE_CHARS + 2))  # more lines are too long anyway
    is_short = len(message.text) <= asking.MAX_MESSAGE_CHARS  # a longer one is mostly pasted
    every = (x for x in asking.requests(read) if NEXT_STEP.match(x.text) is None)
    found = (x._replace(certain=x.certain and is_short) for x in every)
    return islice(found, 4 * settings.max_requests)  # some may be known


def _unknown(
    texts: Iterable[str], known: Requests, settings: GateSettings
) -> Iterator[MemoryRequest]:
    """Requests to keep these texts, without those that a known request or another text contains."""
    seen = [canonical(one.text) for one in known.found]
    seen += [canonical(one.line) for one in known.ignored]
    for text in texts:
        new = canonical(text)
        if len(seen) < settings.max_requests and not any(_overlap(one, new) for one in seen):
            seen.append(new)
            yield MemoryRequest(text, infer_type(text), language(folded(text)), "")


def _overlap(one: str, other: str) -> bool:
    """Whether one of two canonical texts contains most of the other."""
    first, second = set(one.split()), set(other.split())
    most = 0.8 * min(len(first), len(second))
    return one in other or other in one or (len(second) > 2 and len(first & second) >= most)


def _with_antecedents(message: MessageText, found: Requests) -> Requests:
    """The requests. One that only points back ("from now on like this") gets the text of the
    sentence before it, and is ignored if there is none."""
    kept: list[MemoryRequest] = []
    empty: list[Ignored] = []
    for request in found.found:
        if not inner_requests.asks_for_the_same(request.text):
            kept.append(request)
        elif text := _sentence_before(message, request):
            if all(canonical(text) != canonical(other.text) for other in (*kept, *found.found)):
                kept.append(request._replace(text=text, type=infer_type(text)))
        else:
            empty.append(Ignored(request.text, "empty_request"))
    return found._replace(found=tuple(kept), ignored=(*found.ignored, *empty))


def _sentence_before(message: MessageText, request: MemoryRequest) -> str:
    """The sentence that the user typed before a request, on its line or the one above; "" for a
    question or praise."""
    above = ""
    for line, origin in zip(message.lines, message.origins, strict=True):
        at = line.rfind(request.text)
        end = plain_of(line[:at]).rfind(request.trigger) if at > 0 and not origin else -1
        if end >= 0:
            before = line[:end].rstrip(" \t,;:—–-，、")
            if not request.trigger:  # Its words lie in front of it: "In future, always like this".
                before = inner_requests.without_last_sentence(before)
            text = inner_requests.last_sentence(before) or inner_requests.last_sentence(above)
            return text if lasting_score(text) >= LEAST_ANTECEDENT and not asks_back(text) else ""
        above = "" if origin else line if line.strip() else above
    return ""


LEAST_ANTECEDENT = -4.0
"""Least `lasting_score` of the sentence that "always like this" points to. Of 40 short rules in 14
languages one scores less, of 35 sentences such as "Perfect." and "The build is red again." 26."""


def _without_withdrawn(message: MessageText, found: Requests, *, is_about_other: bool) -> Requests:
    """Without requests that the message denies or takes back, or that are tasks or hold for the
    session. What another person says, and is asked for in other words, is unsure.

    is_about_other: "forget that …" takes nothing back; it is about another fact.
    """
    kept, gone, unsure = set(), [], set(found.unsure)
    for one in (*found.found, *found.unsure):
        at = message.text.find(one.text)
        rest = message.text[at + len(one.text) :] if at >= 0 else ""
        doubts = doubts_before(message.text[:at], one.text) if at > 0 else frozenset()
        code = NEGATED if "denied" in doubts else _meant_otherwise(one)
        if not code and inner_requests.is_reminder(rest) and lasting_score(one.text) < LEAST_FACT:
            code = "task"
        if not code and not is_about_other and inner_requests.is_retracted(one.text, rest):
            code = "retracted"
        if code:
            gone.append(Ignored(one.text[:TRIGGER_CHARS], code))
        else:
            kept.add(one)
            unclear = "unsure" in doubts and not one.trigger
            unsure |= {one} if unclear or _may_be_remark(message.text, one.text, at) else set()
    every = [one for one in (*found.found, *found.unsure) if one in kept]
    return found._replace(
        found=tuple(one for one in every if one not in unsure),
        unsure=tuple(one for one in every if one in unsure),
        ignored=(*found.ignored, *gone),
    )


def _meant_otherwise(one: MemoryRequest) -> str:
    """The code of a request that is a task for the program, or that holds for the session only."""
    found = concepts_of(folded(one.text), language(folded(one.text)))
    rule = "general" in concepts_of(folded(one.trigger), one.lang or "en").anywhere
    product = "write" in found.first and "task" not in found.first
    if (product and rule and one.trigger[-1:] != ":") or (
        one.trigger.isalpha() and not rule and "write" in found.anywhere
    ):
        return "task"
    return "one_off" if "limit" in found.first else ""


_REMARK = Lazy(r"(?:^|[^\pL])(?:note\s*[:：]|as of (?:now|today)[,:]?)\s*$", ignore_case=True)
"""What opens a remark, which is about the task as often as it asks to keep something."""

LEAST_REMARK = -0.8
"""Least `lasting_score` of a remark that is kept: "Note: the port is 7443."."""


def _may_be_remark(message: str, text: str, at: int) -> bool:
    """Whether a request at this place of a message may be a remark about the task, or pasted."""
    if len(message) > DOCUMENT_CHARS and EDGE_CHARS < at < len(message) - EDGE_CHARS:
        return True
    is_remark = at > 0 and _REMARK.search(message[max(at - 16, 0) : at]) is not None
    return is_remark and lasting_score(text) < LEAST_REMARK


def _without_forgotten(message: MessageText, asked: Requests, gone: Mapping[int, str]) -> Requests:
    """Without requests to keep what the message asks to forget: "Erase from memory: the port is 80"
    asks to keep nothing. gone: the lines that ask to forget, each with what that is."""
    parts: dict[bool, list[str]] = {True: [], False: []}
    for number, line in enumerate(message.lines):
        parts[number in gone].append(line)
    forgetting, rest = (canonical("\n".join(parts[is_gone])) for is_gone in (True, False))
    texts = [canonical(text) for text in gone.values()]
    return asked._replace(
        found=tuple(
            one
            for one in asked.found
            if canonical(one.text) in rest or not any(forgets.states(one.text, x) for x in texts)
        ),
        unsure=tuple(one for one in asked.unsure if canonical(one.text) not in forgetting),
        ignored=tuple(
            one
            for one in asked.ignored
            if canonical(one.line) not in forgetting
            or not forgets.beside_forgets(one.line, gone.values())
        ),
    )


# --- what else a message teaches --------------------------------------------------------------

MAX_LEARNED = 6
"""Statements of one message that are learned, those that may only change an entry last; a message
with more is a document."""


def taught(message: str, before: str, asked: Requests) -> tuple[Statement, ...]:
    """What a message teaches beside its requests (EX-7): what it states as lasting, without what it
    asks to remember anyway, or not to; and what it may ask to remember. before: the agent's last
    words."""
    found = candidates(message, before)
    known = [item.text for item in asked.found]
    known += [item.line for item in asked.ignored if item.code == NEGATED]
    points_back = inner_requests.asks_for_the_same
    new = [x for x in found[:MAX_LEARNED] if _is_new(x.text, known) and not points_back(x.text)]
    new = [x for x in new if not any(_overlaps(message, x.text, y.text) for y in asked.found)]
    known += [one.text for one in new if not one.only_change]
    unsure = (item for item in asked.unsure if _is_new(item.text, known))
    return (*new, *(Statement(x.text, x.type or "", WORKSPACE, False) for x in unsure))


def _overlaps(message: str, text: str, other: str) -> bool:
    """Whether two texts have words of a message in common: "make X …" and "… X, please"."""
    at, start = message.find(text), message.find(other)
    return min(at, start) >= 0 and at < start + len(other) and start < at + len(text)


def _is_new(text: str, known: Iterable[str]) -> bool:
    """Whether a text may be learned and none of the known ones contains it, or it one of them, also
    without its opening: "next time, run it with -v" beside "run it with -v"."""
    own = canonical(text)
    words = own.split()
    ends = [" ".join(words[at:]) for at in range(min(len(words) - 2, OPENING_WORDS))]
    others = map(canonical, known)
    repeats = any(own in one or one in own or one.startswith(tuple(ends)) for one in others)
    return not repeats and PRIVATE_LABEL not in text


OPENING_WORDS = 8
"""Words that may precede what a request asks to keep, in the statement of the same sentence."""
