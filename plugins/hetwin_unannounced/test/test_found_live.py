"""A map and a planning scene are found when the run of a live robot starts."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rclpy
from geometry_msgs.msg import Pose, TransformStamped
from nav_msgs.msg import OccupancyGrid
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from tf2_msgs.msg import TFMessage

from hetwin_suite.model import BadInput
from hetwin_suite.source import SceneRequest
from hetwin_unannounced.found.occupancy import occupancy_grid
from hetwin_unannounced.found.planning_scene import planning_scene

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
STAND = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


@contextmanager
def robot() -> Iterator[Node]:
    """A node that spins while a finder searches."""
    rclpy.init(args=[])
    node, executor = Node("robot"), SingleThreadedExecutor()
    executor.add_node(node)

    def spin() -> None:
        with suppress(ExternalShutdownException):
            executor.spin()

    thread = threading.Thread(target=spin)
    thread.start()
    try:
        yield node
    finally:
        rclpy.try_shutdown()
        thread.join()


def request(folder: Path, **parameters: Any) -> SceneRequest:
    """Return the request of a live robot's run to a finder."""
    urdf = folder / "robot.urdf"
    urdf.write_text('<robot name="robot"><link name="base_link"/></robot>')
    sources = {"": {"live": ""}}
    return SceneRequest({"wait": 20.0, **parameters}, sources, folder, ((str(urdf), STAND),))


def pose_of(text: str) -> list[float]:
    """The numbers of the model's pose in SDFormat, x y z qx qy qz qw."""
    return [float(word) for word in text.partition("</pose>")[0].rpartition(">")[2].split()]


def test_a_map_that_its_publisher_keeps_is_found_by_transforms(tmp_path: Path) -> None:
    with robot() as node:
        grid = OccupancyGrid()
        grid.header.frame_id = "map"
        grid.info.width, grid.info.height, grid.info.resolution = 3, 2, 0.5
        grid.data = [0, 100, 100, -1, 100, 100]
        node.create_publisher(OccupancyGrid, "map", LATCHED).publish(grid)
        stands = TransformStamped(child_frame_id="base_link")
        stands.header.frame_id = "map"
        stands.transform.translation.x = 2.0
        node.create_publisher(TFMessage, "tf_static", LATCHED).publish(
            TFMessage(transforms=[stands])
        )
        found = occupancy_grid(request(tmp_path))
    assert [*found] == ["map"]
    assert pose_of(found["map"].model)[:3] == pytest.approx([-2.0, 0.0, 0.0])
    assert found["map"].note.startswith("1 boxes, 1 m high; 1 of 6 cells are not known")


def test_without_a_map_it_says_so(tmp_path: Path) -> None:
    with robot(), pytest.raises(BadInput, match=r"no nav_msgs/msg/OccupancyGrid within 0\.3 s"):
        occupancy_grid(request(tmp_path, wait=0.3))


def test_a_move_group_is_asked_for_its_scene(tmp_path: Path) -> None:
    pytest.importorskip("moveit_msgs.srv", reason="moveit_msgs is not installed")
    from moveit_msgs.msg import CollisionObject
    from moveit_msgs.srv import GetPlanningScene
    from shape_msgs.msg import SolidPrimitive

    asked = []

    def on_get(wanted: Any, response: Any) -> Any:
        asked.append(wanted.components.components)
        shelf = CollisionObject(id="shelf", operation=CollisionObject.ADD)
        shelf.header.frame_id = "base_link"
        shelf.pose.position.x = 1.5
        shelf.primitives = [SolidPrimitive(type=SolidPrimitive.BOX, dimensions=[0.2, 0.4, 0.6])]
        shelf.primitive_poses = [Pose()]
        response.scene.world.collision_objects = [shelf]
        return response

    with robot() as node:
        node.create_service(GetPlanningScene, "get_planning_scene", on_get)
        found = planning_scene(request(tmp_path))
    assert [*found] == ["shelf"]
    assert "<size>0.2 0.4 0.6</size>" in found["shelf"].model
    assert np.allclose(pose_of(found["shelf"].model), [1.5, 0, 0, 0, 0, 0, 1])
    assert asked == [4 | 8 | 16 | 64]


def test_without_a_move_group_it_says_so(tmp_path: Path) -> None:
    pytest.importorskip("moveit_msgs.srv", reason="moveit_msgs is not installed")
    with (
        robot(),
        pytest.raises(BadInput, match=r"no node offered get_planning_scene within 0\.3 s"),
    ):
        planning_scene(request(tmp_path, wait=0.3))
