"""`Robot`: what a program of a robot is handed. It moves, looks, and says what it does and believes.

A program is a function of one argument, ``def program(robot): ...``, and of keyword arguments if the scenario gives
``arguments``; the scenario names it as ``source: {program: MODULE:FUNCTION}``. It runs in lockstep with the twin: a
call that takes simulated time returns when that is over, and thinking takes none. All poses are x y z [m], qw qx qy qz
in the world, as far as the robot knows by its odometry where it is; angles are in rad, times in s.

What each call says, on the topics of a real robot:

=================  =======================================================================================
call               says
=================  =======================================================================================
task               ``tasks``: created, active; then done, failed (with the reason) or cancelled
doing, reach,      ``action_annotations``: begin and end, with ``task`` (an id of its own), ``parent`` (the task
move_hand, drive,  around it) and all keyword arguments
look, move_joints
look               ``beliefs`` of origin ``percept``: loc of each object in each picture; visible of each object
                   until the look is over
drive              ``beliefs``: loc of the robot by its odometry, at the end
believe...         ``beliefs``; of what it believes to hold also loc, 10 times a second
=================  =======================================================================================
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NoReturn

from hetwin_core.ensemble.beliefs import PERCEPT
from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.kinematics.base_moves import BaseMove, base_move, straight_move
from hetwin_core.kinematics.planar import PlanarPose
from hetwin_core.kinematics.trajectories.trajectory import JointTrajectory
from model_nodes.robot_program.errors import NotOfRobots
from model_nodes.robot_program.facts import RobotFacts
from model_nodes.robot_program.messages import Held, Picture, Pose, Request, Sensed, Twin
from model_nodes.robot_program.motions import Motions
from model_nodes.robot_program.pictures import Percept, in_world, percepts
from model_nodes.robot_program.placing import planar, seen_from, within
from model_nodes.robot_program.tasks import Task
from model_nodes.robot_program.telling import VISIBLE, Telling

GRIPPED = 2e-3
"""Fingers that stay further from where they are to be hold something [rad or m]."""
_SETTLING_S = 0.3
"""Fingers are given so long to come to rest."""
_OPEN, _CLOSED = "open", "closed"
_UPRIGHT = (1.0, 0.0, 0.0, 0.0)


class Robot:
    """A robot as its program knows it: its joints, its odometry, its cameras' percepts, and what it believes.

    Attributes:
        name: of the robot in the scene.
        hands: names of its hands.
    """

    def __init__(self, facts: RobotFacts, twin: Twin, sensed: Sensed) -> None:
        self.name = facts.name
        self.hands = tuple(facts.hands)
        self._facts, self._twin, self._sensed = facts, twin, sensed
        self._motions = Motions(facts)
        self._telling = Telling()
        self._tasks: list[Task] = []
        self._held: dict[str, Held] = {}
        self._holders: dict[str, str] = {}
        self._poses: dict[str, Pose] = {}
        self._ends = sensed.time
        self._going: list[tuple[float, str, Mapping[str, Json]]] = []
        self._standing = planar(sensed.root)

    def __getattr__(self, name: str) -> NoReturn:
        calls = [each for each in vars(type(self)) if not each.startswith("_")]
        raise NotOfRobots(
            f"a robot has no {name}: its program knows what it senses and perceives;"
            f" expected {one_of(name, sorted(calls))}"
        )

    @property
    def time(self) -> float:
        """Seconds since the start of the run."""
        return self._sensed.time

    @property
    def joints(self) -> Mapping[str, float]:
        """Measured positions of all joints, by name [rad or m]."""
        return self._sensed.joints

    @property
    def place(self) -> PlanarPose:
        """Where its base is by its odometry: x, y [m] and yaw [rad] in the world."""
        return planar(self._sensed.root)

    def hand_pose(self, hand: str) -> Pose:
        """Return where a hand is, by the measured joints and by odometry."""
        self._check_hand(hand)
        return within(self._sensed.root, self._motions.hand_pose(hand, self._sensed.joints))

    def opening(self, hand: str) -> float:
        """Return the mean of the measured positions of a hand's fingers [rad or m]."""
        fingers = self._fingers(hand)
        return sum(self._sensed.joints[name] for name in fingers) / len(fingers)

    def grips(self, hand: str) -> bool:
        """Whether a hand's fingers are stopped by something on their way to where they are to be."""
        commanded = self._motions.commanded
        fingers = self._fingers(hand)
        return any(abs(self._sensed.joints[name] - commanded[name]) > GRIPPED for name in fingers)

    def task(
        self, operation: str, *, goal: str = "", after: Sequence[str | Task] = (), **variables: Json
    ) -> Task:
        """Return a task, a part of the innermost one around it; use it by ``with``, or by `Task.begin` and its ends.

        Args:
            operation: e.g. ``deliver``.
            goal: an expression of what is to hold when it is done, e.g. ``on("box", "tray")``.
            after: tasks, or their ids, that must end before it begins.
            variables: what it is about and what the program believes of it, e.g. ``object="box"``.
        """
        ids = [task.id if isinstance(task, Task) else task for task in after]
        return Task(self._telling, self._tasks, operation, goal, ids, variables)

    @contextmanager
    def doing(self, operation: str, **arguments: Json) -> Iterator[None]:
        """Announce an action, e.g. ``lift``, that goes on during the block; motions in it may have `operation=""`."""
        said = self._begun(operation, arguments)
        try:
            yield
        finally:
            self._over(operation, said)

    def wait(self, seconds: float | None = None) -> None:
        """Let time pass: so many seconds, or until all motions that go on are over."""
        left = max(0.0, self._ends - self.time) if seconds is None else seconds
        self._pass(Request(), left)

    def reach(
        self,
        hand: str,
        pose: Sequence[float],
        *,
        frame: str = "world",
        straight: bool = False,
        speed: float = 0.5,
        seconds: float | None = None,
        wait: bool = True,
        operation: str = "reach",
        **arguments: Json,
    ) -> None:
        """Bring a hand to a pose.

        Args:
            hand: one of `hands`.
            pose: of the hand; three numbers keep its present orientation in the frame.
            frame: of the pose: world; ``hand`` for the hand's own present frame; or a link of the robot.
            straight: whether the hand goes on a straight line; else the joints take their shortest way.
            speed: share of the joints' largest velocities; of a straight line, mean velocity [m/s].
            seconds: that it takes, if that is longer; of a straight line, in any case.
            wait: whether to return at its end; else `wait` waits for it.
            operation: as which it is announced, e.g. lift, carry, lower; empty: not at all.
            arguments: of the announcement, e.g. ``object="cup"``.

        Raises:
            CannotReach: if the hand cannot be there; it has not moved then.
        """
        self._check_hand(hand)
        goal = self._in_root(hand, pose, frame)
        if straight:
            motion = self._motions.hand_along(hand, goal, speed, seconds)
        else:
            motion = self._motions.hand_to(hand, goal, speed, seconds)
        self._move(motion, operation, {"hand": hand, **arguments}, wait)

    def move_hand(
        self,
        hand: str,
        goal: str | float,
        *,
        speed: float = 0.5,
        seconds: float | None = None,
        wait: bool = True,
        operation: str = "move_hand",
        **arguments: Json,
    ) -> bool:
        """Move the fingers of a hand; returns whether they grip something then, see `grips`.

        Args:
            hand: one of `hands`.
            goal: ``open`` or ``closed``, as the scenario's `hands` have it, or a position of all its fingers
                [rad or m].
            speed: share of the fingers' largest velocities.
            seconds: that it takes, if that is longer.
            wait: whether to return when they are at rest.
            operation: as which it is announced, with ``goal`` open or closed; empty: not at all.
            arguments: of the announcement, e.g. ``object="cup"``.
        """
        positions = self._finger_goals(hand, goal)
        said = goal if isinstance(goal, str) else self._said_goal(hand, positions)
        motion = self._motions.to_positions(positions, speed, seconds)
        about: dict[str, Json] = {"hand": hand, "goal": said, **arguments}
        self._move(motion, operation, about, wait, _SETTLING_S)
        return self.grips(hand)

    def move_joints(
        self,
        positions: Mapping[str, float],
        *,
        speed: float = 0.5,
        seconds: float | None = None,
        wait: bool = True,
        operation: str = "",
        **arguments: Json,
    ) -> None:
        """Move joints by name to positions [rad or m], e.g. those of a head or a torso; see `reach`."""
        motion = self._motions.to_positions(positions, speed, seconds)
        self._move(motion, operation, arguments, wait)

    def drive(
        self,
        x: float,
        y: float,
        yaw: float,
        *,
        speed: float | None = None,
        wait: bool = True,
        operation: str = "navigate",
        **arguments: Json,
    ) -> PlanarPose:
        """Drive to a place in the world: turn towards it, drive straight, turn to the heading.

        Args:
            x, y: the place [m].
            yaw: the heading [rad].
            speed: largest velocity [m/s]; default: the base's.
            wait: whether to return at its end.
            operation: as which it is announced; empty: not at all.
            arguments: of the announcement, e.g. ``target="table"``.

        Returns:
            Where the robot believes to be then.
        """
        forward, turn = self._wheels(speed)
        way = base_move(self._standing, PlanarPose(x, y, yaw), forward, turn)
        return self._drive(way, operation, arguments, wait)

    def drive_straight(
        self,
        way: float,
        *,
        speed: float | None = None,
        wait: bool = True,
        operation: str = "navigate",
        **arguments: Json,
    ) -> PlanarPose:
        """Drive forward by a way [m], or backward if it is negative, without turning; see `drive`."""
        forward, _ = self._wheels(speed)
        return self._drive(straight_move(self._standing, way, forward), operation, arguments, wait)

    def look(
        self, *objects: str, seconds: float = 0.5, operation: str = "look", **arguments: Json
    ) -> list[Percept]:
        """Look with all cameras for a time; returns what it perceived, whatever it looked for.

        The robot believes each object to be where it perceived it; see `believed_pose`.

        Args:
            objects: names of what it looks for, for the announcement.
            seconds: how long; at least as long as a camera takes for a picture.
            operation: as which it is announced; the cameras take pictures while their operations go on.
            arguments: of the announcement.
        """
        wanted: dict[str, Json] = {"objects": list(objects)} if objects else {}
        said = self._begun(operation, {**wanted, **arguments})
        end, pictures = self.time + seconds, list[Picture]()
        visible: dict[str, None] = {}
        while self.time < end - _ROUNDING_S:
            taken = self._pass(Request(), end - self.time, until_picture=True)
            self._perceive(taken, visible)
            pictures += taken
        self._over(operation, said)
        for name in visible:
            self._telling.believe(VISIBLE, name, holds=False, origin=PERCEPT)
        found = percepts(pictures, self._motions)
        self._poses.update({one.object: one.pose for one in found if one.object not in self._held})
        return found

    def _perceive(self, pictures: Sequence[Picture], visible: dict[str, None]) -> None:
        """Say what pictures show, and add to what is visible."""
        for picture in pictures:
            for seen in picture.found:
                pose = in_world(picture, self._motions, seen.pose)
                self._telling.perceive(seen.object, pose, seen.confidence)
                if seen.object not in visible:
                    self._telling.believe(VISIBLE, seen.object, origin=PERCEPT)
                    visible[seen.object] = None

    def believe(self, fluent: str, *entities: str, holds: bool = True, origin: str = "") -> None:
        """Believe from now on that a fluent holds of one entity or two, e.g. on, cup, tray; or that it does not."""
        self._telling.believe(fluent, *entities, holds=holds, origin=origin)

    def believe_at(self, entity: str, pose: Sequence[float], *, origin: str = "assumed") -> None:
        """Believe something to be at a pose; three numbers are a place at which it stands upright."""
        where = tuple(map(float, pose)) if len(pose) == 7 else (*map(float, pose), *_UPRIGHT)
        self._poses[entity] = where
        self._telling.believe_at(entity, where, origin=origin)

    def believe_held(self, entity: str, hand: str, *, carried_by: str = "") -> None:
        """Believe that something moves with a hand from now on, as it now is to it, and say so until it is put down.

        Args:
            entity: that is believed to be somewhere.
            hand: that holds it.
            carried_by: what it stands on, if the hand holds that: then the robot believes `on` instead of `held`.
        """
        self._check_hand(hand)
        link = self._facts.hands[hand].link
        self._held[entity] = Held(link, seen_from(self._link_pose(link), self._known(entity)))
        if carried_by:
            self._telling.believe("on", entity, carried_by, origin="carried")
        else:
            self._telling.believe("held", entity, hand, origin="fingers")
            self._holders[entity] = hand

    def believe_put_down(
        self, entity: str, *, on: str = "", at: Sequence[float] | None = None
    ) -> None:
        """Believe that no hand holds something any more, and that it is where the hand has left it.

        Args:
            entity: that was believed to be held.
            on: what it stands on; empty: nothing is said of that.
            at: where it is, if that is not where the hand has left it; see `believe_at`.
        """
        pose = self._known(entity) if at is None else at
        self._held.pop(entity, None)
        hand = self._holders.pop(entity, None)
        if hand is not None:
            self._telling.believe("held", entity, hand, holds=False, origin="fingers")
        self.believe_at(entity, pose, origin="put_down")
        if on:
            self._telling.believe("on", entity, on, origin="put_down")

    def believed_pose(self, entity: str) -> Pose | None:
        """Return where it believes something to be; None: it does not know."""
        held = self._held.get(entity)
        if held is None:
            return self._poses.get(entity)
        return within(self._link_pose(held.frame), held.pose)

    def _known(self, entity: str) -> Pose:
        pose = self.believed_pose(entity)
        if pose is None:
            known = sorted({*self._poses, *self._held})
            raise ValueError(
                f"the robot does not know where {entity} is; expected {one_of(entity, known)},"
                " or believe_at before"
            )
        return pose

    def _pass(
        self, request: Request, seconds: float, *, until_picture: bool = False
    ) -> list[Picture]:
        """Wait, and say meanwhile which actions are over; returns the pictures that were taken."""
        until = self.time + max(0.0, seconds)
        pictures: list[Picture] = []
        while True:
            due = min((end for end, _, _ in self._going), default=until)
            request.seconds = max(0.0, min(until, due) - self.time)
            request.until_picture = until_picture
            request.held = dict(self._held)
            request.events = self._telling.take()
            reply = self._twin.ask(request)
            self._sensed = reply.sensed
            pictures += reply.pictures
            for action in [each for each in self._going if each[0] <= self.time + _ROUNDING_S]:
                self._going.remove(action)
                self._over(*action[1:])
            if self.time >= until - _ROUNDING_S or (until_picture and pictures):
                return pictures
            request = Request()

    def finish(self) -> list[Event]:
        """Return what has not been said yet, at the end of the program."""
        return self._telling.take()

    def _begun(self, operation: str, arguments: Mapping[str, Json]) -> dict[str, Json]:
        """Say that an action begins; returns its arguments."""
        said: dict[str, Json] = dict(arguments)
        if operation:
            said["task"] = self._telling.name(operation)
            if self._tasks:
                said["parent"] = self._tasks[-1].id
            self._telling.action(operation, "begin", said)
        return said

    def _over(self, operation: str, said: Mapping[str, Json]) -> None:
        if operation:
            self._telling.action(operation, "end", said)

    def _move(
        self,
        motion: JointTrajectory,
        operation: str,
        arguments: Mapping[str, Json],
        wait: bool,
        settling: float = 0.0,
    ) -> None:
        said = self._begun(operation, arguments)
        self._go(Request(motions=[motion]), motion.duration + settling, operation, said, wait)

    def _drive(
        self, way: BaseMove, operation: str, arguments: Mapping[str, Json], wait: bool
    ) -> PlanarPose:
        said = self._begun(operation, arguments)
        self._standing = way.goal
        self._go(Request(base=way), way.duration, operation, said, wait)
        if wait:
            self._telling.believe_at(self.name, self._sensed.root, origin="odometry")
        return self.place

    def _go(
        self,
        request: Request,
        seconds: float,
        operation: str,
        said: Mapping[str, Json],
        wait: bool,
    ) -> None:
        end = self.time + seconds
        self._ends = max(self._ends, end)
        self._going.append((end, operation, said))
        self._pass(request, seconds if wait else 0.0)

    def _link_pose(self, link: str) -> Pose:
        return within(self._sensed.root, self._motions.pose_of(link, self._sensed.joints))

    def _in_root(self, hand: str, pose: Sequence[float], frame: str) -> Pose:
        """A pose of a hand in the frame of the root link, from one in a frame."""
        now = self._motions.hand_pose(hand, self._motions.commanded)
        if frame == "world":
            there = seen_from(self._sensed.root, _ORIGIN)
        elif frame == "hand":
            there = now
        else:
            there = self._motions.pose_of(frame, self._motions.commanded)
        if len(pose) not in (3, 7):
            raise ValueError(f"a pose of {len(pose)} numbers; expected x y z, or x y z qw qx qy qz")
        turn = pose[3:] if len(pose) == 7 else seen_from(there, now)[3:]
        return within(there, (*pose[:3], *turn))

    def _check_hand(self, hand: str) -> None:
        if hand not in self.hands:
            raise ValueError(f"the robot has no hand {hand}; expected {one_of(hand, self.hands)}")

    def _fingers(self, hand: str) -> list[str]:
        self._check_hand(hand)
        fingers = [f for f in self._facts.hands[hand].fingers if f in self._facts.joints]
        if not fingers:
            raise ValueError(
                f"the hand {hand} has no fingers; expected hands.{hand}.joints in the scenario"
            )
        return fingers

    def _finger_goals(self, hand: str, goal: str | float) -> dict[str, float]:
        """Where the fingers of a hand are to be."""
        fingers = self._fingers(hand)
        if not isinstance(goal, str):
            return dict.fromkeys(fingers, float(goal))
        facts = self._facts.hands[hand]
        if goal not in (_OPEN, _CLOSED):
            raise ValueError(f"a hand cannot be {goal}; expected open, closed or a position")
        positions = facts.opened if goal == _OPEN else facts.closed
        if not positions:
            said = "opened" if goal == _OPEN else "closed"
            raise ValueError(
                f"it is not known where the fingers of {hand} are then;"
                f" expected hands.{hand}.{said} in the scenario, or a position"
            )
        known = dict(zip(facts.fingers, positions, strict=True))
        return {name: known[name] for name in fingers}

    def _said_goal(self, hand: str, goals: Mapping[str, float]) -> str:
        """Whether a hand opens or closes on its way to these positions of its fingers."""
        facts = self._facts.hands[hand]
        opened = dict(zip(facts.fingers, facts.opened, strict=False))
        before = self._motions.commanded
        opens = (
            abs(at - opened.get(n, 0.0)) < abs(before[n] - opened.get(n, 0.0))
            for n, at in goals.items()
        )
        return _OPEN if any(opens) else _CLOSED

    def _wheels(self, speed: float | None) -> tuple[float, float]:
        if not self._facts.drives:
            raise ValueError(
                "the robot's base does not move; expected base: {odometry: odom} in the scenario"
            )
        forward, turn = self._facts.wheels
        return forward if speed is None else speed, turn


_ORIGIN = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
_ROUNDING_S = 1e-9
