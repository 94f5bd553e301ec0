"""A drive that takes nothing more: each verb says what, where and what to do; nothing is lost."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.cli.terminal import Terminal
from wm.ops.local import open_runtime

KEPT = "The ferry leaves from the eastern pier."


@contextmanager
def full() -> Iterator[None]:
    """No file grows any more, in this process."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.fixture
def user(terminal: Terminal) -> Terminal:
    terminal.install("claude")
    (terminal.home / ".claude").mkdir()
    (terminal.home / ".claude" / "settings.json").write_text("{}\n")
    (terminal.repo / "CLAUDE.md").write_text("- The API speaks JSON only and never XML.\n")
    assert terminal.wm("remember", KEPT).code == 0
    return terminal


def documents(user: Terminal) -> dict[str, bytes]:
    """What lasts: an attempt may leave a lock or an empty folder behind."""
    return {
        str(path.relative_to(user.home)): path.read_bytes()
        for path in sorted(user.home.rglob("*"))
        if path.is_file() and path.suffix in (".json", ".jsonl", ".md", ".key")
    }


@pytest.mark.parametrize(
    "words",
    [
        "remember|We indent with tabs.",
        "edit|{id}|The ferry leaves from the western pier.",
        "pin|{id}",
        "forget|{id}",
        "undo",
        "import|CLAUDE.md",
        "config|allow-secret|[secret:token:1a2b3c]",
        "setup|--yes",
        "state|init",
    ],
)
def test_on_a_full_disk_a_verb_reports_what_and_where_and_changes_nothing(
    user: Terminal, words: str
) -> None:
    (entry,) = user.wm("search", "ferry", "--json").json["hits"]
    before = documents(user)
    with full():
        said = user.wm(*words.format(id=entry["entry"]["id"]).split("|"))
    assert said.code == 1
    assert "File too large" in said.sentences
    assert "max_document_bytes" not in said.sentences
    assert str(user.home) in said.sentences.replace(" ", "")
    assert documents(user) == before
    assert user.wm("fsck", "--deep").code == 0


def test_on_a_full_disk_stored_entries_are_found_and_shown(user: Terminal) -> None:
    with full():
        for words in (("search", "ferry"), ("status",), ("history",), ("doctor", "--no-proof")):
            said = user.wm(*words)
            assert (said.code, said.err) == (0, "")
        assert KEPT in user.wm("search", "ferry").out


def test_a_digest_is_computed_without_any_lock(user: Terminal) -> None:
    """A proxy of a lasting address begins on a drive that was mounted read-only."""
    before = open_runtime(user.settings()).store.digest("proxy token")
    lock = user.data / ".local.key.lock"
    lock.unlink(missing_ok=True)
    lock.mkdir()
    assert open_runtime(user.settings()).store.digest("proxy token") == before


def test_what_waits_is_listed_where_nothing_can_be_locked(user: Terminal) -> None:
    user.wm("import", "CLAUDE.md")
    lock = user.data / ".local.key.lock"
    lock.unlink(missing_ok=True)
    lock.mkdir()
    said = user.wm("inbox")
    assert (said.code, said.err) == (0, "")
    assert "The API speaks JSON only" in said.out
