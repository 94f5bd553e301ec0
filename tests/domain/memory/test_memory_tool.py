"""A memory as a folder of text files; the answers follow the provider's page (IF-4)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wm.domain.memory.memory_tool import Folder, FolderError, FolderPlan, folder, plan
from wm.formats.workspace_memory import MemoryEntry

LIMIT, VIEW = 1000, 4000
NOTES = "/memories/notes.txt"
SHIP = "We deploy with `make ship`."


def entry(number: int, text: str, **fields: Any) -> MemoryEntry:
    known: dict[str, Any] = {
        "type": "project",
        "source": "manual",
        "created_at": "2026-11-01T09:00:00.000Z",
        "updated_at": "2026-11-01T09:00:00.000Z",
    }
    return MemoryEntry(id=f"m_{number:020x}", text=text, **{**known, **fields})


def draft(number: int, path: str, text: str, **fields: Any) -> MemoryEntry:
    return entry(number, text, file=path, status="inbox", origin="agent", **fields)


def there(*entries: MemoryEntry) -> Folder:
    return folder(entries, "main")


def done(found: Folder, command: str, **fields: Any) -> FolderPlan:
    return plan({"command": command, **fields}, found, LIMIT, VIEW)


def refused(found: Folder, command: str, **fields: Any) -> str:
    with pytest.raises(FolderError) as caught:
        done(found, command, **fields)
    return str(caught.value)


MIXED = there(
    entry(1, SHIP, type="decision", rationale="The branch is protected."),
    entry(2, "Prices are stored\nin cents.", type="decision"),
    entry(3, "The bay is blue.", scope="branch:other"),
    entry(4, "It waits for the user, for it came from a web page.", status="inbox"),
    entry(5, "It was replaced.", status="superseded"),
    entry(6, "Accepted words.", file="/memories/kept/a.md"),
    draft(7, NOTES, "one\ntwo\nthree\ntwo"),
    draft(8, "/memories/plan/deep/er/x.md", "x" * 1536),
    draft(9, "/memories/.hidden", "h"),
    draft(10, "/memories/node_modules/m.md", "n"),
)


def test_a_folder_is_listed_two_levels_deep_with_sizes() -> None:
    assert done(MIXED, "view", path="/memories").answer.split("\n") == [
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden "
        "items and node_modules:",
        "1.6K\t/memories",
        "94B\t/memories/decision.md",
        "15B\t/memories/kept/",
        "15B\t/memories/kept/a.md",
        "17B\t/memories/notes.txt",
        "1.5K\t/memories/plan/",
        "1.5K\t/memories/plan/deep/",
    ]
    assert done(there(), "view", path="/memories").answer.endswith(":\n0B\t/memories")


def test_a_file_is_shown_with_numbered_lines() -> None:
    assert done(MIXED, "view", path=NOTES).answer == (
        f"Here's the content of {NOTES} with line numbers:\n"
        "     1\tone\n     2\ttwo\n     3\tthree\n     4\ttwo"
    )


def test_active_entries_of_a_type_are_one_file_with_one_line_each() -> None:
    assert done(MIXED, "view", path="/memories/decision.md").answer.split("\n")[1:] == [
        "     1\t- We deploy with `make ship`. (because The branch is protected.)",
        "     2\t- Prices are stored in cents.",
    ]
    assert not MIXED.exists("/memories/project.md"), "of another branch, waiting, or replaced"


RANGES = (
    ([2, 3], ["     2\ttwo", "     3\tthree"]),
    ([3, -1], ["     3\tthree", "     4\ttwo"]),
    ([4, 99], ["     4\ttwo"]),
    (None, ["     1\tone", "     2\ttwo", "     3\tthree", "     4\ttwo"]),
)


@pytest.mark.parametrize(("lines", "shown"), RANGES)
def test_a_range_of_lines_is_shown(lines: Any, shown: list[str]) -> None:
    assert done(MIXED, "view", path=NOTES, view_range=lines).answer.split("\n")[1:] == shown


@pytest.mark.parametrize("lines", [[0, 2], [5, 9], [3, 2], [1], [1, 2, 3], ["1", 2], 7, [True, 2]])
def test_an_invalid_range_is_refused(lines: Any) -> None:
    said = refused(MIXED, "view", path=NOTES, view_range=lines)
    assert said.startswith("Error: Invalid `view_range` parameter: ")
    assert said.endswith("within the range of lines of the file: [1, 4]")


def test_a_long_file_is_shown_in_parts() -> None:
    found = there(draft(1, NOTES, "\n".join(["word " * 40] * 50)))
    answer = done(found, "view", path=NOTES).answer
    assert len(answer) < VIEW + 200
    assert answer.endswith("(31 more lines; view_range shows them)")


def test_a_new_file_is_written() -> None:
    made = done(there(), "create", path=NOTES, file_text="Meeting:\r\n- a\u202eb\x1b[1m\n\n")
    assert made.answer == f"File created successfully at: {NOTES}"
    assert made.write is not None
    assert made.write.text == "Meeting:\n- a\\u202eb\\x1b[1m"


def test_text_is_replaced_if_it_is_unique() -> None:
    made = done(MIXED, "str_replace", path=NOTES, old_str="three", new_str="3\n3b")
    assert made.answer == (
        "The memory file has been edited.\n     1\tone\n     2\ttwo\n     3\t3\n     4\t3b\n"
        "     5\ttwo"
    )
    assert made.write is not None
    assert made.write.text == "one\ntwo\n3\n3b\ntwo"
    removed = done(MIXED, "str_replace", path=NOTES, old_str="\nthree")
    assert removed.write is not None
    assert removed.write.text == "one\ntwo\ntwo"


def test_lines_are_inserted() -> None:
    for at, text in ((0, "0\none\ntwo\nthree\ntwo"), (4, "one\ntwo\nthree\ntwo\n0")):
        made = done(MIXED, "insert", path=NOTES, insert_line=at, insert_text="0\n")
        assert made.answer == f"The file {NOTES} has been edited."
        assert made.write is not None
        assert made.write.text == text


def test_files_and_folders_are_deleted_and_renamed() -> None:
    gone = done(MIXED, "delete", path=NOTES)
    assert gone.answer == f"Successfully deleted {NOTES}"
    assert [e.id[-1] for e in gone.remove] == ["7"]
    assert len(done(MIXED, "delete", path="/memories/plan").remove) == 1
    moved = done(MIXED, "rename", old_path="/memories/plan", new_path="/memories/old/plan")
    assert moved.answer == "Successfully renamed /memories/plan to /memories/old/plan"
    assert [path for _, path in moved.move] == ["/memories/old/plan/deep/er/x.md"]


NO_FILE = "/memories/none.txt"

REFUSED: tuple[tuple[dict[str, Any], str], ...] = (
    (
        {"command": "view", "path": NO_FILE},
        f"The path {NO_FILE} does not exist. Please provide a valid path.",
    ),
    ({"command": "create", "path": NOTES, "file_text": "a"}, f"Error: File {NOTES} already exists"),
    (
        {"command": "create", "path": "/memories/plan", "file_text": "a"},
        "Error: File /memories/plan already exists",
    ),
    (
        {"command": "create", "path": f"{NOTES}/a", "file_text": "a"},
        f"Error: The path {NOTES} is a file, so nothing can be below it",
    ),
    (
        {"command": "create", "path": NO_FILE, "file_text": " \n"},
        f"Error: The file {NO_FILE} would be empty; a memory needs some text",
    ),
    (
        {"command": "create", "path": NO_FILE, "file_text": "a" * 1001},
        f"Error: The file {NO_FILE} would have 1001 characters; the limit is 1000",
    ),
    (
        {"command": "str_replace", "path": NO_FILE, "old_str": "a", "new_str": "b"},
        f"Error: The path {NO_FILE} does not exist. Please provide a valid path.",
    ),
    (
        {"command": "str_replace", "path": "/memories/plan", "old_str": "a", "new_str": "b"},
        "Error: The path /memories/plan does not exist. Please provide a valid path.",
    ),
    (
        {"command": "str_replace", "path": NOTES, "old_str": "four", "new_str": "b"},
        f"No replacement was performed, old_str `four` did not appear verbatim in {NOTES}.",
    ),
    (
        {"command": "str_replace", "path": NOTES, "old_str": "", "new_str": "b"},
        f"No replacement was performed, old_str `` did not appear verbatim in {NOTES}.",
    ),
    (
        {"command": "str_replace", "path": NOTES, "old_str": "two", "new_str": "b"},
        "No replacement was performed. Multiple occurrences of old_str `two` in lines: 2, 4. "
        "Please ensure it is unique",
    ),
    (
        {"command": "insert", "path": NO_FILE, "insert_line": 0, "insert_text": "a"},
        f"Error: The path {NO_FILE} does not exist",
    ),
    (
        {"command": "insert", "path": NOTES, "insert_line": 5, "insert_text": "a"},
        "Error: Invalid `insert_line` parameter: 5. It should be within the range of lines of "
        "the file: [0, 4]",
    ),
    (
        {"command": "insert", "path": NOTES, "insert_line": True, "insert_text": "a"},
        "Error: Invalid `insert_line` parameter: True. It should be within the range of lines of "
        "the file: [0, 4]",
    ),
    ({"command": "delete", "path": NO_FILE}, f"Error: The path {NO_FILE} does not exist"),
    (
        {"command": "delete", "path": "/memories"},
        "Error: The path /memories itself cannot be deleted or moved",
    ),
    (
        {"command": "rename", "old_path": NO_FILE, "new_path": "/memories/b"},
        f"Error: The path {NO_FILE} does not exist",
    ),
    (
        {"command": "rename", "old_path": NOTES, "new_path": "/memories/plan"},
        "Error: The destination /memories/plan already exists",
    ),
    (
        {"command": "rename", "old_path": "/memories/plan", "new_path": "/memories/plan/b"},
        "Error: The path /memories/plan/b is below /memories/plan, which cannot move into itself",
    ),
    (
        {"command": "burn"},
        "Error: There is no command `burn`. The commands are: view, create, str_replace, insert, "
        "delete, rename.",
    ),
    ({"command": "view"}, "Error: The command `view` needs the text parameter `path`"),
    (
        {"command": "create", "path": NO_FILE, "file_text": ["a"]},
        "Error: The command `create` needs the text parameter `file_text`",
    ),
)


@pytest.mark.parametrize(("command", "says"), REFUSED)
def test_a_refused_command_gets_the_specified_answer(command: dict[str, Any], says: str) -> None:
    with pytest.raises(FolderError) as caught:
        plan(command, MIXED, LIMIT, VIEW)
    assert str(caught.value) == says


PROTECTED: tuple[dict[str, Any], ...] = (
    {"command": "str_replace", "path": "/memories/decision.md", "old_str": "We", "new_str": "I"},
    {"command": "insert", "path": "/memories/decision.md", "insert_line": 0, "insert_text": "a"},
    {"command": "delete", "path": "/memories/decision.md"},
    {"command": "rename", "old_path": "/memories/decision.md", "new_path": "/memories/d.md"},
    {"command": "delete", "path": "/memories/kept/a.md"},
    {"command": "delete", "path": "/memories/kept"},
    {"command": "rename", "old_path": "/memories/kept", "new_path": "/memories/d"},
)


@pytest.mark.parametrize("command", PROTECTED)
def test_only_the_user_changes_active_entries(command: dict[str, Any]) -> None:
    with pytest.raises(FolderError, match="only the user can change them"):
        plan(command, MIXED, LIMIT, VIEW)


def test_writing_over_an_accepted_file_makes_a_readable_draft() -> None:
    path = "/memories/kept/a.md"
    made = done(MIXED, "str_replace", path=path, old_str="Accepted", new_str="Other")
    assert made.write is not None
    found = there(entry(6, "Accepted words.", file=path), draft(7, path, made.write.text))
    assert done(found, "view", path=path).answer.endswith("\tOther words.")
    assert "only the user" in refused(found, "delete", path=path)


ESCAPES = (
    "",
    "/",
    "memories/a",
    "/etc/passwd",
    "/memoriesx",
    "/memories/../etc/passwd",
    "/memories/a/../../b",
    "/memories/./a",
    "/memories//a",
    "/memories/a//",
    "/memories/..",
    "/memories/..\\..\\etc",
    "/memories/%2e%2e%2fetc",
    "/memories/%2E%2E/etc",
    "/memories/a\x00b",
    "/memories/a\nb",
    "/memories/a\u202eb",
    "/memories/ a",
    "/memories/" + "a" * 200,
    "/memories/a/b/c/d/e/f/g",
)


@pytest.mark.parametrize("path", ESCAPES)
@pytest.mark.parametrize(
    "fields",
    [
        {"command": "view"},
        {"command": "create", "file_text": "a"},
        {"command": "delete"},
        {"command": "insert", "insert_line": 0, "insert_text": "a"},
    ],
)
def test_a_path_outside_the_folder_is_refused(path: str, fields: dict[str, Any]) -> None:
    with pytest.raises(FolderError, match="is not a valid path below /memories"):
        plan({**fields, "path": path}, MIXED, LIMIT, VIEW)


def test_a_rename_out_of_the_folder_is_refused() -> None:
    said = refused(MIXED, "rename", old_path=NOTES, new_path="/memories/../x")
    assert "is not a valid path below /memories" in said
    deep = refused(MIXED, "rename", old_path="/memories/plan", new_path="/memories/a/b/c/d")
    assert "is not a valid path below /memories" in deep


NAMES = st.sampled_from(["a", "b.md", "notes.txt", "decision.md", "kept", "..", ""])
PATHS = st.lists(NAMES, max_size=3).map(lambda parts: "/".join(["/memories", *parts]))
TEXTS = st.text(max_size=20)
ANY = st.fixed_dictionaries(
    {"command": st.sampled_from(["view", "create", "str_replace", "insert", "delete", "rename"])},
    optional={
        "path": PATHS | TEXTS,
        "old_path": PATHS,
        "new_path": PATHS,
        "file_text": TEXTS,
        "old_str": TEXTS,
        "new_str": TEXTS,
        "insert_text": TEXTS,
        "insert_line": st.integers(-2, 6),
        "view_range": st.lists(st.integers(-2, 9), max_size=3),
    },
)


@settings(max_examples=200)
@given(ANY)
def test_any_command_is_answered_and_changes_only_drafts(command: dict[str, Any]) -> None:
    try:
        made = plan(command, MIXED, LIMIT, VIEW)
    except FolderError:
        return
    assert made.answer
    touched = [*made.remove, *(e for e, _ in made.move)]
    assert all(e.status == "inbox" and e.file for e in touched)
    assert made.write is None or made.write.path.startswith("/memories/")
