"""The true path of the box, and the times at which it is grasped, lifted, released and put down."""

from __future__ import annotations

from dataclasses import dataclass, field

import mujoco as mj
import numpy as np
from numpy.typing import NDArray

from hetwin_stand_ins.physics import contact_forces
from hetwin_suite.model import Floats
from hetwin_tables.blocks import Block
from hetwin_tables.stand_in import OBJECT

GRASP_FORCE_N = 0.5
"""Minimum normal force of a finger in contact."""
CLEARANCE_M = 0.001
"""Height of the box's lowest point above the table beyond which it is clear."""
REST_SPEED = 0.001
"""Speed below which the box is at rest [m/s]."""
MIN_DURATION_S = 0.1
"""Minimum duration of a state; its stamp is its start."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The box at one time: pose x y z, qw qx qy qz; speed; lowest point; force of each finger on it."""

    time: float
    pose: Floats
    speed: float
    lowest: float
    left: float
    right: float


@dataclass
class PathRecorder:
    """Samples the state of the box in the stand-in's world."""

    model: mj.MjModel
    half_size: Floats
    samples: list[Sample] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._body = self.model.body(OBJECT).id
        self._is_box_geom = np.arange(self.model.ngeom) == self.model.geom(OBJECT).id
        self._dof = self.model.joint(OBJECT).dofadr[0]
        self._pads = [self.model.geom(f"{side}_finger_pad").id for side in ("left", "right")]

    def observe(self, data: mj.MjData) -> None:
        """Sample the current state."""
        rotation = data.xmat[self._body].reshape(3, 3)
        position = data.xpos[self._body]
        self.samples.append(
            Sample(
                round(float(data.time), 6),
                np.concatenate([position, data.xquat[self._body]]),
                float(np.linalg.norm(data.qvel[self._dof : self._dof + 3])),
                float(position[2] - np.abs(rotation[2]) @ self.half_size),
                *self._finger_forces(data),
            )
        )

    def _finger_forces(self, data: mj.MjData) -> tuple[float, float]:
        forces = [0.0, 0.0]
        for _, pair, force in contact_forces(self.model, data, self._is_box_geom):
            for side, pad in enumerate(self._pads):
                if pad in pair:
                    forces[side] += force
        return forces[0], forces[1]


def event_times(samples: list[Sample], table: Block, tray: Block) -> dict[str, float | None]:
    """Return the time of each event in seconds after the start; None if it did not occur.

    ``grasp``: both fingers press. ``lift_off``: the box is clear of the table while both press. ``touch_down``: after
    that, its lowest point reaches tray or table. ``release``: after lift-off, the last contact of a finger ends.
    ``put_down``: after that, it is at rest on tray or table.
    """
    time = np.array([s.time for s in samples])
    fingers = np.array([[s.left, s.right] for s in samples])
    lowest = np.array([s.lowest for s in samples])
    speed = np.array([s.speed for s in samples])
    xy = np.array([s.pose[:2] for s in samples])
    inside = np.all(np.abs(xy - tray.center[:2]) < tray.size[:2] / 2, axis=1)
    support = np.where(inside, tray.top, table.top)
    is_held = np.all(fingers > GRASP_FORCE_N, axis=1)
    is_free = np.all(fingers < 1e-6, axis=1)
    grasp = _first_start(is_held, time, 0.0)
    lift_off = _first_start((lowest > table.top + CLEARANCE_M) & is_held, time, grasp)
    touch_down = _first_start(lowest < support + CLEARANCE_M / 10, time, lift_off, steady=0.0)
    release = _first_start(is_free, time, lift_off)
    put_down = _first_start((speed < REST_SPEED) & (lowest < support + CLEARANCE_M), time, release)
    return {
        "grasp": grasp,
        "lift_off": lift_off,
        "touch_down": touch_down,
        "release": release,
        "put_down": put_down,
    }


def _first_start(
    condition: NDArray[np.bool_], time: Floats, after: float | None, steady: float = MIN_DURATION_S
) -> float | None:
    """Return the start of the first interval of `condition` after a time that lasts at least `steady` seconds."""
    if after is None:
        return None
    start: float | None = None
    for flag, current in zip(condition, time, strict=True):
        if not flag or current <= after:
            start = None
            continue
        start = float(current) if start is None else start
        if current - start >= steady - 1e-9:
            return start
    return None
