"""What the truck robot plans, on what it sees."""

from __future__ import annotations

import numpy as np
import pytest

from hetwin_core.ensemble.scene.values import Floats
from hetwin_truck.program import INTO_WALL, VIEW, pick, reachable, sweep

TIP = 1.36
"""x of the nose's tip from the base."""


def column(x: float, y: float = 0.0, count: int = 5) -> list[list[float]]:
    """Packets of 0.3 m on each other, whose faces are at x."""
    return [[x, y - 0.15, 0.3 * i, x + 0.3, y + 0.15, 0.3 * (i + 1)] for i in range(count)]


WALL: Floats = np.array(column(1.0) + column(1.0, 0.5, 3))
STRAY: Floats = np.array([[0.5, 0.2, 0.0, 0.8, 0.5, 0.3]])


def test_a_pick_goes_for_the_top_of_the_wall_and_not_for_what_lies_before_it() -> None:
    for boxes in (WALL, np.concatenate([WALL, STRAY])):
        phases = pick(boxes)
        held = [phase.do for phase in phases].index("hold")
        assert phases[0].joints["arm_lift"] == pytest.approx(1.5 - 0.22)
        assert phases[0].joints["arm_swing"] == pytest.approx(0.0)
        cups = phases[0].joints["base_drive"] + phases[held - 1].joints["arm_reach"] - 0.68 + 0.15
        assert cups == pytest.approx(1.0, abs=0.02)
        assert phases[0].joints["base_drive"] + TIP < boxes[:, 0].min()


def test_a_sweep_takes_what_lies_before_the_wall_along() -> None:
    for boxes in (WALL, np.concatenate([WALL, STRAY])):
        begin, into, *_ = sweep(boxes, INTO_WALL)
        assert begin.joints["base_drive"] + TIP < boxes[:, 0].min()
        assert into.joints["base_drive"] + TIP == pytest.approx(1.0 + INTO_WALL)


@pytest.mark.parametrize("plan", [pick, lambda boxes: sweep(boxes, INTO_WALL)])
def test_in_the_end_the_robot_looks_at_all_from_afar(plan: object) -> None:
    assert callable(plan)
    last = [phase for phase in plan(WALL) if "base_drive" in phase.joints][-1]
    assert last.joints["base_drive"] + TIP == pytest.approx(1.0 - VIEW)
    assert plan(np.empty((0, 6)))[0].joints == {}


def test_what_is_beside_or_behind_the_nose_is_out_of_reach() -> None:
    beside = np.array([[1.0, 1.2, 0.0, 1.3, 1.5, 0.3]])
    assert len(reachable(np.concatenate([WALL, STRAY, beside]), 0.95 - TIP)) == len(WALL)
