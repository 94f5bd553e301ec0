"""Damaged saved vectors, and processes that are killed while they save them (RC-3)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.crash.conftest import Report
from tests.crash.index_damage import ROOT, answers_stay, daemon_deaths, deaths
from tests.crash.saver import LIMITS
from wm.models.embed import EMBEDDED
from wm.models.worker import EmbedWorker


@pytest.fixture(scope="module")
def worker() -> EmbedWorker:
    return EmbedWorker(EMBEDDED, LIMITS)


@pytest.mark.crash
@pytest.mark.parametrize("first", range(0, 5000, 1000))
def test_5000_damaged_sets_never_crash_the_process(
    folder: Path, first: int, report: Report
) -> None:
    command = [sys.executable, "-m", "tests.store.damage", str(folder / "home")]
    done = subprocess.run(
        [*command, str(first), "1000"], cwd=ROOT, capture_output=True, text=True, timeout=600
    )
    assert (done.returncode, done.stderr) == (0, "")
    report("damaged vectors", {"read as": done.stdout.strip()})


def test_damage_changes_no_answer(folder: Path, worker: EmbedWorker) -> None:
    answers_stay(folder, worker, 5)


@pytest.mark.crash
def test_5000_damaged_sets_change_no_answer(
    folder: Path, worker: EmbedWorker, report: Report
) -> None:
    report("same answers", answers_stay(folder, worker, 5000))


def test_a_process_killed_during_a_save_loses_nothing(folder: Path, worker: EmbedWorker) -> None:
    deaths(folder, worker, 1)


@pytest.mark.crash
def test_30_kills_during_saves_of_vectors_lose_nothing(
    folder: Path, worker: EmbedWorker, report: Report
) -> None:
    report("killed while saving", deaths(folder, worker, 30))


@pytest.mark.crash
def test_30_daemons_killed_while_indexing_lose_nothing(folder: Path, report: Report) -> None:
    report("daemons killed", daemon_deaths(folder, 30))
