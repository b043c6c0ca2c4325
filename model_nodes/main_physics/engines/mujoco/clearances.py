"""Distances of the robots' links from static bodies and from each other.

Each pair of geoms is measured once, and again only when the two may have come within reach. They cannot approach by
more than the ways that their points have gone, nor by more than the joints between them allow. So most pairs cost a
comparison of numbers, in one array for all.
"""

from __future__ import annotations

from itertools import product

import mujoco as mj
import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.scene.watch import CLEARANCE_COLUMNS, no_clearances
from model_nodes.main_physics.engines.mujoco.distances import nearest_points
from model_nodes.main_physics.engines.mujoco.link_pairs import (
    Pair,
    path,
    with_statics,
    within_robots,
)
from model_nodes.main_physics.engines.mujoco.tables import BodyKind, Tables
from model_nodes.main_physics.world.description import Joint, JointKind, World
from model_nodes.main_physics.world.names import joint_name

FURTHEST = 1.0
"""Distances are measured up to this beyond the reach [m]."""
STILL = 1e-4
"""A pair within reach is measured again when it may have moved by this [m]."""
_SPARE_SLIDE = 1.0
"""How far a slide is assumed to move at most beyond its limits, and without limits [m]."""


class Clearances:
    """The nearest points of pairs of bodies.

    Args:
        world, model, data: the world, with the robots in their present posture.
        tables: its ids.
    """

    def __init__(self, world: World, model: mj.MjModel, data: mj.MjData, tables: Tables) -> None:
        pairs = [*with_statics(tables), *within_robots(world, model, data, tables)]
        self._model, self._data = model, data
        self._frames = tables.body_frames
        geoms = [p for a, b in pairs for p in product(tables.geoms[a], tables.geoms[b])]
        self._geoms = np.array(geoms, np.int32).reshape(-1, 2)
        self._bodies: list[int] = model.geom_bodyid.tolist()
        self._ways = _Ways(model, data, self._geoms)
        self._turns = _Turns(world, model, data, tables, pairs)
        self._segment = np.zeros(6)
        self._reach = -np.inf
        self._forget()

    def _forget(self) -> None:
        count = len(self._geoms)
        self._due = np.full(count, -np.inf)
        """(pairs,) the sum of the ways of both geoms at which a pair is looked at again [m]."""
        self._spare = np.full(count, -np.inf)
        """(pairs,) by how much the two may approach after they were measured [m]."""
        self._turned = np.zeros(count)
        """(pairs,) `_Turns.of` when they were measured [m]."""
        self._near: dict[int, tuple[float, Floats]] = {}

    def rows(self, reach: float) -> Floats:
        """Return (n, 9) rows as `Engine.clearances`, at the data's current positions."""
        if reach != self._reach:
            self._reach = reach
            self._forget()
        self._turns.update()
        gone = self._ways.update()
        due = (gone >= self._due).nonzero()[0]
        if len(due):
            self._look_at(due, gone)
        return self._table() if self._near else no_clearances()

    def _look_at(self, due: NDArray[np.intp], gone: Floats) -> None:
        """Measure pairs, unless the joints between the two have not turned enough for an approach."""
        turned = self._turns.of(due)
        left = self._spare[due] - (turned - self._turned[due])
        for k in (left <= 0.0).nonzero()[0].tolist():
            i = int(due[k])
            left[k] = self._spare[i] = self._measure(i)
            self._turned[i] = turned[k]
        self._due[due] = gone[due] + left

    def _measure(self, i: int) -> float:
        """Measure a pair; returns by how much the two may approach until it is to be measured again [m]."""
        geom, other = self._geoms[i].tolist()
        reach, segment = self._reach, self._segment
        distance = float(
            mj.mj_geomDistance(self._model, self._data, other, geom, reach + FURTHEST, segment)
        )
        if distance < reach:
            self._near[i] = distance, segment.copy()
            return STILL
        self._near.pop(i, None)
        return max(distance - reach, STILL)

    def _table(self) -> Floats:
        nearest: dict[Pair, tuple[float, Floats]] = {}
        for i, found in self._near.items():
            geom, other = self._geoms[i].tolist()
            key = self._bodies[geom], self._bodies[other]
            if key not in nearest or found[0] < nearest[key][0]:
                nearest[key] = found
        rows = np.empty((len(nearest), CLEARANCE_COLUMNS))
        frames = self._frames
        for row, (body, other) in zip(rows, sorted(nearest), strict=True):
            near = nearest_points(self._data, body, other, *nearest[body, other])
            row[:] = (frames[body], frames[other], near.distance, *near.point, *near.normal)
        return rows


class _Ways:
    """How far the points of geoms have gone, at most."""

    def __init__(self, model: mj.MjModel, data: mj.MjData, pairs: NDArray[np.int32]) -> None:
        span = slice(int(pairs.min(initial=0)), int(pairs.max(initial=-1)) + 1)
        self._first, self._second = (pairs - span.start).T
        self._positions, self._axes = data.geom_xpos[span], data.geom_xmat[span]
        self._last = self._positions.copy(), self._axes.copy()
        # A turn by an angle changes the axes by 2 sqrt(2) sin(angle / 2), and moves a point at distance 1 by
        # 2 sin(angle / 2). Planes, which have no radius, do not turn.
        self._radii = model.geom_rbound[span] / np.sqrt(2.0)
        self._way = np.zeros(len(self._radii))

    def update(self) -> Floats:
        """Return (pairs,) the sum of the ways of both geoms since the beginning [m]."""
        positions, axes = self._last
        np.subtract(self._positions, positions, out=positions)
        np.subtract(self._axes, axes, out=axes)
        self._way += np.sqrt(np.einsum("ij,ij->i", positions, positions))
        self._way += self._radii * np.sqrt(np.einsum("ij,ij->i", axes, axes))
        positions[:] = self._positions
        axes[:] = self._axes
        way: Floats = self._way[self._first]
        way += self._way[self._second]
        return way


class _Turns:
    """How far the joints between two geoms can have moved one towards the other."""

    def __init__(
        self,
        world: World,
        model: mj.MjModel,
        data: mj.MjData,
        tables: Tables,
        pairs: list[Pair],
    ) -> None:
        paths = [path(model, pair) for pair in pairs]
        joints = sorted(set().union(*paths))
        column = {joint: i for i, joint in enumerate(joints)}
        between = np.zeros((len(pairs), len(joints)))
        for row, joints_between in zip(between, paths, strict=True):
            row[[column[joint] for joint in joints_between]] = 1.0
        counts = [len(tables.geoms[a]) * len(tables.geoms[b]) for a, b in pairs]
        self._between = np.repeat(between, counts, axis=0)
        self._addresses = model.jnt_qposadr[joints]
        self._positions = data.qpos
        self._last = data.qpos[self._addresses]
        slides = model.jnt_type[joints] == mj.mjtJoint.mjJNT_SLIDE.value
        self._levers = np.where(slides, 1.0, _longest_way(world, model, tables))
        self._gone = np.zeros(len(joints))

    def update(self) -> None:
        """Add how far each joint has moved since the last call."""
        now = self._positions[self._addresses]
        self._gone += np.abs(now - self._last) * self._levers
        self._last = now

    def of(self, pairs: NDArray[np.intp]) -> Floats:
        """Return (n,) how far the joints between the geoms of some pairs have moved them, at most [m]."""
        moved: Floats = np.einsum("ij,j->i", self._between[pairs], self._gone)
        return moved


def _longest_way(world: World, model: mj.MjModel, tables: Tables) -> float:
    """The longest way along links and slides, from a joint to the furthest point of a geom of a robot [m]."""
    steps = np.linalg.norm(model.body_pos, axis=1)
    steps[model.body_parentid == 0] = 0.0  # where a robot stands does not matter
    for body in world.bodies:
        for joint in body.moving_joints if body.robot else ():
            steps[model.joint(joint_name(body, joint)).bodyid[0]] += _travel(joint)
    ways = np.zeros(model.nbody)
    for body_id in range(1, model.nbody):
        ways[body_id] = ways[model.body_parentid[body_id]] + steps[body_id]
    forms = ways[model.geom_bodyid] + np.linalg.norm(model.geom_pos, axis=1) + model.geom_rbound
    driven = np.array([kind is BodyKind.DRIVEN for kind in tables.body_kinds])
    return float(forms[driven[model.geom_bodyid]].max(initial=0.0))


def _travel(joint: Joint) -> float:
    """How far a joint moves the origin of its child at most, from where it is at zero [m]."""
    if joint.kind is JointKind.HINGE:
        return 2.0 * float(np.linalg.norm(joint.anchor))
    return max(abs(joint.lower or 0.0), abs(joint.upper or 0.0)) + _SPARE_SLIDE
