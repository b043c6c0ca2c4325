"""Plans motions to goals: straight lines in joint space within the limits, and given trajectories."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache

import numpy as np

from hetwin_commanding.commanded import JointSet
from hetwin_commanding.goals import (
    BaseGoal,
    GraspGoal,
    JointsGoal,
    ReadGoal,
    ReleaseGoal,
    TipGoal,
    TrajectoryGoal,
)
from hetwin_commanding.handling import HandPlanner
from hetwin_commanding.plan import Plan, Stage
from hetwin_commanding.rehearsal import Refusal, Rule
from hetwin_programs import CannotReach, within
from hetwin_programs.base_moves import base_move
from hetwin_suite.engine import Body
from hetwin_suite.model import BadInput, Floats, Json, one_of
from hetwin_suite.robot import TOLERANCE, JointTrajectory, PartialIK, PlanarPose, chain_to, move
from hetwin_suite.source import MotionState as State

START_TOLERANCE = 0.02
"""Maximum distance between the robot and the start of a given motion [rad or m]."""
_SAMPLES_S = 0.01
"""Sampling period of a motion whose velocities were computed [s]."""


class Planner:
    """Plans for one robot.

    Args:
        robot: description of the robot.
        commanded: joints that may be commanded.
        positions: joint -> present position, of all joints of the robot [rad or m].
        place: present pose of the base in the world.
        handling: makes the planner of grasps and releases; None: there are no such goals.
    """

    def __init__(
        self,
        robot: Body,
        commanded: JointSet,
        positions: Mapping[str, float],
        place: PlanarPose,
        handling: Callable[[], HandPlanner] | None = None,
    ) -> None:
        self._handling = None if handling is None else cache(handling)
        self._robot, self._commanded = robot, commanded
        self._first = self._place = place
        self._positions = dict(positions)
        self._time = 0.0

    def plan(self, goals: Sequence[ReadGoal]) -> tuple[Plan, list[Refusal]]:
        """Return the plan for consecutive goals, which ends before a refused goal, and the refusals.

        Raises:
            BadInput: if a goal names something that the robot does not have.
        """
        start = self._now()
        stages: list[Stage] = []
        for read in goals:
            try:
                stage = self._stage(read)
            except BadInput as error:
                raise (read.placed(error) if error.file is None else error) from None
            if isinstance(stage, Refusal):
                return self._planned(start, stages), [stage]
            stages.append(stage)
            self._time = stage.end
            if stage.base is not None:
                self._place = stage.base.goal
            end = stage.motion.positions[-1].tolist()
            self._positions.update(zip(self._commanded.names, end, strict=True))
        return self._planned(start, stages), []

    def _planned(self, start: Floats, stages: Sequence[Stage]) -> Plan:
        return Plan(self._commanded.names, start, stages, self._first)

    def _now(self) -> Floats:
        return np.array([self._positions[name] for name in self._commanded.names], np.float64)

    def _stage(self, read: ReadGoal) -> Stage | Refusal:
        goal = read.goal
        if isinstance(goal, JointsGoal):
            return self._to_joints(goal)
        if isinstance(goal, TipGoal):
            return self._to_tip(goal)
        if isinstance(goal, TrajectoryGoal):
            assert read.trajectory is not None  # read together with the goal
            return self._along(goal, read.trajectory)
        if isinstance(goal, GraspGoal | ReleaseGoal):
            return self._with_object(goal)
        return self._to_place(goal)

    def _with_object(self, goal: GraspGoal | ReleaseGoal) -> Stage | Refusal:
        assert self._handling is not None  # required for such goals
        try:
            handled = self._handling().plan(goal, self._positions, self._place)
        except CannotReach as error:
            what = goal.grasp if isinstance(goal, GraspGoal) else goal.release
            return Refusal(Rule.UNREACHABLE, what, self._time, str(error), None)
        motion = handled.motion
        index = [self._commanded.names.index(name) for name in motion.names]
        return Stage(
            self._time,
            self._of_all(motion, index),
            frozenset(motion.names),
            handled.link,
            frozenset((handled.expects.what, *goal.touches)),
            presses=handled.presses,
            expects=handled.expects,
        )

    def _to_place(self, goal: BaseGoal) -> Stage:
        if self._commanded.base is None:
            raise BadInput(
                "the scenario lets no base be commanded",
                where="base",
                found=goal.base,
                expected="commands.base in the scenario: the topic that moves the base",
            )
        move = base_move(self._place, PlanarPose(*goal.base), *self._commanded.base_speed)
        resting = np.array([self._now(), self._now()])
        zeros = np.zeros_like(resting)
        times = np.array([0.0, max(move.duration, 1e-3)])
        motion = JointTrajectory(self._commanded.names, times, resting, zeros, zeros)
        return Stage(self._time, motion, frozenset(), touches=frozenset(goal.touches), base=move)

    def _to_joints(self, goal: JointsGoal) -> Stage:
        target = self._now()
        for name, position in goal.joints.items():
            target[self._index(name, f"joints.{name}")] = position
        return self._straight(target, goal, "", frozenset(goal.joints))

    def _index(self, name: str, where: str) -> int:
        names = self._commanded.names
        if name not in names:
            raise BadInput(
                "no group of the scenario's commands has this joint",
                where=where,
                found=name,
                expected=one_of(name, names),
            )
        return names.index(name)

    def _straight(
        self, target: Floats, goal: JointsGoal | TipGoal, link: str, moved: frozenset[str]
    ) -> Stage:
        motion = move(self._commanded.names, self._now(), target, self._commanded.move_limits)
        return Stage(self._time, motion, moved, link, frozenset(goal.touches))

    def _to_tip(self, goal: TipGoal) -> Stage | Refusal:
        links = [link.name for link in self._robot.links]
        for key, name in (("link", goal.link), ("frame", goal.frame)):
            if name is not None and name not in links:
                raise BadInput(
                    "the robot has no such link",
                    where=key,
                    found=name,
                    expected=one_of(name, links),
                )
        chain = chain_to(self._robot, goal.link)
        moving = np.array([name in self._commanded.names for name in chain.joints], np.bool_)
        if not moving.any():
            raise BadInput(
                "no joint that may be commanded moves this link",
                where="link",
                found=goal.link,
                expected="a link behind one of " + ", ".join(self._commanded.names),
            )
        now = np.array([self._positions.get(name, 0.0) for name in chain.joints])
        solution = PartialIK(chain, moving).solve(self._in_root(goal), now)
        if not solution.solved:
            found: dict[str, Json] = {
                "distance": round(solution.distance, 6),
                "angle": round(solution.angle, 6),
            }
            allowed: dict[str, Json] = {"distance": TOLERANCE, "angle": TOLERANCE}
            return Refusal(Rule.UNREACHABLE, goal.link, self._time, found, allowed)
        target = self._now()
        moved = [name for name, moves in zip(chain.joints, moving, strict=True) if moves]
        for name, position in zip(chain.joints, solution.positions.tolist(), strict=True):
            if name in moved:
                target[self._commanded.names.index(name)] = position
        return self._straight(target, goal, goal.link, frozenset(moved))

    def _in_root(self, goal: TipGoal) -> Floats:
        """Return (7,) the pose of a goal in the frame of the root link."""
        pose = np.array(goal.tip, np.float64)
        if goal.frame is None or goal.frame == self._robot.links[0].name:
            return pose
        chain = chain_to(self._robot, goal.frame)
        frame = chain.place(np.array([self._positions.get(name, 0.0) for name in chain.joints]))
        return np.array(within(frame.pose.tolist(), pose.tolist()))

    def _along(self, goal: TrajectoryGoal, given: JointTrajectory) -> Stage | Refusal:
        index = [self._index(name, "trajectory") for name in given.names]
        here = self._now()[index]
        if given.times[0] <= 0.0:
            away = np.abs(given.positions[0] - here)
            worst = int(away.argmax())
            if away[worst] > START_TOLERANCE:
                return Refusal(
                    Rule.START,
                    given.names[worst],
                    self._time,
                    round(float(away[worst]), 6),
                    START_TOLERANCE,
                )
        zeros = np.zeros(len(here))
        motion = self._of_all(given.after(State(here, zeros, zeros), 0.0), index)
        return Stage(self._time, motion, frozenset(given.names), "", frozenset(goal.touches))

    def _of_all(self, motion: JointTrajectory, index: Sequence[int]) -> JointTrajectory:
        """Extend a motion to all commanded joints; joints that it does not move rest."""
        times = motion.times
        if motion.accelerations is None:
            count = max(2, int(np.ceil(motion.duration / _SAMPLES_S)) + 1)
            times = np.union1d(np.linspace(0.0, motion.duration, count), times)
        state = motion.sample(times)
        points = np.zeros((3, len(times), len(self._commanded.names)))
        points[0] = self._now()
        points[:, :, list(index)] = state
        return JointTrajectory(self._commanded.names, times, points[0], points[1], points[2])
