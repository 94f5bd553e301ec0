"""`wm audit`: which transcripts it takes, what it prints."""

from __future__ import annotations

import json
import os
import re

import pytest

from tests.cli.terminal import Terminal
from tests.docs.schemas import validate_printed
from tests.replay.parts import LONG, session, written
from tests.replay.test_other_transcripts import AGENTS


def test_the_transcripts_of_this_folder_are_found_automatically(user: Terminal) -> None:
    slug = re.sub(r"[^A-Za-z0-9]", "-", str(user.repo))
    folder = user.home / ".claude" / "projects" / slug
    folder.mkdir(parents=True)
    written(folder / "one.jsonl", [session()])
    said = user.wm("audit")
    assert said.code == 0
    assert said.out.startswith("3 requests of 1 conversation in 1 file\n")
    for words in ("tool results", "/pier/berths.py", "cache saves", "pruning"):
        assert words in said.out
    assert LONG[:20] not in said.out
    assert max(map(len, said.out.splitlines())) <= 80


def test_sessions_of_other_agents_in_this_folder_are_found(user: Terminal) -> None:
    here = {"cwd": str(user.repo)}
    for agent, place, started in (
        ("codex", "sessions/2026/11/27/rollout-1-s.jsonl", {"payload": here}),
        ("codex", "sessions/2026/11/27/rollout-2-s.jsonl", {"payload": {"cwd": "/elsewhere"}}),
        ("copilot", "session-state/s/events.jsonl", {"data": {"context": here}}),
        ("gemini", "tmp/p/chats/session-1.jsonl", {}),
        ("qwen", "projects/-p/chats/q.jsonl", here),
    ):
        file = user.home / f".{agent}" / place
        file.parent.mkdir(parents=True, exist_ok=True)
        head, *lines = AGENTS[agent]()
        written(file, [{**head, **started}, *lines])
    (user.home / ".gemini" / "tmp" / "p" / ".project_root").write_text(str(user.repo))
    said = user.wm("audit")
    assert said.out.startswith("12 requests of 4 conversations in 4 files\n"), said.err


def test_a_folder_or_a_file_can_be_named_and_the_json_fits(user: Terminal) -> None:
    folder = user.repo / "kept"
    folder.mkdir()
    path = written(folder / "one.jsonl", [session()])
    for named in (folder, path):
        said = user.wm("audit", str(named), "--json")
        assert (said.code, said.err) == (0, "")
        validate_printed("audit", said.json)
        assert said.json["requests"] == 3


def test_without_transcripts_the_message_names_the_searched_folders(user: Terminal) -> None:
    said = user.wm("audit")
    assert said.code == 1
    assert "The agents keep no transcripts of" in said.err
    empty = user.repo / "empty"
    empty.mkdir()
    assert "No recording (*.jsonl) is in" in user.wm("audit", str(empty)).err


def test_other_files_in_a_folder_of_recordings_are_skipped_with_a_line(
    user: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wm.replay.files.WRITER_S", 0.1)
    slug = re.sub(r"[^A-Za-z0-9]", "-", str(user.repo))
    folder = user.home / ".claude" / "projects" / slug
    (folder / "sub").mkdir(parents=True)
    (folder / "a.jsonl").write_text('{"colour": "red"}\n')
    (folder / "b.jsonl").write_text("")
    (folder / "c.jsonl").mkdir()
    os.mkfifo(folder / "d.jsonl")
    for words in (("audit", str(folder)), ("audit",), ("replay", str(folder))):
        said = user.wm(*words)
        assert said.code == 1
        assert "a.jsonl is not a recording that wm can read" in said.sentences
        assert any(one in said.err for one in ("No recording (*.jsonl) is", "keep no transcripts"))
    written(folder / "sub" / "one.jsonl", [session()])
    for words in (("audit", str(folder)), ("audit",), ("replay", str(folder))):
        said = user.wm(*words)
        assert said.code == 0, said.err
        assert "3 requests of 1 conversation in 1 file\n" in said.out
        assert said.sentences.count("Skipped: ") == 4
        assert "b.jsonl is not a recording that wm can read: it has no line" in said.sentences
        assert "d.jsonl cannot be opened: no program writes" in said.sentences


def test_a_long_path_is_shortened_to_its_end(user: Terminal) -> None:
    deep = "/harbour/" + "quay/" * 12 + "berths.py"
    lines = json.loads(json.dumps(session()))
    for message in lines["messages"]:
        for block in message["content"]:
            if block["type"] == "tool_use":
                block["input"] = {"file_path": deep}
    said = user.wm("audit", str(written(user.repo / "one.jsonl", [lines])))
    assert "quay/berths.py" in said.out
    assert "/harbour/" not in said.out
