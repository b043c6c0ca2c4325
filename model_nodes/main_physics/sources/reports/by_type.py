"""Finds the reader for a topic by its type, and reads states of grippers, arms, inputs and outputs."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import (
    FORCE_SAYS,
    GRIPPER_SAYS,
    INSTANT,
    IO_SAYS,
    Event,
    Json,
    announce,
)
from hetwin_core.ensemble.installed import Group
from model_nodes.main_physics.sources.action_types import (
    CONTROLLER,
    GOALS,
    GOT_RESULT,
    GRIPPER,
    NAV2_TREE,
    PARALLEL_GRIPPER,
    PY_TREE,
    SENT_GOAL,
    TRAJECTORY,
    UR_IO,
    UR_TOOL,
)
from model_nodes.main_physics.sources.event_stream import (
    THROTTLE,
    THROTTLE_NS,
    EventReader,
)
from model_nodes.main_physics.sources.reports.action_readers import (
    CallReader,
    ControllerReader,
    GoalsReader,
    GripperReader,
    TrajectoryReader,
    TreeReader,
    nav2_states,
    py_trees_states,
)
from model_nodes.main_physics.sources.wrenches import wrench_numbers

_MOVING, _REACHED = 0, 3
"""Values of a Robotiq gripper's gOBJ: moving, and at the requested position; otherwise something has stopped it."""
_OPERATIONAL = 3
_MIN_FORCE = 10.0
"""Force that is reported [N]; it is reported again each time that it has doubled."""
_TOOL_MODES = {249: "bootloader", 253: "running", 255: "idle"}

Claims = Mapping[str, Json]


class StatusReader:
    """Reads a gripper's status; an event reports each change of its flags.

    Args:
        topic: topic of the gripper.
        claims: returns the claims of a message; only changes of flags among them are reported.
    """

    every_ns = THROTTLE_NS

    def __init__(self, topic: str, claims: Callable[[Any], Claims]) -> None:
        self._topic, self._claims = topic, claims
        self._flags: Claims = {}

    def __call__(self, message: Any, time_ns: int) -> list[Event]:
        """Return the event of a change, if there is one."""
        claims = self._claims(message)
        previous, flags = self._flags, {k: v for k, v in claims.items() if isinstance(v, bool)}
        self._flags = flags
        if previous == flags or not any((*previous.values(), *flags.values())):
            return []
        arguments: dict[str, Json] = {"gripper": self._topic, **claims}
        return [announce(GRIPPER_SAYS, INSTANT, arguments, time_ns, self._topic)]


def robotiq_claims(message: Any) -> Claims:
    """Return the claims of a Robotiq gripper; it claims nothing until it is activated."""
    ready = int(message.gSTA) == _OPERATIONAL and bool(message.gGTO)
    found = int(message.gOBJ) if ready else _MOVING
    return {
        "stalled": found not in (_MOVING, _REACHED),
        "reached_goal": found == _REACHED,
        "closing": int(message.gPO) / 255.0,
        "current": 0.01 * int(message.gCU),
    }


def width_claims(message: Any) -> Claims:
    """Return the claims of a gripper that reports its width and whether it has grasped something."""
    return {"grasped": bool(message.is_grasped), "position": float(message.width)}


class ForceReader:
    """Reads an arm's wrench at its end effector; an event reports when the force has grown."""

    every_ns = THROTTLE_NS

    def __init__(self, topic: str) -> None:
        self._topic = topic
        self._threshold = _MIN_FORCE

    def __call__(self, message: Any, time_ns: int) -> list[Event]:
        """Return the event of a grown force; after it has fallen below half the threshold it may be reported again."""
        found = _wrench(message)
        force, torque = float(np.linalg.norm(found[:3])), float(np.linalg.norm(found[3:]))
        if force < _MIN_FORCE / 2.0:
            self._threshold = _MIN_FORCE
        if not self._threshold <= force < np.inf:
            return []
        self._threshold = 2.0 * force
        arguments: dict[str, Json] = {"arm": self._topic, "force": force, "torque": torque}
        return [announce(FORCE_SAYS, INSTANT, arguments, time_ns, self._topic)]


def _wrench(message: Any) -> list[float]:
    """Return the estimated external wrench in the base frame [N, Nm]; libfranka and ROS 2 name it differently."""
    found = getattr(message, "O_F_ext_hat_K", None)
    found = message.o_f_ext_hat_k if found is None else found
    return wrench_numbers(found) if hasattr(found, "wrench") else [float(x) for x in found]


class ChangesReader:
    """Reads inputs and outputs; an event reports each change after the first message.

    Args:
        topic: topic of the inputs and outputs.
        states: returns the state of each input and output in a message.
    """

    every_ns = THROTTLE_NS

    def __init__(self, topic: str, states: Callable[[Any], Claims]) -> None:
        self._topic, self._states = topic, states
        self._last_states: dict[str, Json] = {}

    def __call__(self, message: Any, time_ns: int) -> list[Event]:
        """Return the events of the changes."""
        states = self._states(message)
        changed = {k: v for k, v in states.items() if self._last_states.get(k, v) != v}
        self._last_states.update(states)
        return [
            announce(IO_SAYS, INSTANT, {"io": key, "state": state}, time_ns, self._topic)
            for key, state in changed.items()
        ]


def ur_pins(message: Any) -> Claims:
    """Return the digital inputs and outputs of a UR's controller and tool."""
    return {
        f"{kind} {int(pin.pin)}": bool(pin.state)
        for kind in ("digital_in", "digital_out")
        for pin in getattr(message, f"{kind}_states")
    }


def ur_tool(message: Any) -> Claims:
    """Return a UR tool's supply voltage [V] and mode; current and temperature are left out, as they always change."""
    mode = int(message.tool_mode)
    return {
        "tool_output_voltage": int(message.tool_output_voltage),
        "tool_mode": _TOOL_MODES.get(mode, str(mode)),
    }


Reader = Callable[[str], EventReader]
"""Creates the reader of a topic: a function of a message and its time [ns] that returns events."""
EVIDENCE = Group(
    "hetwin.evidence", "evidence", "a function of a topic's name, which returns its reader"
)
"""Readers of packages; the name of an entry point is a message type, such as ``my_msgs/msg/Grip``."""


def _robotiq(topic: str) -> EventReader:
    return StatusReader(topic, robotiq_claims)


_READER_OF_TYPE: Mapping[str, Reader] = {
    GOALS: GoalsReader,
    GRIPPER: GripperReader,
    PARALLEL_GRIPPER: GripperReader,
    TRAJECTORY: TrajectoryReader,
    CONTROLLER: ControllerReader,
    UR_IO: lambda topic: ChangesReader(topic, ur_pins),
    UR_TOOL: lambda topic: ChangesReader(topic, ur_tool),
    NAV2_TREE: lambda topic: TreeReader(topic, nav2_states),
    PY_TREE: lambda topic: TreeReader(topic, py_trees_states),
}
_READER_OF_NAME: Mapping[str, Reader] = {
    "Robotiq2FGripper_robot_input": _robotiq,
    "CModel_robot_input": _robotiq,
    "CModelStatus": _robotiq,
    "GripperState": lambda topic: StatusReader(topic, width_claims),
    "FrankaState": ForceReader,
    "FrankaRobotState": ForceReader,
}
"""Readers by the last part of a type, for types with the same name in several packages."""
_READER_OF_SUFFIX: Mapping[str, Reader] = {SENT_GOAL: CallReader, GOT_RESULT: CallReader}


def reader_of(type_name: str) -> Reader | None:
    """Return the function that creates readers for a message type; None if such topics are only read when named."""
    known = _READER_OF_TYPE.get(type_name) or _READER_OF_NAME.get(type_name.rpartition("/")[2])
    by_suffix = (reader for end, reader in _READER_OF_SUFFIX.items() if type_name.endswith(end))
    own, others = known or next(by_suffix, None), _package_reader(type_name)
    if own is None or others is None:
        return own or others
    return lambda topic: _CombinedReader(own(topic), others(topic))


class _CombinedReader:
    """Reads a topic with hetwin's own reader and with that of a package."""

    def __init__(self, *readers: EventReader) -> None:
        self._readers = readers
        self.every_ns = min(getattr(reader, THROTTLE, 0) for reader in readers)

    def __call__(self, message: Any, time_ns: int) -> list[Event]:
        """Return the events of both readers."""
        return [event for reader in self._readers for event in reader(message, time_ns)]


@cache
def _package_reader(type_name: str) -> Reader | None:
    """Return the reader of an installed package for a message type; None if there is none, or it cannot be used."""
    if EVIDENCE.point(type_name) is None:
        return None
    try:
        reader: Reader = EVIDENCE.load(type_name)
    except BadInput as error:
        warnings.warn(str(error), stacklevel=2)
        return None
    return reader
