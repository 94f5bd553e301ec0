"""What OpenCode's message transform could do for paging without a proxy (docs/adr/0041).

A plugin replaces the output of every tool call but the last two, as a cut would. Each test holds a
fact of the decision: an update of OpenCode that changes one is a reason to decide again.
"""

from __future__ import annotations

import json

import pytest

from tests.clients.agents import OPENCODE
from tests.clients.harness import Machine
from tests.clients.scripts import answer, say, script, think, turns
from tests.clients.test_paging import REPORT

pytestmark = pytest.mark.clients

STEPS = 6
PLUGIN = """
import fs from "node:fs"

export const Seen = async () => ({
  "experimental.chat.messages.transform": async (_, output) => {
    const begun = performance.now()
    const bytes = JSON.stringify(output.messages).length
    const spelled = performance.now()
    const parts = output.messages.flatMap((message) => message.parts)
    const tools = parts.filter((part) => part.type === "tool")
    const results = tools.filter((part) => part.state.status === "completed")
    const gone = results.filter((part) => part.state.output === "[gone]").length
    for (const part of results.slice(0, -2)) part.state.output = "[gone]"
    const asked = performance.now()
    let away = ""
    try { await fetch("http://wm/v1/status", { unix: process.cwd() + "/no.sock" }) }
    catch (error) { away = String(error.code ?? error) }
    const answers = output.messages.filter((message) => message.info.role === "assistant")
    fs.appendFileSync("seen.jsonl", JSON.stringify({
      bytes, gone, away, results: results.length,
      kinds: [...new Set(parts.map((part) => part.type))],
      signed: parts.filter((part) => part.metadata?.anthropic?.signature).length,
      model: answers.at(-1)?.info.modelID ?? "",
      read: answers.at(-1)?.info.tokens?.cache?.read ?? -1,
      spelling_ms: spelled - begun, away_ms: performance.now() - asked,
    }) + "\\n")
  },
})
"""


def test_the_transform_sees_the_complete_history_and_leaves_no_trace_in_it(
    machine: Machine,
) -> None:
    (machine.repo / "report.py").write_text(REPORT)
    plugin = machine.repo / ".opencode" / "plugin" / "seen.js"
    plugin.parent.mkdir(parents=True)
    plugin.write_text(PLUGIN)
    steps = [
        answer(think(f"Step {number}."), OPENCODE.shell(f"python3 report.py {number}"))
        for number in range(STEPS)
    ]
    machine.upstream.script = script(*turns(*steps, answer(say("Done."))))
    made = machine.run_opencode("Go on.")
    assert made.code == 0, made.out + made.err
    seen = [json.loads(line) for line in (machine.repo / "seen.jsonl").read_text().splitlines()]
    print(*seen, sep="\n")
    assert [one["results"] for one in seen] == list(range(STEPS + 1))
    last = seen[-1]
    assert last["signed"] == STEPS
    assert last["model"]
    assert last["read"] >= 0
    # It sees nothing of the system prompt, the tools and the cache marks.
    assert not {"system", "tools", "cache_control"} & set(last["kinds"])
    # What it changed is whole again in the next request: it must be changed in each.
    assert [one["gone"] for one in seen] == [0] * len(seen)
    assert {one["away"] for one in seen} == {"FailedToOpenSocket"}
    sent = machine.upstream.of_kind("main")
    shown = [json.dumps(one.request.body).count("[gone]") for one in sent]
    assert shown == [0, 0, 0, *range(1, STEPS - 1)]
    # OpenCode itself asks to drop thinking of another prefix.
    assert machine.upstream.refused == []
    assert [len(one.dropped) for one in sent][-1] > 0
