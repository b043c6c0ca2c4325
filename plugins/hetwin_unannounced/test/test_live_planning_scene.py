"""MoveIt's planning scene as a topic of a live robot, in MoveIt's own messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import rclpy
from geometry_msgs.msg import Pose
from support.live_robot import Robot, followed
from support.ros_domains import new_domain
from support.waiting import wait_until

from hetwin_unannounced.reading import SceneReport, parse_report

pytest.importorskip("moveit_msgs.msg", reason="moveit_msgs is not installed")
from moveit_msgs.msg import CollisionObject, PlanningScene
from shape_msgs.msg import Mesh, MeshTriangle, SolidPrimitive

TOPIC = "/monitored_planning_scene"


@pytest.fixture
def robot() -> Iterator[Robot]:
    rclpy.init(args=[], domain_id=new_domain())
    try:
        yield Robot()
    finally:
        rclpy.try_shutdown()


def mug() -> Any:
    made = CollisionObject(id="mug", operation=CollisionObject.ADD)
    made.header.frame_id = "base"
    made.pose.position.x = 1.0
    made.primitives = [SolidPrimitive(type=SolidPrimitive.CYLINDER, dimensions=[0.1, 0.04])]
    made.primitive_poses = [Pose()]
    return made


def mat() -> Any:
    from geometry_msgs.msg import Point

    made = CollisionObject(id="mat", operation=CollisionObject.APPEND)
    corners = [Point(x=x, y=y, z=0.0) for x in (0.0, 0.2) for y in (0.0, 0.1)]
    made.meshes = [Mesh(vertices=corners, triangles=[MeshTriangle(vertex_indices=[0, 1, 2])])]
    made.mesh_poses = [Pose()]
    return made


def heard(robot: Robot, *messages: Any) -> list[SceneReport]:
    """Return the content of messages that a live source has received, in their order."""
    with followed(robot, topics=(TOPIC,)) as source:
        robot.tell(0.1)
        publisher = robot.node.create_publisher(type(messages[0]), TOPIC, 10)
        robot.listeners(TOPIC)
        for message in messages:
            publisher.publish(message)

        def events() -> list[Any]:
            return [event for event in source._waiting if event.name == TOPIC]

        wait_until(lambda: len(events()) == len(messages), f"{len(messages)} messages on {TOPIC}")
        return [parse_report(event.arguments) for event in events()]


def test_operations_are_those_of_the_messages(robot: Robot) -> None:
    whole = PlanningScene()
    whole.world.collision_objects = [mug(), mat()]
    diff = PlanningScene(is_diff=True)
    moved = CollisionObject(id="mat", operation=CollisionObject.MOVE)
    moved.pose.position.y = 0.5
    gone = CollisionObject(id="mug", operation=CollisionObject.REMOVE)
    diff.world.collision_objects = [gone, moved]
    first, second = heard(robot, whole, diff)
    assert first.is_whole
    assert [one.kind for one in first.seen] == ["mug", "mat"]
    assert first.seen[0].size.tolist() == pytest.approx([0.08, 0.08, 0.1])
    assert first.seen[0].frame == "base"
    assert first.seen[1].size.tolist() == pytest.approx([0.2, 0.1, 0.0])
    assert (second.gone, second.is_whole) == (("mug",), False)
    assert second.seen[0].pose[1] == 0.5
