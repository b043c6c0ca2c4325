"""What a world does by itself under given forces, computed in one call of MuJoCo's `rollout`.

Its threads and its loop are in C: a step costs what MuJoCo's own calls cost, and nothing of Python.
"""

from __future__ import annotations

import mujoco as mj
import numpy as np
from mujoco import rollout

from hetwin_core.ensemble.scene.values import Floats

_PHYSICS = mj.mjtState.mjSTATE_FULLPHYSICS.value
_GIVEN = mj.mjtState.mjSTATE_QFRC_APPLIED.value | mj.mjtState.mjSTATE_EQ_ACTIVE.value
"""What `rollout` would reset unless it is given in each step."""


class RolledOut:
    """The states that follow the present one.

    Args:
        model: the world.
        data: its present state.
        forces: (n, nv) generalized forces on the joints in each step of MuJoCo.
    """

    def __init__(self, model: mj.MjModel, data: mj.MjData, forces: Floats) -> None:
        self._model, self._data = model, data
        begin = np.empty(mj.mj_stateSize(model, _PHYSICS))
        mj.mj_getState(model, data, begin, _PHYSICS)
        welds = np.broadcast_to(np.asarray(data.eq_active, np.float64), (len(forces), model.neq))
        scratch = mj.MjData(model)
        states, _ = rollout.rollout(
            model,
            scratch,
            begin[None],
            np.hstack((forces, welds))[None],
            control_spec=_GIVEN,
            initial_warmstart=np.array(data.qacc_warmstart)[None],
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
