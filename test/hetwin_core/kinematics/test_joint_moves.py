"""Moves go straight from rest to rest, within their limits and no slower than these allow."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.random_examples import examples

from hetwin_core.kinematics.moves import MoveLimits, move

NAMES = ("a", "b", "c")
SPEED = np.array([1.0, 2.0, 0.1])
LIMITS = MoveLimits(SPEED, 4.0 * SPEED, 40.0 * SPEED)

POSITION = st.floats(-3.0, 3.0)
POSITIONS = st.tuples(POSITION, POSITION, POSITION).map(np.array)


@examples(60)
@given(start=POSITIONS, goal=POSITIONS)
def test_limits_hold_between_the_points_too(start: np.ndarray, goal: np.ndarray) -> None:
    motion = move(NAMES, start, goal, LIMITS)
    times = np.linspace(0.0, motion.duration, 1 + round(motion.duration * 1000))
    state = motion.sample(times)
    np.testing.assert_array_equal(motion.positions[-1], goal)
    np.testing.assert_allclose(state.positions[0], start, atol=1e-12)
    assert (np.abs(state.velocities) <= 1.001 * LIMITS.velocity + 1e-9).all()
    assert (np.abs(state.accelerations) <= 1.01 * LIMITS.acceleration + 1e-6).all()
    assert not state.velocities[-1].any()
    low, high = np.minimum(start, goal) - 1e-9, np.maximum(start, goal) + 1e-9
    assert ((state.positions >= low) & (state.positions <= high)).all()
    share = (state.positions - start) @ (goal - start) / max(1e-12, (goal - start) @ (goal - start))
    off = state.positions - start - share[:, None] * (goal - start)
    assert np.abs(off).max(initial=0.0) < 1e-6


def test_the_slowest_joint_sets_the_pace() -> None:
    motion = move(NAMES, np.zeros(3), np.array([0.5, 0.5, 0.5]), LIMITS)
    # 0.5 m at 0.1 m/s, and half of the time that reaching and leaving that speed takes at each end
    assert abs(motion.duration - (5.0 + 0.25 + 0.1)) < 0.01


def test_no_way_is_a_motion_of_no_time() -> None:
    motion = move(NAMES, np.ones(3), np.ones(3), LIMITS)
    assert motion.duration == 0.0
    assert motion.at(0.0).positions.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("way", [0.087, 0.4, 0.435, 0.5, 1.0])
def test_ways_at_which_two_cases_of_the_library_meet(way: float) -> None:
    """With a jerk of ten times the acceleration, of four times the speed, some ways are on the border."""
    for speed in (1.0005, 1.2006, 1.0, 0.5, 0.035):
        limits = MoveLimits(
            np.array([speed]), np.array([4.35 * speed / 1.0005]), np.array([43.5 * speed / 1.0005])
        )
        for there in (way, way * speed, way * speed / 1.0005, way * speed * 0.25):
            motion = move(("a",), np.zeros(1), np.array([there]), limits)
            assert motion.duration > 0.0
            assert motion.positions[-1, 0] == there


def test_a_move_at_which_the_library_gave_up_with_all_joints_at_once() -> None:
    start, goal = np.array([0, -2.25, 0, 1.6]), np.array([0.087, -2.3475, -0.2968, 1.6866])
    speed = np.array([1.0005, 1.0005, 1.2006, 1.2006])
    acceleration = np.array([4.35, 4.35, 5.22, 5.22])
    limits = MoveLimits(speed, acceleration, 10.0 * acceleration)
    motion = move(("a", "b", "c", "d"), start, goal, limits)
    assert 0.5 < motion.duration < 0.7
