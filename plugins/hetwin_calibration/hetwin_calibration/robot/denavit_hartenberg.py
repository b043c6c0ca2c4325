"""Denavit-Hartenberg table of a chain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hetwin_suite.model import Floats
from hetwin_suite.robot import Frame, Screws, Segment

_PARALLEL = 5e-10
"""Maximum angle between axes that count as parallel [rad]; the common normal of almost parallel axes is inexact."""
_MEETING = 1e-12
"""Maximum distance of intersecting axes [m]."""


@dataclass(frozen=True, slots=True)
class DhRow:
    """One joint: rotation about z by theta, translation along z by d and along x by a, rotation about x by alpha.

    Attributes:
        joint: name of the joint.
        slides: whether the joint's position is added to `d`; else to `theta`.
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
        """Return the transform from the frame before the joint to that after it, at a position [rad or m]."""
        theta = self.theta + (0.0 if self.slides else position)
        d = self.d + (position if self.slides else 0.0)
        c, s = np.cos(theta), np.sin(theta)
        ca, sa = np.cos(self.alpha), np.sin(self.alpha)
        rotation = np.array([[c, -s * ca, s * sa], [s, c * ca, -c * sa], [0.0, sa, ca]])
        return Frame(np.array([self.a * c, self.a * s, d]), rotation)


class DhTable(NamedTuple):
    """A chain: transform (4, 4) from its root to frame 0, rows, and transform (4, 4) from the last frame to its end."""

    base: Floats
    rows: tuple[DhRow, ...]
    tool: Floats

    def place(self, positions: Floats) -> Frame:
        """Return the pose of the end for positions (n,) of the rows' joints [rad or m]."""
        frame = Frame(self.base[:3, 3], self.base[:3, :3])
        for row, position in zip(self.rows, positions.tolist(), strict=True):
            frame = frame.before(row.at(position))
        return frame.before(Frame(self.tool[:3, 3], self.tool[:3, :3]))


def dh_table(segments: Sequence[Segment]) -> DhTable:
    """Return the table of a chain with at least one joint.

    The convention leaves the first and the last frame open: here frame 0 is that of the first joint, and the last
    frame has the axes of the last joint and moves with it.

    Args:
        segments: segments from the first link after the root to the chain's end.
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
    """Return the frames of the joints at position 0, with their axes along z."""
    frames, frame = [], Frame(np.zeros(3), np.eye(3))
    for between in screws.between[:-1]:
        frame = frame.before(between)
        frames.append(frame)
    return frames


def _on_normal(before: Frame, axis: Frame) -> Frame:
    """Return the frame on an axis with x along the common normal from the previous axis."""
    z, along = before.rotation[:, 2], axis.rotation[:, 2]
    offset = axis.position - before.position
    across = np.cross(z, along)
    sine = float(np.linalg.norm(across))
    if sine < _PARALLEL:
        foot = axis.position - along * float(offset @ along)
        normal = foot - before.position
        normal -= z * float(normal @ z)
        x = before.rotation[:, 0]
    else:
        foot = axis.position + along * float(np.cross(offset, z) @ across) / sine**2
        normal = across * float(offset @ across) / sine**2
        x = across / sine
    length = float(np.linalg.norm(normal))
    if length > _MEETING:
        x = normal / length
    x = x - along * float(x @ along)
    x /= np.linalg.norm(x)
    return Frame(foot, np.column_stack((x, np.cross(along, x), along)))


def _row(name: str, slides: bool, before: Frame, after: Frame) -> DhRow:
    offset, (x, y, z) = after.position - before.position, before.rotation.T
    to_x, to_z = after.rotation[:, 0], after.rotation[:, 2]
    return DhRow(
        name,
        slides,
        alpha=float(np.arctan2(np.cross(z, to_z) @ to_x, z @ to_z)),
        a=float(offset @ to_x),
        d=float(offset @ z),
        theta=float(np.arctan2(to_x @ y, to_x @ x)),
    )
