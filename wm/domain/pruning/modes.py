"""How much is cut: three modes, chosen by the session's pressure (PR-1).

Only the figures differ between modes; what must stay is the same in all of them.
"""

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
    """The mode for a pressure level (PS-1); normal for any other word."""
    return LEVELS.get(level, Mode.NORMAL)


class CutLimits(Struct, frozen=True):
    """threshold: outputs of up to so many lines stay whole. ends: lines kept at each end. slack: a
    cut that saves no more lines than this is not made. errors: most error lines kept whatever the
    size; of more than a quarter of this, the first few and the last of each shape."""

    threshold: int
    ends: int
    slack: int
    errors: int


def measure_of(mode: Mode, settings: PruningSettings) -> CutLimits:
    threshold, ends = {
        Mode.NORMAL: (settings.threshold_lines, settings.end_lines),
        Mode.AGGRESSIVE: (settings.aggressive_threshold_lines, settings.aggressive_end_lines),
        Mode.HYPER: (settings.hyper_threshold_lines, settings.hyper_end_lines),
    }[mode]
    return CutLimits(threshold, ends, settings.slack_lines, settings.error_lines)
