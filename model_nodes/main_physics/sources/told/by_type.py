"""Which reader reads a topic that nobody names, by the type of its messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping

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
"""Makes the reader of a topic."""


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
    return known or next(ends, None)
