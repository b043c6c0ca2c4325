"""Objects and links that are simulated with less than full fidelity (Tallavajhula et al., 2019, section 4.3).

Recompiling the world without them would take 240 ms at 1000 bodies. Instead MuJoCo treats an object of lowered
fidelity as part of the world (medium: other bodies collide with it) or as asleep without collisions (low), so that its
degrees of freedom leave every loop; switching changes a few numbers in arrays. The state that the object had at high
fidelity is stored and restored.

A robot's driven joints do not depend on fidelity. Below high fidelity the spring joint that suspends a link, such as
a plunger's, is locked; a link of low fidelity has no collisions either.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.scene.values import Fidelity, Ints
from model_nodes.main_physics.engines.mujoco import sleep
from model_nodes.main_physics.engines.mujoco.collisions import Collisions, Presence
from model_nodes.main_physics.engines.mujoco.frames import FrameReader
from model_nodes.main_physics.engines.mujoco.servo import DRIVEN_ARMATURE
from model_nodes.main_physics.engines.mujoco.tables import BodyKind, FreeBody, Tables
from model_nodes.main_physics.engines.shared import CopiedPart

_PRESENCE = {
    Fidelity.LOW: Presence.NONE,
    Fidelity.MEDIUM: Presence.STATIC,
    Fidelity.HIGH: Presence.FULL,
}


@dataclass(frozen=True, slots=True)
class _Parts:
    """Ids of the bodies, degrees of freedom and trees of some objects."""

    bodies: Ints
    dofs: Ints
    trees: Ints


class Fidelities(CopiedPart):
    """The fidelity of every free object.

    A kinematic or attached object has high fidelity until it is handed back or detached.
    """

    saved_fields = ("_wanted", "_level", "_busy", "_velocities", "_warm", "_asleep")

    def __init__(
        self,
        model: mj.MjModel,
        data: mj.MjData,
        tables: Tables,
        collisions: Collisions,
        reader: FrameReader,
    ) -> None:
        self._model, self._data, self._tables = model, data, tables
        self._collisions, self._reader = collisions, reader
        self._sleep_enabled = sleep.is_enabled(model)
        sleep.enable(model, self._sleep_enabled)
        sleep.set_policies(model, tables, self._sleep_enabled)
        self._welds, self._tree_ids = model.body_weldid.copy(), model.body_treeid.copy()
        self._dof_counts = model.body_dofnum.copy()
        self._policies = model.tree_sleep_policy.copy()
        self._parts = {name: self._parts_of(free) for name, free in tables.free.items()}
        self._wanted: dict[str, Fidelity] = {}
        self._level: dict[str, Fidelity] = {}
        self._busy: set[str] = set()
        self._velocities, self._warm = np.zeros(model.nv), np.zeros(model.nv)
        self._asleep = data.tree_asleep.copy()

    def _parts_of(self, free: FreeBody) -> _Parts:
        model = self._model
        bodies = np.array(free.members, np.int32)
        tree = int(model.body_treeid[free.body])
        first = int(model.tree_dofadr[tree])
        dofs = np.arange(first, first + model.tree_dofnum[tree], dtype=np.int32)
        return _Parts(bodies, dofs, np.array([tree], np.int32))

    @property
    def wanted(self) -> dict[str, Fidelity]:
        """The requested fidelity of each object for which it is not high."""
        return dict(self._wanted)

    def level(self, name: str) -> Fidelity:
        """The current fidelity of an object."""
        return self._level.get(name, Fidelity.HIGH)

    def set(self, names: Iterable[str], level: Fidelity) -> bool:
        """Request a fidelity of objects; returns whether anything changed."""
        chosen = list(names)
        for name in chosen:
            if level is Fidelity.HIGH:
                self._wanted.pop(name, None)
            else:
                self._wanted[name] = level
        return self._switch([n for n in chosen if n not in self._busy], level)

    def hold_high(self, name: str, on: bool) -> bool:
        """Keep an object at high fidelity despite requests, or stop doing so; returns whether its fidelity changed."""
        if on:
            self._busy.add(name)
            return self._switch([name], Fidelity.HIGH)
        self._busy.discard(name)
        return self._switch([name], self._wanted.get(name, Fidelity.HIGH))

    def _switch(self, names: Collection[str], level: Fidelity) -> bool:
        before, high = self._level, Fidelity.HIGH
        names = [name for name in names if before.get(name, high) is not level]
        if not names:
            return False
        lowered = [name for name in names if name not in before]
        if lowered:
            self._store(self._combine(lowered))
        parts = self._combine(names)
        if level is Fidelity.HIGH:
            self._restore_objects(parts)
        for name in names:
            if level is Fidelity.HIGH:
                del self._level[name]
            else:
                self._level[name] = level
        self._apply_level(parts.bodies, level)
        self._collisions.set_presence(parts.bodies, _PRESENCE[level])
        sleep.enable(self._model, self._sleep_enabled or bool(self._level))
        sleep.update(self._model, self._data)
        return True

    def _combine(self, names: Collection[str]) -> _Parts:
        parts = [self._parts[name] for name in names]
        return _Parts(
            np.concatenate([p.bodies for p in parts]),
            np.concatenate([p.dofs for p in parts]),
            np.concatenate([p.trees for p in parts]),
        )

    def _store(self, parts: _Parts) -> None:
        data, dofs, trees = self._data, parts.dofs, parts.trees
        self._velocities[dofs], self._warm[dofs] = data.qvel[dofs], data.qacc_warmstart[dofs]
        self._asleep[trees] = np.minimum(data.tree_asleep[trees], -1)
        sleep.leave_cycles(data, trees)
        self._model.tree_sleep_policy[trees] = sleep.ALLOWED
        data.qvel[dofs] = data.qacc[dofs] = data.qacc_warmstart[dofs] = 0.0
        frames = self._tables.body_frames[parts.bodies]
        self._reader.sensed[frames[frames >= 0], 7:] = 0.0

    def _restore_objects(self, parts: _Parts) -> None:
        data, dofs, trees = self._data, parts.dofs, parts.trees
        data.qvel[dofs], data.qacc_warmstart[dofs] = self._velocities[dofs], self._warm[dofs]
        data.tree_asleep[trees] = self._asleep[trees]
        self._model.tree_sleep_policy[trees] = self._policies[trees]

    def _apply_level(self, bodies: Ints, level: Fidelity) -> None:
        model = self._model
        if level is Fidelity.MEDIUM:
            model.body_weldid[bodies] = 0
            model.body_treeid[bodies] = -1
            model.body_dofnum[bodies] = 0
        else:
            model.body_weldid[bodies] = self._welds[bodies]
            model.body_treeid[bodies] = self._tree_ids[bodies]
            model.body_dofnum[bodies] = self._dof_counts[bodies]

    def save(self) -> dict[str, Any]:
        """Return the state for `restore`, beside MuJoCo's state."""
        return {**super().save(), "sleeping": self._data.tree_asleep.copy()}

    def restore(self, state: Any) -> None:
        """Restore a saved state; MuJoCo's state and the collisions must have been restored before."""
        super().restore(state)
        model, data = self._model, self._data
        model.body_weldid[:], model.body_treeid[:] = self._welds, self._tree_ids
        model.body_dofnum[:] = self._dof_counts
        model.tree_sleep_policy[:] = self._policies
        self._compute_poses()
        data.tree_asleep[:] = state["sleeping"]
        for level in (Fidelity.MEDIUM, Fidelity.LOW):
            names = [name for name, current in self._level.items() if current is level]
            if names:
                parts = self._combine(names)
                self._apply_level(parts.bodies, level)
                model.tree_sleep_policy[parts.trees] = sleep.ALLOWED
        sleep.enable(model, self._sleep_enabled or bool(self._level))
        sleep.update(model, data)

    def _compute_poses(self) -> None:
        # MuJoCo does not update sleeping bodies, so compute all poses while everything is awake.
        model, data = self._model, self._data
        data.tree_asleep[:] = sleep.AWAKE
        sleep.enable(model, False)
        sleep.update(model, data)
        mj.mj_kinematics(model, data)
        mj.mj_comPos(model, data)
        mj.mj_comVel(model, data)
        mj.mj_sensorPos(model, data)
        mj.mj_sensorVel(model, data)


class LinkFidelities(CopiedPart):
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
            self._stiffen(self._combine(lowered))
        if level is Fidelity.HIGH:
            self._loosen(self._combine(names))
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

    def _combine(self, names: Iterable[str]) -> Ints:
        return np.array([dof for name in names for dof in self._dofs[name]], np.int32)


def _dofs_of(model: mj.MjModel, body: int) -> range:
    first = int(model.body_dofadr[body])
    return range(first, first + int(model.body_dofnum[body])) if first >= 0 else range(0)
