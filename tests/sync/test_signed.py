"""With the rule `signed`, only what its author signed enters at once (SY-3)."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.sync import hostile
from tests.sync.clones import REF, World, git

SHIP = "We deploy with `make ship` from the release branch."
OTHER = "Prices are stored in cents, never as floating point numbers."

pytestmark = pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="needs ssh-keygen")


@pytest.fixture
def signing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home whose git signs as Ann; returns the file of allowed signers."""
    home = tmp_path / "home"
    home.mkdir()
    key = home / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    allowed = home / "allowed"
    allowed.write_text(f"ann@example.org {key.with_suffix('.pub').read_text()}")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    for name, value in (
        ("gpg.format", "ssh"),
        ("user.signingKey", str(key)),
        ("commit.gpgSign", "true"),
    ):
        git(home, "config", "--global", name, value)
    return allowed


def test_a_signed_entry_is_active_and_an_unsigned_one_waits(world: World, signing: Path) -> None:
    ann = world.person("ann")
    ben = world.person("ben", accept="signed", allowed_signers=str(signing))
    first = ann.shared(SHIP)
    ann.sync()
    git(signing.parent, "config", "--global", "commit.gpgSign", "false")
    second = ann.shared(OTHER)
    ann.sync()
    ben.sync()
    assert (ben.texts(), ben.texts("inbox")) == ([SHIP], [OTHER])
    assert ben.entries[second].reasons == ("team_unsigned",)
    ann.call("edit_entry", id=first, text="An edit without a signature.")
    ann.sync()
    ben.sync()
    assert "An edit without a signature." in ben.texts("inbox")
    git(signing.parent, "config", "--global", "commit.gpgSign", "true")
    ann.call("edit_entry", id=first, text="A signed edit of the first entry.")
    ann.sync()
    ben.sync()
    assert ben.texts() == ["A signed edit of the first entry."]


def test_a_signature_covers_only_its_signers_versions(world: World, signing: Path) -> None:
    """Mal copies Ann's signed bytes, without a signature of his own."""
    ann = world.person("ann")
    ben = world.person("ben", accept="signed", allowed_signers=str(signing))
    name = ann.shared(SHIP)
    ann.sync()
    [author] = ann.record().authors
    tree = hostile.Tree(world.remote).put("version", hostile.VERSION)
    forged = "m_eeeeeeeeeeeeeeeeeeee"
    tree.put(hostile.path_of(forged), hostile.entry(forged, author, text="Forged in Ann's name."))
    other = "m_ffffffffffffffffffff"
    tree.put(hostile.path_of(other), hostile.entry(other, text="Mal's own rule of the shop."))
    hostile.push(world.remote, tree.written(), git(world.remote, "rev-parse", REF))
    ann.sync()
    ben.sync()
    assert ben.texts() == [SHIP]
    assert ben.texts("inbox") == ["Forged in Ann's name.", "Mal's own rule of the shop."]
    assert ben.entries[name].status == "active"


def test_a_signature_covers_only_the_text_that_was_signed(world: World, signing: Path) -> None:
    """Mal changes Ann's signed text and keeps its clock."""
    ann = world.person("ann")
    ben = world.person("ben", accept="signed", allowed_signers=str(signing))
    name = ann.shared(SHIP)
    ann.sync()
    raw = git(world.remote, "show", f"{REF}:{hostile.path_of(name)}")
    forged = raw.replace(SHIP, "We deploy whatever Mal says.")
    tree = hostile.Tree(world.remote).put("version", hostile.VERSION)
    tree.put(hostile.path_of(name), forged.encode())
    hostile.push(world.remote, tree.written(), git(world.remote, "rev-parse", REF))
    ben.sync()
    assert (ben.texts(), ben.texts("inbox")) == ([], ["We deploy whatever Mal says."])


def test_allowed_signers_never_come_from_the_repository(world: World, signing: Path) -> None:
    ann = world.person("ann")
    ben = world.person("ben", accept="signed")
    ann.shared(SHIP)
    ann.sync()
    git(ben.project, "config", "gpg.ssh.allowedSignersFile", str(signing))
    ben.sync()
    assert (ben.texts(), ben.texts("inbox")) == ([], [SHIP])


def test_a_sync_in_the_background_signs_and_sends_nothing(world: World, signing: Path) -> None:
    ann = world.person("ann")
    ann.shared(SHIP)
    ann.sync()
    before = world.tree()
    ann.shared(OTHER)
    ann.sync(quiet=True)
    assert world.tree() == before
    ann.sync()
    assert world.tree() != before
    assert "gpgsig" in git(world.remote, "cat-file", "commit", REF)
    assert signing.exists()


def test_the_own_repository_gets_no_signature_in_the_background_either(
    world: World, signing: Path
) -> None:
    """A program that signs may ask for a password."""
    ann, own = world.person("ann"), world.folder / "own.git"
    git(world.folder, "init", "-q", "--bare", str(own))
    git(signing.parent, "config", "--global", "user.email", "ann@example.org")
    ann.remember(SHIP)
    ann.sync_mine(str(own))
    before = git(own, "rev-parse", REF)
    assert "gpgsig" in git(own, "cat-file", "commit", REF)
    ann.remember(OTHER)
    ann.sync_mine(quiet=True)
    assert git(own, "rev-parse", REF) == before
    ann.sync_mine()
    assert git(own, "rev-parse", REF) != before
