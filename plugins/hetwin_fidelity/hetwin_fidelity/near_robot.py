"""Rules that raise the fidelity of objects near a robot, and lower that of others.

After Tallavajhula et al. (2019), section 4.3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hetwin_suite.engine import BoundingBoxes
from hetwin_suite.model import Fidelity, Floats

_LOW, _MEDIUM, _HIGH = float(Fidelity.LOW), float(Fidelity.MEDIUM), float(Fidelity.HIGH)

_POSE_NUMBERS = 7
"""Position and orientation of a pose, without the twist."""
MARGIN = 0.02
"""Default distance within which a moving object raises the fidelity of others [m]."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The conditions under which an object may be lowered.

    Attributes:
        inflation: enlargement of the robot's bounding box on every side [m].
        speed: maximum speed of an object at rest [m/s].
        turn: maximum angular speed of an object at rest [rad/s].
        steps: number of steps that an object must have been at rest outside the box.
        interval: time after which all objects are raised again [s]; 0: never.
        margin: distance within which a moving high object raises others [m]; 0: no others.
    """

    inflation: float = 1.0
    speed: float = 0.01
    turn: float = 0.05
    steps: int = 2
    interval: float = 10.0
    margin: float = MARGIN


class NearRobotRules:
    """Levels of objects, from their positions relative to the robot's enlarged bounding box.

    An object that reaches into the box is high at once. An object that has been at rest outside for `steps` steps is
    medium; it becomes low after as many steps without contact to a high object. At regular intervals all objects are
    raised, so that one that has lost its support does not float for long.

    In the paper, all medium objects are lowered together once no high object reaches out of the box. Here each object
    is treated individually: the far end of a pile is low even while its front is unloaded, and objects that support
    high ones stay medium.

    In the paper, medium objects do not move even if they are pushed, which the paper names as the cause of its errors
    (section 5.1). Here a moving high object also raises the objects that it is about to touch, so that a push
    propagates from packet to packet.

    An object that is not high does not move by itself, but may be moved by others. Its bounding box is recomputed
    whenever its pose changes.

    Attributes:
        levels: (n,) levels of the objects, as numbers of `Fidelity`.
    """

    def __init__(self, objects: BoundingBoxes, thresholds: Thresholds) -> None:
        self._objects, self._thresholds = objects, thresholds
        self.levels: Floats = np.full(len(objects), _HIGH)
        self._boxes: Floats = np.zeros((6, len(objects)))
        self._rested = np.zeros(len(objects), np.intp)
        self._last_poses: Floats = np.full((len(objects), _POSE_NUMBERS), np.nan)
        self._raised_at = self._updated_at = 0.0
        self._apart = np.zeros(len(objects), np.intp)

    def raise_all(self, time: float) -> None:
        """Set all objects to high until they are at rest again."""
        self.levels[:] = _HIGH
        self._rested[:] = 0
        self._raised_at = self._updated_at = time

    def since(self, time: float) -> float:
        """Return the time since the last update [s], which is also the expected time until the next one."""
        return max(0.0, time - self._updated_at)

    def update(self, time: float, poses: Floats, robot: Floats) -> Floats:
        """Update the levels, and return them.

        The boxes of moving objects cover their motion until the next update, so that no object is raised too late.

        Args:
            time: simulated time [s].
            poses: (n, 13) poses and twists of the objects in the world.
            robot: (6,) lower and upper corner of the robot's bounding box over its motion until the next update [m].
        """
        limits, ahead = self._thresholds, self.since(time)
        self._updated_at = time
        if limits.interval and time - self._raised_at >= limits.interval - 1e-9:
            self.raise_all(time)
        box = np.concatenate([robot[:3] - limits.inflation, robot[3:] + limits.inflation])
        high = self.levels == _HIGH
        self._update_boxes(poses, high, ahead)
        reaches_in = self._touching(box)
        self._count_rest(poses, high & ~reaches_in)
        settled = self._rested >= limits.steps
        reaches_in |= self._pushed(box, poses, high & ~settled)
        self.levels[reaches_in] = _HIGH
        is_high = reaches_in | (high & ~settled)
        self._apart = np.where(self._out_of_touch(is_high), self._apart + 1, 0)
        self.levels[~is_high] = np.where(self._apart[~is_high] >= limits.steps, _LOW, _MEDIUM)
        return self.levels

    def _update_boxes(self, poses: Floats, high: NDArray[np.bool_], ahead: float) -> None:
        """Update the boxes of all high objects, and of those whose pose has changed."""
        pose = poses[:, :_POSE_NUMBERS]
        outdated = np.flatnonzero(high | (pose != self._last_poses).any(axis=1))
        self._boxes[:, outdated] = self._objects.around(poses[outdated], outdated, ahead).T
        self._last_poses[outdated] = pose[outdated]

    def _touching(self, box: Floats) -> NDArray[np.bool_]:
        """Return (n,) whether each object reaches into a box."""
        apart = np.zeros(len(self.levels), np.bool_)
        for axis in range(3):
            apart |= self._boxes[axis] > box[axis + 3]
            apart |= self._boxes[axis + 3] < box[axis]
        return ~apart

    def _reaching_out(self, box: Floats) -> NDArray[np.bool_]:
        """Return (n,) whether each object reaches out of a box."""
        out = np.zeros(len(self.levels), np.bool_)
        for axis in range(3):
            out |= self._boxes[axis] < box[axis]
            out |= self._boxes[axis + 3] > box[axis + 3]
        return out

    def _pushed(self, box: Floats, poses: Floats, high: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return (n,) whether each lowered object is near a moving high one that reaches out of the box."""
        limits, boxes = self._thresholds, self._boxes
        pushed = np.zeros(len(self.levels), np.bool_)
        if not limits.margin:
            return pushed
        near_edge = np.concatenate([box[:3] + limits.margin, box[3:] - limits.margin])
        movers = np.flatnonzero(high & self._reaching_out(near_edge))
        speed = np.einsum("ij,ij->i", poses[movers, 7:10], poses[movers, 7:10])
        movers = movers[speed > limits.speed**2]
        others = np.flatnonzero(~high)
        if not len(movers) or not len(others):
            return pushed
        one, other = boxes[:, movers, None], boxes[:, others]
        apart = np.zeros((len(movers), len(others)), np.bool_)
        for axis in range(3):
            apart |= other[axis] > one[axis + 3] + limits.margin
            apart |= other[axis + 3] < one[axis] - limits.margin
        pushed[others] = ~apart.all(axis=0)
        return pushed

    def _out_of_touch(self, high: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return (n,) whether each object is separated from all high objects along some axis."""
        apart = np.zeros(len(high), np.bool_)
        for axis in range(3):
            begin, end = self._boxes[axis], self._boxes[axis + 3]
            begun = np.searchsorted(np.sort(begin[high]), end + MARGIN, "right")
            ended = np.searchsorted(np.sort(end[high]), begin - MARGIN, "left")
            apart |= begun == ended
        return apart

    def _count_rest(self, poses: Floats, watched: NDArray[np.bool_]) -> None:
        twist = poses[watched, 7:13]
        limits = self._thresholds
        slow = (np.einsum("ij,ij->i", twist[:, :3], twist[:, :3]) < limits.speed**2) & (
            np.einsum("ij,ij->i", twist[:, 3:], twist[:, 3:]) < limits.turn**2
        )
        rested = np.where(slow, self._rested[watched] + 1, 0)
        high = self.levels == _HIGH
        self._rested[high] = 0
        self._rested[watched] = rested
