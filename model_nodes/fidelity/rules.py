"""The rules by which objects near a robot are raised and others lowered (paper 1, section 4.3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hetwin_suite.ensemble.fidelity import Fidelity
from hetwin_suite.ensemble.values import Floats
from hetwin_suite.model_nodes.fidelity.bounding_boxes import BoundingBoxes

_LOW, _MEDIUM, _HIGH = float(Fidelity.LOW), float(Fidelity.MEDIUM), float(Fidelity.HIGH)

MARGIN = 0.02
"""What moves raises what is nearer to it than this, unless said otherwise [m]."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When an object may be lowered.

    Attributes:
        inflation: the robot's bounding box is larger by this on every side [m].
        speed: an object slower than this is at rest [m/s].
        turn: an object that turns slower than this is at rest [rad/s].
        steps: for so many steps it must have been at rest, outside the box.
        interval: all are raised each time this has passed [s]; 0: never.
        margin: a high object that moves raises what is nearer to it than this [m]; 0: it does not.
    """

    inflation: float = 1.0
    speed: float = 0.01
    turn: float = 0.05
    steps: int = 2
    interval: float = 10.0
    margin: float = MARGIN


class NearRobotRules:
    """Levels of objects by where the robot's inflated bounding box is.

    What reaches into the box is high, at once. What is outside and has been at rest for some steps is medium;
    low if no high object reaches out of the box, so that nothing that moves can touch it. At regular intervals
    everything is high, so that nothing hangs in the air for long that would fall.

    The paper leaves what is medium still even when something pushes against it, and names that as the cause of
    its errors (section 5.1). Here a high object that moves also raises what it is about to touch, so that a push
    goes on from packet to packet.

    Attributes:
        levels: (n,) of the objects, as numbers of `Fidelity`.
    """

    def __init__(self, objects: BoundingBoxes, thresholds: Thresholds) -> None:
        self._objects, self._thresholds = objects, thresholds
        self.levels: Floats = np.full(len(objects), _HIGH)
        self._boxes: Floats = np.zeros((len(objects), 6))
        self._rested = np.zeros(len(objects), np.intp)
        self._known = np.zeros(len(objects), np.bool_)
        self._raised_at = self._looked_at = 0.0
        self._inside = 0

    def raise_all(self, time: float) -> None:
        """Everything is high until it is found to be at rest again."""
        self.levels[:] = _HIGH
        self._rested[:] = 0
        self._raised_at = self._looked_at = time

    def since(self, time: float) -> float:
        """Seconds since the last look; after as many comes the next one."""
        return max(0.0, time - self._looked_at)

    def update(self, time: float, poses: Floats, robot: Floats) -> Floats:
        """The levels at `time` [s].

        What moves is taken to be everywhere where it gets until the next look, so that nothing is raised too late.

        Args:
            time: simulated time.
            poses: (n, 13) of the objects.
            robot: (6,) lower and upper corner of the robot's bounding box, until the next look.
        """
        limits, ahead = self._thresholds, self.since(time)
        self._looked_at = time
        if limits.interval and time - self._raised_at >= limits.interval - 1e-9:
            self.raise_all(time)
        box = np.concatenate([robot[:3] - limits.inflation, robot[3:] + limits.inflation])
        high = self.levels == _HIGH
        # What is not high has not moved.
        moved = np.flatnonzero(high | ~self._known)
        self._boxes[moved] = self._objects.around(poses[moved], moved, ahead)
        self._known[:] = True
        reaches_in = self._reaches_in(box)
        self._count_rest(poses, high & ~reaches_in)
        settled = self._rested >= limits.steps
        reaches_in |= self._pushed(box, poses, high & ~settled)
        self.levels[reaches_in] = _HIGH
        is_high = reaches_in | (high & ~settled)
        self._inside = 0 if self._any_outside(box, is_high) else self._inside + 1
        self.levels[~is_high] = _LOW if self._inside >= limits.steps else _MEDIUM
        return self.levels

    def _reaches_in(self, box: Floats) -> NDArray[np.bool_]:
        boxes = self._boxes
        apart = (boxes[:, :3] > box[3:]).any(axis=1) | (boxes[:, 3:] < box[:3]).any(axis=1)
        return np.asarray(~apart)

    def _pushed(self, box: Floats, poses: Floats, high: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which of the lowered objects are near a high one that moves and reaches out of the box."""
        limits, boxes = self._thresholds, self._boxes
        pushed = np.zeros(len(boxes), np.bool_)
        if not limits.margin:
            return pushed
        near_edge = np.concatenate([box[:3] + limits.margin, box[3:] - limits.margin])
        out = ((boxes[:, :3] < near_edge[:3]) | (boxes[:, 3:] > near_edge[3:])).any(axis=1)
        movers = np.flatnonzero(high & out)
        speed = np.einsum("ij,ij->i", poses[movers, 7:10], poses[movers, 7:10])
        movers = movers[speed > limits.speed**2]
        others = np.flatnonzero(~high)
        if not len(movers) or not len(others):
            return pushed
        one, other = boxes[movers], boxes[others]
        apart = np.zeros((len(movers), len(others)), np.bool_)
        for axis in range(3):
            apart |= other[:, axis] > one[:, axis + 3, None] + limits.margin
            apart |= other[:, axis + 3] < one[:, axis, None] - limits.margin
        pushed[others] = ~apart.all(axis=0)
        return pushed

    def _any_outside(self, box: Floats, high: NDArray[np.bool_]) -> bool:
        boxes = self._boxes[high]
        return bool(((boxes[:, :3] < box[:3]) | (boxes[:, 3:] > box[3:])).any())

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
