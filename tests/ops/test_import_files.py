"""Finding and reading foreign files: known places, named ones, and files that are none."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from wm.api.protocol import WorkspacePlace
from wm.ops.imports.files import Gathered, ImportSelection, gather
from wm.settings import ForeignPaths, ImportSettings
from wm.store.identity import key_of

KEPT = "The lamp controller talks Modbus over RS-485."
SMALL = ImportSettings(max_file_bytes=4000, max_files=20, max_looked_at=50, max_facts=5)


class Home:
    """A user with a project `pier` and the folders of other programs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.project = self.folder / "pier"
        (self.project / ".git").mkdir(parents=True)
        self.places = ForeignPaths(
            data=self.folder / "data", claude=self.folder / "claude", opencode=self.folder / "oc"
        )

    def write(self, path: str, content: Any) -> Path:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            file.write_bytes(content)
        else:
            file.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
        return file

    def store(self, root: Path | str, *texts: str, key: str = "") -> Path:
        """A store of the three-layer plugin."""
        key = key or key_of(str(root))
        entries = [{"id": f"mem_{n}_aa", "text": text} for n, text in enumerate(texts)]
        return self.write(
            f"data/opencode-working-memory/workspaces/{key}/workspace-memory.json",
            {"version": 1, "workspace": {"root": str(root), "key": key}, "entries": entries},
        )

    def gather(self, *paths: Path, folder: Path | None = None, source: str = "") -> Gathered:
        place = WorkspacePlace(key=key_of(str(self.project)), root=str(self.project))
        asked = ImportSelection(place, str(folder or self.project), tuple(map(str, paths)), source)
        return gather(asked, self.places, SMALL, max_chars=2000)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def texts(found: Gathered, where: str = "") -> list[str]:
    return [fact.text for fact in found.facts.get(where, ())]


def whys(found: Gathered) -> list[str]:
    return [problem.why for problem in found.problems]


# --- known places --------------------------------------------------------------------------


def test_without_sources_nothing_is_found(home: Home) -> None:
    assert home.gather() == Gathered()


def test_every_known_location_is_searched(home: Home) -> None:
    name = str(home.project).replace("/", "-").replace("_", "-").replace(".", "-")
    places = {
        "pier/CLAUDE.md": "one",
        "pier/AGENTS.md": "two",
        "pier/CLAUDE.local.md": "three",
        "pier/MEMORY.md": "four",
        "pier/.claude/CLAUDE.md": "five",
        "claude/CLAUDE.md": "six",
        "oc/AGENTS.md": "seven",
        f"claude/projects/{name}/memory/MEMORY.md": "eight",
        f"claude/projects/{name}/memory/topic.md": "nine",
    }
    for path, text in places.items():
        home.write(path, text)
    home.write("claude/projects/-another/memory/MEMORY.md", "not ours")
    home.write("pier/README.md", "not read")
    home.write("pier/.opencode/memory-core/s.json", {"blocks": {"context": {"value": "ten"}}})
    home.write("pier/.opencode/memory-working/s.json", {"items": []})
    home.store(home.project, "eleven")
    settings = ImportSettings()
    place = WorkspacePlace(key=key_of(str(home.project)), root=str(home.project))
    found = gather(ImportSelection(place, str(home.project)), home.places, settings, max_chars=2000)
    assert sorted(texts(found)) == sorted([*places.values(), "ten", "eleven"])
    assert found.problems == []
    assert texts(found)[0] == "eleven"  # the strongest source first


def test_a_source_can_be_selected(home: Home) -> None:
    home.write("pier/CLAUDE.md", "one")
    home.store(home.project, "two")
    assert texts(home.gather(source="instructions")) == ["one"]
    assert texts(home.gather(source="opencode-v2")) == ["two"]
    assert texts(home.gather(source="opencode-v1")) == []


def test_folders_from_the_root_to_the_current_folder_are_searched(home: Home) -> None:
    for path in ("pier/AGENTS.md", "pier/a/AGENTS.md", "pier/a/b/AGENTS.md", "AGENTS.md"):
        home.write(path, path)
    found = home.gather(folder=home.project / "a")
    assert texts(found) == ["pier/AGENTS.md", "pier/a/AGENTS.md"]


def test_a_linked_worktree_is_searched_with_its_own_files(home: Home) -> None:
    home.write("pier/AGENTS.md", "main")
    home.write("tree/.git", "gitdir: elsewhere")
    home.write("tree/AGENTS.md", "tree")
    (home.folder / "tree" / "sub").mkdir()
    assert texts(home.gather(folder=home.folder / "tree" / "sub")) == ["main", "tree"]


def test_outside_git_no_parent_folder_is_searched(home: Home) -> None:
    home.write("AGENTS.md", "above")
    (home.folder / "loose").mkdir()
    home.write("loose/AGENTS.md", "here")
    folder = home.folder / "loose"
    place = WorkspacePlace(key=key_of(str(folder)), root=str(folder))
    found = gather(ImportSelection(place, str(folder)), home.places, SMALL, max_chars=2000)
    assert texts(found) == ["here"]


def test_stores_of_other_workspaces_are_counted_and_skipped(home: Home) -> None:
    other = home.folder / "quay"
    (other / ".git").mkdir(parents=True)
    home.store(home.project, "ours")
    home.store(other, "theirs")
    home.store("/gone/for/ever", "lost")
    home.write("data/opencode-working-memory/workspaces/0000/workspace-memory.json", "broken")
    found = home.gather()
    assert texts(found) == ["ours"]
    assert sorted(found.others) == sorted([str(other), "/gone/for/ever"])
    assert found.problems == []


def test_many_foreign_stores_do_not_displace_ours(home: Home) -> None:
    for number in range(30):
        home.store(f"/gone/{number}", "theirs", key=f"{number:016x}")
    home.store(home.project, "ours", key="f" * 16)
    found = home.gather()
    assert (texts(found), len(found.others), found.problems) == (["ours"], 30, [])


def test_a_store_created_in_a_subfolder_belongs_to_this_workspace(home: Home) -> None:
    # The plugin gave each folder in which it was started a store of its own.
    for part in ("objects", "refs"):
        (home.project / ".git" / part).mkdir()
    home.write("pier/.git/HEAD", "ref: refs/heads/main\n")
    sub = home.project / "sub"
    sub.mkdir()
    home.store(sub, "made below")
    assert texts(home.gather()) == ["made below"]


def test_journal_and_sessions_are_imported_with_the_store(home: Home) -> None:
    store = home.store(home.project, "kept").parent
    waits = {"version": 1, "entries": [{"id": "mem_9_bb", "text": "waits", "source": "explicit"}]}
    (store / "workspace-pending-journal.json").write_text(json.dumps(waits))
    (store / "sessions").mkdir()
    session = {"sessionID": "s", "pendingMemories": [{"id": "mem_8_cc", "text": "in a session"}]}
    (store / "sessions" / ("0a" * 16 + ".json")).write_text(json.dumps(session))
    assert texts(home.gather()) == ["kept", "waits", "in a session"]


# --- named paths ------------------------------------------------------------------------------


def test_any_text_file_can_be_named(home: Home) -> None:
    assert texts(home.gather(home.write("notes/rules.txt", "- a rule"))) == ["a rule"]


def test_a_json_file_is_recognised_by_its_shape(home: Home) -> None:
    copy = home.write("copy.json", {"entries": [{"id": "mem_1_aa", "text": KEPT}]})
    assert texts(home.gather(copy)) == [KEPT]
    assert whys(home.gather(home.write("package.json", {"name": "x"}))) == [
        "its format is unknown; name it with --from"
    ]


def test_a_named_folder_is_searched(home: Home) -> None:
    home.write("old/.opencode/memory-core/s.json", {"blocks": {"context": {"value": "one"}}})
    home.write("old/deep/er/CLAUDE.md", "two")
    home.write("old/node_modules/x/CLAUDE.md", "not read")
    home.write("old/notes.md", "not read")
    assert sorted(texts(home.gather(home.folder / "old"))) == ["one", "two"]


def test_a_single_named_store_goes_to_the_current_workspace(home: Home) -> None:
    file = home.store("/gone/for/ever", "moved along")
    for path in (file, file.parent):
        assert texts(home.gather(path)) == ["moved along"]


def test_of_several_stores_each_goes_to_its_own_folder(home: Home) -> None:
    other = home.folder / "quay"
    (other / ".git").mkdir(parents=True)
    home.store(home.project, "ours")
    home.store(other, "theirs")
    lost = home.store("/gone/for/ever", "lost").parent
    found = home.gather(home.folder / "data")
    assert (texts(found), texts(found, str(other))) == (["ours"], ["theirs"])
    assert [(p.file, p.why) for p in found.problems] == [
        (
            str(lost),
            "its folder /gone/for/ever is gone; from the folder it belongs to, "
            f"`wm import {lost}` takes it",
        )
    ]


def test_one_file_named_twice_is_read_once(home: Home) -> None:
    file = home.write("pier/CLAUDE.md", "one")
    assert texts(home.gather(file, file, home.project)) == ["one"]


# --- files that are none ------------------------------------------------------------------------

NESTED = "its JSON is nested too deeply" if sys.version_info < (3, 12) else "it is not JSON ("
"""Later versions of Python read 3,000 levels, and then miss the end."""

BAD: list[tuple[str, Any, str]] = [
    ("CLAUDE.md", b"\x00\x01binary", "it is binary, not text"),
    ("CLAUDE.md", b"caf\xe9", "it is not UTF-8 text"),
    ("CLAUDE.md", "caf\u00e9".encode("utf-16"), "it is UTF-16; only UTF-8 is read"),
    ("CLAUDE.md", "x" * 4001, "it has 4,001 bytes; at most 4,000 are read"),
    ("workspace-memory.json", "{broken", "it is not JSON ("),
    ("workspace-memory.json", "", "it is not JSON ("),
    ("workspace-memory.json", "[" * 3000, NESTED),
    ("workspace-memory.json", '{"entries": NaN}', "it is not JSON (NaN is not JSON"),
    ("workspace-memory.json", "null", "it is not a JSON object"),
    ("workspace-memory.json", '{"version": 2}', "it has the version 2;"),
]


@pytest.mark.parametrize(("name", "content", "why"), BAD)
def test_a_bad_file_is_named_and_the_others_are_read(
    home: Home, name: str, content: Any, why: str
) -> None:
    bad = home.write(f"bad/{name}", content)
    good = home.write("bad/x/AGENTS.md", "good")
    found = home.gather(bad, good)
    assert texts(found) == ["good"]
    assert [problem.file for problem in found.problems] == [str(bad)]
    assert whys(found)[0].startswith(why)


def test_no_link_is_followed_out_of_the_project(home: Home) -> None:
    secret = home.write("private/keys.md", "- a private thing")
    (home.project / "CLAUDE.md").symlink_to(secret)
    (home.project / ".opencode").mkdir()
    (home.project / ".opencode" / "memory-core").symlink_to(home.folder / "elsewhere")
    home.write("elsewhere/s.json", {"blocks": {"context": {"value": "elsewhere"}}})
    found = home.gather()
    assert texts(found) == []
    assert sorted(whys(found)) == [
        f"it is a link to {secret}; to import that, name it",
        f"it is outside {home.project}",
    ]


def test_a_link_to_an_imported_file_is_not_a_problem(home: Home) -> None:
    home.write("pier/AGENTS.md", "one")
    (home.project / "CLAUDE.md").symlink_to("AGENTS.md")
    found = home.gather()
    assert (texts(found), found.problems, len(found.notes)) == (["one"], [], 1)


def test_pipes_devices_and_folders_are_skipped_without_waiting(home: Home) -> None:
    os.mkfifo(home.project / "CLAUDE.md")
    (home.project / "AGENTS.md").mkdir()
    home.write("pier/MEMORY.md", "good")
    found = home.gather()
    assert texts(found) == ["good"]
    assert whys(found) == ["it is not a regular file"] * 2


def test_missing_paths_and_empty_folders_are_reported(home: Home) -> None:
    (home.folder / "empty").mkdir()
    found = home.gather(home.folder / "none", home.folder / "empty", Path("/dev/null"))
    assert whys(found) == [
        "it does not exist",
        "nothing to import was found in it",
        "it is not a regular file",
    ]


def test_an_unreadable_file_is_reported(home: Home) -> None:
    file = home.write("pier/CLAUDE.md", "one")
    file.chmod(0)
    if os.access(file, os.R_OK):
        pytest.skip("this user may read everything")
    assert whys(home.gather()) == ["permission denied"]


def test_the_search_of_a_huge_folder_is_bounded(home: Home) -> None:
    for number in range(60):
        home.write(f"wide/{number:03}/CLAUDE.md", f"rule {number}")
    found = home.gather(home.folder / "wide")
    assert texts(found) == []
    assert whys(found) == ["it holds more than 50 names; name a folder below it"]
    for number in range(30):
        home.write(f"pier/.opencode/memory-core/{number:02}.json", {"blocks": {}})
    assert "one run reads 20 files" in whys(home.gather())[0]


def test_items_over_the_limit_of_a_run_are_skipped_and_reported(home: Home) -> None:
    home.write("pier/CLAUDE.md", "\n".join(f"- rule {n}" for n in range(8)))
    found = home.gather()
    assert texts(found) == [f"rule {n}" for n in range(5)]
    assert [(left.code, left.count) for left in found.left] == [("too_many", 3)]


def test_half_surrogate_pairs_do_not_lose_a_store(home: Home) -> None:
    file = home.store(home.project, "cut")
    file.write_text(file.read_text().replace('"cut"', '"cut in two \\ud83d"'))
    assert texts(home.gather()) == ["cut in two ?"]


def test_names_that_are_not_utf8_are_reported(home: Home) -> None:
    folder = os.path.join(os.fsencode(home.folder), b"caf\xe9")
    os.mkdir(folder)
    for name, content in ((b"CLAUDE.md", b"A fact."), (b"AGENTS.md", b"\x00")):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)
    found = home.gather(Path(os.fsdecode(folder)))
    paths = [found.facts[""][0].file, found.files[0], found.problems[0].file]
    assert [name.rpartition("/")[0] for name in paths] == [f"{home.folder}/caf\\xe9"] * 3


def test_a_byte_order_mark_is_not_text(home: Home) -> None:
    home.write("pier/CLAUDE.md", "\ufeff# A\n\nA fact.")
    assert texts(home.gather()) == ["A fact."]


def test_reading_changes_no_foreign_file(home: Home) -> None:
    files = [home.write("pier/CLAUDE.md", "one"), home.store(home.project, "two")]
    before = [(f.read_bytes(), f.stat().st_mtime_ns, f.stat().st_ino) for f in files]
    home.gather()
    assert [(f.read_bytes(), f.stat().st_mtime_ns, f.stat().st_ino) for f in files] == before
    assert sorted(p.name for p in files[1].parent.iterdir()) == ["workspace-memory.json"]


def test_a_data_folder_that_cannot_be_looked_into_stops_nothing(home: Home) -> None:
    home.places = structs.replace(home.places, data=home.folder / ("n" * 300))
    assert home.gather(source="transcripts").problems == []
