"""Tokens of the embedded model, beside those of the package that its file was written for."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from wm.models.embed import open_tokenizer
from wm.models.folder import package_folder
from wm.models.static import TOKENIZER
from wm.models.tokens import Tokens, known

FILE = package_folder() / TOKENIZER
PIECES = (
    *(" ", "  ", "     ", "\n", "\n\n", " \n", "\n ", "\t", "\r\n", "\x00", "\u200b", "\u2028"),
    *("<", "<s>", "</s>", "<unk>", "<0x41>", "\u2581", "\u2581\u2581", ">", "{", "}", "_", "="),
    *("a", "b", "é", "ß", "e\u0301", "予約", "は", "前", "한글", "🙂", "👩\u200d👧", "0", "12"),
    *("the", " the", "The", "harbour", "ing", "def ", "camelCase", "====", "--", "src/pay/hook.go"),
)


@pytest.fixture(scope="module")
def ours() -> Tokens:
    found = known(FILE)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def theirs() -> Any:
    return open_tokenizer(FILE)


def drawn(count: int) -> Iterator[str]:
    draw = random.Random(20261122)
    for _ in range(count):
        length = draw.choice((1, 2, 3, 5, 8, 20, 60))
        yield "".join(draw.choices(PIECES, k=length))
        yield "".join(chr(draw.randrange(32, 0x2FFF)) for _ in range(length))
        yield " " * draw.randrange(40) + "x" + " " * draw.randrange(40)
        yield "".join(draw.choices("=-aA.", k=length))


def test_tokens_and_where_they_stand_are_those_of_the_package(ours: Tokens, theirs: Any) -> None:
    texts = ["", *PIECES, *drawn(150), "予約は前払いです" * 200, "aGVsbG8gd29y" * 200]
    said = theirs.encode_batch(texts, add_special_tokens=False)
    for text, one in zip(texts, said, strict=True):
        assert ours.ids(text) == one.ids, text
        assert ours.spans(text) == one.offsets, text


def test_words_that_come_again_have_the_tokens_that_they_had(ours: Tokens, theirs: Any) -> None:
    text = "the harbour\nthe harbour  the"
    expected = theirs.encode(text, add_special_tokens=False).ids
    assert ours.ids(text) == expected
    assert ours.ids(text) == expected


def test_what_is_kept_of_words_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wm.models.tokens._KEPT_WORDS", 10)
    found = known(FILE)
    assert found is not None
    for number in range(50):
        found.ids(f"word{number} {'x' * 41}{number}")
    assert 0 < len(found._words) <= 10


def test_a_word_of_many_tokens_is_not_kept() -> None:
    found = known(FILE)
    assert found is not None
    found.ids("harbour 予約は前払いですか予約は前払いですか 🙂🙂🙂🙂🙂")
    assert list(found._words) == ["harbour"]


def test_the_file_is_read_in_short_steps() -> None:
    rests: list[int] = []
    assert known(FILE, lambda: rests.append(1)) is not None
    assert len(rests) > 80


@pytest.mark.parametrize("data", [b"", b"{}", FILE.read_bytes()[:-1] + b" "])
def test_any_other_file_is_left_to_the_package(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(data)
    assert known(path) is None
