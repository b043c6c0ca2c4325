"""Messages of MoveIt without its packages, and a planning scene that is changed as MoveIt's monitor changes its own.

It follows the documentation of the messages: attached objects first; an object that is attached leaves the world, one
that is detached comes back to it; ADD replaces, MOVE keeps the shapes.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from transforms3d.quaternions import qmult, rotate_vector

from hetwin_moveit.messages import ADD, MOVE, REMOVE, MessageTypes
from hetwin_suite.model import Floats, Layout


def _pose() -> Any:
    return SimpleNamespace(
        position=SimpleNamespace(x=0.0, y=0.0, z=0.0),
        orientation=SimpleNamespace(x=0.0, y=0.0, z=0.0, w=1.0),
    )


def _object() -> Any:
    lists = ("primitives", "primitive_poses", "meshes", "mesh_poses", "planes", "plane_poses")
    return SimpleNamespace(
        header=SimpleNamespace(frame_id=""),
        id="",
        operation=b"\x00",
        pose=_pose(),
        **{name: [] for name in lists},
    )


def _attached() -> Any:
    return SimpleNamespace(link_name="", object=_object(), touch_links=[], weight=0.0)


def _scene() -> Any:
    return SimpleNamespace(
        is_diff=False,
        robot_state=SimpleNamespace(is_diff=False, attached_collision_objects=[]),
        world=SimpleNamespace(collision_objects=[]),
    )


TYPES = MessageTypes(
    scene=_scene,
    object=_object,
    attached=_attached,
    primitive=lambda: SimpleNamespace(type=0, dimensions=[]),
    mesh=lambda: SimpleNamespace(vertices=[], triangles=[]),
    triangle=lambda: SimpleNamespace(vertex_indices=[]),
    plane=lambda: SimpleNamespace(coef=[]),
    pose=_pose,
    point=lambda: SimpleNamespace(x=0.0, y=0.0, z=0.0),
)


class PlanningSceneStandIn:
    """A planning scene to which differences are applied.

    Attributes:
        world: objects by name.
        attached: what hangs on links, by name.
    """

    def __init__(self) -> None:
        self.world: dict[str, Any] = {}
        self.attached: dict[str, Any] = {}

    def apply(self, scene: Any) -> None:
        """Apply a change."""
        assert scene.is_diff
        assert scene.robot_state.is_diff
        for one in scene.robot_state.attached_collision_objects:
            name = one.object.id
            if one.object.operation == bytes([REMOVE]):
                self.world[name] = self.attached.pop(name).object
            else:
                assert one.object.primitives or one.object.meshes
                self.world.pop(name, None)
                self.attached[name] = one
        for one in scene.world.collision_objects:
            match one.operation[0]:
                case operation if operation == ADD:
                    assert one.id not in self.attached
                    assert one.primitives or one.meshes or one.planes
                    self.world[one.id] = one
                case operation if operation == MOVE:
                    self.world[one.id].pose = one.pose
                    self.world[one.id].header = one.header
                case _:
                    del self.world[one.id]

    def place(self, name: str, layout: Layout, values: Floats) -> Floats:
        """Return the pose x y z, qw qx qy qz of an object in the world, for the robot's pose in a state."""
        held = self.attached.get(name)
        message = self.world[name] if held is None else held.object
        frame = values[layout.range_of(message.header.frame_id, "pose")][:7]
        p, q = message.pose.position, message.pose.orientation
        position = frame[:3] + rotate_vector([p.x, p.y, p.z], frame[3:7])
        return np.array([*position, *qmult(frame[3:7], [q.w, q.x, q.y, q.z])])
