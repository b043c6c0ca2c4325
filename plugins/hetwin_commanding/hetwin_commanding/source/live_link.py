"""The ROS 2 side of commands: trajectories for each controller, also as actions, and velocities of the base."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future
from trajectory_msgs.msg import JointTrajectory

from hetwin_commanding.source.commands import (
    Command,
    CommandRefused,
    GoalEnd,
    Inbox,
    Outcome,
    StopCommand,
    TrajectoryCommand,
    trajectory_command,
    twist_command,
)
from hetwin_suite.model import Event
from hetwin_suite.robot import TrajectoryPoint
from hetwin_suite.source import CommandsSpec
from hetwin_suite.wire import OK, WARN, EventReader, RobotLink, known_types, readers_of, since_begin

PERIOD_S = 0.02
"""How often it is looked whether a goal has ended."""

_numbers = count(1)


class TrajectoryAction:
    """The server of one controller.

    Args:
        node: that it belongs to.
        kind: type of the action.
        name: of the action.
        inbox: gets the commands.
        read: makes a command of a goal; raises `CommandRefused`.
        result: makes a result of what became of it.
    """

    def __init__(
        self,
        node: Node,
        kind: Any,
        name: str,
        inbox: Inbox,
        read: Callable[[Any], TrajectoryCommand],
        result: Callable[[Outcome], Any],
    ) -> None:
        self._name, self._inbox = name, inbox
        self._read, self._result = read, result
        self._waiting: list[Any] = []
        self._node = node
        group = ReentrantCallbackGroup()
        self._timer = node.create_timer(PERIOD_S, self._look, callback_group=group)
        self._server = ActionServer(
            node,
            kind,
            name,
            self._execute,
            callback_group=group,
            goal_callback=self._goal,
            cancel_callback=_cancel,
        )

    def _goal(self, goal: Any) -> GoalResponse:
        try:
            self._read(goal)
        except CommandRefused as refused:
            self._inbox.refuse(self._name, str(refused))
            return GoalResponse.REJECT
        return GoalResponse.ACCEPT

    def _look(self) -> None:
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            future.set_result(None)

    async def _execute(self, handle: Any) -> Any:
        number = next(_numbers)
        command = replace(self._read(handle.request), number=number)
        self._inbox.put(self._name, command)
        canceling = False
        while (outcome := self._inbox.goals.take(number)) is None:
            if handle.is_cancel_requested and not canceling:
                canceling = True
                self._inbox.put(self._name, StopCommand(command.controller, number))
            future = Future(executor=self._node.executor)
            self._waiting.append(future)
            await future
        if outcome.end is GoalEnd.REACHED:
            handle.succeed()
        elif outcome.end is GoalEnd.CANCELED:
            handle.canceled()
        else:
            handle.abort()
        return self._result(outcome)


def _cancel(_handle: Any) -> CancelResponse:
    return CancelResponse.ACCEPT


try:
    from control_msgs.action import FollowJointTrajectory
except ImportError:  # controllers have topics only then
    FollowJointTrajectory = None

STATUS = "hetwin: commands"
"""Name of the diagnostic."""
NODE = "command_listener"
SECOND = 1_000_000_000


class CommandLink:
    """Puts commands into an inbox as they arrive, and reads annotations and topics as a live source does.

    Each controller takes trajectory_msgs/msg/JointTrajectory on ``NAME/joint_trajectory``. The base takes
    geometry_msgs/msg/Twist or TwistStamped, whichever is published. Where control_msgs is installed, each controller
    has the action ``NAME/follow_joint_trajectory`` as well. What cannot be obeyed is refused there.

    Args:
        spec: namespace and topics.
        controllers: their names.
        inbox: to be filled.
    """

    def __init__(self, spec: CommandsSpec, controllers: Sequence[str], inbox: Inbox) -> None:
        self._inbox = inbox
        self._lock = threading.Lock()
        self._waiting: deque[tuple[int, Event]] = deque()
        self._numbers: dict[str, int] = {}
        self._epoch_ns: int | None = None
        trajectories = {f"{name}/joint_trajectory": name for name in controllers}
        others = {topic: self._reading(topic, each) for topic, each in readers_of(spec).items()}
        self._link = RobotLink(
            spec.commands,
            (),
            _ignore,
            {
                **others,
                **{topic: self._taking(topic, _trajectory(n)) for topic, n in trajectories.items()},
                spec.velocity: self._taking(spec.velocity, _twist),
            },
            {**known_types(spec), **dict.fromkeys(trajectories, JointTrajectory)},
            self._report,
            STATUS,
            NODE,
            lambda node: [follow_joint_trajectory(node, name, inbox) for name in controllers],
        )

    def set_epoch(self, epoch_ns: int) -> None:
        """Take note of this machine's time at the run's time 0 [ns]; what came before is dropped.

        What was told last of a task, and what is believed, still holds.
        """
        with self._lock:
            self._epoch_ns = epoch_ns
            told = [event for _, event in self._waiting]
            self._waiting = deque((e.time_ns, e) for e in since_begin(told, epoch_ns))
        self._inbox.take()

    def events(self, time_ns: int) -> list[Event]:
        """Return annotations and topic values since the last call, with the times of their arrival in the run.

        What arrived during the last step may be stamped up to `time_ns`, never later.
        """
        with self._lock:
            waiting, epoch_ns = list(self._waiting), self._epoch_ns or 0
            self._waiting.clear()
        return [self._numbered(event, min(max(at - epoch_ns, 0), time_ns)) for at, event in waiting]

    def close(self) -> None:
        """Stop listening."""
        self._link.close()

    def _numbered(self, event: Event, time_ns: int) -> Event:
        number = self._numbers.get(event.source, 0)
        self._numbers[event.source] = number + 1
        return Event(
            event.name, time_ns, event.kind, event.source, number, arguments=event.arguments
        )

    def _taking(self, topic: str, read: Callable[[Any], Command]) -> Callable[[Any, int], None]:
        def on_message(message: Any, _arrived_ns: int) -> None:
            try:
                self._inbox.put(topic, read(message))
            except CommandRefused as refused:
                self._inbox.refuse(topic, str(refused))

        return on_message

    def _reading(self, topic: str, readers: Sequence[EventReader]) -> Callable[[Any, int], None]:
        def on_message(message: Any, arrived_ns: int) -> None:
            try:
                events = [event for reader in readers for event in reader(message, arrived_ns)]
            except ValueError as error:
                self._inbox.refuse(topic, str(error))
                return
            with self._lock:
                self._waiting.extend((arrived_ns, event) for event in events)

        return on_message

    def _report(self) -> tuple[bytes, str, Mapping[str, str]]:
        inbox = self._inbox
        values = {"commands taken": str(inbox.taken), "commands refused": str(inbox.refused)}
        if inbox.refused:
            return WARN, f"obeys commands; the last that it refused: {inbox.last_refusal}", values
        return OK, "obeys commands", values


def follow_joint_trajectory(node: Node, controller: str, inbox: Inbox) -> TrajectoryAction | None:
    """Serve control_msgs/action/FollowJointTrajectory for a controller; None where that is not installed."""
    if FollowJointTrajectory is None:
        return None
    read = _trajectory(controller)

    def result(outcome: Outcome) -> Any:
        made = FollowJointTrajectory.Result(error_string=outcome.reason)
        if outcome.end is GoalEnd.REFUSED:
            made.error_code = FollowJointTrajectory.Result.INVALID_GOAL
        return made

    return TrajectoryAction(
        node,
        FollowJointTrajectory,
        f"{controller}/follow_joint_trajectory",
        inbox,
        lambda goal: read(goal.trajectory),
        result,
    )


def _trajectory(controller: str) -> Callable[[Any], TrajectoryCommand]:
    def read(message: Any) -> TrajectoryCommand:
        points = [
            TrajectoryPoint(
                _seconds(point.time_from_start),
                point.positions,
                point.velocities,
                point.accelerations,
            )
            for point in message.points
        ]
        stamp = message.header.stamp
        return trajectory_command(
            controller, list(message.joint_names), points, stamp.sec * SECOND + stamp.nanosec
        )

    return read


def _twist(message: Any) -> Command:
    twist = getattr(message, "twist", message)
    return twist_command(twist.linear.x, twist.linear.y, twist.angular.z)


def _seconds(duration: Any) -> float:
    return float(duration.sec + duration.nanosec * 1e-9)


def _ignore(_message: Any, _arrived_ns: int) -> None:
    """Joint states mean nothing to who obeys."""
