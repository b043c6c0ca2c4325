"""The actions and topics of ros2_control's controllers, if control_msgs is installed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectoryPoint

from hetwin_commanding.source.commands import (
    CommandRefused,
    GripCommand,
    Inbox,
    StopCommand,
    TrajectoryCommand,
    jog_command,
    trajectory_of_message,
)
from hetwin_commanding.source.ends import (
    GoalEnd,
    Joints,
    Outcome,
    Tolerance,
    TrajectoryJudge,
    Wrong,
)
from hetwin_commanding.source.parameters import Controller, Kind

try:
    from control_msgs.action import (
        FollowJointTrajectory,
        GripperCommand,
        ParallelGripperCommand,
    )
    from control_msgs.msg import DynamicJointState, InterfaceValue, JointJog
except ImportError:  # then controllers have topics only
    FollowJointTrajectory = None

PERIOD_S = 0.02
"""Period of the check whether a goal has ended [s]."""
FEEDBACK_S = 0.05
"""Period of feedback to the client of a goal [s]."""
DYNAMIC_JOINT_STATES = "dynamic_joint_states"
INTERFACES = ("position", "velocity", "effort")

_numbers = count(1)


@dataclass(frozen=True, slots=True)
class ControllerAction:
    """Converts the messages of a controller's action.

    Attributes:
        kind: type of the action.
        name: name of the action.
        read: converts a goal to a command; raises `CommandRefused`.
        result: converts an outcome and the joint states at the end to a result.
        feedback: converts the goal's command and the joint states to feedback; None: no feedback.
        succeeds: whether an outcome counts as success.
    """

    kind: Any
    name: str
    read: Callable[[Any], TrajectoryCommand | GripCommand]
    result: Callable[[Outcome, Joints | None], Any]
    feedback: Callable[[Any, Joints], Any] | None = None
    succeeds: Callable[[Outcome], bool] = lambda outcome: outcome.end is GoalEnd.REACHED


class ActionOfController:
    """The server of one action.

    Args:
        node: node of the server.
        action: converts the action's messages.
        inbox: receives the commands.
    """

    def __init__(self, node: Node, action: ControllerAction, inbox: Inbox) -> None:
        self._action, self._inbox, self._node = action, inbox, node
        self._waiting: list[Any] = []
        group = ReentrantCallbackGroup()
        self._timer = node.create_timer(PERIOD_S, self._look, callback_group=group)
        self._server = ActionServer(
            node,
            action.kind,
            action.name,
            self._execute,
            callback_group=group,
            goal_callback=self._goal,
            cancel_callback=lambda _handle: CancelResponse.ACCEPT,
        )

    def _goal(self, goal: Any) -> GoalResponse:
        try:
            self._action.read(goal)
        except CommandRefused as refused:
            self._inbox.refuse(self._action.name, str(refused))
            return GoalResponse.REJECT
        return GoalResponse.ACCEPT

    def _look(self) -> None:
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            future.set_result(None)

    async def _execute(self, handle: Any) -> Any:
        number = next(_numbers)
        command = replace(self._action.read(handle.request), number=number)
        self._inbox.put(self._action.name, command)
        canceling, looks = False, 0
        while (outcome := self._inbox.goals.take(number)) is None:
            if handle.is_cancel_requested and not canceling:
                canceling = True
                self._inbox.put(self._action.name, StopCommand(command.controller, number))
            looks += 1
            if looks % round(FEEDBACK_S / PERIOD_S) == 0:
                self._tell(handle)
            future = Future(executor=self._node.executor)
            self._waiting.append(future)
            await future
        if outcome.end is GoalEnd.CANCELED:
            handle.canceled()
        elif self._action.succeeds(outcome):
            handle.succeed()
        else:
            handle.abort()
        return self._action.result(outcome, self._inbox.joints)

    def _tell(self, handle: Any) -> None:
        joints = self._inbox.joints
        if self._action.feedback is not None and joints is not None:
            handle.publish_feedback(self._action.feedback(handle.request, joints))


def serve(node: Node, controller: Controller, inbox: Inbox) -> list[object]:
    """Serve the actions and topics of a controller in ros2_control; does nothing without control_msgs.

    Trajectory controllers have the action ``NAME/follow_joint_trajectory``, and subscribe to control_msgs/msg/JointJog
    on ``NAME/joint_jog``; grippers have ``NAME/gripper_cmd``.
    """
    if FollowJointTrajectory is None:
        return []
    match controller.kind:
        case Kind.GRIPPER:
            return [ActionOfController(node, _gripper(controller), inbox)]
        case Kind.PARALLEL_GRIPPER:
            return [ActionOfController(node, _parallel_gripper(controller), inbox)]
    return [
        ActionOfController(node, _trajectory(node, controller), inbox),
        _jog(node, controller.name, inbox),
    ]


class DynamicJointStates:
    """Publishes control_msgs/msg/DynamicJointState as joint_state_broadcaster does.

    Args:
        node: node of the publisher.
        inbox: holds the joint states.
    """

    def __init__(self, node: Node, inbox: Inbox) -> None:
        self._inbox, self._last = inbox, -math.inf
        self._publisher = node.create_publisher(DynamicJointState, DYNAMIC_JOINT_STATES, 10)
        self._clock = node.get_clock()
        self._timer = node.create_timer(PERIOD_S, self._publish)

    def _publish(self) -> None:
        joints = self._inbox.joints
        if joints is None or joints.time == self._last:
            return
        self._last = joints.time
        rows = np.stack([joints.positions, joints.speeds, joints.efforts], axis=1).tolist()
        message = DynamicJointState(joint_names=list(joints.names))
        message.header.stamp = self._clock.now().to_msg()
        for row in rows:
            known = [(name, at) for name, at in zip(INTERFACES, row, strict=True) if at == at]
            names, values = [name for name, _ in known], [at for _, at in known]
            message.interface_values.append(InterfaceValue(interface_names=names, values=values))
        self._publisher.publish(message)


def dynamic_joint_states(node: Node, inbox: Inbox) -> DynamicJointStates | None:
    """Publish the joints' states as interfaces; return None without control_msgs."""
    return None if FollowJointTrajectory is None else DynamicJointStates(node, inbox)


_CODES = {
    GoalEnd.REACHED: "SUCCESSFUL",
    GoalEnd.REPLACED: "INVALID_GOAL",
    GoalEnd.REFUSED: "INVALID_GOAL",
    GoalEnd.OFF_ITS_PATH: "PATH_TOLERANCE_VIOLATED",
    GoalEnd.NOT_THERE_IN_TIME: "GOAL_TOLERANCE_VIOLATED",
}


def _trajectory(node: Node, controller: Controller) -> ControllerAction:
    def read(goal: Any) -> TrajectoryCommand:
        command = trajectory_of_message(controller.name, goal.trajectory)
        names = command.trajectory.names
        return replace(command, judge=TrajectoryJudge(names, _tolerances(node, controller, goal)))

    def result(outcome: Outcome, _joints: Joints | None) -> Any:
        made = FollowJointTrajectory.Result(error_string=outcome.reason)
        code = "INVALID_JOINTS" if outcome.wrong is Wrong.JOINTS else _CODES.get(outcome.end)
        code = "OLD_HEADER_TIMESTAMP" if outcome.wrong is Wrong.TIME else code
        made.error_code = getattr(FollowJointTrajectory.Result, code or "SUCCESSFUL")
        return made

    def feedback(goal: Any, joints: Joints) -> Any:
        names = list(goal.trajectory.joint_names)
        index = [joints.names.index(name) for name in names if name in joints.names]
        made = FollowJointTrajectory.Feedback(joint_names=[joints.names[i] for i in index])
        made.header.stamp = node.get_clock().now().to_msg()
        made.desired = _point(joints.wanted[index], joints.wanted_speeds[index])
        made.actual = _point(joints.positions[index], joints.speeds[index])
        made.error = _point(
            joints.wanted[index] - joints.positions[index],
            joints.wanted_speeds[index] - joints.speeds[index],
        )
        return made

    name = f"{controller.name}/follow_joint_trajectory"
    return ControllerAction(FollowJointTrajectory, name, read, result, feedback)


def _point(positions: Any, velocities: Any) -> JointTrajectoryPoint:
    return JointTrajectoryPoint(positions=positions.tolist(), velocities=velocities.tolist())


def _tolerances(node: Node, controller: Controller, goal: Any) -> Any:
    """Return the tolerances of a goal; the controller's own if the goal's are invalid, as ros2_controllers does."""
    time = goal.goal_time_tolerance
    seconds = float(time.sec + time.nanosec * 1e-9)
    try:
        return controller.tolerances.with_request(
            _read(goal.path_tolerance), _read(goal.goal_tolerance), seconds, controller.joints
        )
    except ValueError as error:
        node.get_logger().error(f"{controller.name}: {error}; its own tolerances hold")
        return controller.tolerances


def _read(tolerances: Sequence[Any]) -> list[tuple[str, Tolerance]]:
    return [
        (tolerance.name, Tolerance(tolerance.position, tolerance.velocity))
        for tolerance in tolerances
    ]


def _gripper(controller: Controller) -> ControllerAction:
    def read(goal: Any) -> GripCommand:
        return controller.grip(float(goal.command.position))

    def filled(made: Any, joints: Joints | None) -> Any:
        if joints is not None:
            made.position, _, made.effort = _state_of(controller, joints)
        return made

    def result(outcome: Outcome, joints: Joints | None) -> Any:
        return filled(_ended(GripperCommand.Result(), outcome), joints)

    def feedback(_goal: Any, joints: Joints) -> Any:
        return filled(GripperCommand.Feedback(), joints)

    name = f"{controller.name}/gripper_cmd"
    return ControllerAction(GripperCommand, name, read, result, feedback, controller.has_succeeded)


def _parallel_gripper(controller: Controller) -> ControllerAction:
    def read(goal: Any) -> GripCommand:
        positions = list(goal.command.position)
        if len(positions) != 1:
            raise CommandRefused(f"{len(positions)} positions; expected 1")
        velocity = next(iter(goal.command.velocity), None)
        return controller.grip(float(positions[0]), velocity)

    def filled(made: Any, joints: Joints | None) -> Any:
        if joints is not None:
            position, velocity, effort = _state_of(controller, joints)
            made.state = JointState(
                name=[controller.joint], position=[position], velocity=[velocity], effort=[effort]
            )
        return made

    def result(outcome: Outcome, joints: Joints | None) -> Any:
        return filled(_ended(ParallelGripperCommand.Result(), outcome), joints)

    def feedback(_goal: Any, joints: Joints) -> Any:
        return filled(ParallelGripperCommand.Feedback(), joints)

    name = f"{controller.name}/gripper_cmd"
    return ControllerAction(
        ParallelGripperCommand, name, read, result, feedback, controller.has_succeeded
    )


def _ended(made: Any, outcome: Outcome) -> Any:
    made.reached_goal = outcome.end is GoalEnd.REACHED
    made.stalled = outcome.end is GoalEnd.STALLED
    return made


def _state_of(controller: Controller, joints: Joints) -> tuple[float, float, float]:
    """Return position, velocity and effort of a gripper's joint; 0 for an unknown effort."""
    index = joints.names.index(controller.joint)
    effort = float(joints.efforts[index])
    return (
        float(joints.positions[index]),
        float(joints.speeds[index]),
        effort if math.isfinite(effort) else 0.0,
    )


def _jog(node: Node, controller: str, inbox: Inbox) -> object:
    topic = f"{controller}/joint_jog"

    def on_message(message: Any) -> None:
        try:
            inbox.put(
                topic,
                jog_command(
                    controller,
                    list(message.joint_names),
                    list(message.displacements),
                    list(message.velocities),
                    float(message.duration),
                ),
            )
        except CommandRefused as refused:
            inbox.refuse(topic, str(refused))

    return node.create_subscription(JointJog, topic, on_message, 10)
