"""The motion of the base from recorded transforms: the root link in the odometry frame, and that frame in the map."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import some
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.bag import Bag, Int64s, list_topics
from model_nodes.main_physics.sources.bag_types import TRANSFORMS
from model_nodes.main_physics.sources.base.pose_messages import OFF_UNIT
from model_nodes.main_physics.sources.base.recorded_poses import RecordedPoses
from model_nodes.main_physics.sources.joints_from_tf import RigidGroups, prefix_of
from model_nodes.main_physics.sources.repairs import UsageReport
from model_nodes.main_physics.sources.transforms import (
    Edge,
    TransformGraph,
    Transforms,
    composed,
    transform_topics,
)
from model_nodes.main_physics.world.description import Body, JointKind, Pose
from model_nodes.main_physics.world.transforms import pose_of

_MAX_LISTED = 12


@dataclass(frozen=True, slots=True)
class MapPoses:
    """Poses of the odometry frame in the map.

    Attributes:
        frame: name of the map frame.
        times_ns: (n,) times at which each pose became known, increasing.
        poses: (n, 7) poses x y z, qw qx qy qz.
    """

    frame: str
    times_ns: Int64s
    poses: Floats


def read_transforms(robot: Body, bag: Bag) -> tuple[RecordedPoses, MapPoses | None]:
    """Return the poses of the root link in the odometry frame, and of that frame in the map, if there is a map.

    The odometry frame is the parent of the root link, or of a frame that is fixed to it; the map is the parent of the
    odometry frame.

    Raises:
        BadInput: if no transform moves the root link.
    """
    if not transform_topics(bag):
        raise BadInput(
            f"the recording {bag.path} has no transforms",
            where="robot.base.odometry",
            found=list_topics(bag.topics.values()),
            expected=f"a topic of type {TRANSFORMS[0]}, such as /tf",
        )
    transforms = Transforms(bag)
    tree = BaseFrames(robot, transforms)
    edge = tree.odometry()
    if edge is None:
        raise tree.missing(f"the recording {bag.path}")
    times, poses = edge.table()
    poses = composed(_normalized(bag, edge, times, poses), np.array([tree.to_root(edge)]))
    found = RecordedPoses(edge.topic, times, poses, edge.parent, fault=transforms.fault)
    edge.report(found.usage, [edge.child])
    return found, _map(bag, tree, edge, found.usage)


def _map(bag: Bag, tree: BaseFrames, odometry: Edge, usage: UsageReport) -> MapPoses | None:
    edge = tree.map(odometry)
    if edge is None:
        return None
    edge.report(usage, [edge.child])
    times, poses = edge.table(when_known=True)
    poses = composed(
        _normalized(bag, edge, times, poses), np.array([tree.to_odometry(edge, odometry)])
    )
    return MapPoses(edge.parent, times, poses)


class BaseFrames:
    """The frames above a robot's root link: the odometry frame, and the map.

    Args:
        robot: the robot; links that are fixed to its root link move with it.
        transforms: the transforms known so far; static ones connect frames rigidly.
    """

    def __init__(self, robot: Body, transforms: TransformGraph) -> None:
        self._robot = robot
        self._transforms = transforms
        self._prefix = prefix_of([link.name for link in robot.links], transforms.frames)
        self._root = self._prefix + robot.links[0].name
        self._groups = RigidGroups(self._fixed_pairs())

    def odometry(self) -> Edge | None:
        """Return the transform that moves the root link; None if there is none.

        Raises:
            BadInput: if there are several.
        """
        return self._edge_above(self._root)

    def to_root(self, odometry: Edge) -> Pose:
        """Return the pose of the root link in the child frame of the odometry transform."""
        return self._groups.between(odometry.child, self._root)

    def map(self, odometry: Edge) -> Edge | None:
        """Return the transform from the map to the odometry frame; None if there is none.

        Raises:
            BadInput: if there are several.
        """
        return self._edge_above(odometry.parent) or next(
            (
                edge
                for edge in self._transforms.edges.values()
                if edge.static and edge.child == odometry.parent
            ),
            None,
        )

    def to_odometry(self, map_edge: Edge, odometry: Edge) -> Pose:
        """Return the pose of the odometry frame in the child frame of the map's transform."""
        return self._groups.between(map_edge.child, odometry.parent)

    def missing(self, origin: str) -> BadInput:
        """Return the error that no transform moves the root link; `origin` names the source of the transforms."""
        return BadInput(
            f"no transform of {origin} says how {self._root} moves",
            where="robot.base.odometry",
            found=f"frames {some(sorted(self._transforms.frames), _MAX_LISTED)}",
            expected=f"a moving transform from a frame such as odom to {self._root},"
            " or to a frame that is fixed to it",
        )

    def _edge_above(self, frame: str) -> Edge | None:
        """The transform that moves the rigid group of a frame, or None."""
        group = self._groups.group(frame)
        edges = [
            edge
            for edge in self._transforms.moving()
            if self._groups.group(edge.child) == group and self._groups.group(edge.parent) != group
        ]
        if len(edges) > 1:
            raise BadInput(
                f"several transforms say where {frame} is",
                where="robot.base.odometry",
                found=some([f"{edge.child} in {edge.parent}" for edge in edges], _MAX_LISTED),
                expected="one parent of each frame; a topic of odometry in place of tf says which counts",
            )
        return edges[0] if edges else None

    def _fixed_pairs(self) -> Iterator[tuple[str, str, Pose]]:
        poses = {link.name: link.pose for link in self._robot.links}
        for joint in self._robot.joints:
            if joint.kind is JointKind.FIXED:
                yield self._prefix + joint.parent, self._prefix + joint.child, poses[joint.child]
        for edge in self._transforms.edges.values():
            if edge.static:
                yield edge.parent, edge.child, pose_of(edge.table()[1][-1])


def _normalized(bag: Bag, edge: Edge, times: Int64s, poses: Floats) -> Floats:
    """Return (n, 7) the poses of a transform, with normalized quaternions."""
    norms = np.linalg.norm(poses[:, 3:7], axis=1)
    invalid = ~(np.isfinite(poses).all(axis=1) & (np.abs(norms - 1.0) <= OFF_UNIT))
    if invalid.any():
        first = int(np.argmax(invalid))
        raise BadInput(
            "this transform is not a pose",
            file=bag.path,
            where=f"{edge.topic}, {edge.child} in {edge.parent} at {times[first] / 1e9:.3f} s",
            found=", ".join(f"{number:g}" for number in poses[first]),
            expected="finite numbers x y z qw qx qy qz with a quaternion of norm 1",
        )
    return np.concatenate((poses[:, :3], poses[:, 3:7] / norms[:, None]), axis=1)
