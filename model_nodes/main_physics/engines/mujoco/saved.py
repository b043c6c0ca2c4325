"""A saved state of a simulation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.engine import Unsupported
from model_nodes.main_physics.engines.mujoco.changed_body import CHANGED
from model_nodes.main_physics.engines.mujoco.objects import Objects
from model_nodes.main_physics.engines.mujoco.sensing import Sensing
from model_nodes.main_physics.engines.mujoco.simulation import Simulation

_STATE = mj.mjtState.mjSTATE_INTEGRATION.value
_CHANGED = (
    "geom_surfacevel",
    "dof_armature",
    "eq_obj1id",
    "eq_data",
    "body_pos",
    "body_quat",
    *CHANGED,
)
"""Arrays of the model that change during a run, beside the collision bits."""


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
class Saved:
    """The state, the changed arrays of the model, and the state of all parts of the engine."""

    state: Floats
    model: dict[str, Any]
    parts: dict[str, object]
    fidelities: object
    sensing: object
    released: dict[str, tuple[int, Floats]]
    periods: int


def save(one: Simulation, objects: Objects, sensing: Sensing) -> Saved:
    """Return the whole state."""
    state = np.empty(mj.mj_stateSize(one.model, _STATE))
    mj.mj_getState(one.model, one.data, state, _STATE)
    return Saved(
        state=state,
        model={name: getattr(one.model, name).copy() for name in _CHANGED},
        parts={name: getattr(one, name).save() for name in _PARTS},
        fidelities=one.fidelities.save(),
        sensing=sensing.save(),
        released=dict(objects.released),
        periods=one.periods,
    )


def restore(saved: object, one: Simulation, objects: Objects, sensing: Sensing) -> None:
    """Bring a simulation of the same world to a saved state; what stands keeps its place in the builder's world.

    Raises:
        Unsupported: if it is not a state of this world.
    """
    if not isinstance(saved, Saved) or len(saved.state) != mj.mj_stateSize(one.model, _STATE):
        raise Unsupported("this is not a state of this world in MuJoCo")
    for name, values in saved.model.items():
        getattr(one.model, name)[:] = values
    one.model.flg_surfacevel = bool(one.model.geom_surfacevel.any())
    for name in _PARTS:
        getattr(one, name).restore(saved.parts[name])
    objects.released = dict(saved.released)
    mj.mj_setState(one.model, one.data, saved.state, _STATE)
    one.fidelities.restore(saved.fidelities)
    one.periods, one.rolled_out = saved.periods, None
    one.contacts.clear()
    sensing.restore(saved.sensing)
    one.dirty = True
