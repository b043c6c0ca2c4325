"""The ROS 2 interface of commands: trajectories and actions of controllers, and velocities of the base."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from trajectory_msgs.msg import JointTrajectory

from hetwin_commanding.source.actions import dynamic_joint_states, serve
from hetwin_commanding.source.commands import (
    Command,
    CommandRefused,
    Inbox,
    trajectory_of_message,
    twist_command,
)
from hetwin_commanding.source.parameters import Controller, Kind
from hetwin_suite.model import Event
from hetwin_suite.source import CommandsSpec
from hetwin_suite.wire import OK, WARN, EventReader, RobotLink, known_types, readers_of, since_start

STATUS = "hetwin: commands"
"""Name of the diagnostic status."""
NODE = "command_listener"


class CommandLink:
    """Puts received commands into an inbox, and reads annotations and topics as a live source does.

    Each controller takes trajectory_msgs/msg/JointTrajectory on ``NAME/joint_trajectory``. The base takes
    geometry_msgs/msg/Twist or TwistStamped, whichever is published. If control_msgs is installed, controllers also have
    their actions and joint jogs (see `serve`), and ``dynamic_joint_states`` publishes joint states. Invalid commands
    are refused on arrival.

    Args:
        spec: namespace and topics.
        controllers: controllers with the names of their joints.
        inbox: receives the commands.
    """

    def __init__(self, spec: CommandsSpec, controllers: Sequence[Controller], inbox: Inbox) -> None:
        self._inbox = inbox
        self._lock = threading.Lock()
        self._waiting: deque[tuple[int, Event]] = deque()
        self._numbers: dict[str, int] = {}
        self._epoch_ns: int | None = None
        trajectories = {
            f"{controller.name}/joint_trajectory": controller.name
            for controller in controllers
            if controller.kind is Kind.TRAJECTORY
        }
        others = {topic: self._reading(topic, reader) for topic, reader in readers_of(spec).items()}
        self._link = RobotLink(
            spec.commands,
            (),
            _ignore,
            {
                **others,
                **{
                    topic: self._taking(topic, partial(trajectory_of_message, n))
                    for topic, n in trajectories.items()
                },
                spec.velocity: self._taking(spec.velocity, _twist),
            },
            {**known_types(spec), **dict.fromkeys(trajectories, JointTrajectory)},
            self._report,
            STATUS,
            NODE,
            lambda node: [
                *(serve(node, controller, inbox) for controller in controllers),
                dynamic_joint_states(node, inbox),
            ],
        )

    def set_epoch(self, epoch_ns: int) -> None:
        """Set the time 0 of the run on this machine's clock [ns]; events before it are dropped.

        The last status of each task, and the present beliefs, remain.
        """
        with self._lock:
            self._epoch_ns = epoch_ns
            events = [event for _, event in self._waiting]
            self._waiting = deque((e.time_ns, e) for e in since_start(events, epoch_ns))
        self._inbox.take()

    def events(self, time_ns: int) -> list[Event]:
        """Return annotations and topic values since the last call, stamped with their arrival in the run.

        Arrivals during the last step may be stamped up to `time_ns`, never later.
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


def _twist(message: Any) -> Command:
    twist = getattr(message, "twist", message)
    return twist_command(twist.linear.x, twist.linear.y, twist.angular.z)


def _ignore(_message: Any, _arrived_ns: int) -> None:
    """Ignore joint states, which a commanded twin does not need."""
