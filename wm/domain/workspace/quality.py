"""The quality gate: is this text worth remembering for months, and safe to? (EX-3)

Judges one text by tables of words in eight languages (`gate_words`), on its normalised form, so
that full-width, invisible and lookalike characters hide nothing. Codes come in the order of the
specification. Says only what is wrong: whether a refused text is dropped or waits in the inbox
is the caller's decision. Pure and linear (EX-6).
"""

# ruff: noqa: E501  Long patterns.
from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from msgspec import Struct

from wm.domain import pieces
from wm.domain.patterns import Lazy, Sift, encoded, words
from wm.domain.redact import Redactor
from wm.domain.session.infer import infer_type as infer_type
from wm.domain.text import is_cjk, is_cjk_heavy, normalised, unaccented
from wm.domain.workspace import gate_words
from wm.settings import GateSettings

SOFT = ("bad_feedback", "bad_decision")
"""What makes a candidate useless without making it false or harmful. Not asked of a person."""

JUDGED_CHARS = 8000
"""So much of a text is judged; what is longer is refused as too_long anyway."""


class Verdict(Struct, frozen=True):
    """ok: nothing speaks against it. reasons: every code, in order. soft: those that are soft."""

    ok: bool
    reasons: tuple[str, ...] = ()
    soft: tuple[str, ...] = ()


class _Text(NamedTuple):
    """A text as the rules see it. likely: the patterns that can match in it."""

    plain: str
    likely: frozenset[Lazy]
    type: str
    source: str
    durable: bool
    paths: int
    words: int

    def matches(self, patterns: tuple[Lazy, ...]) -> bool:
        return _any(patterns, self.plain, self.likely)


def judge(
    text: str,
    *,
    type: str,
    source: str,
    settings: GateSettings,
    redactor: Redactor,
    max_chars: int = 2000,
) -> Verdict:
    """Judge one text. source: explicit, manual or compaction. max_chars: longest text kept.

    redactor: knows what the user declared to be no secret.
    """
    plain = unaccented(" ".join(normalised(text[:JUDGED_CHARS]).split()))
    if not plain.strip(" .,;:!?-_*`'\"。、"):
        return Verdict(False, ("empty",))
    likely = SIFT.likely(plain)
    durable = _is_durable(plain, likely)
    seen = _Text(plain, likely, type, source, durable, *_count_paths(plain))
    reasons = ["too_short"] if _too_short(plain, type, source, settings) else []
    reasons += [code for code, rule in _RULES if rule(seen)]
    if _holds_secret(text[:JUDGED_CHARS], redactor):
        reasons.append("secret")
    if len(text) > max_chars:
        reasons.append("too_long")
    soft = [code for code, rule in _SOFT_RULES if source == "compaction" and rule(seen)]
    return Verdict(not reasons and not soft, (*reasons, *soft), tuple(soft))


def reads_as_instruction(text: str) -> bool:
    """Does the text give a model an order rather than say something? (TR-3)"""
    plain = unaccented(" ".join(normalised(text[:JUDGED_CHARS]).split()))
    return _is_injection(_Text(plain, SIFT.likely(plain), "", "", False, 0, 0))


def _too_short(plain: str, type: str, source: str, settings: GateSettings) -> bool:
    cjk = is_cjk_heavy(plain)
    if source in ("explicit", "manual"):
        least = settings.min_chars_explicit_cjk if cjk else settings.min_chars_explicit
    else:
        least = settings.min_chars_cjk if cjk else settings.min_chars
    if len(plain) >= least:
        return False
    # "scrypt n=16384" is short and whole: parameters and links are facts of few characters.
    return not (type == "reference" and len(plain) >= 12 and _PARAMETER.search(plain))


_PARAMETER = Lazy(r"\b\w+\s?=\s?\d|https?://\S{6,}|\b(?:port|pin) \d{2,5}\b", ignore_case=True)


# --- tables --------------------------------------------------------------------------------------


def _compiled(patterns: gate_words.Patterns) -> tuple[Lazy, ...]:
    return tuple(Lazy(unaccented(pattern), ignore_case=True) for pattern in patterns)


def _any(patterns: tuple[Lazy, ...], text: str, likely: frozenset[Lazy] | None = None) -> bool:
    raw = encoded(text)
    return any(pattern.found_in(raw) for pattern in patterns if likely is None or pattern in likely)


_DURABLE = _compiled(gate_words.DURABLE)
_PROGRESS = _compiled(gate_words.PROGRESS)
_RAW_ERROR = _compiled(gate_words.RAW_ERROR)
_STACK = _compiled(gate_words.STACK)
_COMMIT = _compiled(gate_words.COMMIT)
_TEMPORARY = _compiled(gate_words.TEMPORARY)
_ACTIVE_FILE = _compiled(gate_words.ACTIVE_FILE)
_CODE = _compiled(gate_words.CODE)
_QUESTION = _compiled(gate_words.QUESTION)
_TRANSIENT_BUG = _compiled(gate_words.TRANSIENT_BUG)
_DEPLOYED = _compiled(gate_words.DEPLOYED)
_INJECTION = _compiled(gate_words.INJECTION)
_NEVER_BEFORE = _compiled(gate_words.NEVER_BEFORE)
_NEVER_AFTER = _compiled(gate_words.NEVER_AFTER)
_PREFERENCE = _compiled(gate_words.PREFERENCE)
_REPORT = _compiled(gate_words.REPORT)
_EVENT = _compiled(gate_words.EVENT)
_CHOICE = _compiled(gate_words.CHOICE)
_STATEMENT_START = Lazy(unaccented(gate_words.STATEMENT_START), ignore_case=True)


def _is_durable(plain: str, likely: frozenset[Lazy]) -> bool:
    """Does the sentence state a rule? Paths, "immer noch" and "should we" state none."""
    prose = " ".join(word for word in plain.split() if not _is_path(word))
    if prose != plain or _STATES_NO_RULE in likely:
        prose = _STATES_NO_RULE.sub("", prose)
        likely = SIFT.likely(prose)
    return _any(_DURABLE, prose, likely)


_STATES_NO_RULE = Lazy(
    r"\bimmer (?:noch|wieder|mehr)\b|\btoujours pas\b|\bnoch immer\b|\b(?:should|must|soll|sollen|deben?|deve) (?:we|i|it|wir|ich|man)\b|"
    r"\b(?:only|nur) (?:sometimes|once|partly|occasionally|manchmal|einmal|gelegentlich|on \w+ machine)\b|"
    r"(?:응답|동작|작동|실행|접속|연결|로드|반응)(?:하지|되지) 않|(?:応答|起動|動作|接続|反応|表示)しない|"
    r"\bevery (?:now and then|once in a while)\b|"
    r"^(?:maybe|perhaps|to (?:clarify|decide|discuss|check|confirm))\b.*",
    ignore_case=True,
)


def _unless_durable(patterns: tuple[Lazy, ...]) -> Callable[[_Text], bool]:
    """A snapshot, unless the sentence states a rule: "CI must fail when …" is no CI report."""
    return lambda seen: not seen.durable and seen.matches(patterns)


def _plainly(patterns: tuple[Lazy, ...]) -> Callable[[_Text], bool]:
    return lambda seen: seen.matches(patterns)


_PAST_END = Lazy(gate_words.PAST_END)
_ADJECTIVE = Lazy(gate_words.ADJECTIVE, ignore_case=True)


def _is_progress(seen: _Text) -> bool:
    if seen.durable:
        return False
    if seen.type == "project" and _PAST_END.search(seen.plain) is not None:
        return True
    if not seen.matches(_PROGRESS):
        return False
    if seen.type == "decision" and seen.matches(_CHOICE):
        return False
    return _ADJECTIVE.search(seen.plain) is None


def _is_commit(seen: _Text) -> bool:
    return seen.matches(_COMMIT[:1]) or (not seen.durable and seen.matches(_COMMIT))


def _is_temporary(seen: _Text) -> bool:
    # "Do not remember this" reads like a rule and asks for the opposite of one.
    if seen.matches((_UNWANTED,)):
        return True
    return not seen.durable and seen.matches(_TEMPORARY)


_UNWANTED = Lazy(
    r"^(?:please )?(?:do not|don't|dont|never) (?:remember|save|store|keep|memori[sz]e) (?:this|that|it)\b",
    ignore_case=True,
)


def _is_question(seen: _Text) -> bool:
    if _any(_QUESTION[:1], seen.plain[-12:], seen.likely):
        return True
    return not seen.durable and seen.matches(_QUESTION)


def _is_raw_error(seen: _Text) -> bool:
    start = seen.matches(_RAW_ERROR[:4])
    return start or (not seen.durable and seen.matches(_RAW_ERROR[4:]))


# --- paths ---------------------------------------------------------------------------------------

_PATH = Lazy(
    r"^[(\[`'\"]*(?:~|\.{1,2})?/?(?:[\w@.\[\]+-]+/)+[\w@.\[\]+*-]*[`'\")\],:;]*$|^[`'\"(]*[\w@\[\]+-]+\.(?:[a-z]{1,4}\d?|[a-z]{4,5})[`'\"),:;]*$"
)
_NO_PATH = words(
    "and/or tcp/ip i/o n/a 24/7 client/server read/write ci/cd he/she e.g. i.e. etc. on/off z.b. d.h."
)


def _is_path(word: str) -> bool:
    return ("/" in word or "." in word) and _PATH.match(word) is not None


def _count_paths(plain: str) -> tuple[int, int]:
    """How many words are paths, and how many words there are; two CJK characters are one."""
    paths = total = 0
    for word in plain.split()[:400]:
        if _is_path(word) and word.lower() not in _NO_PATH and "://" not in word:
            paths += 1
            total += 1
        else:
            cjk = 0 if word.isascii() else sum(map(is_cjk, word))
            total += cjk // 2 + 1 if cjk else any(map(str.isalnum, word))
    return paths, total


def _is_path_heavy(seen: _Text) -> bool:
    return seen.paths >= 2 and seen.paths * 2 > seen.words


# --- injection and secrets -------------------------------------------------------------------------

_SPACED = Lazy(r"(?:\b[A-Za-z][ ._*-]){5,}[A-Za-z]\b")


def _is_injection(seen: _Text) -> bool:
    plain = _SPACED.sub(lambda m: "".join(c for c in m.group() if c.isalpha()), seen.plain)
    likely = seen.likely if plain == seen.plain else SIFT.likely(plain)
    for pattern in _INJECTION:
        if pattern not in likely:
            continue
        for match in pattern.finditer(plain):
            if not _forbids(plain, match.start(), match.group()):
                return True
    return False


def _forbids(plain: str, at: int, found: str) -> bool:
    """`Never run migrations without asking`: the order is forbidden, not given."""
    if found.lower().startswith("agent"):
        return _NEGATED.search(found) is not None and _ASKS.search(found) is None
    without = _WITHOUT.search(found) or _EXPOSES.search(found)
    if without is None:
        return False
    after = plain[at + without.end() :]
    return _any(_NEVER_BEFORE, plain[max(0, at - 80) : at]) or _any(_NEVER_AFTER, after[:80])


_WITHOUT = Lazy(
    r"^(?:without|ohne|sin|sans|sem)\b|^(?:无|無|未|不经|不經|毋)|(?:なし|無し|なく|無く|ずに?)(?:に|で)?|없이",
    ignore_case=True,
)
_EXPOSES = Lazy(
    r"^(?:print|reveal|dump|expose|disclose|paste|output|imprim|revel|muestr|mostr|affich|divulg|gib|zeig|verrat|druck)|"
    r"^(?:打印|输出|泄露|公开|显示)|(?:表示|出力|公開|漏ら|출력|표시|공개|유출)$",
    ignore_case=True,
)
_ASKS = Lazy(
    r"\b(?:never|no longer|doesn't|does not|need not|needn't) (?:need to )?(?:asks?|confirms?|waits?)\b",
    ignore_case=True,
)
"""An agent that never does that acts on its own."""

_NEGATED = Lazy(r"\b(?:never|not|no)\b", ignore_case=True)


def _holds_secret(text: str, redactor: Redactor) -> bool:
    """A secret, or the label of one that was redacted before."""
    return "[secret:" in text or bool(redactor.find(text))


# --- soft reasons ------------------------------------------------------------------------------------


def _is_bad_feedback(seen: _Text) -> bool:
    """Feedback that says nothing about how to work: a report or a description."""
    if seen.type != "feedback":
        return False
    if seen.matches(_REPORT):
        return not seen.durable
    describes = seen.matches((_STATEMENT_START,))
    if seen.plain.lower().startswith("the user "):
        return False  # how a person works tells how to work for them
    return describes and not seen.durable and not seen.matches(_PREFERENCE)


def _is_bad_decision(seen: _Text) -> bool:
    """A decision that decides nothing: an event, a step of work."""
    if seen.type != "decision" or seen.matches(_CHOICE):
        return False
    # "The console is React 18; Redux was removed": what comes first is the decision.
    first = _CLAUSE.match(seen.plain)
    return _any(_EVENT, first.group() if first is not None else seen.plain)


_CLAUSE = Lazy(r"[^;:：；]+")


_RULES: tuple[tuple[str, Callable[[_Text], bool]], ...] = (
    ("progress_snapshot", _is_progress),
    ("raw_error", _is_raw_error),
    ("stack_trace", _plainly(_STACK)),
    ("commit_or_ci_snapshot", _is_commit),
    ("path_heavy", _is_path_heavy),
    ("temporary_status", _is_temporary),
    ("active_file_snapshot", _unless_durable(_ACTIVE_FILE)),
    ("code_or_api_signature", _plainly(_CODE)),
    ("unresolved_question", _is_question),
    ("transient_bug_state", _unless_durable(_TRANSIENT_BUG)),
    ("deployment_snapshot", _unless_durable(_DEPLOYED)),
    ("prompt_injection", _is_injection),
)
_SOFT_RULES = (("bad_feedback", _is_bad_feedback), ("bad_decision", _is_bad_decision))

SIFT = Sift(
    (
        *_DURABLE,
        *_PROGRESS,
        *_RAW_ERROR,
        *_STACK,
        *_COMMIT,
        *_TEMPORARY,
        *_ACTIVE_FILE,
        *_CODE,
        *_QUESTION,
        *_TRANSIENT_BUG,
        *_DEPLOYED,
        *_INJECTION,
        *_PREFERENCE,
        *_REPORT,
        *_EVENT,
        *_CHOICE,
        _STATEMENT_START,
        _STATES_NO_RULE,
        _UNWANTED,
    ),
    pieces.GATE,
)
"""What `_Text.matches` is asked about."""
