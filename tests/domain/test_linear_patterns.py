"""Foreign text is matched in linear time only (EX-6, TR-5)."""

import importlib
import pkgutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import wm
from tests.domain.foreign_text_rules import RULES
from wm.text.patterns import Lazy, PatternSet

ROOT = Path(wm.__file__).parent
PURE = ("text", "secrets", "domain")
BOUND_S = 4.0
"""Generous: the same work takes minutes where a pattern backtracks."""

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
        pattern.expression: pattern.compiled.programsize
        for name in (*modules(), "wm.ops.learning.ambient_files")
        for pattern in patterns_in(vars(importlib.import_module(name)).values())
    }
    assert len(sizes) > 300
    # What counts to hundreds has tens of thousands of steps: 15 ms, and megabytes.
    assert {text[:60]: size for text, size in sizes.items() if size > 16_000} == {}


def patterns_in(values: object) -> Iterator[Lazy]:
    for value in values if hasattr(values, "__iter__") else ():  # type: ignore[attr-defined]
        if isinstance(value, Lazy):
            yield value
        elif isinstance(value, tuple | list | frozenset | PatternSet):
            yield from patterns_in(value)
        elif isinstance(value, dict):
            yield from patterns_in(value.values())


@pytest.mark.parametrize("rule", RULES)
def test_hostile_text_is_read_within_the_time_limit(rule: str) -> None:
    for name, hostile in HOSTILE.items():
        begin = time.process_time()
        RULES[rule](hostile)
        assert time.process_time() - begin < BOUND_S, name


@pytest.mark.parametrize("rule", RULES)
def test_half_surrogate_pairs_raise_nothing(rule: str) -> None:
    RULES[rule]("remember that \ud800 the \udfff api_key=\ud800x1y2z3 <system-reminder>\ud9ff")
