"""`wm import`, on the files and through the daemon."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
from importlib import import_module
from pathlib import Path

import pytest

from tests.cli.terminal import Said, Terminal, repository
from wm.store.identity import key_of

RULES = """\
# Ferry

- Never push to the release branch by hand.
- Deploy only with `make ship`; it runs the checks first.
- Phase 2 is completed and all 212 tests pass.

```
make ship
```
"""


def rules(user: Terminal) -> Path:
    file = user.repo / "CLAUDE.md"
    file.write_text(RULES)
    return file


def store(user: Terminal, root: Path | None = None, text: str = "The tide API wants UTC.") -> Path:
    """A store of the three-layer plugin for a folder."""
    root = root or user.repo
    data = user.home / ".local" / "share" / "opencode-working-memory" / "workspaces"
    folder = data / key_of(str(root))
    folder.mkdir(parents=True, exist_ok=True)
    entry = {
        "id": f"mem_1770000000000_ab12{len(text)}",
        "type": "project",
        "text": text,
        "source": "explicit",
        "confidence": 1,
        "status": "active",
        "createdAt": "2026-02-02T02:40:00.000Z",
        "updatedAt": "2026-02-02T02:40:00.000Z",
    }
    workspace = {"root": str(root), "key": key_of(str(root))}
    document = {"version": 1, "workspace": workspace, "entries": [entry]}
    (folder / "workspace-memory.json").write_text(json.dumps(document))
    return folder


def counts(said: Said) -> dict[str, int]:
    return dict(said.json["targets"][0]["counts"])


def test_nothing_to_import_is_reported(terminal: Terminal) -> None:
    said = terminal.wm("import")
    assert (said.code, said.err) == (0, "")
    assert said.out == (
        "Nothing to import was found.\n"
        "`wm import --help` lists the folders it reads; or name PATHs.\n"
    )


def test_a_file_without_statements_is_reported(terminal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "empty.md").write_text("")
    said = terminal.wm("import", str(tmp_path / "empty.md"))
    assert (said.code, said.out[:29]) == (0, "Nothing to import was found.\n")


def test_an_import_reports_imported_and_skipped_items(user: Terminal) -> None:
    rules(user)
    store(user)
    said = user.wm("import", "-C", str(user.repo))
    assert (said.code, said.err) == (0, "")
    lines = said.out.splitlines()
    assert lines[1:4] == [
        "       1  active",
        "       2  wait for your approval: wm inbox",
        "       1  refused",
    ]
    assert "  refuse     Phase 2 is completed and all 212 tests pass." in lines
    assert any("CLAUDE.md:5 · it describes progress, not a lasting fact" in line for line in lines)
    left = lines.index("Left where they are:")
    assert lines[left + 1] == "       1  code: the files say it better"
    assert max(map(len, lines)) <= 80
    assert "Never push to the release branch by hand." in user.wm("inbox").out
    assert "2026-02-02 02:40 UTC" in user.wm("show", "mem_1770").out


def test_a_dry_run_writes_nothing_and_reports_what_the_run_does(user: Terminal) -> None:
    rules(user)
    dry = user.wm("import", "--dry-run")
    assert dry.out.count("  inbox      ") == 2
    assert "Nothing was written: without --dry-run, this would be done.\n" in dry.out
    assert user.wm("inbox").out == "The inbox is empty.\n"
    planned = user.wm("import", "--dry-run", "--json").json
    done = user.wm("import", "--json").json
    assert planned["targets"][0]["outcomes"] == done["targets"][0]["outcomes"]
    assert planned["left"] == done["left"]


def test_a_persons_own_rule_file_is_active_at_once(user: Terminal) -> None:
    file = rules(user)
    dry = user.wm("import", "--as-user", str(file), "--dry-run")
    assert dry.out.count("  active     ") == 2
    said = user.wm("import", "--as-user", str(file))
    assert (said.code, said.err) == (0, "")
    assert "       2  active\n" in said.out
    shown = user.wm("inspect").out
    assert "Never push to the release branch by hand." in shown
    assert "Phase 2 is completed" not in shown


def test_only_named_files_are_a_persons_own_words(user: Terminal) -> None:
    rules(user)
    store(user)
    refused = user.wm("import", "--as-user")
    assert refused.code == 1
    assert "--as-user needs the files that you wrote." in refused.err
    assert "release branch" not in user.wm("inspect").out


def test_standard_input_is_refused_with_the_way_that_works(terminal: Terminal) -> None:
    for name in ("-", "/dev/stdin"):
        said = terminal.wm("import", name)
        assert said.code == 1
        assert "not standard input. Name a file: `wm export -o FILE`" in said.sentences


def test_a_second_import_changes_no_byte(terminal: Terminal) -> None:
    rules(terminal)
    store(terminal)
    terminal.wm("import")
    before = {p: p.read_bytes() for p in terminal.data.rglob("*") if p.is_file()}
    again = terminal.wm("import")
    assert "       3  were imported before\n" in again.out
    assert "  Nothing new was imported.\n" in again.out
    assert {p: p.read_bytes() for p in terminal.data.rglob("*") if p.is_file()} == before


def test_imports_with_and_without_a_daemon_are_equal(
    terminal: Terminal, home_with_daemon: Terminal
) -> None:
    here, there = terminal, home_with_daemon.at("import-same")
    for user in (here, there):
        rules(user)
        store(user)
    one, other = here.wm("import", "--json"), there.wm("import", "--json")
    assert counts(one) == counts(other) == {"promoted": 1, "inbox": 2, "rejected": 1}


def test_bad_files_are_reported_on_stderr_and_the_rest_is_imported(user: Terminal) -> None:
    rules(user)
    (user.repo / "AGENTS.md").write_bytes(b"\x00\x01")
    (user.repo / "MEMORY.md").symlink_to("/etc/hostname")
    said = user.wm("import")
    assert said.code == 1
    assert "       2  wait for your approval: wm inbox\n" in said.out
    assert "AGENTS.md: it is binary, not text." in said.sentences
    assert "MEMORY.md: it is a link to /etc/hostname; to import that, name it." in said.sentences
    report = user.wm("import", "--json")
    assert (report.code, report.err) == (1, "")
    assert len(report.json["problems"]) == 2


def test_a_folder_of_stores_is_imported_per_workspace(user: Terminal) -> None:
    quay = repository(user.home / f"quay-{user.repo.parent.name}")
    store(user)
    home = store(user, quay, "The quay database is read-only on weekends.").parents[1]
    lost = store(user, user.home / "gone", "It belonged to a folder that is gone.")
    said = user.wm("import", str(home), "--json")
    roots = {target["place"]["root"] for target in said.json["targets"]}
    assert {str(user.repo), str(quay)} <= roots
    assert any(p["file"] == str(lost) for p in said.json["problems"])
    assert said.code == 1
    assert "read-only on weekends" in user.wm("inspect", "-C", str(quay)).out
    assert "It belonged" not in user.wm("inspect").out
    assert user.wm("import", str(lost)).code == 0
    assert "It belonged" in user.wm("inspect").out


def test_other_workspaces_are_named_and_not_changed(terminal: Terminal) -> None:
    quay = repository(terminal.home / "quay")
    store(terminal)
    store(terminal, quay, "The quay database is read-only on weekends.")
    said = terminal.wm("import")
    assert "1 other workspace has a store of the older plugin; `wm -C DIR import` takes" in said.out
    assert "  ~/quay\n" in said.out
    assert terminal.wm("-C", str(quay), "import").out.splitlines()[1] == "       1  active"


def test_a_workspace_may_be_named_by_its_key(terminal: Terminal) -> None:
    rules(terminal)
    terminal.remember("We use Postgres 16 in tests.")
    said = terminal.wm("import", "--workspace", key_of(str(terminal.repo)), cwd=terminal.home)
    assert said.out.splitlines()[1] == "       2  wait for your approval: wm inbox"


def test_no_secret_reaches_the_terminal_or_the_disk(user: Terminal) -> None:
    secret = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
    (user.repo / "CLAUDE.md").write_text(f"- The deploy token is {secret}\n")
    for words in (("--dry-run",), (), ("--json",)):
        said = user.wm("import", *words)
        assert secret not in said.out + said.err
        assert "[secret:github_token:" in said.out
    assert [
        p for p in user.data.rglob("*") if p.is_file() and secret.encode() in p.read_bytes()
    ] == []


def test_escapes_in_foreign_text_do_not_reach_the_terminal(user: Terminal) -> None:
    (user.repo / "CLAUDE.md").write_text("- Never \x1b[31mwrite\x1b[0m to the \u202eharbour log.\n")
    said = user.wm("import", "--dry-run")
    assert "\x1b" not in said.out
    assert "\u202e" not in said.out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--from", "opencode"), "--from: 'opencode' is not one of"),
        (("--frm", "instructions"), "`wm import` has no option --frm."),
    ],
)
def test_mistakes_are_answered_with_usage(
    terminal: Terminal, words: tuple[str, ...], sentence: str
) -> None:
    said = terminal.wm("import", *words)
    assert said.code == 2
    assert sentence in said.sentences


def test_a_missing_path_is_reported(terminal: Terminal) -> None:
    said = terminal.wm("import", "nowhere")
    assert said.code == 1
    assert said.sentences.endswith(
        "ferry/nowhere: it does not exist. Correct it or name others, then import again."
    )


def test_progress_is_printed_once_per_second(capsys: pytest.CaptureFixture[str]) -> None:
    verb = import_module("wm.cli.verbs.project.import_")
    moments = iter([0.0, 0.2, 0.9, 1.1, 1.1, 1.5, 2.2, 2.2, 2.3, 2.4])
    progress = verb.Progress(lambda: next(moments))
    for number in range(1, 6):
        progress.report(f"/p/{number}")
    progress.send(10)
    progress.send(1000)
    assert capsys.readouterr() == (
        "",
        "Reading file 3: /p/3\nReading file 5: /p/5\nChecking 1,000 statements …\n",
    )


def test_the_sources_are_not_changed(user: Terminal) -> None:
    files = [rules(user), store(user) / "workspace-memory.json"]
    before = [(f.read_bytes(), os.stat(f).st_mtime_ns) for f in files]
    user.wm("import")
    assert [(f.read_bytes(), os.stat(f).st_mtime_ns) for f in files] == before


def test_an_export_is_imported_unchanged_into_another_home(user: Terminal, tmp_path: Path) -> None:
    first = user.wm("remember", "we deploy with make ship", "--json").json["entry"]["id"]
    user.wm("remember", "The staging host is bluebird", "--type", "reference")
    file = tmp_path / "export.json"
    assert user.wm("export", "-o", str(file)).code == 0
    memory = json.loads(file.read_text())["documents"]["workspace_memory"]["entries"]
    other = {"WM_HOME": str(tmp_path / "another home")}
    said = user.wm("import", str(file), "--json", env=other)
    assert (said.code, counts(said)) == (0, {"promoted": 2})
    back = [item["entry"] for item in user.wm("inspect", "--json", env=other).json["entries"]]
    kept = ("id", "type", "text", "source", "status", "createdAt", "updatedAt")
    assert {tuple(e[k] for k in kept) for e in back} == {tuple(e[k] for k in kept) for e in memory}
    assert first in {entry["id"] for entry in back}
    assert counts(user.wm("import", str(file), "--json", env=other)) == {"unchanged": 2}
    assert counts(user.wm("import", str(file), "--json")) == {"unchanged": 2}


def transcript(user: Terminal, *messages: str) -> Path:
    """A session of Claude Code in the user's repository."""
    name = "".join(c if c.isascii() and c.isalnum() else "-" for c in str(user.repo))
    folder = user.home / ".claude" / "projects" / name
    folder.mkdir(parents=True)
    lines = (
        {
            "type": "user",
            "sessionId": "5f1a",
            "timestamp": f"2026-02-0{day}T08:00:00.000Z",
            "message": {"role": "user", "content": text},
        }
        for day, text in enumerate(messages, 1)
    )
    file = folder / "5f1a.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    return file


SAID = (
    "Remember: we use npm here",
    "fix the ferry test",
    "no, never log request bodies",
    "we switched to pnpm, don't use npm any more",
)


def test_transcripts_are_read_if_the_user_asks_for_them(user: Terminal) -> None:
    transcript(user, *SAID)
    plain = user.wm("import", "-C", str(user.repo))
    assert plain.out.startswith("Nothing to import was found.")
    assert "keep transcripts of sessions of this project" in plain.out
    said = user.wm("import", "-C", str(user.repo), "--from", "transcripts", "--json")
    assert counts(said) == {"inbox": 3}
    again = user.wm("import", "-C", str(user.repo), "--from", "transcripts", "--json")
    assert counts(again) == {"unchanged": 3}


@pytest.mark.parametrize("mine", [True, False])
def test_a_pipe_among_the_transcripts_does_not_block_the_import(user: Terminal, mine: bool) -> None:
    own = transcript(user, *SAID).parent
    folder = own if mine else own.with_name("-srv-another")
    folder.mkdir(exist_ok=True)
    os.mkfifo(folder / "pipe.jsonl")
    said = user.wm("import", "-C", str(user.repo), "--from", "transcripts", "--json")
    assert counts(said) == {"inbox": 3}


def test_transcripts_as_the_users_own_words_end_with_the_latest(user: Terminal) -> None:
    transcript(user, *SAID)
    user.wm("import", "-C", str(user.repo), "--from", "transcripts", "--as-user")
    shown = user.wm("inspect", "-C", str(user.repo)).out
    assert "never log request bodies" in shown
    assert "we switched to pnpm" in shown
    assert "we use npm here" not in shown
    assert "1 replaced" in shown


def test_sessions_of_other_agents_are_those_that_began_here(user: Terminal) -> None:
    folder = user.home / ".codex" / "sessions" / "2026" / "02" / "01"
    folder.mkdir(parents=True)
    for number, place in enumerate((user.repo, user.home)):
        lines = (
            {"type": "session_meta", "payload": {"session_id": "c", "cwd": str(place)}},
            {"type": "event_msg", "payload": {"type": "user_message", "message": SAID[number]}},
        )
        (folder / f"rollout-{number}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    said = user.wm("import", "-C", str(user.repo), "--from", "transcripts", "--json")
    assert [one["text"] for one in said.json["targets"][0]["outcomes"]] == ["we use npm here"]
    named = user.wm("import", "-C", str(user.repo), str(folder / "rollout-1.jsonl"), "--json")
    assert (named.code, named.json["targets"]) == (0, [])
    both = user.wm("import", "-C", str(user.repo), str(folder), "--from", "transcripts", "--json")
    assert counts(both) == {"unchanged": 1}


def codex_session(user: Terminal, name: str, place: Path | str, *messages: str) -> Path:
    """A session of Codex that was started in a folder; one message a day."""
    folder = user.home / ".codex" / "sessions" / "2026" / "02" / "01"
    folder.mkdir(parents=True, exist_ok=True)
    meta = {"type": "session_meta", "payload": {"session_id": name, "cwd": str(place)}}
    said = (
        {
            "type": "event_msg",
            "timestamp": f"2026-02-0{day}T09:00:00.000Z",
            "payload": {"type": "user_message", "message": text},
        }
        for day, text in enumerate(messages, 1)
    )
    file = folder / f"rollout-{name}.jsonl"
    file.write_text("\n".join(map(json.dumps, (meta, *said))))
    return file


def claude_session(user: Terminal, place: Path, text: str) -> None:
    folder = user.home / ".claude" / "projects" / str(place).replace("/", "-").replace(".", "-")
    folder.mkdir(parents=True, exist_ok=True)
    line = {"type": "user", "sessionId": "5f1a", "cwd": str(place), "message": {"content": text}}
    (folder / "5f1a.jsonl").write_text(json.dumps(line))


@pytest.mark.parametrize("agent", ["claude", "codex", "opencode"])
def test_sessions_of_subfolders_and_worktrees_are_of_the_repository(
    user: Terminal, agent: str
) -> None:
    """ID-2: one memory for the repository, whatever folder an agent was started in."""
    side, nested = Path(f"{user.repo} side"), user.repo / "vendor" / "pier"
    git = ("git", "-C", str(user.repo), "-c", "user.name=D", "-c", "user.email=d@example.org")
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    subprocess.run([*git, "worktree", "add", "-q", "-b", "side", str(side)], check=True)
    (user.repo / "web" / "app").mkdir(parents=True)
    repository(nested)
    beside = Path(f"{user.repo}-two")
    repository(beside)
    ours = {
        "web/app": user.repo / "web" / "app",
        "gone": user.repo / "gone" / "app",
        "side": side,
        "below side": side / "web",
    }
    others = {"nested": nested, "beside": beside, "gone beside": user.repo.parent / "gone"}
    made = database(user, TABLES) if agent == "opencode" else None
    for number, (name, place) in enumerate({**ours, **others}.items()):
        said = f"Remember: the quay of {name} wants UTC"
        if agent == "claude":
            claude_session(user, place, said)
        elif agent == "codex":
            codex_session(user, str(number), place, said)
        elif made is not None:
            part = json.dumps({"type": "text", "text": said})
            row = (f"s{number}", None, str(place))
            made.execute("INSERT INTO session VALUES (?, ?, ?)", row)
            role = json.dumps({"role": "user"})
            made.execute("INSERT INTO message VALUES (?, ?, ?)", (f"m{number}", row[0], role))
            values = (f"p{number}", f"m{number}", row[0], 1_770_000_000_000 + number, part)
            made.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?)", values)
            made.commit()
    for folder in (user.repo, side):
        ran = user.wm("import", "-C", str(folder), "--from", "transcripts", "--dry-run", "--json")
        found = {one["text"] for one in ran.json["targets"][0]["outcomes"]}
        assert found == {f"the quay of {name} wants UTC" for name in ours}


def test_what_a_later_session_asked_to_forget_is_left(user: Terminal) -> None:
    codex_session(user, "a", user.repo, "Remember: the API key of Stripe lives in pass", SAID[2])
    codex_session(user, "b", user.repo, "Thanks", "Thanks", "forget what I said about Stripe")
    codex_session(
        user, "c", user.repo, *["Thanks"] * 4, "Remember: Stripe is called from worker.py"
    )
    said = user.wm("import", "-C", str(user.repo), "--from", "transcripts", "--json")
    assert [one["text"] for one in said.json["targets"][0]["outcomes"]] == [
        "never log request bodies",
        "Stripe is called from worker.py",
    ]
    assert [(one["code"], one["count"]) for one in said.json["left"]] == [("forgotten", 1)]


@pytest.mark.parametrize("damage", [b"caf\xe9", b"\0\0\0"])
def test_a_damaged_line_costs_only_itself(user: Terminal, damage: bytes) -> None:
    file = codex_session(user, "a", user.repo, SAID[0], "Remember: the DAMAGE is closed", SAID[2])
    file.write_bytes(file.read_bytes().replace(b"DAMAGE", damage))
    said = user.wm("import", "-C", str(user.repo), "--from", "transcripts", "--json")
    assert (said.code, counts(said)) == (0, {"inbox": 2})
    assert [(one["code"], one["count"]) for one in said.json["left"]] == [("damaged", 1)]


def test_a_waiting_statement_names_what_it_replaces(user: Terminal) -> None:
    """Only what was said before it: a statement from last year says nothing new about this year."""
    user.wm("remember", "-C", str(user.repo), "The staging database is on port 5433.")
    claude_md = user.repo / "CLAUDE.md"
    claude_md.write_text("- The staging database is on port 5434 now.\n")
    os.utime(claude_md, (4_000_000_000, 4_000_000_000))
    codex_session(user, "a", user.repo, "Remember: the staging database is on port 5432 now.")
    for words in ((), ("--from", "transcripts")):
        user.wm("import", "-C", str(user.repo), *words)
    shown = user.wm("inbox", "-C", str(user.repo), "--json").json["entries"]
    found = {one["entry"]["text"]: one["entry"] for one in shown}
    known = user.wm("inspect", "-C", str(user.repo), "--json").json["entries"][0]["entry"]["id"]
    newer = found["The staging database is on port 5434 now."]
    assert newer["supersedes"] == [known]
    older = found["the staging database is on port 5432 now."]
    assert "supersedes" not in older
    assert known in older["conflicts"]
    listed = " ".join(user.wm("inbox", "-C", str(user.repo)).out.split())
    assert f"would replace {known[:10]} {known[:10]} is: The staging database is on" in listed
    user.wm("inbox", "accept", newer["id"], "-C", str(user.repo))
    assert "1 replaced" in user.wm("inspect", "-C", str(user.repo)).out


def test_sessions_of_a_project_with_the_same_name_are_left(user: Terminal) -> None:
    file = transcript(user, SAID[0])
    said = json.loads(file.read_text())
    for place, found in ((f"{user.repo.parent}-{user.repo.name}", 0), (str(user.repo), 1)):
        file.write_text(json.dumps({**said, "cwd": place}))
        ran = user.wm("import", "-C", str(user.repo), "--from", "transcripts", "--json")
        assert len(ran.json["targets"]) == found


TABLES = """
    CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT);
    CREATE TABLE message (id TEXT, session_id TEXT, data TEXT);
    CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
"""


def database(user: Terminal, tables: str) -> sqlite3.Connection:
    folder = user.home / ".local" / "share" / "opencode"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "opencode.db").unlink(missing_ok=True)
    made = sqlite3.connect(folder / "opencode.db")
    made.executescript(tables)
    return made


def test_sessions_of_opencode_are_read_from_its_database(user: Terminal) -> None:
    made = database(user, TABLES)
    parts = (
        ("ours", None, user.repo, "user", {"text": SAID[0]}),
        ("ours", None, user.repo, "user", {"text": "Never hurry here.", "synthetic": True}),
        ("ours", None, user.repo, "assistant", {"text": "Always write long names."}),
        ("other", None, user.home, "user", {"text": "Never say never in this repo."}),
        ("child", "ours", user.repo, "user", {"text": "Never skip the tests."}),
    )
    for number, (session, parent, folder, role, part) in enumerate(parts):
        made.execute("INSERT INTO session VALUES (?, ?, ?)", (session, parent, str(folder)))
        said = json.dumps({"role": role})
        made.execute("INSERT INTO message VALUES (?, ?, ?)", (f"m{number}", session, said))
        row = (
            f"p{number}",
            f"m{number}",
            session,
            1_770_000_000_000,
            json.dumps({"type": "text", **part}),
        )
        made.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?)", row)
    made.commit()
    said = user.wm("import", "-C", str(user.repo), "--from", "transcripts", "--json")
    assert [one["text"] for one in said.json["targets"][0]["outcomes"]] == ["we use npm here"]


def test_a_database_with_other_tables_is_reported(user: Terminal) -> None:
    database(user, "CREATE TABLE session (id TEXT);")
    said = user.wm("import", "-C", str(user.repo), "--from", "transcripts")
    assert said.code == 1
    assert "not a database of OpenCode that wm knows (no such table" in " ".join(said.err.split())
