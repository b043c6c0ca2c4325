"""Plans grasps and releases of objects in the believed scene."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hetwin_commanding.commanded import JointSet
from hetwin_commanding.goals import GraspGoal, ReleaseGoal
from hetwin_commanding.plan import ExpectedEffect, Held, ReleaseEffect
from hetwin_commanding.twin import Twin
from hetwin_programs import (
    JointFacts,
    RobotFacts,
    SkillScene,
    approach,
    grasp,
    release,
    robot_facts,
    seen_from,
    within,
)
from hetwin_suite.model import BadInput, Entity, Floats, Json, one_of
from hetwin_suite.robot import JointTrajectory, PlanarPose, concatenate

_SPARE_M = 2e-3
"""Extra clearance of hands [m], since the rehearsal may differ slightly from the plan."""


@dataclass(frozen=True, slots=True)
class HandAction:
    """A planned grasp or release.

    Attributes:
        motion: motion of the arm and the fingers.
        link: link to which the hand is fixed.
        presses: finger joints that stop at contact.
        expects: expected effects of the motion.
    """

    motion: JointTrajectory
    link: str
    presses: frozenset[str]
    expects: ExpectedEffect


class HandPlanner:
    """Plans for the hands of one robot.

    Args:
        twin: twin of the scenario.
        commanded: joints that may be commanded.
        clearance: distance that the robot keeps from obstacles [m].
        poses: entity -> (7,) pose in the world.
    """

    def __init__(
        self, twin: Twin, commanded: JointSet, clearance: float, poses: Mapping[str, Floats]
    ) -> None:
        self._twin, self._commanded, self._clearance = twin, commanded, clearance
        self._poses = dict(poses)
        self._in_hand: dict[str, tuple[str, tuple[float, ...]]] = {}
        self._entities = {entity.name: entity for entity in twin.entities}

    def plan(
        self, goal: GraspGoal | ReleaseGoal, positions: Mapping[str, float], place: PlanarPose
    ) -> HandAction:
        """Return the motion for a goal, and update the object's pose for the next plan.

        Args:
            goal: the grasp or release.
            positions: joint -> position, of all joints of the robot [rad or m].
            place: pose of its base on the ground.

        Raises:
            BadInput: if the entity or hand does not exist or does not fit the goal, or the hand holds nothing.
            CannotReach: if no hand can reach the object.
        """
        key = "grasp" if isinstance(goal, GraspGoal) else "release"
        hand = self._hand(goal.hand)
        scene = self._scene(positions, place)
        try:
            if isinstance(goal, GraspGoal):
                motion, expects = self._grasp(goal, hand, scene)
            else:
                motion, expects = self._release(goal, hand, scene)
                self._let_go(expects.what, hand, motion, positions, place)
        except ValueError as error:
            raise BadInput(str(error), where=key, found=getattr(goal, key)) from None
        facts = self._facts(positions).hands[hand]
        presses = frozenset(facts.fingers) & frozenset(motion.names)
        return HandAction(motion, facts.link, presses, expects)

    def _grasp(
        self, goal: GraspGoal, hand: str, scene: SkillScene
    ) -> tuple[JointTrajectory, ExpectedEffect]:
        self._entity("grasp", goal.grasp, "pickable")
        arguments: dict[str, Json] = {"hand": hand, "object": goal.grasp, "from": goal.from_}
        arguments |= {"speed": 1.0, "margin": goal.margin, "lift": goal.lift}
        motion = concatenate([approach(scene, arguments), grasp(scene, arguments)])
        x, y, z, *turn = scene.pose(goal.grasp)
        lifted = (x, y, z + goal.lift, *turn)
        self._in_hand[hand] = goal.grasp, seen_from(scene.hand_pose(hand), lifted)
        members = next(one.members for one in self._twin.hands if one.name == hand)
        return motion, Held(goal.grasp, hand, frozenset(members))

    def _release(
        self, goal: ReleaseGoal, hand: str, scene: SkillScene
    ) -> tuple[JointTrajectory, ExpectedEffect]:
        into = self._entity("release", goal.release, "receptacle")
        arguments: dict[str, Json] = {
            "hand": hand,
            "into": goal.release,
            "at": None if goal.at is None else list(goal.at),
        }
        motion = release(scene, arguments | {"speed": 1.0})
        what, _ = self._in_hand[hand]
        robot = frozenset(
            e.name for e in self._entities.values() if e.owner == self._twin.robot.name
        )
        return motion, ReleaseEffect(what, into, robot)

    def _let_go(
        self,
        what: str,
        hand: str,
        motion: JointTrajectory,
        positions: Mapping[str, float],
        place: PlanarPose,
    ) -> None:
        """Store the pose of a released object at the time when the fingers start to open."""
        fingers = [
            i for i, n in enumerate(motion.names) if n in self._facts(positions).hands[hand].fingers
        ]
        held = (motion.positions[:, fingers] == motion.positions[0, fingers]).all(axis=1)
        row = motion.positions[int(np.flatnonzero(held)[-1])].tolist()
        then = dict(positions) | dict(zip(motion.names, row, strict=True))
        self._poses[what] = np.array(self._scene(then, place).pose(what))
        del self._in_hand[hand]

    def _scene(self, positions: Mapping[str, float], place: PlanarPose) -> SkillScene:
        robot = self._twin.robot
        root = np.array(place.in_space)
        root[2] = robot.pose[2]
        poses = {**self._poses, robot.name: root}
        facts = self._facts(positions)
        clearance = self._clearance + _SPARE_M
        scene = SkillScene(facts, positions, poses.__getitem__, 0.0, self._entities, clearance)
        for hand, (what, in_hand) in self._in_hand.items():
            poses[what] = np.array(within(scene.hand_pose(hand), in_hand))
        return scene

    def _facts(self, positions: Mapping[str, float]) -> RobotFacts:
        """Return the facts about the robot for skills: the commanded joints, and their limits."""
        hands = {hand.name: hand for hand in self._twin.settings.hands}
        limits = self._commanded.move_limits
        joints = {
            name: JointFacts(
                positions[name],
                float(self._commanded.lower[i]),
                float(self._commanded.upper[i]),
                float(limits.velocity[i]),
                float(limits.acceleration[i]),
            )
            for i, name in enumerate(self._commanded.names)
        }
        return replace(robot_facts(self._twin.robot, hands, positions), joints=joints)

    def _entity(self, key: str, name: str, attribute: str) -> Entity:
        """Return the entity of a goal.

        Raises:
            BadInput: if it does not exist, or lacks the attribute that the goal needs.
        """
        candidates = sorted(one.name for one in self._entities.values() if attribute in one.tags)
        entity = self._entities.get(name)
        if entity is None:
            raise BadInput(
                "the scene has no such entity",
                where=key,
                found=name,
                expected=one_of(name, candidates) if candidates else "an entity of the world",
            )
        if attribute not in entity.tags:
            others = f"; {attribute} are {', '.join(candidates)}" if candidates else ""
            raise BadInput(
                f"this is not {attribute}",
                where=key,
                found=name,
                expected=f"entities.{name}.attributes.{attribute} in the scenario{others}",
            )
        return entity

    def _hand(self, name: str | None) -> str:
        """Return the hand of a goal.

        Raises:
            BadInput: if there is none, or its fingers may not be commanded.
        """
        hands = {hand.name: hand for hand in self._twin.settings.hands}
        if name is None and len(hands) == 1:
            name = next(iter(hands))
        if name is None or name not in hands:
            known: Sequence[str] = list(hands)
            raise BadInput(
                "the scenario has no such hand" if name else "the goal does not name the hand",
                where="hand",
                found=name,
                expected=one_of(name or "", known) if known else "hands in the scenario",
            )
        if not set(hands[name].joints) & set(self._commanded.names):
            raise BadInput(
                "no group of the scenario's commands has the fingers of this hand",
                where="hand",
                found=name,
                expected=f"{', '.join(hands[name].joints) or 'fingers'} in commands.groups",
            )
        return name
