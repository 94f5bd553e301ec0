"""The proxy's zones by the share of tokens, and what each allows at a cut (PS-2).

A table and two questions; which objects are the oldest, and when a cut happens, is decided
elsewhere. Protects: nothing below caution touches an object, and the emergency spares the
system prompt and the last two turns of the user.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum, StrEnum
from types import MappingProxyType

from msgspec import Struct

from wm.domain.context.pressure import share
from wm.settings import PressureSettings


class Zone(IntEnum):
    """From the emptiest up, so that zones compare."""

    NORMAL = 0
    CAUTION = 1
    WARNING = 2
    CRITICAL = 3
    EMERGENCY = 4


class Which(StrEnum):
    OLDEST = "oldest"
    """From the oldest on, until the share is out of the zone."""
    ALL = "all"


class Step(Struct, frozen=True):
    """Objects at one fidelity go to another (OB-2: 0 is full, 4 is not in context)."""

    begin: int
    end: int
    which: Which


STEPS: Mapping[Zone, tuple[Step, ...]] = MappingProxyType(
    {
        Zone.NORMAL: (),
        Zone.CAUTION: (Step(0, 1, Which.OLDEST),),
        Zone.WARNING: (
            Step(2, 3, Which.OLDEST),
            Step(1, 2, Which.ALL),
            Step(0, 1, Which.ALL),
        ),
        Zone.CRITICAL: (Step(3, 4, Which.ALL), Step(2, 3, Which.ALL)),
        Zone.EMERGENCY: tuple(Step(level, 4, Which.ALL) for level in (3, 2, 1, 0)),
    }
)
"""What a cut in a zone does, in this order: the lower fidelity first, so that no object falls
two steps in one cut unless the row says so."""

KEPT_USER_TURNS = 2
"""What an emergency leaves besides the system prompt."""


def zone_at(used: int, limit: int, settings: PressureSettings) -> Zone:
    """The zone of `used` of `limit` tokens. An unknown limit is no reason to touch anything."""
    percentage = share(used, limit)
    if used * 100 > limit * settings.emergency_zone_percent and percentage > 0:
        return Zone.EMERGENCY
    begins = (
        (Zone.CRITICAL, settings.critical_zone_percent),
        (Zone.WARNING, settings.warning_zone_percent),
        (Zone.CAUTION, settings.caution_zone_percent),
    )
    return next((zone for zone, begin in begins if percentage >= begin), Zone.NORMAL)


def spares_everything(zone: Zone) -> bool:
    """Whether a cut in this zone leaves every object as it is."""
    return not STEPS[zone]
