"""What a world does by itself under given forces, computed in one call of MuJoCo's `rollout`.

Its loop is in C: a step costs what MuJoCo's own calls cost, and nothing of Python.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import mujoco as mj
import numpy as np
from mujoco import rollout

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.mujoco.sleep import NO_SENSORS

_PHYSICS = mj.mjtState.mjSTATE_FULLPHYSICS.value
_WHOLE = mj.mjtState.mjSTATE_INTEGRATION.value
_GIVEN = mj.mjtState.mjSTATE_QFRC_APPLIED.value | mj.mjtState.mjSTATE_EQ_ACTIVE.value
"""What `rollout` would reset unless it is given in each step."""


class RolledOut:
    """The states that follow the present one, which stays; positions and contacts in `data` are to be computed again.

    Args:
        model: the world.
        data: its present state.
        forces: (n, nv) generalized forces on the joints in each step of MuJoCo.
    """

    def __init__(self, model: mj.MjModel, data: mj.MjData, forces: Floats) -> None:
        self._model, self._data = model, data
        count = len(forces)
        begin = np.empty((1, mj.mj_stateSize(model, _PHYSICS)))
        mj.mj_getState(model, data, begin[0], _PHYSICS)
        given = np.empty((1, count, model.nv + model.neq))
        given[0, :, : model.nv], given[0, :, model.nv :] = forces, data.eq_active
        warm = np.array(data.qacc_warmstart)[None]
        states = np.empty((1, count, begin.size))
        with _as_it_is(model, data):
            # Without its checks, as only then it writes no readings of sensors, which are far more than the states.
            rollout.rollout(
                [model],
                data,
                begin,
                given,
                control_spec=_GIVEN,
                skip_checks=True,
                nstep=count,
                initial_warmstart=warm,
                state=states,
            )
        self._states: Floats = states[0]
        self._at = 0

    def go_on(self, steps: int) -> None:
        """Put the world where it is so many steps of MuJoCo later.

        Raises:
            IndexError: if so many were not computed.
        """
        self._at += steps
        mj.mj_setState(self._model, self._data, self._states[self._at - 1], _PHYSICS)

    def stepped(self, steps: int) -> None:
        """Take note of steps that the world has taken otherwise."""
        self._at += steps


@contextmanager
def _as_it_is(model: mj.MjModel, data: mj.MjData) -> Iterator[None]:
    """Let the world be stepped without sensors, and put its state back."""
    state = np.empty(mj.mj_stateSize(model, _WHOLE))
    mj.mj_getState(model, data, state, _WHOLE)
    flags = model.opt.disableflags
    model.opt.disableflags = flags | NO_SENSORS
    try:
        yield
    finally:
        model.opt.disableflags = flags
        mj.mj_setState(model, data, state, _WHOLE)
