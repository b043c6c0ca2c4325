"""A robot whose clock is that of a simulation: the twin's node has `use_sim_time`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import rclpy
from support.live_robot import SECOND, Robot, followed
from support.ros_domains import new_domain


@pytest.fixture
def robot() -> Iterator[Robot]:
    """Its clock began five seconds ago, in 1970."""
    rclpy.init(args=["--ros-args", "-p", "use_sim_time:=true"], domain_id=new_domain())
    try:
        robot = Robot()
        robot.time_ns = robot.start_ns = 5 * SECOND
        yield robot
    finally:
        rclpy.try_shutdown()


def test_its_clock_is_no_fault_and_its_lag_counts_from_the_newest_message(robot: Robot) -> None:
    with followed(robot) as source:
        robot.tell(1.5)
        motion = source.motion(round(0.2 * SECOND))
        assert motion.positions[0] > 0
        assert source.notes == ["joints that the live robot does not publish: b"]
        level, text, values = source._report()
        assert text == "receiving joint states"
        # The robot's stamps advance far faster than wall time, so its clock runs ahead all the time: what counts
        # is how it was when the newest message came, not ten seconds ago.
        differences = {float(values["clock difference [ms]"])}
        robot.tell(1.5)
        source.motion(round(0.6 * SECOND))
        differences.add(float(source._report()[2]["clock difference [ms]"]))
        assert len(differences) == 2
        assert level == b"\x00"
