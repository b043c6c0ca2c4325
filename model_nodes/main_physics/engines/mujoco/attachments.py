"""Attaches objects to other bodies by weld constraints."""

from __future__ import annotations

import mujoco as mj
import numpy as np

from model_nodes.main_physics.engines.copied import Copied
from model_nodes.main_physics.engines.mujoco.builder import weld_name
from model_nodes.main_physics.engines.mujoco.collisions import Collisions
from model_nodes.main_physics.engines.mujoco.tables import FreeBody, Tables


class Attachments(Copied):
    """The attached objects; each free body has a spare weld for this."""

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
        frames, of = self._tables.frames, self._tables.body_frames
        return {name: frames[of[body]] for name, body in self._attached.items()}

    @property
    def bodies(self) -> dict[str, int]:
        """Object -> body to which it is attached."""
        return dict(self._attached)

    def attach(self, free: FreeBody, other: int) -> None:
        """Attach an object to a body at its current relative pose; the two do not collide meanwhile."""
        model, data = self._model, self._data
        weld = self._weld(free)
        turn, position, rotation = np.zeros(4), np.zeros(3), np.zeros(4)
        mj.mju_negQuat(turn, data.xquat[other])
        mj.mju_rotVecQuat(position, data.xpos[free.body] - data.xpos[other], turn)
        mj.mju_mulQuat(rotation, turn, data.xquat[free.body])
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
