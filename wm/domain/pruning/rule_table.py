"""The table of rules, in the order in which they are tried (PR-4).

First come rules whose command ran and whose shape matches, then those whose shape matches,
because `make` and `npm run` print the output of other tools, then those whose command ran. The
last row takes any long output of a shell or of the web.
"""

from __future__ import annotations

from wm.domain.pruning.lines import OutputLines
from wm.domain.pruning.rule import OutputRule
from wm.domain.pruning.rules import compilers, data, git, greps, listings, logs, testruns
from wm.domain.pruning.tool_call import PrunableCall

OTHER = OutputRule("other", "lines")
"""Any other command output: help, reports, pages."""

RULES: tuple[OutputRule, ...] = (
    data.LOCKFILES,
    listings.TREES,
    *git.GIT,
    *testruns.RUNNERS,
    *compilers.BUILDERS,
    listings.LISTINGS,
    logs.LOGS,
    data.JSON,
    data.TABLES,
    greps.GREPS,
    logs.REPEATED,
)

SURE = (listings.LISTINGS, listings.TREES, greps.GREPS, git.HISTORY, git.STATUS)
"""Rules whose command outweighs any shape: matches that `grep` found in a log are matches."""

FREE_TOOLS = frozenset(("bash", "webfetch", "websearch", "bashoutput", "fetch", "shell", "exec"))
"""Tools whose output is pruned even if no rule knows it."""


def rule_for(call: PrunableCall, lines: OutputLines) -> OutputRule | None:
    """The rule for an output; None leaves it whole."""
    if data.reads_lockfile(call) and not call.ran("git", "npm", "grep", "rg"):
        return data.LOCKFILES
    named = [rule for rule in RULES if rule.is_of(call)]
    found = next((rule for rule in named if rule.looks_so(lines)), None)
    found = found or next((rule for rule in SURE if _made(rule, call)), None)
    found = found or next((rule for rule in RULES if rule.looks_so(lines)), None)
    found = found or next((rule for rule in named if rule is not data.JSON), None)
    if found is not None:
        return found
    free = call.tool == "bash" or call.name.lower().rpartition("__")[2] in FREE_TOOLS
    return OTHER if free else None


def _made(rule: OutputRule, call: PrunableCall) -> bool:
    """Is the last program that printed one of the rule's?"""
    if call.maker is None:
        return rule.is_of(call)
    return bool({call.maker.program, call.maker.name} & set(rule.commands))
