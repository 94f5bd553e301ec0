"""daemon.log: lines, rotation, and what never gets in."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from wm.daemon.log import DaemonLog, LibraryLogHandler

NOW = datetime(2026, 11, 21, 19, 0, tzinfo=UTC)


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_record_is_one_line_for_any_content(tmp_path: Path) -> None:
    path = tmp_path / "daemon.log"
    log = DaemonLog(str(path), lambda: NOW, max_bytes=10_000)
    log.write("event", name="two\nlines\x1b[31m\u202e", path=Path("/x"))
    log.close()
    assert lines(path) == [
        {
            "at": "2026-11-21T19:00:00.000Z",
            "event": "event",
            "name": "two\nlines\x1b[31m\u202e",
            "path": "/x",
        }
    ]
    assert path.read_bytes().isascii()
    assert path.stat().st_mode & 0o777 == 0o600


def test_the_log_is_rotated_by_size_and_keeps_one_older_file(tmp_path: Path) -> None:
    path = tmp_path / "daemon.log"
    log = DaemonLog(str(path), lambda: NOW, max_bytes=300)
    for number in range(20):
        log.write("event", number=number)
    log.close()
    assert sorted(os.listdir(tmp_path)) == ["daemon.log", "daemon.log.1"]
    assert all(file.stat().st_size <= 300 for file in tmp_path.iterdir())
    assert lines(path)[-1]["number"] == 19
    assert (
        int(str(lines(path)[0]["number"]))
        == int(str(lines(tmp_path / "daemon.log.1")[-1]["number"])) + 1
    )


def test_an_incident_logs_type_and_frames_without_the_message(tmp_path: Path) -> None:
    path = tmp_path / "daemon.log"
    log = DaemonLog(str(path), lambda: NOW, max_bytes=10_000)
    with pytest.raises(ValueError, match="private") as caught:
        raise ValueError("private words")
    log.incident("i_1", "GET /x", caught.value)
    log.close()
    (record,) = lines(path)
    assert (record["id"], record["where"], record["error"]) == ("i_1", "GET /x", "ValueError")
    assert "test_log.py" in str(record["frames"])
    assert "private" not in path.read_text()


def test_a_symlink_in_place_of_the_log_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("theirs")
    (tmp_path / "daemon.log").symlink_to(tmp_path / "elsewhere")
    log = DaemonLog(str(tmp_path / "daemon.log"), lambda: NOW, max_bytes=10_000)
    log.write("event")
    log.close()
    assert (tmp_path / "elsewhere").read_text() == "theirs"


def library(path: Path) -> tuple[DaemonLog, logging.Logger]:
    """A log, and a library that speaks into it."""
    log = DaemonLog(str(path), lambda: NOW, max_bytes=100_000)
    logger = logging.Logger("boats")
    logger.addHandler(LibraryLogHandler(log))
    return log, logger


def test_many_equal_messages_are_a_few_lines(tmp_path: Path) -> None:
    log, logger = library(tmp_path / "daemon.log")
    for _ in range(10_000):
        logger.warning("socket.send() raised exception.")
    for number in range(10_000):
        logger.warning(f"odd {number}")
    log.close()
    records = lines(tmp_path / "daemon.log")
    assert [row["times"] for row in records if "socket" in str(row["text"])] == [
        2**power for power in range(14)
    ]
    assert len(records) < 14 + 100 + 14


def test_a_log_message_quotes_no_content(tmp_path: Path) -> None:
    log, logger = library(tmp_path / "daemon.log")
    logger.warning("a boat named %s\nhandle: private", "private")
    logger.info("not worth a line")
    try:
        raise ValueError("private words")
    except ValueError:
        logger.exception("Exception in callback private()")
    log.close()
    first, second = lines(tmp_path / "daemon.log")
    assert (first["event"], first["by"], first["text"]) == ("said", "boats", "a boat named %s")
    assert second["error"] == "ValueError"
    assert "private" not in (tmp_path / "daemon.log").read_text()


def test_a_secret_in_an_error_message_is_not_logged(tmp_path: Path) -> None:
    path = tmp_path / "daemon.log"
    log = DaemonLog(
        str(path), lambda: NOW, max_bytes=10_000, redact=lambda text: text.replace("key-1", "[…]")
    )
    log.write("failed", what="POST /x", reason="There is no folder /srv/key-1.", pid=7)
    log.close()
    assert lines(path)[0]["reason"] == "There is no folder /srv/[…]."


def test_an_uncaught_exception_is_logged_without_its_message(tmp_path: Path) -> None:
    path = tmp_path / "daemon.log"
    program = f"""
import threading
from datetime import UTC, datetime
from wm.daemon.log import DaemonLog

def fails():
    raise ValueError("private words")

log = DaemonLog({str(path)!r}, lambda: datetime.now(UTC), max_bytes=10_000)
log.take_streams()
one = threading.Thread(target=fails)
one.start()
one.join()
fails()
"""
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True)
    assert (done.returncode, done.stdout + done.stderr) == (1, b"")
    assert [(line["where"], line["error"]) for line in lines(path)] == [
        ("thread", "ValueError"),
        ("process", "ValueError"),
    ]
    assert "private" not in path.read_text()
