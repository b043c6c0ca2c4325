"""Which links of robots are to be kept apart from which other bodies, chosen as motion planners do.

Links with at most two moving joints between them are neighbours, and links of one hand belong together: their contact
says nothing. Nor does it for links that overlap in a large share of all postures: no robot is built so that it would
hit itself in every third one, so what overlaps there is their coarse geometry.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from typing import TypeAlias

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.mujoco.tables import BodyKind, Tables
from model_nodes.main_physics.world.description import Body, Joint, JointKind, World
from model_nodes.main_physics.world.names import frame_name, joint_name

Pair: TypeAlias = tuple[int, int]
"""Ids of two bodies; the first is a link of a robot."""

NEIGHBOURS = 2
"""Links with at most so many moving joints between them are neighbours."""
POSTURES = 60
"""Postures that are tried: the present one, and random ones within the limits."""
FREE_AFTER = 12
"""Links that have not overlapped in so many postures are not tried in further ones."""
COMMON_SHARE = 1.0 / 3.0
"""Links that overlap in a larger share of the postures are no pair."""
_SEED = 1


def with_statics(tables: Tables) -> list[Pair]:
    """Return (link, static body) for all links of robots and all static bodies."""
    links = [b for b, kind in enumerate(tables.body_kinds) if kind is BodyKind.DRIVEN]
    statics = [b for b, kind in enumerate(tables.body_kinds) if kind is BodyKind.STATIC]
    links, statics = ([b for b in bodies if tables.geoms[b]] for bodies in (links, statics))
    return list(product(links, statics))


def within_robots(world: World, model: mj.MjModel, data: mj.MjData, tables: Tables) -> list[Pair]:
    """Return (link, link nearer to the root) of each robot, as far as their contact means something.

    `data` has the present posture.
    """
    pairs = [
        pair
        for body in world.bodies
        if body.robot
        for pair in _distant_links(world, body, model, tables)
    ]
    common = _common_overlaps(world, model, data, tables, pairs)
    return [pair for pair in pairs if pair not in common]


def path(model: mj.MjModel, pair: Pair) -> set[int]:
    """Return the ids of the joints that move one body of a pair relative to the other."""
    parts = set(_way_to_root(model, pair[0])) ^ set(_way_to_root(model, pair[1]))
    return {int(model.body_jntadr[part]) for part in parts}


def _way_to_root(model: mj.MjModel, body: int) -> Iterator[int]:
    """The rigid parts between a body and the world, its own first; each moves by one joint."""
    part = int(model.body_weldid[body])
    while part:
        yield part
        part = int(model.body_weldid[model.body_parentid[part]])


def _distant_links(world: World, robot: Body, model: mj.MjModel, tables: Tables) -> list[Pair]:
    of_hands = [set(hand.members) for hand in world.hands]
    names = [frame_name(robot, link.name) for link in robot.links]
    links = [(name, tables.body_of(name)) for name in names]
    solid = [(name, link) for name, link in links if tables.geoms[link]]
    return [
        (other, one)
        for (name, one), (other_name, other) in combinations(solid, 2)
        if len(path(model, (other, one))) > NEIGHBOURS
        and not any({name, other_name} <= members for members in of_hands)
    ]


def _common_overlaps(
    world: World, model: mj.MjModel, data: mj.MjData, tables: Tables, pairs: list[Pair]
) -> set[Pair]:
    """The pairs that overlap in a large share of the postures."""
    overlaps = dict.fromkeys(pairs, 0)
    posed = mj.MjData(model)
    for i, qpos in enumerate(_postures(world, model, data), 1):
        posed.qpos[:] = qpos
        mj.mj_kinematics(model, posed)
        for pair in overlaps:
            overlaps[pair] += _overlap(model, posed, tables, pair)
        if i == FREE_AFTER:
            overlaps = {pair: count for pair, count in overlaps.items() if count}
    return {pair for pair, count in overlaps.items() if count > COMMON_SHARE * POSTURES}


def _overlap(model: mj.MjModel, data: mj.MjData, tables: Tables, pair: Pair) -> bool:
    for one in tables.geoms[pair[0]]:
        for other in tables.geoms[pair[1]]:
            if mj.mj_geomDistance(model, data, one, other, 0.0, None) < 0.0:
                return True
    return False


def _postures(world: World, model: mj.MjModel, data: mj.MjData) -> Iterator[Floats]:
    """Positions of everything in the present posture, then in random ones, the same in every process."""
    qpos: Floats = data.qpos.copy()
    yield qpos
    generator = np.random.default_rng(_SEED)
    robots = [body.driven_joints for body in world.bodies if body.robot]
    names = [joint_name(b, j) for b in world.bodies if b.robot for j in b.driven_joints]
    addresses = [int(model.joint(name).qposadr[0]) for name in names]
    for _ in range(POSTURES - 1):
        positions: list[float] = []
        for joints in robots:
            drawn = {joint.name: float(generator.uniform(*_range(joint))) for joint in joints}
            positions += [_position(joint, drawn) for joint in joints]
        qpos[addresses] = positions
        yield qpos


def _position(joint: Joint, drawn: dict[str, float]) -> float:
    mimic = joint.mimic
    if mimic is None or mimic.joint not in drawn:
        return drawn[joint.name]
    return drawn[mimic.joint] * mimic.multiplier + mimic.offset


def _range(joint: Joint) -> tuple[float, float]:
    reach = np.pi if joint.kind is JointKind.HINGE else 0.0
    lower = -reach if joint.lower is None else joint.lower
    upper = reach if joint.upper is None else joint.upper
    return min(lower, upper), max(lower, upper)
