"""Joint positions from recorded transforms, with the robot's kinematics."""

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
from model_nodes.main_physics.sources.mending import Account
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
    """Return the joints of the chain of which a joint is one, from its parent on; itself alone if it has one axis."""
    if not joint.whole:
        return [joint]
    return [one for one in joints if one.whole == joint.whole]


def positions_in_chain(chain: Sequence[Joint], poses: Floats) -> tuple[Floats, float, float]:
    """Return (n, axes) positions, and how far [rad, m] the poses are off the joint's motion at most.

    Args:
        chain: the joints of a planar or floating one.
        poses: (n, 7) of its child in the frame in which it is with all positions at 0.
    """
    slides = np.array([joint.axis for joint in chain if joint.kind is JointKind.SLIDE])
    moved = poses[:, :3] @ slides.T
    if len(chain) > _PLANAR:
        return np.concatenate([moved, _turns(poses)], axis=1), 0.0, 0.0
    normal = np.array(chain[-1].axis)
    sines = poses[:, 4:7] @ normal
    turns = np.unwrap(2.0 * np.arctan2(sines, poses[:, 3]))
    tilt = 2.0 * np.linalg.norm(poses[:, 4:7] - sines[:, None] * normal, axis=1)
    shift = np.linalg.norm(poses[:, :3] - moved @ slides, axis=1)
    nearest = turns - 2.0 * np.pi * np.round(turns[0] / (2.0 * np.pi))
    positions = np.concatenate([moved, nearest[:, None]], axis=1)
    return positions, float(tilt.max()), float(shift.max())


def _turns(poses: Floats) -> Floats:
    """(n, 3) yaw, pitch and roll, each without jumps; about the fixed axes z, y and x."""
    turns: Floats = np.unwrap(roll_pitch_yaw(poses[:, 3:7])[:, ::-1], axis=0)
    return turns


class RigidGroups:
    """Groups of frames; each frame has a pose in the first one of its group.

    Args:
        fixed: parent, child, and the pose of the child in the parent's frame. Of several ways between two frames the
            shortest one counts.
    """

    def __init__(self, fixed: Iterable[tuple[str, str, Pose]]) -> None:
        self._neighbours: dict[str, list[tuple[str, Pose]]] = defaultdict(list)
        for parent, child, pose in fixed:
            self._neighbours[parent].append((child, pose))
            self._neighbours[child].append((parent, invert(pose)))
        self._places: dict[str, tuple[str, Pose]] = {}
        for frame in list(self._neighbours):
            if frame not in self._places:
                self._spread(frame)

    def group(self, frame: str) -> str:
        """Return the first frame of a frame's group."""
        return self._places.get(frame, (frame, IDENTITY))[0]

    def between(self, outer: str, inner: str) -> Pose:
        """Return the pose of `inner` in `outer`, which are in the same group."""
        (_, to_outer), (_, to_inner) = self._place(outer), self._place(inner)
        return compose(invert(to_outer), to_inner)

    def _place(self, frame: str) -> tuple[str, Pose]:
        return self._places.get(frame, (frame, IDENTITY))

    def _spread(self, root: str) -> None:
        self._places[root] = root, IDENTITY
        waiting = [root]
        for frame in waiting:
            _, pose = self._places[frame]
            for neighbour, step in self._neighbours[frame]:
                if neighbour not in self._places:
                    self._places[neighbour] = root, compose(pose, step)
                    waiting.append(neighbour)


_MOST_TURN = 0.05
_MOST_SHIFT = 0.02
"""A link off its joint's axis by more [rad, m] is another robot's."""
_SHOWN = 6


class TransformChain:
    """Which transforms hold which joints of a robot.

    A joint's transform is between any two frames that are rigidly connected to its two links, by fixed joints of the
    robot, by static transforms, or by transforms of other frames that never change. Frames may have a prefix.

    Attributes:
        account: of the transforms of `series`.
    """

    def __init__(self, robot: Body, transforms: Transforms, file: Path) -> None:
        self._robot = robot
        self._transforms = transforms
        self._file = file
        self._prefix = prefix_of([link.name for link in robot.links], transforms.frames)
        self._poses = {link.name: link.pose for link in robot.links}
        self.account = Account()
        self._groups = RigidGroups(self._fixed())
        self._edges = {
            (self._groups.group(edge.parent), self._groups.group(edge.child)): edge
            for edge in transforms.edges.values()
        }

    @property
    def holds_joints(self) -> bool:
        """Whether there is a transform of any joint."""
        return any(self._edge(joint) is not None for joint in self._robot.moving_joints)

    def series(self) -> list[Series]:
        """Return the positions of all joints with transforms; joints with the same stamps are in one series.

        Raises:
            BadInput: if there is none, if one between others is missing, or if a link is off its joint's axis.
        """
        found = {j.name: edge for j in self._robot.moving_joints if (edge := self._edge(j))}
        self._check(found)
        together: dict[bytes, list[tuple[Joint, Int64s, Floats, Edge]]] = {}
        for joint in self._robot.moving_joints:
            if joint.name in found:
                edge = found[joint.name]
                times, poses = edge.table()
                positions = self._positions(joint, edge, poses)
                together.setdefault(times.tobytes(), []).append((joint, times, positions, edge))
        return [self._one_series(columns) for columns in together.values()]

    def _one_series(self, columns: Sequence[tuple[Joint, Int64s, Floats, Edge]]) -> Series:
        positions = np.stack([positions for _, _, positions, _ in columns], axis=1)
        _, times, _, edge = columns[0]
        names = tuple(joint.name for joint, _, _, _ in columns)
        edge.report(self.account, names, names)
        return Series(names, times, positions, np.full(positions.shape, np.nan), edge.topic)

    def _fixed(self) -> Iterator[tuple[str, str, Pose]]:
        for joint in self._robot.joints:
            if joint.kind is JointKind.FIXED:
                yield self._frame(joint.parent), self._frame(joint.child), self._poses[joint.child]
        own = {self._frame(name) for name in self._poses}
        for edge in self._transforms.edges.values():
            _, poses = edge.table()
            unknown = not {edge.parent, edge.child} <= own
            if edge.static or (unknown and np.ptp(poses, axis=0).max() < 1e-9):
                yield edge.parent, edge.child, pose_of(poses[-1])

    def _frame(self, link: str) -> str:
        return self._prefix + link

    def _ends(self, joint: Joint) -> tuple[str, str]:
        chain = chain_of(joint, self._robot.joints)
        parent, child = self._frame(chain[0].parent), self._frame(chain[-1].child)
        return self._groups.group(parent), self._groups.group(child)

    def _edge(self, joint: Joint) -> Edge | None:
        parent, child = self._ends(joint)
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
        """Whether joints before and behind this one have transforms."""
        before = {joint.parent}
        for one in reversed(self._robot.joints):
            if one.child in before:
                before.add(one.parent)
        behind = {joint.child}
        for one in self._robot.joints:
            if one.parent in behind:
                behind.add(one.child)
        joints = [one for one in self._robot.moving_joints if one.name in found]
        return any(one.child in before for one in joints) and any(
            one.parent in behind for one in joints
        )

    def _reject(self, joints: Sequence[Joint]) -> None:
        links = dict.fromkeys(name for joint in joints for name in (joint.parent, joint.child))
        frames = self._transforms.frames
        missing = [self._frame(name) for name in links if self._frame(name) not in frames]
        first = joints[0]
        without = f"; without {some(missing, _SHOWN)}" if missing else ""
        raise BadInput(
            f"the transforms do not say where joint {first.name} of the robot is",
            file=self._file,
            where=", ".join(sorted({e.topic for e in self._transforms.edges.values()})) or None,
            found=f"frames {some(sorted(frames), _SHOWN)}{without}",
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
            every, turn, shift = positions_in_chain(chain, local)
            positions: Floats = every[:, chain.index(joint)]
        else:
            positions, turn, shift = _along(joint, local)
        if turn > _MOST_TURN or shift > _MOST_SHIFT:
            raise BadInput(
                f"the transforms are not those of this robot: {edge.child} is off the axis of joint {joint.name}",
                file=self._file,
                where=edge.topic,
                found=f"{turn:.3f} rad and {1e3 * shift:.1f} mm",
                expected="the URDF of the robot that was recorded",
            )
        return positions


def _along(joint: Joint, poses: Floats) -> tuple[Floats, float, float]:
    """Return positions along a joint's axis, and how far [rad, m] the poses (n, 7) are off it at most."""
    axis, anchor = np.array(joint.axis), np.array(joint.anchor)
    vectors = poses[:, 4:7]
    if joint.kind is JointKind.SLIDE:
        positions = poses[:, :3] @ axis
        turn = 2.0 * np.linalg.norm(vectors, axis=1)
        shift = np.linalg.norm(poses[:, :3] - positions[:, None] * axis, axis=1)
        return positions, float(turn.max()), float(shift.max())
    sines = vectors @ axis
    half = np.arctan2(sines, poses[:, 3])
    positions = np.unwrap(2.0 * half)
    positions -= 2.0 * np.pi * np.round(positions[0] / (2.0 * np.pi))
    turn = 2.0 * np.linalg.norm(vectors - sines[:, None] * axis, axis=1)
    shift = np.linalg.norm(poses[:, :3] + rotated(poses, anchor[None]) - anchor, axis=1)
    return _within(joint, positions), float(turn.max()), float(shift.max())


def _within(joint: Joint, positions: Floats) -> Floats:
    """Shift by whole turns into the joint's limits, as far as they allow."""
    turn = 2.0 * np.pi
    if joint.upper is not None and positions.max() > joint.upper + _MOST_TURN:
        positions = positions - turn * np.ceil((positions.max() - joint.upper) / turn)
    elif joint.lower is not None and positions.min() < joint.lower - _MOST_TURN:
        positions = positions + turn * np.ceil((joint.lower - positions.min()) / turn)
    return positions


def prefix_of(links: Sequence[str], frames: set[str]) -> str:
    """Return the prefix that most frames have before a link's name."""
    counts = Counter(
        frame.removesuffix(link) for frame in frames for link in links if frame.endswith(link)
    )
    if not counts:
        return ""
    return max(sorted(counts, key=len), key=lambda prefix: counts[prefix])
