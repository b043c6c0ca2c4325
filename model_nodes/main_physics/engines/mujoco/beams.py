"""What range sensors see."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco as mj
import numpy as np

from hetwin_suite.ensemble.values import Floats
from hetwin_suite.model_nodes.main_physics.engines.engine import NOTHING_SEEN, Beam
from hetwin_suite.model_nodes.main_physics.engines.mujoco.tables import Tables


class Beams:
    """Rays from links to the nearest form, whether or not that collides; valid after the position stage."""

    def __init__(self, model: mj.MjModel, data: mj.MjData, tables: Tables) -> None:
        self._model, self._data, self._tables = model, data, tables
        self._body_of = dict(zip(tables.frames, tables.frame_bodies.tolist(), strict=True))
        self._geom = np.zeros(1, np.int32)

    def look(self, beams: Sequence[Beam], on: Sequence[bool]) -> Floats:
        """(n, 2) rows as `Engine.look`; those that are off see nothing."""
        model, data, tables, geom = self._model, self._data, self._tables, self._geom
        bodies = [self._body_of[beam.frame] for beam in beams]
        seen = np.empty((len(beams), 2))
        seen[:, 0], seen[:, 1] = [beam.reach for beam in beams], NOTHING_SEEN
        turns = data.xmat[bodies].reshape(-1, 3, 3)
        at = data.xpos[bodies] + np.einsum("nij,nj->ni", turns, np.array([b.at for b in beams]))
        along = np.einsum("nij,nj->ni", turns, np.array([b.along for b in beams]))
        for i, body in enumerate(bodies):
            if not on[i]:
                continue
            distance = mj.mj_ray(model, data, at[i], along[i], None, True, body, geom)
            if 0.0 <= distance <= beams[i].reach:
                seen[i] = distance, tables.body_frames[model.geom_bodyid[geom[0]]]
        return seen
