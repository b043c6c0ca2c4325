"""A base is kept on its way by what odometry and localization say of it."""

from __future__ import annotations

import numpy as np
import pytest

from hetwin_commanding.link.base import BaseHeard, control, deviates, is_there, seen_from
from hetwin_commanding.link.sending import base_refusals
from hetwin_commanding.rehearsal import Rule
from hetwin_core.kinematics.planar import PlanarPose
from hetwin_programs.base_moves import base_move

LIMITS = (0.5, 0.8)


def test_odometry_goes_on_from_where_the_robot_was_put() -> None:
    heard = BaseHeard(PlanarPose(2, 1, np.pi / 2))
    assert heard.fix() is None
    heard.add_localization(PlanarPose(9, 9, 9))  # nothing to correct yet
    heard.add_odometry(PlanarPose(1, 0, 0.2), 5.0)
    fix = heard.fix()
    assert fix is not None
    assert fix.pose == pytest.approx((2, 2, np.pi / 2 + 0.2))
    assert fix.arrived == 5.0


def test_localization_corrects_it() -> None:
    heard = BaseHeard(PlanarPose())
    heard.add_odometry(PlanarPose(1, 0, 0.0), 1.0)
    heard.add_localization(PlanarPose(1.2, 0.1, np.pi / 2))
    heard.add_odometry(PlanarPose(1.5, 0, 0.0), 2.0)
    fix = heard.fix()
    assert fix is not None
    assert fix.pose == pytest.approx((1.2, 0.6, np.pi / 2))


def test_the_place_of_a_base_that_stands_is_the_mean_of_its_localizations() -> None:
    heard = BaseHeard(PlanarPose())
    heard.add_odometry(PlanarPose(1, 0, 0.0), 1.0)
    for x, yaw in ((2.0, 3.1), (2.2, -3.1), (2.4, 3.1)):
        heard.add_localization(PlanarPose(x, 0.5, yaw))
        heard.add_odometry(PlanarPose(1.001, 0, 0.0), 2.0)
    fix = heard.fix()
    assert fix is not None
    assert heard.localized == 3
    assert (fix.pose.x, fix.pose.y) == pytest.approx((2.2, 0.5), abs=2e-3)
    assert abs(fix.pose.yaw) == pytest.approx(3.1 + (2 * np.pi - 6.2) / 3, abs=1e-6)
    heard.add_odometry(PlanarPose(1.1, 0, 0.0), 3.0)
    heard.add_localization(PlanarPose(5.0, 0.5, 0.0))
    fix = heard.fix()
    assert fix is not None
    assert heard.localized == 1
    assert fix.pose == pytest.approx((5.0, 0.5, 0.0))


@pytest.mark.parametrize(
    "goal", [PlanarPose(1, 1, -2), PlanarPose(-1, 0.2, 0), PlanarPose(0, 0, 2)]
)
def test_a_base_with_wrong_wheels_comes_to_its_goal(goal: PlanarPose) -> None:
    """It rolls 8 % less far than it is told and turns 8 % more, and does both 50 ms late."""
    way, period = base_move(PlanarPose(), goal, *LIMITS), 0.05
    here, told = PlanarPose(0.01, -0.01, 0.02), (0.0, 0.0)
    for i in range(int(way.duration / period) + 40):
        wanted = way.at(i * period)
        assert not deviates(wanted.pose, here)
        here = here.after(0.92 * told[0] * period, 1.08 * told[1] * period)
        told = control(wanted, 1.0, here, LIMITS)
        assert abs(told[0]) <= 1.2 * LIMITS[0]
        assert abs(told[1]) <= 1.2 * LIMITS[1]
    assert is_there(goal, here)


def test_a_base_that_is_silent_or_elsewhere_is_not_driven() -> None:
    heard = BaseHeard(PlanarPose())
    assert [r.rule for r in base_refusals(heard.fix(), PlanarPose(), 1.0)] == [Rule.STALE]
    heard.add_odometry(PlanarPose(0.02, 0, 0), 1.0)
    assert base_refusals(heard.fix(), PlanarPose(), 1.1) == []
    assert [r.rule for r in base_refusals(heard.fix(), PlanarPose(), 1.3)] == [Rule.STALE]
    (refusal,) = base_refusals(heard.fix(), PlanarPose(0, 0, 0.1), 1.1)
    assert (refusal.rule, refusal.what) == (Rule.START, "base")


def test_a_base_off_its_way_deviates() -> None:
    assert not deviates(PlanarPose(1, 0, 0), PlanarPose(1.1, 0, 0.1))
    assert deviates(PlanarPose(1, 0, 0), PlanarPose(1.3, 0, 0))
    assert deviates(PlanarPose(1, 0, 3.1), PlanarPose(1, 0, 2.6))
    assert seen_from(PlanarPose(1, 0, 3.1), PlanarPose(1, 0, -3.1)).yaw == pytest.approx(
        0.083, abs=1e-3
    )
