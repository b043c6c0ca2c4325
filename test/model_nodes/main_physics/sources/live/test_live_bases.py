"""The live source follows a base over real ROS 2 topics."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rclpy
from support.live_robot import PERIOD, SECOND
from support.live_rover import Rover, base_followed
from support.mobile_recordings import Planar, cart, matrix, planar
from support.ros_domains import new_domain

from hetwin_core.ensemble.errors import BadInput, RunFailed
from hetwin_core.ensemble.scenario.robot import FollowedBase
from model_nodes.main_physics.sources.factory import open_source
from model_nodes.main_physics.sources.live.part import LivePart

START = (1.0, -2.0, 0.7)


@pytest.fixture(scope="module")
def ros() -> Iterator[None]:
    rclpy.init(args=[], domain_id=new_domain())
    try:
        yield
    finally:
        rclpy.try_shutdown()


@pytest.fixture(params=[True, False], ids=["reliable", "best_effort"])
def rover(ros: None, request: pytest.FixtureRequest) -> Iterator[Rover]:
    rover = Rover(reliable=request.param)
    yield rover
    rover.node.destroy_node()


def played(source: LivePart, until_s: float, begin_s: float = 0.0) -> Iterator[Any]:
    """Time and motion of the base in all steps; the joints move as well."""
    for time_ns in range(round(begin_s * SECOND) + PERIOD, round(until_s * SECOND) + 1, PERIOD):
        assert source.motion(time_ns).positions[0] == pytest.approx(0.1)
        yield time_ns, source.base(time_ns)


def near(source: LivePart, rover: Rover, start: Planar, time_ns: int, state: Any) -> None:
    place = rover.place_at(source._epoch_ns + time_ns)
    wanted = matrix(*start) @ matrix(*place)
    np.testing.assert_allclose(state[:2], planar(wanted)[:2], atol=2e-4)


@pytest.mark.parametrize("rover", [True, False], ids=["reliable", "best_effort"], indirect=True)
def test_odometry_and_a_localization_that_was_said_long_ago(rover: Rover, tmp_path: Path) -> None:
    rover.localize(START)
    with base_followed(rover, tmp_path, {"odometry": "odom", "start": "amcl_pose"}) as source:
        rover.tell(3.0)
        for time_ns, motion in played(source, 1.5):
            near(source, rover, START, time_ns, motion.state)
            assert not motion.corrected
        moved = (1.1, -2.0, 0.75)
        rover.localize(planar(matrix(*moved) @ matrix(*rover.place)))
        rover.tell(1.0)
        told = [motion.corrected for _, motion in played(source, 3.2, 1.5) if motion.corrected]
        assert len(told) == 1
        assert told[0].startswith("amcl_pose puts it")
        near(source, rover, moved, round(3.2 * SECOND), source.base(round(3.2 * SECOND)).state)


@pytest.mark.parametrize("rover", [True], indirect=True)
def test_transforms(rover: Rover, tmp_path: Path) -> None:
    with base_followed(rover, tmp_path, {"odometry": "tf", "start": list(START)}) as source:
        rover.tell(2.0)
        for time_ns, motion in played(source, 1.0):
            near(source, rover, START, time_ns, motion.state)


@pytest.mark.parametrize("rover", [True], indirect=True)
def test_silence_ends_the_run(rover: Rover, tmp_path: Path) -> None:
    following = base_followed(rover, tmp_path, {"odometry": "odom"}, timeout=0.5)
    silent = pytest.raises(RunFailed, match=r"silent on (odom|/joint_states) for 0\.5 s")
    with following as source, silent:
        source.base(60 * SECOND)


@pytest.mark.parametrize("rover", [True], indirect=True)
def test_a_pause_of_the_whole_robot_is_one_gap(rover: Rover, tmp_path: Path) -> None:
    with base_followed(rover, tmp_path, {"odometry": "odom"}) as source:
        rover.tell(1.0)
        rover.time_ns += SECOND // 2
        rover.tell(2.0)
        list(played(source, 2.0))
        gaps = [event for event in source.events(2 * SECOND) if event.name == "robot_gap"]
        assert [event.arguments["seconds"] for event in gaps] == [pytest.approx(0.51, abs=0.05)]


@pytest.mark.parametrize("rover", [True], indirect=True)
def test_a_jump_ends_the_run(rover: Rover, tmp_path: Path) -> None:
    with base_followed(rover, tmp_path, {"odometry": "odom"}) as source:
        rover.tell(1.0)
        rover.jump(2.0)
        with pytest.raises(RunFailed, match=r"odometry on odom jumps by [12]\."):
            source.base(60 * SECOND)


def test_a_topic_that_nobody_publishes(ros: None, tmp_path: Path) -> None:
    rover = Rover()
    body = cart(tmp_path)
    source = open_source({"live": "", "wait": 1.0}, robots=[body])
    assert any("no joint states" in note for note in getattr(source, "notes", ()))
    try:
        with pytest.raises(BadInput) as error:
            source.bind_base(body, FollowedBase(odometry="odm"), PERIOD)
        for word in ("robot.base.odometry", "odm", "within 1 s", "/odom"):
            assert word in str(error.value)
    finally:
        source.close()
        rover.node.destroy_node()
