"""The proxy's zones (PS-2)."""

from __future__ import annotations

import pytest

from wm.domain.zones import Zone, zone_at
from wm.settings import PressureSettings

SETTINGS = PressureSettings()


@pytest.mark.parametrize(
    ("used", "limit", "zone"),
    [
        (0, 200_000, Zone.NORMAL),
        (99_999, 200_000, Zone.NORMAL),
        (100_000, 200_000, Zone.CAUTION),
        (139_999, 200_000, Zone.CAUTION),
        (140_000, 200_000, Zone.WARNING),
        (169_999, 200_000, Zone.WARNING),
        (170_000, 200_000, Zone.CRITICAL),
        (190_000, 200_000, Zone.CRITICAL),
        (190_001, 200_000, Zone.EMERGENCY),
        (400_000, 200_000, Zone.EMERGENCY),
        (400_000, 0, Zone.NORMAL),
        (400_000, -5, Zone.NORMAL),
        (-1, 200_000, Zone.NORMAL),
    ],
)
def test_a_share_of_tokens_has_a_zone(used: int, limit: int, zone: Zone) -> None:
    assert zone_at(used, limit, SETTINGS) is zone
