"""One clone that edits, shares and syncs at random, and writes down what was acknowledged.

`work` continues where the clone's journal ends, so that its process may be killed at any moment
and started again.
"""

from __future__ import annotations

import json
import random
import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.sync.clones import Person
from wm.domain.memory.outside_changes import CHANGED, DELETED
from wm.errors import WmError

MANY = 8
"""Own active entries from which on most acts change them: conflicts, not the number of entries,
are what is looked for, and each act costs time that grows with the memory."""
LOST = 0.1
"""Part of the rounds after which a clone loses its mirror, which is derived."""
TOOLS = ("Jenkins", "Buildkite", "Fabric", "Ansible", "Nomad", "Spinnaker")
WORDS = ("ship", "cents", "queue", "harbour", "tide", "ferry", "invoice", "window", "lantern")


class Editor:
    """Random acts of one person on their own shared entries, with a journal of them.

    A line of the journal is written before an act (`begin`) and after it (`done`): what has only a
    beginning may have happened or not.
    """

    def __init__(self, person: Person, seed: int) -> None:
        self.person = person
        self.path = person.folder / "journal"
        self.journal = open(self.path, "a+", buffering=1)  # noqa: SIM115
        self.journal.seek(0)
        lines = [json.loads(line) for line in self.journal if line.endswith("\n")]
        acts = [line for line in lines if line["state"] == "done"]
        self.done = len(acts)
        self.shared = {act["entry"] for act in acts if act["what"] == "share"}
        self.random = random.Random(f"{seed}/{person.name}/{len(lines)}")
        self.person.bench.moment += timedelta(seconds=10 * len(lines))

    def close(self) -> None:
        self.journal.close()

    def _noted(self, what: str, entry: str, **fields: Any) -> dict[str, Any]:
        act = {"state": "begin", "what": what, "entry": entry, **fields}
        self.journal.write(json.dumps(act) + "\n")
        return act

    def _acknowledged(self, act: dict[str, Any], **more: Any) -> None:
        self.journal.write(json.dumps({**act, **more, "state": "done"}) + "\n")
        self.done += 1

    def text(self) -> str:
        if self.random.random() < 0.2:
            return f"We deploy the {self.random.choice(WORDS)} with {self.random.choice(TOOLS)}."
        chosen = " ".join(self.random.choices(WORDS, k=5))
        return f"Rule {self.random.getrandbits(40):x} of the shop: {chosen}."

    def own(self) -> list[str]:
        entries = self.person.entries.values()
        return sorted(e.id for e in entries if e.status == "active" and e.id in self.shared)

    def act(self) -> None:
        """One act; a refusal counts as done without an effect."""
        roll, active = self.random.random(), self.own()
        trashed = sorted(self.shared.intersection(self.person.bench.trash()))
        try:
            if roll < (0.2 if len(active) < MANY else 0.03) or not active:
                text = self.text()
                act = self._noted("share", "", text=text)
                name = self.person.call("remember", text=text, type="decision", typed=True).entry.id
                self._share(act, name)
            elif roll < 0.26:
                self._replace(active)
            elif roll < 0.65:
                name, text = self.random.choice(active), self.text()
                act = self._noted("edit", name, text=text)
                self.person.call("edit_entry", id=name, text=text)
                self._acknowledged(act)
            elif roll < 0.8:
                name = self.random.choice(active)
                weight = self.random.choice(("low", "normal", "high"))
                act = self._noted("weigh", name, importance=weight)
                self.person.call("edit_entry", id=name, importance=weight)
                self._acknowledged(act)
            elif roll < 0.9 or not trashed:
                name = self.random.choice(active)
                act = self._noted("forget", name)
                self.person.call("forget_entry", id=name)
                self._acknowledged(act)
            else:
                name = self.random.choice(trashed)
                act = self._noted("restore", name)
                self.person.call("restore_entry", id=name)
                self._acknowledged(act)
        except WmError:
            pass

    def _share(self, act: dict[str, Any], name: str) -> None:
        if self.person.share(name).entries:  # else it waits in the inbox
            self._acknowledged(act, entry=name)
            self.shared.add(name)

    def _replace(self, active: list[str]) -> None:
        """Retire an entry by a new one that says that something changed; share that or not."""
        entries = self.person.entries
        found = [name for name in active if entries[name].text.startswith("We deploy the ")]
        if not found:
            return
        name = self.random.choice(found)
        old = entries[name].text.removeprefix("We ").rstrip(".")
        new = f"{old.rpartition(' ')[0]} {self.random.choice(TOOLS)}"
        self._noted("replace", name)
        text = f"We no longer {old}, we {new}."
        heir = self.person.call("remember", text=text, type="decision", typed=True).entry.id
        for one in self.person.entries.values():
            if one.superseded_by == heir and one.id in self.shared:
                self._acknowledged({"what": "replace", "entry": one.id})
        if self.random.random() < 0.7:
            act = self._noted("share", "", text=text)
            self._share(act, heir)

    def foreign(self) -> None:
        """Decide about something that others shared: accept, reject, or propose a wording."""
        waiting = [e.id for e in self.person.entries.values() if e.status == "inbox"]
        came = [
            e.id
            for e in self.person.entries.values()
            if e.status == "active" and e.origin.startswith("team:") and e.id not in self.shared
        ]
        try:
            if waiting and self.random.random() < 0.7:
                verb = self.random.choice(("accept_entry", "accept_entry", "reject_entry"))
                self._decide(verb, self.random.choice(waiting))
            elif came:
                name = self.random.choice(came)
                self.person.call("edit_entry", id=name, text=self.text())
                self.person.share(name)
        except WmError:
            pass

    def _decide(self, verb: str, name: str) -> None:
        """Accept or reject what waits. Accepting a proposal about an own entry changes that, but
        not one that was forgotten meanwhile."""
        entries = self.person.entries
        waiting = entries[name]
        own = self.shared.intersection(waiting.supersedes if waiting.outside else (), entries)
        if verb == "reject_entry" or not own:
            self.person.call(verb, id=name)
            return
        act = self._noted(
            f"accept {waiting.outside}",
            min(own),
            text=waiting.text,
            importance=waiting.user_importance,
        )
        self.person.call(verb, id=name)
        self._acknowledged(act)


def expected(journal: Path) -> dict[str, list[dict[str, Any]]]:
    """Per own entry the states that it may have at the end: after the last acknowledged act, or
    after an act that began later."""
    found: dict[str, list[dict[str, Any]]] = {}
    for line in journal.read_text().splitlines():
        act = json.loads(line)
        name = act["entry"]
        if not name:
            continue
        states = found.get(name) or [{}]
        after = [_after(state, act) for state in states]
        possible = after if act["state"] == "done" else [*states, *after]
        # Without the equal ones: else their number would double with each act.
        found[name] = [one for n, one in enumerate(possible) if one not in possible[:n]]
    return found


def _after(state: dict[str, Any], act: dict[str, Any]) -> dict[str, Any]:
    if act["what"] in ("forget", f"accept {DELETED}"):
        return {**state, "gone": True}
    if act["what"] == "restore":
        return {**state, "gone": False}
    if act["what"] == "replace":
        return {**state, "replaced": True}
    if act["what"] == f"accept {CHANGED}":  # a new wording may bring a replaced entry back
        state = {name: value for name, value in state.items() if name != "replaced"}
    return {**state, **{n: act[n] for n in ("text", "importance") if n in act}}


def work(folder: Path, name: str, remote: str, seed: int, edits: int) -> None:
    """Act and sync until the journal has `edits` acknowledged acts."""
    person = Person(folder, name, remote, accept="inbox")
    skew = random.Random(f"{seed}/{name}").choice((0, 0, 3600, -3600, 400 * 86400, -900 * 86400))
    person.bench.moment += timedelta(seconds=skew)
    editor = Editor(person, seed)
    while editor.done < edits:
        for _ in range(editor.random.randint(5, 40)):
            editor.act()
            if editor.random.random() < 0.1:
                editor.foreign()
        if editor.random.random() < 0.7:  # else: a partition
            person.sync()
        if editor.random.random() < LOST:
            shutil.rmtree(person.mirror, ignore_errors=True)
    editor.close()
    person.bench.store.close()
