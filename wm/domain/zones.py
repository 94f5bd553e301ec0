"""The proxy's zones by share of tokens, and what each allows at a cut (PS-2).

A table and two lookups. Which objects are oldest, and when a cut happens, is decided elsewhere.
Rules: below caution no object is touched, and an emergency keeps the system prompt and the last
two user turns.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum, StrEnum
from types import MappingProxyType

from msgspec import Struct

from wm.domain.pressure import share
from wm.settings import PressureSettings


class Zone(IntEnum):
    """Ordered from the emptiest, so that zones compare."""

    NORMAL = 0
    CAUTION = 1
    WARNING = 2
    CRITICAL = 3
    EMERGENCY = 4


class Which(StrEnum):
    OLDEST = "oldest"
    """Start at the oldest object and continue until the share leaves the zone."""
    ALL = "all"


class FidelityStep(Struct, frozen=True):
    """Move objects from one fidelity to another (OB-2: 0 is full, 4 is out of context)."""

    begin: int
    end: int
    which: Which


STEPS: Mapping[Zone, tuple[FidelityStep, ...]] = MappingProxyType(
    {
        Zone.NORMAL: (),
        Zone.CAUTION: (FidelityStep(0, 1, Which.OLDEST),),
        Zone.WARNING: (
            FidelityStep(2, 3, Which.OLDEST),
            FidelityStep(1, 2, Which.ALL),
            FidelityStep(0, 1, Which.ALL),
        ),
        Zone.CRITICAL: (FidelityStep(3, 4, Which.ALL), FidelityStep(2, 3, Which.ALL)),
        Zone.EMERGENCY: tuple(FidelityStep(level, 4, Which.ALL) for level in (3, 2, 1, 0)),
    }
)
"""What a cut in a zone does, in this order: lower fidelity first, so that no object falls two
levels in one cut unless a row says so."""


def zone_at(used: int, limit: int, settings: PressureSettings) -> Zone:
    """The zone for `used` of `limit` tokens. With an unknown limit nothing is touched."""
    percentage = share(used, limit)
    if used * 100 > limit * settings.emergency_zone_percent and percentage > 0:
        return Zone.EMERGENCY
    begins = (
        (Zone.CRITICAL, settings.critical_zone_percent),
        (Zone.WARNING, settings.warning_zone_percent),
        (Zone.CAUTION, settings.caution_zone_percent),
    )
    return next((zone for zone, begin in begins if percentage >= begin), Zone.NORMAL)
