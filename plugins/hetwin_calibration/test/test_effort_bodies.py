"""Masses that differ from the description's, and residuals whose noise grows with the arm's speed."""

from __future__ import annotations

import numpy as np
import pytest
from effort_split import Arm
from support.robot_files import TABLETOP_ARM

from hetwin_calibration.efforts.bodies import link_loads
from hetwin_calibration.efforts.noise import deviations
from hetwin_calibration.efforts.samples import sampled
from hetwin_calibration.efforts.split_arm import SplitArm, split_arm
from hetwin_core.ensemble.scene.values import Floats

JOINTS = 6


def split_with(masses: Floats, seed: int = 3) -> SplitArm:
    """The split of an arm whose links are heavier than described [kg], with noise of 2 %."""
    arm = Arm(str(TABLETOP_ARM))
    times, positions, efforts = arm.recording(np.random.default_rng(seed), 25.0, {})
    samples = sampled(times, positions, efforts, arm.dynamics)
    more = link_loads(samples, arm.links)[:, :, ::4] @ masses
    efforts += np.stack([np.interp(times, samples.times, one) for one in more.T], axis=1)
    samples = sampled(times, positions, efforts, arm.dynamics)
    names = [joint.name for joint in arm.joints]
    return split_arm(names, ("N m",) * JOINTS, "tool", samples, arm.links, 0.0)


def test_masses_that_differ_are_fitted_and_hold_where_they_were_not_fitted() -> None:
    found = split_with(np.array([0.0, 1.0, 2.0, 1.5, 0.0, 0.0]))
    assert found.bodies is not None
    assert (found.bodies.held[1:3] > 0.98).all()
    assert found.bodies.held == pytest.approx(found.bodies.share, abs=0.1)
    assert (found.after[1:3] < 0.7 * found.found.after[1:3]).all()
    assert any("masses of this robot differ" in line for line in found.lines())


def test_masses_as_described_are_not_fitted() -> None:
    found = split_with(np.zeros(JOINTS))
    assert found.bodies is None
    assert found.left == pytest.approx(found.found.left(found.samples))
    assert not any("masses" in line for line in found.lines())


def test_deviations_follow_the_speed() -> None:
    samples = split_with(np.zeros(JOINTS)).samples
    speed = np.sqrt((samples.motion[1] ** 2).sum(axis=1))
    left = np.random.default_rng(5).normal(size=samples.measured.shape) * (0.2 + speed)[:, None]
    left[:, 5] = np.nan
    found = deviations(samples, left)
    shares = found[:, :5] / (0.2 + speed)[:, None]
    assert shares.mean() == pytest.approx(1.0, abs=0.1)
    assert shares.std() < 0.15
    assert np.isnan(found[:, 5]).all()
