"""The motion between samples: smooth, without overshoot, and late after a rest."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.random_examples import examples

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.joint_series import Series
from model_nodes.main_physics.sources.joint_table import Int64s
from model_nodes.main_physics.sources.playback import Interpolator, Motions

MS = 1_000_000


def series(times_ms: list[int], values: Floats) -> Series:
    """A series of joints j0, j1 ... without efforts."""
    table = np.array(values, np.float64).reshape(len(times_ms), -1)
    names = tuple(f"j{i}" for i in range(table.shape[1]))
    times = np.array(times_ms, np.int64) * MS
    return Series(names, times, table, np.full_like(table, np.nan))


def dense(one: Series, step_ns: int = MS // 2) -> tuple[Int64s, Motions]:
    """Times and motion from before the first to after the last sample."""
    times = np.arange(one.times_ns[0] - 10 * MS, one.times_ns[-1] + 10 * MS, step_ns)
    return times, Interpolator(one, list(one.names)).at(times)


@st.composite
def recordings(draw: st.DrawFn) -> Series:
    gaps = draw(st.lists(st.integers(1, 400), min_size=1, max_size=25))
    times = np.cumsum([draw(st.integers(0, 100)), *gaps]).tolist()
    value = st.one_of(st.integers(-2, 2).map(float), st.floats(-10.0, 10.0, width=32))
    width = draw(st.integers(1, 3))
    rows = st.lists(value, min_size=len(times) * width, max_size=len(times) * width)
    return series(times, np.array(draw(rows)).reshape(len(times), width))


@given(recordings())
@examples(150)
def test_samples_are_met_and_never_overshot(one: Series) -> None:
    at_samples = Interpolator(one, list(one.names)).at(one.times_ns)
    np.testing.assert_array_equal(at_samples.positions, one.positions)
    times, rows = dense(one)
    left = np.clip(np.searchsorted(one.times_ns, times, "right") - 1, 0, len(one.times_ns) - 1)
    right = np.minimum(left + 1, len(one.times_ns) - 1)
    left = np.where(times < one.times_ns[0], 0, left)
    right = np.where(times < one.times_ns[0], 0, right)
    ends = np.stack([one.positions[left], one.positions[right]])
    assert (rows.positions >= ends.min(axis=0)).all()
    assert (rows.positions <= ends.max(axis=0)).all()


@given(recordings())
@examples(100)
def test_velocity_is_the_slope_and_has_no_jumps(one: Series) -> None:
    """Position is the integral of velocity, velocity that of acceleration: no jump in either."""
    step = MS // 100
    times = np.unique(
        np.concatenate([t + np.arange(-50, 51) * step for t in one.times_ns[:8].tolist()])
    )
    rows = Interpolator(one, list(one.names)).at(times)
    seconds = np.diff(times)[:, None] / 1e9
    near = seconds[:, 0] < 2 * step / 1e9
    moved = np.diff(rows.positions, axis=0)
    mean = 0.5 * (rows.velocities[1:] + rows.velocities[:-1]) * seconds
    highest = np.abs(rows.accelerations).max() + 1.0
    assert (np.abs(moved - mean)[near] <= highest * seconds[near] ** 2 + 1e-12).all()
    gained = np.abs(np.diff(rows.velocities, axis=0))
    assert (gained[near] <= 2.0 * highest * seconds[near] + 1e-12).all()


@given(recordings(), st.randoms())
@examples(50)
def test_joint_order_does_not_matter(one: Series, random: object) -> None:
    names = list(one.names)
    random.shuffle(names)  # type: ignore[attr-defined]
    times, rows = dense(one, 3 * MS)
    shuffled = Interpolator(one, names).at(times)
    columns = [one.names.index(name) for name in names]
    for straight, other in zip(rows, shuffled, strict=True):
        np.testing.assert_array_equal(straight[:, columns], other)


@given(recordings(), st.integers(0, 30))
@examples(50)
def test_each_time_alone_gives_the_same_bits(one: Series, pick: int) -> None:
    times, rows = dense(one, 7 * MS)
    row = pick % len(times)
    alone = Interpolator(one, list(one.names)).at(times[row : row + 1])
    for together, single in zip(rows, alone, strict=True):
        np.testing.assert_array_equal(together[row], single[0])


def test_straight_motion_stays_straight() -> None:
    times = [0, 10, 25, 30, 47, 60, 70]
    one = series(times, np.array(times) * 0.002)
    asked = np.arange(10, 60) * MS
    rows = Interpolator(one, ["j0"]).at(asked)
    np.testing.assert_allclose(rows.positions[:, 0], asked * 2e-9, atol=1e-12)
    np.testing.assert_allclose(rows.velocities, 2.0, rtol=1e-9)


def test_a_smooth_motion_is_followed_closely() -> None:
    times = list(range(0, 2000, 10))
    one = series(times, np.sin(np.array(times) / 300))
    asked = np.arange(20_000, 1_900_000, 333) * 1000
    rows = Interpolator(one, ["j0"]).at(asked)
    # No overshoot cuts the tops off: by interval^2 / 8 times the greatest acceleration.
    highest = 0.01**2 / 8 / 0.3**2
    np.testing.assert_allclose(rows.positions[:, 0], np.sin(asked / 3e8), atol=highest)
    np.testing.assert_allclose(rows.velocities[:, 0], np.cos(asked / 3e8) / 0.3, atol=0.06)


@pytest.mark.parametrize(
    ("before", "after", "starts_ms"),
    [
        # Rest, then a jump over a gap of 200 ms, then on at 0.02 per 50 ms: 0.03 took 75 ms.
        (0.0, 0.02, 400 - 75),
        # Nothing moves after the jump: it took one median interval.
        (0.0, 0.0, 400 - 50),
        # So slow after the jump that it must have begun to move at once.
        (0.0, 0.001, 200),
        # Moved before the gap: moved on.
        (0.02, 0.02, 200),
    ],
)
def test_a_jump_after_a_gap_is_not_smeared(before: float, after: float, starts_ms: int) -> None:
    times = [0, 50, 100, 150, 200, 400, 450, 500]
    jump = 0.03
    values = [-before, -before, -before, -before, 0.0, jump, jump + after, jump + after]
    one = series(times, np.array(values))
    asked = np.arange(200, 401) * MS
    positions = Interpolator(one, ["j0"]).at(asked).positions[:, 0]
    moved = asked[positions > 1e-9] / MS
    assert moved[0] == pytest.approx(starts_ms, abs=2)
    assert positions[-1] == jump


def test_a_single_sample_rests() -> None:
    one = series([30], np.array([1.5]))
    rows = Interpolator(one, ["j0"]).at(np.array([0, 30 * MS, 90 * MS]))
    assert rows.positions[:, 0].tolist() == [1.5, 1.5, 1.5]
    assert not rows.velocities.any()
    assert not rows.accelerations.any()
