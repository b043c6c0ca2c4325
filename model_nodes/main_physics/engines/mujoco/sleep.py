"""Access to MuJoCo's sleeping bodies where MuJoCo offers no function.

`mjData.tree_asleep` defines which trees sleep; every loop of MuJoCo over bodies and degrees of freedom uses lists that
are derived from it and from `mjModel.body_treeid`. Sleeping trees form cycles, and all trees of a cycle wake together.
"""

from __future__ import annotations

import mujoco as mj
import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.values import Ints
from model_nodes.main_physics.engines.mujoco.tables import BodyKind, Tables

AWAKE = -11
"""Value of `tree_asleep` for a tree that has just moved: -(1 + mjMINAWAKE)."""
NEVER = mj.mjtSleepPolicy.mjSLEEP_NEVER.value
ALLOWED = mj.mjtSleepPolicy.mjSLEEP_ALLOWED.value
MANY_SENSORS = 500
"""Number of sensors above which reading only awake frames is faster than MuJoCo's sensors (measured)."""
_ENABLE = mj.mjtEnableBit.mjENBL_SLEEP.value
NO_SENSORS = mj.mjtDisableBit.mjDSBL_SENSOR.value
"""Flag that disables MuJoCo's sensors."""
_ASLEEP, _IS_AWAKE, _STATIC = (
    state.value
    for state in (
        mj.mjtSleepState.mjS_ASLEEP,
        mj.mjtSleepState.mjS_AWAKE,
        mj.mjtSleepState.mjS_STATIC,
    )
)


def enable(model: mj.MjModel, on: bool) -> None:
    """Enable or disable sleeping.

    While sleeping is enabled, MuJoCo checks for each sensor whether its object sleeps, which takes longer than reading
    it. If there are many sensors, they are therefore disabled, and `FrameReader` reads the awake bodies.
    """
    option, no_sensors = model.opt, on and model.nsensor > MANY_SENSORS
    option.enableflags = _with(option.enableflags, _ENABLE, on)
    option.disableflags = _with(option.disableflags, NO_SENSORS, no_sensors)


def _with(flags: int, bit: int, on: bool) -> int:
    return flags | bit if on else flags & ~bit


def is_enabled(model: mj.MjModel) -> bool:
    """Whether sleeping is enabled."""
    return bool(model.opt.enableflags & _ENABLE)


def awake(data: mj.MjData) -> NDArray[np.bool_]:
    """Return (nbody,) whether a body is awake."""
    return np.asarray(data.body_awake == _IS_AWAKE)


def set_policies(model: mj.MjModel, tables: Tables, on: bool) -> None:
    """Set whether bodies at rest fall asleep automatically; robots never do."""
    if not on:
        model.tree_sleep_policy[:] = NEVER
        return
    for body in range(1, model.nbody):
        tree = model.body_treeid[body]
        if tree >= 0 and tables.body_kinds[body] is BodyKind.DRIVEN:
            model.tree_sleep_policy[tree] = NEVER


def leave_cycles(data: mj.MjData, trees: Ints) -> None:
    """Remove trees from their cycles, so that each sleeps alone."""
    asleep = data.tree_asleep
    for tree in trees[asleep[trees] >= 0].tolist():
        previous = tree
        while asleep[previous] != tree:
            previous = int(asleep[previous])
        asleep[previous] = asleep[tree]
        asleep[tree] = tree
    asleep[trees] = trees


def update(model: mj.MjModel, data: mj.MjData) -> None:
    """Update MuJoCo's lists of awake bodies and degrees of freedom, as its function mj_updateSleep does."""
    tree_awake = (data.tree_asleep < 0).astype(np.int32)
    data.tree_awake[:] = tree_awake
    data.ntree_awake = int(tree_awake.sum())
    in_tree = model.body_treeid >= 0
    body = data.body_awake
    body[:] = np.where(model.body_mocapid[model.body_rootid] >= 0, _IS_AWAKE, _STATIC)
    body[in_tree] = np.where(tree_awake[model.body_treeid[in_tree]], _IS_AWAKE, _ASLEEP)
    data.nbody_awake = _fill(data.body_awake_ind, body != _ASLEEP)
    has_awake_parent = body[model.body_parentid] != _ASLEEP
    has_awake_parent[0] = False
    data.nparent_awake = _fill(data.parent_awake_ind, has_awake_parent)
    of_dof = model.dof_bodyid
    data.nv_awake = _fill(data.dof_awake_ind, in_tree[of_dof] & (body[of_dof] == _IS_AWAKE))


def _fill(out: Ints, mask: np.ndarray) -> int:
    indices = np.flatnonzero(mask)
    out[: len(indices)] = indices
    return len(indices)
