"""What a skill is handed: the robot as it is, where things are, and what plans motions of its joints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.kinematics.trajectories.trajectory import JointTrajectory
from model_nodes.robot_program.facts import RobotFacts
from model_nodes.robot_program.fingers import Fingers
from model_nodes.robot_program.motions import Motions
from model_nodes.robot_program.placing import seen_from, within


class SkillScene:
    """The scene at the moment when an operation begins.

    Poses are x y z [m], qw qx qy qz in the world. Motions begin where the joints are, and end at rest.

    Args:
        facts: of the robot.
        joints: where its joints are commanded to be, by name [rad or m].
        pose_of: returns where an entity of the scene is, (7,) or more.
        time: of the run [s].

    Attributes:
        time: of the run [s].
        joints: where the robot's joints are commanded to be, by name [rad or m].
        hands: names of the robot's hands.
    """

    def __init__(
        self,
        facts: RobotFacts,
        joints: Mapping[str, float],
        pose_of: Callable[[str], Floats],
        time: float,
    ) -> None:
        self.time = time
        self.joints = {name: joints[name] for name in facts.joints if name in joints}
        self.hands = tuple(facts.hands)
        self._facts, self._pose_of = facts, pose_of
        self._fingers = Fingers(facts)
        self._motions = Motions(facts)
        self._motions.commanded.update(self.joints)

    def pose(self, entity: str) -> tuple[float, ...]:
        """Return where an object, a link, a hand or a robot is.

        Raises:
            ValueError: if the scene has no such entity.
        """
        try:
            return tuple(self._pose_of(entity)[:7].tolist())
        except KeyError:
            raise ValueError(f"the scene has no {entity}; expected an entity with a pose") from None

    def hand_pose(self, hand: str) -> tuple[float, ...]:
        """Return where a hand is, between its fingers.

        Raises:
            ValueError: if the robot has no such hand.
        """
        self._fingers.hand(hand)
        return within(self._root, self._motions.hand_pose(hand, self._motions.commanded))

    def fingers(self, hand: str, goal: str | float) -> dict[str, float]:
        """Return where the fingers of a hand are when it is ``open``, ``closed``, or all are at a position [rad or m].

        Raises:
            ValueError: if there is no such hand, or it is not known.
        """
        return self._fingers.goals(hand, goal)

    def to_positions(
        self, goal: Mapping[str, float], *, speed: float = 0.5, seconds: float | None = None
    ) -> JointTrajectory:
        """Return a motion of some joints to positions [rad or m], on a straight line between them.

        Args:
            goal: position by joint.
            speed: share of the joints' largest velocities.
            seconds: that it takes, if that is longer.

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
            pose: in the world; three numbers keep its present orientation.
            straight: whether it goes on a straight line; else the joints take their shortest way.
            speed: share of the joints' largest velocities; on a straight line, mean velocity [m/s].
            seconds: that it takes; if the joints take their shortest way, only if that is longer.

        Raises:
            ValueError: if there is no such hand.
            CannotReach: if it cannot be there.
        """
        self._fingers.hand(hand)
        whole = [*pose, *self.hand_pose(hand)[3:]] if len(pose) == 3 else pose
        goal = seen_from(self._root, whole)
        if straight:
            return self._motions.hand_along(hand, goal, speed, seconds)
        return self._motions.hand_to(hand, goal, speed, seconds)

    def rest(self, seconds: float) -> JointTrajectory:
        """Return a motion in which all joints of the robot rest for a time [s]."""
        names = tuple(self.joints)
        positions = np.array([[self.joints[name] for name in names]] * 2)
        return JointTrajectory(names, np.array([0.0, seconds]), positions)

    @property
    def _root(self) -> tuple[float, ...]:
        return self.pose(self._facts.name)
