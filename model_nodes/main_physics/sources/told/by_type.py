"""Which reader reads a topic that nobody names, by the type of its messages."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import cache

from hetwin_core.ensemble.errors import BadInput
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
from model_nodes.main_physics.sources.event_stream import EventReader
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
from model_nodes.main_physics.sources.told.part_readers import (
    ChangesReader,
    ForceReader,
    StatusReader,
    robotiq_claims,
    ur_pins,
    ur_tool,
    width_claims,
)

Reader = Callable[[str], EventReader]
"""Makes the reader of a topic: a function of a message and its time [ns] that returns what it says, as events."""
EVIDENCE = Group(
    "hetwin.evidence", "evidence", "a function of a topic's name, which returns its reader"
)
"""What packages read of robots: an entry point has the name of a message type, such as ``my_msgs/msg/Grip``."""


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
    """Return what makes the reader of a topic with messages of a type; None if such topics are read only if named."""
    known = _OF_TYPE.get(type_name) or _OF_NAME.get(type_name.rpartition("/")[2])
    ends = (reader for end, reader in _OF_END.items() if type_name.endswith(end))
    return known or next(ends, None) or _of_package(type_name)


@cache
def _of_package(type_name: str) -> Reader | None:
    """What an installed package reads such messages with; None if there is none, or it cannot be used."""
    if EVIDENCE.point(type_name) is None:
        return None
    try:
        reader: Reader = EVIDENCE.load(type_name)
    except BadInput as error:
        warnings.warn(str(error), stacklevel=2)
        return None
    return reader
