"""The quality gate: is this text worth remembering for months, and safe? (EX-3)

Judges one text by tables of words in sixteen languages (`gate_words`), in normalised form and lower
case, so that full-width, invisible and lookalike characters hide nothing. A line that a model
proposes, and to which no rule objects, is also judged by two fitted models (`worth`). Codes have
the order of the specification. Reports only what is wrong; the caller decides whether a refused
text is dropped or waits in the inbox. Pure and linear (EX-6).
"""

# ruff: noqa: E501  Long patterns.
from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import NamedTuple

from msgspec import Struct

from wm.domain.memory import gate_words, worth
from wm.domain.memory.intent import describes_moment, has_harmful_intent, is_guess, reports_progress
from wm.secrets.redact import Redactor
from wm.settings import GateSettings
from wm.text.letters import composed, normalised, unaccented, without_invisible
from wm.text.patterns import Lazy, PatternSet, without_case, words
from wm.text.scripts import is_cjk, is_cjk_heavy

SOFT = ("bad_feedback", "bad_decision")
"""Reasons that make a candidate useless, but not false or harmful. Not shown to a person."""

JUDGED_CHARS = 8000
"""Number of characters judged; a longer text is refused as too_long anyway."""


class GateVerdict(Struct, frozen=True):
    """ok: no reason applies. reasons: all codes, in order. soft: the soft codes among them."""

    ok: bool
    reasons: tuple[str, ...] = ()
    soft: tuple[str, ...] = ()


class _NormalisedText(NamedTuple):
    """A text in the forms that the rules need. text: as written. lower: `plain` in lower case.
    durable: it states a rule."""

    text: str
    plain: str
    lower: str
    type: str
    source: str
    durable: bool
    paths: int
    words: int


def judge(
    text: str,
    *,
    type: str,
    source: str,
    settings: GateSettings,
    redactor: Redactor | None,
    max_chars: int = 2000,
    by_rules: bool = False,
) -> GateVerdict:
    """Judge one text. source: explicit, manual or compaction. max_chars: the longest text kept.
    by_rules: without the models.

    redactor: knows the strings that the user declared not secret; None for a text that was redacted.
    """
    judged = _normalised(text, type, source)
    plain = judged.plain
    if not plain.strip(" .,;:!?-_*`'\"。、"):
        return GateVerdict(False, ("empty",))
    reasons = ["too_short"] if _too_short(judged, settings) else []
    reasons += [code for code, rule in _RULES if rule(judged)]
    if _holds_secret(text[:JUDGED_CHARS], redactor):
        reasons.append("secret")
    if len(text) > max_chars:
        reasons.append("too_long")
    soft = [code for code, rule in _SOFT_RULES if source == "compaction" and rule(judged)]
    is_open = source == "compaction" and not (by_rules or reasons or soft)
    if is_open and len(plain) >= settings.min_chars:
        line = _line(judged, ())
        if worth.is_harmful(line):
            return GateVerdict(False, ("prompt_injection",))
        if worth.is_worthless(line):
            return _worthless(type)
    return GateVerdict(not reasons and not soft, (*reasons, *soft), tuple(soft))


def line_of(text: str, type: str) -> worth.Line:
    """A proposed text as the model of `worth` sees it."""
    judged = _normalised(text, type, "compaction")
    return _line(judged, [code for code, rule in (*_RULES, *_SOFT_RULES) if rule(judged)])


def _line(judged: _NormalisedText, objections: Sequence[str]) -> worth.Line:
    plain = judged.plain
    if _CYRILLIC.is_match(plain):  # the models know Russian words in their own letters
        typed = composed(without_invisible(judged.text)).split()
        found = list(map(_russian, plain.split(), typed))
        latin = [word for word in found if word.isascii()]
        # Two Russian words do not hide an English order from the English model.
        plain = " ".join(latin if 2 * len(latin) > len(found) else found)
    return worth.line_of(plain, judged.type, objections, durable=judged.durable)


def _russian(word: str, typed: str) -> str:
    """A word with the letters that `normalised` made Latin. typed: the word as it was written: a
    word without Latin letters is Russian ("он"), another one only if Cyrillic letters are left."""
    if not _LATIN.is_match(typed):
        return typed
    return word if word.isascii() else word.translate(_RUSSIAN)


_RUSSIAN = str.maketrans("aceopxyrABEKMHOPCTXYZ", "асеорхугАВЕКМНОРСТХУЗ")
_CYRILLIC = Lazy(r"[\x{0400}-\x{04ff}]")
_LATIN = Lazy(r"[A-Za-z]")


def _normalised(text: str, type: str, source: str) -> _NormalisedText:
    plain = _plain(text)
    found = plain.split()
    paths = frozenset(filter(_is_path, found))
    durable = _is_durable(without_case(" ".join(word for word in found if word not in paths)))
    lower = without_case(plain)
    return _NormalisedText(
        text[:JUDGED_CHARS], plain, lower, type, source, durable, *_count_paths(found, paths)
    )


def _plain(text: str) -> str:
    return unaccented(" ".join(normalised(text[:JUDGED_CHARS]).split()))


def _worthless(type: str) -> GateVerdict:
    """The verdict on a worthless line to which no rule objects."""
    soft = {"feedback": ("bad_feedback",), "decision": ("bad_decision",)}.get(type, ())
    return GateVerdict(False, soft or ("temporary_status",), soft)


def reads_as_instruction(text: str) -> bool:
    """Whether the text gives a model an order instead of stating something (TR-3)."""
    return _orders_harm(_plain(text))


def _too_short(judged: _NormalisedText, settings: GateSettings) -> bool:
    size, cjk = len(judged.plain), is_cjk_heavy(judged.plain)
    if judged.source in ("explicit", "manual", "stated"):
        least = settings.min_chars_explicit_cjk if cjk else settings.min_chars_explicit
    else:
        least = settings.min_chars_cjk if cjk else settings.min_chars
    if size >= least:
        return False
    # "scrypt n=16384" is short but complete: parameters and links are facts of few characters.
    return not (judged.type == "reference" and size >= 12 and _PARAMETER.is_match(judged.lower))


_PARAMETER = Lazy(r"\b\w+\s?=\s?\d|https?://\S{6,}|\b(?:port|pin) \d{2,5}\b")


# --- tables --------------------------------------------------------------------------------------


def _compiled(patterns: gate_words.Patterns) -> PatternSet:
    return PatternSet(map(Lazy, unaccented("\0".join(patterns)).split("\0")), together=12)


_DURABLE = _compiled(gate_words.DURABLE)
_PROGRESS = _compiled(gate_words.PROGRESS)
_RAW_ERROR_START = _compiled(gate_words.RAW_ERROR[:4])
_RAW_ERROR = _compiled(gate_words.RAW_ERROR[4:])
_COMMIT_SUBJECT = _compiled(gate_words.COMMIT[:1])
_COMMIT = _compiled(gate_words.COMMIT[1:])
_TEMPORARY = _compiled(gate_words.TEMPORARY)
_QUESTION_MARK = _compiled(gate_words.QUESTION[:1])
_QUESTION = _compiled(gate_words.QUESTION)
_INJECTION = _compiled(gate_words.INJECTION)
_PREFERENCE = _compiled(gate_words.PREFERENCE)
_REPORT = _compiled(gate_words.REPORT)
_EVENT = _compiled(gate_words.EVENT)
_CHOICE = _compiled(gate_words.CHOICE)
_STATEMENT_START = Lazy(unaccented(gate_words.STATEMENT_START))


def _is_durable(prose: str) -> bool:
    """Whether a sentence without its paths states a rule. "Immer noch" and "should we" do not make
    one."""
    return _DURABLE.is_match(_STATES_NO_RULE.sub("", prose))


_STATES_NO_RULE = Lazy(
    r"\bimmer (?:noch|wieder|mehr)\b|\btoujours pas\b|\bnoch immer\b|\b(?:should|must|soll|sollen|deben?|deve) (?:we|i|it|wir|ich|man)\b|"
    r"\b(?:only|nur) (?:sometimes|once|partly|occasionally|manchmal|einmal|gelegentlich|on \w+ machine)\b|"
    r"(?:응답|동작|작동|실행|접속|연결|로드|반응)(?:하지|되지) 않|(?:応答|起動|動作|接続|反応|表示)しない|"
    r"\bevery (?:now and then|once in a while)\b|\bevery time since\b|\bnur noch\b|\bonly [^.;]{1,30} (?:left|remains?|missing)\b|残り(?:は|が)[^。]{0,30}(?:だけ|のみ)|"
    r"^(?:maybe|perhaps|to (?:clarify|decide|discuss|check|confirm))\b.*"
)


def _unless_durable(rows: gate_words.Patterns) -> Callable[[_NormalisedText], bool]:
    """A match counts unless the sentence states a rule: "CI must fail when …" is not a CI report."""
    matches = _always(rows)
    return lambda judged: not judged.durable and matches(judged)


def _always(rows: gate_words.Patterns) -> Callable[[_NormalisedText], bool]:
    patterns = _compiled(rows)
    return lambda judged: patterns.is_match(judged.lower)


_PAST_END = Lazy(gate_words.PAST_END)
_ERROR_FORM = Lazy(unaccented(gate_words.ERROR_FORM))
_ADJECTIVE = Lazy(gate_words.ADJECTIVE)


def _is_progress(judged: _NormalisedText) -> bool:
    if judged.durable:
        return False
    if judged.type == "project" and _PAST_END.is_match(judged.lower):
        return True
    if reports_progress(judged.plain):
        return True
    chooses = judged.type == "decision" and _CHOICE.is_match(judged.lower)
    names_things = _ADJECTIVE.is_match(judged.lower)
    return _PROGRESS.is_match(judged.lower) and not (chooses or names_things)


def _is_commit(judged: _NormalisedText) -> bool:
    is_subject = _COMMIT_SUBJECT.is_match(judged.lower) and not _is_label(judged)
    return is_subject or (not judged.durable and _COMMIT.is_match(judged.lower))


def _is_label(judged: _NormalisedText) -> bool:
    """Whether a line like "Tests: `pnpm vitest run`" names a topic: a commit subject is in lower
    case, or says what was changed."""
    if not _LABEL.is_match(judged.plain) or _CHANGE.is_match(judged.lower):
        return False
    return judged.durable or not _RESULT.is_match(judged.lower)


_LABEL = Lazy(
    r"^(?:Docs|Tests?|Build|CI|Perf|Style|Refactor): |^(?:docs|tests?|build|ci|perf|style): `[^`]+`"
)
_CHANGE = Lazy(
    r"^\w+: (?:add|allow|bump|change|clean|correct|cover|delete|disable|drop|enable|extend|extract|fix|handle|improve|introduce|"
    r"make|merge|migrate|move|pin|port|raise|refactor|remove|rename|replace|revert|simplify|skip|speed|split|switch|update|upgrade)(?:e?s|e?d|ped|ing)?\b"
)
_RESULT = Lazy(
    r"\b(?:\d+ of \d+|green|red|fail\w*|pass(?:ed|es|ing)|broken?|flaky|grun|rot|verde|vert|rouge|rojo)\b"
)


def _is_temporary(judged: _NormalisedText) -> bool:
    # "Do not remember this" reads like a rule but asks for the opposite.
    if _UNWANTED.is_match(judged.lower):
        return True
    return not judged.durable and (
        _TEMPORARY.is_match(judged.lower) or describes_moment(judged.plain)
    )


_UNWANTED = Lazy(
    r"^(?:please )?(?:do not|don't|dont|never) (?:remember|save|store|keep|memori[sz]e) (?:this|that|it)\b"
)


def _is_question(judged: _NormalisedText) -> bool:
    if _QUESTION_MARK.is_match(judged.lower[-12:]):
        return not _SELF_CHECK.is_match(judged.lower)
    return not judged.durable and (_QUESTION.is_match(judged.lower) or is_guess(judged.plain))


_SELF_CHECK = Lazy(r"\bask(?:ing)?(?: yourself| first)?: ")
"""`When creating a test, start by asking: …?` is a way to work, not an open question."""


def _is_raw_error(judged: _NormalisedText) -> bool:
    if _ERROR_FORM.is_match(judged.lower):
        return False
    return _RAW_ERROR_START.is_match(judged.lower) or (
        not judged.durable and _RAW_ERROR.is_match(judged.lower)
    )


# --- paths ---------------------------------------------------------------------------------------

_PATH = Lazy(
    r"^[(\[`'\"]*(?:~|\.{1,2})?/?(?:[\w@.\[\]+-]+/)+[\w@.\[\]+*-]*[`'\")\],:;]*$|^[`'\"(]*[\w@\[\]+-]+\.(?:[a-z]{1,4}\d?|[a-z]{4,5})[`'\"),:;]*$"
)
_NO_PATH = words(
    "and/or tcp/ip i/o n/a 24/7 client/server read/write ci/cd he/she e.g. i.e. etc. on/off z.b. d.h."
)


def _is_path(word: str) -> bool:
    return ("/" in word or "." in word) and _PATH.match(word) is not None


def _count_paths(found: Sequence[str], paths: Container[str]) -> tuple[int, int]:
    """Count the words that are paths, and all words; two CJK characters count as one word."""
    count = total = 0
    for word in found[:400]:
        if word in paths and word.lower() not in _NO_PATH and "://" not in word:
            count += 1
            total += 1
        else:
            cjk = sum(map(is_cjk, word))
            total += cjk // 2 + 1 if cjk else any(map(str.isalnum, word))
    return count, total


def _is_path_heavy(judged: _NormalisedText) -> bool:
    return judged.paths >= 2 and judged.paths * 2 > judged.words


# --- injection and secrets -------------------------------------------------------------------------

_SPACED = Lazy(r"(?:\b[A-Za-z][ ._*-]){5,}[A-Za-z]\b")


def _orders_harm(plain: str) -> bool:
    plain = _SPACED.sub(lambda m: "".join(c for c in m.group() if c.isalpha()), plain)
    return _INJECTION.is_match(without_case(plain)) or has_harmful_intent(plain)


def _holds_secret(text: str, redactor: Redactor | None) -> bool:
    """Whether the text contains a secret, or the label of a redacted one."""
    return "[secret:" in text or (redactor is not None and bool(redactor.find(text)))


# --- soft reasons ------------------------------------------------------------------------------------


def _is_bad_feedback(judged: _NormalisedText) -> bool:
    """Whether feedback says nothing about how to work: a report or a description."""
    if judged.type != "feedback" or judged.durable:
        return False
    if _REPORT.is_match(judged.lower):
        return True
    # A person's way of working implies how to work for them.
    prefers = judged.lower.startswith("the user ") or _PREFERENCE.is_match(judged.lower)
    return not prefers and _STATEMENT_START.is_match(judged.lower)


def _is_bad_decision(judged: _NormalisedText) -> bool:
    """Whether a decision decides nothing: an event, a step of work."""
    if judged.type != "decision" or _CHOICE.is_match(judged.lower):
        return False
    # "The console is React 18; Redux was removed": the first clause is the decision.
    first = _CLAUSE.match(judged.lower)
    return _EVENT.is_match(first.group() if first is not None else judged.lower)


_CLAUSE = Lazy(r"[^;:：；]+")


_RULES: tuple[tuple[str, Callable[[_NormalisedText], bool]], ...] = (
    ("progress_snapshot", _is_progress),
    ("raw_error", _is_raw_error),
    ("stack_trace", _always(gate_words.STACK)),
    ("commit_or_ci_snapshot", _is_commit),
    ("path_heavy", _is_path_heavy),
    ("temporary_status", _is_temporary),
    ("active_file_snapshot", _unless_durable(gate_words.ACTIVE_FILE)),
    ("code_or_api_signature", _always(gate_words.CODE)),
    ("unresolved_question", _is_question),
    ("transient_bug_state", _unless_durable(gate_words.TRANSIENT_BUG)),
    ("deployment_snapshot", _unless_durable(gate_words.DEPLOYED)),
    ("prompt_injection", lambda judged: _orders_harm(judged.plain)),
)
_SOFT_RULES = (("bad_feedback", _is_bad_feedback), ("bad_decision", _is_bad_decision))
