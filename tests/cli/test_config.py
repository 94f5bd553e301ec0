"""`wm config`: sections, and texts that are not secrets."""

from __future__ import annotations

from tests.cli.terminal import Terminal

TOKEN = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zB6"
OTHER = TOKEN[:-1] + "7"
SAID = f"The public demo token is {TOKEN}"


def label(user: Terminal) -> str:
    said = user.wm("remember", SAID).out
    return said[said.index("[secret:") :].partition("]")[0] + "]"


def test_sections_are_shown_with_and_without_the_word_show(terminal: Terminal) -> None:
    assert terminal.wm("config", "memory").out == terminal.wm("config", "show", "memory").out
    assert terminal.wm("config").out == terminal.wm("config", "show").out
    assert terminal.wm("config", "memry").code == 2
    assert "](" not in terminal.wm("config").out


def test_a_label_is_allowed_listed_and_removed(user: Terminal) -> None:
    shown = label(user)
    digits = shown[-7:-1]
    said = user.wm("config", "allow-secret", shown)
    assert (said.code, said.out) == (0, f"Allowed from now on: {digits}\n")
    assert user.wm("config", "allow-secret", digits).out == "It was allowed already.\n"
    assert user.wm("config", "allow-secret", "--list").out.startswith(f"  {digits}  ")
    assert TOKEN in user.wm("remember", SAID, "--type", "reference").out
    said = user.wm("config", "allow-secret", "--remove", shown)
    assert said.out == f"Not allowed any more: {digits}\n"
    assert user.wm("config", "allow-secret", "--list").out == "Nothing is allowed.\n"
    assert TOKEN not in user.wm("remember", SAID + " again").out


def test_the_secret_text_is_read_from_standard_input_and_not_stored(user: Terminal) -> None:
    said = user.wm("config", "allow-secret", "-", stdin=OTHER + "\n")
    assert said.code == 0
    assert OTHER not in said.out
    kept = [p for p in user.data.rglob("*") if p.is_file() and OTHER.encode() in p.read_bytes()]
    assert kept == []
    assert user.wm("config", "allow-secret", "--remove", "-", stdin=OTHER).code == 0


def test_mistakes_are_answered_with_a_sentence(terminal: Terminal) -> None:
    for words in ((), ("--remove",), ("--list", "1a2b3c")):
        said = terminal.wm("config", "allow-secret", *words)
        assert (said.code, "or --list alone" in said.sentences) == (2, True)
    said = terminal.wm("config", "allow-secret", TOKEN)
    assert said.code == 1
    assert said.err.startswith("wm: That is not a label of a secret.\n")
    assert TOKEN not in said.err
    said = terminal.wm("config", "allow-secret", "--remove", "1a2b3c")
    assert said.err.startswith("wm: 1a2b3c was not allowed.\n")
