"""`wm replay`: its output, its chart, and its errors for other files."""

from __future__ import annotations

import base64
import gzip
import json
import os
import re
import threading
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.cli.terminal import Said, Terminal
from tests.cli.test_helper import configured
from tests.docs.schemas import validate_printed
from tests.replay.parts import session, written
from tests.scripted_helper import Script, scripted


def recording(user: Terminal) -> Path:
    return written(user.repo / "recorded.jsonl", [session("harbour"), session("pier")])


def test_the_table_shows_conversations_and_totals_and_fits_the_screen(user: Terminal) -> None:
    said = user.wm("replay", str(recording(user)), "--turns")
    assert said.code == 0
    assert said.out.startswith("policy none · 6 requests of 2 conversations in 1 file\n")
    for words in ("harbour", "pier", "without cache", "faults", "has no times"):
        assert words in said.out
    assert max(map(len, said.out.splitlines())) <= 80


def test_the_json_fits_its_schema(user: Terminal) -> None:
    said = user.wm("replay", str(recording(user)), "--json")
    assert (said.code, said.err) == (0, "")
    validate_printed("replay", said.json)
    assert said.json["total"]["requests"] == 6
    assert len(said.json["turns"]) == 6


def test_a_policy_is_compared_with_rivals_under_an_assumed_model(user: Terminal) -> None:
    options = ("--policy", "age-4", "--rivals", "--as", "claude-opus-4-5", "--head", "8000")
    said = user.wm("replay", str(recording(user)), *options, "--ttl", "1h", "--html", "c.html")
    assert said.code == 0
    for words in ("policy, of none's bill", "clear-50k-10", "opencode-prune", "read again"):
        assert words in said.out
    assert max(map(len, said.out.splitlines())) <= 80
    page = (user.repo / "c.html").read_text("utf-8")
    charts = [json.loads(unescape(one)) for one in re.findall(r'data-chart="([^"]+)"', page)]
    assert charts[0]["borders"] == [3.5]  # two conversations
    assert [one["label"] for one in charts[1]["series"]] == [
        "without the policy",
        "with the policy",
    ]


def test_an_assumed_model_without_a_price_is_an_error_with_the_fix(user: Terminal) -> None:
    said = user.wm("replay", str(recording(user)), "--as", "llama-4")
    assert said.code == 1
    assert "No price is known of llama-4. Name one of fable-5-2, " in said.sentences


def test_a_conversation_without_a_price_shows_no_bill(user: Terminal) -> None:
    path = written(user.repo / "r.jsonl", [session(model="llama-4"), session("pier")])
    rows = [line.split() for line in user.wm("replay", str(path)).out.splitlines()]
    assert [row[5:7] for row in rows if row[:1] == ["harbour"]] == [["–", "–"]]


def test_a_folder_of_recordings_is_read(user: Terminal) -> None:
    path = recording(user)
    (user.repo / "old.jsonl.gz").write_bytes(gzip.compress(path.read_bytes()))
    said = user.wm("replay", str(path.parent))
    assert said.out.startswith("policy none · 12 requests of 2 conversations in 2 files\n")


@pytest.mark.parametrize("policy", ["none", "safe", "age-4"])
def test_passages_of_a_policy_without_cuts_are_an_error_with_the_fix(
    user: Terminal, policy: str
) -> None:
    given = ("--policy", policy, "--passages", "450")
    said = user.wm("replay", str(recording(user)), *given)
    assert said.code == 1
    assert "Give --policy balanced or tight" in said.err


def test_a_file_named_twice_is_read_once_and_reported(user: Terminal) -> None:
    path = recording(user)
    (path.parent / "link").symlink_to(path)
    said = user.wm("replay", str(path), str(path.parent / "link"))
    assert said.out.startswith("policy none · 6 requests of 2 conversations in ")
    assert "Left out: logs of sessions that were read already (1)." in said.out


class Page(HTMLParser):
    """What a page is made of: its tags in balance, and what it would fetch."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: list[str] = []
        self.fetched: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        if tag != "meta":
            self.open.append(tag)
        self.fetched += [name for name, _ in attrs if name in ("src", "href", "srcset")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_chart_is_one_page_without_external_resources_or_foreign_scripts(
    user: Terminal,
) -> None:
    path = written(user.repo / "r.jsonl", [session("<script>alert(1)</script>")])
    said = user.wm("replay", str(path), "--html", "chart.html")
    assert said.code == 0
    assert "The chart is in chart.html" in said.out
    text = (user.repo / "chart.html").read_text("utf-8")
    page = Page(text)
    assert (page.open, page.fetched) == ([], [])
    assert page.names.count("wm-chart") == 2
    scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digests = [base64.b64encode(sha256(one.encode()).digest()).decode() for one in scripts]
    assert len(digests) == 2
    for digest in digests:
        assert f"'sha256-{digest}'" in unescape(text)
    assert "default-src 'none'" in unescape(text)
    assert "url(" not in text
    assert "prefers-color-scheme: dark" in text


def test_a_page_replaces_only_an_older_page(user: Terminal) -> None:
    path = str(recording(user))
    (user.repo / "README.md").write_text("# Ferry\n")
    os.mkfifo(user.repo / "pipe.html")
    for name, code in (("README.md", 1), ("pipe.html", 1), ("c.html", 0), ("c.html", 0)):
        said = user.wm("replay", path, "--html", name)
        assert (said.code, "already exists; nothing was changed" in said.err) == (code, code == 1)
    assert (user.repo / "README.md").read_text() == "# Ferry\n"
    assert os.stat(user.repo / "c.html").st_mode & 0o777 == 0o600


def test_a_file_of_another_kind_is_an_error_with_the_fix(user: Terminal) -> None:
    strange = written(user.repo / "notes.md", ["# Notes"])
    said = user.wm("replay", str(strange))
    assert said.code == 1
    assert "is not a recording that wm can read: it has no line of JSON." in said.err
    assert "Give a log of a proxy" in said.err


@pytest.mark.parametrize("verb", ["replay", "audit"])
def test_a_pipe_without_a_writer_is_an_error_and_others_are_read(
    user: Terminal, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    monkeypatch.setattr("wm.replay.files.WRITER_S", 0.2)
    pipe = user.repo / "pipe"
    os.mkfifo(pipe)
    said = user.wm(verb, str(pipe))
    assert said.code == 1
    assert "pipe cannot be opened: no program writes to this pipe." in said.sentences
    raw = recording(user).read_bytes()
    monkeypatch.setattr("wm.replay.files.WRITER_S", 20)
    writer = threading.Thread(target=pipe.write_bytes, args=(raw,))
    writer.start()
    said = user.wm(verb, str(pipe))
    writer.join()
    assert "6 requests of 2 conversations in 1 file" in said.out
    read, write = os.pipe()
    late = threading.Timer(0.5, lambda: (os.write(write, raw), os.close(write)))
    monkeypatch.setattr("wm.replay.files.WRITER_S", 0.1)
    late.start()  # a program that the shell connected may be slow
    said = user.wm(verb, f"/dev/fd/{read}")
    os.close(read)
    assert "6 requests of 2 conversations in 1 file" in said.out


def test_a_second_policy_is_refused_with_the_fix(user: Terminal) -> None:
    said = user.wm("replay", "--policy", "safe", "--policy=tight", str(recording(user)))
    assert (said.code, said.out) == (2, "")
    assert "--policy is given twice. Run `wm replay` once for each." in said.sentences


def test_an_unwritable_chart_is_a_one_sentence_error(user: Terminal) -> None:
    said = user.wm("replay", str(recording(user)), "--html", "nowhere/chart.html")
    assert said.code == 1
    assert "nowhere/chart.html cannot be written" in said.err


# --- answers --------------------------------------------------------------------------------------

ANSWERS = re.compile(r"<content>\n(.*?)\n</content>", re.DOTALL)


def judged(user: Terminal, script: Script, *options: str) -> tuple[Said, str, list[bytes]]:
    """What the command said, its table in one line, and what the helper's server got."""
    recorded = written(user.repo / "long.jsonl", [session("harbour")])
    with scripted(script, usage=(2_000, 100)) as server:
        lines = ('model = "ollama/small"', f'base_url = "{server.url}"', *options)
        configured(user, "\n".join(lines))
        said = user.wm("replay", str(recorded), "--policy", "balanced", "--judge", "5")
        return said, " ".join(said.out.split()), server.received


def doing(instructions: str, text: str) -> str:
    """Does something else if the second copy of the file is a reference to the first."""
    if "Two agents" in instructions:
        first, second = ANSWERS.findall(text)
        return json.dumps({"same": first == second})
    return "I look at the first copy." if "[wm" in text else "I answer."


def preferring(instructions: str, text: str) -> str:
    """Its verdict depends on the order of what it compares."""
    made = doing(instructions, text)
    return json.dumps({"same": "first" in text.split("</content>")[0]}) if "{" in made else made


def test_answers_are_compared_with_and_without_a_policy(user: Terminal) -> None:
    said, table, received = judged(user, doing)
    assert said.code == 0
    assert "answers with the policy 0 same, 1 different, 0 unclear; twice" in table
    assert "twice without it 1 same, 0 different, 0 unclear, by ollama/small" in table
    assert "1 conversation of 1 changed ones, without secrets, to ollama/small: about" in said.err
    assert len(received) == 7
    assert not any(b"Be brief" in one for one in received), "nor the system prompt"


def test_a_verdict_that_depends_on_the_order_is_unclear(user: Terminal) -> None:
    _, table, _ = judged(user, preferring)
    assert "with the policy 0 same, 0 different, 1 unclear" in table


def test_answers_end_with_the_cap_and_say_why(user: Terminal) -> None:
    said, table, received = judged(user, doing, "daily_tokens = 9000")
    assert said.code == 0
    assert "not judged helper.daily_tokens is 9,000" in table
    assert len(received) < 7


def test_nothing_is_sent_without_a_helper_model(user: Terminal) -> None:
    configured(user, 'model = ""')
    recorded = written(user.repo / "long.jsonl", [session("harbour")])
    said = user.wm("replay", str(recorded), "--policy", "balanced", "--judge", "5", "--json")
    assert said.json["judged"]["problem"] == "helper.model in config.toml names no model."
    validate_printed("replay", said.json)
    said = user.wm("replay", str(recorded), "--judge", "5")
    assert (said.code, "answers with and without a policy, and none is" in said.err) == (1, True)
