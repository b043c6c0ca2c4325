"""A program of the robot as the source of its motion, including the base; it gets the cameras' pictures."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from hetwin_programs.base_moves import BaseMove, BaseState
from hetwin_programs.camera.detector import PICTURE, detections, frame_of
from hetwin_programs.program.facts import Ready, RobotFacts, Start
from hetwin_programs.program.messages import (
    HeldThing,
    Picture,
    ProgramEnd,
    Reply,
    Request,
    SensedState,
    Sighting,
)
from hetwin_programs.program.process import (
    ProgramExited,
    ProgramProcess,
    ReceiveTimeout,
)
from hetwin_programs.program.robot_facts import movable, robot_facts
from hetwin_programs.trajectory_execution import TrajectoryExecution
from hetwin_suite.engine import POSE_SIZE, Body, Pose
from hetwin_suite.harness import distrusted_by, untrusted_module_error
from hetwin_suite.model import WORLD, BadInput, Event, EventKind, RunFailed
from hetwin_suite.robot import PlanarPose
from hetwin_suite.source import (
    BELIEFS,
    LOC,
    BaseMotion,
    BeliefFields,
    FollowedBase,
    Functions,
    JointMotion,
    NamedHand,
    Part,
    Placement,
    ProgramSpec,
    SourceContext,
    belief_event,
    odometry_state,
    start_of,
)


class ProgramBase:
    """Follows one move after the other; each falls short by a share of its length, which odometry does not notice.

    Args:
        pose: initial pose of the root link in the world.
        start: initial position and heading; None: those of `pose`.
        slip: share of a move that is lost.
    """

    def __init__(self, pose: Pose, start: PlanarPose | None, slip: float) -> None:
        self._height, self._share = pose[2], 1.0 - slip
        heading = math.atan2(
            2.0 * (pose[3] * pose[6] + pose[4] * pose[5]),
            1.0 - 2.0 * (pose[5] ** 2 + pose[6] ** 2),
        )
        self._first = start or PlanarPose(pose[0], pose[1], heading)
        self._from = self._true = self._first
        self._move: tuple[BaseMove, float] | None = None

    def begin_move(self, move: BaseMove, time: float) -> None:
        """Start a move at a time [s] from the pose by odometry; a move that is still running is ended."""
        state = self._at(time)
        self._true, self._from = self._true_pose(state.pose), move.start
        self._move = move, time

    def is_moving(self, time: float) -> bool:
        """Whether a move is running at a time [s]."""
        return self._move is not None and time - self._move[1] <= self._move[0].duration

    def root(self, time: float) -> Pose:
        """The pose of the root link by odometry at a time [s]."""
        return self._in_space(self._at(time).pose)

    def motion(self, time: float) -> BaseMotion:
        """The motion of the base at a time [s]."""
        state = self._at(time)
        true_pose, data = self._true_pose(state.pose), np.zeros(POSE_SIZE)
        data[:7] = self._in_space(true_pose)
        forward = self._share * state.forward
        data[7], data[8] = forward * math.cos(true_pose.yaw), forward * math.sin(true_pose.yaw)
        data[12] = state.turn
        odometry = odometry_state(_relative(self._first, state.pose), state.forward, state.turn)
        return BaseMotion(data, odometry)

    def _at(self, time: float) -> BaseState:
        if self._move is None:
            return BaseState(self._first)
        move, begin = self._move
        return move.at(time - begin)

    def _true_pose(self, believed: PlanarPose) -> PlanarPose:
        """The true pose of the base for a pose by odometry."""
        x, y, angle = _relative(self._from, believed)
        true_pose = self._true.offset(self._share * x, self._share * y)
        return PlanarPose(true_pose.x, true_pose.y, true_pose.yaw + angle)

    def _in_space(self, pose: PlanarPose) -> Pose:
        x, y, _, w, i, j, k = pose.in_space.tolist()
        return x, y, self._height, w, i, j, k


def _relative(frame: PlanarPose, pose: PlanarPose) -> PlanarPose:
    """A pose relative to another one."""
    dx, dy = pose.x - frame.x, pose.y - frame.y
    c, s = math.cos(frame.yaw), math.sin(frame.yaw)
    return PlanarPose(c * dx + s * dy, c * dy - s * dx, pose.yaw - frame.yaw)


def pictures_in(
    events: Iterable[Event], links: Mapping[str, str], sensed: SensedState
) -> Iterator[Picture]:
    """Yield the pictures of the robot's cameras and of static cameras.

    Args:
        events: events of all models.
        links: the scene's name of a link of the robot -> the robot's own name.
        sensed: current sensor values.
    """
    for event in events:
        if event.kind is not EventKind.MODEL or event.name != PICTURE:
            continue
        frame = frame_of(event)
        if not frame or frame in links:
            found = (Sighting(d.object, d.pose, d.confidence) for d in detections(event))
            yield Picture(event.source, links.get(frame, ""), tuple(found), sensed)


def program_part(spec: ProgramSpec, context: SourceContext) -> ProgramPart:
    """Return the part for a scenario's source `program`.

    Raises:
        BadInput: if the program cannot be imported or called.
    """
    (robot,) = context.robots
    return ProgramPart(spec, robot, context.hands, context.scope, context.functions)


_PROGRAM = "program"
_IMPORT_S = 30.0
"""Time limit for the import of a module [s of real time]."""
_BELIEF_PERIOD_NS = 100_000_000
"""Period of the robot's beliefs about its own pose, and about what it holds [ns]."""
_MAX_RUN = 1000
"""Maximum number of calls in a row that take no simulated time."""


class ProgramPart(Part):
    """Lets a program move the robot: it gets the robot's sensors, and reports tasks and beliefs.

    No simulated time passes between two calls of the program; while a call takes simulated time, the program waits.

    Args:
        spec: the scenario's entry, with the program.
        robot: the robot that the program moves.
        hands: hands of the robot, by name.
        scope: prefix of the ids of the robot's tasks, if there are several robots.
        functions: functional attributes of entities.

    Raises:
        BadInput: if the program cannot be imported or called.
    """

    senses = True

    def __init__(
        self,
        spec: ProgramSpec,
        robot: Body,
        hands: Mapping[str, NamedHand],
        scope: str = "",
        functions: Functions | None = None,
    ) -> None:
        self._spec, self._robot, self._hands = spec, robot, hands
        self._folder = Path.cwd() / (spec.folder or "")
        self._scope, self._functions = scope, functions
        self._links = {n: link.name for link in robot.links for n in _scene_names(robot, link.name)}
        self._process: ProgramProcess | None = None
        self._base = ProgramBase(robot.pose, None, spec.slip)
        self._joints: Mapping[str, float] = {}
        self._pictures: list[Picture] = []
        self._events: list[Event] = []
        self._held: Mapping[str, HeldThing] = {}
        self._next_belief_ns = 0
        self._until_ns, self._until_picture = 0, False
        self._moving_until_s = 0.0
        self._rest_motion: JointMotion | None = None

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints that the program may move."""
        return tuple(joint.name for joint in movable(self._robot))

    def bind_base(self, robot: Body, base: FollowedBase, period_ns: int) -> None:
        """Let the program drive the base.

        Raises:
            BadInput: if the start of the base is unknown.
        """
        start = start_of(base, "a program")
        start_pose = None if start is None else PlanarPose(*start)
        self._base = ProgramBase(robot.pose, start_pose, self._spec.slip)

    def base(self, time_ns: int) -> BaseMotion:
        """Return the motion of the base at a time."""
        return self._base.motion(time_ns * 1e-9)

    def bind(
        self, joints: Sequence[str], period_ns: int, resting: Mapping[str, float] | None = None
    ) -> NDArray[np.bool_]:
        """Select the joints and their order for `motion`; returns (joints,) which of them the program may move.

        The program is started here, since the resting positions of the joints are known now.
        """
        movable_names, start = self.joint_names, resting or {}
        driven: NDArray[np.bool_] = np.array([name in movable_names for name in joints], np.bool_)
        positions = np.array([start.get(name, 0.0) for name in joints])
        self._execution = TrajectoryExecution(joints, np.where(driven, positions, 0.0))
        self._no_efforts = np.full(len(joints), np.nan)
        self._import(robot_facts(self._robot, self._hands, start, self._scope, self._functions))
        return driven

    def motion(self, time_ns: int) -> JointMotion:
        """Return the commanded motion of the joints at a time."""
        now = time_ns * 1e-9
        if self._rest_motion is not None and now > self._moving_until_s:
            return self._rest_motion
        motion = JointMotion(*self._execution.at(now), self._no_efforts)
        self._rest_motion = motion if now > self._moving_until_s else None
        return motion

    def sense(
        self, time_ns: int, joints: Mapping[str, float], events: Sequence[Event]
    ) -> Placement | None:
        """Resume the program if its wait is over.

        Raises:
            RunFailed: if the program fails, or does not wait again within the deadline.
        """
        self._joints = joints
        if self.end_ns is not None:
            return None
        if any(event.name == PICTURE for event in events):
            self._pictures += pictures_in(events, self._links, self._sensed(time_ns))
        if time_ns >= self._until_ns or (self._until_picture and self._pictures):
            self._resume(time_ns)
        return None

    def events(self, time_ns: int) -> list[Event]:
        """Return the program's messages, the robot's belief about its pose while it drives, and about its load."""
        messages = [replace(event, time_ns=time_ns) for event in self._events]
        self._events = []
        if time_ns >= self._next_belief_ns:
            self._next_belief_ns = time_ns - time_ns % _BELIEF_PERIOD_NS + _BELIEF_PERIOD_NS
            now = time_ns * 1e-9
            if self._base.is_moving(now):
                root = self._base.root(now)
                messages.append(_location(self._robot.name, WORLD, root, "odometry", time_ns))
            for entity, held in self._held.items():
                messages.append(_location(entity, held.frame, held.pose, "held", time_ns))
        return messages

    def close(self) -> None:
        """End the program's process."""
        if self._process is not None:
            self._process.close()

    def _import(self, facts: RobotFacts) -> None:
        """Start the process, and let it import the program.

        Raises:
            BadInput: if the program cannot be imported or called.
        """
        spec, folder = self._spec, str(self._folder)
        if distrusted_by(self._folder) is not None:
            if (
                refused := untrusted_module_error(spec.program.partition(":")[0], self._folder)
            ) is not None:
                raise refused
            folder = ""
        self._process = process = ProgramProcess()
        try:
            process.send(Start(spec.program, folder, spec.arguments, facts))
            ready: Ready = process.receive(_IMPORT_S)
        except ReceiveTimeout:
            ready = Ready(
                f"it is not imported within {_IMPORT_S:g} s{process.where()}",
                "a module that can be imported quickly",
            )
        except ProgramExited as error:
            ready = Ready(f"it cannot be imported: {error}", "a module that can be imported")
        if ready.problem:
            process.close()
            where, found = "source.program", spec.program
            raise BadInput(ready.problem, where=where, found=found, expected=ready.expected)

    def _resume(self, time_ns: int) -> None:
        """Exchange messages with the program until it waits for a later time."""
        process = self._process
        assert process is not None  # bind has been called
        start_s = time.monotonic()
        for _ in range(_MAX_RUN):
            reply = Reply(self._sensed(time_ns), tuple(self._pictures))
            self._pictures.clear()
            try:
                process.send(reply)
                message = process.receive(start_s + self._spec.deadline - time.monotonic())
            except ReceiveTimeout:
                deadline = f"{self._spec.deadline:g} s of real time (source.deadline)"
                self._fail(
                    time_ns,
                    f"it makes no call that takes time within {deadline}{process.where()}",
                )
            except ProgramExited as error:
                self._fail(time_ns, str(error))
            if isinstance(message, ProgramEnd):
                self._end(message, time_ns)
                return
            self._start(message, time_ns)
            if self._until_ns > time_ns:
                return
        self._fail(
            time_ns, f"it makes {_MAX_RUN} calls in a row that take no time{process.where()}"
        )

    def _start(self, request: Request, time_ns: int) -> None:
        """Start to carry out a request of the program."""
        now = time_ns * 1e-9
        for motion in request.motions:
            self._execution.follow(motion, now, now)
            self._moving_until_s = max(self._moving_until_s, now + motion.duration)
            self._rest_motion = None
        if request.base is not None:
            self._base.begin_move(request.base, now)
        if request.held is not None:
            self._held = request.held
        self._events += request.events
        self._until_ns = time_ns + round(request.seconds * 1e9)
        self._until_picture = request.until_picture

    def _end(self, ended: ProgramEnd, time_ns: int) -> None:
        if ended.problem:
            self._fail(time_ns, ended.problem)
        self._events += ended.events
        self._held = {}
        self.end_ns = time_ns
        self.close()

    def _fail(self, time_ns: int, reason: str) -> NoReturn:
        raise RunFailed(_PROGRAM, self._spec.program, time_ns, reason)

    def _sensed(self, time_ns: int) -> SensedState:
        now = time_ns * 1e-9
        return SensedState(now, self._joints, self._base.root(now))


def _scene_names(robot: Body, link: str) -> tuple[str, str]:
    """The names of a link in the scene: for a single robot, and for one of several robots."""
    return link, f"{robot.name}::{link}"


def _location(entity: str, frame: str, pose: tuple[float, ...], origin: str, time_ns: int) -> Event:
    fields = BeliefFields(LOC, (entity,), True, frame, pose, origin=origin)
    return belief_event(fields, time_ns, BELIEFS.logged_name)
