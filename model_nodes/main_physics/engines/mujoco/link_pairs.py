"""Selects pairs of a robot's links whose contacts are not reported, as motion planners do.

Links with at most `NEIGHBOURS` moving joints between them are neighbours, and links of one hand belong together. Links
that overlap in a large share of all postures do so only because their geometry is coarse: no robot is built to hit
itself in every third posture.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import TypeAlias

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.mujoco.tables import Tables
from model_nodes.main_physics.world.description import (
    Body,
    HandFrame,
    Joint,
    JointKind,
    frame_name,
    joint_name,
)

Pair: TypeAlias = tuple[int, int]
"""Ids of two bodies."""

NEIGHBOURS = 2
"""Maximum number of moving joints between links that are neighbours."""
POSTURES = 100
"""Number of random postures that are tested for overlaps."""
COMMON_SHARE = 1.0 / 3.0
"""Links that overlap in a larger share of the postures are excluded."""
_SEED = 1


def near_links(
    robot: Body, hands: Iterable[HandFrame], model: mj.MjModel, tables: Tables
) -> list[Pair]:
    """Return the pairs of links with geoms that are neighbours or belong to the same hand."""
    of_hands = [set(hand.members) for hand in hands]
    names = {tables.body_of(n): n for n in (frame_name(robot, link.name) for link in robot.links)}
    solid = sorted(body for body in names if tables.geoms[body])
    paths = {body: set(_path_to_root(model, body)) for body in solid}
    return [
        (first, second)
        for first, second in combinations(solid, 2)
        if len(paths[first] ^ paths[second]) <= NEIGHBOURS
        or any({names[first], names[second]} <= members for members in of_hands)
    ]


def _path_to_root(model: mj.MjModel, body: int) -> Iterator[int]:
    """The rigid parts between a link and the world, starting with the link's own; each is moved by one joint."""
    part = int(model.body_weldid[body])
    while part:
        yield part
        part = int(model.body_weldid[model.body_parentid[part]])


def common_overlaps(robot: Body, model: mj.MjModel) -> set[Pair]:
    """Return the pairs of bodies, among those that collide in `model`, that overlap in many random postures."""
    overlaps: Counter[Pair] = Counter()
    data = mj.MjData(model)
    names = [joint_name(robot, joint) for joint in robot.driven_joints]
    addresses = [int(model.joint(name).qposadr[0]) for name in names]
    for positions in _postures(robot.driven_joints):
        data.qpos[addresses] = positions
        mj.mj_kinematics(model, data)
        mj.mj_collision(model, data)
        bodies = model.geom_bodyid[data.contact.geom[data.contact.dist < 0.0]]
        overlaps.update({(min(pair), max(pair)) for pair in bodies.tolist()})
    return {pair for pair, count in overlaps.items() if count > COMMON_SHARE * POSTURES}


def _postures(joints: tuple[Joint, ...]) -> Iterator[Floats]:
    """Random positions of all joints within their limits, the same in every process."""
    generator = np.random.default_rng(_SEED)
    ranges = np.array([_range(joint) for joint in joints]).reshape(-1, 2)
    index = {joint.name: i for i, joint in enumerate(joints)}
    mimics = [
        (i, index[joint.mimic.joint], joint.mimic)
        for i, joint in enumerate(joints)
        if joint.mimic is not None and joint.mimic.joint in index
    ]
    for _ in range(POSTURES):
        positions = generator.uniform(ranges[:, 0], ranges[:, 1])
        for i, mimicked, mimic in mimics:
            positions[i] = positions[mimicked] * mimic.multiplier + mimic.offset
        yield positions


def _range(joint: Joint) -> tuple[float, float]:
    reach = np.pi if joint.kind is JointKind.HINGE else 0.0
    lower = -reach if joint.lower is None else joint.lower
    upper = reach if joint.upper is None else joint.upper
    return min(lower, upper), max(lower, upper)
