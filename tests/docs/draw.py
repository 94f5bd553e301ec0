"""Draw modules and user messages at random, for a review of their texts.

    python -m tests.docs.draw --seed 17

Prints 40 module docstrings and 40 messages of errors, or as many as `--count` says. Values in a
message are shown as `{expression}`. The seed is printed, so that a review can be repeated.
"""

from __future__ import annotations

import argparse
import ast
import random
from collections.abc import Iterator

from tests.docs.pages import ROOT

ERRORS = frozenset(
    {
        *("UserError", "NotFound", "RootMismatch", "HostError", "Unavailable", "Unanswered"),
        *("StoreError", "Corrupt", "Busy", "Unwritable", "Conflict", "TooNew"),
        *("ModelUnavailable", "UsageError", "BadParameter", "Refusal"),
    }
)
"""Classes whose first text is a sentence for people, and `fix` what to do."""


def trees() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted((ROOT / "wm").rglob("*.py")):
        yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text("utf-8"))


def docstrings() -> list[tuple[str, str]]:
    """Path and docstring of every module."""
    return [(path, ast.get_docstring(tree) or "") for path, tree in trees()]


def messages() -> list[tuple[str, str, str]]:
    """Place, message and fix of every error that is made with a literal text."""
    found = [
        (f"{path}:{node.lineno}", text, fix)
        for path, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and _name(node.func) in ERRORS
        for text, fix in [_texts(node)]
        if text
    ]
    return sorted(found)


def _name(function: ast.expr) -> str:
    return getattr(function, "attr", getattr(function, "id", ""))


def _texts(call: ast.Call) -> tuple[str, str]:
    named = {word.arg: word.value for word in call.keywords}
    positional = [_literal(argument) for argument in call.args]
    if _name(call.func) == "Refusal":
        positional = positional[1:]
    if "message" in named:
        positional.insert(0, _literal(named["message"]))
    text = positional[0] if positional else ""
    fix = _literal(named["fix"]) if "fix" in named else ""
    return text, fix


def _literal(node: ast.expr) -> str:
    """The text of a literal; values as `{expression}`; "" if it is no literal."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(map(_part, node.values))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _literal(node.left) + _literal(node.right)
    if isinstance(node, ast.IfExp):
        return f"{_literal(node.body)} | {_literal(node.orelse)}"
    return f"{{{ast.unparse(node)}}}" if isinstance(node, ast.Name | ast.Attribute) else ""


def _part(node: ast.expr) -> str:
    if isinstance(node, ast.FormattedValue):
        return f"{{{ast.unparse(node.value)}}}"
    return _literal(node)


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
