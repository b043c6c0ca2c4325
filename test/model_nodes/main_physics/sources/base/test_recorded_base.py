"""A recorded base is where odometry and a localization say it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from support.mobile_recordings import (
    ODOMETRY,
    PERIOD,
    POSE,
    TRANSFORM,
    WITH_COVARIANCE,
    Planar,
    amcl,
    bound,
    cart,
    drive,
    follows,
    matrix,
    odometry,
    planar,
    posed,
)
from support.recorded_bags import MS, Recorded, annotation, joints, write_bag, write_ros1_bag

from hetwin_core.ensemble.scene.poses import rotate

START = (1.0, -2.0, 0.7)


def from_start(seconds: float, start: Planar = START) -> Planar:
    return planar(matrix(*start) @ matrix(*drive(seconds)))


@pytest.mark.parametrize(
    ("type_name", "ros1"),
    [
        (ODOMETRY, False),
        (POSE, False),
        (WITH_COVARIANCE, False),
        (TRANSFORM, False),
        (ODOMETRY, True),
    ],
)
def test_all_types_with_a_pose(tmp_path: Path, type_name: str, ros1: bool) -> None:
    messages = [posed(type_name, t, drive(t / 1e9)) for t in range(0, 6_000_000_001, PERIOD)]
    write = write_ros1_bag if ros1 else write_bag
    bag = write(tmp_path / "a.bag", messages)
    follows(bound(bag, cart(tmp_path), {"odometry": "/odom"}), drive)


def test_it_starts_where_the_scenario_says(tmp_path: Path) -> None:
    """The frame of odometry lies somewhere else, as after a run before."""
    elsewhere = matrix(5.0, 4.0, 2.0)
    messages = [
        posed(ODOMETRY, t, planar(elsewhere @ matrix(*drive(t / 1e9))))
        for t in range(0, 6_000_000_001, PERIOD)
    ]
    bag = write_bag(tmp_path / "bag", messages)
    body = cart(tmp_path, (1.0, -2.0, 0.3, np.cos(0.35), 0.0, 0.0, np.sin(0.35)))
    source = bound(bag, body, {"odometry": "/odom"})
    follows(source, from_start)
    assert source.base(0).state[2] == pytest.approx(0.3)
    start = [2.0, 3.0, -1.0]
    source = bound(bag, body, {"odometry": "/odom", "start": start})
    follows(source, lambda seconds: from_start(seconds, (2.0, 3.0, -1.0)))
    assert source.base(0).state[2] == pytest.approx(0.3)
    assert source.base(0).odometry[:2] == pytest.approx((5.0, 4.0))


def test_between_the_messages_it_moves_smoothly(tmp_path: Path) -> None:
    source = bound(
        write_bag(tmp_path / "bag", odometry()), cart(tmp_path), {"odometry": "/odom"}, 1 * MS
    )
    states = np.array([source.base(t).state for t in range(0, 6_000_000_001, MS)])
    steps = np.diff(states[:, :3], axis=0) * 1000.0
    means = (states[1:, 7:10] + states[:-1, 7:10]) / 2.0
    np.testing.assert_allclose(steps, means, atol=2e-3)
    assert np.linalg.norm(np.diff(states[:, 7:9], axis=0), axis=1).max() < 0.006  # 6 m/s^2


def test_its_own_axes_carry_the_twist_of_odometry(tmp_path: Path) -> None:
    source = bound(
        write_bag(tmp_path / "bag", odometry()),
        cart(tmp_path),
        {"odometry": "/odom", "start": [1.0, -2.0, 0.7]},
    )
    for time_ns in (500 * MS, 2000 * MS, 4000 * MS):
        motion = source.base(time_ns)
        own = motion.odometry[7:13]
        forward = 0.5 if time_ns < 3000 * MS else 0.0
        turn = 0.8 if time_ns > 1000 * MS else 0.0
        assert own == pytest.approx([forward, 0, 0, 0, 0, turn], abs=2e-3)
        assert rotate(motion.state[3:7], own[:3]) == pytest.approx(motion.state[7:10], abs=1e-12)
        assert motion.odometry[:2] == pytest.approx(drive(time_ns / 1e9)[:2], abs=1e-4)


@pytest.mark.parametrize("child", ["lidar", "/cart/lidar", ""])
def test_a_link_that_is_fixed_to_the_root(tmp_path: Path, child: str) -> None:
    mount = matrix(0.3, 0.0, np.pi / 2.0, 0.4) if child else np.eye(4)
    messages = [
        posed(ODOMETRY, t, planar(matrix(*drive(t / 1e9)) @ mount), child=child)
        for t in range(0, 6_000_000_001, PERIOD)
    ]
    bag = write_bag(tmp_path / "bag", messages)
    follows(bound(bag, cart(tmp_path), {"odometry": "/odom"}), drive)


def test_a_localization_says_where_it_is_and_corrects_it(tmp_path: Path) -> None:
    """Its first pose counts from the beginning; a later one jumps, by odometry's drift since then."""
    jumps = {1000 * MS: START, 3010 * MS: (1.1, -2.0, 0.75), 4500 * MS: (1.1, -1.9, 0.75)}
    poses = [
        amcl(t, planar(matrix(*start) @ matrix(*drive(t / 1e9)))) for t, start in jumps.items()
    ]
    messages = sorted([*odometry(), *poses], key=lambda one: one.time_ns)
    bag = write_bag(tmp_path / "bag", messages)
    body = cart(tmp_path, (9.0, 9.0, 0.25, 1.0, 0.0, 0.0, 0.0))
    source = bound(bag, body, {"odometry": "/odom", "start": "/amcl_pose"})

    def expected(seconds: float) -> Planar:
        start = [pose for t, pose in jumps.items() if t <= max(seconds * 1e9, 1000 * MS)][-1]
        return from_start(seconds, start)

    follows(source, expected)
    assert source.base(6000 * MS).state[2] == pytest.approx(0.25)
    source = bound(bag, body, {"odometry": "/odom", "start": "/amcl_pose"})
    told = {
        t: words for t in range(0, 6_000_000_001, PERIOD) if (words := source.base(t).corrected)
    }
    assert list(told) == [3020 * MS, 4500 * MS]
    assert told[4500 * MS] == (
        "/amcl_pose puts it 10 cm and 0.00 degrees away from where odometry has it"
    )
    assert "2.86 degrees" in told[3020 * MS]


def test_a_correction_is_told_again_at_the_same_time_and_once_if_steps_are_left_out(
    tmp_path: Path,
) -> None:
    messages = [*odometry(2.0), amcl(0, START), amcl(1000 * MS, (5.0, 5.0, 0.0))]
    messages.sort(key=lambda one: one.time_ns)
    bag = write_bag(tmp_path / "bag", messages)
    source = bound(bag, cart(tmp_path), {"odometry": "/odom", "start": "/amcl_pose"})
    assert not source.base(980 * MS).corrected
    assert source.base(1000 * MS).corrected
    assert source.base(1000 * MS).corrected
    assert not source.base(1020 * MS).corrected
    source = bound(bag, cart(tmp_path), {"odometry": "/odom", "start": "/amcl_pose"})
    assert not source.base(100 * MS).corrected
    assert source.base(1500 * MS).corrected


def test_a_localization_that_agrees_corrects_nothing(tmp_path: Path) -> None:
    poses = [amcl(t, from_start(t / 1e9)) for t in range(0, 5_000_000_001, 700 * MS)]
    messages = sorted([*odometry(), *poses], key=lambda one: one.time_ns)
    source = bound(
        write_bag(tmp_path / "bag", messages),
        cart(tmp_path),
        {"odometry": "/odom", "start": "/amcl_pose"},
    )
    follows(source, from_start)
    assert not any(source.base(6000 * MS).corrected)


def test_stamps_count_and_log_times_where_they_are_of_another_clock(tmp_path: Path) -> None:
    late = [posed(ODOMETRY, t + 40 * MS, drive(t / 1e9), stamp_ns=t) for t in _times()]
    began = annotation(0, "drive", "instant")
    bag = write_bag(tmp_path / "bag", [began, *late])
    follows(bound(bag, cart(tmp_path), {"odometry": "/odom"}), drive)
    foreign = [posed(ODOMETRY, t, drive(t / 1e9), stamp_ns=t + 90_000 * MS) for t in _times()]
    source = bound(write_bag(tmp_path / "foreign", foreign), cart(tmp_path), {"odometry": "/odom"})
    follows(source, drive)
    (mended,) = (f for f in source.findings if f.name == "mended")
    assert (mended.arguments["what"], mended.arguments["count"]) == ("other_clock", 301)


def test_a_gap_is_found(tmp_path: Path) -> None:
    kept = [one for one in odometry() if not 2000 * MS < one.time_ns < 3000 * MS]
    source = bound(write_bag(tmp_path / "bag", kept), cart(tmp_path), {"odometry": "/odom"})
    (gap,) = source.findings
    assert (gap.name, gap.from_ns, gap.to_ns) == ("gap", 2000 * MS, 3000 * MS)
    assert gap.arguments["topic"] == "/odom"


def test_joints_move_as_well_or_rest(tmp_path: Path) -> None:
    states = [joints(t, ("lift_joint",), (t / 1e10,)) for t in _times()]
    messages: list[Recorded] = sorted([*odometry(), *states], key=lambda one: one.time_ns)
    for name, written, moves in (("both", messages, True), ("base", list(odometry()), False)):
        source = bound(write_bag(tmp_path / name, written), cart(tmp_path), {"odometry": "/odom"})
        assert source.bind(["lift_joint"], PERIOD).tolist() == [moves]
        assert source.motion(2000 * MS).positions == pytest.approx([0.2 if moves else 0.0])
        assert source.duration_ns == 6_000_000_000


def _times() -> Iterator[int]:
    return iter(range(0, 6_000_000_001, PERIOD))
