"""Bodies are taken apart and put together to the byte, less their secrets, each text once."""

from __future__ import annotations

import hashlib
import json

import pytest

from wm.domain.recording import Entry, NotJson, Reader, RecordingIndex, RecordingLine, cut, folded
from wm.formats.recording import Recording
from wm.secrets.redact import Redactor

LONG = "the ferry to the second berth is late again, and nobody knows why"
SECRET = "sk-ant-" + "api03-" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z" * 3
SEAL = "Eq" + "QkCkYIBhgCKkDs9vKp3Zy8Wf2Lr7Xc4Nb6Tm1Qh5" * 3


def redactor() -> Redactor:
    return Redactor(lambda text: hashlib.sha256(text.encode()).hexdigest())


def recorded(
    index: RecordingIndex, name: str, *parts: bytes, base: str = "", keep: int = 0
) -> Recording:
    line = RecordingLine(index)
    begin = index.kept(base, keep)
    assert begin is not None
    entries = (*begin, *(line.entry(cut(part, redactor())) for part in parts))
    made = line.done(entries, (), {"exchange": name, "at": ""}, base)
    again = Recording.model_validate_json(made.model_dump_json(by_alias=True))
    index.learn(again)
    return again


def back(*parts: bytes) -> bytes:
    found = Reader().take(recorded(RecordingIndex(), "f_1", *parts))
    assert found is not None
    assert found.request is not None
    return found.request


SPELLINGS = {
    "plain": json.dumps({"a": LONG}).encode(),
    "compact, with numbers": b'{"a":1.50,"b":-1E+3,"c":[true,false,null]}',
    "odd spaces": b'\n{ "a"\t:  "' + LONG.encode() + b'" }\r\n',
    "not ASCII": json.dumps({"a": "Fähre " * 20}, ensure_ascii=False).encode(),
    "not ASCII, escaped": json.dumps({"a": "Fähre " * 20}).encode(),
    "slashes that are escaped": b'{"a":"' + b"https:\\/\\/x\\/" * 9 + b'"}',
    "half a surrogate": b'{"a":"' + b"\\ud83d" * 9 + b'"}',
    "upper-case escapes": b'{"a":"' + b"\\u00E4" * 9 + b'"}',
    "control characters as they are": b'{"a":"' + b"tab\there" * 9 + b'"}',
    "quotes and backslashes": json.dumps({"a": 'say "\\\\" ' * 9}).encode(),
    "the same name twice": b'{"a":1,"a":2}',
    "a mark": b'{"type":"text","text":"hi","cache_control":{"type":"ephemeral","ttl":"1h"}}',
    "a mark with a brace in a text": b'{"a":1,"cache_control":{"x":"}' + LONG.encode() + b'"}}',
    "a mark that holds an object": b'{"a":1,"cache_control":{"x":{"y":1}}}',
    "a mark that stands first": b'{"cache_control":{"type":"ephemeral"},"a":1}',
    "two marks": b'[{"a":1,"cache_control":{"t":"x"}},{"a":2,"cache_control":{"t":"x"}}]',
    "a mark that is none": b'{"a":1,"cache_control":null}',
    "half a body": b',{"role":"user","content":[',
    "nothing": b"",
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_a_body_is_restored_byte_for_byte(name: str) -> None:
    assert back(SPELLINGS[name]) == SPELLINGS[name]


@pytest.mark.parametrize(
    "raw",
    [
        b"plain words",
        b'{"a":' + SECRET.encode() + b"}",
        b'{"a":"never ends',
        b'{"a":"bad \\x escape is long enough"}',
        b'{"a":"\xff\xfe is no text at all, it is not"}',
        b"{'a':1}",
        b'{"a":NaN}',
    ],
)
def test_a_body_that_is_not_json_is_not_recorded(raw: bytes) -> None:
    with pytest.raises(NotJson):
        cut(raw, redactor())


HIDDEN = {
    "in a text": json.dumps({"text": f"use {SECRET} now"}),
    "in a name": json.dumps({SECRET: 1}),
    "escaped": json.dumps({"text": SECRET}).replace("k", "\\u006b"),
    "in a list": json.dumps(["a", [SECRET]]),
    "in a mark": f'{{"a":1,"cache_control":{{"type":"{SECRET}"}}}}',
    "behind a brace in a mark": f'{{"a":1,"cache_control":{{"type":"}}{SECRET}"}}}}',
    "under a telling name": json.dumps({"password": "hunter2-hunter2"}),
    "as a seal": json.dumps({"thinking": "", "signature": SECRET}),
}


@pytest.mark.parametrize("name", HIDDEN)
def test_no_secret_is_recorded(name: str) -> None:
    kept = recorded(RecordingIndex(), "f_1", HIDDEN[name].encode()).model_dump_json()
    assert "[secret:" in kept
    assert SECRET not in kept
    assert SECRET[-20:] not in kept
    assert "hunter2" not in kept


def test_the_rest_of_a_body_with_a_secret_is_kept() -> None:
    mark = ',"cache_control":{"type":"ephemeral"}'
    raw = f'{{"a":"{SECRET}","b":"{LONG}"{mark}}}'
    found = json.loads(back(raw.encode()))
    assert found["b"] == LONG
    assert found["cache_control"] == {"type": "ephemeral"}
    assert found["a"].startswith("[secret:")


def test_a_signature_of_thinking_is_kept_and_the_same_text_elsewhere_redacted() -> None:
    sealed = json.dumps({"type": "thinking", "thinking": "", "signature": SEAL}).encode()
    hidden = json.dumps({"type": "redacted_thinking", "data": SEAL}).encode()
    assert (back(sealed), back(hidden)) == (sealed, hidden)
    assert SEAL.encode() not in back(json.dumps({"text": f"it was {SEAL} then"}).encode())


def test_a_text_is_stored_once_in_any_context() -> None:
    index = RecordingIndex()
    first = recorded(index, "f_1", b'{"content":"%b"}' % LONG.encode())
    second = recorded(index, "f_2", b'{"text":"%b"}' % LONG.encode())
    assert (first.texts, second.texts) == ((LONG,), ())
    assert second.parts == (('{"text":', 0, "}"),)


def test_a_block_is_the_same_with_and_without_its_mark() -> None:
    index = RecordingIndex()
    plain = b'{"type":"text","text":"%b"}' % LONG.encode()
    marked = plain[:-1] + b',"cache_control":{"type":"ephemeral"}}'
    recorded(index, "f_1", marked, b"]")
    later = recorded(index, "f_2", plain, b"]")
    assert (later.texts, later.parts) == ((), ())


def test_repeated_parts_of_a_request_are_referenced_by_position() -> None:
    index = RecordingIndex()
    parts = [b'{"n":%d}' % number for number in range(30)]
    first = recorded(index, "f_1", *parts)
    second = recorded(index, "f_2", b"[31]", base="f_1", keep=30)
    assert (second.base, second.request) == ("f_1", ((0, 30), 30))
    reader = Reader()
    reader.take(first)
    found = reader.take(second)
    assert found is not None
    assert found.request == b"".join(parts) + b"[31]"
    assert index.kept("f_9", 1) is None
    assert index.kept("f_1", 31) is None


@pytest.mark.parametrize(
    ("entries", "base", "expected"),
    [
        ((1, 2, 3), (1, 2, 3), ((0, 3),)),
        ((1, 2, 9, 3, 4), (1, 2, 3, 4), ((0, 2), 9, (2, 2))),
        ((7, 7, 7), (7,), (7, 7, 7)),
        ((5,), (5,), (5,)),
        ((), (1,), ()),
        (((1, 4, 2), 3), ((1, 4, 2), 3), ((0, 2),)),
    ],
)
def test_runs_are_referenced_by_position(
    entries: tuple[Entry, ...], base: tuple[Entry, ...], expected: tuple[Entry, ...]
) -> None:
    assert folded(entries, base) == expected


def test_a_lost_line_loses_only_what_refers_to_it() -> None:
    index = RecordingIndex()
    lost = recorded(index, "f_1", b'{"a":"%b"}' % LONG.encode())
    built = recorded(index, "f_2", b'{"b":"%b"}' % LONG.encode())
    apart = recorded(index, "f_3", b'{"c":3}')
    reader = Reader()
    assert lost.texts == (LONG,)
    found = [reader.take(line) for line in (built, apart)]
    assert [one and one.request for one in found] == [None, b'{"c":3}']


def test_a_request_in_several_lines_is_joined() -> None:
    index = RecordingIndex()
    first = recorded(index, "x_1", b"[1,", b"2,").model_copy(update={"more": True})
    last = recorded(index, "f_1", b"3]", base="x_1", keep=2)
    reader = Reader()
    assert reader.take(first) is None
    found = reader.take(last)
    assert found is not None
    assert found.request == b"[1,2,3]"
