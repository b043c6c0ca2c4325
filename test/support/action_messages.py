"""Messages that action servers, controllers, grippers and behaviour trees publish."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from model_nodes.main_physics.sources.action_types import (
    CONTROLLER,
    FEEDBACK,
    GOALS,
    GOT_RESULT,
    GRIPPER,
    NAV2_TREE,
    PARALLEL_GRIPPER,
    ROBOTIQ,
    SENT_GOAL,
    TRAJECTORY,
    UR_IO,
    UR_TOOL,
)
from support.recorded_bags import TYPES, Recorded, header, joints

OF_FEEDBACK, STATUS = "/_action/feedback", "/_action/status"
SEND_GOAL, GET_RESULT = (f"/_action/{name}/_service_event" for name in ("send_goal", "get_result"))
REQUEST_SENT, REQUEST_RECEIVED, RESPONSE_SENT, RESPONSE_RECEIVED = range(4)
EXECUTING, SUCCEEDED, ABORTED = 2, 4, 6


def uuid(number: int) -> Any:
    """The id of a goal."""
    return TYPES.types["unique_identifier_msgs/msg/UUID"](uuid=np.full(16, number, np.uint8))


def goals(time_ns: int, action: str, states: Mapping[int, int]) -> Recorded:
    """The states of an action's goals, by their numbers."""
    info, state = (TYPES.types[f"action_msgs/msg/Goal{name}"] for name in ("Info", "Status"))
    stamp = header(time_ns).stamp
    found = [
        state(goal_info=info(goal_id=uuid(number), stamp=stamp), status=status)
        for number, status in states.items()
    ]
    return Recorded(action + STATUS, GOALS, time_ns, TYPES.types[GOALS](status_list=found))


def gripper(
    time_ns: int,
    action: str,
    position: float,
    *,
    stalled: bool = False,
    reached: bool = False,
    goal: int = 1,
) -> Recorded:
    """Feedback of control_msgs/action/GripperCommand."""
    said = _feedback(GRIPPER)(position=position, effort=12.0, stalled=stalled, reached_goal=reached)
    return _told(time_ns, action, GRIPPER, said, goal)


def parallel_gripper(
    time_ns: int, action: str, joint: str, position: float, *, stalled: bool = False
) -> Recorded:
    """Feedback of control_msgs/action/ParallelGripperCommand."""
    state = joints(time_ns, (joint,), (position,)).message
    said = _feedback(PARALLEL_GRIPPER)(state=state, stalled=stalled, reached_goal=False)
    return _told(time_ns, action, PARALLEL_GRIPPER, said, 1)


def trajectory(
    time_ns: int,
    action: str,
    names: Sequence[str],
    errors: Sequence[float],
    goal: int = 1,
    kind: Any = None,
) -> Recorded:
    """Feedback of control_msgs/action/FollowJointTrajectory, or another version of it."""
    said = _points(kind or _feedback(TRAJECTORY), time_ns, names, errors)
    return _told(time_ns, action, TRAJECTORY, said, goal)


def controller(
    time_ns: int,
    topic: str,
    names: Sequence[str],
    errors: Sequence[float],
    kind: Any = None,
    positions: Sequence[float] = (),
) -> Recorded:
    """The state of a controller: control_msgs/msg/JointTrajectoryControllerState, or another version of it."""
    said = _points(kind or TYPES.types[CONTROLLER], time_ns, names, errors, positions)
    return Recorded(topic, CONTROLLER, time_ns, said)


def _points(
    kind: Any,
    time_ns: int,
    names: Sequence[str],
    errors: Sequence[float],
    positions: Sequence[float] = (),
) -> Any:
    """A message with the points of a controller: the error, and where the joints are and should be."""
    none = np.empty(0)
    point = TYPES.types["trajectory_msgs/msg/JointTrajectoryPoint"]
    axes = TYPES.types["trajectory_msgs/msg/MultiDOFJointTrajectoryPoint"]
    duration = TYPES.types["builtin_interfaces/msg/Duration"](sec=0, nanosec=0)
    given = {"velocities": none, "accelerations": none, "effort": none}
    places = np.array(positions) if len(positions) else np.zeros(len(names))
    rest = point(positions=places, time_from_start=duration, **given)
    error = point(positions=np.array(errors), time_from_start=duration, **given)
    fixed = axes(transforms=[], velocities=[], accelerations=[], time_from_start=duration)
    known = {
        "header": header(time_ns),
        "joint_names": list(names),
        "error": error,
        "multi_dof_joint_names": [],
        "speed_scaling_factor": 1.0,
        "index": 3,
        "multi_dof_index": 0,
    }
    fields = [name for name in kind.__dataclass_fields__ if name != "__msgtype__"]
    return kind(**{f: known.get(f, fixed if f.startswith("multi_dof") else rest) for f in fields})


def robotiq(time_ns: int, found: int, position: int = 120, *, ready: bool = True) -> Recorded:
    """What a Robotiq gripper says: whether it found an object (gOBJ), and where it is (gPO, 0 to 255)."""
    said = {"gACT": ready, "gGTO": ready, "gSTA": 3 * ready, "gOBJ": found, "gFLT": 0}
    message = TYPES.types[ROBOTIQ](**said, gPR=255, gPO=position, gCU=12)
    return Recorded("/gripper/status", ROBOTIQ, time_ns, message)


def pins(time_ns: int, **states: Sequence[bool]) -> Recorded:
    """The inputs and outputs of a UR: ``digital_in``, ``digital_out`` from pin 0 on."""
    digital = TYPES.types["ur_msgs/msg/Digital"]
    made = {
        f"{kind}_states": [digital(pin=i, state=s) for i, s in enumerate(states.get(kind, ()))]
        for kind in ("digital_in", "digital_out", "flag")
    }
    message = TYPES.types[UR_IO](**made, analog_in_states=[], analog_out_states=[])
    return Recorded("/io_and_status_controller/io_states", UR_IO, time_ns, message)


def tool(time_ns: int, volt: int, current: float) -> Recorded:
    """What a UR says of its tool."""
    numbers = {"analog_input_range2": 1, "analog_input_range3": 1, "tool_temperature": 31.0}
    message = TYPES.types[UR_TOOL](
        **numbers,
        analog_input2=0.1,
        analog_input3=0.2,
        tool_voltage_48v=48.0,
        tool_output_voltage=volt,
        tool_current=current,
        tool_mode=253,
    )
    return Recorded("/io_and_status_controller/tool_data", UR_TOOL, time_ns, message)


def sent_goal(
    time_ns: int, action: str, position: float, *, goal: int = 1, event: int = REQUEST_RECEIVED
) -> Recorded:
    """The introspected service by which a control_msgs/action/GripperCommand gets its goal, asked or answered."""
    name = GRIPPER.removesuffix(FEEDBACK) + SENT_GOAL
    command = TYPES.types["control_msgs/msg/GripperCommand"](position=position, max_effort=40.0)
    wanted = TYPES.types[GRIPPER.removesuffix(FEEDBACK) + "_Goal"](command=command)
    request = {"goal_id": uuid(goal), "goal": wanted}
    response = {"accepted": True, "stamp": header(time_ns).stamp}
    return _call(time_ns, action + SEND_GOAL, name, event, goal, request, response)


def got_result(
    time_ns: int,
    action: str,
    position: float = 0.0,
    *,
    stalled: bool = False,
    goal: int = 1,
    status: int = SUCCEEDED,
    event: int = RESPONSE_SENT,
) -> Recorded:
    """The introspected service by which the same gives its result, asked or answered."""
    name = GRIPPER.removesuffix(FEEDBACK) + GOT_RESULT
    said = {"position": position, "effort": 12.0, "stalled": stalled, "reached_goal": not stalled}
    result = TYPES.types[GRIPPER.removesuffix(FEEDBACK) + "_Result"](**said)
    response = {"status": status, "result": result}
    request = {"goal_id": uuid(goal)}
    return _call(time_ns, action + GET_RESULT, name, event, goal, request, response)


def _call(
    time_ns: int,
    topic: str,
    name: str,
    event: int,
    number: int,
    request: Mapping[str, Any],
    response: Mapping[str, Any],
) -> Recorded:
    info = TYPES.types["service_msgs/msg/ServiceEventInfo"](
        event_type=event,
        stamp=header(time_ns).stamp,
        client_gid=np.full(16, 7, np.uint8),
        sequence_number=number,
    )
    asks = event in (REQUEST_SENT, REQUEST_RECEIVED)
    call = name.removesuffix("_Event")
    message = TYPES.types[name](
        info=info,
        request=[TYPES.types[f"{call}_Request"](**request)] if asks else [],
        response=[] if asks else [TYPES.types[f"{call}_Response"](**response)],
    )
    return Recorded(topic, name, time_ns, message)


def tree(time_ns: int, *changes: tuple[str, str]) -> Recorded:
    """A nav2_msgs/msg/BehaviorTreeLog: nodes and the states that they come to."""
    change = TYPES.types["nav2_msgs/msg/BehaviorTreeStatusChange"]
    stamp = header(time_ns).stamp
    rows = [
        change(timestamp=stamp, node_name=name, uid=7, previous_status="IDLE", current_status=state)
        for name, state in changes
    ]
    message = TYPES.types[NAV2_TREE](timestamp=stamp, event_log=rows)
    return Recorded("/behavior_tree_log", NAV2_TREE, time_ns, message)


def _feedback(name: str) -> Any:
    return TYPES.types[name.removesuffix("Message")]


def _told(time_ns: int, action: str, name: str, said: Any, goal: int) -> Recorded:
    message = TYPES.types[name](goal_id=uuid(goal), feedback=said)
    return Recorded(action + OF_FEEDBACK, name, time_ns, message)
