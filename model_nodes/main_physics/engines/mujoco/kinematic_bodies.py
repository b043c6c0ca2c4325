"""Objects whose motion another model prescribes, and objects that are attached by weld constraints.

A kinematic object keeps its free joint, with enough armature that contacts do not disturb it. At the start of a step
the object has the pose of that time and its true velocity, so that it pushes and drags the bodies that it touches; at
the end of the step it is placed exactly at the pose of the new time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.scene.poses import composed, extrapolate
from hetwin_core.ensemble.scene.values import WORLD, Value
from model_nodes.main_physics.engines.mujoco.builder import weld_name
from model_nodes.main_physics.engines.mujoco.collisions import Collisions
from model_nodes.main_physics.engines.mujoco.frames import FrameReader
from model_nodes.main_physics.engines.mujoco.tables import FreeBody, Tables
from model_nodes.main_physics.engines.shared import CopiedPart

KINEMATIC_ARMATURE = 1e5


@dataclass(frozen=True, slots=True)
class _KinematicBody:
    free: FreeBody
    value: Value
    parent: int


class KinematicBodies(CopiedPart):
    """The objects that are currently kinematic.

    Attributes:
        any: whether there is any kinematic object.
    """

    saved_fields = ("_kinematic", "_inertia")

    def __init__(self, model: mj.MjModel, tables: Tables, reader: FrameReader) -> None:
        self._model = model
        self._tables = tables
        self._reader = reader
        self._armature, self._inertia = model.dof_armature.copy(), model.dof_M0.copy()
        self._kinematic: dict[str, _KinematicBody] = {}
        self._placed_ns: int | None = None
        self.any = False

    def __contains__(self, name: str) -> bool:
        return name in self._kinematic

    def make_heavier(self, free: FreeBody, factor: float) -> None:
        """Scale the inertia that an object will have when it is released."""
        self._inertia[free.velocity : free.velocity + 6] *= factor

    @property
    def values(self) -> dict[str, Value]:
        """The last prescribed value of each kinematic object."""
        return {name: body.value for name, body in self._kinematic.items()}

    @property
    def parents(self) -> dict[str, int]:
        """Object -> body in whose frame it is prescribed; 0 for the world."""
        return {name: body.parent for name, body in self._kinematic.items()}

    def follows(self, name: str, value: Value) -> bool:
        """Whether an object is already kinematic with this prescribed value."""
        body = self._kinematic.get(name)
        return body is not None and _equal(body.value, value)

    def are_at(self, time_ns: int) -> bool:
        """Whether all objects were last placed for this time, with their current values."""
        return self._placed_ns == time_ns

    def set(self, free: FreeBody, value: Value) -> bool:
        """Set the prescribed value of an object; returns whether it was free before."""
        is_new = free.name not in self._kinematic
        parent = 0 if value.parent == WORLD else self._tables.body_of(value.parent)
        if is_new:
            self._add_armature(free, KINEMATIC_ARMATURE)
        self._kinematic[free.name] = _KinematicBody(free, value, parent)
        self._placed_ns, self.any = None, True
        return is_new

    def release(self, name: str) -> None:
        """Make an object dynamic again."""
        body = self._kinematic.pop(name)
        self.any = bool(self._kinematic)
        self._add_armature(body.free, 0.0)

    def place(self, time_ns: int) -> bool:
        """Place all objects at their poses of a time; the parents' poses must already be of that time.

        Returns:
            Whether any object has moved.
        """
        moved = False
        for body in self._kinematic.values():
            moved |= self._reader.place(body.free, self._pose(body, time_ns))
        self._placed_ns = time_ns
        return moved

    def _pose(self, body: _KinematicBody, time_ns: int) -> Sequence[float]:
        if body.parent:
            return composed(self._reader.state(body.parent), body.value.data.tolist())
        value = body.value
        pose: list[float] = extrapolate(value.data, (time_ns - value.time_ns) * 1e-9).tolist()
        return pose

    def _add_armature(self, free: FreeBody, armature: float) -> None:
        # For bodies with a diagonal inertia MuJoCo reads it from dof_M0.
        dofs = slice(free.velocity, free.velocity + 6)
        self._model.dof_armature[dofs] = self._armature[dofs] + armature
        self._model.dof_M0[dofs] = self._inertia[dofs] + armature

    def restore(self, state: Any) -> None:
        """Restore a saved state; the model's arrays are restored separately."""
        super().restore(state)
        self._placed_ns = None
        self.any = bool(self._kinematic)


def _equal(first: Value, second: Value) -> bool:
    if first is second:
        return True
    same_frame = first.parent == second.parent and first.time_ns == second.time_ns
    return same_frame and np.array_equal(first.data, second.data)


class Attachments(CopiedPart):
    """The attached objects; each free body has a weld constraint for this purpose."""

    saved_fields = ("_attached",)

    def __init__(
        self, model: mj.MjModel, data: mj.MjData, tables: Tables, collisions: Collisions
    ) -> None:
        self._model, self._data, self._tables = model, data, tables
        self._collisions = collisions
        self._attached: dict[str, int] = {}

    @property
    def frames(self) -> dict[str, str]:
        """Object -> frame to which it is attached."""
        frames, body_frames = self._tables.frames, self._tables.body_frames
        return {name: frames[body_frames[body]] for name, body in self._attached.items()}

    @property
    def bodies(self) -> dict[str, int]:
        """Object -> body to which it is attached."""
        return dict(self._attached)

    def attach(self, free: FreeBody, other: int) -> None:
        """Attach an object to a body at its current relative pose; while attached, the two do not collide."""
        model, data = self._model, self._data
        weld = self._weld(free)
        inverse, position, rotation = np.zeros(4), np.zeros(3), np.zeros(4)
        mj.mju_negQuat(inverse, data.xquat[other])
        mj.mju_rotVecQuat(position, data.xpos[free.body] - data.xpos[other], inverse)
        mj.mju_mulQuat(rotation, inverse, data.xquat[free.body])
        model.eq_obj1id[weld] = other
        model.eq_data[weld, 0:3] = 0.0
        model.eq_data[weld, 3:6] = position
        model.eq_data[weld, 6:10] = rotation
        model.eq_data[weld, 10] = 1.0
        data.eq_active[weld] = 1
        self._collisions.exclude(free.body, other)
        self._attached[free.name] = other

    def detach(self, free: FreeBody) -> bool:
        """Detach an object; returns whether it was attached."""
        other = self._attached.pop(free.name, None)
        if other is None:
            return False
        self._data.eq_active[self._weld(free)] = 0
        self._collisions.include(free.body, other)
        return True

    def _weld(self, free: FreeBody) -> int:
        root = self._tables.frames[self._tables.body_frames[free.body]]
        return int(self._model.equality(weld_name(root)).id)
