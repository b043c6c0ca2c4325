"""Recordings with a planning scene, a map and transforms, for tests."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from rosbags.typesys import get_types_from_msg
from rosbags.typesys.store import Typestore

from hetwin_core.ensemble.topics import Encoded, Topic
from hetwin_core.episodes.bag import write_recording
from hetwin_core.episodes.messages import header
from model_nodes.main_physics.sources.bag_types import known_types

PLANNING_SCENE = "moveit_msgs/msg/PlanningScene"
GRID = "nav_msgs/msg/OccupancyGrid"
TF = "tf2_msgs/msg/TFMessage"
OBJECT_FIELDS = """\
std_msgs/Header header
geometry_msgs/Pose pose
string id
shape_msgs/SolidPrimitive[] primitives
geometry_msgs/Pose[] primitive_poses
shape_msgs/Mesh[] meshes
geometry_msgs/Pose[] mesh_poses
shape_msgs/Plane[] planes
geometry_msgs/Pose[] plane_poses
byte operation
"""
REDUCED = {
    "moveit_msgs/msg/CollisionObject": OBJECT_FIELDS,
    "moveit_msgs/msg/AttachedCollisionObject": "string link_name\nmoveit_msgs/CollisionObject object\n",
    "moveit_msgs/msg/RobotState": "moveit_msgs/AttachedCollisionObject[] attached_collision_objects\nbool is_diff\n",
    "moveit_msgs/msg/PlanningSceneWorld": "moveit_msgs/CollisionObject[] collision_objects\n",
    PLANNING_SCENE: "string name\nmoveit_msgs/RobotState robot_state\n"
    "geometry_msgs/TransformStamped[] fixed_frame_transforms\n"
    "moveit_msgs/PlanningSceneWorld world\nbool is_diff\n",
}
"""The fields that are read, under the names that MoveIt gives them."""


def types() -> Typestore:
    """Return the types of all messages here."""
    store = known_types()
    for name, text in REDUCED.items():
        if name not in store.fielddefs:
            store.register(get_types_from_msg(text, name))
    return store


def make(name: str, /, **fields: Any) -> Any:
    """Return a message of a type."""
    return types().types[name](**fields)


def pose(x: float = 0.0, y: float = 0.0, z: float = 0.0, yaw: float = 0.0) -> Any:
    """Return a geometry_msgs/msg/Pose that is turned about z [rad]."""
    turn = make(
        "geometry_msgs/msg/Quaternion",
        x=0.0,
        y=0.0,
        z=float(np.sin(yaw / 2)),
        w=float(np.cos(yaw / 2)),
    )
    return make(
        "geometry_msgs/msg/Pose",
        position=make("geometry_msgs/msg/Point", x=x, y=y, z=z),
        orientation=turn,
    )


def primitive(kind: int, *sides: float) -> Any:
    """Return a shape_msgs/msg/SolidPrimitive."""
    polygon = make("geometry_msgs/msg/Polygon", points=[])
    return make(
        "shape_msgs/msg/SolidPrimitive", type=kind, dimensions=np.array(sides), polygon=polygon
    )


def mesh(*corners: tuple[float, float, float]) -> Any:
    """Return a shape_msgs/msg/Mesh without triangles."""
    points = [make("geometry_msgs/msg/Point", x=x, y=y, z=z) for x, y, z in corners]
    return make("shape_msgs/msg/Mesh", triangles=[], vertices=points)


def collision_object(name: str, frame: str, at: Any, **shapes: Any) -> Any:
    """Return a moveit_msgs/msg/CollisionObject that is added."""
    lists = ("primitives", "primitive_poses", "meshes", "mesh_poses", "planes", "plane_poses")
    given = {key: shapes.get(key, []) for key in lists}
    return make(
        "moveit_msgs/msg/CollisionObject",
        header=header(0, frame),
        pose=at,
        id=name,
        operation=0,
        **given,
    )


def scene(*objects: Any, attached: Any = (), is_diff: bool = False) -> Any:
    """Return a moveit_msgs/msg/PlanningScene."""
    hanging = [
        make("moveit_msgs/msg/AttachedCollisionObject", link_name="hand", object=one)
        for one in attached
    ]
    state = make("moveit_msgs/msg/RobotState", attached_collision_objects=hanging, is_diff=is_diff)
    world = make("moveit_msgs/msg/PlanningSceneWorld", collision_objects=list(objects))
    return make(
        PLANNING_SCENE,
        name="",
        robot_state=state,
        fixed_frame_transforms=[],
        world=world,
        is_diff=is_diff,
    )


def grid(rows: list[str], resolution: float, frame: str, origin: Any) -> Any:
    """Return a nav_msgs/msg/OccupancyGrid; `#` is occupied, `?` not known; the first row is the uppermost."""
    values = {"#": 100, "?": -1, ".": 0}
    data = np.array([[values[cell] for cell in row] for row in reversed(rows)], np.int8)
    info = make(
        "nav_msgs/msg/MapMetaData",
        map_load_time=make("builtin_interfaces/msg/Time", sec=0, nanosec=0),
        resolution=resolution,
        width=data.shape[1],
        height=data.shape[0],
        origin=origin,
    )
    return make(GRID, header=header(0, frame), info=info, data=data.ravel())


def transform(parent: str, child: str, x: float, y: float, yaw: float = 0.0) -> Any:
    """Return a tf2_msgs/msg/TFMessage with one transform."""
    at = pose(x, y, 0.0, yaw)
    inside = make(
        "geometry_msgs/msg/Transform",
        translation=make("geometry_msgs/msg/Vector3", x=x, y=y, z=0.0),
        rotation=at.orientation,
    )
    one = make(
        "geometry_msgs/msg/TransformStamped",
        header=header(0, parent),
        child_frame_id=child,
        transform=inside,
    )
    return make(TF, transforms=[one])


def write(out: Path, messages: Mapping[str, tuple[str, list[Any]]]) -> Path:
    """Write a recording: topic -> type and messages, a millisecond apart."""
    store, rows, topics = types(), [], []
    for name, (kind, found) in messages.items():
        topic = Topic(name.removeprefix("/"), kind, "")
        topics.append(topic)
        rows += [
            Encoded(topic, 1_000_000 * (number + 1), store.serialize_cdr(one, kind))
            for number, one in enumerate(found)
        ]
    write_recording(out, sorted(rows, key=lambda row: row.time_ns), topics, store)
    return out
