"""Where the base is by recorded transforms: of the root link in odometry's frame, and of that one in the map."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Never

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.bag import Bag, Int64s, listed
from model_nodes.main_physics.sources.bag_types import TRANSFORMS
from model_nodes.main_physics.sources.base.pose_messages import OFF_UNIT
from model_nodes.main_physics.sources.base.recorded_poses import RecordedPoses
from model_nodes.main_physics.sources.joints_from_tf import prefix_of
from model_nodes.main_physics.sources.pose_arrays import composed
from model_nodes.main_physics.sources.rigid_groups import RigidGroups
from model_nodes.main_physics.sources.transforms import Edge, Transforms, transform_topics
from model_nodes.main_physics.world.description import Body, JointKind, Pose
from model_nodes.main_physics.world.transforms import pose_of

_SHOWN = 12


@dataclass(frozen=True, slots=True)
class MapPoses:
    """Poses of odometry's frame in the map.

    Attributes:
        frame: the map's.
        times_ns: (n,) when each became known, increasing.
        poses: (n, 7).
    """

    frame: str
    times_ns: Int64s
    poses: Floats


def read_transforms(robot: Body, bag: Bag) -> tuple[RecordedPoses, MapPoses | None]:
    """Return the poses of the root link in odometry's frame, and of that frame in the map, if there is one.

    Odometry's frame is the parent of the root link, or of a frame that is fixed to it; the map is the parent of that.

    Raises:
        BadInput: if the transforms do not say where the root link is.
    """
    if not transform_topics(bag):
        raise BadInput(
            f"the recording {bag.path} has no transforms",
            where="robot.base.odometry",
            found=listed(bag.topics.values()),
            expected=f"a topic of type {TRANSFORMS[0]}, such as /tf",
        )
    return _Tree(robot, Transforms(bag), bag.path).read()


class _Tree:
    """The transforms above a robot's root link."""

    def __init__(self, robot: Body, transforms: Transforms, file: Path) -> None:
        self._robot = robot
        self._transforms = transforms
        self._file = file
        self._prefix = prefix_of([link.name for link in robot.links], transforms.frames)
        self._root = self._prefix + robot.links[0].name
        self._groups = RigidGroups(self._fixed())

    def read(self) -> tuple[RecordedPoses, MapPoses | None]:
        edge = self._above(self._root)
        if edge is None:
            self._reject()
        times, poses = edge.table()
        poses = self._checked(edge, times, poses)
        to_root = np.array([self._groups.between(edge.child, self._root)])
        found = RecordedPoses(
            edge.topic,
            times,
            composed(poses, to_root),
            edge.parent,
            self._root,
            fault=self._transforms.fault,
        )
        return found, self._map(edge.parent)

    def _map(self, odometry: str) -> MapPoses | None:
        edge = self._above(odometry)
        if edge is None:
            return self._fixed_map(odometry)
        times, poses = edge.table(when_known=True)
        poses = self._checked(edge, times, poses)
        down = np.array([self._groups.between(edge.child, odometry)])
        return MapPoses(edge.parent, times, composed(poses, down))

    def _fixed_map(self, odometry: str) -> MapPoses | None:
        """The map, if odometry's frame was published as fixed to it."""
        for edge in self._transforms.edges.values():
            if edge.static and edge.child == odometry:
                _, poses = edge.table()
                return MapPoses(edge.parent, np.zeros(1, np.int64), poses[-1:])
        return None

    def _above(self, frame: str) -> Edge | None:
        """The transform that moves a frame's rigid group; None if nothing does."""
        group = self._groups.group(frame)
        edges = [
            edge
            for edge in self._transforms.moving()
            if self._groups.group(edge.child) == group and self._groups.group(edge.parent) != group
        ]
        if len(edges) > 1:
            raise BadInput(
                f"several transforms say where {frame} is",
                file=self._file,
                where=edges[0].topic,
                found=_listed([f"{edge.child} in {edge.parent}" for edge in edges]),
                expected="one parent of each frame; a topic of odometry in place of tf says which counts",
            )
        return edges[0] if edges else None

    def _fixed(self) -> Iterator[tuple[str, str, Pose]]:
        poses = {link.name: link.pose for link in self._robot.links}
        for joint in self._robot.joints:
            if joint.kind is JointKind.FIXED:
                yield self._prefix + joint.parent, self._prefix + joint.child, poses[joint.child]
        for edge in self._transforms.edges.values():
            if edge.static:
                yield edge.parent, edge.child, pose_of(edge.table()[1][-1])

    def _checked(self, edge: Edge, times: Int64s, poses: Floats) -> Floats:
        """(n, 7) the poses of a transform, with unit quaternions."""
        norms = np.linalg.norm(poses[:, 3:7], axis=1)
        wrong = ~(np.isfinite(poses).all(axis=1) & (np.abs(norms - 1.0) <= OFF_UNIT))
        if wrong.any():
            first = int(np.argmax(wrong))
            raise BadInput(
                "this transform is not a pose",
                file=self._file,
                where=f"{edge.topic}, {edge.child} in {edge.parent} at {times[first] / 1e9:.3f} s",
                found=", ".join(f"{number:g}" for number in poses[first]),
                expected="finite numbers x y z qw qx qy qz with a quaternion of norm 1",
            )
        return np.concatenate((poses[:, :3], poses[:, 3:7] / norms[:, None]), axis=1)

    def _reject(self) -> Never:
        frames = sorted(self._transforms.frames)
        raise BadInput(
            f"no transform of the recording {self._file} says how {self._root} moves",
            where="robot.base.odometry",
            found=f"frames {_listed(frames)}",
            expected=f"a moving transform from a frame such as odom to {self._root},"
            " or to a frame that is fixed to it",
        )


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _SHOWN
    return (", ".join(names[:_SHOWN]) or "none") + (f" and {more} more" if more > 0 else "")
