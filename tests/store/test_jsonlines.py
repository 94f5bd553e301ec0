"""Lines of a log, cut and damaged at every byte."""

from __future__ import annotations

from wm.store import jsonlines

KEY = bytes(range(32))
BODIES = (b'{"a":1}', b'{"b":"x\\ny","checksum":"0123456789abcdef"}', b'{"c":{"d":[]}}')
LINES = tuple(jsonlines.encode(body, KEY) for body in BODIES)
LOG = b"".join(LINES)


def test_a_line_ends_in_its_checksum() -> None:
    assert LINES[0].startswith(b'{"a":1,"checksum":"')
    assert LINES[0].endswith(b'"}\n')
    assert len(LINES[0]) == len(b'{"a":1,"checksum":""}\n') + 16


def test_an_intact_log_returns_every_record() -> None:
    assert jsonlines.read(LOG, KEY) == (BODIES, 0, len(LOG), 0)
    assert jsonlines.read(b"", KEY) == ((), 0, 0, 0)


def test_a_log_cut_at_any_byte_keeps_every_complete_record() -> None:
    ends = [len(LINES[0]), len(LINES[0] + LINES[1]), len(LOG)]
    for cut in range(len(LOG)):
        lines = jsonlines.read(LOG[:cut], KEY)
        # A record is whole once its closing brace is written, with or without newline.
        whole = sum(cut >= end - 1 for end in ends)
        assert lines.records == BODIES[:whole], cut
        assert lines.damaged == 0
        assert lines.complete_bytes + lines.torn_bytes == cut
        assert lines.complete_bytes in (0, *ends, *(end - 1 for end in ends))


def test_a_flipped_bit_loses_at_most_one_record() -> None:
    for position in range(len(LOG)):
        for bit in (0, 3, 7):
            changed = bytearray(LOG)
            changed[position] ^= 1 << bit
            lines = jsonlines.read(bytes(changed), KEY)
            assert len(lines.records) >= 2, (position, bit)
            assert set(lines.records) <= set(BODIES)


def test_a_damaged_newline_loses_no_record() -> None:
    at = len(LINES[0]) - 1
    for byte in (b"{", b"\x8a", b"\0", b" "):
        assert jsonlines.read(LOG[:at] + byte + LOG[at + 1 :], KEY).records == BODIES
    last = LOG[:-1] + b"\x8a"
    lines = jsonlines.read(last, KEY)
    assert (lines.records, lines.complete_bytes) == (BODIES, len(LOG) - 1)


def test_a_lost_newline_loses_no_record() -> None:
    assert jsonlines.read(LOG.replace(b"\n", b"", 1), KEY).records == BODIES


def test_a_damaged_record_in_the_middle_is_counted() -> None:
    changed = LINES[0] + LINES[1].replace(b"x", b"y") + LINES[2]
    lines = jsonlines.read(changed, KEY)
    assert (lines.records, lines.damaged) == ((BODIES[0], BODIES[2]), 1)


def test_a_line_of_another_key_is_damaged() -> None:
    other = jsonlines.encode(BODIES[0], b"z" * 32)
    assert jsonlines.read(other + LINES[1], KEY)[:2] == ((BODIES[1],), 1)


def test_zeros_after_a_power_cut_are_an_incomplete_tail() -> None:
    lines = jsonlines.read(LOG + b"\0" * 100, KEY)
    assert (lines.records, lines.torn_bytes) == (BODIES, 100)


def test_a_line_full_of_false_ends_is_read_in_bounded_time() -> None:
    line = b'{"a"' + b',"checksum":"0123456789abcdef"}' * 5000
    assert jsonlines.read(line + b"\n" + LINES[0], KEY)[:2] == ((BODIES[0],), 1)
