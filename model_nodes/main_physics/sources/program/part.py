"""A program of the robot as the source of its motion, also of its base, with pictures for it."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.beliefs import LOC, BeliefFields, belief_event
from hetwin_core.ensemble.errors import BadInput, RunFailed
from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.ensemble.own_modules import distrusted_by, refusal
from hetwin_core.ensemble.scenario.robot import FollowedBase
from hetwin_core.ensemble.scenario.source import ProgramSpec
from hetwin_core.ensemble.scene.values import POSE_SIZE, WORLD
from hetwin_core.ensemble.topics import BELIEFS
from hetwin_core.kinematics.base_moves import BaseMove, BaseState
from hetwin_core.kinematics.planar import PlanarPose
from hetwin_core.kinematics.trajectories.execution import TrajectoryExecution
from model_nodes.camera.detector import PICTURE, detections, frame_of
from model_nodes.main_physics.settings import NamedHand
from model_nodes.main_physics.sources.commanded_base import told_start
from model_nodes.main_physics.sources.part import BaseMotion, JointMotion, Part, Placement
from model_nodes.main_physics.sources.program.process import (
    ProgramGone,
    ProgramProcess,
    Silent,
    movable,
    robot_facts,
)
from model_nodes.main_physics.wheels import odometry_state
from model_nodes.main_physics.world.description import Body, Pose
from model_nodes.robot_program.facts import Functions, Ready, RobotFacts, Start
from model_nodes.robot_program.messages import (
    HeldThing,
    Picture,
    ProgramEnd,
    Reply,
    Request,
    SensedState,
    Sighting,
)


class ProgramBase:
    """Follows one move after the other; each falls short by a share of its way, and odometry does not notice.

    Args:
        pose: where the root link is at first, in the world.
        start: place and heading instead; None: those of the pose.
        slip: the share.
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
        """Begin a move at a time [s] from where the base believes to be; one that goes on ends there."""
        state = self._at(time)
        self._true, self._from = self._truly(state.pose), move.start
        self._move = move, time

    def moves(self, time: float) -> bool:
        """Whether a move goes on at a time [s]."""
        return self._move is not None and time - self._move[1] <= self._move[0].duration

    def root(self, time: float) -> Pose:
        """Where the root link is at a time [s], by odometry."""
        return self._in_space(self._at(time).pose)

    def motion(self, time: float) -> BaseMotion:
        """The state of the base at a time [s]."""
        state = self._at(time)
        there, data = self._truly(state.pose), np.zeros(POSE_SIZE)
        data[:7] = self._in_space(there)
        forward = self._share * state.forward
        data[7], data[8] = forward * math.cos(there.yaw), forward * math.sin(there.yaw)
        data[12] = state.turn
        odometry = odometry_state(_relative(self._first, state.pose), state.forward, state.turn)
        return BaseMotion(data, odometry)

    def _at(self, time: float) -> BaseState:
        if self._move is None:
            return BaseState(self._first)
        move, begin = self._move
        return move.at(time - begin)

    def _truly(self, believed: PlanarPose) -> PlanarPose:
        """Pose of the base for a pose of odometry."""
        x, y, turn = _relative(self._from, believed)
        there = self._true.offset(self._share * x, self._share * y)
        return PlanarPose(there.x, there.y, there.yaw + turn)

    def _in_space(self, place: PlanarPose) -> Pose:
        x, y, _, w, i, j, k = place.in_space.tolist()
        return x, y, self._height, w, i, j, k


def _relative(frame: PlanarPose, place: PlanarPose) -> PlanarPose:
    """A place as seen from another one."""
    dx, dy = place.x - frame.x, place.y - frame.y
    c, s = math.cos(frame.yaw), math.sin(frame.yaw)
    return PlanarPose(c * dx + s * dy, c * dy - s * dx, place.yaw - frame.yaw)


def pictures_in(
    events: Iterable[Event], links: Mapping[str, str], sensed: SensedState
) -> Iterator[Picture]:
    """Yield the pictures of the robot's cameras, and of those that stand in the world.

    Args:
        events: of all models.
        links: the scene's name of a link of the robot -> its own.
        sensed: present sensor values.
    """
    for event in events:
        if event.kind is not EventKind.MODEL or event.name != PICTURE:
            continue
        frame = frame_of(event)
        if not frame or frame in links:
            found = (Sighting(one.object, one.pose, one.confidence) for one in detections(event))
            yield Picture(event.source, links.get(frame, ""), tuple(found), sensed)


_PROGRAM = "program"
_IMPORT_S = 30.0
"""A module may take so long to be imported [s of real time]."""
_TELLING_NS = 100_000_000
"""Period of the robot's beliefs about its place, and about what it holds [ns]."""
_CALLS = 1000
"""Calls without a time between them; a program that makes more lets no time pass."""


class ProgramPart(Part):
    """Lets a program move the robot: it gets the robot's sensors, and reports tasks and beliefs.

    Between two of its calls no simulated time passes; while a call takes time, the program waits.

    Args:
        spec: which program.
        robot: that it moves.
        hands: of the robot, by name.
        scope: before the ids of the robot's tasks, where there are several robots.
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
        self._links = {n: link.name for link in robot.links for n in _names(robot, link.name)}
        self._process: ProgramProcess | None = None
        self._base = ProgramBase(robot.pose, None, spec.slip)
        self._joints: Mapping[str, float] = {}
        self._pictures: list[Picture] = []
        self._events: list[Event] = []
        self._held: Mapping[str, HeldThing] = {}
        self._told_ns = 0
        self._until_ns, self._until_picture = 0, False
        self._moves_until = 0.0
        self._rest: JointMotion | None = None

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The joints that the program may move."""
        return tuple(joint.name for joint in movable(self._robot))

    def bind_base(self, robot: Body, base: FollowedBase, period_ns: int) -> None:
        """Let the program drive the base.

        Raises:
            BadInput: if its start is unknown.
        """
        start = told_start(base, "a program")
        place = None if start is None else PlanarPose(*start)
        self._base = ProgramBase(robot.pose, place, self._spec.slip)

    def base(self, time_ns: int) -> BaseMotion:
        """Return the state of the base at a time."""
        return self._base.motion(time_ns * 1e-9)

    def bind(
        self, joints: Sequence[str], period_ns: int, resting: Mapping[str, float] | None = None
    ) -> NDArray[np.bool_]:
        """Select the joints and their order for `motion`; returns (joints,) which of them the program may move.

        The program is started here, when it is known where the joints rest.
        """
        own, known = self.joint_names, resting or {}
        driven: NDArray[np.bool_] = np.array([name in own for name in joints], np.bool_)
        at = np.array([known.get(name, 0.0) for name in joints])
        self._execution = TrajectoryExecution(joints, np.where(driven, at, 0.0))
        self._no_efforts = np.full(len(joints), np.nan)
        self._import(robot_facts(self._robot, self._hands, known, self._scope, self._functions))
        return driven

    def motion(self, time_ns: int) -> JointMotion:
        """Return the commanded joints at a time."""
        now = time_ns * 1e-9
        if self._rest is not None and now > self._moves_until:
            return self._rest
        motion = JointMotion(*self._execution.at(now), self._no_efforts)
        self._rest = motion if now > self._moves_until else None
        return motion

    def sense(
        self, time_ns: int, joints: Mapping[str, float], events: Sequence[Event]
    ) -> Placement | None:
        """Let the program go on, if its wait is over.

        Raises:
            RunFailed: if it fails, or does not go on within the deadline.
        """
        self._joints = joints
        if self.end_ns is not None:
            return None
        if any(event.name == PICTURE for event in events):
            self._pictures += pictures_in(events, self._links, self._sensed(time_ns))
        if time_ns >= self._until_ns or (self._until_picture and self._pictures):
            self._go_on(time_ns)
        return None

    def events(self, time_ns: int) -> list[Event]:
        """Return the program's messages, the robot's believed place while it drives, and its load."""
        said = [replace(event, time_ns=time_ns) for event in self._events]
        self._events = []
        if time_ns >= self._told_ns:
            self._told_ns = time_ns - time_ns % _TELLING_NS + _TELLING_NS
            now = time_ns * 1e-9
            if self._base.moves(now):
                root = self._base.root(now)
                said.append(_loc(self._robot.name, WORLD, root, "odometry", time_ns))
            for entity, held in self._held.items():
                said.append(_loc(entity, held.frame, held.pose, "held", time_ns))
        return said

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
            if (refused := refusal(spec.program.partition(":")[0], self._folder)) is not None:
                raise refused
            folder = ""
        self._process = process = ProgramProcess()
        try:
            process.send(Start(spec.program, folder, spec.arguments, facts))
            ready: Ready = process.receive(_IMPORT_S)
        except Silent:
            ready = Ready(
                f"it is not imported within {_IMPORT_S:g} s{process.place()}",
                "a module that can be imported quickly",
            )
        except ProgramGone as gone:
            ready = Ready(f"it cannot be imported: {gone}", "a module that can be imported")
        if ready.problem:
            process.close()
            where, found = "source.program", spec.program
            raise BadInput(ready.problem, where=where, found=found, expected=ready.expected)

    def _go_on(self, time_ns: int) -> None:
        """Exchange messages with the program until it waits for a time to come."""
        process = self._process
        assert process is not None  # it is bound
        begun = time.monotonic()
        for _ in range(_CALLS):
            reply = Reply(self._sensed(time_ns), tuple(self._pictures))
            self._pictures.clear()
            try:
                process.send(reply)
                message = process.receive(begun + self._spec.deadline - time.monotonic())
            except Silent:
                deadline = f"{self._spec.deadline:g} s of real time (source.deadline)"
                self._fail(
                    time_ns, f"it makes no call that takes time within {deadline}{process.place()}"
                )
            except ProgramGone as gone:
                self._fail(time_ns, str(gone))
            if isinstance(message, ProgramEnd):
                self._end(message, time_ns)
                return
            self._take(message, time_ns)
            if self._until_ns > time_ns:
                return
        self._fail(time_ns, f"it makes {_CALLS} calls in a row that take no time{process.place()}")

    def _take(self, request: Request, time_ns: int) -> None:
        """Begin the program's request."""
        now = time_ns * 1e-9
        for motion in request.motions:
            self._execution.follow(motion, now, now)
            self._moves_until = max(self._moves_until, now + motion.duration)
            self._rest = None
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


def _names(robot: Body, link: str) -> tuple[str, str]:
    """The names of a link in the scene: of the only robot, and of one of several."""
    return link, f"{robot.name}::{link}"


def _loc(entity: str, frame: str, pose: tuple[float, ...], origin: str, time_ns: int) -> Event:
    fields = BeliefFields(LOC, (entity,), True, frame, pose, origin=origin)
    return belief_event(fields, time_ns, BELIEFS.logged_name)
