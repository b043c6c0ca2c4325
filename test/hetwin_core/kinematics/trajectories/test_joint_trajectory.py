"""Trajectories: what is refused, and the motion between the points."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hetwin_core.kinematics.trajectories.trajectory import (
    InvalidTrajectory,
    JointTrajectory,
    State,
    TrajectoryPoint,
)

NAMES = ("elbow", "wrist")
TIMES = np.linspace(0.0, 1.0, 101)


def through(*points: tuple[Any, ...]) -> JointTrajectory:
    return JointTrajectory.through(NAMES, [TrajectoryPoint(*point) for point in points])


def test_positions_alone_are_joined_by_straight_lines() -> None:
    motion = through((0.0, [0.0, 1.0]), (1.0, [1.0, 0.0]), (3.0, [1.0, 4.0]))
    state = motion.at(2.0)
    np.testing.assert_allclose(state.positions, [1.0, 2.0])
    np.testing.assert_allclose(state.velocities, [0.0, 2.0])
    np.testing.assert_allclose(state.accelerations, 0.0)


def test_with_velocities_they_are_continuous() -> None:
    motion = through((0.0, [0, 0], [0, 0]), (1.0, [1, 2], [0.5, -1]), (2.0, [2, 0], [0, 0]))
    before, after = motion.at(1.0 - 1e-9), motion.at(1.0)
    np.testing.assert_allclose(before.velocities, [0.5, -1.0], atol=1e-6)
    np.testing.assert_allclose(after.velocities, [0.5, -1.0], atol=1e-6)


def test_a_quintic_from_rest_to_rest_has_the_textbooks_peak() -> None:
    motion = through((0.0, [0, 0], [0, 0], [0, 0]), (1.0, [1, 0], [0, 0], [0, 0]))
    sampled = motion.sample(TIMES)
    assert sampled.velocities[:, 0].max() == pytest.approx(1.875)
    assert sampled.accelerations[:, 0].max() == pytest.approx(5.7735, rel=1e-3)


@given(
    st.lists(st.floats(-3, 3), min_size=12, max_size=12),
    st.floats(0.05, 5.0),
    st.sampled_from([4, 8, 12]),
)
def test_velocity_and_acceleration_are_the_derivatives_and_the_ends_are_kept(
    numbers: list[float], length: float, used: int
) -> None:
    rows = np.array(numbers).reshape(6, 2)
    ends = [
        TrajectoryPoint(time, *(row.tolist() for row in rows[i::2][: used // 4]))
        for i, time in enumerate((0.0, length))
    ]
    motion = JointTrajectory.through(NAMES, ends)
    times = np.linspace(0.0, length * 0.999, 400)
    state, step = motion.sample(times), length * 1e-6
    ahead = motion.sample(times + step)
    scale = 1.0 + np.abs(state.accelerations).max() * length
    rates = (ahead.positions - state.positions) / step
    assert np.abs(rates - state.velocities).max() < 1e-3 * scale / min(length, 1.0)
    np.testing.assert_allclose(motion.at(0.0).positions, rows[0], atol=1e-9)
    np.testing.assert_allclose(motion.at(length).positions, rows[1], atol=1e-9)
    if used > 4:
        np.testing.assert_allclose(motion.at(0.0).velocities, rows[2], atol=1e-9)


@given(
    st.lists(st.floats(-3, 3), min_size=18, max_size=18),
    st.integers(1, 3),
    st.integers(1, 3),
    st.one_of(st.sampled_from([-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0]), st.floats(-1.0, 3.0)),
)
def test_one_time_and_many_give_the_same_bits(
    numbers: list[float], count: int, used: int, time: float
) -> None:
    rows = np.array(numbers).reshape(3, 3, 2)
    points = [(0.5 + 0.5 * i, *(row.tolist() for row in rows[i][:used])) for i in range(count)]
    motion = through(*points)
    many = motion.sample(np.array([time]))
    # What is 0 may have another sign, which no sum and no comparison shows.
    alone = [(part + 0.0).tobytes() for part in motion.at(time)]
    assert alone == [(part[0] + 0.0).tobytes() for part in many]


def test_it_rests_before_the_first_point_and_after_the_last() -> None:
    motion = through((0.5, [1, 2], [1, 1]), (1.0, [3, 4], [1, 1]))
    for time, positions in ((0.0, [1, 2]), (1.0, [3, 4]), (9.0, [3, 4])):
        state = motion.at(time)
        np.testing.assert_array_equal(state.positions, positions)
        np.testing.assert_array_equal(state.velocities, 0.0)
    assert motion.ends_in_motion


def test_it_goes_on_from_a_state() -> None:
    motion = through((0.5, [1, 2]), (1.0, [3, 4]))
    state = State(np.array([0.0, 0.0]), np.zeros(2), np.zeros(2))
    np.testing.assert_allclose(motion.after(state, 0.0).at(0.25).positions, [0.5, 1.0])
    late = motion.after(state, 0.75)  # the first point is over
    np.testing.assert_allclose(late.at(0.75).positions, 0.0)
    np.testing.assert_allclose(late.at(1.0).positions, [3.0, 4.0])
    assert motion.after(state, 2.0) is motion


@pytest.mark.parametrize(
    ("names", "points", "words"),
    [
        (NAMES, [], "no points"),
        ((), [(0.0, [])], "no joint is named"),
        (("a", "a"), [(0.0, [1, 2])], "named twice"),
        (NAMES, [(0.0, [1.0])], "point 0: positions: .*found 1 numbers; expected 2"),
        (NAMES, [(0.0, [1, 2]), (1.0, [1, 2, 3])], "point 1: positions: .*found 3 numbers"),
        (NAMES, [(0.0, [1, math.nan])], "point 0: positions: a number is not finite"),
        (NAMES, [(0.0, [1, 2], [1, math.inf])], "point 0: velocities: a number is not finite"),
        (NAMES, [(0.0, [1, 2], [0, 0]), (1.0, [1, 2])], "point 1: velocities"),
        (NAMES, [(0.0, [1, 2], [], [1, 2])], "accelerations without velocities"),
        (NAMES, [(-1.0, [1, 2])], "no time after the start"),
        (NAMES, [(math.nan, [1, 2])], "no time after the start"),
        (NAMES, [(1.0, [1, 2]), (1.0, [1, 2])], "point 1: time_from_start: time does not increase"),
    ],
)
def test_what_is_no_trajectory_is_refused_in_words(
    names: tuple[str, ...], points: list[tuple[Any, ...]], words: str
) -> None:
    with pytest.raises(InvalidTrajectory, match=words):
        JointTrajectory.through(names, [TrajectoryPoint(*point) for point in points])
