"""Saves and restores a simulation's state, and transfers it when bodies were added or removed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.engine import Unsupported
from model_nodes.main_physics.engines.mujoco.objects import Objects
from model_nodes.main_physics.engines.mujoco.options import CHANGED
from model_nodes.main_physics.engines.mujoco.sensing import Sensing
from model_nodes.main_physics.engines.mujoco.simulation import Simulation

_STATE_FLAGS = mj.mjtState.mjSTATE_INTEGRATION.value
_CHANGED = (
    "geom_surfacevel",
    "dof_armature",
    "eq_obj1id",
    "eq_data",
    "body_pos",
    "body_quat",
    *CHANGED,
)
"""Arrays of the model that change during a run, besides the collision masks."""


_PARTS = (
    "motors",
    "bases",
    "link_fidelities",
    "servo",
    "collisions",
    "kinematic",
    "depenetration",
    "attachments",
)
"""Parts of a simulation that are restored before MuJoCo's state, in this order."""


@dataclass(frozen=True, slots=True)
class SavedState:
    """State of the simulation, changed arrays of the model, and state of all parts of the engine."""

    state: Floats
    model: dict[str, Any]
    parts: dict[str, object]
    fidelities: object
    sensing: object
    released: dict[str, tuple[int, Floats]]
    periods: int


def save(sim: Simulation, objects: Objects, sensing: Sensing) -> SavedState:
    """Return the whole state of a simulation."""
    state = np.empty(mj.mj_stateSize(sim.model, _STATE_FLAGS))
    mj.mj_getState(sim.model, sim.data, state, _STATE_FLAGS)
    return SavedState(
        state=state,
        model={name: getattr(sim.model, name).copy() for name in _CHANGED},
        parts={name: getattr(sim, name).save() for name in _PARTS},
        fidelities=sim.fidelities.save(),
        sensing=sensing.save(),
        released=dict(objects.released),
        periods=sim.periods,
    )


def restore(saved: object, sim: Simulation, objects: Objects, sensing: Sensing) -> None:
    """Restore a saved state in a simulation of the same world; static bodies keep their poses in the builder's world.

    Raises:
        Unsupported: if it is not a state of this world.
    """
    if not isinstance(saved, SavedState) or len(saved.state) != mj.mj_stateSize(
        sim.model, _STATE_FLAGS
    ):
        raise Unsupported("this is not a state of this world in MuJoCo")
    for name, values in saved.model.items():
        getattr(sim.model, name)[:] = values
    sim.model.flg_surfacevel = bool(sim.model.geom_surfacevel.any())
    for name in _PARTS:
        getattr(sim, name).restore(saved.parts[name])
    objects.released = dict(saved.released)
    mj.mj_setState(sim.model, sim.data, saved.state, _STATE_FLAGS)
    sim.fidelities.restore(saved.fidelities)
    sim.periods, sim.rolled_out = saved.periods, None
    sim.contacts.clear()
    sensing.restore(saved.sensing)
    sim.dirty = True


_SIZES = {
    mj.mjtJoint.mjJNT_FREE.value: (7, 6),
    mj.mjtJoint.mjJNT_BALL.value: (4, 3),
    mj.mjtJoint.mjJNT_SLIDE.value: (1, 1),
    mj.mjtJoint.mjJNT_HINGE.value: (1, 1),
}
"""Joint type -> numbers of its positions and velocities."""


def copy_joints(before: mj.MjModel, state: mj.MjData, after: mj.MjModel, fresh: mj.MjData) -> None:
    """Copy the positions and velocities of all joints that exist in both models, matched by name."""
    for joint in range(before.njnt):
        name = before.joint(joint).name
        other = mj.mj_name2id(after, mj.mjtObj.mjOBJ_JOINT.value, name)
        if other < 0:
            continue
        positions, velocities = _SIZES[int(before.jnt_type[joint])]
        q, p = int(before.jnt_qposadr[joint]), int(after.jnt_qposadr[other])
        v, u = int(before.jnt_dofadr[joint]), int(after.jnt_dofadr[other])
        fresh.qpos[p : p + positions] = state.qpos[q : q + positions]
        fresh.qvel[u : u + velocities] = state.qvel[v : v + velocities]


_Any = TypeVar("_Any")


def carry_over(before: Simulation, after: Simulation, objects: Objects) -> None:
    """Transfer the state of a simulation to a recompiled one; the continuation is not bitwise identical.

    Args:
        before: simulation with the former bodies.
        after: simulation with the new bodies, at its start.
        objects: objects of the new simulation.
    """

    def still_free(by_name: dict[str, _Any]) -> dict[str, _Any]:
        return {name: value for name, value in by_name.items() if name in after.tables.free}

    copy_joints(before.model, before.data, after.model, after.data)
    after.data.time, after.periods = before.data.time, before.periods
    after.forces, after.rolled_out = before.forces, before.rolled_out
    after.depenetration.remarks = before.depenetration.remarks
    frames = set(after.tables.frames)
    for body in before.collisions.disabled:
        name = before.tables.frames[before.tables.body_frames[body]]
        if name in frames:
            after.collisions.set_enabled(after.tables.body_of(name), False)
    for name, value in still_free(before.kinematic.values).items():
        objects.follow(name, value)
    for name, frame in still_free(before.attachments.frames).items():
        if frame in frames:
            objects.attach(name, frame)
    after.refresh()
    levels = still_free(before.fidelities.wanted) | before.link_fidelities.levels
    for name, level in levels.items():
        objects.set_fidelity([name], level)
    after.refresh()
    for name in before.depenetration.names:
        if name in after.tables.free:
            after.depenetration.monitor(after.tables.free[name], after.seconds)
    after.place_drives()
    after.dirty = True
