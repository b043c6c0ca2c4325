"""Commands over real ROS 2 topics."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import rclpy
from commanded_arm import ARM, DRIVE, WHEELS, rover
from geometry_msgs.msg import Twist, TwistStamped
from rclpy.node import Node
from support.ros_domains import new_domain
from support.waiting import wait_until
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from hetwin.msg import ActionAnnotation
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scenario.robot import NamedRobot
from model_nodes.main_physics.robots import SceneRobot
from model_nodes.main_physics.settings import Settings
from model_nodes.main_physics.sources.factory import open_plans, open_source
from model_nodes.main_physics.sources.part import JointMotion

PERIOD = 10_000_000


@pytest.fixture(scope="module")
def user() -> Iterator[Node]:
    rclpy.init(args=[], domain_id=new_domain())
    node = Node("user")
    yield node
    node.destroy_node()
    rclpy.try_shutdown()


class Obedient:
    """A source that has begun to obey, stepped by the test."""

    def __init__(self, namespace: str) -> None:
        self.source = open_source({"commands": namespace}, robots=[rover()], wheels=DRIVE)
        self.source.bind([*ARM, *WHEELS], PERIOD)
        self.source.start()
        self._steps = itertools.count(1)
        self.events: list[Event] = []

    def step(self) -> JointMotion:
        time_ns = next(self._steps) * PERIOD
        motion = self.source.motion(time_ns)
        self.events += self.source.events(time_ns)
        return motion


@pytest.fixture
def robot(user: Node, request: pytest.FixtureRequest) -> Iterator[Obedient]:
    obedient = Obedient(request.node.name.replace("[", "_").replace("]", ""))
    yield obedient
    obedient.source.close()


def publisher(user: Node, request: pytest.FixtureRequest, kind: Any, topic: str) -> Any:
    """A publisher of a topic in the robot's namespace, once someone listens."""
    namespace = request.node.name.replace("[", "_").replace("]", "")
    made = user.create_publisher(kind, f"/{namespace}/{topic}", 10)
    wait_until(made.get_subscription_count, f"a subscription of {topic}")
    return made


def elbow(position: float) -> JointTrajectory:
    point = JointTrajectoryPoint(positions=[position])
    point.time_from_start.nanosec = 50_000_000
    return JointTrajectory(joint_names=["elbow"], points=[point])


def test_a_trajectory_moves_the_joints_and_a_wrong_one_does_not(
    user: Node, robot: Obedient, request: pytest.FixtureRequest
) -> None:
    topic = "joint_trajectory_controller/joint_trajectory"
    commands = publisher(user, request, JointTrajectory, topic)
    commands.publish(elbow(math.nan))
    wait_until(lambda: robot.step() and robot.events, "an event")
    assert robot.events[0].name == "command_refused"
    assert robot.events[0].arguments["topic"] == topic
    assert "not finite" in str(robot.events[0].arguments["reason"])
    assert robot.step().positions[0] == 0.0
    commands.publish(elbow(0.5))
    wait_until(lambda: robot.step().positions[0] == 0.5, "the elbow at 0.5")


@pytest.mark.parametrize("kind", [Twist, TwistStamped])
def test_a_velocity_of_either_type_turns_the_wheels_until_it_ends(
    user: Node, robot: Obedient, request: pytest.FixtureRequest, kind: Any
) -> None:
    commands = publisher(user, request, kind, "cmd_vel")
    message = kind()
    getattr(message, "twist", message).linear.x = 0.3

    def rolls() -> bool:
        commands.publish(message)
        return robot.step().velocities[2:].tolist() == pytest.approx([3.0, 3.0])

    wait_until(rolls, "the wheels to turn")
    steps = next(i for i in itertools.count() if not robot.step().velocities[2:].any())
    assert 40 <= steps <= 70  # the last one came up to a step ago, or is still on its way


def test_annotations_come_along(
    user: Node, robot: Obedient, request: pytest.FixtureRequest
) -> None:
    said = publisher(user, request, ActionAnnotation, "action_annotations")
    robot.step()
    said.publish(ActionAnnotation(operation="reach", phase="begin"))
    wait_until(lambda: robot.step() and robot.events, "an event")
    assert (robot.events[0].name, robot.events[0].arguments["phase"]) == ("reach", "begin")


def test_each_of_two_robots_obeys_in_its_own_namespace(user: Node) -> None:
    robots = [
        SceneRobot(
            replace(rover(), name=name, one_of_several=True),
            NamedRobot.model_validate({"urdf": "rover.urdf", "source": {"commands": ""}}),
            f"robots.{name}",
        )
        for name in ("port", "starboard")
    ]
    said = {robot.body.name: robot.entry for robot in robots}
    source = open_plans(Settings.read({"robots": said}), robots)
    try:
        joints = [f"{robot.body.name}::{name}" for robot in robots for name in ARM]
        assert source.bind(joints, PERIOD).all()
        source.start()
        made = user.create_publisher(
            JointTrajectory, "/starboard/joint_trajectory_controller/joint_trajectory", 10
        )
        wait_until(made.get_subscription_count, "a subscription of starboard's")
        made.publish(elbow(0.5))
        steps = itertools.count(1)
        wait_until(
            lambda: source.motion(next(steps) * PERIOD).positions.tolist() == [0, 0, 0.5, 0],
            "starboard's elbow at 0.5",
        )
    finally:
        source.close()
