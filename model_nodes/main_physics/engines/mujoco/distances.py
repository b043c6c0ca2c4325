"""Smallest distances between bodies, from those between their geoms."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.mujoco.tables import Tables

_MARGIN = 0.05
_SPARE_SPEED = 1.0
"""Added to the current speeds, to allow for acceleration [m/s]."""
_COINCIDENT = 1e-9


@dataclass(frozen=True, slots=True)
class Nearest:
    """The nearest points of two bodies.

    Attributes:
        distance: [m], negative for a penetration.
        point: on the other body.
        normal: unit vector from the other body to the body.
    """

    distance: float
    point: tuple[float, float, float]
    normal: tuple[float, float, float]


class Pairs:
    """The pairs of geoms of some bodies with all others.

    The candidates that may come within reach are determined anew only when something can have moved by `_MARGIN`
    since, judging by the speeds; and each candidate is skipped for as long as the two need to come within reach.
    """

    def __init__(
        self,
        model: mj.MjModel,
        data: mj.MjData,
        tables: Tables,
        bodies: Iterable[int],
        reach: float,
    ) -> None:
        self._model, self._data = model, data
        self._reach = reach
        self._xpos = data.geom_xpos
        self._segment = np.zeros(6)
        pairs = _pairs(model, tables, list(bodies))
        planes = model.geom_type == mj.mjtGeom.mjGEOM_PLANE.value
        # Planes have no bounding sphere; there are few.
        self._flat = [pair for pair in pairs if planes[pair[1]]]
        self._round = np.array([p for p in pairs if not planes[p[1]]], np.int32).reshape(-1, 2)
        radii = model.geom_rbound
        around = radii[self._round[:, 0]] + radii[self._round[:, 1]] + reach + _MARGIN
        self._around = around * around
        self._body: list[int] = model.geom_bodyid.tolist()
        self._near: list[tuple[int, int]] = []
        self._apart_until: list[float] = []
        self._closing = 1.0
        self._until = -np.inf
        self._cvel = data.cvel

    def forget(self) -> None:
        """Determine the candidates anew, since something moved discontinuously."""
        self._until = -np.inf

    def nearest(self) -> dict[tuple[int, int], Nearest]:
        """Return (body, other) -> nearest points, for all pairs of bodies within reach."""
        now, reach = self._data.time, self._reach
        if now >= self._until:
            self._find_candidates()
        best: dict[tuple[int, int], tuple[float, Floats]] = {}
        for i, until in enumerate(self._apart_until):
            if now < until:
                continue
            geom, other = self._near[i]
            distance = self._distance(other, geom, reach + _MARGIN)
            if distance >= reach:
                self._apart_until[i] = now + (distance - reach) / self._closing
                continue
            key = (self._body[geom], self._body[other])
            if key not in best or distance < best[key][0]:
                best[key] = (distance, self._segment.copy())
        return {key: nearest_points(self._data, *key, *found) for key, found in best.items()}

    def _find_candidates(self) -> None:
        apart = self._xpos[self._round[:, 0]] - self._xpos[self._round[:, 1]]
        close = np.einsum("ij,ij->i", apart, apart) < self._around
        reach = self._reach + _MARGIN
        candidates = [*self._flat, *self._round[close].tolist()]
        speed = float(np.abs(self._cvel).max()) + _SPARE_SPEED
        self._closing = 2.0 * speed  # both of a pair may move
        now = self._data.time
        self._until = now + _MARGIN / self._closing
        self._near, self._apart_until = [], []
        for geom, other in candidates:
            distance = self._distance(other, geom, reach)
            if distance < reach:
                self._near.append((geom, other))
                self._apart_until.append(now + (distance - self._reach) / self._closing)

    def _distance(self, other: int, geom: int, reach: float) -> float:
        return float(mj.mj_geomDistance(self._model, self._data, other, geom, reach, self._segment))


def nearest_points(
    data: mj.MjData, body: int, other: int, distance: float, segment: Floats
) -> Nearest:
    """Return what MuJoCo has measured between two bodies; `segment` leads from the other to the body."""
    x, y, z, a, b, c = segment.tolist()
    dx, dy, dz = a - x, b - y, c - z
    length = (dx * dx + dy * dy + dz * dz) ** 0.5
    if length < _COINCIDENT:
        normal = _between(data.xipos[other], data.xipos[body])
    else:
        sign = length if distance >= 0 else -length
        normal = (dx / sign, dy / sign, dz / sign)
    return Nearest(distance, (x, y, z), normal)


def _pairs(model: mj.MjModel, tables: Tables, bodies: list[int]) -> list[tuple[int, int]]:
    # Bodies that are welded together, and geoms of the world itself, form no pairs.
    pairs = []
    excluded = {int(s) for s in model.exclude_signature}
    for body in bodies:
        others = [
            other
            for other in range(1, model.nbody)
            if other != body
            and not _is_excluded(excluded, body, other)
            and model.body_weldid[other] != model.body_weldid[body]
        ]
        for geom in tables.geoms[body]:
            pairs += [(geom, far) for other in others for far in tables.geoms[other]]
    return pairs


def _is_excluded(signatures: set[int], one: int, other: int) -> bool:
    low, high = min(one, other), max(one, other)
    return (low << 16) + high in signatures


def _between(start: Floats, end: Floats) -> tuple[float, float, float]:
    apart = end - start
    length = float(np.linalg.norm(apart))
    if length < _COINCIDENT:
        return (0.0, 0.0, 1.0)
    x, y, z = (apart / length).tolist()
    return (x, y, z)
