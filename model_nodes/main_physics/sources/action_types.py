"""Definitions of what action servers, controllers and behaviour trees publish, as their packages have them.

They are here since recorders leave the definitions of hidden topics out, and the packages need not be installed. Where
versions differ there is a definition for each, the usual one first. What an action's topics carry follows from the
action's own definition, which is also what newer recorders keep of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

FEEDBACK, SENT_GOAL, GOT_RESULT = "_FeedbackMessage", "_SendGoal_Event", "_GetResult_Event"
"""Ends of the types that an action implies: its feedback, and its two services where they are introspected."""
IMPLIED = (
    "unique_identifier_msgs/msg/UUID",
    "builtin_interfaces/msg/Time",
    "service_msgs/msg/ServiceEventInfo",
)
"""Types that these consist of beside the action's own."""

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
_TREE_CHANGE = "builtin_interfaces/Time timestamp\nstring node_name\n"
_TREE_STATES = "string previous_status\nstring current_status\n"
_INFO = "service_msgs/ServiceEventInfo info\n"
_ID = "unique_identifier_msgs/UUID goal_id\n"
_COMMAND = f"{_NEXT}control_msgs/GripperCommand\nfloat64 position\nfloat64 max_effort\n"
_STATE = "float64 position\nfloat64 effort\nbool stalled\nbool reached_goal\n"
_JOINT_STATE = "sensor_msgs/JointState state\nbool stalled\nbool reached_goal\n"


def _points(*names: str, kind: str = "trajectory_msgs/JointTrajectoryPoint") -> str:
    return "".join(f"{kind} {name}\n" for name in names)


def _several_axes(*names: str) -> str:
    several = (f"multi_dof_{name}" for name in names)
    points = _points(*several, kind="trajectory_msgs/MultiDOFJointTrajectoryPoint")
    return f"string[] multi_dof_joint_names\n{points}"


_HEAD = "std_msgs/Header header\nstring[] joint_names\n"
_OLD, _NEW = ("desired", "actual", "error"), ("reference", "feedback", "error", "output")
_BOTH = (*_NEW, "desired", "actual")
_OF_TRAJECTORY = _HEAD + _points(*_OLD)
_REACHED = "---\nint32 error_code\nstring error_string\n---\n"
_CONTROLLER = _HEAD + _points(*_NEW) + _several_axes(*_NEW)


def _called(service: str, request: str, response: str, *types: str) -> tuple[str, ...]:
    call = f"{{name}}_{service}"
    return (
        f"{_INFO}{call}_Request[<=1] request\n{call}_Response[<=1] response\n",
        f"{call}_Request\n{request}",
        f"{call}_Response\n{response}",
        *types,
    )


_IMPLIES: Mapping[str, tuple[str, ...]] = {
    FEEDBACK: (f"{_ID}{{name}}_Feedback feedback\n", "{name}_Feedback\n{feedback}"),
    SENT_GOAL: _called(
        "SendGoal",
        f"{_ID}{{name}}_Goal goal\n",
        "bool accepted\nbuiltin_interfaces/Time stamp\n",
        "{name}_Goal\n{goal}",
    ),
    GOT_RESULT: _called(
        "GetResult", _ID, "int8 status\n{name}_Result result\n", "{name}_Result\n{result}"
    ),
}
"""End of a type -> its definition, and those of the types that it uses."""


def message_of(type_name: str, action: str) -> str:
    """Return the definition of a message that an action implies.

    Args:
        type_name: of the message, such as ``control_msgs/action/GripperCommand_FeedbackMessage``.
        action: the action's definition (goal, result and feedback), and those of the types that it uses.

    Raises:
        ValueError: if the definition is not one of an action, or the action implies no such message.
    """
    own, line, used = action.partition(_LINE)
    goal, result, feedback = re.split(r"^---[ \t]*$", own, flags=re.MULTILINE)
    end = next((one for one in _IMPLIES if type_name.endswith(one)), None)
    if end is None:
        raise ValueError(f"no action implies {type_name}")
    text = f"\n{_NEXT}".join(_IMPLIES[end])
    parts = {"name": type_name.removesuffix(end), "goal": goal, "result": result}
    return f"{text.format(feedback=feedback, **parts)}\n{line}{used}"


def _tree_log(change: str) -> str:
    name = "nav2_msgs/msg/BehaviorTreeStatusChange"
    head = "builtin_interfaces/Time timestamp\nnav2_msgs/BehaviorTreeStatusChange[] event_log\n"
    return f"{head}{_NEXT}{name}\n{change}"


_ACTIONS: Mapping[str, tuple[str, ...]] = {
    _GRIPPER: (f"control_msgs/GripperCommand command\n---\n{_STATE}---\n{_STATE}{_COMMAND}",),
    _PARALLEL_GRIPPER: (f"sensor_msgs/JointState command\n---\n{_JOINT_STATE}---\n{_JOINT_STATE}",),
    _TRAJECTORY: (
        f"{_REACHED}{_OF_TRAJECTORY}{_several_axes(*_OLD)}",
        f"{_REACHED}{_OF_TRAJECTORY}",
        f"{_REACHED}{_OF_TRAJECTORY}int32 index\n{_several_axes(*_OLD)}int32 multi_dof_index\n",
    ),
}
"""Actions -> their definitions; goals of trajectories are left out."""

_TOOL = """\
int8 analog_input_range2
int8 analog_input_range3
float64 analog_input2
float64 analog_input3
float32 tool_voltage_48v
uint8 tool_output_voltage
float32 tool_current
float32 tool_temperature
uint8 tool_mode
"""

DEFINITIONS: Mapping[str, tuple[str, ...]] = {
    **{
        action + end: tuple(message_of(action + end, text) for text in versions)
        for action, versions in _ACTIONS.items()
        for end in (FEEDBACK, SENT_GOAL, GOT_RESULT)
        if (action, end) != (_TRAJECTORY, SENT_GOAL)
    },
    CONTROLLER: (
        f"{_CONTROLLER}float64 speed_scaling_factor\n",
        _CONTROLLER,
        _HEAD + _points(*_BOTH) + _several_axes(*_BOTH),
        _OF_TRAJECTORY,
    ),
    ROBOTIQ: (
        "".join(
            f"uint8 g{name}\n" for name in ("ACT", "GTO", "STA", "OBJ", "FLT", "PR", "PO", "CU")
        ),
    ),
    UR_IO: (
        "".join(f"Digital[] {name}_states\n" for name in ("digital_in", "digital_out", "flag"))
        + "Analog[] analog_in_states\nAnalog[] analog_out_states\n"
        + f"{_NEXT}ur_msgs/Digital\nuint8 pin\nbool state\n"
        + f"{_NEXT}ur_msgs/Analog\nuint8 pin\nuint8 domain\nfloat32 state\n",
    ),
    UR_TOOL: (_TOOL,),
    NAV2_TREE: (
        _tree_log(f"{_TREE_CHANGE}uint16 uid\n{_TREE_STATES}"),
        _tree_log(f"{_TREE_CHANGE}{_TREE_STATES}"),
    ),
}
"""Type -> its definitions."""
