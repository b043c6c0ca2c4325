"""Joint positions from recorded transforms, computed with the robot's kinematics."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import some
from hetwin_core.ensemble.scene.poses import roll_pitch_yaw
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.bag import Int64s
from model_nodes.main_physics.sources.joint_series import Series
from model_nodes.main_physics.sources.repairs import UsageReport
from model_nodes.main_physics.sources.transforms import (
    Edge,
    Transforms,
    composed,
    inverted,
    rotated,
)
from model_nodes.main_physics.world.description import IDENTITY, Body, Joint, JointKind, Pose
from model_nodes.main_physics.world.transforms import compose, invert, pose_of

_PLANAR = 3


def chain_of(joint: Joint, joints: Sequence[Joint]) -> list[Joint]:
    """Return the joints of a planar or floating joint, from its parent on; only the joint itself if it has one axis."""
    if not joint.whole:
        return [joint]
    return [member for member in joints if member.whole == joint.whole]


def positions_in_chain(chain: Sequence[Joint], poses: Floats) -> tuple[Floats, float, float]:
    """Return (n, axes) positions, and the maximum rotation [rad] and translation [m] that the joint cannot produce.

    Args:
        chain: the joints that make up a planar or floating joint.
        poses: (n, 7) poses of the child, relative to its pose with all positions at 0.
    """
    slides = np.array([joint.axis for joint in chain if joint.kind is JointKind.SLIDE])
    translations = poses[:, :3] @ slides.T
    if len(chain) > _PLANAR:
        return np.concatenate([translations, _unwrapped_angles(poses)], axis=1), 0.0, 0.0
    normal = np.array(chain[-1].axis)
    sines = poses[:, 4:7] @ normal
    angles = np.unwrap(2.0 * np.arctan2(sines, poses[:, 3]))
    tilt = 2.0 * np.linalg.norm(poses[:, 4:7] - sines[:, None] * normal, axis=1)
    shift = np.linalg.norm(poses[:, :3] - translations @ slides, axis=1)
    shifted = angles - 2.0 * np.pi * np.round(angles[0] / (2.0 * np.pi))
    positions = np.concatenate([translations, shifted[:, None]], axis=1)
    return positions, float(tilt.max()), float(shift.max())


def _unwrapped_angles(poses: Floats) -> Floats:
    """(n, 3) unwrapped yaw, pitch and roll, about the fixed axes z, y and x."""
    angles: Floats = np.unwrap(roll_pitch_yaw(poses[:, 3:7])[:, ::-1], axis=0)
    return angles


class RigidGroups:
    """Groups of rigidly connected frames; each frame has a pose in the first frame of its group.

    Args:
        fixed: parent, child, and the pose of the child in the parent. If several paths connect two frames, the
            shortest one is used.
    """

    def __init__(self, fixed: Iterable[tuple[str, str, Pose]]) -> None:
        self._neighbours: dict[str, list[tuple[str, Pose]]] = defaultdict(list)
        for parent, child, pose in fixed:
            self._neighbours[parent].append((child, pose))
            self._neighbours[child].append((parent, invert(pose)))
        self._poses_in_group: dict[str, tuple[str, Pose]] = {}
        for frame in list(self._neighbours):
            if frame not in self._poses_in_group:
                self._add_group(frame)

    def group(self, frame: str) -> str:
        """Return the first frame of a frame's group."""
        return self._poses_in_group.get(frame, (frame, IDENTITY))[0]

    def between(self, outer: str, inner: str) -> Pose:
        """Return the pose of `inner` in `outer`; both must be in the same group."""
        (_, to_outer), (_, to_inner) = self._pose_in_group(outer), self._pose_in_group(inner)
        return compose(invert(to_outer), to_inner)

    def _pose_in_group(self, frame: str) -> tuple[str, Pose]:
        return self._poses_in_group.get(frame, (frame, IDENTITY))

    def _add_group(self, root: str) -> None:
        self._poses_in_group[root] = root, IDENTITY
        queue = [root]
        for frame in queue:
            _, pose = self._poses_in_group[frame]
            for neighbour, step in self._neighbours[frame]:
                if neighbour not in self._poses_in_group:
                    self._poses_in_group[neighbour] = root, compose(pose, step)
                    queue.append(neighbour)


_MAX_ROTATION = 0.05
_MAX_TRANSLATION = 0.02
"""Maximum rotation [rad] and translation [m] of a link off its joint's axis; beyond them the robot is another one."""
_MAX_LISTED = 6


class TransformChain:
    """Maps the transforms of a recording to the joints of a robot.

    A joint's transform is between any two frames that are rigidly connected to its two links, by fixed joints of the
    robot, by static transforms, or by transforms of other frames that never change. Frames may have a prefix.

    Attributes:
        usage: report on the transforms that `series` has used.
    """

    def __init__(self, robot: Body, transforms: Transforms, file: Path) -> None:
        self._robot = robot
        self._transforms = transforms
        self._file = file
        self._prefix = prefix_of([link.name for link in robot.links], transforms.frames)
        self._poses = {link.name: link.pose for link in robot.links}
        self.usage = UsageReport()
        self._groups = RigidGroups(self._fixed_pairs())
        self._edges = {
            (self._groups.group(edge.parent), self._groups.group(edge.child)): edge
            for edge in transforms.edges.values()
        }

    @property
    def has_joints(self) -> bool:
        """Whether there is a transform for any joint."""
        return any(self._edge(joint) is not None for joint in self._robot.moving_joints)

    def series(self) -> list[Series]:
        """Return the positions of all joints with transforms; joints with the same stamps are in one series.

        Raises:
            BadInput: if no joint has transforms, if a joint between joints with transforms has none, or if a link is
                off its joint's axis.
        """
        edges = {j.name: edge for j in self._robot.moving_joints if (edge := self._edge(j))}
        self._check(edges)
        by_times: dict[bytes, list[tuple[Joint, Int64s, Floats, Edge]]] = {}
        for joint in self._robot.moving_joints:
            if joint.name in edges:
                edge = edges[joint.name]
                times, poses = edge.table()
                positions = self._positions(joint, edge, poses)
                by_times.setdefault(times.tobytes(), []).append((joint, times, positions, edge))
        return [self._series_of(columns) for columns in by_times.values()]

    def _series_of(self, columns: Sequence[tuple[Joint, Int64s, Floats, Edge]]) -> Series:
        positions = np.stack([positions for _, _, positions, _ in columns], axis=1)
        _, times, _, edge = columns[0]
        names = tuple(joint.name for joint, _, _, _ in columns)
        edge.report(self.usage, names, names)
        return Series(names, times, positions, np.full(positions.shape, np.nan), edge.topic)

    def _fixed_pairs(self) -> Iterator[tuple[str, str, Pose]]:
        for joint in self._robot.joints:
            if joint.kind is JointKind.FIXED:
                yield self._frame(joint.parent), self._frame(joint.child), self._poses[joint.child]
        robot_frames = {self._frame(name) for name in self._poses}
        for edge in self._transforms.edges.values():
            _, poses = edge.table()
            unknown = not {edge.parent, edge.child} <= robot_frames
            if edge.static or (unknown and np.ptp(poses, axis=0).max() < 1e-9):
                yield edge.parent, edge.child, pose_of(poses[-1])

    def _frame(self, link: str) -> str:
        return self._prefix + link

    def _end_groups(self, joint: Joint) -> tuple[str, str]:
        chain = chain_of(joint, self._robot.joints)
        parent, child = self._frame(chain[0].parent), self._frame(chain[-1].child)
        return self._groups.group(parent), self._groups.group(child)

    def _edge(self, joint: Joint) -> Edge | None:
        parent, child = self._end_groups(joint)
        return self._edges.get((parent, child)) or self._edges.get((child, parent))

    def _check(self, found: dict[str, Edge]) -> None:
        if not found:
            self._reject([j for j in self._robot.moving_joints if j.mimic is None])
        inner = [
            joint
            for joint in self._robot.moving_joints
            if joint.name not in found and joint.mimic is None and self._between(joint, found)
        ]
        if inner:
            self._reject(inner)

    def _between(self, joint: Joint, found: dict[str, Edge]) -> bool:
        """Whether joints above and below this one in the tree have transforms."""
        ancestors = {joint.parent}
        for other in reversed(self._robot.joints):
            if other.child in ancestors:
                ancestors.add(other.parent)
        descendants = {joint.child}
        for other in self._robot.joints:
            if other.parent in descendants:
                descendants.add(other.child)
        joints = [other for other in self._robot.moving_joints if other.name in found]
        return any(other.child in ancestors for other in joints) and any(
            other.parent in descendants for other in joints
        )

    def _reject(self, joints: Sequence[Joint]) -> None:
        links = dict.fromkeys(name for joint in joints for name in (joint.parent, joint.child))
        frames = self._transforms.frames
        missing = [self._frame(name) for name in links if self._frame(name) not in frames]
        first = joints[0]
        without = f"; without {some(missing, _MAX_LISTED)}" if missing else ""
        raise BadInput(
            f"the transforms do not determine the position of joint {first.name}",
            file=self._file,
            where=", ".join(sorted({e.topic for e in self._transforms.edges.values()})) or None,
            found=f"frames {some(sorted(frames), _MAX_LISTED)}{without}",
            expected=f"a transform between {self._frame(first.parent)} and "
            f"{self._frame(first.child)}, or joint states",
        )

    def _positions(self, joint: Joint, edge: Edge, poses: Floats) -> Floats:
        """Return (n,) positions of a joint [rad or m] from transforms (n, 7)."""
        chain = chain_of(joint, self._robot.joints)
        parent, child = self._frame(chain[0].parent), self._frame(chain[-1].child)
        outer, inner = edge.parent, edge.child
        if self._groups.group(outer) != self._groups.group(parent):
            poses, outer, inner = inverted(poses), inner, outer
        origin = np.array([invert(self._poses[chain[0].child])])
        poses = composed(np.array([self._groups.between(parent, outer)]), poses)
        poses = composed(poses, np.array([self._groups.between(inner, child)]))
        local = composed(origin, poses)
        if joint.whole:
            all_positions, rotation, shift = positions_in_chain(chain, local)
            positions: Floats = all_positions[:, chain.index(joint)]
        else:
            positions, rotation, shift = _along_axis(joint, local)
        if rotation > _MAX_ROTATION or shift > _MAX_TRANSLATION:
            raise BadInput(
                f"the transforms are not those of this robot: {edge.child} is off the axis of joint {joint.name}",
                file=self._file,
                where=edge.topic,
                found=f"{rotation:.3f} rad and {1e3 * shift:.1f} mm",
                expected="the URDF of the robot that was recorded",
            )
        return positions


def _along_axis(joint: Joint, poses: Floats) -> tuple[Floats, float, float]:
    """Return positions along a joint's axis, and the maximum rotation [rad] and translation [m] of the poses off it."""
    axis, anchor = np.array(joint.axis), np.array(joint.anchor)
    vectors = poses[:, 4:7]
    if joint.kind is JointKind.SLIDE:
        positions = poses[:, :3] @ axis
        rotation = 2.0 * np.linalg.norm(vectors, axis=1)
        shift = np.linalg.norm(poses[:, :3] - positions[:, None] * axis, axis=1)
        return positions, float(rotation.max()), float(shift.max())
    sines = vectors @ axis
    half = np.arctan2(sines, poses[:, 3])
    positions = np.unwrap(2.0 * half)
    positions -= 2.0 * np.pi * np.round(positions[0] / (2.0 * np.pi))
    rotation = 2.0 * np.linalg.norm(vectors - sines[:, None] * axis, axis=1)
    shift = np.linalg.norm(poses[:, :3] + rotated(poses, anchor[None]) - anchor, axis=1)
    return _shifted_into_limits(joint, positions), float(rotation.max()), float(shift.max())


def _shifted_into_limits(joint: Joint, positions: Floats) -> Floats:
    """Shift positions by whole revolutions into the joint's limits, as far as possible."""
    revolution = 2.0 * np.pi
    if joint.upper is not None and positions.max() > joint.upper + _MAX_ROTATION:
        positions = positions - revolution * np.ceil((positions.max() - joint.upper) / revolution)
    elif joint.lower is not None and positions.min() < joint.lower - _MAX_ROTATION:
        positions = positions + revolution * np.ceil((joint.lower - positions.min()) / revolution)
    return positions


def prefix_of(links: Sequence[str], frames: set[str]) -> str:
    """Return the prefix that most frames have before a link's name."""
    counts = Counter(
        frame.removesuffix(link) for frame in frames for link in links if frame.endswith(link)
    )
    if not counts:
        return ""
    return max(sorted(counts, key=len), key=lambda prefix: counts[prefix])
