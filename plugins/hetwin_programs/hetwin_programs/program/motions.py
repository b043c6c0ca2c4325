"""Plans motions of joints, and of a hand to a pose or along a straight line; positions and grip of fingers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from hetwin_programs.program.facts import HandFacts, RobotFacts, seen_from, within
from hetwin_programs.program.messages import CannotReach, Pose
from hetwin_suite.model import one_of
from hetwin_suite.robot import FEWER_STARTS, Chain, JointTrajectory, MoveLimits, PartialIK, move

Floats = NDArray[np.float64]

_STEP_S = 0.02
"""Time between the points of a straight line."""
_ACCELERATION_RATIO = 4.0
"""Ratio of acceleration to velocity [1/s]; the jerk is ten times that."""
_JUMP = 0.5
"""Change of a joint between two points of a line above which the arm would jump [rad or m]."""


class Motions:
    """Plans motions of one robot, starting from the commanded positions of its joints.

    Args:
        facts: facts about the robot.

    Attributes:
        commanded: positions of the joints at the end of the plan so far [rad or m].
        starts: number of postures from which inverse kinematics is attempted.
    """

    def __init__(self, facts: RobotFacts) -> None:
        self._facts = facts
        self.commanded = {name: joint.start for name, joint in facts.joints.items()}
        self._chains: dict[str, Chain] = {}
        self._reaches: dict[str, PartialIK] = {}
        self.starts = FEWER_STARTS

    def pose_of(self, link: str, joints: Mapping[str, float]) -> Pose:
        """Return a link's pose in the root link's frame, for these positions of the joints.

        Raises:
            ValueError: if the robot has no such link.
        """
        chain = self._chain(link)
        positions = np.array([joints.get(name, 0.0) for name in chain.joints])
        return tuple(chain.place(positions).pose.tolist())

    def hand_pose(self, hand: str, joints: Mapping[str, float]) -> Pose:
        """Return a hand's pose in the root link's frame, for these positions of the joints."""
        facts = self._facts.hands[hand]
        return within(self.pose_of(facts.link, joints), facts.offset)

    def to_positions(
        self, goal: Mapping[str, float], share: float, seconds: float | None = None
    ) -> JointTrajectory:
        """Plan a synchronized motion of some joints.

        Args:
            goal: positions by joint [rad or m].
            share: share of the joints' maximum velocities.
            seconds: minimum duration [s]; None: as fast as possible.

        Raises:
            ValueError: if the program may not move one of the joints.
            CannotReach: if a position is beyond a joint's limits.
        """
        for name, position in goal.items():
            self._check(name, position)
        names = tuple(goal)
        start = np.array([self.commanded[name] for name in names])
        motion = move(
            names, start, np.array(list(goal.values()), np.float64), self._limits(names, share)
        )
        self.commanded.update(goal)
        return _stretched(motion, seconds)

    def hand_to(
        self, hand: str, pose: Sequence[float], share: float, seconds: float | None
    ) -> JointTrajectory:
        """Plan a motion of a hand's arm to a pose in the root link's frame.

        Raises:
            CannotReach: if the hand cannot reach the pose.
        """
        positions = self._solved(hand, pose, self._current(hand), "be at")
        return self.to_positions(self._arm_only(hand, positions), share, seconds)

    def hand_along(
        self, hand: str, pose: Sequence[float], speed: float, seconds: float | None
    ) -> JointTrajectory:
        """Plan a straight motion of a hand to a pose in the root link's frame.

        Args:
            hand: name of the hand.
            pose: final pose.
            speed: mean velocity along the line [m/s]; the rotation takes the same time.
            seconds: duration [s]; None: from the speed. The motion takes longer if a joint cannot follow.

        Raises:
            CannotReach: if the hand cannot reach a point of the line.
        """
        joints = self._current(hand)
        start = self.hand_pose(hand, self.commanded)
        length = float(np.linalg.norm(np.subtract(pose[:3], start[:3])))
        duration = max(0.2, length / speed) if seconds is None else seconds
        count = max(2, round(duration / _STEP_S))
        shares = np.arange(count + 1) / count
        rows = [joints]
        for share in (shares**3 * (10 - 15 * shares + 6 * shares**2)).tolist()[1:]:
            joints = self._solved(
                hand, _between(start, pose, share), rows[-1], "move in a straight line through"
            )
            if np.abs(joints - rows[-1]).max() > _JUMP:
                raise CannotReach(
                    f"{hand} cannot go straight to {_pose_words(pose)}: its arm would have to switch configuration"
                )
            rows.append(joints)
        arm = self._arm_only(hand, joints)
        index = [self._chain(self._facts.hands[hand].link).joints.index(name) for name in arm]
        positions = np.array(rows)[:, index]
        times = shares * duration
        velocities = np.gradient(positions, times, axis=0)
        velocities[0] = velocities[-1] = 0.0
        self.commanded.update(arm)
        limits = np.array([self._facts.joints[name].speed for name in arm])
        line = JointTrajectory(tuple(arm), times, positions, velocities)
        return _stretched(line, duration * float((np.abs(velocities) / limits).max(initial=0.0)))

    def _solved(self, hand: str, pose: Sequence[float], start: Floats, verb: str) -> Floats:
        facts = self._facts.hands[hand]
        offset_inverse = seen_from(facts.offset, (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0))
        target = within(pose, offset_inverse)
        found = self._reach(facts.link).solve(np.array(target), start, self.starts)
        if not found.solved:
            raise CannotReach(
                f"{hand} cannot {verb} {_pose_words(pose)}, seen from the robot's root link;"
                f" the closest solution is off by {found.distance:.3f} m and {found.angle:.2f} rad"
            )
        return found.positions

    def _current(self, hand: str) -> Floats:
        chain = self._chain(self._facts.hands[hand].link)
        return np.array([self.commanded.get(name, 0.0) for name in chain.joints])

    def _arm_only(self, hand: str, positions: Floats) -> dict[str, float]:
        names = self._chain(self._facts.hands[hand].link).joints
        pairs = zip(names, positions.tolist(), strict=True)
        return {name: position for name, position in pairs if name in self._facts.joints}

    def _limits(self, names: Sequence[str], share: float) -> MoveLimits:
        joints = [self._facts.joints[name] for name in names]
        velocity = share * np.array([joint.speed for joint in joints])
        acceleration = np.minimum(
            _ACCELERATION_RATIO * velocity, [joint.acceleration for joint in joints]
        )
        return MoveLimits(velocity, acceleration, 10.0 * acceleration)

    def _check(self, name: str, position: float) -> None:
        joint = self._facts.joints.get(name)
        if joint is None:
            raise ValueError(
                f"no joint {name} that the program may move; expected {one_of(name, self._facts.joints)}"
            )
        if not joint.lower - 1e-6 <= position <= joint.upper + 1e-6:
            raise CannotReach(
                f"{name} cannot move to {position:.4g}; expected {joint.lower:.4g} to {joint.upper:.4g}"
            )

    def _chain(self, link: str) -> Chain:
        if link not in self._facts.links:
            raise ValueError(
                f"the robot has no link {link}; expected {one_of(link, self._facts.links)}"
            )
        if link not in self._chains:
            self._chains[link] = Chain(self._facts.links[link])
        return self._chains[link]

    def _reach(self, link: str) -> PartialIK:
        if link not in self._reaches:
            chain = self._chain(link)
            moving = np.array([name in self._facts.joints for name in chain.joints], np.bool_)
            self._reaches[link] = PartialIK(chain, moving)
        return self._reaches[link]


def _stretched(motion: JointTrajectory, seconds: float | None) -> JointTrajectory:
    """Slow a motion down to a minimum duration [s]."""
    if seconds is None or seconds <= motion.duration or motion.duration == 0.0:
        return motion
    factor = seconds / motion.duration
    velocities, accelerations = motion.velocities, motion.accelerations
    return JointTrajectory(
        motion.names,
        motion.times * factor,
        motion.positions,
        None if velocities is None else velocities / factor,
        None if accelerations is None else accelerations / factor**2,
    )


def _between(start: Sequence[float], end: Sequence[float], share: float) -> Pose:
    """Interpolate between two poses, linearly and along the shorter rotation."""
    a, b = np.array(start), np.array(end, np.float64)
    if float(a[3:] @ b[3:]) < 0.0:
        b[3:] = -b[3:]
    mixed = a + share * (b - a)
    mixed[3:] /= np.linalg.norm(mixed[3:])
    return tuple(mixed.tolist())


def _pose_words(pose: Sequence[float]) -> str:
    return "(" + ", ".join(f"{number:.3f}" for number in pose) + ")"


GRIPPED = 2e-3
"""Minimum distance from its commanded position at which a stopped finger is gripping [rad or m]."""
_OPEN, _CLOSED = "open", "closed"


class Fingers:
    """The fingers of a robot's hands.

    Args:
        facts: facts about the robot.
    """

    def __init__(self, facts: RobotFacts) -> None:
        self._facts = facts

    def hand(self, name: str) -> HandFacts:
        """Return a hand.

        Raises:
            ValueError: if the robot has no such hand.
        """
        hands = self._facts.hands
        if name not in hands:
            raise ValueError(f"the robot has no hand {name}; expected {one_of(name, hands)}")
        return hands[name]

    def of(self, hand: str) -> list[str]:
        """Return the fingers of a hand that the program may move.

        Raises:
            ValueError: if there is no such hand, or it has no such fingers.
        """
        fingers = [name for name in self.hand(hand).fingers if name in self._facts.joints]
        if not fingers:
            raise ValueError(
                f"the hand {hand} has no fingers; expected hands.{hand}.joints in the scenario"
            )
        return fingers

    def goals(self, hand: str, goal: str | float) -> dict[str, float]:
        """Return the fingers' positions for ``open``, ``closed`` or a position of all fingers [rad or m].

        Raises:
            ValueError: if the goal is none of these, or its positions are unknown.
        """
        fingers, facts = self.of(hand), self.hand(hand)
        if not isinstance(goal, str):
            return dict.fromkeys(fingers, float(goal))
        if goal not in (_OPEN, _CLOSED):
            raise ValueError(f"unknown goal {goal} for a hand; expected open, closed or a position")
        positions = facts.opened if goal == _OPEN else facts.closed
        if not positions:
            key = f"hands.{hand}.{'opened' if goal == _OPEN else 'closed'}"
            raise ValueError(
                f"the {goal} positions of the fingers of {hand} are unknown;"
                f" expected {key} in the scenario, or a position"
            )
        known = dict(zip(facts.fingers, positions, strict=True))
        return {name: known[name] for name in fingers}

    def direction(self, hand: str, goals: Mapping[str, float], now: Mapping[str, float]) -> str:
        """Return ``open`` if the goals are nearer to open than the current positions, else ``closed``."""
        facts = self.hand(hand)
        opened = dict(zip(facts.fingers, facts.opened, strict=False))
        for name, goal in goals.items():
            end = opened.get(name, 0.0)
            if abs(goal - end) < abs(now[name] - end):
                return _OPEN
        return _CLOSED

    def grip(self, hand: str, joints: Mapping[str, float], commanded: Mapping[str, float]) -> bool:
        """Whether something stops the fingers before their commanded positions."""
        return any(abs(joints[name] - commanded[name]) > GRIPPED for name in self.of(hand))
