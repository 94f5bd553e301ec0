"""Find what the user asks to remember, or to forget, in a message (EX-1).

Only a request at the start of a line that the user typed counts. Negations and deferrals take
precedence. Questions, fences, quotes, pasted logs and code are not requests. Does not judge
whether a text is worth keeping; the gate does (EX-3). Pure and linear (EX-6).
"""

# ruff: noqa: E501  Rows of words in eight languages.
from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Iterator
from itertools import accumulate, chain, islice, pairwise
from typing import NamedTuple

from wm.domain.change.statement import reading
from wm.domain.learning import asking, inner_requests, trigger_words
from wm.domain.learning.concepts import HEAD_CHARS, bans_what_follows, concepts_of, folded, language
from wm.domain.learning.entry_type import infer_type
from wm.domain.learning.sentence_features import doubts_before
from wm.domain.learning.stated import Statement, kind_of, lasting_score, statements
from wm.domain.learning.typed_lines import MessageLine, line_numbers, typed_lines
from wm.domain.learning.user_triggers import UserTriggers, user_triggers
from wm.domain.memory.scope import WORKSPACE
from wm.secrets.redact import PRIVATE_LABEL
from wm.settings import GateSettings
from wm.text.letters import (
    WordPattern,
    canonical,
    translated,
    unaccented,
    with_gaps_of,
    without_invisible,
)
from wm.text.patterns import Lazy, Pattern, encoded
from wm.text.sentence_forms import PATH
from wm.text.word_grams import JOINED

NEGATED = "negated_request"
"""The code of a line that asks not to remember it."""

TOO_MANY = "too_many_requests"
"""The reason why `Requests.unparsed` waits in the inbox."""

TRIGGER_CHARS = 300
"""Number of characters at the start of a line that are searched for a trigger."""


class MemoryRequest(NamedTuple):
    """A request to keep `text`. type: one of the four types, None if the text does not show it."""

    text: str
    type: str | None
    lang: str
    trigger: str


class Ignored(NamedTuple):
    """A line that resembles a request but is not one, with the reason's code."""

    line: str
    code: str


class Requests(NamedTuple):
    found: tuple[MemoryRequest, ...]
    ignored: tuple[Ignored, ...]
    unparsed: str = ""
    """The requesting paragraphs beyond `max_requests` or below `max_message_lines`, as written.
    They are not parsed one by one; they go to the inbox together, so nothing is lost."""
    unsure: tuple[MemoryRequest, ...] = ()
    """What the message may ask to keep: learned as an uncertain statement."""


def _compiled(rows: trigger_words.Rows, start: str = r"^(?:%s)") -> tuple[tuple[str, Lazy], ...]:
    return tuple((lang, Lazy(unaccented(start % text), ignore_case=True)) for lang, text in rows)


_ASKS = _compiled(trigger_words.ASKS)
_LASTING = WordPattern("^(?:" + "|".join(text for _, text in trigger_words.LASTING) + ")")
_TAIL_ASKS = _compiled(trigger_words.TAIL_ASKS)
_NEGATIONS = _compiled(trigger_words.NEGATIONS)
_FORGETS, _MENTIONS = _compiled(trigger_words.FORGETS), _compiled(trigger_words.MENTIONS)
_DEFERRALS = {
    lang: Lazy(unaccented(text), ignore_case=True) for lang, text in trigger_words.DEFERRALS
}
_LEAD = WordPattern(rf"^(?:\s+|>+\s?|[-*+•]\s+|\d{{1,3}}[.)]\s+|[*_]{{1,2}}|{trigger_words.LEADS})")
_ANY_START = WordPattern(
    "^(?:" + "|".join(text for _, text in trigger_words.ASKS + trigger_words.NEGATIONS) + ")"
)
"""All rows that are anchored at the start, as one pattern."""

_ANY_LEADS = (
    rf"^(?:[\pZ\t\r\f\v]+|>+\s?|[-*+•]\s+|\d{{1,3}}[.)]\s+|[*_]{{1,2}}|{trigger_words.LEADS})*"
)
"""Any number of leads: a bounded count would make the pattern too large to run fast."""
_ANY_LINE = WordPattern(
    f"{_ANY_LEADS}(?:{'|'.join(text for _, text in trigger_words.ASKS + trigger_words.NEGATIONS)})",
    multi_line=True,
)
"""The same rows at the start of any line of a message."""
_ANY_LATER = WordPattern(
    f"(?:[.!?][ \\t]+|[。！？।]){_ANY_LEADS[1:]}(?:{'|'.join(text for _, text in trigger_words.LASTING)})"
)
_ANY_FORGET = WordPattern(
    f"{_ANY_LEADS}(?:{'|'.join(text for _, text in trigger_words.FORGETS + trigger_words.MENTIONS)})",
    multi_line=True,
)
"""A line that may ask to forget something."""

_ANY_TAIL = WordPattern(
    r"覚え|憶え|記憶し|メモし|忘れないで|기억해|잊지|메모해|명심해|[，,。;；]\s*(?:请|請|帮我|幫我|你)?(?:记|記)|"
    r"[.;!]\s+(?:\w+,? ){0,2}(?:remember|memori|note|save|keep|merke?|recu|no lo|retiens|souviens|mémorise|lembr|"
    r"guarde|não esq|anote) ?"
)


_FORGET_HINT = WordPattern(inner_requests.words_of("forget_hint"))


def find_requests_and_forgets(
    message: str, settings: GateSettings
) -> tuple[Requests, tuple[str, ...]]:
    """What a user's message asks to remember and to forget; normalises the message once."""
    normalised = _normalised(message)
    asked, forgets = _requests(normalised, settings), _forgets(normalised, settings)
    if not forgets:
        return asked, ()
    # "Erase from memory: the port is 80" asks to keep nothing.
    parts: dict[bool, list[str]] = {True: [], False: []}
    for number, line in enumerate(normalised.text.split("\n")):
        parts[number in forgets].append(line)
    asking, rest = (canonical("\n".join(parts[is_asking])) for is_asking in (True, False))
    gone = [canonical(text) for text in forgets.values()]
    kept = (
        one
        for one in asked.found
        if canonical(one.text) in rest or not any(_states(one.text, text) for text in gone)
    )
    found = asked._replace(
        found=tuple(kept),
        unsure=tuple(one for one in asked.unsure if canonical(one.text) not in asking),
        ignored=tuple(
            one
            for one in asked.ignored
            if canonical(one.line) not in asking or not beside_forgets(one.line, forgets.values())
        ),
    )
    return found, tuple(forgets.values())


def _with_antecedents(asked: _Message, found: Requests) -> Requests:
    """The requests. One that only points back ("from now on like this") gets the text of the
    sentence before it, and is ignored if there is none."""
    kept: list[MemoryRequest] = []
    empty: list[Ignored] = []
    for request in found.found:
        if not inner_requests.asks_for_the_same(request.text):
            kept.append(request)
        elif text := _sentence_before(asked.text, request):
            if all(canonical(text) != canonical(other.text) for other in (*kept, *found.found)):
                kept.append(request._replace(text=text, type=infer_type(text, request.trigger)))
        else:
            empty.append(Ignored(request.text, "empty_request"))
    return found._replace(found=tuple(kept), ignored=(*found.ignored, *empty))


def _sentence_before(message: str, request: MemoryRequest) -> str:
    """The sentence that the user typed before a request, on its line or the one above; "" for a
    question or praise."""
    above = ""
    for line in typed_lines(message):
        at = line.text.rfind(request.text)
        end = _plain(line.text[:at]).rfind(request.trigger)
        if at > 0 and end >= 0 and not line.origin:
            before = line.text[:end].rstrip(" \t,;:—–-，、")
            if not request.trigger:  # Its words lie in front of it: "In future, always like this".
                before = inner_requests.without_last_sentence(before)
            text = inner_requests.last_sentence(before) or inner_requests.last_sentence(above)
            return text if lasting_score(text) >= LEAST_ANTECEDENT and not _asks_back(text) else ""
        above = "" if line.origin else line.text if line.text.strip() else above
    return ""


LEAST_ANTECEDENT = -4.0
"""Least `lasting_score` of the sentence that "always like this" points to. Of 40 short rules in 14
languages one scores less, of 35 sentences such as "Perfect." and "The build is red again." 26."""


def _states(text: str, gone: str) -> bool:
    """Whether a request is to keep what is to be forgotten."""
    said = canonical(text)
    return gone in said or (said in gone and len(said) * 5 > len(gone) * 4)


def find_requests(message: str, settings: GateSettings) -> Requests:
    """Every explicit request in a user's message, in order, without duplicates."""
    return _requests(_normalised(message), settings)


MAX_LEARNED = 6
"""Statements of one message that are learned; a message with more is a document."""


def taught(message: str, before: str, asked: Requests) -> tuple[Statement, ...]:
    """What a message teaches beside its requests (EX-7): what it states as lasting, without what it
    asks to remember anyway, or not to; and what it may ask to remember. before: the agent's last
    words."""
    found = statements(message, before)
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


def _requests(asked: _Message, settings: GateSettings) -> Requests:
    """Those at the start of a line, then those inside lines, then those in other words,
    without those taken back."""
    found = _at_starts(asked, settings)
    lines: Collection[int] = () if found.unparsed else asked.asking
    if lines:
        apart = (one._replace(text=inner_requests.alone(one.text)) for one in found.found)
        alone = tuple(one for one in apart if not inner_requests.is_polite(one.text))
        found = found._replace(found=alone)
        inside = _unknown(_inside(asked, lines, settings), found, settings)
        found = found._replace(found=(*found.found, *inside))
    # One line with a request seldom has a second one in other words.
    if not found.unparsed and not (found.found and "\n" not in asked.text.strip()):
        others = list(_in_other_words(asked, settings))
        certain = _unknown((x.text for x in others if x.certain), found, settings)
        found = found._replace(found=(*found.found, *certain))
        unsure = _unknown((x.text for x in others if not x.certain), found, settings)
        found = found._replace(unsure=tuple(unsure))
    if any(inner_requests.asks_for_the_same(one.text) for one in found.found):
        found = _with_antecedents(asked, found)
    return _without_retracted(asked, found, settings) if found.found or found.unsure else found


def _without_retracted(asked: _Message, found: Requests, settings: GateSettings) -> Requests:
    """Without requests that the message denies or takes back, or that are tasks or hold for the
    session. What another person says, and is asked for in other words, is unsure."""
    kept, gone, unsure = set(), [], set(found.unsure)
    forgets = bool(_forgets(asked, settings))  # "Forget that …" is about another fact
    for one in (*found.found, *found.unsure):
        at = asked.text.find(one.text)
        rest = asked.text[at + len(one.text) :] if at >= 0 else ""
        doubts = doubts_before(asked.text[:at], one.text) if at > 0 else frozenset()
        code = NEGATED if "denied" in doubts else _meant_otherwise(one)
        if not code and inner_requests.is_reminder(rest) and lasting_score(one.text) < LEAST_FACT:
            code = "task"
        if not code and not forgets and inner_requests.is_retracted(one.text, rest):
            code = "retracted"
        if code:
            gone.append(Ignored(one.text[:TRIGGER_CHARS], code))
        else:
            kept.add(one)
            unclear = "unsure" in doubts and not one.trigger
            unsure |= {one} if unclear or _may_be_remark(asked.text, one.text, at) else set()
    every = [one for one in (*found.found, *found.unsure) if one in kept]
    return found._replace(
        found=tuple(one for one in every if one not in unsure),
        unsure=tuple(one for one in every if one in unsure),
        ignored=(*found.ignored, *gone),
    )


_REMARK = Lazy(r"(?:^|[^\pL])(?:note\s*[:：]|as of (?:now|today)[,:]?)\s*$", ignore_case=True)
"""What opens a remark, which is about the task as often as it asks to keep something."""

LEAST_REMARK = -0.8
"""Least `lasting_score` of a remark that is kept: "Note: the port is 7443."."""

LEAST_FACT = -2.95
"""Least `lasting_score` of what "don't forget" and "记得" ask to keep and not to do: 20 tasks of 12
languages score -3.0 or less, 27 of 28 facts more."""

DOCUMENT_CHARS, EDGE_CHARS = 12_000, 1_500
"""A longer message is mostly pasted, except so much of its beginning and its end [chars]."""


def _may_be_remark(message: str, text: str, at: int) -> bool:
    """Whether a request at this place of a message may be a remark about the task, or pasted."""
    if len(message) > DOCUMENT_CHARS and EDGE_CHARS < at < len(message) - EDGE_CHARS:
        return True
    is_remark = at > 0 and _REMARK.search(message[max(at - 16, 0) : at]) is not None
    return is_remark and lasting_score(text) < LEAST_REMARK


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
            yield MemoryRequest(text, kind_of(text), language(folded(text)), "")


def _overlap(one: str, other: str) -> bool:
    """Whether one of two canonical texts contains most of the other."""
    first, second = set(one.split()), set(other.split())
    most = 0.8 * min(len(first), len(second))
    return one in other or other in one or (len(second) > 2 and len(first & second) >= most)


def _in_other_words(asked: _Message, settings: GateSettings) -> Iterator[asking.Asked]:
    lines = islice(typed_lines(asked.text), settings.max_message_lines)
    typed = (x.text for x in lines if not x.origin and len(x.text) <= settings.max_line_chars)
    read = "\n".join(islice(typed, asking.MAX_MESSAGE_CHARS + 2))  # more lines are too long anyway
    is_short = len(asked.text) <= asking.MAX_MESSAGE_CHARS  # a longer one is mostly pasted
    every = (x for x in asking.requests(read) if _NEXT_STEP.match(x.text) is None)
    found = (x._replace(certain=x.certain and is_short) for x in every)
    return islice(found, 4 * settings.max_requests)  # some may be known


def _inside(asked: _Message, lines: Collection[int], settings: GateSettings) -> Iterator[str]:
    for line in islice(typed_lines(asked.text), settings.max_message_lines):
        if line.origin or line.number not in lines:
            continue
        is_long = len(line.text) > settings.max_line_chars
        if any(_DEFERRALS[lang].search(line.text[:TRIGGER_CHARS]) for lang in ("ja", "ko")):
            continue
        inner = () if is_long else inner_requests.facts_in(line.text)
        yield from filter(None, (*inner, inner_requests.fact_before(line.text)))


def _at_starts(asked: _Message, settings: GateSettings) -> Requests:
    found: list[MemoryRequest] = []
    ignored: list[Ignored] = []
    seen: set[str] = set()
    own = user_triggers(settings.triggers)
    numbers = _asking(asked, own)
    most = settings.max_message_lines + 2 * settings.max_requests  # a list may follow the last
    lines: list[MessageLine] = []
    for at in numbers:
        if at >= settings.max_message_lines:
            unparsed = _paragraphs(asked.text, chain([at], numbers))
            return Requests(tuple(found), tuple(ignored), unparsed)
        lines = lines or list(islice(typed_lines(asked.text), most))
        for result in _read(lines, at, settings.max_line_chars, own):
            if len(found) + len(ignored) >= settings.max_requests:
                unparsed = _paragraphs(asked.text, chain([at], numbers))
                return Requests(tuple(found), tuple(ignored), unparsed)
            if isinstance(result, Ignored):
                ignored.append(result)
            elif canonical(result.text) in seen:
                ignored.append(Ignored(_shown(lines[at]), "duplicate_in_message"))
            else:
                seen.add(canonical(result.text))
                found.append(result)
    return Requests(tuple(found), tuple(ignored))


def _paragraphs(message: str, numbers: Iterable[int]) -> str:
    """The requesting lines among these numbers, each with the typed lines directly below it."""
    kept: list[str] = []
    starts = set(numbers)
    inside, last = False, max(starts)
    for line in typed_lines(message):
        if not inside and line.number > last:
            break
        if not inside and line.number not in starts:
            continue
        inside = inside or not _is_negated(_without_lead(line.text[:TRIGGER_CHARS])[1])
        inside = inside and not line.origin and bool(line.text.strip())
        kept += [line.text] if inside else []
    return "\n".join(kept)


def _is_negated(plain: str) -> bool:
    head = plain[:TRIGGER_CHARS]
    return any(pattern.match(head) is not None for _, pattern in _NEGATIONS)


class _Message(NamedTuple):
    """A normalised message, and its `_plain` form encoded for re2, with the same line numbers.
    asking: the lines that may hold a request inside."""

    text: str
    plain: bytes
    asking: frozenset[int]


_PRIVATE_START = Lazy(r"^[ \t]*(?:\[private\][.;,:]?[ \t]*)+", multi_line=True)
_PRIVATE = Lazy(r"\[private\][.;,:]?[ \t]*")


def _normalised(message: str) -> _Message:
    """Normalise a message. Runs of blank lines shrink to two, so they cost no time and do not count
    towards the line limit. A sentence that asks to keep what it says, or what is before it, ends
    its line, so that the next one is not taken for the fact: "… と覚えて。ありがとう". A private
    part ends a line, too: it says nothing here, and may come before a request."""
    text = unicodedata.normalize("NFC", without_invisible(with_gaps_of(3, message)))
    if PRIVATE_LABEL in text:
        text = _PRIVATE_START.sub("", text)
        # Only in lines that the user typed: the second half of a quoted line has no mark.
        parts = (_behind_private(x.text) if not x.origin else x.text for x in typed_lines(text))
        text = "\n".join(parts)
    asking = inner_requests.asking_lines(text)
    if asking and len(text) <= DOCUMENT_CHARS:
        typed = {line.number for line in typed_lines(text) if not line.origin}
        lines = enumerate(text.split("\n"))
        apart = (_apart(line) if at in asking and at in typed else line for at, line in lines)
        text = "\n".join(apart)
        asking = inner_requests.asking_lines(text)
    asked = _Message(text, encoded(_plain(text) + "\n"), asking)
    if len(text) > DOCUMENT_CHARS or not _FORGET_HINT.found_in(asked.plain):
        return asked
    if not _ANY_FORGET.found_in(encoded(_plain(_PART_END.sub("\n", text)) + "\n")):
        return asked
    split = "\n".join(
        _forgets_apart(line.text) if not line.origin else line.text for line in typed_lines(text)
    )
    if split == text:
        return asked
    return _Message(split, encoded(_plain(split) + "\n"), inner_requests.asking_lines(split))


def _forgets_apart(line: str) -> str:
    """A line with breaks between its requests, if one of them is to forget: neither is a part of
    what the other one is about."""
    ends = [
        part.end()
        for part in islice(_PART_END.finditer(line), MOST_SENTENCES)
        if not _ABBREVIATED.is_match(line[: part.start()][-3:])
    ]
    cuts, forgets = {0, len(line)}, False
    for begin, end in pairwise((0, *ends, len(line))):
        if _is_in_quotation(line[:begin]):
            continue
        if _forgotten(line[begin:end], TRIGGER_CHARS, None):
            cuts, forgets = cuts | {begin, end}, True
        elif _may_ask(line[begin:end]):
            cuts.add(begin)
    parts = (line[a:b].rstrip(" ;；") for a, b in pairwise(sorted(cuts)))
    return "\n".join(filter(None, parts)) if forgets else line


def _behind_private(line: str) -> str:
    """A line with a break behind the first private part that a request follows, if none is before
    it: what a request asks to keep may contain private parts."""
    if PRIVATE_LABEL not in line or _may_ask(line):
        return line
    for part in islice(_PRIVATE.finditer(line), MOST_SENTENCES):
        rest = line[part.end() :]
        asks = _may_ask(rest) or _forgotten(rest[: TRIGGER_CHARS * 2], TRIGGER_CHARS) is not None
        if asks and not _is_in_quotation(line[: part.start()]):
            return f"{line[: part.end()].rstrip()}\n{rest}"
    return line


def _apart(line: str) -> str:
    """A line with breaks around its sentences that ask to keep something and have others beside
    them."""
    breaks: list[int] = []
    begin = first = 0
    stops = [stop.end() for stop in islice(_SENTENCE_END.finditer(line), MOST_SENTENCES)]
    for end in (*stops, len(line)):
        if _is_in_quotation(line[:end]):
            continue
        sentence = line[begin:end].strip()
        own = _before_verb(sentence)
        is_pointing = own != "" and _POINTING.fits(own)
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


def _before_verb(sentence: str) -> str:
    """What a sentence asks to keep whose verb is at its end, or ""."""
    body, plain = _without_lead(sentence)
    matches = (pattern.match(plain) for _, pattern in _TAIL_ASKS)
    return next((body[m.start(1) : m.end(1)].strip() for m in matches if m is not None), "")


def _asking(message: _Message, own: UserTriggers) -> Iterator[int]:
    """The numbers of the lines that may hold a request.

    Three searches over the whole message find them; a search per line would cost as much as the
    remaining work. Only the few triggers of a configuration are tried on every line.
    """
    found = {
        start
        for rows in (_ANY_LINE, _ANY_TAIL, _ANY_LATER)
        for start in rows.line_starts(message.plain)
    }
    if not found and not own.rows:
        return iter(())
    lines = message.text.split("\n")
    numbers = (number for number in line_numbers(message.plain, found) if _may_ask(lines[number]))
    if not own.rows:
        return numbers
    return iter(sorted({*numbers, *own.lines(_without_lead(line)[1] for line in lines)}))


def _may_ask(line: str) -> bool:
    """Whether this line may hold a request or the negation of one. Cheap; rejects most lines."""
    if not line or line.isspace():
        return False
    plain = _without_lead(line[: TRIGGER_CHARS * 2])[1]
    if _ANY_START.match(plain[:TRIGGER_CHARS] + " ") is not None or next(_later(line), ""):
        return True
    is_long = len(line) > TRIGGER_CHARS * 2
    return _ANY_TAIL.search(_plain(line[-TRIGGER_CHARS:]) if is_long else plain) is not None


def _shown(line: MessageLine) -> str:
    return line.text.strip()[:TRIGGER_CHARS]


def _forgets(asked: _Message, settings: GateSettings) -> dict[int, str]:
    """The numbers of the lines that ask to forget something, each with what that is."""
    if not _FORGET_HINT.found_in(asked.plain):
        return {}
    hints = set(_ANY_FORGET.line_starts(asked.plain))
    lines = asked.text.split("\n")
    read, reached = typed_lines(asked.text), 0
    texts: dict[int, str] = {}
    for number in islice(line_numbers(asked.plain, hints), 4 * settings.max_requests):
        after = "\n".join(lines[number + 1 : number + MOST_SENTENCES])
        text = _forgotten(lines[number], settings.max_line_chars, after)
        if text is not None:
            # Whether the user typed the line depends on all lines above it.
            *_, line = islice(read, number + 1 - reached)
            reached = number + 1
            texts |= {} if line.origin else {number: text}
        if len(texts) >= settings.max_requests:
            break
    return texts


def _forgotten(line: str, most: int, after: str | None = "") -> str | None:
    """What the line asks to forget, or None. after: the lines below it, None if they are not known.
    A phrase of `MENTIONS` asks to forget only if no task follows; with None, only if it also says
    what holds instead."""
    body, plain = _without_lead(line)
    matches = ((row, row[1].match(plain)) for row in (*_FORGETS, *_MENTIONS))
    row, found = next(((row, m) for row, m in matches if m is not None), (None, None))
    if found is None or _asks_back(body):
        return None
    begin, end = found.span(1)
    named = _tidy(body[begin:end], most)
    text = _topic(named)
    said = folded(text)
    lang = language(said)
    concepts = concepts_of(said, lang)
    if "retract" in concepts.first or "limit" in concepts.anywhere:
        return None  # "아니다, 잊어 줘" takes back what was said before; "for now" forgets nothing
    in_file = "workfile" in concepts.anywhere or PATH.is_match(text)
    if in_file and _NOTE.is_match(plain[:begin] + plain[end:]):
        return None  # "delete the note about ports from the README"
    least = 1 if text != named else 2
    is_clear = (after is not None or text != named) and len(reading(text).words) >= least
    if row in _MENTIONS and (not is_clear or _has_task(f"{body[begin:]}\n{after or ''}", lang)):
        return None  # "forget about the cache", "forget about the cache, fix the login"
    return text or None


def _topic(text: str) -> str:
    """What is to be forgotten, without what holds in its place: "black, we use ruff instead"."""
    end = _CLAUSE_END.search(text.replace(": ", ", "))
    rest = text[end.end() :] if end is not None else ""
    if end is None or not reading(rest).words:
        return text
    return text[: end.start()] if any(one.is_certain for one in statements(rest)) else text


def beside_forgets(message: str, forgets: Iterable[str]) -> str:
    """What else a message says than what it asks to forget; "" where that is not clear."""
    for text in forgets:
        begin, end = _request_to_forget(message, text)
        message = message[:begin] + message[end:].lstrip(" ,.:;")
    return message


def _request_to_forget(message: str, text: str) -> tuple[int, int]:
    """Where the message asks to forget this text, not only mentions it; the complete message if
    that is not clear."""
    ends = accumulate(len(piece) + len(text) for piece in message.split(text, MOST_SENTENCES)[:-1])
    for end in ends:
        head = message[: end - len(text)]
        begin = max(0, head.rfind("\n") + 1, *(part.end() for part in _PART_END.finditer(head)))
        asking = message[begin:].partition("\n")[0]
        if _ANY_FORGET.found_in(encoded(_plain(asking) + "\n")):
            return begin, end
    return 0, len(message)


_NOTE = WordPattern(
    r"notiz|\bnot[aeu]\b|notitie|notatk|anteckning|kayd|заметк|запис|нотатк|ghi ch|नोट|ملاحظة|记录|笔记|メモ|메모"
)
"""A note; beside a file, it is one in the file and not a memory."""


def _has_task(text: str, lang: str) -> bool:
    """Whether a clause after the first one is an order, or so short that it may be one:
    "arréglalo"."""
    parts = islice(filter(None, _CLAUSE_END.sub("\n", text).split("\n")), 1, MOST_SENTENCES)
    for clause in map(folded, parts):
        if lang in JOINED:
            found = concepts_of(clause, lang).anywhere
        elif len(clause.split()) < 3:
            return True
        else:
            found = concepts_of(clause, lang).first
        if not found.isdisjoint(("task", "request")):
            return True
    return False


_CLAUSE_END = Lazy(r"[,.;!]\s+|[，、；。！।]")


_PLAIN = {
    **{code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},
    ord("*"): " ", 0x2019: "'", 0x2018: "'", 0x02BC: "'", 0x00A0: " ", 0x202F: " ", 0x3000: " ",
}  # fmt: skip
"""Maps one character to one, so that offsets in the plain line are offsets in the line."""


def _plain(text: str) -> str:
    """The text in the form for matching, one character per character."""
    return unaccented(translated(text, _PLAIN))


def _without_lead(line: str) -> tuple[str, str]:
    """The line without its leads, as written and in the form for matching."""
    body = line.strip()
    plain = _plain(body)
    for _ in range(4):
        match = _LEAD.match(plain[:80])
        if match is None or match.end() == 0:
            break
        # A lead with nothing after it, or inside a word, is part of the text.
        if match.end() >= len(plain) or _splits_word(plain, match.end()):
            break
        body, plain = body[match.end() :], plain[match.end() :]
    return body, plain


_GROWS = ("아", "또", "꼭", "あと", "では", "なお", "그리고", "y", "e", "et", "und")
"""Leads that are also beginnings of longer words in text without spaces or punctuation."""


def _splits_word(text: str, at: int) -> bool:
    if text[:at] in _GROWS or text[at - 1 : at + 1] == "請求":
        return True
    return text[at - 1].isascii() and text[at - 1].isalnum() and text[at].isalnum()


def _read(
    lines: list[MessageLine], at: int, most: int, own: UserTriggers
) -> Iterator[MemoryRequest | Ignored]:
    line = lines[at]
    body, plain = _without_lead(line.text)
    negated = _is_negated(plain)
    match, kind = own.match(plain)
    lang, origin = "", line.origin
    if match is not None and origin == "pasted_log":
        origin = ""  # "nb: the text" looks like a line of a log, but the user chose that form
    if match is None and not negated:
        match, lang = _trigger(plain)
    if not negated and match is None:
        rest = next(_later(line.text), "")
        if rest:
            yield from _read(
                [*lines[:at], line._replace(text=rest), *lines[at + 1 :]], at, most, own
            )
        return
    if origin:
        yield Ignored(_shown(line), origin)
    elif negated:
        yield Ignored(_shown(line), NEGATED)
        rest = _behind_first_sentence(line.text)
        if rest and not _is_negated(_without_lead(rest)[1]):
            others = [*lines[:at], line._replace(text=rest), *lines[at + 1 :]]
            behind = _read(others, at, most, own)
            yield from (one for one in behind if not _points_back(one))
    elif match is not None:
        for found in _judge(match, lang, body, plain, lines, at, most):
            if kind and isinstance(found, MemoryRequest):
                found = found._replace(type=kind)
            yield found


def _later(line: str) -> Iterator[str]:
    """What follows each sentence of a line, if it begins with what holds from now on: "That works.
    From now on …". Not within quotation marks, nor behind an abbreviation."""
    head = line[: TRIGGER_CHARS * 2]
    if not _ANY_LATER.is_match(_plain(head)):
        return
    for end in islice(_SENTENCE_END.finditer(head), MOST_SENTENCES):
        before = head[: end.start()]
        if not (_is_in_quotation(before) or _ABBREVIATED.is_match(before[-3:])):
            plain = _without_lead(head[end.end() :])[1]
            if _LASTING.match(plain) is not None:
                yield line[end.end() :]


MOST_SENTENCES = 12
"""Sentences of a line that are looked at."""
_SENTENCE_END = Lazy(r"[.!?]\s+|[。！？।]")
_PART_END = Lazy(r"[.!?;]\s+|[。！？।；]")
_ABBREVIATED = Lazy(r"(?:^|[^\pL\pN])\p{Ll}$")
"""What a full stop follows that ends no sentence: the last letter of "e.g.", "z. B."."""
_OPENS = Lazy(r"(?:^|[\s(:])['‘`]\S|[「『]")
_CLOSES = Lazy(r"[^\s(:]['’`](?:[\s.,;:!?)]|$)|[」』]")


def _is_in_quotation(before: str) -> bool:
    """Whether a quotation that begins in this part of a line has not ended there. A single mark is
    an apostrophe unless it is beside a space."""
    if sum(map(before.count, '"“”„«»')) % 2:
        return True
    opened, closed = (sum(1 for _ in marks.spans(before)) for marks in (_OPENS, _CLOSES))
    return opened > closed


def _points_back(found: MemoryRequest | Ignored) -> bool:
    """Whether a request is about what the sentence before took back: "remember it tomorrow"."""
    if isinstance(found, Ignored):
        return False
    plain = folded(found.text)
    concepts = concepts_of(plain, language(plain))
    return "deictic" in concepts.first and "own_project" not in concepts.anywhere


def _behind_first_sentence(line: str) -> str:
    """What follows "forget what I said about tabs": it may ask to remember something else."""
    end = _SENTENCE_END.search(line)
    return line[end.end() :].strip() if end is not None else ""


def _trigger(plain: str) -> tuple[Pattern | None, str]:
    """The first row that matches the start of the line, else the first that matches its end."""
    for lang, pattern in _ASKS:
        # The space replaces the line's end: "Remember that", with the text on the next line.
        match = pattern.match(plain + " ")
        if match is not None:
            return match, lang
    for lang, pattern in _TAIL_ASKS:
        match = pattern.match(plain)
        if match is not None and not _POINTING.fullmatch(match.group(1).strip()):
            return match, lang
    return None, ""


_POINTING = WordPattern(
    r"(?:これ|それ|あれ|この件|そのこと|이거|이것|이건|이걸|그거|그것|그건|这个|这|那个|this|that|it|das|dies|esto|"
    r"eso|ceci|cela|isto|isso)?(?:を|は|も|은|는|을|를|도)?"
    r"(?: ?(?:for (?:me|us|later|now|next time|the future)|please|now|bitte|por favor|stp))?[.。,、，:：?？!！\s]*"
)


def _judge(
    match: Pattern, lang: str, body: str, plain: str, lines: list[MessageLine], at: int, most: int
) -> Iterator[MemoryRequest | Ignored]:
    """Parse a line whose trigger matches: one request, several, or the reason why it is none."""
    whole = match.re.groups > 0
    start, end = match.span(1) if whole else (match.end(), len(body))
    text, trigger = body[start:end], plain[: match.end() if not whole else start].strip()
    code = _why_not(text, plain, lang)
    if code == "empty_request" or (not code and _heads_list(text)):
        items = list(_below(lines, at, most))
        if items and not code and bans_what_follows(text):  # It belongs to each item.
            items = [f"{text.strip().rstrip(':：')}: {'; '.join(items)}"]
        for item in items:
            yield MemoryRequest(item, infer_type(item, trigger), lang, trigger)
        if items:
            return
    if code:
        yield Ignored(_shown(lines[at]), code)
        return
    text = _tidy(text, most)
    if _POLITE_QUESTION.match(plain) is not None:
        text = text.rstrip(" ?？")
    yield MemoryRequest(text, infer_type(text, trigger or plain[:40]), lang, trigger)


def _heads_list(text: str) -> bool:
    """Whether the text is a heading like `follow these rules:`, with the memories below it."""
    bare = text.strip().strip("*_")
    return len(bare) <= HEAD_CHARS and bare.endswith((":", "："))


_ONE_OFF = WordPattern(
    r"^(?:i (?:\w+ )?prefer|je préfère|prefiro|prefiero|ich bevorzuge) (?:not to|to not|that\b|this\b|it\b|option|the (?:first|second|third|last|latter|"
    r"former|other)|your|ça|cela|esto|eso|isso|isto|das\b|no hablar|não falar|ne pas)"
)
_POLITE_QUESTION = WordPattern(
    r"^(?:(?:can|could|would|will) you |(?:kannst|könntest|würdest) du |¿?(?:puedes|podrías) |"
    r"(?:peux-tu|pourrais-tu|tu peux) |(?:você )?(?:pode|poderia) )"
)


_SPOKEN_OF = WordPattern(
    r"^(?:is|was|are|were|means|sounds|appears|reads|looks)\b.{0,40}\b(?:a|an|the|wrong|odd|weird|missing|used|text|word|phrase|name)\b|"
    r"^の[^は]*$|"
    r"^(?:密码|密碼|我|登录|登入|账号|帳號|用户名)(?:的)?(?:选项|選項|功能|按钮|按鈕|复选框|勾选框)"
)
"""The sentence is about the trigger words themselves."""


def _why_not(text: str, plain: str, lang: str) -> str:
    """The code of the reason why a triggered text is not a request, or ""."""
    bare = text.replace(PRIVATE_LABEL, " ").strip(" \t.,:;!?。、：；！？…-–—*_\"'`")
    deferral = _DEFERRALS.get(lang)
    whole = plain[:TRIGGER_CHARS] if lang in ("ja", "ko") else _plain(text).strip()
    if deferral is not None and deferral.search(whole[:TRIGGER_CHARS]) is not None:
        return "deferral"
    if not bare or _POINTING.fullmatch(bare) or inner_requests.says_only_where(bare):
        return "empty_request"
    if _ONE_OFF.match(plain) is not None or _SPOKEN_OF.match(_plain(bare)) is not None:
        return "one_off"
    if _POLITE_QUESTION.match(plain) is None and (
        _asks_back(text) or (":" not in plain[: -len(text)] and _ASKS_FIRST.match(text) is not None)
    ):
        return "question"
    to_do = _TO_DO.match(plain) is not None and (
        lasting_score(text) < LEAST_FACT or _RUNS.match(_plain(bare)) is not None
    )
    return "task" if to_do or _TO_DO_BEFORE.search(plain) is not None else ""


_TO_DO = WordPattern(
    r"^你?(?:要|得|必须|必須)?(?:(?:别|別|不要|勿)忘[了记記]?|记得|記得)[^了记記\s,:;，：；、]"
)
_RUNS = WordPattern(r"^[去先]?(?:跑|[运運执執]行|提交|推送|重[启啟]|[检檢]查|更新)")
"""Verbs of an action, not of knowledge: 别忘了跑测试, "don't forget to run the tests", is a task."""
_TO_DO_BEFORE = WordPattern(
    r"[^다라자냐있없않]는 ?(?:거|것)(?:을|를)? ?(?:꼭 |잘 )?잊지|^[^はが]*(?:[うくすつぬむぐぶ]|[^あい]る)(?:の|こと)[をは]?、?\s*忘れ"
)
"""Not to forget to do something, with the same verb as not to forget that something is so."""

_ASKS_FIRST = Lazy(r"^[^.!?:;。！？]{1,160}\? +\S")
"""A question followed by more text: `Remember the outage we had? It is back.`"""

_QUESTION_END = Lazy(
    r"[?？][\"'”’»)\]*_\s]*$|(?:吗|嗎|呢|ますか|ですか|でしょうか|ましたか|나요|습니까|을까|ㄹ까)[。.\s]*$"
)


def _asks_back(text: str) -> bool:
    return _QUESTION_END.search(text[-80:]) is not None


_NEXT_STEP = WordPattern(
    r"^(?:now|next|then|and now|after that|can you|could you|please (?:fix|run|check|review|update|add|write|"
    r"continue|go on|look)|thanks|thank you|danke|gracias|merci|obrigad[oa]|grazie|bedankt|tack|dzięki|teşekkür\w*|"
    r"jetzt|ahora|maintenant|agora|adesso|nu|teraz|şimdi)\b|"
    r"^(?:спасибо|теперь|cảm ơn|ありがと|よろしく|お願いします|次[はに]|それから|谢谢|謝謝|然后|然後|接下来|现在|고마워|감사|부탁|이제|그럼)"
)


def _tidy(text: str, most: int) -> str:
    """The memory as stored: without surrounding quotes and without a next step or question after
    it. A text longer than `most` characters goes to the inbox and stays as the user wrote it."""
    text = text.strip().strip("*_").strip()
    if len(text) > most:
        return text
    for opening, closing in ('""', "''", "``", "“”", "「」", "„“", "«»"):
        inner = text.rstrip(".。")
        if inner[:1] == opening and inner[-1:] == closing and opening not in inner[1:-1]:
            text = inner[1:-1].strip()
    while True:
        cut = max(text.rfind(". "), text.rfind("! "), text.rfind("? "), text.rfind("。", 0, -1))
        last = text[cut + 1 :].strip()
        if cut < 6 or not (_asks_back(last) or _NEXT_STEP.match(last)):
            return text
        text = text[: cut + 1].strip()


_BULLET = Lazy(r"^\s{0,8}(?:(?:[-*+•]|\d{1,2}[.)])\s+|[・●▪◦]\s{0,2}|\d{1,2}[、．])")


def _below(lines: list[MessageLine], at: int, most: int) -> Iterator[str]:
    """The text of "Remember this:" from the next line, or from the list that follows."""
    bulleted = None
    for line in lines[at + 1 :]:
        if line.origin:
            return
        if not line.text.strip():
            if bulleted is None and line.number == lines[at].number + 1:
                continue
            return
        match = _BULLET.match(line.text)
        if bulleted is None:
            bulleted = match is not None
        if bulleted != (match is not None):
            return
        text = _tidy(line.text[match.end() :] if match is not None else line.text, most)
        if not text or _asks_back(text) or _NEXT_STEP.match(text):
            return
        yield text
        if not bulleted:
            return
