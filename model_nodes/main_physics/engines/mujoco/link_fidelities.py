"""Links of robots that are simulated with less than full fidelity.

After Tallavajhula et al. (2019), section 4.3: plungers in arm.

A robot's driven joints do not depend on fidelity. Below high, the spring joint that suspends a link is locked; a
low link has no collisions either.
"""

from __future__ import annotations

from collections.abc import Iterable

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.scene.fidelity import Fidelity
from hetwin_core.ensemble.scene.values import Ints
from model_nodes.main_physics.engines.copied import Copied
from model_nodes.main_physics.engines.mujoco.collisions import Collisions, Presence
from model_nodes.main_physics.engines.mujoco.servo import DRIVEN_ARMATURE
from model_nodes.main_physics.engines.mujoco.tables import BodyKind, Tables


class LinkFidelities(Copied):
    """The fidelity of every link of the robots."""

    saved_fields = ("_level", "_velocities")

    def __init__(
        self, model: mj.MjModel, data: mj.MjData, tables: Tables, collisions: Collisions
    ) -> None:
        self._model, self._data, self._collisions = model, data, collisions
        self._armature = model.dof_armature.copy()
        self._velocities = np.zeros(model.nv)
        self._bodies = {
            tables.frames[tables.body_frames[body]]: body
            for body in range(1, model.nbody)
            if tables.body_kinds[body] is BodyKind.DRIVEN and tables.body_frames[body] >= 0
        }
        sprung = set(tables.joint_velocities[len(tables.driven) :].tolist())
        self._dofs = {
            name: [dof for dof in _dofs_of(model, body) if dof in sprung]
            for name, body in self._bodies.items()
        }
        self._level: dict[str, Fidelity] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._bodies

    @property
    def levels(self) -> dict[str, Fidelity]:
        """The fidelity of each link that is not high."""
        return dict(self._level)

    def level(self, name: str) -> Fidelity:
        """The fidelity of a link."""
        return self._level.get(name, Fidelity.HIGH)

    def set(self, names: Iterable[str], level: Fidelity) -> bool:
        """Set the fidelity of links; returns whether anything changed."""
        names = [name for name in names if self.level(name) is not level]
        if not names:
            return False
        lowered = [name for name in names if name not in self._level]
        if lowered:
            self._stiffen(self._together(lowered))
        if level is Fidelity.HIGH:
            self._loosen(self._together(names))
        for name in names:
            self._level[name] = level
            if level is Fidelity.HIGH:
                del self._level[name]
        presence = Presence.NONE if level is Fidelity.LOW else Presence.FULL
        for name in names:
            self._collisions.set_link_presence(self._bodies[name], presence)
        return True

    def _stiffen(self, dofs: Ints) -> None:
        self._velocities[dofs] = self._data.qvel[dofs]
        self._data.qvel[dofs] = 0.0
        self._model.dof_armature[dofs] = self._armature[dofs] + DRIVEN_ARMATURE

    def _loosen(self, dofs: Ints) -> None:
        self._data.qvel[dofs] = self._velocities[dofs]
        self._model.dof_armature[dofs] = self._armature[dofs]

    def _together(self, names: Iterable[str]) -> Ints:
        return np.array([dof for name in names for dof in self._dofs[name]], np.int32)


def _dofs_of(model: mj.MjModel, body: int) -> range:
    first = int(model.body_dofadr[body])
    return range(first, first + int(model.body_dofnum[body])) if first >= 0 else range(0)
