"""Odometry that cannot be followed is refused before the run, with its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.mobile_recordings import (
    ODOMETRY,
    PERIOD,
    amcl,
    bound,
    cart,
    drive,
    odometry,
    posed,
)
from support.recorded_bags import MS, TYPES, Recorded, joints, write_bag

from hetwin_core.ensemble.errors import BadInput, RunFailed
from model_nodes.main_physics.sources.factory import open_source

NAN = float("nan")


def plain() -> list[Recorded]:
    return list(odometry())


def with_pose(index: int, pose: Sequence[float]) -> list[Recorded]:
    messages = plain()
    messages[index] = posed(ODOMETRY, messages[index].time_ns, pose)
    return messages


def shifted() -> Iterator[Recorded]:
    """It begins anew after 3 s."""
    for one in range(301):
        t = one * PERIOD
        x, y, yaw = drive(t / 1e9)
        yield posed(ODOMETRY, t, (x, y, yaw) if t < 3000 * MS else (x - 0.4, y, yaw))


def two_frames() -> list[Recorded]:
    return [*plain()[:-1], posed(ODOMETRY, 6000 * MS, drive(6.0), child="lidar")]


def of_child(child: str) -> Callable[[], list[Recorded]]:
    return lambda: list(odometry(child=child))


def no_rotation() -> list[Recorded]:
    messages = plain()
    messages[3].message.pose.pose.orientation.w = 3.0
    return messages


@pytest.mark.parametrize(
    ("messages", "base", "words"),
    [
        (plain, "/odm", ("robot.base.odometry", "no topic /odm", "perhaps '/odom'")),
        (plain, "/joint_states", ("robot.base.odometry", "JointState", "such as /odom")),
        (lambda: with_pose(7, (NAN, 0.0, 0.0)), "/odom", ("/odom, message 8", "nan", "finite")),
        (no_rotation, "/odom", ("/odom, message 4", "a quaternion of norm 3")),
        (
            lambda: list(shifted()),
            "/odom",
            ("jumps", "/odom, message 151", "0.400 m", "2.980 to 3.000 s", "base.start"),
        ),
        (
            lambda: with_pose(290, (*drive(9.0)[:2], drive(9.0)[2] + 1.0)),
            "/odom",
            ("jumps", "/odom, message 291", "0.000 m and 1.000 rad"),
        ),
        (two_frames, "/odom", ("different frames", "base_link in odom; lidar in odom")),
        (of_child("wheel"), "/odom", ("no link wheel", "base_link (the root link of cart)")),
        (of_child("lift"), "/odom", ("lift_joint moves", "fixed to it")),
    ],
)
def test_odometry_that_cannot_be_followed(
    tmp_path: Path, messages: Callable[[], list[Recorded]], base: str, words: Sequence[str]
) -> None:
    states = [joints(0, ("lift_joint",), (0.0,))]
    with pytest.raises(BadInput) as error:
        bound(
            write_bag(tmp_path / "bag", [*states, *messages()]), cart(tmp_path), {"odometry": base}
        )
    for word in words:
        assert word in str(error.value)


@pytest.mark.parametrize(
    ("more", "start", "words"),
    [
        ([amcl(0, (0.0, NAN, 0.0))], "/amcl_pose", ("/amcl_pose, message 1", "finite")),
        ([], "/amcl_pose", ("robot.base.start", "no topic /amcl_pose", "PoseWithCovariance")),
        ([], "/odom", ("robot.base.start", "does not say where", "nav_msgs/msg/Odometry")),
    ],
)
def test_a_start_that_cannot_be_used(
    tmp_path: Path, more: list[Recorded], start: Any, words: Sequence[str]
) -> None:
    bag = write_bag(tmp_path / "bag", [*more, *plain()])
    with pytest.raises(BadInput) as error:
        bound(bag, cart(tmp_path), {"odometry": "/odom", "start": start})
    for word in words:
        assert word in str(error.value)


def test_a_topic_without_messages(tmp_path: Path) -> None:
    bag = write_bag(
        tmp_path / "bag",
        [joints(t, ("lift_joint",), (0.0,)) for t in (0, MS)],
        empty_topics=[("/odom", ODOMETRY)],
    )
    with pytest.raises(BadInput, match=r"no message on /odom"):
        bound(bag, cart(tmp_path), {"odometry": "/odom"})


def test_a_fast_robot_does_not_jump(tmp_path: Path) -> None:
    """At 3 m/s from one message to the next, and over a pause of the messages."""
    times = [k * 50 * MS for k in range(100) if not 40 < k < 60]
    messages = [posed(ODOMETRY, t, (3.0 * max(t / 1e9 - 1.0, 0.0), 0.0, 0.0)) for t in times]
    source = bound(write_bag(tmp_path / "bag", messages), cart(tmp_path), {"odometry": "/odom"})
    assert source.base(times[-1]).state[0] == pytest.approx(3.0 * (times[-1] / 1e9 - 1.0))


def test_a_message_that_cannot_be_decoded_fails_the_run_at_its_time(tmp_path: Path) -> None:
    messages = plain()
    raw = bytes(TYPES.serialize_cdr(messages[50].message, ODOMETRY))
    messages[50] = replace(messages[50], message=raw[:40])
    source = bound(write_bag(tmp_path / "bag", messages), cart(tmp_path), {"odometry": "/odom"})
    source.base(49 * PERIOD)
    with pytest.raises(RunFailed, match=r"/odom, message 51 cannot be decoded"):
        source.base(50 * PERIOD)


def test_a_source_without_a_bound_base_moves_none(tmp_path: Path) -> None:
    source = open_source(write_bag(tmp_path / "bag", plain()), robots=[cart(tmp_path)])
    with pytest.raises(RuntimeError, match="bind_base"):
        source.base(0)
