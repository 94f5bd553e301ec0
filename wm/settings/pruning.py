"""Section [pruning] and the user's own rules, `[[pruning.rules]]` (SPEC section 8, PR-4).

How long an output must be to be pruned, and how much stays, for each mode.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Struct

from wm.errors import UserError
from wm.settings.schema import Option, TableKind, check_expression


class PruningRule(Struct, frozen=True):
    """A user's own rule for tool output (PR-4): `[[pruning.rules]]` in config.toml.

    tool: the agent's name of the tool; command, output: expressions that the command line, and
    a line of the output, must match. An empty field matches everything. leave: such output is not
    cut. keep: expressions of lines that are kept. noun: the name of the removed lines.
    """

    name: str
    tool: str = ""
    command: str = ""
    output: str = ""
    leave: bool = False
    keep: tuple[str, ...] = ()
    noun: str = ""


def _wrong_field(name: str, value: Any) -> str:
    default = getattr(PruningRule(""), name)
    if isinstance(default, tuple):
        is_sound = isinstance(value, list) and all(isinstance(one, str) for one in value)
        return "" if is_sound else 'Write ["…", "…"].'
    if type(value) is type(default):
        return ""
    return "Write true or false." if isinstance(default, bool) else 'Write a text: "…".'


def _pruning_rule(given: Mapping[str, Any], at: str) -> PruningRule:
    made = PruningRule(**{**given, "keep": tuple(given.get("keep", ()))})
    if not (made.tool or made.command or made.output):
        raise UserError.of("config.rule_without_output", at=at)
    for text in (made.command, made.output, *made.keep):
        check_expression(text, at)
    return made


_TABLES = TableKind(
    made=PruningRule,
    noun="rule",
    header="[[pruning.rules]]",
    make=_pruning_rule,
    check=_wrong_field,
)


class PruningSettings(Struct, frozen=True, eq=False):
    """Pruning of tool output (SPEC section 8)."""

    enabled: Annotated[bool, Option(common=True)] = True
    """Cut long tool output before the model reads it [PR-1]."""
    threshold_lines: Annotated[int, Option(common=True)] = 50
    """A tool output of up to this many lines is not cut [lines, PR-1]."""
    end_lines: Annotated[int, Option(common=True)] = 30
    """Lines kept at each end of a tool output that is cut [lines, PR-1]."""
    aggressive_threshold_lines: Annotated[int, Option()] = 30
    """Lines of an output that is not cut while the session's pressure is high [lines, PR-1]."""
    aggressive_end_lines: Annotated[int, Option()] = 20
    """Lines kept at each end while the session's pressure is high [lines, PR-1]."""
    hyper_threshold_lines: Annotated[int, Option()] = 15
    """Lines of an output that is not cut while the session's pressure is critical [lines, PR-1]."""
    hyper_end_lines: Annotated[int, Option()] = 10
    """Lines kept at each end while the session's pressure is critical [lines, PR-1]."""
    error_lines: Annotated[int, Option()] = 200
    """Most lines kept because they look like errors. Of more than a quarter of this, only the first
    few and the last of each kind [lines, PR-2]."""
    rules: Annotated[tuple[PruningRule, ...], Option(common=True, parse=_TABLES.parse)] = ()
    """Rules of your own, applied before the built-in ones: `[[pruning.rules]]` [PR-4]."""

    # Fixed: not options of config.toml.
    slack_lines: int = 5
    """A cut that would save this many lines or fewer is not made [lines, PR-1]."""
    max_chars: int = 12_000_000
    """A longer output is not cut [chars, PR-2]."""
