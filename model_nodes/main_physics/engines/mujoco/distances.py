"""Smallest distances between bodies, from those between their geoms."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from operator import itemgetter
from typing import NamedTuple

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.mujoco.relative_motion import Places, RelativeMotion
from model_nodes.main_physics.engines.mujoco.tables import Tables

_MARGIN = 0.05
"""Pairs that are further apart than the reach by this are not looked at until something has moved as far [m]."""
_TOLERANCE = 1e-5
"""More than the error of a measured distance [m]."""
_COINCIDENT = 1e-9


class Nearest(NamedTuple):
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

    A pair is measured only if it can have come within reach, and can be the nearest one of its two bodies, judging by
    its last distance and by how far the bodies have moved relative to each other since. The pairs whose bounding
    spheres are near, of which that is known, are chosen anew when a sphere has moved.

    Args:
        model, data: the world, and where everything is.
        tables: the geoms of the bodies.
        bodies: those of interest.
        reach: to which distance [m].
    """

    def __init__(
        self,
        model: mj.MjModel,
        data: mj.MjData,
        tables: Tables,
        bodies: Iterable[int],
        reach: float,
    ) -> None:
        self._model, self._reach = model, reach
        self._segment = np.zeros(6)
        planes = model.geom_type == mj.mjtGeom.mjGEOM_PLANE.value
        pairs = _pairs(model, tables, list(bodies))
        # Planes have no bounding sphere; there are few.
        flat = [pair for pair in pairs if planes[pair[1]]]
        round_ = [pair for pair in pairs if not planes[pair[1]]]
        self._flat = np.arange(len(flat))
        self._geoms: list[tuple[int, int]] = flat + round_
        self._round = np.array(round_, np.intp).reshape(-1, 2)
        self._spheres = np.unique(self._round)
        radii = model.geom_rbound[self._round]
        around = radii[:, 0] + radii[:, 1] + reach + _MARGIN
        self._around = around * around
        of_bodies = model.geom_bodyid[np.array(self._geoms, np.intp).reshape(-1, 2)].astype(np.intp)
        self._bodies, group = np.unique(of_bodies, axis=0, return_inverse=True)
        self._of: list[tuple[int, int]] = [(one, other) for one, other in self._bodies.tolist()]
        self._group: Places = group.reshape(-1)
        self._scattered = _scattered(self._group, len(self._bodies))
        self._former: Pairs | None = None
        self._use(data)

    def _use(self, data: mj.MjData) -> None:
        self._data, self._xpos = data, data.geom_xpos
        self._motion = RelativeMotion(self._model, data, self._bodies)
        self._distances = np.zeros(len(self._geoms))
        self._least = np.full(len(self._geoms), -np.inf)
        self._chosen: Places = self._flat
        self._chosen_group: Places = self._group[self._chosen]
        self._centres: Floats | None = None

    def nearest(self) -> dict[tuple[int, int], Nearest]:
        """Return (body, other) -> nearest points, for all pairs of bodies within reach."""
        self._motion.update()
        if self._centres is None or self._have_moved(self._centres):
            self._choose()
        bounds = self._least.take(self._chosen)
        bounds -= self._motion.travelled.take(self._chosen_group)
        due = np.flatnonzero(bounds < self._reach)
        pairs, groups = self._chosen[due].tolist(), self._chosen_group[due].tolist()
        together: dict[int, list[tuple[float, int]]] = {}
        for bound, pair, group in zip(bounds[due].tolist(), pairs, groups, strict=True):
            together.setdefault(group, []).append((bound, pair))
        found = []
        for group in together.items():
            near = self._nearest_of(*group)
            if near is not None:
                found.append(near)
        found.sort(key=itemgetter(0))
        data, points = self._data, dict[tuple[int, int], Nearest]()
        for _, key, distance, segment in found:
            points[key] = nearest_points(data, *key, distance, segment)
        return points

    def nearest_at(self, positions: Floats) -> dict[tuple[int, int], Nearest]:
        """As `nearest`, with the world at other positions, as MuJoCo's ``qpos``; what is known of now stays."""
        there = self._former
        if there is None:
            there = self._former = copy(self)
            there._use(mj.MjData(self._model))
        there._data.qpos[:] = positions
        mj.mj_kinematics(self._model, there._data)
        return there.nearest()

    def _have_moved(self, centres: Floats) -> bool:
        """Whether two spheres may be nearer to each other by `_MARGIN`."""
        moved = self._xpos.take(self._spheres, axis=0)
        moved -= centres
        return bool(4.0 * np.einsum("ij,ij->i", moved, moved).max(initial=0.0) > _MARGIN * _MARGIN)

    def _choose(self) -> None:
        """Choose the pairs that may come within reach; what is known of those that are chosen again is kept."""
        apart = self._xpos[self._round[:, 0]] - self._xpos[self._round[:, 1]]
        close = np.flatnonzero(np.einsum("ij,ij->i", apart, apart) < self._around)
        chosen = np.concatenate((self._flat, close + len(self._flat)))
        least = np.full(len(self._geoms), -np.inf)
        kept = np.intersect1d(chosen, self._chosen, assume_unique=True)
        least[kept] = self._least[kept]
        self._least, self._chosen, self._chosen_group = least, chosen, self._group[chosen]
        self._motion.follow(np.unique(self._chosen_group))
        self._centres = self._xpos[self._spheres]

    def _nearest_of(
        self, group: int, pairs: list[tuple[float, int]]
    ) -> tuple[int, tuple[int, int], float, Floats] | None:
        """Measure the pairs of geoms of two bodies, the most promising first.

        Args:
            group: index of the two bodies.
            pairs: (least distance that is possible now, pair) of each that may be within reach.

        Returns:
            The first pair within reach, the bodies, their distance and its segment; None if all are out of reach.
        """
        if len(pairs) == 1:
            ((_, pair),) = pairs
            distance = self._measure(group, pair)
            return (
                (pair, self._of[group], distance, self._segment.copy())
                if distance < self._reach
                else None
            )
        nearest, best, segment = -1, self._reach, self._segment
        measured: dict[int, float] = {}
        for bound, pair in sorted(pairs):
            if bound > best and bound > 0.0:  # how deep geoms overlap is not known as well
                break
            measured[pair] = distance = self._measure(group, pair)
            if distance < best or (distance == best and pair < nearest):
                nearest, best, segment = pair, distance, self._segment.copy()
        if nearest < 0:
            return None
        first = self._first(group, pairs, measured) if self._scattered[group] else nearest
        return first, self._of[group], best, segment

    def _first(self, group: int, pairs: list[tuple[float, int]], measured: dict[int, float]) -> int:
        """The first pair of two bodies that is within reach, which decides about the order of the rows."""
        for pair, bound in sorted((pair, bound) for bound, pair in pairs):
            distance = measured.get(pair)
            if distance is None:
                distance = 2.0 * self._distances[pair] - bound  # at most
                if distance >= self._reach:
                    distance = self._measure(group, pair)
            if distance < self._reach:
                return pair
        raise AssertionError("no pair is within reach")

    def _measure(self, group: int, pair: int) -> float:
        geom, other = self._geoms[pair]
        distance = float(
            mj.mj_geomDistance(
                self._model, self._data, other, geom, self._reach + _MARGIN, self._segment
            )
        )
        self._distances[pair] = distance
        self._least[pair] = distance - _TOLERANCE + self._motion.travelled[group]
        return distance


def _scattered(groups: Places, count: int) -> list[bool]:
    """Whether the pairs of each group do not follow on each other, so that their order is not that of the groups."""
    places = np.arange(len(groups))
    first, last = np.full(count, len(groups)), np.zeros(count, np.intp)
    np.minimum.at(first, groups, places)
    np.maximum.at(last, groups, places)
    scattered: list[bool] = (last - first + 1 != np.bincount(groups, minlength=count)).tolist()
    return scattered


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
            and (min(body, other) << 16) + max(body, other) not in excluded
            and model.body_weldid[other] != model.body_weldid[body]
        ]
        for geom in tables.geoms[body]:
            pairs += [(geom, far) for other in others for far in tables.geoms[other]]
    return pairs


def _between(start: Floats, end: Floats) -> tuple[float, float, float]:
    apart = end - start
    length = float(np.linalg.norm(apart))
    if length < _COINCIDENT:
        return (0.0, 0.0, 1.0)
    x, y, z = (apart / length).tolist()
    return (x, y, z)
