"""The embedder that needs no download."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from wm.errors import ModelUnavailable
from wm.models.embed import EMBEDDED, NONE, cut
from wm.models.folder import package_folder
from wm.models.opening import open_embedder
from wm.models.static import StaticEmbedder, _tensor, _tokenizer
from wm.settings import RecallSettings

TEXTS = ["", "harbour", "def load(path): ...", "予約は前払い", "a " * 700]


@pytest.fixture(scope="module")
def embedder() -> StaticEmbedder:
    return StaticEmbedder(RecallSettings())


def test_the_vectors_equal_those_of_the_package(
    embedder: StaticEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wordllama import WordLlama

    # It looks for its own tokenizer in a cache of downloads.
    (tmp_path / ".cache").mkdir()
    (tmp_path / ".cache" / "wordllama").symlink_to(package_folder())
    monkeypatch.setenv("HOME", str(tmp_path))
    theirs = WordLlama.load(disable_download=True).embed(TEXTS[1:], norm=True)
    np.testing.assert_allclose(embedder.embed(TEXTS[1:]), theirs, atol=1e-6)


def test_rows_have_length_one_and_an_empty_text_has_none(embedder: StaticEmbedder) -> None:
    lengths = np.linalg.norm(embedder.embed(TEXTS), axis=1)
    np.testing.assert_allclose(lengths, [0, 1, 1, 1, 1], atol=1e-5)


def test_a_batch_gives_the_same_rows_as_single_texts(embedder: StaticEmbedder) -> None:
    alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
    assert np.array_equal(embedder.embed(TEXTS), alone)


def test_half_a_surrogate_pair_is_embedded(embedder: StaticEmbedder) -> None:
    text = "a harbour \ud800 " * 200
    assert len(embedder.pieces(text)) > 1
    assert np.linalg.norm(embedder.embed([text])) == pytest.approx(1, abs=1e-5)


def test_a_long_text_is_split_without_losing_characters() -> None:
    settings = replace(RecallSettings(), piece_tokens=100, max_pieces=5)
    embedder = StaticEmbedder(settings)
    text = " ".join(f"word{i}" for i in range(90))
    pieces = embedder.pieces(text)
    assert 1 < len(pieces) <= 5
    assert "".join("".join(p.split()) for p in pieces) in "".join(text.split())
    assert embedder.pieces("") == [""]


@pytest.mark.parametrize(
    ("limit", "most", "pieces"),
    [(4, 9, ["ab cd"]), (2, 9, ["ab cd"]), (1, 9, ["ab", "cd"]), (1, 1, ["ab"])],
)
def test_pieces_follow_the_tokens(limit: int, most: int, pieces: list[str]) -> None:
    assert cut("ab cd", [(0, 2), (3, 5)], limit, most) == pieces


def test_no_model_is_a_valid_choice() -> None:
    assert open_embedder(NONE, RecallSettings()) is None
    found = open_embedder(EMBEDDED, RecallSettings())
    assert found is not None
    assert found.card.dimension == 256


@pytest.mark.parametrize(
    "data",
    [b"", b"\x00" * 7, b"\xff" * 16, b"\x02" + b"\x00" * 7 + b"{}", b"\x10" + b"\x00" * 7 + b"{"],
)
def test_damaged_weights_are_reported_with_the_fix(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "w.safetensors"
    path.write_bytes(data)
    with pytest.raises(ModelUnavailable) as raised:
        _tensor(path)
    assert "again" in raised.value.fix


@pytest.mark.parametrize("data", [None, b"", b"{}", b"\xff\xfe"])
def test_a_damaged_tokenizer_is_reported_with_the_fix(tmp_path: Path, data: bytes | None) -> None:
    path = tmp_path / "tokenizer.json"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(ModelUnavailable) as raised:
        _tokenizer(path)
    assert "again" in raised.value.fix


def test_opening_the_model_imports_no_network_or_packaging_module() -> None:
    code = (
        "import sys; from wm.models.static import StaticEmbedder; "
        "from wm.settings import RecallSettings; "
        "StaticEmbedder(RecallSettings()).embed(['x']); "
        "print(sorted({'requests', 'urllib3', 'httpx', 'huggingface_hub', "
        "'importlib.metadata', 'email.message', 'zipfile'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
