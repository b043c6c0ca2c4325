"""Records the true path of an object in the world and in the palm, and its contacts."""

from __future__ import annotations

from dataclasses import dataclass, field

import mujoco as mj
import numpy as np
from numpy.typing import NDArray

from hetwin_bauer2022.two_hands.joints import PALM
from hetwin_stand_ins.physics import contact_forces
from hetwin_suite.model import Floats

TOUCH_N = 0.02
"""Minimum normal force of a contact [N]."""
GAP_S = 0.03
"""Interruptions of a contact shorter than this are ignored [s]."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The state of an object at one time.

    Attributes:
        time: simulated time [s].
        pose: x y z, qw qx qy qz in the world.
        in_palm: x y z, qw qx qy qz in the palm's frame.
        fingers: (4,) normal force on it of each finger of the right hand [N].
        others: sum of the normal forces of all other bodies on it [N].
        heights: (4,) height of each finger's contact above the object's origin, along the world's z [m]; NaN for
            fingers without contact.
    """

    time: float
    pose: Floats
    in_palm: Floats
    fingers: Floats
    others: float
    heights: Floats = field(default_factory=lambda: np.full(4, np.nan))


@dataclass
class PathRecorder:
    """Samples the state of an object in the stand-in's world.

    Args:
        model: the world.
        thing: name of the object's body.
    """

    model: mj.MjModel
    thing: str
    samples: list[Sample] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._body = self.model.body(self.thing).id
        self._palm = self.model.body(PALM).id
        bodies = self.model.geom_bodyid
        self._is_object_geom = bodies == self._body
        self._finger_of_geom = np.full(self.model.ngeom, -1)
        for geom in range(self.model.ngeom):
            name = self.model.body(bodies[geom]).name
            if name.startswith("right_hand_finger_"):
                self._finger_of_geom[geom] = int(name.split("_")[3]) - 1

    def observe(self, time: float, data: mj.MjData) -> None:
        """Sample the current state."""
        pose = np.concatenate([data.xpos[self._body], data.xquat[self._body]])
        in_palm = self._in_palm(data, pose)
        self.samples.append(Sample(round(time, 6), pose, in_palm, *self._contacts(data, pose)))

    def _in_palm(self, data: mj.MjData, pose: Floats) -> Floats:
        rotation = data.xmat[self._palm].reshape(3, 3)
        inverse, relative = np.zeros(4), np.zeros(4)
        mj.mju_negQuat(inverse, data.xquat[self._palm])
        mj.mju_mulQuat(relative, inverse, pose[3:])
        return np.concatenate([rotation.T @ (pose[:3] - data.xpos[self._palm]), relative])

    def _contacts(self, data: mj.MjData, pose: Floats) -> tuple[Floats, float, Floats]:
        """Return the fingers' forces, the sum of all others, and the fingers' heights; see `Sample`."""
        fingers, others, moments = np.zeros(4), 0.0, np.zeros(4)
        for index, pair, force in contact_forces(self.model, data, self._is_object_geom):
            finger = int(self._finger_of_geom[pair].max())
            if finger >= 0:
                fingers[finger] += force
                moments[finger] += force * (data.contact.pos[index, 2] - pose[2])
            else:
                others += force
        heights = np.full(4, np.nan)
        np.divide(moments, fingers, out=heights, where=fingers > TOUCH_N)
        return fingers, others, heights


def contact_heights(samples: list[Sample], time: float) -> list[float | None]:
    """Return the height of each finger's contact above the object's origin at a time [m]; None without contact."""
    heights = next(s for s in reversed(samples) if s.time <= time).heights
    return [None if np.isnan(height) else round(float(height), 5) for height in heights]


def intervals(samples: list[Sample], flags: NDArray[np.bool_]) -> list[tuple[float, float]]:
    """Return start and end [s] of the intervals in which `flags` (one per sample) holds."""
    spans: list[tuple[float, float]] = []
    for sample, flag in zip(samples, flags, strict=True):
        if not flag:
            continue
        if spans and sample.time - spans[-1][1] <= GAP_S:
            spans[-1] = (spans[-1][0], sample.time)
        else:
            spans.append((sample.time, sample.time))
    return spans


def touch_mask(samples: list[Sample]) -> NDArray[np.bool_]:
    """Return (n,) whether any finger touches the object."""
    return np.array([bool(np.any(s.fingers > TOUCH_N)) for s in samples])


def hold_mask(samples: list[Sample]) -> NDArray[np.bool_]:
    """Return (n,) whether fingers on both sides of the hand press on the object."""
    return np.array(
        [s.fingers[:2].max() > TOUCH_N and s.fingers[2:].max() > TOUCH_N for s in samples]
    )
