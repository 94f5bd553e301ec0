"""What is copied from a foreign model folder, and what is refused."""

from __future__ import annotations

import os
from importlib.metadata import version
from pathlib import Path

import pytest

from wm.errors import ModelUnavailable, UserError
from wm.models.folder import embedded_info, info_of, package_revision, sources, tensor

MOST = 1000


def write(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    return folder


WHOLE = ("onnx/model.onnx", "config.json", "tokenizer.json")


def test_required_files_are_copied_the_onnx_file_first(tmp_path: Path) -> None:
    write(tmp_path, *WHOLE, "1_Pooling/config.json", "README.md", "onnx/model.onnx_data")
    found = sources(tmp_path, MOST)
    assert [source.name for source in found] == [
        "onnx/model.onnx",
        "config.json",
        "tokenizer.json",
        "1_Pooling/config.json",
        "onnx/model.onnx_data",
    ]
    assert b"".join(found[0].chunks()) == b"onnx/model.onnx"


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ((), "it has none of model.onnx"),
        (("model.onnx", "config.json"), "tokenizer.json is missing"),
        (("model.onnx", "tokenizer.json"), "config.json is missing"),
    ],
)
def test_an_incomplete_folder_is_refused(tmp_path: Path, names: tuple[str, ...], said: str) -> None:
    with pytest.raises(UserError, match=said):
        sources(write(tmp_path, *names), MOST)


@pytest.mark.parametrize("link", ["config.json", "onnx", "onnx/model.onnx", ""])
def test_symlinks_are_refused_at_any_depth(tmp_path: Path, link: str) -> None:
    folder = write(tmp_path / "model", *WHOLE)
    target = (folder / link).rename(tmp_path / "elsewhere")
    (folder / link if link else folder).symlink_to(target)
    with pytest.raises(UserError, match="is a symlink") as raised:
        sources(folder, MOST)
    assert "cp -rL" in raised.value.fix


def test_pipes_huge_files_and_missing_folders_are_refused(tmp_path: Path) -> None:
    folder = write(tmp_path / "model", *WHOLE)
    with pytest.raises(UserError, match="more than 5"):
        sources(folder, 5)
    (folder / "config.json").unlink()
    os.mkfifo(folder / "config.json")
    with pytest.raises(UserError, match="not a regular file"):
        sources(folder, MOST)
    with pytest.raises(UserError, match="There is no folder"):
        sources(tmp_path / "absent", MOST)


def test_a_file_that_shrinks_during_the_copy_is_reported(tmp_path: Path) -> None:
    found = sources(write(tmp_path, *WHOLE), MOST)[0]
    (tmp_path / found.name).write_text("x")
    with pytest.raises(UserError, match="became shorter"):
        list(found.chunks())


def test_cls_pooling_uses_the_first_token(tmp_path: Path) -> None:
    write(tmp_path, "1_Pooling/config.json")
    (tmp_path / "config.json").write_text('{"hidden_size": 12}')
    (tmp_path / "1_Pooling/config.json").write_text('{"pooling_mode_cls_token": true}')
    found = info_of(tmp_path, "model.onnx", "ab" * 32)
    assert (found.dimension, found.pooling, found.revision) == (12, "cls", "ab" * 8)


def test_the_embedded_model_is_identified_without_loading_it() -> None:
    found = embedded_info()
    assert found.dimension == 256
    assert found.revision.startswith("wordllama-")


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"wordllama-9.8.dist-info/METADATA": b"Name: wordllama\nVersion: 9.8\n"}, "9.8"),
        ({}, version("wordllama")),
        ({"wordllama-1.dist-info/METADATA": b"Name: wordllama\n"}, version("wordllama")),
        (
            {"wordllama-1.dist-info/METADATA": b"", "wordllama-2.dist-info/METADATA": b""},
            version("wordllama"),
        ),
    ],
)
def test_the_version_is_read_beside_the_package_or_looked_up(
    tmp_path: Path, files: dict[str, bytes], expected: str
) -> None:
    for name, data in files.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_bytes(data)
    assert package_revision(tmp_path / "wordllama") == f"wordllama-{expected}"


@pytest.mark.parametrize("data", [b"", b"\x00" * 8, b"\xff" * 16, b"\x02" + b"\x00" * 7 + b"{}"])
def test_an_invalid_vector_file_is_reported(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(ValueError, match=r"header|line 1 column 1"):
        tensor(tmp_path / "x")


def test_an_invalid_config_is_reported_with_the_fix(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("[]")
    with pytest.raises(ModelUnavailable, match="no usable model") as raised:
        info_of(tmp_path, "model.onnx", "ab" * 32)
    assert "wm models" in raised.value.fix
