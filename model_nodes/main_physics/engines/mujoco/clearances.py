"""Distances of the robots' links from static bodies and from each other.

A second MuJoCo model contains only robots and static bodies; its collision detection finds the pairs that are near.
Thus any posture can be measured without touching the simulation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import pi
from types import MappingProxyType
from typing import Any

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.scene.snapshot import CLEARANCES, no_rows
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.engine import EngineSettings
from model_nodes.main_physics.engines.mujoco.builder import Builder, memory_of
from model_nodes.main_physics.engines.mujoco.distances import Nearest, nearest_points, radii
from model_nodes.main_physics.engines.mujoco.link_pairs import (
    Pair,
    common_overlaps,
    near_links,
)
from model_nodes.main_physics.engines.mujoco.tables import BodyKind, Tables, make_tables
from model_nodes.main_physics.world.description import (
    FOLLOW,
    Base,
    Body,
    HandFrame,
    World,
    joint_name,
)
from model_nodes.main_physics.world.notes import Notes

_UNLIMITED = 1e3
"""Maximum distance from zero of a slide joint without limits [m]."""


def levers(
    model: mj.MjModel, columns: Mapping[int, int], count: int, slides: Mapping[str, float]
) -> Floats:
    """Return (nbody, count) bounds on the displacement of any point of a body [m] per unit of each position.

    Args:
        model: model of the robots.
        columns: address in ``qpos`` -> column.
        count: number of columns.
        slides: slide joint with limits -> maximum displacement of its body from the zero position [m].
    """
    bounds = np.zeros((model.nbody, count))
    sizes = radii(model)
    for body in range(1, model.nbody):
        distance, ancestor = float(sizes[body]), body
        while ancestor:
            first = int(model.body_jntadr[ancestor])
            joints = range(first, first + int(model.body_jntnum[ancestor]))
            distance += sum(_max_slide(model, joint, slides) for joint in joints)
            for joint in joints:
                for column, lever in _joint_bounds(model, joint, columns, distance):
                    bounds[body, column] = lever
            distance += float(np.linalg.norm(model.body_pos[ancestor]))
            ancestor = int(model.body_parentid[ancestor])
    return bounds


def _joint_bounds(
    model: mj.MjModel, joint: int, columns: Mapping[int, int], distance: float
) -> list[tuple[int, float]]:
    """(column, bound) for each position of a joint; `distance`: of the points from the origin [m]."""
    address, kind = int(model.jnt_qposadr[joint]), int(model.jnt_type[joint])
    if kind == mj.mjtJoint.mjJNT_FREE.value:
        # A rotation's angle is at most pi times the change of its quaternion.
        return [(columns[address + i], 1.0 if i < 3 else pi * distance) for i in range(7)]
    if address not in columns:
        return []
    slides = kind == mj.mjtJoint.mjJNT_SLIDE.value
    lever = 1.0 if slides else distance + float(np.linalg.norm(model.jnt_pos[joint]))
    return [(columns[address], lever)]


def _max_slide(model: mj.MjModel, joint: int, slides: Mapping[str, float]) -> float:
    if int(model.jnt_type[joint]) != mj.mjtJoint.mjJNT_SLIDE.value:
        return 0.0
    return slides.get(model.joint(joint).name, _UNLIMITED)


_TOUCHING = 1e-3
"""Below this distance, contacts are used as MuJoCo detects them [m]."""
_THIN = 1e-4
"""Below this half side a box is thin, in m and relative to its other sides."""
_MEMORY = 1 << 26
"""Memory for contacts [bytes]; the machine allocates only the memory in use."""


class Clearances:
    """Measures the clearances of the robots of one world.

    Args:
        world: the world; its free bodies other than robots are ignored.
        frames, joints: names of all frames and joints, in the engine's order.
    """

    def __init__(self, world: World, frames: Sequence[str], joints: Sequence[str]) -> None:
        fixed = replace(world, bodies=tuple(_relevant_bodies(world)), hands=())
        spec = Builder(fixed, EngineSettings(1.0), Notes()).spec
        spec.memory = memory_of(spec, _MEMORY)
        _replace_boxes(spec)
        self._model = model = _compile(spec, fixed, world.hands)
        self._data = mj.MjData(model)
        tables = make_tables(fixed, model)
        self._is_link = [kind is BodyKind.DRIVEN for kind in tables.body_kinds]
        frame_index = {name: i for i, name in enumerate(frames)}
        self._frame_of = {body: frame_index[name] for body, name in _frame_names(tables)}
        self._joint_indices = np.array([joints.index(name) for name in tables.joints], np.intp)
        self._addresses = tables.joint_positions
        self._bases = {name: base.position for name, base in tables.bases.items()}
        self._slides = {
            joint_name(body, joint): max(abs(joint.lower), abs(joint.upper))
            for body in fixed.bodies
            for joint in body.joints
            if joint.lower is not None and joint.upper is not None
        }
        self._positions = self._data.qpos
        self._body_of_geom: list[int] = model.geom_bodyid.tolist()
        self._segment = np.zeros(6)
        self._detected_reach, self._measured_reach = (-1.0, -1.0), -1.0
        self._known_margins: dict[tuple[float, float], tuple[Floats, Floats]] = {}
        self._resting: dict[Pair, Nearest] = {}

    def rows(
        self, positions: Floats, reach: float, bases: Mapping[str, Floats] = MappingProxyType({})
    ) -> Floats:
        """Return (n, 9) rows as `Engine.clearances`.

        Args:
            positions: positions of all joints of the engine [rad or m].
            reach: maximum distance of pairs that are reported [m].
            bases: robot whose base is not fixed -> (7,) pose of its root link.
        """
        self._detect(positions, (reach, reach), bases)
        if reach != self._measured_reach:
            self._measure_resting(reach)
        near = self._resting
        if self._data.ncon:
            near = self._nearest_contacts() | near
        if not near:
            return no_rows(CLEARANCES)
        frame = self._frame_of
        return np.array(
            [(frame[a], frame[b], n.distance, *n.point, *n.normal) for (a, b), n in near.items()]
        )

    def near_pairs(
        self, positions: Floats, reach: tuple[float, float], bases: Mapping[str, Floats]
    ) -> dict[Pair, tuple[float, int]]:
        """Map (frame of a link, frame of a near body) to a lower bound of the distance [m] and the contact's number.

        The distance is exact if the bodies touch. Pairs of bodies that cannot move are left out.

        Args:
            positions, bases: as for `rows`.
            reach: maximum distance from static bodies, and from other links [m].
        """
        self._detect(positions, reach, bases)
        found: dict[Pair, tuple[float, int]] = {}
        if self._data.ncon:
            contacts, frame = self._data.contact, self._frame_of
            distances = contacts.dist.tolist()
            for i, (geom, other) in enumerate(contacts.geom.tolist()):
                first, second = self._pair(geom, other)
                key, near = (frame[first], frame[second]), (distances[i], i)
                if key not in found or near < found[key]:
                    found[key] = near
        return found

    def point(self, contact: int) -> list[float]:
        """Position of a contact that the last call of `near_pairs` found [m]."""
        position: list[float] = self._data.contact.pos[contact].tolist()
        return position

    def _detect(
        self, positions: Floats, reach: tuple[float, float], bases: Mapping[str, Floats]
    ) -> None:
        """Detect all contacts within the reach of static bodies and of links."""
        model, data = self._model, self._data
        self._positions[self._addresses] = positions[self._joint_indices]
        for name, pose in bases.items():
            start = self._bases[name]
            self._positions[start : start + 7] = pose
        mj.mj_kinematics(model, data)
        if reach != self._detected_reach:
            self._detected_reach = reach
            model.body_margin[:], model.geom_margin[:] = self._margins(reach)
        mj.mj_collision(model, data)

    def _margins(self, reach: tuple[float, float]) -> tuple[Floats, Floats]:
        """The margins of bodies and of geoms; MuJoCo adds the margins of the two partners of a pair."""
        if reach not in self._known_margins:
            static, links = reach
            of_bodies = np.where(self._is_link, links / 2.0, static - links / 2.0)
            self._known_margins[reach] = of_bodies, of_bodies[self._model.geom_bodyid]
        return self._known_margins[reach]

    def levers(self, joints: int, bases: Sequence[str]) -> dict[int, Floats]:
        """Frame of each link -> (n + 7 b,) bounds on the displacement of its points [m] per unit of each position.

        Args:
            joints: number of the engine's joints.
            bases: robots whose base poses follow the joints in the array.
        """
        columns = dict(zip(self._addresses.tolist(), self._joint_indices.tolist(), strict=True))
        for i, name in enumerate(bases):
            columns |= {self._bases[name] + k: joints + 7 * i + k for k in range(7)}
        bounds = levers(self._model, columns, joints + 7 * len(bases), self._slides)
        return {
            self._frame_of[body]: bounds[body] for body in self._frame_of if self._is_link[body]
        }

    def move(self, frame: str, pose: Floats) -> None:
        """Move a static body to a pose (7,) in the world."""
        body = self._model.body(frame).id
        self._model.body_pos[body], self._model.body_quat[body] = pose[:3], pose[3:7]
        self._measured_reach = -1.0  # resting bodies must be measured again

    def _measure_resting(self, reach: float) -> None:
        model, self._measured_reach = self._model, reach
        # MuJoCo does not collide resting bodies with each other; their distance is constant.
        resting = np.flatnonzero(model.body_weldid[model.geom_bodyid] == 0).tolist()
        links = [geom for geom in resting if self._is_link[self._body_of_geom[geom]]]
        statics = [geom for geom in resting if not self._is_link[self._body_of_geom[geom]]]
        self._resting = {}
        self._measure(product(links, statics), self._resting)

    def _nearest_contacts(self) -> dict[Pair, Nearest]:
        """The nearest contact of each pair of bodies."""
        contacts = self._data.contact
        distances: list[float] = contacts.dist.tolist()
        geoms: list[list[int]] = contacts.geom.tolist()
        deepest: dict[Pair, int] = {}
        separate: dict[tuple[int, int], None] = {}
        for i, distance in enumerate(distances):
            first, second = geoms[i]
            if distance > _TOUCHING:
                separate[first, second] = None
                continue
            pair = self._pair(first, second)
            if pair not in deepest or distance < distances[deepest[pair]]:
                deepest[pair] = i
        nearest: dict[Pair, Nearest] = {}
        if deepest:
            normals, points = contacts.frame.tolist(), contacts.pos.tolist()
            for pair, i in deepest.items():
                sign = 1.0 if self._body_of_geom[geoms[i][1]] == pair[0] else -1.0
                nearest[pair] = _from_contact(distances[i], points[i], normals[i], sign)
        # For separate bodies MuJoCo may report contacts of a separating plane instead of the nearest points.
        self._measure(separate, nearest)
        return nearest

    def _pair(self, geom: int, other: int) -> Pair:
        """The bodies of two geoms; the first is a link and, if both are links, the one farther from the root."""
        first, second = self._body_of_geom[geom], self._body_of_geom[other]
        if self._is_link[first] and (not self._is_link[second] or first > second):
            return first, second
        return second, first

    def _measure(self, geoms: Iterable[tuple[int, int]], nearest: dict[Pair, Nearest]) -> None:
        """Measure pairs of geoms; add the nearest pair of each two bodies within reach to `nearest`."""
        model, data, segment, reach = self._model, self._data, self._segment, self._measured_reach
        for geom, other in geoms:
            pair = self._pair(geom, other)
            if self._body_of_geom[geom] != pair[0]:
                geom, other = other, geom
            distance = float(mj.mj_geomDistance(model, data, other, geom, reach, segment))
            if distance < reach and (pair not in nearest or distance < nearest[pair].distance):
                nearest[pair] = nearest_points(data, *pair, distance, segment.tolist())


def _relevant_bodies(world: World) -> Iterator[Body]:
    """The static bodies, and the robots with bases and joints that follow commands."""
    for body in world.bodies:
        if body.robot:
            joints = tuple(replace(joint, drive=FOLLOW) for joint in body.joints)
            yield replace(body, joints=joints, base=Base.FIXED if body.static else Base.FOLLOWED)
        elif body.static:
            yield body


def _from_contact(
    distance: float, midpoint: list[float], frame: list[float], sign: float
) -> Nearest:
    """The nearest points of a contact; `frame` starts with the normal from the contact's first geom to its second."""
    nx, ny, nz = sign * frame[0], sign * frame[1], sign * frame[2]
    half, (x, y, z) = distance / 2.0, midpoint
    return Nearest(distance, (x - half * nx, y - half * ny, z - half * nz), (nx, ny, nz))


def _replace_boxes(spec: Any) -> None:
    """Replace boxes by meshes: MuJoCo's detection of two separate boxes misses some pairs that are near.

    Boxes that are too thin for a mesh are kept.
    """
    for i, geom in enumerate(spec.geoms):
        is_thin = min(geom.size) < _THIN * max(1.0, *geom.size)
        if geom.type == mj.mjtGeom.mjGEOM_BOX and not is_thin:
            corners = list(product(*((-half, half) for half in geom.size)))
            mesh = spec.add_mesh(name=f"box {i}", uservert=np.ravel(corners))
            geom.type, geom.meshname = mj.mjtGeom.mjGEOM_MESH, mesh.name


def _compile(spec: Any, fixed: World, hands: Iterable[HandFrame]) -> mj.MjModel:
    """Compile a model in which links collide with static bodies, and with each other unless the pair is excluded."""
    model = spec.compile()
    tables = make_tables(fixed, model)
    robots = [body for body in fixed.bodies if body.robot]
    for robot in robots:
        _exclude(spec, model, near_links(robot, hands, model, tables))
    model = _set_collisions(spec.compile(), tables, BodyKind.DRIVEN)
    for robot in robots:
        _exclude(spec, model, common_overlaps(robot, model))
    return _set_collisions(spec.compile(), tables, BodyKind.DRIVEN, BodyKind.STATIC)


def _exclude(spec: Any, model: mj.MjModel, pairs: Iterable[Pair]) -> None:
    for first, second in pairs:
        spec.add_exclude(bodyname1=model.body(first).name, bodyname2=model.body(second).name)


def _set_collisions(model: mj.MjModel, tables: Tables, *kinds: BodyKind) -> mj.MjModel:
    """Let links collide with bodies of these kinds; returns the model."""
    solid = model.body_geomnum > 0
    model.body_contype[:] = solid & [kind is BodyKind.DRIVEN for kind in tables.body_kinds]
    model.body_conaffinity[:] = solid & [kind in kinds for kind in tables.body_kinds]
    model.geom_contype[:] = model.body_contype[model.geom_bodyid]
    model.geom_conaffinity[:] = model.body_conaffinity[model.geom_bodyid]
    return model


def _frame_names(tables: Tables) -> list[tuple[int, str]]:
    """Id and frame name of each body that has geoms."""
    return [(b, tables.frames[tables.body_frames[b]]) for b, g in enumerate(tables.geoms) if g]
