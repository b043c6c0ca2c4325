"""Collision checks of planned motions: a robot's links against the scene, and against each other."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import pairwise

import mujoco as mj
import numpy as np

from hetwin_programs.program.facts import RobotFacts, seen_from
from hetwin_suite.model import Entity, Floats
from hetwin_suite.robot import Chain, JointTrajectory
from hetwin_suite.shapes import add_shapes

CLEARANCE = 0.005
"""Default clearance: entities that come closer than this collide [m]."""
_MAX_PENETRATION = 0.002
"""Maximum penetration of objects that may be touched [m]."""
_STEP = 0.04
"""Maximum step of a joint between two postures that are checked [rad or m]."""
_WORLD, _ROBOT = 1, 2
"""Bits of contacts: a robot's links collide with the world and each other, those of a hand not with each other."""
_MAX_JOINTS_BETWEEN = 2
"""Links with at most this many joints between them are not checked against each other."""


class Surroundings:
    """The scene at one moment, in which motions of a robot are checked for collisions.

    Pairs that touch at the start are never reported.

    Args:
        facts: kinematic data of the robot.
        entities: entities of the scene, by name.
        pose_of: returns the pose of an entity, (7,) or more.
        joints: position of the robot's joints, by name [rad or m].
        clearance: entities that come closer than this collide [m].
        carried: hand by the entity that it carries; the entity moves with the hand's link.
    """

    def __init__(
        self,
        facts: RobotFacts,
        entities: Mapping[str, Entity],
        pose_of: Callable[[str], Floats],
        joints: Mapping[str, float],
        clearance: float = CLEARANCE,
        carried: Mapping[str, str] | None = None,
    ) -> None:
        spec, carried = mj.MjSpec(), carried or {}
        for entity in entities.values():
            if entity.name in carried or entity.owner == facts.name:
                continue
            if any(shape.collides for shape in entity.shapes):
                pose = pose_of(entity.name)[:7].tolist()
                body = spec.worldbody.add_body(name=entity.name, pos=pose[:3], quat=pose[3:])
                add_shapes(spec, body, entity, _WORLD, 0, clearance)
        root = pose_of(facts.name)[:7].tolist()
        self._links = _add_robot(spec, facts, entities, root, clearance)
        for name, hand in carried.items():
            pose_in_root = seen_from(root, pose_of(name)[:7].tolist())
            _add_carried(
                spec, facts.hands[hand].link, facts, entities[name], pose_in_root, joints, clearance
            )
        self._model = spec.compile()
        self._data = mj.MjData(self._model)
        names = [self._model.body(i).name for i in range(self._model.nbody)]
        self._body_of_geom = [names[body] for body in self._model.geom_bodyid.tolist()]
        joint_names = [self._model.joint(i).name for i in range(self._model.njnt)]
        self._joint_index = {name: i for i, name in enumerate(joint_names)}
        self._left_out = set(_neighbours(facts, self._links))
        self._left_out |= {pair for pair, _ in self._pairs(joints)}

    def first_touched(
        self,
        motion: JointTrajectory,
        joints: Mapping[str, float],
        ignored: Collection[str] = (),
        touches: Collection[str] = (),
    ) -> tuple[str, ...]:
        """Return the first two entities that collide during a motion; empty if none do.

        Args:
            motion: of some joints.
            joints: position of the other joints, by name [rad or m].
            ignored: entities that are not checked.
            touches: entities that may be touched, but not penetrated.
        """
        for row in _postures(motion):
            now = {**joints, **dict(zip(motion.names, row, strict=True))}
            for pair, distance in self._pairs(now):
                names = tuple(sorted(self._links.get(name, name) for name in pair))
                fine = {*ignored, *(touches if distance > -_MAX_PENETRATION else ())}
                if pair not in self._left_out and fine.isdisjoint(names):
                    return names
        return ()

    def _pairs(self, joints: Mapping[str, float]) -> Iterator[tuple[frozenset[str], float]]:
        """Yield pairs of bodies that are near each other, and their distance [m], negative for a penetration."""
        for name, position in joints.items():
            i = self._joint_index.get(name)
            if i is not None:
                self._data.qpos[i] = position
        mj.mj_kinematics(self._model, self._data)
        mj.mj_comPos(self._model, self._data)
        mj.mj_collision(self._model, self._data)
        contacts = self._data.contact
        for pair, distance in zip(contacts.geom.tolist(), contacts.dist.tolist(), strict=True):
            yield frozenset(self._body_of_geom[geom] for geom in pair), distance


def _add_robot(
    spec: mj.MjSpec,
    facts: RobotFacts,
    entities: Mapping[str, Entity],
    root: Sequence[float],
    clearance: float,
) -> dict[str, str]:
    """Add the robot's tree of links; returns the entity by body, for links with a collision shape."""
    hands, links = _hand_links(facts), {}
    own = {name: entity for name, entity in entities.items() if entity.owner == facts.name}
    bodies = {"": spec.worldbody.add_body(name="the robot's root", pos=root[:3], quat=root[3:])}
    for name in sorted(facts.links, key=lambda link: len(facts.links[link])):
        segments = facts.links[name]
        if not segments:
            continue
        above = segments[-2].link if len(segments) > 1 else ""
        segment, body_name = segments[-1], f"link {name}"
        pose = list(segment.pose)
        body = bodies[name] = bodies[above].add_body(name=body_name, pos=pose[:3], quat=pose[3:])
        body.mass, body.inertia, body.explicitinertial = 1.0, [1.0, 1.0, 1.0], True
        if segment.joint:
            kind = mj.mjtJoint.mjJNT_SLIDE if segment.slides else mj.mjtJoint.mjJNT_HINGE
            body.add_joint(
                name=segment.joint, type=kind, axis=list(segment.axis), pos=list(segment.anchor)
            )
        entity = own.get(name) or own.get(f"{facts.name}::{name}")
        if entity is not None and any(shape.collides for shape in entity.shapes):
            links[body_name] = entity.name
            meets = _WORLD if name in hands else _WORLD | _ROBOT
            add_shapes(spec, body, entity, _ROBOT, meets, clearance)
    return links


def _add_carried(
    spec: mj.MjSpec,
    link: str,
    facts: RobotFacts,
    entity: Entity,
    pose_in_root: Sequence[float],
    joints: Mapping[str, float],
    clearance: float,
) -> None:
    """Fix an entity to the link of a hand, at a pose in the frame of the robot's root."""
    chain = Chain(facts.links[link])
    positions = np.array([joints.get(name, 0.0) for name in chain.joints])
    pose = list(seen_from(chain.place(positions).pose.tolist(), pose_in_root))
    body = spec.body(f"link {link}").add_body(name=entity.name, pos=pose[:3], quat=pose[3:])
    add_shapes(spec, body, entity, _ROBOT, _WORLD, clearance)


def _hand_links(facts: RobotFacts) -> set[str]:
    """Return the links of all hands: those that hands or fingers are attached to, and their descendants."""
    roots = {hand.link for hand in facts.hands.values()}
    fingers = {name for hand in facts.hands.values() for name in hand.fingers}
    for segments in facts.links.values():
        for before, segment in pairwise(segments):
            if segment.joint in fingers:
                roots.add(before.link)
    return {
        name
        for name, segments in facts.links.items()
        if name in roots or any(segment.link in roots for segment in segments)
    }


def _neighbours(facts: RobotFacts, links: Mapping[str, str]) -> Iterator[frozenset[str]]:
    """Yield pairs of links with at most `_MAX_JOINTS_BETWEEN` joints between them."""
    names = {body: body.removeprefix("link ") for body in links}
    paths = {body: [s.joint for s in facts.links[name] if s.joint] for body, name in names.items()}
    for one, joints in paths.items():
        for other, other_joints in paths.items():
            common = sum(1 for a, b in zip(joints, other_joints, strict=False) if a == b)
            if len(joints) + len(other_joints) - 2 * common <= _MAX_JOINTS_BETWEEN:
                yield frozenset((one, other))


def _postures(motion: JointTrajectory) -> Iterator[Sequence[float]]:
    """Yield positions of a motion in steps of at most `_STEP`, the end first, because it is blocked most often."""
    rows = motion.positions
    yield rows[-1].tolist()
    last = rows[0]
    yield last.tolist()
    for row in rows[1:]:
        steps = int(np.floor(float(np.abs(row - last).max()) / _STEP))
        for i in range(1, steps + 1):
            yield (last + i / steps * (row - last)).tolist()
        last = row if steps else last
