"""`--html` of recaps and audits: one file, with what the terminal shows too."""

from __future__ import annotations

import html
import re

from tests.cli.terminal import Terminal
from tests.replay.parts import session, written


def test_recaps_are_written_as_one_file(user: Terminal) -> None:
    said = user.wm("recap", "--html", "recaps.html")
    assert (said.code, "The page is recaps.html" in said.out) == (0, True)
    text = html.unescape((user.repo / "recaps.html").read_text("utf-8"))
    assert "Refunds of group tickets fail with a 500. Find out why and fix it." in text
    assert "pytest passed" in text
    assert not re.search(r'(?:src|href)="http', text)


def test_an_audit_is_written_as_one_file(user: Terminal) -> None:
    path = written(user.repo / "r.jsonl", [session("<script>alert(1)</script>")])
    said = user.wm("audit", str(path), "--html", "audit.html")
    assert (said.code, "The page is audit.html" in said.out) == (0, True)
    text = (user.repo / "audit.html").read_text("utf-8")
    assert "Where the tokens went" in text
    assert "tool results" in text
    assert text.count("<script>") == 2  # uPlot and ours


def test_a_file_that_cannot_be_written_is_named(user: Terminal) -> None:
    said = user.wm("recap", "--html", "nowhere/recaps.html")
    assert said.code == 1
    assert "nowhere/recaps.html cannot be written" in said.err
