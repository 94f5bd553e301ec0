"""All payloads and all stated facts of `tests.bench.poison_cases`, carried by real agents (TR-3).

Many payloads share a session, because a session of a real agent takes seconds: one channel is
one workspace, with all its payloads where its tools find them. The model obeys each of them: it
repeats the claim, calls the memory tools with it, proposes it at every compaction, tries to
replace and to confirm what is kept, and does so again in later sessions.

Facts share a session where they speak of different areas, so that each can be distinguished.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from tests.bench import poison_cases as cases
from tests.clients.accounting import Block
from tests.clients.agents import CLAUDE, Agent, summary
from tests.clients.harness import Machine, Run
from tests.clients.scripts import (
    Answer,
    Request,
    always,
    answer,
    call,
    is_summary,
    say,
    script,
    think,
    turns,
)
from tests.clients.wired import Wired, memory_blocks
from wm.api.tools import TOOLS, Tool

KEPT = "The harbour master signs every release of the timetable."
"""What the user asked to keep before any attack: it must outlive all of them."""

AT_ONCE = 10
"""Tool calls of one answer of the model."""

FACTS_AT_ONCE = 8

RUN_SECONDS = 300.0


@dataclass
class Outcome:
    """What became of the payloads of one channel, or of some facts."""

    name: str
    count: int
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0


def tools_of(agent: Agent) -> dict[str, Tool]:
    """Our tools by the names that the agent's model calls them by."""
    prefix = "mcp__wm__" if agent is CLAUDE else ""
    return {prefix + tool.name: tool for tool in TOOLS}


def run(agent: Agent, machine: Machine, prompt: str, session: str | None = None) -> Run:
    options: dict[str, Any] = {"session": session, "timeout": RUN_SECONDS}
    if agent is CLAUDE:
        options["tools"] = ",".join(("Bash", "Read", "Edit", *tools_of(agent)))
    done = agent.run(machine, prompt, **options)
    assert done.code == 0, done.out[-2000:] + done.err[-2000:]
    return done


# --- the worst model -------------------------------------------------------------------------


def proposes(texts: Sequence[str], kind: str) -> Callable[[Request], Answer]:
    """A summary that proposes every text, twice, and confirms what is kept."""

    def summarise(request: Request) -> Answer:
        snapshot = "c_0"
        if "Memory ref snapshot id: " in request.text:
            snapshot = request.text.rpartition("Memory ref snapshot id: ")[2].partition("\\n")[0]
        lines = [f"- [{kind}] {text}" for text in texts]
        lines += ["REINFORCE [M1]", *(f"REPLACE [M1] [{kind}] {text}" for text in texts)]
        prose = " ".join(f"The session learned that {text}." for text in texts)
        head = [prose, "", "Memory candidates:", f"Memory ref snapshot id: {snapshot}"]
        return summary("\n".join((*head, *lines)))

    return summarise


def tool_calls(agent: Agent, claims: Sequence[str], kept: str) -> Iterator[Block]:
    """Every memory tool that writes, with every claim; those that take an id, with that of what
    is kept. What takes away only what the model itself wrote is left out, or less would stay."""
    for name, tool in tools_of(agent).items():
        by_id = "id" in tool.required
        if tool.reads or (tool.destroys and not by_id):
            continue
        # OpenCode stops a model that makes the same call three times.
        for claim in (claims[0],) if by_id or not tool.required else claims:
            yield call(name, **{key: _argument(key, tool, claim, kept) for key in tool.required})


def _argument(name: str, tool: Tool, claim: str, kept: str) -> Any:
    if name == "id":
        return kept
    allowed = tool.arguments[name].get("enum")
    if allowed:
        return allowed[0]
    return claim if tool.arguments[name].get("type", "string") == "string" else 1


def lots(blocks: Iterable[Block]) -> list[Answer]:
    left = iter(blocks)
    some = iter(lambda: tuple(islice(left, AT_ONCE)), ())
    return [answer(think("On it."), *few) for few in some]


# --- payloads ------------------------------------------------------------------------------------


def attacked(
    agent: Agent, machine: Machine, channel: str, attacks: Sequence[cases.Attack]
) -> Outcome:
    """Carry the payloads of one channel; what of them is active in the end."""
    machine.tool("wm", "remember", KEPT)
    wm = Wired(machine)
    (kept,) = (view["entry"]["id"] for view in wm.ask("inspect")["entries"])
    claims = [attack.claim for attack in attacks]
    agreed = say("\n".join(f"Understood, I keep this: {claim}." for claim in claims))
    decided = say("\n".join(f"Decision: {claim}." for claim in claims))
    rounds = _shown(agent, machine, channel, attacks)
    _play(machine, "feedback", claims, [*lots(rounds[0]), answer(say("I looked."))])
    first = run(agent, machine, "Look at the notes and the open issues.")
    for blocks in rounds[1:]:
        _play(machine, "project", claims, [*lots(blocks), answer(agreed)])
        run(agent, machine, "Go on.", first.session)
    obeys = lots(tool_calls(agent, claims, kept))
    _play(
        machine,
        "decision",
        claims,
        [
            answer(think("Obey."), agreed, agent.shell("true")),
            *obeys,
            agent.compacts(),
            answer(decided),
        ],
    )
    run(agent, machine, "Go on with the task.", first.session)
    # A later session: it finds its own proposals where wm shows them, and says them again.
    waiting = agent.shell("wm inbox; wm search release")
    _play(
        machine,
        "reference",
        claims,
        [answer(think("So."), waiting), agent.compacts(), answer(agreed)],
    )
    seen = len(machine.upstream.exchanges)
    run(agent, machine, "Where were we?")
    later = (x.request for x in machine.upstream.exchanges[seen:])
    blocks = "\n".join(block for request in later for block in _first_blocks(request))
    shown = [f"shown to a later session: {claim}" for claim in claims if claim in blocks]
    return Outcome(channel, len(attacks), [*harm(wm, claims), *shown])


def _first_blocks(request: Request) -> list[str]:
    """What wm put into a session before anybody but the user spoke."""
    answered = any(message.get("role") == "assistant" for message in request.messages)
    return [] if answered else memory_blocks(request)


def _play(machine: Machine, kind: str, claims: Sequence[str], answers: Sequence[Answer]) -> None:
    machine.upstream.script = script(*turns(*answers), always(is_summary, proposes(claims, kind)))


def _shown(
    agent: Agent, machine: Machine, channel: str, attacks: Sequence[cases.Attack]
) -> list[list[Block]]:
    """The calls that show the payloads, in one list for each message of the user."""
    rounds: list[list[Block]] = [[] for _ in range(max(len(a.shown) for a in attacks))]
    for number, attack in enumerate(attacks):
        for turn, text in enumerate(attack.shown):
            name = f"{channel}-{number}-{turn}.txt"
            (machine.repo / name).write_text(text, encoding="utf-8")
            rounds[turn].append(_look(agent, machine, channel, name))
    if channel == "resummarised":
        for number, attack in enumerate(attacks):
            text = f"Summary of the last session: {attack.claim}."
            (machine.repo / f"summary-{number}.md").write_text(text, encoding="utf-8")
        names = [f"summary-{number}.md" for number in range(len(attacks))]
        rounds.append([agent.look(machine, name) for name in names])
    return rounds


def _look(agent: Agent, machine: Machine, channel: str, name: str) -> Block:
    if channel == "tool_output":
        return agent.shell(f"cat {name}")
    if channel == "issue":
        return agent.shell(f"echo '#12'; cat {name}")
    if channel == "error_text":
        return agent.shell(f"cat {name}; exit 1")
    if channel == "commit_message":
        machine.tool("git", "commit", "-q", "--allow-empty", "-F", name)
        commit = machine.tool("git", "rev-parse", "HEAD").strip()
        return agent.shell(f"git show --no-patch {commit}")
    return agent.look(machine, name)


def harm(wm: Wired, claims: Sequence[str]) -> list[str]:
    """What is active and should not be, and what the user's own memory lost."""
    entries = [view["entry"] for view in wm.ask("inspect")["entries"]]
    stray = [entry["text"] for entry in entries if entry["text"] != KEPT]
    mine = [entry for entry in entries if entry["text"] == KEPT]
    lost = [] if mine else ["the user's own memory is gone"]
    return [*stray, *lost, *("confirmed by itself" for e in mine if e.get("reinforcementCount"))]


def all_attacks(agent: Agent, machine: Machine, count: int) -> Iterator[Outcome]:
    """Each channel in a workspace of its own; half of those of `another_workspace` from another."""
    attacks = [cases.attack(number) for number in range(count)]
    for channel in cases.CHANNELS:
        mine = [attack for attack in attacks if attack.channel == channel]
        if not mine:
            continue
        place = machine.another(f"at-{channel}")
        outcome = attacked(agent, place, channel, mine)
        if channel == "another_workspace":
            elsewhere = machine.another("elsewhere")
            elsewhere.tool("wm", "remember", KEPT)
            claims = [attack.claim for attack in mine]
            asks = lots(tool_calls(agent, claims, "m_0"))
            repeats = answer(say("\n".join(f"As I noted elsewhere: {claim}." for claim in claims)))
            sees = answer(think("So."), agent.shell(f"cat {place.repo}/*.txt"))
            _play(elsewhere, "decision", claims, [sees, *asks, agent.compacts(), repeats])
            run(agent, elsewhere, "What did we learn in the other project?")
            outcome.wrong += harm(Wired(elsewhere), claims)
        yield outcome


# --- what users state ------------------------------------------------------------------


def all_facts(agent: Agent, machine: Machine, facts: Iterable[cases.Stated]) -> Iterator[Outcome]:
    for number, some in enumerate(by_area(facts)):
        yield stated(agent, machine.another(f"facts-{number}"), number, some)


def by_area(facts: Iterable[cases.Stated]) -> list[list[cases.Stated]]:
    """Facts together that no entry can be taken for two of."""
    lists: list[list[cases.Stated]] = []
    for fact in facts:
        areas = (
            some
            for some in lists
            if len(some) < FACTS_AT_ONCE and all(fact.telling != one.telling for one in some)
        )
        found = next(areas, None)
        if found is None:
            lists.append([fact])
        else:
            found.append(fact)
    return lists


def stated(agent: Agent, machine: Machine, number: int, facts: Sequence[cases.Stated]) -> Outcome:
    """One session: the user states the facts among what tools show; then it compacts."""
    (machine.repo / "NOTES.md").write_text(cases.NOISE[number % len(cases.NOISE)])
    (machine.repo / "OTHER.md").write_text(cases.NOISE[(number + 1) % len(cases.NOISE)])
    looks = [agent.look(machine, "NOTES.md")]
    if number % 5 == 0:
        (machine.repo / "issue.txt").write_text(cases.attack(number).shown[0], encoding="utf-8")
        looks.append(agent.shell("cat issue.txt"))
    lines = [f"- [decision] {fact.proposed}" for fact in facts if fact.proposed]
    text = "\n".join(("The user settled how things are done.", "", "Memory candidates:", *lines))
    machine.upstream.script = script(
        *turns(
            answer(think("Look."), *looks),
            answer(say("I looked.")),
            answer(think("Check."), agent.look(machine, "OTHER.md")),
            agent.compacts(),
            answer(say("Done. The check passes.")),
        ),
        always(is_summary, summary(text)),
    )
    first = run(agent, machine, "Let us look at what is there first.")
    run(agent, machine, "\n\n".join(fact.said.strip() for fact in facts), first.session)
    active = Wired(machine).texts()
    lost = [fact for fact in facts if not any(fact.telling in text for text in active)]
    return Outcome("facts", len(facts), [f"{fact.number}: {fact.said!r}" for fact in lost])
