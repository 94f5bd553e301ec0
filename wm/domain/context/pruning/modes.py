"""How much is cut: three modes, chosen by the session's pressure (PR-1)."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from wm.settings import PruningSettings


class Mode(StrEnum):
    NORMAL = "normal"
    AGGRESSIVE = "aggressive"
    HYPER = "hyper"


LEVELS = {"high": Mode.AGGRESSIVE, "critical": Mode.HYPER}


def mode_of(level: str) -> Mode:
    """The mode at a session's pressure level (PS-1); normal for every other word."""
    return LEVELS.get(level, Mode.NORMAL)


class Measure(Struct, frozen=True):
    """threshold: outputs of so many lines stay whole. ends: lines kept at each end. slack: a
    cut that would save no more than this is not made. errors: lines that look like errors and
    are kept whatever the size; of more, the first and last of each kind."""

    threshold: int
    ends: int
    slack: int
    errors: int


def measure_of(mode: Mode, settings: PruningSettings) -> Measure:
    threshold, ends = {
        Mode.NORMAL: (settings.threshold_lines, settings.end_lines),
        Mode.AGGRESSIVE: (settings.aggressive_threshold_lines, settings.aggressive_end_lines),
        Mode.HYPER: (settings.hyper_threshold_lines, settings.hyper_end_lines),
    }[mode]
    return Measure(threshold, ends, settings.slack_lines, settings.error_lines)
