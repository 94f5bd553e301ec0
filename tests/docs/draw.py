"""Draw modules and user messages at random, for a review of their texts.

    python -m tests.docs.draw --seed 17

Prints 40 module docstrings and 40 messages of errors, or as many as `--count` says. Values in a
message are shown as `{expression}`. The seed is printed, so that a review can be repeated.
"""

from __future__ import annotations

import argparse
import ast
import random
import re
from collections.abc import Iterator

from tests.docs.pages import ROOT
from wm import errors
from wm.text.tables import Tables

ERRORS = frozenset(
    {
        *("UserError", "NotFound", "RootMismatch", "HostError", "Unavailable", "Unanswered"),
        *("StoreError", "Corrupt", "Busy", "Unwritable", "Conflict", "TooNew"),
        *("ModelUnavailable", "UsageError", "BadParameter", "Refusal"),
    }
)
"""Classes whose first text is a sentence for people, and `fix` what to do."""
USUAL = {
    **{name: error.usual_fix for name, error in vars(errors).items() if name in ERRORS},
    **dict.fromkeys(("UsageError", "BadParameter"), "`wm … --help` shows how."),
}
"""The fix of an error that is made without one (`wm.cli.app` adds that of a usage error)."""

CALLERS = {
    "wm/domain/imports/": "Correct it or name others, then import again.",
    "wm/domain/memory/anchors.py": "Write it as path, path:symbol or path:12-40.",
    "wm/domain/memory/undo.py": "`wm undo --list` shows what can be undone.",
}
"""The fix that the caller of a rule adds if the rule gives none."""

_PASSED_ON = re.compile(r"(\{[^{}]*\})?")
"""A message that another place made; it is drawn there."""


def trees() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted((ROOT / "wm").rglob("*.py")):
        yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text("utf-8"))


def docstrings() -> list[tuple[str, str]]:
    """Path and docstring of every module."""
    return [(path, ast.get_docstring(tree) or "") for path, tree in trees()]


def messages() -> list[tuple[str, str, str]]:
    """Place, message and fix of every row of the two tables of sentences, and of every error that
    is made with a literal text."""
    rows = (
        (f"wm/errors.txt:{row}", text, *fix) for row, (text, *fix) in errors.sentences().items()
    )
    refusals = Tables("wm.domain", "refusals.toml")
    refused = (
        (f"wm/domain/refusals.toml:{topic}.{row}", *words)
        for topic in refusals.names()
        for row, (_, *words) in refusals.table(topic).items()
    )
    found = {(place, text, fix[0] if fix else "") for place, text, *fix in (*rows, *refused)}
    for path, tree in trees():
        for scope in ast.walk(tree):
            if not isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            for node in ast.walk(scope):
                if isinstance(node, ast.Call) and _name(node.func) in ERRORS:
                    text, fix = _texts(node, _assigned(scope, node.lineno))
                    if not _PASSED_ON.fullmatch(text):
                        added = (fix for start, fix in CALLERS.items() if path.startswith(start))
                        found.add((f"{path}:{node.lineno}", text, fix or next(added, "")))
    return sorted(found)


def _assigned(scope: ast.AST, before: int) -> dict[str, str]:
    """The literal texts of local names, each the last one above the line `before`."""
    nodes = [n for n in ast.walk(scope) if isinstance(n, ast.Assign) and n.lineno < before]
    return {
        target.id: text
        for node in sorted(nodes, key=lambda node: node.lineno)
        for target in node.targets
        if isinstance(target, ast.Name) and (text := _literal(node.value, {}))
    }


def _name(function: ast.expr) -> str:
    return getattr(function, "attr", getattr(function, "id", ""))


def _texts(call: ast.Call, names: dict[str, str]) -> tuple[str, str]:
    named = {word.arg: word.value for word in call.keywords}
    positional = [_literal(argument, names) for argument in call.args]
    if _name(call.func) == "Refusal":
        positional = positional[1:]
    if "message" in named:
        positional.insert(0, _literal(named["message"], names))
    text = positional[0] if positional else ""
    if _name(call.func) == "Refusal" and len(positional) > 2:
        return text, positional[2]
    fix = _literal(named["fix"], names) if "fix" in named else USUAL.get(_name(call.func), "")
    return text, fix


def _literal(node: ast.expr, names: dict[str, str]) -> str:
    """The text of a literal; values as `{expression}`; "" if it is not a literal."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(_part(part, names) for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _literal(node.left, names) + _literal(node.right, names)
    if isinstance(node, ast.IfExp):
        return f"{_literal(node.body, names)} | {_literal(node.orelse, names)}"
    if isinstance(node, ast.Name):
        return names.get(node.id, f"{{{node.id}}}")
    return f"{{{ast.unparse(node)}}}" if isinstance(node, ast.Attribute) else ""


def _part(node: ast.expr, names: dict[str, str]) -> str:
    if isinstance(node, ast.FormattedValue):
        return f"{{{ast.unparse(node.value)}}}"
    return _literal(node, names)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=40)
    given = parser.parse_args()
    draw = random.Random(given.seed)
    modules, texts = docstrings(), messages()
    print(f"seed {given.seed}: {given.count} of {len(modules)} modules, of {len(texts)} messages")
    for path, text in sorted(draw.sample(modules, given.count)):
        print(f"\n## {path}\n{text}")
    for place, text, fix in sorted(draw.sample(texts, given.count)):
        print(f"\n## {place}\n{text}\nfix: {fix}")


if __name__ == "__main__":
    main()
