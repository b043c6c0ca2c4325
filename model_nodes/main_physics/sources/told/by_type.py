"""Which reader reads a topic that nobody names, and those of the states of grippers, arms, inputs and outputs."""

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
from model_nodes.main_physics.sources.event_stream import EVERY, OFTEN_NS, EventReader
from model_nodes.main_physics.sources.told.action_readers import (
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
"""Values of a Robotiq gripper's gOBJ: it moves, or is where it was sent; else something stopped it."""
_OPERATIONAL = 3
_LEAST_FORCE = 10.0
"""A force that is worth an event, as is each time that it has doubled [N]."""
_TOOL_MODES = {249: "bootloader", 253: "running", 255: "idle"}

Said = Mapping[str, Json]


class StatusReader:
    """Reads a gripper's status: an event where its claims change.

    Args:
        topic: of the gripper.
        claims: returns the claims of a message; a change of its flags is an event.
    """

    every_ns = OFTEN_NS

    def __init__(self, topic: str, claims: Callable[[Any], Said]) -> None:
        self._topic, self._claims = topic, claims
        self._flags: Said = {}

    def __call__(self, message: Any, time_ns: int) -> list[Event]:
        """Return the changes."""
        said = self._claims(message)
        before, flags = self._flags, {k: v for k, v in said.items() if isinstance(v, bool)}
        self._flags = flags
        if before == flags or not any((*before.values(), *flags.values())):
            return []
        arguments: dict[str, Json] = {"gripper": self._topic, **said}
        return [announce(GRIPPER_SAYS, INSTANT, arguments, time_ns, self._topic)]


def robotiq_claims(message: Any) -> Said:
    """Claims of a Robotiq gripper; none until it is activated."""
    ready = int(message.gSTA) == _OPERATIONAL and bool(message.gGTO)
    found = int(message.gOBJ) if ready else _MOVING
    return {
        "stalled": found not in (_MOVING, _REACHED),
        "reached_goal": found == _REACHED,
        "closing": int(message.gPO) / 255.0,
        "current": 0.01 * int(message.gCU),
    }


def width_claims(message: Any) -> Said:
    """Claims of a gripper that knows its width and whether it has grasped something."""
    return {"grasped": bool(message.is_grasped), "position": float(message.width)}


class ForceReader:
    """Reads an arm's wrench at its end: an event where the force has grown."""

    every_ns = OFTEN_NS

    def __init__(self, topic: str) -> None:
        self._topic = topic
        self._least = _LEAST_FORCE

    def __call__(self, message: Any, time_ns: int) -> list[Event]:
        """Return the force, if it has grown; it may again once it has fallen below half of the least."""
        found = _wrench(message)
        force, torque = float(np.linalg.norm(found[:3])), float(np.linalg.norm(found[3:]))
        if force < _LEAST_FORCE / 2.0:
            self._least = _LEAST_FORCE
        if not self._least <= force < np.inf:
            return []
        self._least = 2.0 * force
        arguments: dict[str, Json] = {"arm": self._topic, "force": force, "torque": torque}
        return [announce(FORCE_SAYS, INSTANT, arguments, time_ns, self._topic)]


def _wrench(message: Any) -> list[float]:
    """The estimated wrench from outside, in the base's frame [N, Nm], by the names of libfranka and of ROS 2."""
    found = getattr(message, "O_F_ext_hat_K", None)
    found = message.o_f_ext_hat_k if found is None else found
    return wrench_numbers(found) if hasattr(found, "wrench") else [float(one) for one in found]


class ChangesReader:
    """Reads inputs and outputs: an event for each that changes; their first state is none.

    Args:
        topic: of the inputs and outputs.
        states: returns the state of each in a message.
    """

    every_ns = OFTEN_NS

    def __init__(self, topic: str, states: Callable[[Any], Said]) -> None:
        self._topic, self._states = topic, states
        self._before: dict[str, Json] = {}

    def __call__(self, message: Any, time_ns: int) -> list[Event]:
        """Return the changes."""
        now = self._states(message)
        changed = {k: v for k, v in now.items() if self._before.get(k, v) != v}
        self._before.update(now)
        return [
            announce(IO_SAYS, INSTANT, {"io": key, "state": state}, time_ns, self._topic)
            for key, state in changed.items()
        ]


def ur_pins(message: Any) -> Said:
    """The digital inputs and outputs of a UR's controller and tool."""
    return {
        f"{kind} {int(one.pin)}": bool(one.state)
        for kind in ("digital_in", "digital_out")
        for one in getattr(message, f"{kind}_states")
    }


def ur_tool(message: Any) -> Said:
    """The voltage that a UR gives its tool [V], and the tool's mode; current and temperature change all the time."""
    mode = int(message.tool_mode)
    return {
        "tool_output_voltage": int(message.tool_output_voltage),
        "tool_mode": _TOOL_MODES.get(mode, str(mode)),
    }


Reader = Callable[[str], EventReader]
"""Makes the reader of a topic: a function of a message and its time [ns] that returns events."""
EVIDENCE = Group(
    "hetwin.evidence", "evidence", "a function of a topic's name, which returns its reader"
)
"""Readers of packages: an entry point has the name of a message type, such as ``my_msgs/msg/Grip``."""


def _robotiq(topic: str) -> EventReader:
    return StatusReader(topic, robotiq_claims)


_OF_TYPE: Mapping[str, Reader] = {
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
_OF_NAME: Mapping[str, Reader] = {
    "Robotiq2FGripper_robot_input": _robotiq,
    "CModel_robot_input": _robotiq,
    "CModelStatus": _robotiq,
    "GripperState": lambda topic: StatusReader(topic, width_claims),
    "FrankaState": ForceReader,
    "FrankaRobotState": ForceReader,
}
"""Types of which there are some of the same name in several packages."""
_OF_END: Mapping[str, Reader] = {SENT_GOAL: CallReader, GOT_RESULT: CallReader}


def reader_of(type_name: str) -> Reader | None:
    """Return the factory of a topic's reader with messages of a type; None if such topics are read only if named."""
    known = _OF_TYPE.get(type_name) or _OF_NAME.get(type_name.rpartition("/")[2])
    ends = (reader for end, reader in _OF_END.items() if type_name.endswith(end))
    own, others = known or next(ends, None), _of_package(type_name)
    if own is None or others is None:
        return own or others
    return lambda topic: _Both(own(topic), others(topic))


class _Both:
    """Reads a topic by hetwin's own reader and by that of a package."""

    def __init__(self, *readers: EventReader) -> None:
        self._readers = readers
        self.every_ns = min(getattr(reader, EVERY, 0) for reader in readers)

    def __call__(self, message: Any, time_ns: int) -> list[Event]:
        """Return the events of both."""
        return [event for reader in self._readers for event in reader(message, time_ns)]


@cache
def _of_package(type_name: str) -> Reader | None:
    """An installed package's reader of such messages; None if there is none, or it cannot be used."""
    if EVIDENCE.point(type_name) is None:
        return None
    try:
        reader: Reader = EVIDENCE.load(type_name)
    except BadInput as error:
        warnings.warn(str(error), stacklevel=2)
        return None
    return reader
