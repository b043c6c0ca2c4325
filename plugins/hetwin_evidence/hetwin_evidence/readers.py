"""Readers of topics with commands and position errors of joints, and with tactile pressures."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hetwin_suite.model import Event, EventKind, Json

Command = Callable[[Any], tuple[str, Json]]
"""Returns the name (``positions`` or ``values``) and the value of an event's argument for a message."""
_PAUSE_NS = 500_000_000
"""Minimum time after the last command for one that is a goal of its own, not part of a stream."""
_OFTEN_NS = 20_000_000
_LEAST_STRAIN = 0.002
"""Minimum change of the joints' position errors, as a norm, for a new event [rad]."""
_LEAST_RISE = 2.0
"""Minimum change of a pressure for a new event [counts]."""
_TACTILE = re.compile("tactile|taxel|skin|touch", re.IGNORECASE)
_COMMANDS = re.compile("command", re.IGNORECASE)


def _event(name: str, time_ns: int, topic: str, arguments: dict[str, Json]) -> Event:
    return Event(
        name, time_ns, EventKind.ACTION, topic, arguments={**arguments, "phase": "instant"}
    )


class CommandReader:
    """Reads position commands: an event for each goal, and for a stream at each position where it rests.

    Args:
        topic: topic of the commands.
        command: converts a message to an event's argument.
        streams: whether messages arrive continuously, so that a single message is not a goal.
    """

    def __init__(self, topic: str, command: Command, *, streams: bool = False) -> None:
        self._topic, self._command = topic, command
        self.every_ns = _OFTEN_NS if streams else 0
        self._streams = streams
        self._before: Json = None
        self._reported: Json = None
        self._last_ns = -_PAUSE_NS

    def __call__(self, message: Any, time_ns: int) -> list[Event]:
        """Return an event if the command is new."""
        key, wanted = self._command(message)
        alone = time_ns - self._last_ns >= _PAUSE_NS and not self._streams
        rests = wanted == self._before
        self._before, self._last_ns = wanted, time_ns
        if not wanted or wanted == self._reported or not (alone or rests):
            return []
        self._reported = wanted
        return [_event("commanded", time_ns, self._topic, {key: wanted, "gripper": self._topic})]


def _named(names: Sequence[str], positions: Any) -> tuple[str, Json]:
    if len(names) != len(positions):
        return "positions", {}
    return "positions", dict(zip(map(str, names), map(float, positions), strict=True))


def _goal(message: Any) -> tuple[str, Json]:
    points = message.points
    return _named(message.joint_names, points[-1].positions) if len(points) else ("positions", {})


def _reference(message: Any) -> tuple[str, Json]:
    wanted = getattr(message, "reference", None) or message.desired
    return _named(message.joint_names, wanted.positions)


def _values(message: Any) -> tuple[str, Json]:
    return "values", [float(one) for one in message.data]


def trajectory_reader(topic: str) -> CommandReader:
    """Return a reader of trajectories' end points."""
    return CommandReader(topic, _goal)


class ControllerReader:
    """Reads a controller's state: its commands, and the position errors of its joints.

    Args:
        topic: topic of the state.
    """

    every_ns = _OFTEN_NS

    def __init__(self, topic: str) -> None:
        self._topic, self._commands = topic, CommandReader(topic, _reference, streams=True)
        self._strained = np.zeros(0)

    def __call__(self, message: Any, time_ns: int) -> list[Event]:
        """Return events for a new command, and for position errors that have changed."""
        events = self._commands(message, time_ns)
        errors = np.asarray(message.error.positions, dtype=np.float64)
        if errors.shape != (len(message.joint_names),) or not np.isfinite(errors).all():
            return events
        before = self._strained
        if before.shape == errors.shape and np.linalg.norm(errors - before) < _LEAST_STRAIN:
            return events
        self._strained = errors
        _, named = _named(message.joint_names, errors)
        return [*events, _event("strains", time_ns, self._topic, {"errors": named})]


def controller_reader(topic: str) -> ControllerReader:
    """Return a reader of a controller's state."""
    return ControllerReader(topic)


def array_reader(topic: str) -> Callable[[Any, int], list[Event]]:
    """Return a reader of a position controller's commands, by the topic's name; other arrays cause no events."""
    return CommandReader(topic, _values) if _COMMANDS.search(topic) else _nothing


def tactile_reader(topic: str) -> Callable[[Any, int], list[Event]]:
    """Return a reader of tactile pressures, by the topic's name; other arrays cause no events."""
    return TactileReader(topic) if _TACTILE.search(topic) else _nothing


def _nothing(_message: Any, _time_ns: int) -> list[Event]:
    return []


class TactileReader:
    """Reads tactile pressures: an event when that of the third highest taxel has changed.

    The third highest is used because one or two taxels of a closed hand touch its own fingers.
    """

    every_ns = _OFTEN_NS

    def __init__(self, topic: str) -> None:
        self._topic = topic
        self._reported = 0.0

    def __call__(self, message: Any, time_ns: int) -> list[Event]:
        """Return an event if the pressure has changed."""
        pressures = np.asarray(message.data, dtype=np.float64)
        if pressures.size < 3 or not np.isfinite(pressures).all():
            return []
        third = float(np.sort(pressures)[-3])
        if abs(third - self._reported) < _LEAST_RISE:
            return []
        self._reported = third
        felt: dict[str, Json] = {"source": "tactile", "quantity": third, "unit": "counts"}
        return [_event("feels", time_ns, self._topic, felt)]
