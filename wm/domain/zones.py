"""The proxy's zones by share of tokens (PS-2). What a cut does is decided in `domain/paging`."""

from __future__ import annotations

from enum import IntEnum

from wm.domain.pressure import share
from wm.settings import PressureSettings


class Zone(IntEnum):
    """Ordered from the emptiest, so that zones compare."""

    NORMAL = 0
    CAUTION = 1
    WARNING = 2
    CRITICAL = 3
    EMERGENCY = 4


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
