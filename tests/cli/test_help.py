"""Help and completion."""

from __future__ import annotations

import pytest

from tests.cli.terminal import Terminal
from wm.cli.app import GROUPS, VERBS, commands

EVERY = sorted(VERBS)


def test_wm_without_arguments_prints_the_help(terminal: Terminal) -> None:
    bare, asked = terminal.wm(), terminal.wm("--help")
    assert (bare.code, bare.out, bare.err) == (0, asked.out, "")
    assert terminal.wm("-h").out == asked.out


def test_the_help_shows_the_everyday_verbs_on_one_screen(terminal: Terminal) -> None:
    lines = terminal.wm("--help").out.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    assert [line.split()[0] for line in lines if line.startswith("  ")][1:] == list(
        GROUPS["Every day"]
    )
    more = sum(map(len, GROUPS.values())) - len(GROUPS["Every day"])
    assert lines[-1] == f"{more} more verbs, and the options: wm help --all"
    assert terminal.wm("help").out.splitlines() == lines


def test_all_of_the_help_fits_80_columns_and_names_every_verb(terminal: Terminal) -> None:
    lines = terminal.wm("help", "--all").out.splitlines()
    assert max(map(len, lines)) <= 80
    for title, verbs in GROUPS.items():
        start = lines.index(f"{title}:")
        for at, (verb, says) in enumerate(verbs.items(), start + 1):
            assert lines[at] == f"  {verb:<10}  {says}"
    assert lines[-3:] == [
        "",
        "Every verb takes --help, and --json where it prints something.",
        "Exit codes: 0 done · 1 could not, or findings · 2 usage · 3 our bug",
    ]


def test_help_of_a_verb_is_that_verb_s_help(terminal: Terminal) -> None:
    assert terminal.wm("help", "inbox", "review").out == terminal.wm("inbox", "review", "-h").out
    said = terminal.wm("help", "inspct")
    assert (said.code, said.out) == (2, "")
    assert "Did you mean `wm inspect`?" in said.err


@pytest.mark.parametrize("verb", EVERY)
def test_the_help_of_a_verb_fits_80_columns(terminal: Terminal, verb: str) -> None:
    said = terminal.wm(verb, "--help")
    assert said.code == 0
    lines = said.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 30 or verb not in GROUPS["Every day"]
    assert said.out.startswith(f"Usage: wm {verb}")
    assert "-h, --help" in said.out


@pytest.mark.parametrize("verb", EVERY)
def test_a_verb_explains_itself_in_full_sentences(verb: str) -> None:
    command = commands()[verb]
    assert VERBS[verb].endswith(".")
    assert command.help
    assert command.help.strip().endswith((".", "?"))


def test_the_version_is_printed(terminal: Terminal) -> None:
    from wm import __version__

    assert terminal.wm("--version").out == f"wm {__version__}\n"


SHELLS = (
    ("bash", "_WM_COMPLETE=bash_complete"),
    ("zsh", "#compdef wm"),
    ("fish", "complete --no-files --command wm"),
)


@pytest.mark.parametrize(("shell", "part"), SHELLS)
def test_each_shell_gets_its_script(terminal: Terminal, shell: str, part: str) -> None:
    said = terminal.wm("completion", shell)
    assert (said.code, said.err) == (0, "")
    assert part in said.out


COMPLETED: tuple[tuple[str, int, set[str]], ...] = (
    ("wm ins", 1, {"inspect"}),
    ("wm re", 1, {"recap", "remember", "replay"}),
    ("wm inbox ", 2, {"accept", "edit", "list", "reject", "review"}),
    ("wm importance m_1 ", 3, {"low", "normal", "high"}),
    ("wm inspect --ty", 2, {"--type"}),
)


@pytest.mark.parametrize(("words", "at", "offered"), COMPLETED)
def test_verbs_and_options_are_completed(
    terminal: Terminal, words: str, at: int, offered: set[str]
) -> None:
    env = {"_WM_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(at)}
    said = terminal.wm(env=env)
    assert {line.partition(",")[2] for line in said.out.split()} == offered
