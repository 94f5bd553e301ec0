"""The table of rules, in the order in which they are asked (PR-4).

First the rules whose command ran and whose shape the output has, then those of the shape alone,
because `make` and `npm run` print what others print, then those whose command ran. The last row
takes any long output of a shell or of the web.
"""

from __future__ import annotations

from wm.domain.context.pruning.call import Call
from wm.domain.context.pruning.lines import Lines
from wm.domain.context.pruning.rule import Rule
from wm.domain.context.pruning.rules import compilers, data, git, greps, listings, logs, testruns

OTHER = Rule("other", "lines")
"""Whatever else a command printed: help, reports, pages."""

RULES: tuple[Rule, ...] = (
    data.LOCKFILES,
    listings.TREES,
    *git.GIT,
    *testruns.RUNNERS,
    *compilers.BUILDERS,
    listings.LISTINGS,
    data.JSON,
    data.TABLES,
    logs.LOGS,
    greps.GREPS,
    logs.REPEATED,
)

SURE = (listings.LISTINGS, listings.TREES, greps.GREPS, git.HISTORY, git.STATUS)
"""Rules whose command says more than any shape: what `grep` found in a log is hits."""

FREE_TOOLS = frozenset(("bash", "webfetch", "websearch", "bashoutput", "fetch", "shell", "exec"))
"""Tools whose output is cut even where no rule knows it."""


def rule_for(call: Call, lines: Lines) -> Rule | None:
    """The rule for an output; None leaves it whole."""
    if data.reads_lockfile(call) and not call.ran("git", "npm", "grep", "rg"):
        return data.LOCKFILES
    named = [rule for rule in RULES if rule.is_of(call)]
    found = next((rule for rule in named if rule.looks_so(lines)), None)
    found = found or next((rule for rule in SURE if _made(rule, call)), None)
    found = found or next((rule for rule in RULES if rule.looks_so(lines)), None)
    found = found or next(iter(named), None)
    if found is not None:
        return found
    free = call.tool == "bash" or call.name.lower().rpartition("__")[2] in FREE_TOOLS
    return OTHER if free else None


def _made(rule: Rule, call: Call) -> bool:
    """Whether the last program that printed is one of the rule's."""
    if call.maker is None:
        return rule.is_of(call)
    return bool({call.maker.program, call.maker.name} & set(rule.commands))
