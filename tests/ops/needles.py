"""Facts in the results of a session, which paging removes.

`python -m tests.ops.needles FOLDER COUNT` works through such a session, writes what it knows to
FOLDER, and kills itself.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
from pathlib import Path
from typing import Any

from tests.ops.conftest import Bench, open_files, project_in, settings_of

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


def needles_of(count: int) -> list[Needle]:
    chance = random.Random(11)
    return [Needle(number, chance) for number in range(count)]


def main(folder: Path, count: int) -> None:
    settings = settings_of(folder)
    bench = Bench(settings, project_in(folder), open_files(settings))
    known = json.dumps(worked(bench, needles_of(count)))
    (folder / "known.json").write_text(known, encoding="utf-8")
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
