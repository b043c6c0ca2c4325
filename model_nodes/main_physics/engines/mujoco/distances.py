"""Smallest distances between bodies; geoms are measured again only when their bodies may have moved enough."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from typing import NamedTuple, TypeAlias

import mujoco as mj
import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.mujoco.tables import Tables

Indices: TypeAlias = NDArray[np.intp]
"""Indices of an array."""
_CHORD = 0.5**0.5
"""A point at distance r from the origin moves by at most r times the matrix's change (Frobenius norm) times this."""

_TRANSPOSED = np.array([0, 3, 6, 1, 4, 7, 2, 5, 8], np.intp)
"""Indices that transpose a flattened 3 x 3 matrix."""


class RelativeMotion:
    """Adds up the relative motion of pairs of bodies.

    While a pair is followed, the distance between any point of one body and any point of the other changes by at most
    the growth of the pair's sum. A pair that moves as one, such as a hand and its load, has no relative motion.

    Args:
        model, data: model and current state of the world.
        pairs: (n, 2) ids of bodies.

    Attributes:
        travelled: (n,) sums [m]; constant for pairs that are not followed.
    """

    def __init__(self, model: mj.MjModel, data: mj.MjData, pairs: Indices) -> None:
        self._positions, self._matrices = data.xpos, data.xmat
        sizes = radii(model)
        # The smaller body is expressed in the frame of the larger one, since its points move less when they rotate.
        smaller = np.argmin(sizes[pairs], axis=1)
        rows = np.arange(len(pairs))
        self._smaller, self._larger = pairs[rows, smaller], pairs[rows, 1 - smaller]
        self._levers = _CHORD * np.minimum(sizes[pairs[:, 0]], sizes[pairs[:, 1]])
        self.travelled: Floats = np.zeros(len(pairs))
        self.follow(rows[:0])

    def follow(self, pairs: Indices) -> None:
        """Follow exactly these pairs, given by their indices, from now on."""
        self._followed = pairs
        self._followed_smaller, self._followed_larger = self._smaller[pairs], self._larger[pairs]
        # Multiplying transposed views is slow; these indices transpose while they copy.
        self._transposed = 9 * self._followed_larger[:, None] + _TRANSPOSED
        self._lever = self._levers[pairs]
        self._last_origins, self._last_rotations = self._relative()

    def update(self) -> None:
        """Add the motion since the last call."""
        origins, rotations = self._relative()
        moved, turned = origins - self._last_origins, rotations - self._last_rotations
        step = np.sqrt(np.vecdot(moved, moved))
        step += self._lever * np.sqrt(np.vecdot(turned, turned))
        self.travelled[self._followed] += step
        self._last_origins, self._last_rotations = origins, rotations

    def _relative(self) -> tuple[Floats, Floats]:
        """(n, 3) origins and (n, 9) rotations of the smaller bodies, in the frames of the larger ones."""
        inverse = self._matrices.take(self._transposed).reshape(-1, 3, 3)
        offsets = self._positions.take(self._followed_smaller, axis=0)
        offsets -= self._positions.take(self._followed_larger, axis=0)
        rotations = inverse @ self._matrices.take(self._followed_smaller, axis=0).reshape(-1, 3, 3)
        return (inverse @ offsets[:, :, None])[:, :, 0], rotations.reshape(-1, 9)


def radii(model: mj.MjModel) -> Floats:
    """(nbody,) radius of a sphere around each body's origin that contains all its geoms; infinite for a plane."""
    radius = np.zeros(model.nbody)
    reach = model.geom_rbound + np.linalg.norm(model.geom_pos, axis=1)
    reach[model.geom_type == mj.mjtGeom.mjGEOM_PLANE.value] = np.inf
    np.maximum.at(radius, model.geom_bodyid, reach)
    return radius


_MARGIN = 0.05
"""Pairs farther apart than the reach plus this are ignored until a geom has moved by half of this [m]."""
_TOLERANCE = 1e-5
"""Upper bound of the error of a measured distance [m]."""
_COINCIDENT = 1e-9


class Nearest(NamedTuple):
    """The nearest points of two bodies.

    Attributes:
        distance: distance [m], negative for a penetration.
        point: nearest point on the other body [m].
        normal: unit vector from the other body to the body.
    """

    distance: float
    point: tuple[float, float, float]
    normal: tuple[float, float, float]


Measured: TypeAlias = tuple[float, list[float]]
"""A distance [m], and the segment between the two nearest points: x y z of either end."""


class Pairs:
    """The pairs of geoms of some bodies with the geoms of all other bodies.

    A pair is measured only if it may be within reach and may be the nearest pair of its two bodies, judging by its last
    distance and the bodies' relative motion since. Only pairs whose bounding spheres are near are considered; they are
    selected again when a sphere has moved.

    Args:
        model, data: model and current state of the world.
        tables: tables with the geoms of the bodies.
        bodies: ids of the bodies of interest.
        reach: maximum distance that is reported [m].
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
        pairs = _geom_pairs(model, tables, list(bodies))
        # Planes have no bounding sphere; there are few of them.
        plane_pairs = [pair for pair in pairs if planes[pair[1]]]
        sphere_pairs = [pair for pair in pairs if not planes[pair[1]]]
        self._plane_pairs = np.arange(len(plane_pairs))
        self._geoms: list[tuple[int, int]] = plane_pairs + sphere_pairs
        self._sphere_pairs = np.array(sphere_pairs, np.intp).reshape(-1, 2)
        self._spheres = _distinct(self._sphere_pairs)
        radii = model.geom_rbound[self._sphere_pairs]
        max_distance = radii[:, 0] + radii[:, 1] + reach + _MARGIN
        self._max_distance_squared = max_distance * max_distance
        of_bodies = model.geom_bodyid[np.array(self._geoms, np.intp).reshape(-1, 2)].astype(np.intp)
        of_pairs = [(first, second) for first, second in of_bodies.tolist()]
        self._body_pairs: list[tuple[int, int]] = list(dict.fromkeys(of_pairs))
        self._bodies: Indices = np.array(self._body_pairs, np.intp).reshape(-1, 2)
        groups = {pair: i for i, pair in enumerate(self._body_pairs)}
        self._group: Indices = np.array([groups[pair] for pair in of_pairs], np.intp)
        self._elsewhere: Pairs | None = None
        self._set_data(data)

    def _set_data(self, data: mj.MjData) -> None:
        self._data, self._xpos = data, data.geom_xpos
        self._motion = RelativeMotion(self._model, data, self._bodies)
        self._bounds = np.full(len(self._geoms), -np.inf)
        self._selected: Indices = self._plane_pairs
        self._selected_group: Indices = self._group[self._selected]
        self._centres: Floats | None = None

    def nearest(self) -> dict[tuple[int, int], Nearest]:
        """Return (body, other) -> nearest points, for all pairs of bodies within reach, in a fixed order."""
        self._motion.update()
        if self._centres is None or self._have_moved(self._centres):
            self._select()
        bounds = self._bounds.take(self._selected)
        bounds -= self._motion.travelled.take(self._selected_group)
        due = np.flatnonzero(bounds < self._reach)
        pairs, groups = self._selected[due].tolist(), self._selected_group[due].tolist()
        due_pairs: dict[int, list[tuple[float, int]]] = {}
        for bound, pair, group in zip(bounds[due].tolist(), pairs, groups, strict=True):
            due_pairs.setdefault(group, []).append((bound, pair))
        near = {group: self._nearest_of(group, pairs) for group, pairs in due_pairs.items()}
        return self._points(near)

    def _points(self, near: Mapping[int, Measured | None]) -> dict[tuple[int, int], Nearest]:
        """Return (body, other) -> nearest points, for the measured groups."""
        points: dict[tuple[int, int], Nearest] = {}
        for group, measured in sorted(near.items()):
            if measured is not None:
                body, other = key = self._body_pairs[group]
                points[key] = nearest_points(self._data, body, other, *measured)
        return points

    def nearest_at(self, positions: Floats) -> dict[tuple[int, int], Nearest]:
        """Return `nearest` at other positions (MuJoCo's ``qpos``); the state of the current positions is kept."""
        elsewhere = self._elsewhere
        if elsewhere is None:
            elsewhere = self._elsewhere = copy(self)
            elsewhere._set_data(mj.MjData(self._model))
        elsewhere._data.qpos[:] = positions
        mj.mj_kinematics(self._model, elsewhere._data)
        return elsewhere.nearest()

    def _have_moved(self, centres: Floats) -> bool:
        """Whether any two spheres may have approached each other by `_MARGIN`."""
        moved = self._xpos.take(self._spheres, axis=0)
        moved -= centres
        return bool(4.0 * np.vecdot(moved, moved).max(initial=0.0) > _MARGIN * _MARGIN)

    def _select(self) -> None:
        """Select the pairs that may come within reach; the bounds of pairs that stay selected are kept."""
        offsets = self._xpos[self._sphere_pairs[:, 0]] - self._xpos[self._sphere_pairs[:, 1]]
        close = np.flatnonzero(np.vecdot(offsets, offsets) < self._max_distance_squared)
        selected = np.concatenate((self._plane_pairs, close + len(self._plane_pairs)))
        bounds = np.full(len(self._geoms), -np.inf)
        kept = np.intersect1d(selected, self._selected, assume_unique=True)
        bounds[kept] = self._bounds[kept]
        self._bounds, self._selected, self._selected_group = bounds, selected, self._group[selected]
        self._motion.follow(_distinct(self._selected_group))
        self._centres = self._xpos[self._spheres]

    def _nearest_of(self, group: int, pairs: list[tuple[float, int]]) -> Measured | None:
        """Measure the pairs of geoms of two bodies, in the order of their lower bounds.

        Args:
            group: index of the pair of bodies.
            pairs: (lower bound of the distance, pair of geoms) for each pair that may be within reach.

        Returns:
            The distance of the bodies and its segment; None if all geoms are out of reach.
        """
        nearest, best, segment = -1, self._reach, list[float]()
        for bound, pair in sorted(pairs):
            if bound > best and bound > 0.0:  # for overlapping geoms the bound is not reliable
                break
            distance = self._measure(group, pair)
            if distance < best or (distance == best and pair < nearest):
                nearest, best, segment = pair, distance, self._segment.tolist()
        return None if nearest < 0 else (best, segment)

    def _measure(self, group: int, pair: int) -> float:
        distance = self._distance(pair)
        self._bounds[pair] = distance - _TOLERANCE + self._motion.travelled[group]
        return distance

    def _distance(self, pair: int) -> float:
        (geom, other), cutoff = self._geoms[pair], self._reach + _MARGIN
        model, data, segment = self._model, self._data, self._segment
        return float(mj.mj_geomDistance(model, data, other, geom, cutoff, segment))


_MAX_SENSED_PAIRS = 200
"""Up to this number of pairs of geoms, all are measured rather than only those that may be near."""
_PRIMITIVES = [
    getattr(mj.mjtGeom, f"mjGEOM_{kind}").value
    for kind in ("PLANE", "SPHERE", "CAPSULE", "ELLIPSOID", "CYLINDER", "BOX")
]


def make_pairs(
    model: mj.MjModel, data: mj.MjData, tables: Tables, bodies: Sequence[int], reach: float
) -> Pairs:
    """Return the pairs of some bodies, measured by the faster of two methods; see `Pairs`."""
    is_small = sum(len(tables.geoms[body]) for body in bodies) * model.ngeom <= _MAX_SENSED_PAIRS
    is_sensed = is_small and bool(np.isin(model.geom_type, _PRIMITIVES).all())
    return (SensedPairs if is_sensed else Pairs)(model, data, tables, bodies, reach)


class SensedPairs(Pairs):
    """A few pairs of primitive shapes: sensors of MuJoCo measure all of them, in a model with only their geoms."""

    def _set_data(self, data: mj.MjData) -> None:
        self._data, model, spec = data, self._model, mj.MjSpec()
        self._used = used = _distinct(np.array(self._geoms, np.intp))
        for geom in used.tolist():
            kind = mj.mjtGeom(model.geom_type[geom])
            spec.worldbody.add_geom(name=str(geom), type=kind, size=model.geom_size[geom])
        for geom, other in self._geoms:
            for sensor_type in (mj.mjtSensor.mjSENS_GEOMDIST, mj.mjtSensor.mjSENS_GEOMFROMTO):
                sensor = spec.add_sensor(type=sensor_type, objname=str(other), refname=str(geom))
                sensor.objtype = sensor.reftype = mj.mjtObj.mjOBJ_GEOM
                sensor.cutoff = self._reach + _MARGIN
        self._sensor_model = sensor_model = spec.compile()
        sensor_model.opt.ccd_iterations = model.opt.ccd_iterations
        sensor_model.opt.ccd_tolerance = model.opt.ccd_tolerance
        self._sensor_data = probe = mj.MjData(sensor_model)
        self._readings: Floats = probe.sensordata.reshape(-1, 7)
        self._distances = self._readings[:, 0]
        self._copied = (data.geom_xpos, probe.geom_xpos), (data.geom_xmat, probe.geom_xmat)

    def nearest(self) -> dict[tuple[int, int], Nearest]:
        """Return the same as `Pairs.nearest`."""
        for source, target in self._copied:
            source.take(self._used, 0, target, "clip")  # "clip" writes directly, without a check
        mj.mj_sensorPos(self._sensor_model, self._sensor_data)
        pairs, near = (self._distances < self._reach).nonzero()[0], dict[int, Measured]()
        readings, deepest = self._readings.take(pairs, 0), -self._reach - _MARGIN
        rows = zip(pairs.tolist(), self._group.take(pairs).tolist(), readings.tolist(), strict=True)
        for pair, group, (distance, *segment) in rows:
            if distance <= deepest:
                distance = self._distance(pair)  # a sensor reads at most its cut-off
            if group not in near or distance < near[group][0]:
                near[group] = distance, segment
        return self._points(near)


def nearest_points(
    data: mj.MjData, body: int, other: int, distance: float, segment: Sequence[float]
) -> Nearest:
    """Return the nearest points from MuJoCo's distance; `segment` leads from the other body to the body."""
    x, y, z, a, b, c = segment
    dx, dy, dz = a - x, b - y, c - z
    length = (dx * dx + dy * dy + dz * dz) ** 0.5
    if length < _COINCIDENT:
        normal = _direction(data.xipos[other], data.xipos[body])
    else:
        sign = length if distance >= 0 else -length
        normal = (dx / sign, dy / sign, dz / sign)
    return Nearest(distance, (x, y, z), normal)


def _distinct(numbers: Indices) -> Indices:
    """Return the sorted distinct numbers; `return_index` keeps NumPy from importing masked arrays."""
    return np.asarray(np.unique(numbers, return_index=True)[0], np.intp)


def _geom_pairs(model: mj.MjModel, tables: Tables, bodies: list[int]) -> list[tuple[int, int]]:
    # Bodies that are welded together form no pairs, nor do geoms of the world body.
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
            pairs += [(geom, other_geom) for other in others for other_geom in tables.geoms[other]]
    return pairs


def _direction(start: Floats, end: Floats) -> tuple[float, float, float]:
    offset = end - start
    length = float(np.linalg.norm(offset))
    if length < _COINCIDENT:
        return (0.0, 0.0, 1.0)
    x, y, z = (offset / length).tolist()
    return (x, y, z)
