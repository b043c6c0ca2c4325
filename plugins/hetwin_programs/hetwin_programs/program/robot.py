"""`Robot`: the interface of a robot for its program: it moves, looks, and reports tasks and beliefs.

A program is a function of one argument, ``def program(robot): ...``, and of keyword arguments if the scenario gives
``arguments``; the scenario names it as ``source: {program: MODULE:FUNCTION}``. It runs in lockstep with the twin: a
call that takes simulated time returns when that time is over; computation takes no simulated time. All poses are x y z
[m], qw qx qy qz in the world according to the robot's odometry; angles are in rad, times in s.

Messages of each call, on the topics of a real robot:

=================  =======================================================================================
call               messages
=================  =======================================================================================
task               ``tasks``: created, active; then done, failed (with the reason) or cancelled
doing, reach,      ``action_annotations``: begin and end, with ``task`` (an id of its own), ``parent`` (the task
move_hand, drive,  around it) and all keyword arguments
look, move_joints
look               ``beliefs`` of origin ``percept``: loc of each object in each picture; visible of each object
                   until the end of the look
drive              ``beliefs``: loc of the robot by its odometry, 10 times a second and at the end
believe...         ``beliefs``; of held objects also loc, 10 times a second
=================  =======================================================================================
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NoReturn

from hetwin_programs.base_moves import BaseMove, base_move, straight_move
from hetwin_programs.program.beliefs import Beliefs, Percept, in_world, percepts
from hetwin_programs.program.execution import Execution
from hetwin_programs.program.facts import RobotFacts, planar, seen_from, within
from hetwin_programs.program.messages import (
    NotOfRobots,
    Picture,
    Pose,
    Request,
    SensedState,
    Twin,
)
from hetwin_programs.program.motions import Fingers, Motions
from hetwin_programs.program.tasks import VISIBLE, Task
from hetwin_suite.model import FUNCTIONAL_WORDS, Event, Json, one_of
from hetwin_suite.robot import PlanarPose
from hetwin_suite.source import PERCEPT

_SETTLING_S = 0.3
"""Time for fingers to come to rest [s]."""
_ORIGIN = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


class Robot:
    """A robot as its program knows it: its joints, its odometry, its cameras' percepts, and its beliefs.

    Attributes:
        name: name of the robot in the scene.
        hands: names of its hands.
    """

    def __init__(self, facts: RobotFacts, twin: Twin, sensed: SensedState) -> None:
        self.name = facts.name
        self.hands = tuple(facts.hands)
        self._drives, self._speeds = facts.drives, facts.wheels
        self._motions, self._fingers = Motions(facts), Fingers(facts)
        self._beliefs = Beliefs(self._link_pose)
        self._functions = facts.functions
        self._execution = Execution(twin, sensed, lambda: self._beliefs.held, facts.scope)
        self._outbox = self._execution.outbox

    def __getattr__(self, name: str) -> NoReturn:
        known = [each for each in (*vars(Robot), "name", "hands") if not each.startswith("_")]
        raise NotOfRobots(
            f"a robot has no {name}: its program knows what it senses and perceives;"
            f" expected {one_of(name, sorted(known))}"
        )

    @property
    def time(self) -> float:
        """Seconds since the start of the run."""
        return self._execution.sensed.time

    @property
    def joints(self) -> Mapping[str, float]:
        """Measured positions of all joints, by name [rad or m]."""
        return self._execution.sensed.joints

    @property
    def place(self) -> PlanarPose:
        """Pose of the base by odometry: x, y [m] and yaw [rad] in the world."""
        return planar(self._execution.sensed.root)

    def good_for(self, attribute: str) -> tuple[str, ...]:
        """Return the names of entities with a functional attribute, e.g. openable, in the order of the scenario.

        Raises:
            NotOfRobots: if there is no such attribute.
        """
        if attribute not in FUNCTIONAL_WORDS:
            known = one_of(attribute, FUNCTIONAL_WORDS)
            raise NotOfRobots(f"there is no functional attribute {attribute}; expected {known}")
        return tuple(name for name, given in self._functions.items() if attribute in given)

    def functions(self, entity: str) -> Mapping[str, Mapping[str, Json]]:
        """Return the functional attributes of an entity, each with its parameters; empty if there are none.

        For example ``{"openable": {"joint": "door", "closed": 0.0, "opened": 1.5, "threshold": 0.1}}``.
        """
        return self._functions.get(entity, {})

    def hand_pose(self, hand: str) -> Pose:
        """Return the pose of a hand in the world, from the measured joints and odometry."""
        self._fingers.hand(hand)
        return within(self._execution.sensed.root, self._motions.hand_pose(hand, self.joints))

    def opening(self, hand: str) -> float:
        """Return the mean of the measured positions of a hand's fingers [rad or m]."""
        fingers = self._fingers.of(hand)
        return sum(self.joints[name] for name in fingers) / len(fingers)

    def grips(self, hand: str) -> bool:
        """Whether something stops a hand's fingers before their commanded positions."""
        return self._fingers.grip(hand, self.joints, self._motions.commanded)

    def task(
        self, operation: str, *, goal: str = "", after: Sequence[str | Task] = (), **variables: Json
    ) -> Task:
        """Return a task within the innermost active one, for a ``with`` block.

        Without a ``with`` block, call `Task.begin` and `Task.end`.

        Args:
            operation: for example ``deliver``.
            goal: expression that must hold when the task is done, for example ``on("box", "tray")``.
            after: tasks, or their ids, that must end before this one starts.
            variables: the task's subject and the program's beliefs about it, for example ``object="box"``.
        """
        ids = [task.id if isinstance(task, Task) else task for task in after]
        return Task(self._outbox, self._execution.tasks, operation, goal, ids, variables)

    @contextmanager
    def doing(self, operation: str, **arguments: Json) -> Iterator[None]:
        """Announce an action, for example ``lift``, during a block; motions in the block may have `operation=""`."""
        announcement = self._execution.begin(operation, arguments)
        try:
            yield
        finally:
            self._execution.end(operation, announcement)

    def wait(self, seconds: float | None = None) -> None:
        """Let a time pass [s], or wait until all motions in progress are over."""
        if seconds is None:
            self._execution.wait_for_all()
        else:
            self._execution.wait(seconds)

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
        """Move a hand to a pose.

        Args:
            hand: one of `hands`.
            pose: pose of the hand; with three numbers the hand keeps its current orientation in the frame.
            frame: frame of the pose: world; ``hand`` for the hand's own current frame; or a link of the robot.
            straight: whether the hand moves along a straight line; otherwise the joints move directly.
            speed: share of the joints' maximum velocities; for a straight line, mean velocity [m/s].
            seconds: minimum duration [s]; for a straight line, the duration.
            wait: whether to return only at the end; otherwise call `wait`.
            operation: operation to announce, for example lift, carry, lower; empty: no announcement.
            arguments: arguments of the announcement, for example ``object="cup"``.

        Raises:
            CannotReach: if the hand cannot reach the pose; it has not moved then.
        """
        self._fingers.hand(hand)
        goal = self._in_root(hand, pose, frame)
        if straight:
            motion = self._motions.hand_along(hand, goal, speed, seconds)
        else:
            motion = self._motions.hand_to(hand, goal, speed, seconds)
        request, about = Request(motions=[motion]), {"hand": hand, **arguments}
        self._execution.go(request, motion.duration, operation, about, wait=wait)

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
        """Move the fingers of a hand; returns whether they grip something afterwards, see `grips`.

        Args:
            hand: one of `hands`.
            goal: ``open`` or ``closed`` as defined by the scenario's `hands`, or a position of all fingers
                [rad or m].
            speed: share of the fingers' maximum velocities.
            seconds: minimum duration [s].
            wait: whether to return only when the fingers are at rest.
            operation: operation to announce, with ``goal`` open or closed; empty: no announcement.
            arguments: arguments of the announcement, for example ``object="cup"``.
        """
        positions = self._fingers.goals(hand, goal)
        direction = self._fingers.direction(hand, positions, self._motions.commanded)
        motion = self._motions.to_positions(positions, speed, seconds)
        about: dict[str, Json] = {
            "hand": hand,
            "goal": goal if isinstance(goal, str) else direction,
            **arguments,
        }
        lasts = motion.duration + _SETTLING_S
        self._execution.go(Request(motions=[motion]), lasts, operation, about, wait=wait)
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
        """Move joints by name to positions [rad or m], for example those of a head or a torso; see `reach`."""
        motion = self._motions.to_positions(positions, speed, seconds)
        request = Request(motions=[motion])
        self._execution.go(request, motion.duration, operation, arguments, wait=wait)

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
        """Drive to a pose in the world: rotate towards it, drive straight, rotate to the heading.

        Args:
            x, y: position [m].
            yaw: heading [rad].
            speed: maximum velocity [m/s]; default: the base's.
            wait: whether to return only at the end.
            operation: operation to announce; empty: no announcement.
            arguments: arguments of the announcement, for example ``target="table"``.

        Returns:
            The pose at the end, as the robot believes.
        """
        forward, turn = self._fastest(speed)
        drive = base_move(self.place, PlanarPose(x, y, yaw), forward, turn)
        return self._drive(drive, operation, arguments, wait)

    def drive_straight(
        self,
        distance: float,
        *,
        speed: float | None = None,
        wait: bool = True,
        operation: str = "navigate",
        **arguments: Json,
    ) -> PlanarPose:
        """Drive forward by a distance [m], or backward if it is negative, without rotating; see `drive`."""
        forward, _ = self._fastest(speed)
        return self._drive(straight_move(self.place, distance, forward), operation, arguments, wait)

    def look(
        self, *objects: str, seconds: float = 0.5, operation: str = "look", **arguments: Json
    ) -> list[Percept]:
        """Look with all cameras for a time; returns all percepts, not only those of the named objects.

        The robot then believes each object to be where it was perceived; see `believed_pose`.

        Args:
            objects: names of wanted objects, for the announcement.
            seconds: duration [s]; at least the time that a camera needs for a picture.
            operation: operation to announce; the cameras take pictures during operations that their settings name.
            arguments: arguments of the announcement.
        """
        wanted: dict[str, Json] = {"objects": list(objects)} if objects else {}
        announcement = self._execution.begin(operation, {**wanted, **arguments})
        end, pictures = self.time + seconds, list[Picture]()
        visible: dict[str, None] = {}
        while not self._execution.is_at(end):
            taken = self._execution.wait(end - self.time, until_picture=True)
            self._perceive(taken, visible)
            pictures += taken
        self._execution.end(operation, announcement)
        for name in visible:
            self._outbox.believe(VISIBLE, name, holds=False, origin=PERCEPT)
        found = percepts(pictures, self._motions)
        for one in found:
            self._beliefs.perceived(one.object, one.pose)
        return found

    def believe(self, fluent: str, *entities: str, holds: bool = True, origin: str = "") -> None:
        """Believe from now on that a fluent holds, or does not, for one or two entities, for example on, cup, tray."""
        self._outbox.believe(fluent, *entities, holds=holds, origin=origin)

    def believe_at(self, entity: str, pose: Sequence[float], *, origin: str = "assumed") -> None:
        """Believe an entity to be at a pose; three numbers are a position at which it stands upright."""
        self._beliefs.place(self._outbox, entity, pose, origin)

    def believe_held(self, entity: str, hand: str, *, carried_by: str = "") -> None:
        """Believe that an entity moves with a hand from now on, and report this until it is put down.

        Args:
            entity: entity with a believed pose.
            hand: hand that holds it.
            carried_by: its support, if the hand holds the support; the robot then believes `on` instead of `held`.
        """
        link = self._fingers.hand(hand).link
        self._beliefs.hold(self._outbox, entity, hand, link, carried_by)

    def believe_put_down(
        self, entity: str, *, on: str = "", at: Sequence[float] | None = None
    ) -> None:
        """Believe that no hand holds an entity any more, and that it stays where the hand has left it.

        Args:
            entity: entity that was believed to be held.
            on: its support; empty: not reported.
            at: its pose, if the hand has not left it at the current one; see `believe_at`.
        """
        self._beliefs.put_down(self._outbox, entity, on, at)

    def believed_pose(self, entity: str) -> Pose | None:
        """Return the believed pose of an entity; None if it is unknown."""
        return self._beliefs.pose(entity)

    def finish(self) -> list[Event]:
        """Return the unsent messages; called at the end of the program."""
        return self._outbox.take()

    def _perceive(self, pictures: Sequence[Picture], visible: dict[str, None]) -> None:
        """Report the percepts in pictures, and add them to the visible objects."""
        for picture in pictures:
            for seen in picture.found:
                pose = in_world(picture, self._motions, seen.pose)
                self._outbox.perceive(seen.object, pose, seen.confidence)
                if seen.object not in visible:
                    self._outbox.believe(VISIBLE, seen.object, origin=PERCEPT)
                    visible[seen.object] = None

    def _drive(
        self, move: BaseMove, operation: str, arguments: Mapping[str, Json], wait: bool
    ) -> PlanarPose:
        request = Request(base=move)
        self._execution.go(
            request, move.duration, operation, arguments, wait=wait, then=self._arrive
        )
        return self.place

    def _arrive(self) -> None:
        self._outbox.believe_at(self.name, self._execution.sensed.root, origin="odometry")

    def _fastest(self, speed: float | None) -> tuple[float, float]:
        """Maximum velocities of the base: forward [m/s], about z [rad/s]."""
        if not self._drives:
            raise ValueError(
                "the robot's base does not move; expected base: {odometry: odom} in the scenario"
            )
        forward, turn = self._speeds
        return forward if speed is None else speed, turn

    def _link_pose(self, link: str) -> Pose:
        return within(self._execution.sensed.root, self._motions.pose_of(link, self.joints))

    def _in_root(self, hand: str, pose: Sequence[float], frame: str) -> Pose:
        """Transform a hand's pose from a named frame to the root link's frame."""
        now = self._motions.hand_pose(hand, self._motions.commanded)
        if frame == "world":
            origin = seen_from(self._execution.sensed.root, _ORIGIN)
        elif frame == "hand":
            origin = now
        else:
            origin = self._motions.pose_of(frame, self._motions.commanded)
        if len(pose) not in (3, 7):
            raise ValueError(f"a pose of {len(pose)} numbers; expected x y z, or x y z qw qx qy qz")
        orientation = pose[3:] if len(pose) == 7 else seen_from(origin, now)[3:]
        return within(origin, (*pose[:3], *orientation))
