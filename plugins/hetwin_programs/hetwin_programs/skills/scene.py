"""Input of a skill: the robot's state, the scene, and planners of joint motions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property

import numpy as np
from transforms3d.quaternions import quat2mat

from hetwin_programs.program.facts import RobotFacts, seen_from, within
from hetwin_programs.program.messages import CannotReach
from hetwin_programs.program.motions import Fingers, Motions
from hetwin_programs.skills.hand_shape import HandShape, hand_shape
from hetwin_programs.skills.surroundings import CLEARANCE, Surroundings
from hetwin_suite.model import Entity, EntityKind, Floats
from hetwin_suite.robot import JointTrajectory
from hetwin_suite.shapes import points_of

_QUICK_STARTS = 8
"""Number of start postures of each inverse kinematics problem when many poses are attempted."""


class SkillScene:
    """The scene at the start of an operation.

    Poses are x y z [m], qw qx qy qz in the world. Motions start at the commanded joint positions, and end at rest.

    Args:
        facts: kinematic data of the robot.
        joints: commanded position by joint [rad or m].
        pose_of: returns the pose of an entity of the scene, (7,) or more.
        time: time of the run [s].
        entities: entities of the scene, with their shapes, by name.
        clearance: distance that skills keep from obstacles [m].

    Attributes:
        time: time of the run [s].
        joints: commanded position by joint of the robot [rad or m].
        hands: names of the robot's hands.
        entities: entities of the scene, by name.
        clearance: distance that skills keep from obstacles [m].
    """

    def __init__(
        self,
        facts: RobotFacts,
        joints: Mapping[str, float],
        pose_of: Callable[[str], Floats],
        time: float,
        entities: Mapping[str, Entity] | None = None,
        clearance: float = CLEARANCE,
    ) -> None:
        self.clearance = clearance
        self.time = time
        self.entities = entities or {}
        self.joints = {name: joints[name] for name in facts.joints if name in joints}
        self.hands = tuple(facts.hands)
        self._facts, self._pose_of = facts, pose_of
        self._fingers = Fingers(facts)
        self._motions = Motions(facts)
        self._motions.commanded.update(self.joints)

    def pose(self, entity: str) -> tuple[float, ...]:
        """Return the pose of an object, a link, a hand or a robot.

        Raises:
            ValueError: if the scene has no such entity.
        """
        try:
            return tuple(self._pose_of(entity)[:7].tolist())
        except KeyError:
            raise ValueError(f"the scene has no {entity}; expected an entity with a pose") from None

    def hand_pose(self, hand: str) -> tuple[float, ...]:
        """Return the pose of a hand's grasp frame, between its fingers.

        Raises:
            ValueError: if the robot has no such hand.
        """
        self._fingers.hand(hand)
        return within(self._root, self._motions.hand_pose(hand, self._motions.commanded))

    def held(self, hand: str) -> str | None:
        """Return the object whose bounding box contains the origin of the grasp frame; None if the fingers are open.

        Raises:
            ValueError: if there is no such hand.
        """
        commanded = self._motions.commanded
        opened = dict(
            zip(self._fingers.hand(hand).fingers, self._fingers.hand(hand).opened, strict=False)
        )
        if all(commanded.get(name, at) == at for name, at in opened.items()):
            return None
        position = np.array(self.hand_pose(hand)[:3])
        for entity in self.entities.values():
            if entity.kind is EntityKind.OBJECT and any(shape.collides for shape in entity.shapes):
                points = self.points(entity.name)
                inside = (points.min(axis=0) <= position) & (position <= points.max(axis=0))
                if inside.all():
                    return entity.name
        return None

    def hand_shape(self, hand: str) -> HandShape:
        """Return the approach and closing directions of a hand.

        Raises:
            ValueError: if there is no such hand, or the scenario lacks its data.
        """
        self._fingers.hand(hand)
        return hand_shape(self._facts, hand)

    def points(self, entity: str) -> Floats:
        """Return (n, 3) points in the world [m] whose convex hull is the entity.

        Raises:
            ValueError: if the scene has no such entity, or the entity has no shape.
        """
        pose, known = self.pose(entity), self.entities.get(entity)
        shapes = () if known is None else known.shapes
        own = points_of([shape for shape in shapes if shape.collides] or shapes)
        if not len(own):
            raise ValueError(f"{entity} has no shape; expected an entity with a shape")
        placed: Floats = own @ quat2mat(np.array(pose[3:])).T + pose[:3]
        return placed

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Plan quickly; if planning fails, the next motion starts where it would have started without the attempt."""
        before, starts = dict(self._motions.commanded), self._motions.starts
        self._motions.starts = _QUICK_STARTS
        try:
            yield
        except (CannotReach, ValueError):
            self._motions.commanded.update(before)
            raise
        finally:
            self._motions.starts = starts

    @contextmanager
    def look_ahead(self) -> Iterator[None]:
        """Look ahead: plan quickly; the next motion starts where it would have started without looking ahead."""
        before = dict(self._motions.commanded)
        try:
            with self.attempt():
                yield
        finally:
            self._motions.commanded.update(before)

    def in_the_way(
        self,
        motions: Sequence[JointTrajectory],
        ignored: Collection[str] = (),
        touches: Collection[str] = (),
    ) -> tuple[str, ...]:
        """Return the first two entities that would come closer than the clearance during motions; empty if none do.

        Args:
            motions: motions in sequence, the first from the current joint positions; joints that they do not move, such
                as fingers, stay where earlier plans left them.
            ignored: entities that are not checked.
            touches: entities that may be touched, but not penetrated.
        """
        now = dict(self._motions.commanded)
        for motion in reversed(motions):
            now.update(zip(motion.names, motion.positions[0].tolist(), strict=True))
        for motion in motions:
            touched = self._surroundings.first_touched(motion, now, ignored, touches)
            if touched:
                return touched
            now.update(zip(motion.names, motion.positions[-1].tolist(), strict=True))
        return ()

    @cached_property
    def _surroundings(self) -> Surroundings:
        held = {self.held(hand): hand for hand in self.hands}
        carried = {what: hand for what, hand in held.items() if what is not None}
        return Surroundings(
            self._facts, self.entities, self._pose_of, self.joints, self.clearance, carried
        )

    def fingers(self, hand: str, goal: str | float) -> dict[str, float]:
        """Return a hand's finger positions for a goal: ``open``, ``closed``, or one position of all fingers [rad or m].

        Raises:
            ValueError: if there is no such hand, or the positions for the goal are not known.
        """
        return self._fingers.goals(hand, goal)

    def to_positions(
        self, goal: Mapping[str, float], *, speed: float = 0.5, seconds: float | None = None
    ) -> JointTrajectory:
        """Return a motion of some joints to positions [rad or m], on a straight line in joint space.

        Args:
            goal: position by joint.
            speed: fraction of the joints' maximum velocities.
            seconds: minimum duration.

        Raises:
            ValueError: if there is no such joint.
            CannotReach: if a position is beyond a joint's limits.
        """
        return self._motions.to_positions(goal, speed, seconds)

    def hand_to(
        self,
        hand: str,
        pose: Sequence[float],
        *,
        straight: bool = False,
        speed: float = 0.5,
        seconds: float | None = None,
    ) -> JointTrajectory:
        """Return a motion of a hand to a pose.

        Args:
            hand: one of `hands`.
            pose: pose in the world; three numbers keep the current orientation.
            straight: whether the hand moves on a straight line; else the motion is straight in joint space.
            speed: fraction of the joints' maximum velocities; on a straight line, mean velocity [m/s].
            seconds: duration; in joint space, minimum duration.

        Raises:
            ValueError: if there is no such hand.
            CannotReach: if the hand cannot reach the pose.
        """
        self._fingers.hand(hand)
        whole = [*pose, *self.hand_pose(hand)[3:]] if len(pose) == 3 else pose
        goal = seen_from(self._root, whole)
        if straight:
            return self._motions.hand_along(hand, goal, speed, seconds)
        return self._motions.hand_to(hand, goal, speed, seconds)

    def hand_up(self, hand: str, by: float, *, speed: float) -> JointTrajectory:
        """Return a motion of a hand straight up by a height [m], at a mean velocity [m/s].

        Raises:
            ValueError: if there is no such hand.
            CannotReach: if the hand cannot reach that height.
        """
        x, y, z, *rotation = self.hand_pose(hand)
        return self.hand_to(hand, [x, y, z + by, *rotation], straight=True, speed=speed)

    def rest(self, seconds: float) -> JointTrajectory:
        """Return a motion in which all joints of the robot rest for a time [s]."""
        names, now = tuple(self.joints), self._motions.commanded
        positions = np.array([[now[name] for name in names]] * 2)
        return JointTrajectory(names, np.array([0.0, seconds]), positions)

    @property
    def _root(self) -> tuple[float, ...]:
        return self.pose(self._facts.name)
