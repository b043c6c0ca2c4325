"""Smooth accelerations of a recorded motion."""

from __future__ import annotations

import numpy as np
import pytest

from model_nodes.main_physics.watching import HALF_WINDOW, Smoother

INTERVAL = 0.02


def test_a_parabola_is_followed_exactly_a_little_behind() -> None:
    smoother = Smoother(2, INTERVAL)
    assert smoother.delay == pytest.approx(HALF_WINDOW)
    for i in range(40):
        t = i * INTERVAL
        smoother.take(np.array([1.0 + 2.0 * t - 3.0 * t**2, 5.0]), np.array([t, np.nan]))
        motion = smoother.motion()
        assert (motion is None) == (i < 10)
        if motion is not None:
            past = t - smoother.delay
            assert motion.positions == pytest.approx([1.0 + 2.0 * past - 3.0 * past**2, 5.0])
            assert motion.velocities == pytest.approx([2.0 - 6.0 * past, 0.0], abs=1e-9)
            assert motion.accelerations == pytest.approx([-6.0, 0.0], abs=1e-9)
            assert motion.efforts[0] == pytest.approx(past)
            assert np.isnan(motion.efforts[1])


def test_noise_of_positions_is_hardly_seen_in_accelerations() -> None:
    generator = np.random.default_rng(0)
    smoother, found = Smoother(1, INTERVAL), []
    for _ in range(1000):
        smoother.take(generator.normal(size=1), np.zeros(1))
        motion = smoother.motion()
        if motion is not None:
            found.append(motion.accelerations[0])
    plain = np.sqrt(6.0) / INTERVAL**2  # of three samples' second difference
    assert np.std(found) < 0.05 * plain


@pytest.mark.parametrize(("interval", "delay"), [(0.025, 0.1), (0.3, 0.3), (0.0025, 0.1)])
def test_any_interval_will_do(interval: float, delay: float) -> None:
    assert Smoother(1, interval).delay == pytest.approx(delay)
