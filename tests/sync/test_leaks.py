"""Nothing unshared, of user scope, private or secret is in any object at the remote (SY-3)."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.canary.tokens import Mint, forms
from tests.sync.clones import Person, World
from wm.errors import WmError

ACTS = 120
MANY_ACTS = 1500


class Life:
    """A person who works, shares a part of it, and marks every word with where it went.

    kept: marks that must not leave; open: marks of texts that were active, shared and not changed
    before a sync. recaps: this person shares the recaps of sessions, whose marks are `recapped`.
    """

    def __init__(self, person: Person, seed: int, *, recaps: bool) -> None:
        self.person = person
        self.recaps = recaps
        self.recapped: list[str] = []
        self.random = random.Random(seed)
        self.mint = Mint(seed)
        self.kept: list[str] = []
        self.open: list[str] = []
        self.shared: set[str] = set()
        self.private: set[str] = set()
        """Own entries that were never shared."""

    def mark(self, into: list[str]) -> str:
        word = "".join(self.random.choices("bcdfghjklmnpqrstvwz", k=18))
        into.append(word)
        return word

    def text(self, into: list[str]) -> str:
        return f"The {self.mark(into)} of the shop opens before the tide."

    def _private_part(self) -> str:
        return f"{self.text(self.open)} <private>{self.mark(self.kept)}</private>"

    def _with_secret(self) -> str:
        return f"{self.text(self.open)} {self.mint.text('text')}"

    def remember_and_share(self) -> None:
        text = self.random.choice((self._private_part, self._with_secret, self._plain))()
        secret = self.mint.text("rationale") if self.random.random() < 0.3 else ""
        answer = self.person.call(
            "remember", text=text, type="decision", rationale=secret, tags=self._tags(), typed=True
        )
        if answer.entry.status == "active":
            self.person.share(answer.entry.id)
            self.shared.add(answer.entry.id)

    def _plain(self) -> str:
        return self.text(self.open)

    def _tags(self) -> tuple[str, ...]:
        return (self.mint.name("tag", known=True),) if self.random.random() < 0.2 else ()

    def remember(self) -> None:
        user = self.random.random() < 0.4
        answer = self.person.call(
            "remember",
            text=self.text(self.kept),
            rationale=self.text(self.kept),
            tags=(self.mark(self.kept),),
            type="feedback" if user else "decision",
            user=user,
            typed=True,
        )
        if not user:
            self.private.add(answer.entry.id)

    def wait_in_the_inbox(self) -> None:
        """What a model proposes, without approval."""
        self.person.call("remember", text=self.text(self.kept), origin="assistant", type="project")

    def work(self) -> None:
        """A session with a message, edits in the project and outside, and a failure. Its recap is
        of a message and of the file in the project."""
        bench, name = self.person.bench, f"s-{self.random.getrandbits(32):x}"
        marks = self.recapped if self.recaps else self.kept
        bench.event("session_started", name)
        said = f"Look at {self.mark(marks)} with {self.mint.text('message')} again."
        private = f"<private>{self.mark(self.kept)}</private>"
        bench.event("user_prompt", name, text=f"{said} {private}")
        bench.event("user_prompt", name, text=f"Then read {self.mark(marks)}, please.")
        inside = str(self.person.project / f"{self.mark(marks)}.py")
        for path in (inside, f"/srv/{self.mark(self.kept)}.py"):
            bench.event("tool_finished", name, tool="edit", paths=[path])
        failure = f"Error: {self.mark(self.kept)} {self.mint.text('output')}"
        bench.event(
            "tool_finished", name, tool="bash", command="make check", output=failure, exit_code=2
        )
        bench.event("session_ended", name)

    def edit_shared(self) -> None:
        self._edit(self.shared, lambda: self.random.choice((self._private_part, self._plain))())

    def edit_unshared(self) -> None:
        self._edit(self.private, lambda: self.text(self.kept))

    def _edit(self, among: set[str], text: Callable[[], str]) -> None:
        if among:
            name = self.random.choice(sorted(among))
            self.person.call("edit_entry", id=name, text=text())

    def replace_without_sharing(self) -> None:
        """A new entry that retires a shared one, and is not shared itself."""
        if self.shared:
            name = self.random.choice(sorted(self.shared))
            answer = self.person.call(
                "remember",
                text=f"We no longer do {self.person.entries[name].text[:30]}: "
                f"{self.text(self.kept)}",
                type="decision",
                typed=True,
            )
            self.private.add(answer.entry.id)

    def move_to_user_and_back(self) -> None:
        """A shared entry becomes one for all projects, is edited there, and may come back."""
        if self.shared:
            name = self.random.choice(sorted(self.shared))
            self.person.call("rescope_entry", id=name, scope="user")
            self.shared.discard(name)
            self.person.call("edit_entry", workspace="user", id=name, text=self.text(self.kept))
            if self.random.random() < 0.5:
                self.sync()
            if self.random.random() < 0.5:
                self.person.call("rescope_entry", id=name, scope="workspace")
                self.private.add(name)

    def unshare(self) -> None:
        if self.shared:
            name = self.random.choice(sorted(self.shared))
            self.person.share(name, end=True)
            self.shared.discard(name)
            self.person.call("edit_entry", id=name, text=self.text(self.kept))
            self.private.add(name)

    def forget(self) -> None:
        among = self.shared | self.private
        if among:
            name = self.random.choice(sorted(among))
            self.person.call("forget_entry", id=name, reason=self.mark(self.kept))
            self.shared.discard(name)
            self.private.discard(name)

    def sync(self) -> None:
        self.person.sync(quiet=self.random.random() < 0.3)

    def live(self, acts: int) -> None:
        moves = {
            self.remember_and_share: 5, self.remember: 5, self.wait_in_the_inbox: 2,
            self.work: 3, self.edit_shared: 4, self.edit_unshared: 4,
            self.replace_without_sharing: 1, self.move_to_user_and_back: 1, self.unshare: 1,
            self.forget: 1, self.sync: 2,
        }  # fmt: skip
        if self.recaps:
            self.person.share(recaps=True)
        for _ in range(acts):
            [move] = self.random.choices(list(moves), list(moves.values()))
            try:
                move()
            except WmError:
                continue  # an act that the state does not allow
        self.person.sync()


def objects_of(remote: Path) -> bytes:
    """Every object of a repository, whatever refers to it, decompressed."""
    words = ("git", "cat-file", "--batch-all-objects", "--batch", "--unordered")
    return subprocess.run(words, cwd=remote, capture_output=True, check=True).stdout


def lived(world: World, acts: int, seed: int, *, recaps: bool) -> None:
    """Two lives; with `recaps` the first person shares them."""
    people = [world.person(name) for name in ("ann", "ben")]
    lives = [Life(one, seed + n, recaps=recaps and not n) for n, one in enumerate(people)]
    for life in lives:
        life.live(acts)
    objects = objects_of(world.remote)
    for life in lives:
        assert [mark for mark in life.open if mark.encode() in objects], "nothing was shared"
        shared = [mark for mark in life.recapped if mark.encode() in objects]
        assert bool(shared) == life.recaps
        assert [mark for mark in life.kept if mark.encode() in objects] == []
        secrets = [secret for canary in life.mint.made for secret in canary.secrets]
        assert len(secrets) > acts / 40
        leaks = [
            (secret, form) for secret in secrets for form, raw in forms(secret) if raw in objects
        ]
        assert leaks == []
        for name in (str(life.person.folder), life.person.bench.key):
            assert name.encode() not in objects, name
    assert (b"asked" in objects) == recaps


@pytest.mark.parametrize("recaps", [False, True])
def test_only_what_was_shared_is_in_any_object_at_the_remote(world: World, recaps: bool) -> None:
    lived(world, ACTS, seed=11, recaps=recaps)


@pytest.mark.sync
@pytest.mark.parametrize("seed", range(20, 24))
def test_a_long_life_leaves_nothing_else_at_the_remote(world: World, seed: int) -> None:
    lived(world, MANY_ACTS, seed, recaps=seed % 2 == 1)
