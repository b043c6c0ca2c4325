"""Objects that move as another model says.

A led object keeps its free body, made so heavy that nothing holds it back. At the start of a step it is at
the pose of that time with its true velocity, so that it pushes and drags what it touches; at the end it is
put exactly at the pose of that time.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco as mj

from hetwin_core.ensemble.scene.poses import compose, extrapolate
from hetwin_core.ensemble.scene.values import WORLD, Floats, Value
from model_nodes.main_physics.engines.mujoco.frames import FrameReader
from model_nodes.main_physics.engines.mujoco.tables import FreeBody, Tables

LED_ARMATURE = 1e5


@dataclass(slots=True)
class _Led:
    free: FreeBody
    value: Value
    parent: int


class LedObjects:
    """The objects that are led at the moment."""

    def __init__(self, model: mj.MjModel, tables: Tables, reader: FrameReader) -> None:
        self._model = model
        self._tables = tables
        self._reader = reader
        self._armature, self._inertia = model.dof_armature.copy(), model.dof_M0.copy()
        self._led: dict[str, _Led] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._led

    @property
    def any(self) -> bool:
        """Whether there are any."""
        return bool(self._led)

    @property
    def values(self) -> dict[str, Value]:
        """The last value of each."""
        return {name: led.value for name, led in self._led.items()}

    def set(self, free: FreeBody, value: Value) -> bool:
        """Lead an object by a new value; answers whether it has been free until now."""
        is_new = free.name not in self._led
        parent = 0 if value.parent == WORLD else self._tables.body_of(value.parent)
        if is_new:
            self._load(free, LED_ARMATURE)
        self._led[free.name] = _Led(free, value, parent)
        return is_new

    def free(self, name: str) -> None:
        """Stop leading an object."""
        led = self._led.pop(name)
        self._load(led.free, 0.0)

    def place(self, time_ns: int) -> bool:
        """Put all at their pose of that time; the parents' poses must be of that time too.

        Answers whether any has moved.
        """
        moved = False
        for led in self._led.values():
            moved |= self._reader.place(led.free, self._pose(led, time_ns))
        return moved

    def _pose(self, led: _Led, time_ns: int) -> Floats:
        if led.parent:
            return compose(self._reader.one(led.parent), led.value.data)
        return extrapolate(led.value.data, (time_ns - led.value.time_ns) * 1e-9)

    def _load(self, free: FreeBody, armature: float) -> None:
        # MuJoCo takes the inertia of bodies with a diagonal one from dof_M0.
        dofs = slice(free.velocity, free.velocity + 6)
        self._model.dof_armature[dofs] = self._armature[dofs] + armature
        self._model.dof_M0[dofs] = self._inertia[dofs] + armature

    def save(self) -> object:
        """What `restore` needs; the model's arrays are not in it."""
        return {n: _Led(led.free, led.value, led.parent) for n, led in self._led.items()}

    def restore(self, state: object) -> None:
        """Go back to what `save` gave."""
        assert isinstance(state, dict)
        self._led = {n: _Led(led.free, led.value, led.parent) for n, led in state.items()}
