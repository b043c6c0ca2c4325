"""Joint samples of a live robot: the motion through them is that of a replay."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model_nodes.main_physics.sources.joint_messages import JointSample
from model_nodes.main_physics.sources.joint_series import Series
from model_nodes.main_physics.sources.live.arrivals import BadMessage, JointSamples, Streams
from model_nodes.main_physics.sources.playback import Interpolator, motions

MS = 1_000_000
PERIOD = 2_500_000
JOINTS = ("a", "b")


def sample(time_ns: int, *positions: float, names: tuple[str, ...] = JOINTS) -> JointSample:
    return JointSample(time_ns, names, np.array(positions).tobytes(), b"")


def wave(count: int, gap_at: int | None = None) -> tuple[list[int], np.ndarray]:
    """Times with jitter, perhaps with a gap of 2 s, and positions of two joints that move."""
    random = np.random.default_rng(5)
    steps = 10 * MS + random.integers(-MS, MS, count)
    if gap_at is not None:
        steps[gap_at] = 2000 * MS
    times = np.cumsum(steps)
    t = times / 1e9
    return times.tolist(), np.stack([np.sin(3 * t), np.maximum(0.0, t - 0.2)], axis=1)


@pytest.mark.parametrize("gap_at", [None, 60])
def test_motion_as_samples_come_in_is_that_of_the_whole_recording(gap_at: int | None) -> None:
    times, positions = wave(120, gap_at)
    whole = Interpolator(
        Series(JOINTS, np.array(times), positions, np.full(positions.shape, np.nan)), list(JOINTS)
    )
    samples = JointSamples({})
    asked = times[3]
    compared = 0
    for time_ns, row in zip(times, positions, strict=True):
        samples.add(sample(time_ns, *row), time_ns)
        if len(samples.names) and not compared and samples.has_motion:
            samples.bind(JOINTS)
        if not samples.has_motion or time_ns < times[6]:
            continue
        if not compared:
            samples.bind(JOINTS)
        while asked <= (known := Streams(samples.streams).certain_until_ns):
            rows = min(20, (known - asked) // PERIOD + 1)
            for i, motion in enumerate(samples.motion(asked, PERIOD, rows)):
                expected = whole.at(np.array([asked + i * PERIOD]))
                np.testing.assert_array_equal(motion.positions, expected.positions[0])
                np.testing.assert_array_equal(motion.velocities, expected.velocities[0])
                np.testing.assert_array_equal(motion.accelerations, expected.accelerations[0])
                compared += 1
            asked += rows * PERIOD
    assert compared > 300


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000), gap=st.booleans())
def test_joints_of_several_publishers_move_as_in_a_series_of_each(seed: int, gap: bool) -> None:
    random = np.random.default_rng(seed)
    groups = [("a", "x"), ("b",), ("c", "d", "e")]
    samples, series = JointSamples({}), []
    for names in groups:
        # with a gap the usual interval counts, which is that of the latest samples only
        steps = np.full(60, 10 * MS) if gap else random.integers(8 * MS, 12 * MS, 60)
        steps[random.integers(50)] *= 20 if gap else 2
        times = random.integers(MS) + np.cumsum(steps)
        positions = np.cumsum(random.normal(size=(60, len(names))), axis=0).round(1)
        efforts = random.normal(size=positions.shape)
        series.append(Series(names, times, positions, efforts))
        for time_ns, q, effort in zip(times.tolist(), positions, efforts, strict=True):
            message = JointSample(time_ns, names, q.tobytes(), effort.tobytes())
            samples.add(message, time_ns)
    joints = ("e", "a", "missing", "b", "c")
    assert samples.bind(joints).tolist() == [True, True, False, True, True]
    wholes = [
        (columns, Interpolator(one, [joints[i] for i in columns]))
        for one in series
        if (columns := [i for i, joint in enumerate(joints) if joint in one.names])
    ]
    known = Streams(samples.streams).certain_until_ns
    start = int(max(one.times_ns[5] for one in series))
    for first in range(start, known, 8 * PERIOD):
        rows = min(8, (known - first) // PERIOD + 1)
        expected = motions(first + PERIOD * np.arange(rows), len(joints), wholes)
        for found, right in zip(samples.motion(first, PERIOD, rows), expected, strict=True):
            np.testing.assert_array_equal(found, right)


def test_joints_of_several_publishers_are_known_when_all_have_told() -> None:
    samples = JointSamples({"left_a": "a"})
    for i in range(3):
        samples.add(sample(i * 10 * MS, 0.1 * i, names=("left_a",)), i * 10 * MS)
    assert samples.has_motion
    for i in range(2):
        samples.add(sample(i * 10 * MS + MS, 5.0, names=("b",)), i * 10 * MS + MS)
    assert samples.bind(("b", "c", "a")).tolist() == [True, False, True]
    assert Streams(samples.streams).certain_until_ns == MS
    (motion,) = samples.motion(MS, PERIOD, 1)
    assert motion.positions[0] == 5.0
    assert motion.positions[1] == 0.0
    assert 0.0 < motion.positions[2] < 0.1
    assert np.isnan(motion.efforts).all()


def test_the_order_of_joints_may_change() -> None:
    samples = JointSamples({})
    samples.add(sample(0, 1.0, 2.0), 0)
    samples.add(sample(MS, 2.0, 1.0, names=("b", "a")), MS)
    samples.bind(JOINTS)
    (motion,) = samples.motion(MS, PERIOD, 1)
    assert motion.positions.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (JointSample(5, JOINTS, np.zeros(1).tobytes(), b""), "2 names, 1 positions"),
        (JointSample(5, ("a", "a"), np.zeros(2).tobytes(), b""), "twice"),
        (JointSample(5, JOINTS, np.array([np.nan, 0]).tobytes(), b""), "not a number"),
        (JointSample(5, (), b"", b""), "no joint"),
        (JointSample(0, JOINTS, np.zeros(2).tobytes(), b""), "older"),
    ],
)
def test_what_cannot_be_used_is_refused_in_words(wrong: JointSample, words: str) -> None:
    samples = JointSamples({})
    samples.add(sample(MS, 0.0, 0.0), MS)
    with pytest.raises(BadMessage, match=words):
        samples.add(wrong, wrong.stamp_ns)
    samples.add(sample(2 * MS, 0.0, 0.0), 2 * MS)


def test_cut_motion_is_bridged_and_what_follows_keeps_its_shape() -> None:
    samples = JointSamples({})
    for i in range(200):
        samples.add(sample(i * 10 * MS, 0.01 * i, 0.0), i * 10 * MS)
    samples.bind(JOINTS)
    begin, backlog, bridge = 500 * MS, 1000 * MS, 250 * MS
    before = samples.motion(begin, PERIOD, 1)[0].positions[0]
    Streams(samples.streams).remove_interval(begin, begin + backlog, bridge)
    after = samples.motion(begin, PERIOD, 161)
    assert after[0].positions[0] == pytest.approx(before)
    assert after[100].positions[0] == pytest.approx(1.5)  # where the robot was at 1.5 s
    assert after[160].positions[0] == pytest.approx(1.65)
    assert all(np.diff([m.positions[0] for m in after]) > 0)
