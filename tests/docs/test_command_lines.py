"""Every `wm …` line that a page shows is one that `wm` understands. Nothing is run."""

from __future__ import annotations

import re
import shlex

import click
import pytest

from tests.docs import markdown
from tests.docs.pages import ROOT
from wm.cli.app import application

_PROGRAM = re.compile(r"^(?:\S*/)?wm$")
SAMPLES = {"VERB": "inspect", "LEVEL": "high", "EVENT": "Stop", "AGENT": "opencode"}
"""A value for placeholders that are no free text."""


def in_code(text: str) -> list[list[str]]:
    """The words behind `wm` of each command line in a piece of shell."""
    found = []
    for line in text.splitlines():
        for part in re.split(r"&&|\|\||[|;]", line):
            try:
                words = shlex.split(part, comments=True)
            except ValueError:
                continue
            if words and _PROGRAM.match(words[0]) and len(words) > 1:
                found.append(words[1:])
    return found


def lines(page: str) -> list[list[str]]:
    blocks = markdown.parts(page)[1]
    found = [
        words for block in blocks if block.language in ("", "sh") for words in in_code(block.text)
    ]
    return found + [words for piece in markdown.inline(page) for words in in_code(piece)]


def understood(words: list[str]) -> str:
    """ "" for a line that click takes; else what it says. A bare name of a verb is not a line."""
    words = [SAMPLES.get(word, word) for word in words if word != "…"]
    command: click.Command = application
    context = click.Context(application, info_name="wm", help_option_names=["-h", "--help"])
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        child = command.get_command(context, words[0])
        if child is None:
            if command is not application and command.invoke_without_command:
                break
            return f"there is no {words[0]!r}"
        command, words = child, words[1:]
    if not words or words == ["--help"]:
        return ""
    try:
        command.make_context(command.name, words, parent=context)
    except click.exceptions.Exit:
        return ""
    except click.UsageError as error:
        return error.format_message()
    return ""


@pytest.mark.parametrize("page", markdown.pages())
def test_command_lines_of_a_page_are_understood(page: str) -> None:
    wrong = {" ".join(words): said for words in lines(page) if (said := understood(words))}
    assert wrong == {}


@pytest.mark.parametrize(
    ("line", "good"),
    [
        ("remember TEXT", True),
        ("up --prove", True),
        ("inbox accept --outside", True),
        ("importance m_1 high", True),
        ("handover", False),
        ("inspect --nothing", False),
        ("importance m_1 enormous", False),
    ],
)
def test_the_check_of_command_lines_detects_bad_lines(line: str, good: bool) -> None:
    assert (understood(line.split()) == "") is good


def test_the_readme_shows_the_two_commands_that_ci_and_people_use() -> None:
    readme = markdown.text("README.md")
    commands = re.findall(r"^    (python3 -m venv .+)$", readme, re.MULTILINE)
    assert len(commands) == 2
    assert commands[0].endswith(".venv/bin/wm up --prove")
    assert commands[1].endswith(".venv/bin/python -m pytest")
    assert "grep -E '^    python3 -m venv .*pytest' README.md" in (ROOT / ".ci/run").read_text()


def test_the_readme_is_short() -> None:
    assert len(markdown.text("README.md").splitlines()) <= 110


@pytest.mark.parametrize("page", markdown.pages())
def test_python_modules_that_a_page_runs_exist(page: str) -> None:
    for match in re.finditer(r"python3? -m (tests[\w.]*)", markdown.text(page)):
        base = ROOT.joinpath(*match.group(1).split("."))
        assert base.with_suffix(".py").is_file() or (base / "__main__.py").is_file(), match.group()
