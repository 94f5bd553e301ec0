"""The proxy's zones and what each does at a cut (PS-2)."""

from __future__ import annotations

import pytest

from wm.domain.zones import STEPS, FidelityStep, Which, Zone, zone_at
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


def test_each_zone_has_the_steps_of_the_specification() -> None:
    assert {zone: set(steps) for zone, steps in STEPS.items()} == {
        Zone.NORMAL: set(),
        Zone.CAUTION: {FidelityStep(0, 1, Which.OLDEST)},
        Zone.WARNING: {
            FidelityStep(0, 1, Which.ALL),
            FidelityStep(1, 2, Which.ALL),
            FidelityStep(2, 3, Which.OLDEST),
        },
        Zone.CRITICAL: {FidelityStep(2, 3, Which.ALL), FidelityStep(3, 4, Which.ALL)},
        Zone.EMERGENCY: {FidelityStep(n, 4, Which.ALL) for n in range(4)},
    }


@pytest.mark.parametrize("zone", Zone)
def test_no_object_drops_two_levels_in_one_step(zone: Zone) -> None:
    begins = [step.begin for step in STEPS[zone]]
    assert begins == sorted(begins, reverse=True)
    assert all(step.begin < step.end for step in STEPS[zone])


@pytest.mark.parametrize("zone", Zone)
def test_only_the_normal_zone_reduces_nothing(zone: Zone) -> None:
    assert (not STEPS[zone]) is (zone is Zone.NORMAL)
