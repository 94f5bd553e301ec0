"""Foreign text is matched in linear time only (EX-6, TR-5)."""

import importlib
import pkgutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import wm
from wm.domain.learning import provenance, requests, statements
from wm.domain.memory import candidates, echo_guard, gate
from wm.formats.session_state import WordOrigins
from wm.secrets import redact
from wm.settings import GateSettings, OriginSettings
from wm.text import escape, letters, sentences
from wm.text.patterns import Lazy, PatternSet

ROOT = Path(wm.__file__).parent
PURE = ("text", "secrets", "domain")
BOUND_S = 4.0
"""Generous: the same work takes minutes where a pattern backtracks."""

GATE = GateSettings()
REDACTOR = redact.Redactor(lambda secret: f"{len(secret):064x}")
DOORS: dict[str, Callable[[str], object]] = {
    "redact": REDACTOR.text,
    "requests": lambda s: requests.find_requests(s, GATE),
    "forgets": lambda s: requests.find_requests_and_forgets(s, GATE)[1],
    "candidates": candidates.parse,
    "echo": echo_guard.without_injected,
    "gate": lambda s: gate.judge(
        s, type="project", source="compaction", settings=GATE, redactor=REDACTOR
    ),
    "decisions": statements.decisions_in,
    "canonical": letters.canonical,
    "neutral": escape.neutralise,
    "safe": escape.safe,
    "sentences": lambda s: sentences.first_sentences(s, 260),
    "words of a tool": lambda s: _words().record_foreign(s),
    "words of a user": lambda s: _words().record_user(s),
    "words of a candidate": lambda s: _words().judge(s),
}


def _words() -> provenance.SessionWords:
    return provenance.SessionWords(WordOrigins(), b"k" * 16, OriginSettings())


HOSTILE = {
    "blank lines": "\n" * 12_000,
    "spaces": " " * 48_000 + "x",
    "one long word": "a" * 48_000,
    "slashes": "a/" * 8_000,
    "assignments": "a=" * 8_000,
    "begin lines": "-----BEGIN PRIVATE KEY-----\n" * 500,
    "key prefixes": "eyJ-" * 4_000,
    "tags": "<system-reminder" * 3_000,
    "open tags": "<system-reminder>" * 1_000,
    "labels": "password: " * 1_200,
    "labels without end": 'password: "' * 1_200,
    "urls": "http://a:" * 1_800,
    "bullets": "- - - - " * 2_000,
    "fences": "```\n" * 4_000,
    "triggers": "remember that " * 3_400,
    "trigger lines": "remember that x\n" * 800,
    "digits": "12 " * 12_000,
    "quotes": "> " * 8_000,
    "mixed scripts": "密码 пароль " * 800,
    "candidates": "Memory candidates:\n- [project] x\n" * 400,
    "cookies": "Cookie: a=b; " * 1_200,
    "secrets of a cluster": "kind: Secret\ndata:\n  a: b\n" * 600,
}


def modules() -> Iterator[str]:
    for package in PURE:
        for found in pkgutil.walk_packages([str(ROOT / package)], f"wm.{package}."):
            if not found.ispkg:
                yield found.name


def test_no_pure_module_imports_the_backtracking_engine() -> None:
    guilty = []
    for path in sorted(p for package in PURE for p in (ROOT / package).rglob("*.py")):
        for line in path.read_text("utf-8").splitlines():
            head, _, rest = line.strip().partition(" ")
            if head in ("import", "from") and rest.split(" ")[0] in ("re", "regex", "fnmatch"):
                guilty.append(str(path))
    assert guilty == []


def test_every_lazy_pattern_compiles_quickly() -> None:
    sizes = {
        pattern.text[:60]: pattern.compiled.programsize
        for name in (*modules(), "wm.ops.learning.ambient_files")
        for pattern in patterns_in(vars(importlib.import_module(name)).values())
    }
    assert len(sizes) > 300
    # What counts to hundreds has tens of thousands of steps: 15 ms, and megabytes.
    assert {text: size for text, size in sizes.items() if size > 16_000} == {}


def patterns_in(values: object) -> Iterator[Lazy]:
    for value in values if hasattr(values, "__iter__") else ():  # type: ignore[attr-defined]
        if isinstance(value, Lazy):
            yield value
        elif isinstance(value, tuple | list | frozenset | PatternSet):
            yield from patterns_in(value)
        elif isinstance(value, dict):
            yield from patterns_in(value.values())


@pytest.mark.parametrize("door", DOORS)
def test_hostile_text_is_read_within_the_time_limit(door: str) -> None:
    for name, hostile in HOSTILE.items():
        begin = time.process_time()
        DOORS[door](hostile)
        assert time.process_time() - begin < BOUND_S, name


@pytest.mark.parametrize("door", DOORS)
def test_half_surrogate_pairs_raise_nothing(door: str) -> None:
    DOORS[door]("remember that \ud800 the \udfff api_key=\ud800x1y2z3 <system-reminder>\ud9ff")
