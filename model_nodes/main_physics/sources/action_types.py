"""Message definitions of action servers, controllers and behaviour trees, as their packages have them.

They are kept here because recorders omit the definitions of hidden topics, and the packages need not be installed.
Where versions differ there is a definition for each, the usual one first. The types of an action's topics are derived
from the action's own definition, which newer recorders keep.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from hetwin_core.episodes.definition_text import definitions_in

FEEDBACK, SENT_GOAL, GOT_RESULT = "_FeedbackMessage", "_SendGoal_Event", "_GetResult_Event"
"""Suffixes of the types that an action implies: its feedback, and its two services if they are introspected."""
IMPLIED = (
    "unique_identifier_msgs/msg/UUID",
    "builtin_interfaces/msg/Time",
    "service_msgs/msg/ServiceEventInfo",
)
"""Types that the implied types use besides the action's own."""

_GRIPPER = "control_msgs/action/GripperCommand"
_PARALLEL_GRIPPER = "control_msgs/action/ParallelGripperCommand"
_TRAJECTORY = "control_msgs/action/FollowJointTrajectory"
GRIPPER, PARALLEL_GRIPPER = _GRIPPER + FEEDBACK, _PARALLEL_GRIPPER + FEEDBACK
TRAJECTORY = _TRAJECTORY + FEEDBACK
GOALS = "action_msgs/msg/GoalStatusArray"
CONTROLLER = "control_msgs/msg/JointTrajectoryControllerState"
ROBOTIQ = "robotiq_2f_gripper_control/msg/Robotiq2FGripper_robot_input"
UR_IO, UR_TOOL = "ur_msgs/msg/IOStates", "ur_msgs/msg/ToolDataMsg"
NAV2_TREE = "nav2_msgs/msg/BehaviorTreeLog"
PY_TREE = "py_trees_ros_interfaces/msg/BehaviourTree"

_LINE = "=" * 80
_NEXT = f"{_LINE}\nMSG: "
_INFO = "service_msgs/ServiceEventInfo info\n"
_ID = "unique_identifier_msgs/UUID goal_id\n"


def _service_definitions(service: str, request: str, response: str, *types: str) -> tuple[str, ...]:
    call = f"{{name}}_{service}"
    return (
        f"{_INFO}{call}_Request[<=1] request\n{call}_Response[<=1] response\n",
        f"{call}_Request\n{request}",
        f"{call}_Response\n{response}",
        *types,
    )


_IMPLIES: Mapping[str, tuple[str, ...]] = {
    FEEDBACK: (f"{_ID}{{name}}_Feedback feedback\n", "{name}_Feedback\n{feedback}"),
    SENT_GOAL: _service_definitions(
        "SendGoal",
        f"{_ID}{{name}}_Goal goal\n",
        "bool accepted\nbuiltin_interfaces/Time stamp\n",
        "{name}_Goal\n{goal}",
    ),
    GOT_RESULT: _service_definitions(
        "GetResult", _ID, "int8 status\n{name}_Result result\n", "{name}_Result\n{result}"
    ),
}
"""Suffix of a type -> its definition, and those of the types that it uses."""


def message_of(type_name: str, action: str) -> str:
    """Return the definition of a message that an action implies.

    Args:
        type_name: message type, such as ``control_msgs/action/GripperCommand_FeedbackMessage``.
        action: definition of the action (goal, result and feedback), and of the types that it uses.

    Raises:
        ValueError: if it is not the definition of an action, or actions imply no such message.
    """
    definition, line, used = action.partition(_LINE)
    goal, result, feedback = re.split(r"^---[ \t]*$", definition, flags=re.MULTILINE)
    suffix = next((suffix for suffix in _IMPLIES if type_name.endswith(suffix)), None)
    if suffix is None:
        raise ValueError(f"no action implies {type_name}")
    text = f"\n{_NEXT}".join(_IMPLIES[suffix])
    parts = {"name": type_name.removesuffix(suffix), "goal": goal, "result": result}
    return f"{text.format(feedback=feedback, **parts)}\n{line}{used}"


def _with_implied(actions: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Replace each action in a mapping of types to definitions by its implied types, except for trajectory goals."""
    for name, versions in actions.items():
        if "/action/" not in name:
            yield name, versions
            continue
        for suffix in (FEEDBACK, SENT_GOAL, GOT_RESULT):
            if (name, suffix) != (_TRAJECTORY, SENT_GOAL):
                yield name + suffix, tuple(message_of(name + suffix, text) for text in versions)


DEFINITIONS: Mapping[str, tuple[str, ...]] = dict(_with_implied(definitions_in("robots")))
"""Type -> its known definitions."""
