"""Columns, wrapping, colour."""

from __future__ import annotations

import io

import pytest

from wm.cli import output

WRAPPED: tuple[tuple[str, int, list[str]], ...] = (
    ("", 20, [""]),
    ("one two", 20, ["one two"]),
    ("one\ntwo\tthree", 20, ["one two three"]),
    ("a quite long sentence of words", 20, ["a quite long", "sentence of words"]),
    ("x" * 45, 20, ["x" * 20, "x" * 20, "x" * 5]),
    ("see " + "/p" * 12, 20, ["see", "/p" * 10, "/p/p"]),
    ("日本語" * 4, 20, ["日本語日本語日本語日", "本語"]),
    ("e\u0301" * 20, 20, ["e\u0301" * 20]),
    ("\x1b[31mred", 20, [r"\x1b[31mred"]),
    ("too narrow to be true", 3, ["too narrow to be", "true"]),
)


@pytest.mark.parametrize(("text", "room", "lines"), WRAPPED)
def test_text_is_wrapped_by_the_columns_it_takes(text: str, room: int, lines: list[str]) -> None:
    assert output.wrap(text, room) == lines


CUT: tuple[tuple[str, int, str], ...] = (
    ("short", 10, "short"),
    ("0123456789", 10, "0123456789"),
    ("01234567890", 10, "012345678…"),
    ("日本語日本語", 8, "日本語…"),
    ("two\nlines", 20, "two lines"),
)


@pytest.mark.parametrize(("text", "room", "shown"), CUT)
def test_a_cut_text_ends_with_an_ellipsis(text: str, room: int, shown: str) -> None:
    assert output.cut(text, room) == shown


def test_pairs_line_up_and_wrap_under_their_value() -> None:
    rows: list[output.Row] = [("id", "m_1"), ("rationale", "word " * 20)]
    assert output.pairs(rows) == [
        "\x1b[2m  id         \x1b[0mm_1",
        "\x1b[2m  rationale  \x1b[0m" + " ".join(["word"] * 13),
        "             " + " ".join(["word"] * 7),
    ]


SPANS: tuple[tuple[float, str], ...] = (
    (0.2, "0 seconds"),
    (1.0, "1 second"),
    (119.0, "1 minute"),
    (7200.0, "2 hours"),
    (86400.0 * 3.5, "3 days"),
)


@pytest.mark.parametrize(("seconds", "words"), SPANS)
def test_a_time_span_has_one_unit(seconds: float, words: str) -> None:
    assert output.lasting(seconds) == words


PATHS: tuple[tuple[str, str], ...] = (
    ("/home/ann", "~"),
    ("/home/ann/ferry", "~/ferry"),
    ("/home/anna", "/home/anna"),
    ("/srv/x\ny", r"/srv/x\ny"),
)


@pytest.mark.parametrize(("path", "shown"), PATHS)
def test_paths_are_short_and_safe(monkeypatch: pytest.MonkeyPatch, path: str, shown: str) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    assert output.home_short(path) == shown


class Screen(io.StringIO):
    """A standard output that is a terminal."""

    def isatty(self) -> bool:
        return True


COLOURS: tuple[tuple[dict[str, str], bool], ...] = (
    ({}, True),
    ({"NO_COLOR": "1"}, False),
    ({"NO_COLOR": ""}, True),
    ({"TERM": "dumb"}, False),
)


@pytest.mark.parametrize(("env", "coloured"), COLOURS)
def test_colour_is_for_terminals_without_no_color(
    monkeypatch: pytest.MonkeyPatch, env: dict[str, str], coloured: bool
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    screen = Screen()
    monkeypatch.setattr("sys.stdout", screen)
    output.line(output.bold("wm"))
    assert screen.getvalue() == ("\x1b[1mwm\x1b[0m\n" if coloured else "wm\n")


WIDTHS: tuple[tuple[str, int], ...] = (("20", 40), ("64", 64), ("80", 80), ("200", 100))


@pytest.mark.parametrize(("columns", "used"), WIDTHS)
def test_the_width_is_that_of_the_terminal_within_limits(
    monkeypatch: pytest.MonkeyPatch, columns: str, used: int
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert output.width() == 80
    monkeypatch.setattr("sys.stdout", Screen())
    assert output.width() == used
