"""Whether recorded efforts are torques."""

from __future__ import annotations

import numpy as np
import pytest

from model_nodes.robot_health.effort_residuals import TorqueCheck

EXPECTED = np.random.default_rng(1).normal(0.2, 0.05, (100, 3))


@pytest.mark.parametrize(
    ("factor", "torque"),
    [(1.0, True), (0.6, True), (1.5, True), (0.05, False), (-1.0, False), (20.0, False)],
)
def test_what_is_out_of_proportion_is_no_torque(factor: float, torque: bool) -> None:
    check = TorqueCheck()
    check.add(factor * EXPECTED, EXPECTED)
    assert check.decided
    assert check.is_torque is torque
    assert check.ratio == pytest.approx(factor)


def test_too_little_decides_nothing() -> None:
    check = TorqueCheck()
    check.add(0.0 * EXPECTED[:20], EXPECTED[:20])
    assert not check.decided
    assert check.is_torque


def test_a_robot_that_bears_nothing_decides_nothing() -> None:
    check = TorqueCheck()
    check.add(EXPECTED, np.full_like(EXPECTED, 1e-4))
    assert not check.decided


def test_unknown_numbers_are_left_out() -> None:
    check = TorqueCheck()
    measured = EXPECTED.copy()
    measured[:, 0] = np.nan
    check.add(measured, EXPECTED)
    assert check.ratio == pytest.approx(1.0)
