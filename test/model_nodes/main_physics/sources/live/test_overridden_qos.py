"""Users override the QoS of what the twin listens to by parameters, as the tutorial says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import rclpy
from rclpy.qos import QoSReliabilityPolicy
from support.live_robot import Robot, followed
from support.ros_domains import new_domain

OVERRIDES = """
/**:
  ros__parameters:
    qos_overrides:
      /joint_states:
        subscription: {reliability: reliable, depth: 100}
"""


@pytest.fixture
def robot(tmp_path: Path) -> Iterator[Robot]:
    file = tmp_path / "qos.yaml"
    file.write_text(OVERRIDES, encoding="utf-8")
    rclpy.init(args=["--ros-args", "--params-file", str(file)], domain_id=new_domain())
    try:
        yield Robot()
    finally:
        rclpy.try_shutdown()


def test_joint_states_become_reliable_and_the_rest_stays(robot: Robot) -> None:
    def reliability(topic: str) -> set[QoSReliabilityPolicy]:
        listeners = robot.listeners(topic)
        return {QoSReliabilityPolicy(info.qos_profile.reliability) for info in listeners}

    assert OVERRIDES.strip().splitlines()[2:] == tutorial_block()[2:]
    with followed(robot):
        assert reliability("/joint_states") == {QoSReliabilityPolicy.RELIABLE}
        assert reliability("/action_annotations") == {QoSReliabilityPolicy.RELIABLE}


def tutorial_block() -> list[str]:
    """The file that the tutorial shows."""
    text = Path(__file__).parents[5].joinpath("docs", "tutorial.md").read_text(encoding="utf-8")
    block = text[text.index("/**:") :]
    return block[: block.index("```")].strip().splitlines()
