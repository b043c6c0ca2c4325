"""A chain of links from a robot's root to one of its links, as bare MuJoCo bodies, and its Denavit-Hartenberg table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import mujoco as mj
import numpy as np
from numpy.typing import NDArray

from hetwin_core.kinematics.chains.screws import Frame, Screws, Segment, coupling_of, free_joints

Floats = NDArray[np.float64]


class EndPose(NamedTuple):
    """Where the chain's end is, in the frame of its root.

    Attributes:
        position: (3,) [m].
        rotation: (3, 3).
    """

    position: Floats
    rotation: Floats

    @property
    def pose(self) -> Floats:
        """(7,) x y z [m], qw qx qy qz."""
        quaternion = np.empty(4)
        mj.mju_mat2Quat(quaternion, self.rotation.ravel())
        return np.concatenate((self.position, quaternion))


class Chain:
    """Forward kinematics and Jacobian of n joints.

    Args:
        segments: from the first link after the root to the chain's end.

    Attributes:
        segments: as they were given.
        joints: (n) names of those that move by themselves.
        lower, upper: (n,) limits [rad or m].
    """

    def __init__(self, segments: Sequence[Segment]) -> None:
        self.segments = tuple(segments)
        self.joints = tuple(free_joints(segments))
        self.lower, self.upper = _limits(segments)
        self._model, self._end = _compile(segments), len(segments)  # the root is body 0
        self._moving = self.moving()

    def place(self, positions: Floats) -> EndPose:
        """Return where the end is for these joint positions (n,) [rad or m]."""
        position, _ = self._moving.place(positions)
        return EndPose(position.copy(), self._moving.rotation.reshape(3, 3).copy())

    def moving(self) -> MovingEnd:
        """Return what places the end and derives its motion as fast as MuJoCo can; it overwrites what it returned."""
        return MovingEnd(self._model, self._end, *coupling_of(self.segments))

    def clipped(self, positions: Floats) -> Floats:
        """Return the positions within the limits that are nearest to these, each (n,)."""
        return np.clip(positions, self.lower, self.upper)


class MovingEnd:
    """A chain's end as MuJoCo has it, without copies.

    Args:
        model: of the chain.
        end: id of the body at its end.
        coupling, offsets: (n, k) and (n,) of joints that mimic others.

    Attributes:
        rotation: (9,) of the end, where it was placed last.
    """

    def __init__(self, model: mj.MjModel, end: int, coupling: Floats, offsets: Floats) -> None:
        self._model, self._data, self._end = model, mj.MjData(model), end
        alone = np.array_equal(coupling, np.eye(len(coupling))) and not offsets.any()
        self._coupling, self._offsets = None if alone else coupling, offsets
        self._positions, self.rotation = self._data.qpos, self._data.xmat[end]
        self._position, self._quaternion = self._data.xpos[end], self._data.xquat[end]
        self._jacobian = np.zeros((6, model.nv))
        self._linear, self._angular = self._jacobian[:3], self._jacobian[3:]

    def place(self, positions: Floats) -> tuple[Floats, Floats]:
        """Return position (3,) [m] and quaternion (4,) of the end for joint positions (k,) [rad or m]."""
        if self._coupling is not None:
            positions = self._coupling @ positions + self._offsets
        self._positions[:] = positions
        mj.mj_kinematics(self._model, self._data)
        return self._position, self._quaternion

    def jacobian(self) -> Floats:
        """(6, k) velocity and angular velocity of the end per joint velocity, where it was placed last."""
        mj.mj_comPos(self._model, self._data)
        mj.mj_jacBody(self._model, self._data, self._linear, self._angular, self._end)
        return self._jacobian if self._coupling is None else self._jacobian @ self._coupling


def _limits(segments: Sequence[Segment]) -> tuple[Floats, Floats]:
    """(n,) lower and upper limits of the joints that move by themselves, so that those that mimic them keep theirs."""
    free = free_joints(segments)
    lower, upper = np.full(len(free), -np.inf), np.full(len(free), np.inf)
    for segment in segments:
        if segment.joint and segment.multiplier != 0.0:
            i = free.index(segment.leader)
            own = (segment.lower, segment.upper)
            ends = [(end - segment.offset) / segment.multiplier for end in own]
            lower[i], upper[i] = max(lower[i], min(ends)), min(upper[i], max(ends))
    return lower, upper


def _compile(segments: Sequence[Segment]) -> mj.MjModel:
    spec = mj.MjSpec()
    body = spec.worldbody
    for i, segment in enumerate(segments):
        pose = list(segment.pose)
        body = body.add_body(name=f"{i}", pos=pose[:3], quat=pose[3:])
        # MuJoCo wants masses of what moves; kinematics does not use them.
        body.mass, body.inertia, body.explicitinertial = 1.0, [1.0, 1.0, 1.0], True
        if segment.joint:
            kind = mj.mjtJoint.mjJNT_SLIDE if segment.slides else mj.mjtJoint.mjJNT_HINGE
            body.add_joint(type=kind, axis=list(segment.axis), pos=list(segment.anchor))
    return spec.compile()


_PARALLEL = 5e-10
"""Axes with a smaller angle between them are parallel [rad]: their common normal would be too far away to be exact."""
_MEETING = 1e-12
"""Axes that are nearer than this meet [m]."""


@dataclass(frozen=True, slots=True)
class DhRow:
    """One joint: turn about z by theta, along z by d, along x by a, turn about x by alpha.

    Attributes:
        joint: its name.
        slides: whether its position is added to `d`; else to `theta`.
        alpha, theta: [rad].
        a, d: [m].
    """

    joint: str
    slides: bool
    alpha: float
    a: float
    d: float
    theta: float

    def at(self, position: float) -> Frame:
        """Return the transform over the joint at a position [rad or m]."""
        theta = self.theta + (0.0 if self.slides else position)
        d = self.d + (position if self.slides else 0.0)
        c, s = np.cos(theta), np.sin(theta)
        ca, sa = np.cos(self.alpha), np.sin(self.alpha)
        rotation = np.array([[c, -s * ca, s * sa], [s, c * ca, -c * sa], [0.0, sa, ca]])
        return Frame(np.array([self.a * c, self.a * s, d]), rotation)


class DhTable(NamedTuple):
    """A chain as rows between a transform from its root and one to its end, each (4, 4)."""

    base: Floats
    rows: tuple[DhRow, ...]
    tool: Floats

    def place(self, positions: Floats) -> Frame:
        """Return where the end is for positions (n,) of the rows' joints [rad or m]."""
        frame = Frame(self.base[:3, 3], self.base[:3, :3])
        for row, position in zip(self.rows, positions.tolist(), strict=True):
            frame = frame.before(row.at(position))
        return frame.before(Frame(self.tool[:3, 3], self.tool[:3, :3]))


def dh_table(segments: Sequence[Segment]) -> DhTable:
    """Return the table of a chain with at least one joint.

    Frame 0 is that of the first joint, the last frame turns with the last joint; neither is bound by the convention.

    Args:
        segments: from the first link after the root to the chain's end.
    """
    screws = Screws(segments)
    names = [segment.joint for segment in segments if segment.joint]
    axes = _axes(screws)
    frames = [axes[0]]
    for following in axes[1:]:
        frames.append(_on_normal(frames[-1], following))
    frames.append(frames[-1])
    rows = [
        _row(name, slides, before, after)
        for name, slides, before, after in zip(
            names, screws.slides, frames[:-1], frames[1:], strict=True
        )
    ]
    end = axes[-1].before(screws.between[-1])
    last = frames[-1].rotation.T
    tool = Frame(last @ (end.position - frames[-1].position), last @ end.rotation)
    return DhTable(frames[0].matrix, tuple(rows), tool.matrix)


def _axes(screws: Screws) -> list[Frame]:
    """The frames of the joints with all of them at 0, their axes along z."""
    frames, frame = [], Frame(np.zeros(3), np.eye(3))
    for between in screws.between[:-1]:
        frame = frame.before(between)
        frames.append(frame)
    return frames


def _on_normal(before: Frame, axis: Frame) -> Frame:
    """The frame on an axis, its x along the common normal from the axis before."""
    z, along = before.rotation[:, 2], axis.rotation[:, 2]
    way = axis.position - before.position
    across = np.cross(z, along)
    sine = float(np.linalg.norm(across))
    if sine < _PARALLEL:
        foot = axis.position - along * float(way @ along)
        normal = foot - before.position
        normal -= z * float(normal @ z)
        x = before.rotation[:, 0]
    else:
        foot = axis.position + along * float(np.cross(way, z) @ across) / sine**2
        normal = across * float(way @ across) / sine**2
        x = across / sine
    length = float(np.linalg.norm(normal))
    if length > _MEETING:
        x = normal / length
    x = x - along * float(x @ along)
    x /= np.linalg.norm(x)
    return Frame(foot, np.column_stack((x, np.cross(along, x), along)))


def _row(name: str, slides: bool, before: Frame, after: Frame) -> DhRow:
    way, (x, y, z) = after.position - before.position, before.rotation.T
    to_x, to_z = after.rotation[:, 0], after.rotation[:, 2]
    return DhRow(
        name,
        slides,
        alpha=float(np.arctan2(np.cross(z, to_z) @ to_x, z @ to_z)),
        a=float(way @ to_x),
        d=float(way @ z),
        theta=float(np.arctan2(to_x @ y, to_x @ x)),
    )
