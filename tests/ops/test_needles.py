"""Facts in removed results: the note names them, a question finds them, the exact bytes come back.

The sample runs always; `pytest -m soak tests/ops` takes 500 facts.
"""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from tests.ops.conftest import Bench

SESSION = "5e1f0b1c-7d0e-4b7a-9d43-8f1f5c2f9a11"
WORDS = (
    "harbour",
    "signal",
    "timber",
    "ledger",
    "vessel",
    "anchor",
    "captain",
    "rope",
    "cargo",
    "beacon",
    "ferry",
    "winter",
    "crew",
    "tariff",
    "mooring",
    "pilot",
    "barge",
    "sailor",
    "dock",
    "storm",
    "canvas",
    "chart",
    "compass",
    "engine",
    "freight",
    "galley",
    "hatch",
)
KINDS = (
    ("{a}_{b}_port = {n}", "Which port has {a}_{b}?", "{a}_{b}"),
    ("The {a} {b} database listens on port {n}.", "On which port is the {a} {b} database?", "{n}"),
    ("export {A}_{B}_TOKEN_LIMIT={n}", "What is {A}_{B}_TOKEN_LIMIT?", "{A}_{B}_TOKEN_LIMIT"),
    ("def {a}_{b}_total(rows): return rows * {n}", "What does {a}_{b}_total do?", "{a}_{b}_total"),
    ("src/{a}/{b}.py:{n}: error: unexpected keyword", "Where is the error in {a}/{b}.py?", "{b}"),
    ("{a}-{b}: running since build {n}", "Since which build does {a}-{b} run?", "{a}-{b}"),
    ("max{A1}{B1}Retries: {n}", "What is max{A1}{B1}Retries?", "max{A1}{B1}Retries"),
    ("# {a} {b} must be restarted after {n} minutes", "When must {a} {b} be restarted?", "{n}"),
)
"""A line, a question whose answer it is, and the word that a note may name."""


class Needle:
    def __init__(self, number: int, chance: random.Random) -> None:
        a, b = chance.sample(WORDS, 2)
        value = str(10_000 + number * 37)
        names = {
            "a": a, "b": b, "A": a.upper(), "B": b.upper(), "A1": a.title(), "B1": b.title(),
            "n": value,
        }  # fmt: skip
        line, question, entity = KINDS[number % len(KINDS)]
        self.value, self.line = value, line.format(**names)
        self.question, self.entity = question.format(**names), entity.format(**names)

    def result(self, number: int, chance: random.Random) -> str:
        lines = [
            f"{number}.{at}  {' '.join(chance.choices(WORDS, k=chance.randint(4, 9)))}"
            for at in range(60)
        ]
        lines[chance.randrange(60)] = self.line
        return "\n".join(lines)


def body_of(messages: list[dict[str, Any]]) -> str:
    last = json.loads(json.dumps(messages[-1]))
    last["content"][-1]["cache_control"] = {"type": "ephemeral"}
    tools = [{"name": "Bash", "input_schema": {"type": "object"}}]
    head = {"model": "claude-opus-4-6", "max_tokens": 9, "system": "Be brief.", "tools": tools}
    return json.dumps({**head, "messages": [*messages[:-1], last]})


def worked(bench: Bench, needles: list[Needle]) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """A session in which each step shows one fact: its results, and its last request as sent."""
    chance = random.Random(7)
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": [{"type": "text", "text": "Go."}]}
    ]
    results: dict[str, str] = {}
    sent: list[dict[str, Any]] = []
    headers = {"x-claude-code-session-id": SESSION, "user-agent": "claude-cli/2.1.330"}
    for number, needle in enumerate([*needles, *needles[:4]]):
        name = f"t{number}"
        call = {
            "type": "tool_use",
            "id": name,
            "name": "Bash",
            "input": {"command": f"run {number}"},
        }
        results[name] = needle.result(number, chance)
        result = {"type": "tool_result", "tool_use_id": name, "content": results[name]}
        messages += [
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
        ]
        body = body_of(messages)
        made = bench.call("prepare_request", headers=headers, body=body, policy="balanced")
        bench.call("finish_turn", request=made.request, ok=True)
        sent = json.loads(made.body or body)["messages"]
    return results, sent


def measured(bench: Bench, count: int) -> dict[str, float]:
    """Shares of the removed facts that a note names, a question finds, and a handle brings back."""
    chance = random.Random(11)
    needles = [Needle(number, chance) for number in range(count)]
    results, sent = worked(bench, needles)
    shown = json.dumps(sent)
    gone = [
        (n, needle)
        for n, needle in enumerate(needles)
        if json.dumps(needle.line)[1:-1] not in shown
    ]
    objects = {one.label: one for one in bench.call("list_objects", session=SESSION).objects}
    named = found = exact = 0
    for number, needle in gone:
        named += needle.entity in shown
        answer = bench.call(
            "call_tool", name="memory_query", session=SESSION,
            arguments={"query": needle.question, "scope": "context"},
        )  # fmt: skip
        found += needle.value in answer.text
        back = bench.call("show_object", id=objects[f"run {number}"].id)
        exact += results[f"t{number}"] in back.text
    total = len(gone)
    return {
        "removed": total / count,
        "named": named / total,
        "found": found / total,
        "exact": exact / total,
    }


def holds(measure: dict[str, float]) -> None:
    assert measure["removed"] > 0.9, measure
    assert measure["named"] >= 0.6, measure
    assert measure["found"] >= 0.95, measure
    assert measure["exact"] == 1.0, measure


def test_facts_in_removed_results_are_named_found_and_brought_back(bench: Bench) -> None:
    holds(measured(bench, 48))


@pytest.mark.soak
def test_500_facts_in_removed_results_are_named_found_and_brought_back(bench: Bench) -> None:
    measure = measured(bench, 500)
    print(measure)
    holds(measure)
