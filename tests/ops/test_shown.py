"""What agents show a model without telling: the files that a message names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from wm.ops.learning import ambient_files


@pytest.mark.parametrize(
    ("message", "paths"),
    [
        ("Look at @notes.md.", ("notes.md",)),
        ("@docs/a.md#L3-9 and (@b.txt), please", ("docs/a.md", "b.txt")),
        ('Compare @"a file.md" with `@~/c.md`', ("a file.md", "~/c.md")),
        ("Write to me@example.org or @", ()),
        ("no mention at all", ()),
        ("@a.md @a.md", ("a.md",)),
        ("@a,@b @'c @@d", ("a,@b", "@d")),
        ('@"a @b" @"c', ("a @b",)),
        ('@"a\nb" @"" @"', ()),
        (f"@{'x' * 1001}", ("x" * 1000,)),
        (f'@"{"x" * 1000}" @"{"y" * 1001}"', ("x" * 1000,)),
        (" ".join(f"@f{number}" for number in range(99)), tuple(f"f{n}" for n in range(20))),
    ],
)
def test_paths_after_an_at_sign_are_mentions(message: str, paths: tuple[str, ...]) -> None:
    assert ambient_files.mentions(message) == paths


def test_only_regular_files_are_read_up_to_the_limit(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("words" * 100)
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "AGENTS.md")
    (tmp_path / "CLAUDE.md").write_text("Rules.")
    asked = "@a.md @folder @AGENTS.md @missing.md"
    assert list(ambient_files.mentioned(asked, ["", str(tmp_path)], 10)) == ["wordswords"]
    assert list(ambient_files.instructions([str(tmp_path), str(tmp_path)], 100)) == ["Rules."]
