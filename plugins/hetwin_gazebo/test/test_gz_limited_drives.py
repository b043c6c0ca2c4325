"""What limited joints are commanded in Gazebo, by the laws of their drives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hetwin_core.ensemble.scenario.robot import DriveMode
from hetwin_gazebo.drives import DriveTargets, LimitedDrives
from model_nodes.main_physics.world.description import JointDrive

STEP = 0.0025
STIFFNESS, EFFORT, INERTIA = 200.0, 10.0, 0.1


def drives(**changes: float) -> LimitedDrives:
    drive = replace(JointDrive(DriveMode.LIMITED, STIFFNESS, None, EFFORT), **changes)  # type: ignore[arg-type]
    return LimitedDrives([drive], np.array([INERTIA]))


def aim(
    position_errors: float = 0.0,
    target_velocities: float = 0.0,
    accelerations: float = 0.0,
    weight: float = 0.0,
    need: float = 0.0,
) -> DriveTargets:
    values = (position_errors, target_velocities, accelerations, weight, need)
    return DriveTargets(STEP, *(np.array([value]) for value in values))


def limits(aimed: DriveTargets, velocity: float = 0.0) -> tuple[float, float]:
    least, most = drives().limits(aimed, np.array([velocity]))
    return float(least[0]), float(most[0])


def test_who_is_on_the_way_goes_on_as_commanded() -> None:
    aimed = aim(position_errors=0.5 * STEP, target_velocities=0.5, accelerations=2.0)
    speed = drives().speeds(aimed, np.array([0.5 - 2.0 * STEP]))
    assert speed == pytest.approx([0.5], rel=1e-12)


def test_it_comes_back_as_a_spring_that_does_not_swing() -> None:
    away, speed, least = 0.01, np.zeros(1), 1.0
    for _ in range(400):
        speed = drives().speeds(aim(position_errors=away), speed)
        away -= float(speed[0]) * STEP
        least = min(least, away)
    assert away == pytest.approx(0.0, abs=1e-5)
    assert least > -1e-5


def test_it_presses_with_its_spring_and_never_more_than_its_effort() -> None:
    small = 0.005 * EFFORT
    assert limits(aim(position_errors=0.02)) == pytest.approx((-4.0 - small, 4.0 + small))
    assert limits(aim(position_errors=0.2)) == (-EFFORT, EFFORT)
    assert limits(aim(need=3.0)) == pytest.approx((-3.0 - small, 3.0 + small))


def test_bearing_a_weight_takes_of_its_effort() -> None:
    assert limits(aim(position_errors=1.0, weight=4.0)) == (-14.0, 6.0)
    made = drives().efforts(aim(weight=4.0), np.array([0.01]), np.zeros(1))
    assert made == pytest.approx([STIFFNESS * 0.01 + 4.0])
    assert drives().efforts(aim(weight=4.0), np.ones(1), np.zeros(1)) == [EFFORT]


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_what_is_too_heavy_sinks_with_what_is_missing(sign: float) -> None:
    aimed = aim(position_errors=sign, weight=sign * 12.5)
    least, most = limits(aimed)
    assert (least if sign > 0 else most) == -sign * 2.5
    assert (most if sign > 0 else least) == 0.0
    assert sign * drives().speeds(aimed, np.zeros(1))[0] < -10.0


def test_a_damping_of_its_own_counts() -> None:
    aimed = aim(position_errors=0.01)
    slow, usual = (
        drives(damping=50.0).speeds(aimed, np.zeros(1)),
        drives().speeds(aimed, np.zeros(1)),
    )
    assert 0 < slow[0] < usual[0]
