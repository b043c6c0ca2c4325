"""Many small balls inside fixed walls, in a separate MuJoCo instance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import mujoco as mj
import numpy as np

from hetwin_fluid.cup import Flags
from hetwin_fluid.motion import Field
from hetwin_suite.model import Floats, Plain, Shape, ShapeKind, StateError
from hetwin_suite.shapes import GEOM_TYPES

_STATE = mj.mjtState.mjSTATE_INTEGRATION.value
_WAITING = -10.0
"""Height at which unused balls are parked in a row, far below the cup [m]."""
_SHORTEST_CONTACT_TIME = 0.004
"""Time constant of contacts [s]; at least two steps."""
_SHARE_OF_RADIUS = 0.5
"""Maximum motion of a ball in one step, as a fraction of its radius ..."""
_SHORTEST_STEP = 2.5e-4
"""... limited by this minimum step [s]."""


class Kind(StrEnum):
    """How a ball is modelled."""

    POINTS = "points"
    """Point masses: three coordinates, no rotation, no friction, which is sufficient for a fluid."""
    SPHERES = "spheres"
    """Rigid bodies with rotation and friction, with the main model's contact settings."""


@dataclass(frozen=True, slots=True)
class Substance:
    """The properties of the balls.

    Attributes:
        kind: kind of balls.
        radius: radius [m].
        density: density [kg/m3].
        friction: coefficient of sliding friction; points have none.
        step: maximum time step of the physics [s].
        solver: solver of the constraints, ``cg`` or ``newton``.
        drag: rate at which motion relative to the cup decays, in addition to contacts [1/s].
    """

    kind: Kind
    radius: float
    density: float
    friction: float
    step: float
    solver: str = "cg"
    drag: float = 0.0

    @property
    def mass(self) -> float:
        """The mass of one ball [kg]."""
        return self.density * 4.0 / 3.0 * np.pi * self.radius**3


class Balls:
    """Balls that move in the frame of their walls.

    Args:
        walls: shapes with which the balls collide.
        capacity: maximum number of balls.
        substance: the balls' properties.

    Attributes:
        there: (capacity,) whether each ball exists; changed only by `place` and `remove`.
    """

    def __init__(self, walls: Sequence[Shape], capacity: int, substance: Substance) -> None:
        self.substance = substance
        self.capacity = capacity
        self._mass = substance.mass
        self._step = 0.0
        self.there: Flags = np.zeros(capacity, bool)
        spec = mj.MjSpec()
        _set_options(spec.option, substance)
        for index, wall in enumerate(walls):
            _add_wall(spec, wall, index, substance)
        for _ in range(capacity):
            _add_ball(spec.worldbody, substance)
        self._model: Any = spec.compile()
        self._data: Any = mj.MjData(self._model)
        first = len(walls)
        self._geoms = np.arange(first, first + capacity)
        positions = self._data.qpos.reshape(capacity, -1)
        velocities = self._data.qvel.reshape(capacity, -1)
        self._positions: Floats = positions[:, :3]
        self._velocities: Floats = velocities[:, :3]
        self._turning = velocities[:, 3:]
        self._push = self._data.qfrc_applied.reshape(capacity, -1)[:, :3]
        self.remove(np.arange(capacity))

    @property
    def positions(self) -> Floats:
        """(capacity, 3) positions in the walls' frame [m]; undefined for balls that do not exist."""
        return self._positions

    @property
    def velocities(self) -> Floats:
        """(capacity, 3) velocities in the walls' frame [m/s]."""
        return self._velocities

    @property
    def all_there(self) -> bool:
        """Whether all balls exist."""
        return bool(self.there.all())

    @property
    def fastest(self) -> float:
        """Largest component of all velocities [m/s]."""
        return float(np.maximum.reduce(np.abs(self._velocities), axis=None, initial=0.0))

    @property
    def time(self) -> float:
        """Simulated time since the beginning [s]."""
        return float(self._data.time)

    def place(self, which: Any, positions: Floats, velocities: Floats) -> None:
        """Add balls at (n, 3) positions [m] with velocities [m/s]."""
        self._positions[which], self._velocities[which] = positions, velocities
        self._turning[which] = 0.0
        self.there[which] = True
        self._switch(which, 1)

    def remove(self, which: Any) -> None:
        """Remove balls."""
        self.there[which] = False
        aside = np.arange(self.capacity, dtype=np.float64)[which] * 10.0 * self.substance.radius
        self._positions[which] = np.stack([aside, 0 * aside, 0 * aside + _WAITING], axis=-1)
        self._velocities[which] = 0.0
        self._turning[which] = 0.0
        self._switch(which, 0)

    def _switch(self, which: Any, bit: int) -> None:
        self._model.geom_contype[self._geoms[which]] = bit
        self._model.geom_conaffinity[self._geoms[which]] = bit

    def advance(self, seconds: float, field: Field, flying: Flags | None = None) -> Floats:
        """Advance by a time, in steps of at most `Substance.step`.

        Args:
            seconds: duration [s].
            field: acceleration that acts on all balls.
            flying: (capacity,) balls without drag.

        Returns:
            (capacity, 3) mean acceleration of each ball by contacts with walls and other balls [m/s2].
        """
        drag: Floats | float = self.substance.drag
        if flying is not None and flying.any():
            drag = np.where(flying, 0.0, drag)[:, None]
        count = self._set_step(seconds)
        mass, positions, velocities = self._mass, self._positions, self._velocities
        absent = None if self.all_there else ~self.there
        before = velocities.copy()
        felt: Floats | float = 0.0
        for _ in range(count):
            acceleration = field.at(positions, velocities)
            if absent is not None:
                acceleration[absent] = 0.0
            felt = felt + acceleration
            np.multiply(acceleration - drag * velocities, mass, out=self._push)
            mj.mj_step(self._model, self._data)
        found: Floats = (velocities - before) / seconds
        found -= felt / count
        return found

    def save(self) -> dict[str, Plain]:
        """Return which balls exist, and the full state of their physics."""
        state = np.empty(mj.mj_stateSize(self._model, _STATE))
        mj.mj_getState(self._model, self._data, state, _STATE)
        return {"there": self.there.copy(), "step": self._step, "physics": state}

    def restore(self, saved: Plain) -> None:
        """Continue from a saved state of equally many balls.

        Raises:
            StateError: if the state is malformed, or of another number of balls.
        """
        found = saved if isinstance(saved, dict) else {}
        there, step, state = found.get("there"), found.get("step"), found.get("physics")
        if not isinstance(there, np.ndarray) or not isinstance(state, np.ndarray):
            raise StateError("this is no state of balls")
        sizes = self.capacity, mj.mj_stateSize(self._model, _STATE)
        if (there.size, state.size) != sizes or not isinstance(step, float):
            raise StateError(f"{there.size} balls were saved; here are {self.capacity}")
        self.there = there.astype(bool)
        self._switch(np.arange(self.capacity), 0)
        self._switch(np.flatnonzero(self.there), 1)
        if step:
            self._use_step(step)
        mj.mj_setState(self._model, self._data, state, _STATE)

    def _set_step(self, seconds: float) -> int:
        """Set the step and return the number of steps: more if balls are fast enough to pass through a wall."""
        share = _SHARE_OF_RADIUS * self.substance.radius
        step = min(self.substance.step, share / max(self.fastest, 1e-9))
        count = max(1, math.ceil(seconds / max(step, _SHORTEST_STEP) - 1e-9))
        if seconds / count != self._step:
            self._use_step(seconds / count)
        return count

    def _use_step(self, step: float) -> None:
        self._step = self._model.opt.timestep = step
        self._model.geom_solref[:, 0] = max(_SHORTEST_CONTACT_TIME, 2 * step)

    def free_places(self, points: Floats) -> Flags:
        """Return (n,) whether a ball at each point (n, 3) would touch no wall; requires that no ball exists yet."""
        free = np.zeros(len(points), bool)
        self._switch(0, 1)
        for i, point in enumerate(points):
            self._positions[0] = point
            mj.mj_kinematics(self._model, self._data)
            mj.mj_collision(self._model, self._data)
            free[i] = self._data.ncon == 0
        self.remove(0)
        return free


def _set_options(option: Any, substance: Substance) -> None:
    option.timestep = substance.step
    option.gravity = (0.0, 0.0, 0.0)  # part of the field
    option.solver = mj.mjtSolver.mjSOL_CG if substance.solver == "cg" else mj.mjtSolver.mjSOL_NEWTON
    if substance.kind is Kind.SPHERES:
        option.integrator = mj.mjtIntegrator.mjINT_IMPLICITFAST
        option.cone = mj.mjtCone.mjCONE_ELLIPTIC
        option.impratio = 10.0
        option.noslip_iterations = 3


def _add_wall(spec: Any, wall: Shape, index: int, substance: Substance) -> None:
    geom = spec.worldbody.add_geom(
        type=GEOM_TYPES[wall.kind], size=_half(wall), pos=wall.pose[:3], quat=wall.pose[3:7]
    )
    _set_contact(geom, substance)
    if wall.vertices is not None and wall.faces is not None:
        mesh = spec.add_mesh(name=f"wall {index}")
        mesh.uservert, mesh.userface = wall.vertices.ravel(), wall.faces.ravel()
        mesh.inertia = mj.mjtMeshInertia.mjMESH_INERTIA_CONVEX
        geom.meshname = mesh.name


def _add_ball(world: Any, substance: Substance) -> None:
    body = world.add_body()
    if substance.kind is Kind.SPHERES:
        body.add_freejoint()
    else:
        for axis in np.eye(3):
            body.add_joint(type=mj.mjtJoint.mjJNT_SLIDE, axis=axis)
    geom = body.add_geom(
        type=mj.mjtGeom.mjGEOM_SPHERE,
        size=[substance.radius, 0.0, 0.0],
        density=substance.density,
    )
    _set_contact(geom, substance)


def _set_contact(geom: Any, substance: Substance) -> None:
    geom.condim = 4 if substance.kind is Kind.SPHERES else 1
    geom.friction = [substance.friction, 0.005, 0.0001]
    geom.solref = [max(_SHORTEST_CONTACT_TIME, 2 * substance.step), 1.0]
    geom.solimp[:3] = [0.95, 0.99, 0.001]


def _half(wall: Shape) -> list[float]:
    """Return the size of a shape in MuJoCo's convention, half lengths."""
    size = [float(x) for x in wall.size]
    match wall.kind:
        case ShapeKind.BOX:
            return [x / 2 for x in size]
        case ShapeKind.CYLINDER | ShapeKind.CAPSULE:
            return [size[0], size[1] / 2, 0.0]
        case ShapeKind.SPHERE:
            return [size[0], 0.0, 0.0]
        case ShapeKind.ELLIPSOID:
            return size
        case _:
            return [0.0, 0.0, 0.0]
