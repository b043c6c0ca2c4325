"""Range sensors and laser scanners, by ray casting."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.engine import NO_HIT, Rangefinder, Scanner
from model_nodes.main_physics.engines.mujoco.tables import Tables
from model_nodes.main_physics.world.description import Vector


class Rangefinders:
    """Casts rays from links to the nearest geom, whether or not it collides; valid after the position stage."""

    def __init__(self, model: mj.MjModel, data: mj.MjData, tables: Tables) -> None:
        self._model, self._data = model, data
        self._body_of = dict(zip(tables.frames, tables.frame_bodies.tolist(), strict=True))
        self._frame_of_geom = tables.body_frames[model.geom_bodyid]
        self._geom = np.zeros(1, np.int32)

    def read(self, rangefinders: Sequence[Rangefinder], on: Sequence[bool]) -> Floats:
        """Return (n, 2) rows as `Engine.read_rangefinders`; those that are off hit nothing."""
        model, data, geom = self._model, self._data, self._geom
        seen = np.empty((len(rangefinders), 2))
        seen[:, 0], seen[:, 1] = [rangefinder.reach for rangefinder in rangefinders], NO_HIT
        looking = [i for i, is_on in enumerate(on) if is_on]
        if not looking:
            return seen
        bodies = [self._body_of[rangefinders[i].frame] for i in looking]
        turns = data.xmat[bodies].reshape(-1, 3, 3)
        at = data.xpos[bodies] + _turned(turns, [rangefinders[i].at for i in looking])
        along = _turned(turns, [rangefinders[i].along for i in looking])
        for i, body, begin, way in zip(looking, bodies, at, along, strict=True):
            distance = mj.mj_ray(model, data, begin, way, None, True, body, geom)
            if 0.0 <= distance <= rangefinders[i].reach:
                seen[i] = distance, self._frame_of_geom[geom[0]]
        return seen

    def scan(self, scanner: Scanner, on: bool) -> Floats:
        """Return (n,) distances as `Engine.read_scan`."""
        count = len(scanner.along)
        if not on:
            return np.full(count, scanner.reach)
        body = self._body_of[scanner.frame]
        turn = self._data.xmat[body].reshape(3, 3)
        begin = self._data.xpos[body] + turn @ np.array(scanner.at)
        along = np.ascontiguousarray(scanner.along @ turn.T).ravel()
        geoms, distances = np.empty(count, np.int32), np.empty(count)
        mj.mj_multiRay(
            self._model,
            self._data,
            begin,
            along,
            None,
            True,
            body,
            geoms,
            distances,
            None,
            count,
            scanner.reach,
        )
        distances[(geoms < 0) | (distances > scanner.reach)] = scanner.reach
        return distances


def _turned(turns: Floats, vectors: Sequence[Vector]) -> Floats:
    turned: Floats = np.einsum("nij,nj->ni", turns, np.array(vectors))
    return turned
