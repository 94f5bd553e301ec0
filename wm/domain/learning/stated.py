"""Find what a user states as lasting without asking to remember it (EX-7).

A linear model weighs the features of each sentence that the user typed (`sentence_features`). A
quarter of the statements are a clause of a longer sentence ("the tile server has 6 replicas, so
warm the cache"), so its clauses are weighed like sentences, and the best that do not overlap are
taken. Questions, retractions and judgements about people exclude a text whatever its weight. Pure
and linear (EX-6). Does not judge whether a text is worth keeping; the gate does (EX-3).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from wm.domain.change.statement import ARTICLES
from wm.domain.learning.concepts import ASIDE, concepts_of, folded, phrases
from wm.domain.learning.entry_type import infer_type
from wm.domain.learning.function_words import LATIN
from wm.domain.learning.sentence_features import Sentence, clauses, is_closed, model, sentences
from wm.text.patterns import Lazy
from wm.text.patterns import words as word_set

MAX_CERTAIN_CHARS = 160
"""Longest statement that is kept at once. A longer one says more than what lasts, so it waits: of
the five in 3,096 real messages none lasts."""

MAX_REMARKS = 8
"""Sentences of a message whose statements are kept. In a longer one they wait: of the ten lines
that 108 such real messages would leave, one lasts."""

ACTIVE_SCORE = 0.75
"""A statement of at least this score is kept. Of 673 real messages of 46 projects that no fit uses,
a limit of 0.6 keeps 15 lines that last, 9 doubtful ones and 17 that do not, 0.75 14, 7 and 12."""

LASTING_SCORE = 0.5
"""A text of this score lasts as likely as not, if a request seems to be about it."""

BRIEF_SCORE = -0.3
"""The same before any work, for a message of one sentence, and for a sentence that asks for nothing
in one of two to four. Of 1,086 real messages that no fit uses it keeps one line that lasts and two
that do not; with -0.4, and in the middle of work too, two and 13."""

TASK_SCORE = 3.0
"""The same for an order or a wish in the middle of work that neither says that it lasts nor
corrects: "let's make sure to run the end-to-end test"."""

BAN_SCORE = -0.5
"""The same for a sentence that opens with a ban: "don't edit the seeds and don't run them". Of
1,087 real messages that no fit uses it keeps two lines that last and none that does not."""

ALWAYS_SCORE = -4.0
"""The same for an order to do something always: "always check the docs", "can you always …", and in
other languages with the verb first, "nutze immer …"."""

PLAIN_SCORE = -2.5
"""The same for a plain statement (`_is_plain`), if the message has nothing else and opens a
session: "packages/api uses jest". In the middle of work it waits."""

NAMED_SCORE = -0.6
"""The same for one whose value is a plain word: "the main branch is trunk"."""

ASKING_SCORE = 1.5
"""The same beside a question in a message of two to four sentences, whose background the statement
may be. Of 5,200 real messages, three lines that last and two that do not have a score between
`ACTIVE_SCORE` and this; in longer messages, seven that last and none that does not."""

WAITING_SCORE, LONG_WAITING_SCORE = -1.05, -0.5
"""A statement of at least this score waits in the inbox; the second is for a message of more than
`MAX_REMARKS` sentences. Of the statements in 917 real messages none of 18 with a score from -1.4 to
-1.05 lasts, and none of 15 that would wait with a lower one because another one waits."""

CHANGE_SCORE = -3.2
"""A statement of at least this score is kept if it surely changes what is known: "index got
resharded to 12 shards on sunday". Beside 20 entries each, 314 of 626 messages with a change retire
the right entry, and 9 of 2,125 others retire one."""

CLAUSE_SCORE = -4.0
"""The clauses of a sentence of at least this score are judged: two thirds of the sentences of
messages with a statement, a fifth of those of real messages, nine of ten statements in clauses."""

LANGUAGE_SCORE = 1.0
"""Least score of a wish to be answered in a language. Nearly every person means it to last, also
in the middle of work, where so few words mostly belong to the task."""

EXCLUDED = word_set("asks person retract next:retract sarcasm first:limit denied first:example")
"""Features of a sentence that is never learned from."""


class Statement(NamedTuple):
    """Something lasting that the user stated. type, scope: as in an entry. is_certain: it may be
    kept without asking the user. only_change: it is kept only if it changes a known entry. around:
    longer texts of the message that contain it, set no task and do not ask. is_hearsay: it says
    what another or a document says, so it retires nothing without asking the user. agreed: the
    words with which the user agreed to it, if the agent proposed it."""

    text: str
    type: str
    scope: str
    is_certain: bool
    only_change: bool = False
    around: tuple[str, ...] = ()
    is_hearsay: bool = False
    agreed: str = ""


def statements(message: str, before: str = "") -> tuple[Statement, ...]:
    """What a message states as lasting, in order. before: the end of the agent's last words."""
    return tuple(one for one in candidates(message, before) if not one.only_change)


def candidates(message: str, before: str = "") -> tuple[Statement, ...]:
    """The same, and behind it what is kept only if it changes a known entry."""
    complete = sentences(message, before)
    if complete and _gives_role(complete[0].features):
        return ()  # a prompt for one run: "You are a reviewer. Always answer in JSON."
    scored = [(one, _score(one)) for one in complete]
    is_short = len(complete) <= MAX_REMARKS
    cut = [one for one, score in scored if is_short and _has_clauses(one, score)]
    parts = chain.from_iterable(map(clauses, cut))
    scored += [(part, score) for part in parts if (score := _score(part)) >= CHANGE_SCORE]
    only_plain = all(
        _is_plain(one.features) or _is_filler(one.features) or score >= ACTIVE_SCORE
        for one, score in scored[: len(complete)]
    )
    of_sentence = {one.place.sentence: one for one in complete}
    least = WAITING_SCORE if is_short else LONG_WAITING_SCORE
    together = _as_one(complete)
    found = []
    for sentence, score in _apart(scored):
        text, features = sentence.text, sentence.features
        plain = only_plain and _is_plain(features)
        certain = score >= _certain_score(features, plain)
        only_change = score < least and not (plain or certain)
        if (score < CHANGE_SCORE and not certain) or _opens_as_question(sentence):
            continue
        if only_change and _is_order(features):
            continue
        certain = certain and is_short and len(text) <= MAX_CERTAIN_CHARS
        certain = certain and "unsure" not in features and is_closed(text)
        own = of_sentence[sentence.place.sentence]
        longer = dict.fromkeys(("" if own.features & _TASKS else own.text, together))
        around = tuple(x for x in longer if len(text) < len(x) <= MAX_CERTAIN_CHARS)
        kept, scope = _without_aside(sentence), _scope(sentence, own.features)
        hearsay = "hearsay" in own.features
        kind = infer_type(kept)
        found.append(Statement(kept, kind, scope, certain, only_change, around, hearsay))
    return tuple(sorted(found, key=lambda one: one.only_change))


def _gives_role(features: frozenset[str]) -> bool:
    return "first:role" in features or {"first:introduced", "profession"} <= features


def _as_one(complete: Sequence[Sentence]) -> str:
    """The text of two short sentences of which none sets a task or asks; else ""."""
    if len(complete) != 2 or any(one.features & _TASKS for one in complete):
        return ""
    first, second = (one.text for one in complete)
    return f"{first}{'' if first[-1] in _ENDS else ';'} {second}"


_TASKS = frozenset({"first:task", "first:request", "asks", "limit"})
_ENDS = frozenset(".!…。！")


def _apart(scored: Iterable[tuple[Sentence, float]]) -> list[tuple[Sentence, float]]:
    """The sentences and clauses that score highest, without those that overlap them, in order."""
    found: list[tuple[Sentence, float]] = []
    for one, score in sorted(scored, key=lambda each: each[1], reverse=True):
        if not any(one.place.overlaps(other.place) for other, _ in found):
            found.append((one, score))
    return sorted(found, key=lambda each: each[0].place)


def _score(sentence: Sentence) -> float:
    """The score of a sentence; minus infinity for one that is never learned from."""
    features = sentence.features
    if _is_polite(features):
        features -= {"asks", "inner_ask", "first:request", "request"}
    if _is_excluded(features):
        return -math.inf
    score = model().weigh(features, sentence.grams)
    return max(score, LANGUAGE_SCORE) if _names_language(features) else score


def _is_excluded(features: frozenset[str]) -> bool:
    if features & EXCLUDED or _limits_a_task(features) or _is_question(features):
        return True
    # What is to be changed next does not last: "The API uses REST. Convert it to GraphQL."
    return "next:first:alters" in features and not features & _DIRECTIVE


def _is_question(features: frozenset[str]) -> bool:
    """Whether a text asks without a question mark. Of 1,182 labelled texts with such words 29 last,
    most of them rules ("always tell me which files you changed"). Behind a question's ending even
    rules ask."""
    ends = "particle" in features
    exempt = {"answer", "request"} if ends else {"always", "ban", "must", "answer"}
    return "questioned" in features and not features & exempt


def _opens_as_question(sentence: Sentence) -> bool:
    """Whether the verb comes first, in a language where only a question begins so: "is the queue
    Kafka now"."""
    return "first:copula" in sentence.features and sentence.lang in ("en", "de", "nl", "sv")


def _names_language(features: frozenset[str]) -> bool:
    """Whether a text only asks to be answered in a language: "antworte auf Deutsch". With more
    words it is about an answer to others, unless they say that it lasts or is for the user."""
    if not ({"speak", "tongue"} <= features and features & {"first:speak", "first:tongue"}):
        return False
    return "tiny" in features or ("short" in features and bool(features & _PERSONAL))


_PERSONAL = frozenset({"myself", "always", "since_now", "only"})


def _has_clauses(sentence: Sentence, score: float) -> bool:
    """Whether a clause may state something. A question may follow what is known ("we are on
    Postgres 15, does it have MERGE?"); what else excludes a sentence excludes its clauses."""
    if score == -math.inf and not _is_excluded(sentence.features - {"asks", "questioned"}):
        score = model().weigh(sentence.features, sentence.grams)
    return score >= CLAUSE_SCORE or {"speak", "tongue"} <= sentence.features


def missed_because(message: str) -> str:
    """The code of the likely reason why a message without statements has none."""
    features = frozenset[str]().union(*(one.features for one in sentences(message)))
    return next((code for name, code in _MISSED.items() if name in features), "not_lasting")


_MISSED = {
    "person": "about_person",
    "role": "task",
    "asks": "question",
    "retract": "retracted",
    "task": "task",
}
"""Features, the likeliest reason first, and their codes."""


def lasting_score(text: str) -> float:
    """How far the best sentence of a text, taken alone, is above `LASTING_SCORE`."""
    return max(map(_score, sentences(text)), default=-math.inf) - LASTING_SCORE


def scope_of(text: str) -> str:
    """The scope of a text that the user asks to keep: as if it was said in passing."""
    found = sentences(text)
    return _scope(found[0], found[0].features) if len(found) == 1 else "workspace"


def _certain_score(features: frozenset[str], plain: bool) -> float:
    """The score from which a sentence is kept. plain: it is a plain statement in a message of such
    statements, so it does not describe a task that another sentence sets."""
    if plain and "before" not in features:
        return PLAIN_SCORE if features & _VALUE else NAMED_SCORE
    if "first:introduces" in features and not features & {"defect", "report", "task", "deictic"}:
        return WAITING_SCORE
    if {"asking", "few"} <= features and not (features & _RULE or _names_language(features)):
        return ASKING_SCORE
    orders = {"orders:always", "task"} <= features or "does:always" in features
    if orders and not features & _OF_PRODUCT:
        return ALWAYS_SCORE
    if _is_ban(features):
        return BAN_SCORE
    if "before" in features or "trouble" in features:
        return TASK_SCORE if _is_order(features) else ACTIVE_SCORE
    reports = {"first:myself", "first:past"} <= features
    is_brief = "few" in features and not (reports or features & {"first:task", "request", "ask"})
    return BRIEF_SCORE if is_brief or "alone" in features else ACTIVE_SCORE


def _is_order(features: frozenset[str]) -> bool:
    """Whether a text asks for something that it does not say to last: "please migrate the ledger to
    gRPC", "I want a second tab"."""
    if "first:state" in features and features & {"practice", "technology"}:
        return False  # "use absolute imports"
    asks = features & {"first:task", "first:request", "wishes"}
    return bool(asks) and not features & _MORE_THAN_A_TASK


_MORE_THAN_A_TASK = frozenset(
    {"always", "answer", "ban", "contrast", "correct", "negated", "only", "since_now"}
)

_RULE = frozenset({"always", "first:ban", "must", "only", "prefer", "answer"})
"""A sentence with one of these is more than the background of a question."""


def _is_ban(features: frozenset[str]) -> bool:
    """Whether a text forbids something. "never works on Safari" has no task; a quotation shows what
    a program printed."""
    is_order = "task" in features or "first:always" not in features
    return is_order and bool(features & {"first:ban", "orders:ban"}) and "quoted" not in features


_OF_PRODUCT = frozenset({"defect", "screen"})
"""What something always does wrong, or always shows, is about the product."""

_VALUE = frozenset({"number", "path", "proper"})


def _is_filler(features: frozenset[str]) -> bool:
    """Whether a sentence is a greeting or the like: a few words that ask for nothing."""
    return "tiny" in features and not features & {"task", "request", "ask", "asks", "number"}


_BRIEF = frozenset({"tiny", "short"})
_PREDICATE = frozenset({"state", "copula", "about_thing"})
_NOT_PLAIN = word_set("""
    defect report hypo limit soon plan past ask asks asking deictic inner_ask retract sarcasm person
    you myself should refers option accepts ellipsis pasted write negated ahead quoted long
    first:task first:request first:subject_not first:joined first:ask first:you first:we
    first:choose first:present first:condition reason speaker trouble
""")


def _is_plain(features: frozenset[str]) -> bool:
    """Whether a sentence says of a named thing what its value is: "packages/api uses jest", "the
    staging DB is on port 5433". A task, a report of a fault or a wish does not have this form."""
    if "own_project" in features:
        features -= {"deictic", "first:deictic", "first:subject_not", "first:choose"}
    if features & _NOT_PLAIN or not features & _PREDICATE:
        return False
    return bool(features & _VALUE or (features & {"state", "copula"} and features & _BRIEF))


_OF_PROJECT = frozenset({"we", "own_project", "path", "url", "number", "code_name", "decide"})
_LOCATED = frozenset({"path", "url"})
_LASTING = frozenset({"always", "universal", "state", "answer"})
"""Features of a ban that is more than the limit of a task."""

_DIRECTIVE = frozenset({"always", "ban", "must", "prefer", "answer", "first:task"})


def _is_polite(features: frozenset[str]) -> bool:
    """Whether a question asks for a way of working: "can you always show me the plan first?"."""
    orders = {"always", "answer"} <= features or bool(features & {"orders:always", "orders:ban"})
    return "first:request" in features and orders


def _limits_a_task(features: frozenset[str]) -> bool:
    """Whether a ban belongs to the task before it: "fix the parser and don't touch the styles", but
    not in "make sure that you don't touch the styles"."""
    if {"first:assure", "orders:ban"} <= features and "joined" not in features:
        return False
    is_task = "first:task" in features or {"first:request", "task", "joined"} <= features
    # "do not …" is a ban, although "do …" is a task.
    return is_task and "ban" in features and not features & (_LASTING | {"first:ban"})


def _scope(sentence: Sentence, complete: frozenset[str]) -> str:
    """How the user wants to be answered holds in every project, and what is said of all projects of
    the user; everything else in this one, also what names somebody, or a clause whose complete
    sentence names something of the project (ID-3). A language by itself does not address the user:
    "comments are in German"."""
    features = sentence.features
    if _has_name(sentence):
        return "workspace"
    if _names_language(features) or ("all_projects" in complete and not complete & _LOCATED):
        return "user"
    if "answer" not in features or complete & _OF_PROJECT:
        return "workspace"
    if "tongue" not in features:
        return "user"
    is_answer = features & {"myself", "first:answer"} and not features & {"practice", "workfile"}
    return "user" if is_answer or "speak" in features else "workspace"


_NAMES = Lazy(r"\S\s+(\p{Lu}[\pL\pN-]+(?:\s+\p{Lu}[\pL\pN-]+)*)")


def _has_name(sentence: Sentence) -> bool:
    """Whether a text names something other than a language, or begins with a word that may be a
    name: it expresses nothing, also beside the next one ("Kurze Antworten"). German writes every
    noun with a capital."""
    text, lang = sentence.text, sentence.lang
    names = _NAMES.finditer(text) if lang != "de" else ()
    if any("tongue" not in concepts_of(folded(x.group(1)), lang).anywhere for x in names):
        return True
    first, second = [*text.split(), "", ""][:2]
    if not first.istitle() or any(name.startswith("first:") for name in sentence.features):
        return False
    opening = concepts_of(folded(f"{first} {second}"), lang).anywhere
    return first.lower() not in LATIN and "answer" not in opening


def _without_aside(sentence: Sentence) -> str:
    """The text to keep, without words before the remark: "fyi the port is 5433"."""
    table, low = phrases(ASIDE), sentence.text.lower().replace(",", "")
    greetings = table["any"].split("|")
    words = (*greetings, *table.get(sentence.lang, "").split("|"))
    opening = max((w for w in words if w and low.startswith(f"{w} ")), key=len, default="")
    rest = sentence.text[len(opening) :].strip(" ,")
    if len(rest.split()) < 3 or (opening in greetings and not _begins_remark(rest, sentence.lang)):
        return sentence.text
    return rest


def _begins_remark(text: str, lang: str) -> bool:
    """Whether a text begins a remark, so that the word before it is a greeting: not "hi" in "hi res
    images"."""
    first = folded(text).split(" ")[0]
    return first in ARTICLES or not _OPENINGS.isdisjoint(concepts_of(folded(text), lang).first)


_OPENINGS = frozenset({"we", "ban", "always", "only", "since_now"})
"""What begins a remark behind a greeting, besides an article."""
