"""Motions through waypoints keep every limit, rest at each waypoint, and the fastest are faster than quintic ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hetwin_calibration.robot.legs import Samples, legs_between, sampled
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.kinematics.moves import MoveLimits


def limits(generator: np.random.Generator, count: int) -> MoveLimits:
    return MoveLimits(
        generator.uniform(0.2, 4.0, count),
        generator.uniform(0.5, 10.0, count),
        generator.uniform(5.0, 200.0, count),
    )


def moved(waypoints: Floats, bounds: MoveLimits, fastest: bool, rate: float = 100.0) -> Samples:
    return sampled(waypoints, legs_between(waypoints, bounds, fastest=fastest), rate)


def check(samples: Samples, waypoints: Floats, bounds: MoveLimits) -> None:
    assert (np.abs(samples.velocities) <= bounds.velocity).all()
    assert (np.abs(samples.accelerations) <= bounds.acceleration).all()
    steps = np.diff(samples.times)[:, None]
    assert (steps > 0.0).all()
    assert (np.abs(np.diff(samples.accelerations, axis=0)) <= bounds.jerk * steps + 1e-6).all()
    # The velocities are those of the positions.
    mean = (samples.velocities[1:] + samples.velocities[:-1]) / 2.0
    curved = bounds.jerk * steps**2
    moved_by = np.diff(samples.positions, axis=0) / steps
    assert (np.abs(moved_by - mean) <= curved + 1e-6).all()
    low, high = waypoints.min(axis=0), waypoints.max(axis=0)
    assert (samples.positions >= low - 1e-9).all()
    assert (samples.positions <= high + 1e-9).all()
    for waypoint in waypoints:
        away = np.abs(samples.positions - waypoint).max(axis=1)
        at = int(away.argmin())
        assert away[at] <= 1e-9
        assert not samples.velocities[at].any()
        assert not samples.accelerations[at].any()
    np.testing.assert_allclose(samples.positions[[0, -1]], waypoints[[0, -1]], atol=1e-9)


@given(st.integers(0, 10_000), st.booleans(), st.integers(2, 4), st.integers(1, 7))
@settings(max_examples=40, deadline=None)
def test_every_limit_is_kept(seed: int, fastest: bool, points: int, joints: int) -> None:
    generator = np.random.default_rng(seed)
    bounds = limits(generator, joints)
    waypoints = generator.uniform(-2.0, 2.0, (points, joints))
    check(moved(waypoints, bounds, fastest), waypoints, bounds)


def test_the_fastest_is_never_longer_and_a_tenth_shorter_on_average() -> None:
    generator = np.random.default_rng(1)
    ratios = []
    for _ in range(200):
        bounds = limits(generator, 7)
        waypoints = generator.uniform(-2.0, 2.0, (2, 7))
        quintic, fastest = (
            sum(leg.duration for leg in legs_between(waypoints, bounds, fastest=way))
            for way in (False, True)
        )
        ratios.append(fastest / quintic)
    assert max(ratios) <= 1.0 + 1e-6
    assert np.mean(ratios) <= 0.9


def test_samples_come_at_the_rate_and_the_last_one_at_the_end() -> None:
    bounds = MoveLimits(np.ones(1), np.full(1, 5.0), np.full(1, 100.0))
    samples = moved(np.array([[0.0], [1.0]]), bounds, fastest=False)
    assert samples.times[-1] == pytest.approx(1.875, abs=1e-6)
    np.testing.assert_allclose(np.diff(samples.times)[:-1], 0.01, atol=1e-12)


def test_waypoints_that_are_the_same_take_no_time() -> None:
    bounds = MoveLimits(np.ones(2), np.ones(2), np.ones(2))
    samples = moved(np.zeros((3, 2)), bounds, fastest=True)
    assert samples.times.tolist() == [0.0]
    waypoints = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0]])
    check(moved(waypoints, bounds, fastest=True), waypoints, bounds)
