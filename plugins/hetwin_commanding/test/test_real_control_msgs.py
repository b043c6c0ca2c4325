"""A client of ros2_control's controllers moves the stand-in and the twin, each a process of its own.

It needs control_msgs, which ROS 2's wheels have not; where a workspace has it, its types are those of the client, too.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import rclpy
from action_msgs.msg import GoalStatus
from rclpy.action import ActionClient
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from support.ros_domains import new_domain
from support.waiting import wait_until
from trajectory_msgs.msg import JointTrajectoryPoint

pytest.importorskip("control_msgs", reason="control_msgs is not installed")
from control_msgs.action import (
    FollowJointTrajectory,
    GripperCommand,
    ParallelGripperCommand,
)
from control_msgs.msg import DynamicJointState, JointJog, JointTolerance

JOINT, FINGER = "shoulder_pan_joint", "gripper_left_finger_joint"
TYPES = {
    GripperCommand: "position_controllers/GripperActionController",
    ParallelGripperCommand: "parallel_gripper_action_controller/GripperActionController",
}
SCENARIO = """\
extends: pick_and_place
scenario: controlled
commands:
  groups:
    arm: {joints: [shoulder_*, elbow_joint, wrist_*, hand_roll_joint], controller: arm_controller}
  parameters: controllers.yaml
"""
PARAMETERS = """\
controller_manager:
  ros__parameters:
    arm_controller: {type: joint_trajectory_controller/JointTrajectoryController}
    gripper_controller: {type: TYPE}
arm_controller:
  ros__parameters:
    joints: [shoulder_pan_joint, shoulder_lift_joint, elbow_joint, wrist_roll_joint, wrist_pitch_joint, hand_roll_joint]
gripper_controller:
  ros__parameters: {joint: gripper_left_finger_joint, goal_tolerance: 0.002, stall_timeout: 0.3}
"""


class Client:
    """What a user of the controllers has."""

    def __init__(self, gripper: Any) -> None:
        self.node = Node("client")
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.arm = ActionClient(
            self.node, FollowJointTrajectory, "arm_controller/follow_joint_trajectory"
        )
        self.gripper = ActionClient(self.node, gripper, "gripper_controller/gripper_cmd")
        self.jog = self.node.create_publisher(JointJog, "arm_controller/joint_jog", 10)
        self.states: dict[str, dict[str, float]] = {}
        self.node.create_subscription(DynamicJointState, "dynamic_joint_states", self._hear, 10)
        self.feedback: list[Any] = []

    def _hear(self, message: DynamicJointState) -> None:
        for name, row in zip(message.joint_names, message.interface_values, strict=True):
            self.states[name] = dict(zip(row.interface_names, row.values, strict=True))

    def at(self, joint: str = JOINT) -> float:
        return self.states[joint]["position"]

    def until(self, holds: Callable[[], object], what: str) -> None:
        def looked() -> bool:
            for _ in range(10):
                self.executor.spin_once(0.01)
            return bool(holds())

        wait_until(looked, what)

    def of(self, future: Any) -> Any:
        self.until(future.done, "an answer of the action")
        return future.result()

    def sent(self, client: ActionClient, goal: Any) -> Any:
        """The handle of a goal."""
        self.until(client.server_is_ready, "the action's server")
        return self.of(client.send_goal_async(goal, lambda told: self.feedback.append(told)))

    def ended(self, client: ActionClient, goal: Any) -> Any:
        """Status and result of a goal."""
        handle = self.sent(client, goal)
        assert handle.accepted
        return self.of(handle.get_result_async())


def to(position: float, seconds: float = 0.6, joint: str = JOINT) -> FollowJointTrajectory.Goal:
    point = JointTrajectoryPoint(positions=[position], velocities=[0.0])
    point.time_from_start.sec, point.time_from_start.nanosec = divmod(round(seconds * 1e9), 10**9)
    goal = FollowJointTrajectory.Goal()
    goal.trajectory.joint_names, goal.trajectory.points = [joint], [point]
    return goal


def tolerance(position: float, joint: str = JOINT) -> JointTolerance:
    return JointTolerance(name=joint, position=position)


def grip(kind: Any, position: float) -> Any:
    goal = kind.Goal()
    if kind is GripperCommand:
        goal.command.position = position
    else:
        goal.command.name, goal.command.position = [FINGER], [position]
    return goal


def gripped(result: Any) -> float:
    """Where a result has the finger [m]."""
    return float(result.state.position[0] if hasattr(result, "state") else result.position)


@pytest.fixture(params=["stand-in", "twin"])
def robot(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=[GripperCommand, ParallelGripperCommand], ids=["gripper", "parallel"])
def kind(request: pytest.FixtureRequest) -> Any:
    return request.param


Start = Callable[..., Client]


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Starts a robot in a process of its own, and a client."""
    domain = new_domain()
    monkeypatch.setenv("ROS_DOMAIN_ID", str(domain))
    rclpy.init(args=[], domain_id=domain)
    processes: list[subprocess.Popen[bytes]] = []
    clients: list[Client] = []

    def begin(robot: str, *options: str, gripper: Any = GripperCommand) -> Client:
        (tmp_path / "controlled.yaml").write_text(SCENARIO)
        (tmp_path / "controllers.yaml").write_text(PARAMETERS.replace("TYPE", TYPES[gripper]))
        words = ["robot", "obey", "controlled.yaml", "--seed", "1"]
        if robot == "twin":
            words = ["run", "controlled.yaml", "--source", "commands:", "--out", "run"]
        command = [str(Path(sys.executable).with_name("hetwin")), *words, *options]
        with (tmp_path / "said").open("wb") as said:
            processes.append(subprocess.Popen(command, cwd=tmp_path, stdout=said, stderr=said))
        clients.append(Client(gripper))
        clients[0].until(lambda: JOINT in clients[0].states, "joint states")
        return clients[0]

    yield begin
    for client in clients:
        client.node.destroy_node()
    rclpy.try_shutdown()
    for process in processes:
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130, (tmp_path / "said").read_text()


def test_a_trajectory_is_followed_with_feedback_jogged_canceled_and_preempted(
    start: Start, robot: str
) -> None:
    client = start(robot)
    done = client.ended(client.arm, to(0.4))
    assert (done.status, done.result.error_code) == (GoalStatus.STATUS_SUCCEEDED, 0)
    assert client.at() == pytest.approx(0.4, abs=5e-3)
    told = client.feedback[-1].feedback
    assert told.joint_names == [JOINT]
    assert told.error.positions[0] == pytest.approx(
        told.desired.positions[0] - told.actual.positions[0]
    )
    assert {"position", "velocity"} <= set(client.states[JOINT])

    client.jog.publish(JointJog(joint_names=[JOINT], displacements=[-0.2], duration=0.3))
    client.until(lambda: client.at() == pytest.approx(0.2, abs=5e-3), "the jogged joint at 0.2")

    first = client.sent(client.arm, to(1.0, 5.0))
    second = client.ended(client.arm, to(0.3))
    assert second.status == GoalStatus.STATUS_SUCCEEDED
    preempted = client.of(first.get_result_async())
    assert preempted.status == GoalStatus.STATUS_ABORTED
    assert preempted.result.error_code == FollowJointTrajectory.Result.INVALID_GOAL
    assert "another motion" in preempted.result.error_string

    handle = client.sent(client.arm, to(1.2, 5.0))
    client.until(lambda: client.at() > 0.35, "the joint on its way")
    client.of(handle.cancel_goal_async())
    assert client.of(handle.get_result_async()).status == GoalStatus.STATUS_CANCELED
    here = client.at()
    client.until(lambda: abs(client.states[JOINT]["velocity"]) < 0.01, "the joint at rest")
    assert client.at() == pytest.approx(here, abs=0.1)

    unknown = client.ended(client.arm, to(0.1, joint="nose"))
    assert unknown.status == GoalStatus.STATUS_ABORTED
    assert unknown.result.error_code == FollowJointTrajectory.Result.INVALID_JOINTS


def test_a_path_tolerance_that_is_violated_aborts_and_holds(start: Start) -> None:
    client = start("stand-in", "--fault", "freeze:0.2")
    goal = to(0.8, 2.0)
    goal.path_tolerance = [tolerance(0.05)]
    done = client.ended(client.arm, goal)
    assert done.status == GoalStatus.STATUS_ABORTED
    assert done.result.error_code == FollowJointTrajectory.Result.PATH_TOLERANCE_VIOLATED
    assert f"{JOINT} is off by" in done.result.error_string


def test_a_goal_tolerance_that_is_violated_aborts_after_its_time(start: Start) -> None:
    client = start("stand-in", "--fault", "freeze:0.2")
    goal = to(0.4, 0.5)
    goal.goal_tolerance = [tolerance(0.05)]
    goal.goal_time_tolerance.nanosec = 300_000_000
    done = client.ended(client.arm, goal)
    assert done.status == GoalStatus.STATUS_ABORTED
    assert done.result.error_code == FollowJointTrajectory.Result.GOAL_TOLERANCE_VIOLATED


def test_the_twin_keeps_tolerances_too(start: Start) -> None:
    client = start("twin")
    goal = to(0.4)
    goal.path_tolerance = [JointTolerance(name=JOINT, velocity=1e-9)]
    done = client.ended(client.arm, goal)
    assert done.result.error_code == FollowJointTrajectory.Result.PATH_TOLERANCE_VIOLATED
    assert client.ended(client.arm, to(0.2)).status == GoalStatus.STATUS_SUCCEEDED


def test_a_gripper_goes_there_and_says_where_it_is(start: Start, robot: str, kind: Any) -> None:
    client = start(robot, gripper=kind)
    done = client.ended(client.gripper, grip(kind, 0.03))
    assert (done.status, done.result.reached_goal, done.result.stalled) == (
        GoalStatus.STATUS_SUCCEEDED,
        True,
        False,
    )
    assert gripped(done.result) == pytest.approx(0.03, abs=3e-3)


def test_a_gripper_that_is_stopped_stalls(start: Start, kind: Any) -> None:
    client = start("stand-in", "--fault", "freeze:0.2", gripper=kind)
    done = client.ended(client.gripper, grip(kind, 0.08))
    assert (done.status, done.result.reached_goal, done.result.stalled) == (
        GoalStatus.STATUS_ABORTED,
        False,
        True,
    )
    assert gripped(done.result) < 0.075
