"""Find what a user agrees to in a few words: the agent proposes it, the user says yes (EX-7, EX-8).

"Shall I always run the tests with tox?" and "yes" make one statement; so do a list of options and
"the second", or a proposal and "yes, but with pnpm". Only what the last words of the agent propose
as lasting counts, by the model of `stated`; a step of the work does not, nor does what the agent
quotes. The words are the agent's, so the caller never keeps them without asking. Pure and linear.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import chain, islice
from typing import NamedTuple

from wm.domain.learning.concepts import concepts_in, folded
from wm.domain.learning.entry_type import infer_type
from wm.domain.learning.inner_requests import asks_for_the_same
from wm.domain.learning.stated import Statement, lasting_score, scope_of
from wm.domain.learning.typed_lines import typed_lines
from wm.secrets.redact import labels_in
from wm.text.patterns import Lazy
from wm.text.scripts import is_cjk
from wm.text.sentence_forms import ASKS
from wm.text.sentences import sentences
from wm.text.tables import Tables

_TABLES = Tables("wm.domain.learning", "agreed.toml")

MAX_REPLY_CHARS, MAX_MESSAGE_CHARS = 80, 400
"""Longest sentence that agrees and no more, and longest message that it opens."""

MAX_OFFER_CHARS = 2_000
"""End of the agent's last words that is read."""

MAX_AGREED = 4
"""Most statements that one reply agrees to."""

MAX_OPENING_WORDS = 7
"""Words that open a proposal: "would you like me to", with marks."""

MAX_HEADING_CHARS = 80
"""Longest heading that a chosen option keeps as its context."""

LEAST_SCORE, RULE_SCORE = -2.1, -0.5
"""Least `lasting_score` of what is proposed; the second for what does not say that it lasts."""


class Reply(NamedTuple):
    """A short reply that agrees or chooses. text: as typed. words: what it says beside the assent,
    folded. change: the typed words that change what was proposed."""

    text: str
    words: str
    change: str = ""


class Proposed(NamedTuple):
    """What the last words of an agent propose. options: the items of its last list, below
    `heading`. end: the sentences behind them, at most those of two lines."""

    heading: str
    options: tuple[str, ...]
    end: tuple[str, ...]


def offer_in(answer: str) -> str:
    """The end of the agent's words, if it may propose something; else ""."""
    end = answer[-MAX_OFFER_CHARS:]
    return end if ASKS.search(end) or any(map(_OPTION.is_match, end.split("\n"))) else ""


def agreed(offered: str, message: str) -> tuple[Statement, ...]:
    """What a message agrees to as lasting. offered: `offer_in` the agent's last words."""
    said = _reply(message) if offered else None
    if said is None:
        return ()
    offer = _offer(offered)
    texts = list(_chosen(offer, said.words) if said.words else _proposed(offer))
    if said.change:  # which of several it changes is not known: "yes, but not the second"
        texts = [f"{one.rstrip('.。')}, {said.change}" for one in texts if len(texts) == 1]
    new = (Statement(x, infer_type(x), scope_of(x), False, is_hearsay=True) for x in texts)
    return tuple(one._replace(agreed=said.text) for one in new)


# --- the reply ----------------------------------------------------------------------------------


def _reply(message: str) -> Reply | None:
    """The reply; None if it does not agree, or says more than that."""
    text, *others = sentences(message[: MAX_MESSAGE_CHARS + 1]) or ("",)
    more, but = " ".join(others), _BUT.search(text)
    is_long = len(message) > MAX_MESSAGE_CHARS or len(text) > MAX_REPLY_CHARS
    if is_long or ASKS.search(message) or _refuses(_spaced(more)) or _BUT.search(more):
        return None
    plain = _spaced(text[: but.start()] if but is not None else text)
    rest = _without(plain, "assent")
    words = " ".join(_without(rest, "filler").split())
    if _refuses(rest) or (words and but is not None):
        return None
    if but is not None:
        change = text[but.start() :].strip(" \t,;.、，。")
        return None if _takes_back(change, text[but.end() :]) else Reply(text, "", change)
    if _SEVERAL.is_match(plain):
        return None
    label = (rest.split() or [""])[-1]  # "a" may be a word beside the assent, too
    words = words or (label if _index(label) else "")
    return Reply(text, words) if words or rest != plain else None


_BUT = Lazy(
    r"(?:^|[\s,;.]+)(?:but|except|only|although|though|however|as long as|provided|aber|jedoch|"
    r"allerdings|nur|außer|mais|sauf|seulement|uniquement|pero|salvo|excepto|sólo|solo|mas|porém|"
    r"exceto|apenas|somente|però|tranne|maar|behalve|alleen|ale|tylko|oprócz|но|только|кроме|ama|"
    r"fakat|sadece|nhưng)\s+|ただし|でも|けど|但是|但|不过|只是|除了|하지만|대신",
    ignore_case=True,
)
"""Where a reply begins to change what was proposed."""

_SEVERAL = Lazy(r" [a-f1-9]  (?:(?:and|or|und|oder|et|ou|y|o|e|en|i|и|ve|va|plus)  )?[a-f1-9] ")
"""Two labels: "A and B"."""


def _takes_back(change: str, what: str) -> bool:
    """Whether a change denies or limits the assent, or sets a step of work: "but not always"."""
    words = _spaced(what)
    is_empty = not _without(_without(words, "refuse"), "filler").strip()
    return is_empty or words != _without(words, "first") or _is_doubtful(change)


@cache
def _phrases(table: str) -> tuple[str, ...]:
    """The phrases of a table in all languages as `_spaced` texts, the longest first."""
    every = "|".join(_TABLES.rows_of(table).values()).split("|")
    return tuple(sorted({_spaced(one) for one in every}, key=len, reverse=True))


def _spaced(text: str) -> str:
    """The words of a text, folded, each between two spaces of its own; only the text itself in
    Chinese, Japanese and Korean."""
    words = [word for word in folded(text).split() if word not in ",:;?!()"]
    return "".join(words if is_cjk(text[:1]) else (f" {word} " for word in words))


def _without(text: str, table: str) -> str:
    for phrase in _phrases(table):
        text = text.replace(phrase, "  ")
    return text


def _refuses(text: str) -> bool:
    return text != _without(text, "refuse")


# --- the proposal -------------------------------------------------------------------------------

_OPTION = Lazy(
    r"^[\s#*_•-]*(?:(?:option|opci[oó]n|op[cç][aã]o|variante?|вариант|方案|選択肢|案|옵션|approach|"
    r"solution|choice)\s*)?[*_(]*([a-f]|[1-9]|[абвг])[*_]*[.):：、—–-][*_]*\s*(\S.*)$",
    ignore_case=True,
)
_LABELS = ("abcdef", "абвг", "123456789")
_PLACES = ("first", "second", "third")


def _index(label: str) -> int:
    """The place of an option by its label, counted from 1; 0 for another text."""
    return next((row.index(label) + 1 for row in _LABELS if len(label) == 1 and label in row), 0)


def _offer(answer: str) -> Proposed:
    typed = (x.text.strip() for x in typed_lines(answer) if x.origin not in ("fenced", "quoted"))
    lines, heading, end = ["", *filter(None, typed)], "", 0
    options: list[str] = []
    for at, line in enumerate(lines):
        found = _OPTION.match(line)
        index = _index(found.group(1).lower()) if found is not None else 0
        if found is not None and index in (1, len(options) + 1):
            heading, options = (lines[at - 1], []) if index == 1 else (heading, options)
            options.append(found.group(2).replace("**", "").strip("*_: "))
            end = at + 1
    return Proposed(heading, tuple(options), tuple(chain(*map(sentences, lines[end:][-2:]))))


def _chosen(offer: Proposed, words: str) -> Iterable[str]:
    """The option that a reply names by its label, its place or its own words."""
    places = (n for n, name in enumerate(_PLACES, 1) if words in map(str.strip, _phrases(name)))
    named = [all(f" {w} " in _spaced(one) for w in words.split()) for one in offer.options]
    at = _index(words) or next(places, 0) or (named.index(True) + 1 if sum(named) == 1 else 0)
    if not 0 < at <= len(offer.options):
        return ()
    option, heading = offer.options[at - 1], offer.heading
    is_context = heading.endswith((":", "：", "?", "？")) and len(heading) <= MAX_HEADING_CHARS
    below = f"{heading} {option}" if is_context else option
    best = max(lasting_score(option), lasting_score(below))
    return () if _is_step(option) or _is_doubtful(below) or best < LEAST_SCORE else (below,)


def _is_step(text: str) -> bool:
    """Whether a text is a step of the work: "restart the server", but not "use the cache"."""
    first = concepts_in(text).first
    return "task" in first and "choose" not in first


def _is_doubtful(text: str) -> bool:
    """Whether a text quotes, holds a secret, or is open or limited."""
    found = concepts_in(text).anywhere
    return any(map(text.__contains__, '"“”„«»「」')) or bool(labels_in(text) or found & _DOUBTS)


_DOUBTS = frozenset({"hearsay", "limit", "either", "hypo"})


def _proposed(offer: Proposed) -> Iterable[str]:
    """What the last question proposes; if it only asks for agreement, what is before it."""
    *before, last = offer.end or ("",)
    question = last.rstrip("?？ \t*_")
    if question == last:
        return ()
    if _is_confirm(question):
        rules = filter(_is_rule, map(_without_opening, before or offer.options))
        return islice(rules, MAX_AGREED)
    said = _without_confirm(question)
    proposed = _without_opening(said.rstrip("か吗嗎"))
    found, left = concepts_in(said), concepts_in(proposed)
    if said == question and ("copula" in found.first or not found.anywhere & _GENERAL):
        return ()
    is_bare = proposed == said == question
    # "Do you always …?", "Does every request …?" and "So you always …, right?" only ask.
    asks = "you" in left.first or (is_bare and ("you" in left.anywhere or "ask" in left.first))
    return () if asks else filter(_is_rule, (proposed,))


def _is_rule(text: str) -> bool:
    """Whether a proposal is a rule: it says so, or is very like one."""
    found = concepts_in(text).anywhere
    general = found & _LASTS or (found >= _OF_ALL and found & _STATES and not _is_step(text))
    least = LEAST_SCORE if general else RULE_SCORE
    return lasting_score(text) >= least and not (_is_doubtful(text) or asks_for_the_same(text))


_LASTS = frozenset({"for_good", "general", "ban"})
_OF_ALL, _STATES = frozenset({"universal"}), frozenset({"present", "copula"})
_GENERAL = _LASTS | _OF_ALL


def _is_confirm(text: str) -> bool:
    return _spaced(text) in _phrases("confirm")


def _without_confirm(question: str) -> str:
    """A question without "…, OK" at its end."""
    at = max(question.rfind(","), question.rfind("，"))
    if at > 0 and _is_confirm(question[at + 1 :]):
        return question[:at]
    ends = (p for p in _phrases("confirm") if is_cjk(p[0]) and question.endswith(p))
    return question.removesuffix(next(ends, "")).rstrip("、")


def _without_opening(text: str) -> str:
    """A proposal without the words that only say that it is one: "I suggest that"."""
    words = text.strip(" ¿-*•").split()
    for _ in range(2):
        sizes = range(min(len(words) - 2, MAX_OPENING_WORDS), 0, -1)
        opens = (n for n in sizes if _spaced(" ".join(words[:n])) in _phrases("offer"))
        words = words[next(opens, 0) :]
    text = " ".join(words)
    for phrase in filter(lambda one: is_cjk(one[0]), _phrases("offer")):
        text = text.replace(phrase, "")
    return text
