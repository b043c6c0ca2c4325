"""Smallest distances between bodies, from the distances between their geoms and the bodies' motion since."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from typing import NamedTuple, TypeAlias

import mujoco as mj
import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.mujoco.tables import Tables

Places: TypeAlias = NDArray[np.intp]
"""Indices of an array."""
_CHORD = 0.5**0.5
"""A rotated point moves by at most its distance from the origin times the norm of the matrix's change times this."""

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

    def __init__(self, model: mj.MjModel, data: mj.MjData, pairs: Places) -> None:
        self._places, self._rotations = data.xpos, data.xmat
        sizes = radii(model)
        # The smaller body is expressed in the frame of the larger one, since its points move less when they rotate.
        smaller = np.argmin(sizes[pairs], axis=1)
        rows = np.arange(len(pairs))
        self._seen, self._from = pairs[rows, smaller], pairs[rows, 1 - smaller]
        self._levers = _CHORD * np.minimum(sizes[pairs[:, 0]], sizes[pairs[:, 1]])
        self.travelled: Floats = np.zeros(len(pairs))
        self.follow(rows[:0])

    def follow(self, pairs: Places) -> None:
        """Follow exactly these pairs, given by their indices, from now on."""
        self._followed = pairs
        self._one, self._other = self._seen[pairs], self._from[pairs]
        # Multiplying transposed views is slow; these indices transpose while they copy.
        self._back = 9 * self._other[:, None] + _TRANSPOSED
        self._lever = self._levers[pairs]
        self._at, self._turn = self._relative()

    def update(self) -> None:
        """Add the motion since the last call."""
        at, turn = self._relative()
        moved, turned = at - self._at, turn - self._turn
        step = np.sqrt(np.vecdot(moved, moved))
        step += self._lever * np.sqrt(np.vecdot(turned, turned))
        self.travelled[self._followed] += step
        self._at, self._turn = at, turn

    def _relative(self) -> tuple[Floats, Floats]:
        """(n, 3) origins and (n, 9) rotations of the smaller bodies, in the frames of the larger ones."""
        back = self._rotations.take(self._back).reshape(-1, 3, 3)
        apart = self._places.take(self._one, axis=0)
        apart -= self._places.take(self._other, axis=0)
        turn = back @ self._rotations.take(self._one, axis=0).reshape(-1, 3, 3)
        return (back @ apart[:, :, None])[:, :, 0], turn.reshape(-1, 9)


def radii(model: mj.MjModel) -> Floats:
    """(nbody,) radius of a sphere around each body's origin that contains all its geoms; infinite for a plane."""
    found = np.zeros(model.nbody)
    reach = model.geom_rbound + np.linalg.norm(model.geom_pos, axis=1)
    reach[model.geom_type == mj.mjtGeom.mjGEOM_PLANE.value] = np.inf
    np.maximum.at(found, model.geom_bodyid, reach)
    return found


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
        pairs = _pairs(model, tables, list(bodies))
        # Planes have no bounding sphere; there are few of them.
        flat = [pair for pair in pairs if planes[pair[1]]]
        round_ = [pair for pair in pairs if not planes[pair[1]]]
        self._flat = np.arange(len(flat))
        self._geoms: list[tuple[int, int]] = flat + round_
        self._round = np.array(round_, np.intp).reshape(-1, 2)
        self._spheres = _distinct(self._round)
        radii = model.geom_rbound[self._round]
        around = radii[:, 0] + radii[:, 1] + reach + _MARGIN
        self._around = around * around
        of_bodies = model.geom_bodyid[np.array(self._geoms, np.intp).reshape(-1, 2)].astype(np.intp)
        of_pairs = [(one, other) for one, other in of_bodies.tolist()]
        self._of: list[tuple[int, int]] = list(dict.fromkeys(of_pairs))
        self._bodies: Places = np.array(self._of, np.intp).reshape(-1, 2)
        places = {pair: i for i, pair in enumerate(self._of)}
        self._group: Places = np.array([places[pair] for pair in of_pairs], np.intp)
        self._former: Pairs | None = None
        self._use(data)

    def _use(self, data: mj.MjData) -> None:
        self._data, self._xpos = data, data.geom_xpos
        self._motion = RelativeMotion(self._model, data, self._bodies)
        self._least = np.full(len(self._geoms), -np.inf)
        self._chosen: Places = self._flat
        self._chosen_group: Places = self._group[self._chosen]
        self._centres: Floats | None = None

    def nearest(self) -> dict[tuple[int, int], Nearest]:
        """Return (body, other) -> nearest points, for all pairs of bodies within reach, in a fixed order."""
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
        near = {group: self._nearest_of(group, pairs) for group, pairs in together.items()}
        return self._points(near)

    def _points(self, near: Mapping[int, Measured | None]) -> dict[tuple[int, int], Nearest]:
        """Return (body, other) -> nearest points, for the measured groups."""
        points: dict[tuple[int, int], Nearest] = {}
        for group, measured in sorted(near.items()):
            if measured is not None:
                one, other = key = self._of[group]
                points[key] = nearest_points(self._data, one, other, *measured)
        return points

    def nearest_at(self, positions: Floats) -> dict[tuple[int, int], Nearest]:
        """Return `nearest` at other positions (MuJoCo's ``qpos``); the state of the current positions is kept."""
        there = self._former
        if there is None:
            there = self._former = copy(self)
            there._use(mj.MjData(self._model))
        there._data.qpos[:] = positions
        mj.mj_kinematics(self._model, there._data)
        return there.nearest()

    def _have_moved(self, centres: Floats) -> bool:
        """Whether any two spheres may have approached each other by `_MARGIN`."""
        moved = self._xpos.take(self._spheres, axis=0)
        moved -= centres
        return bool(4.0 * np.vecdot(moved, moved).max(initial=0.0) > _MARGIN * _MARGIN)

    def _choose(self) -> None:
        """Select the pairs that may come within reach; the bounds of pairs that stay selected are kept."""
        apart = self._xpos[self._round[:, 0]] - self._xpos[self._round[:, 1]]
        close = np.flatnonzero(np.vecdot(apart, apart) < self._around)
        chosen = np.concatenate((self._flat, close + len(self._flat)))
        least = np.full(len(self._geoms), -np.inf)
        kept = np.intersect1d(chosen, self._chosen, assume_unique=True)
        least[kept] = self._least[kept]
        self._least, self._chosen, self._chosen_group = least, chosen, self._group[chosen]
        self._motion.follow(_distinct(self._chosen_group))
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
        self._least[pair] = distance - _TOLERANCE + self._motion.travelled[group]
        return distance

    def _distance(self, pair: int) -> float:
        (geom, other), far = self._geoms[pair], self._reach + _MARGIN
        model, data, segment = self._model, self._data, self._segment
        return float(mj.mj_geomDistance(model, data, other, geom, far, segment))


_FEW = 200
"""Up to this number of pairs of geoms, all are measured rather than only those that may be near."""
_PLAIN = [
    getattr(mj.mjtGeom, f"mjGEOM_{kind}").value
    for kind in ("PLANE", "SPHERE", "CAPSULE", "ELLIPSOID", "CYLINDER", "BOX")
]


def pairs_of(
    model: mj.MjModel, data: mj.MjData, tables: Tables, bodies: Sequence[int], reach: float
) -> Pairs:
    """Return the pairs of some bodies, measured by the faster of two methods; see `Pairs`."""
    few = sum(len(tables.geoms[body]) for body in bodies) * model.ngeom <= _FEW
    plain = few and bool(np.isin(model.geom_type, _PLAIN).all())
    return (SensedPairs if plain else Pairs)(model, data, tables, bodies, reach)


class SensedPairs(Pairs):
    """A few pairs of primitive shapes: sensors of MuJoCo measure all of them, in a model with only their geoms."""

    def _use(self, data: mj.MjData) -> None:
        self._data, model, spec = data, self._model, mj.MjSpec()
        self._used = used = _distinct(np.array(self._geoms, np.intp))
        for geom in used.tolist():
            kind = mj.mjtGeom(model.geom_type[geom])
            spec.worldbody.add_geom(name=str(geom), type=kind, size=model.geom_size[geom])
        for geom, other in self._geoms:
            for sort in (mj.mjtSensor.mjSENS_GEOMDIST, mj.mjtSensor.mjSENS_GEOMFROMTO):
                sensor = spec.add_sensor(type=sort, objname=str(other), refname=str(geom))
                sensor.objtype = sensor.reftype = mj.mjtObj.mjOBJ_GEOM
                sensor.cutoff = self._reach + _MARGIN
        self._alone = alone = spec.compile()
        alone.opt.ccd_iterations = model.opt.ccd_iterations
        alone.opt.ccd_tolerance = model.opt.ccd_tolerance
        self._there = there = mj.MjData(alone)
        self._readings: Floats = there.sensordata.reshape(-1, 7)
        self._distances = self._readings[:, 0]
        self._at = (data.geom_xpos, there.geom_xpos), (data.geom_xmat, there.geom_xmat)

    def nearest(self) -> dict[tuple[int, int], Nearest]:
        """Return the same as `Pairs.nearest`."""
        for whole, own in self._at:
            whole.take(self._used, 0, own, "clip")  # "clip" writes directly, without a check
        mj.mj_sensorPos(self._alone, self._there)
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
        normal = _between(data.xipos[other], data.xipos[body])
    else:
        sign = length if distance >= 0 else -length
        normal = (dx / sign, dy / sign, dz / sign)
    return Nearest(distance, (x, y, z), normal)


def _distinct(numbers: Places) -> Places:
    """Return the sorted distinct numbers; `return_index` keeps NumPy from importing masked arrays."""
    return np.asarray(np.unique(numbers, return_index=True)[0], np.intp)


def _pairs(model: mj.MjModel, tables: Tables, bodies: list[int]) -> list[tuple[int, int]]:
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
            pairs += [(geom, far) for other in others for far in tables.geoms[other]]
    return pairs


def _between(start: Floats, end: Floats) -> tuple[float, float, float]:
    apart = end - start
    length = float(np.linalg.norm(apart))
    if length < _COINCIDENT:
        return (0.0, 0.0, 1.0)
    x, y, z = (apart / length).tolist()
    return (x, y, z)
