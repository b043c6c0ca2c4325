"""A robot on ROS 2 topics is moved, stopped, and waited for in vain."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import JointState
from sent_goals import COMMANDS, commander
from support.ros_domains import new_domain
from support.waiting import wait_until
from trajectory_msgs.msg import JointTrajectory

from hetwin.srv import StopSimulation
from hetwin_commanding.link import sending
from hetwin_commanding.rehearsal import Rule
from hetwin_commanding.send import Commander, Result
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.kinematics.trajectories.trajectory import JointTrajectory as Motion
from hetwin_programs.trajectory_execution import TrajectoryExecution

SLOW = COMMANDS + "  speed: 0.1\n"


class Robot:
    """Executes what it gets on its controllers' topics, exactly, and says where it is a hundred times a second."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.node = Node("robot", namespace="arm")
        self.names, self.got = names, 0
        self.speaks = True
        self._lock = threading.Lock()
        self._execution = TrajectoryExecution(names, np.zeros(len(names)))
        self._states = self.node.create_publisher(JointState, "joint_states", 10)
        for controller in ("arm_controller", "gripper_controller"):
            self.node.create_subscription(
                JointTrajectory, f"{controller}/joint_trajectory", self._take, 10
            )
        self.stop = self.node.create_client(StopSimulation, "hetwin/stop_robot")
        self.node.create_timer(0.01, self._say)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self.node)
        self.over = False
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def at(self, now: float) -> Any:
        with self._lock:
            return self._execution.at(now)

    def close(self) -> None:
        self.over = True
        self._thread.join()
        self.node.destroy_node()

    def _run(self) -> None:
        while not self.over:
            self._executor.spin_once(0.05)

    def _take(self, message: Any) -> None:
        times = [p.time_from_start.sec + p.time_from_start.nanosec * 1e-9 for p in message.points]
        motion = Motion(
            tuple(message.joint_names),
            np.array(times),
            np.array([p.positions for p in message.points]),
            np.array([p.velocities for p in message.points]),
        )
        assert message.header.stamp.sec == message.header.stamp.nanosec == 0
        now = time.monotonic()
        with self._lock:
            self.got += 1
            self._execution.follow(motion, now, now)

    def _say(self) -> None:
        if not self.speaks:
            return
        message = JointState(name=list(self.names))
        message.position = self.at(time.monotonic()).positions.tolist()
        seconds, nanoseconds = divmod(time.time_ns(), 10**9)
        message.header.stamp.sec, message.header.stamp.nanosec = seconds, nanoseconds
        self._states.publish(message)


@pytest.fixture(scope="module")
def arm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Commander, Robot]]:
    folder = tmp_path_factory.mktemp("ros")
    one = commander(folder, "joints: {elbow_joint: 0.3, shoulder_lift_joint: 0.2}\n", SLOW)
    rclpy.init(args=[], domain_id=new_domain())
    robot = Robot(one.commanded.names)
    yield one, robot
    robot.close()
    rclpy.try_shutdown()


def test_a_robot_is_moved_to_its_goal(arm: tuple[Commander, Robot]) -> None:
    one, robot = arm
    outcome = sending.send(one, "arm")
    assert outcome.result is Result.REACHED, outcome.to_json()
    assert outcome.sent
    here = dict(zip(robot.names, robot.at(time.monotonic()).positions.tolist(), strict=True))
    assert here["elbow_joint"] == pytest.approx(0.3, abs=1e-3)
    assert here["shoulder_lift_joint"] == pytest.approx(0.2, abs=1e-3)
    assert outcome.consistency is not None
    got = robot.got
    time.sleep(0.3)
    assert robot.got == got > 5


def test_the_service_stops_it(arm: tuple[Commander, Robot], tmp_path: Path) -> None:
    _, robot = arm
    one = commander(tmp_path, "joints: {shoulder_pan_joint: 1.5}\n", SLOW)
    got = robot.got
    outcomes: list[Any] = []
    sends = threading.Thread(target=lambda: outcomes.append(sending.send(one, "arm")))
    sends.start()
    try:
        wait_until(lambda: robot.got > got + 3, "a motion that has begun")
        answered = robot.stop.call_async(StopSimulation.Request())
        wait_until(answered.done, "the answer of the service")
        assert answered.result().accepted
    finally:
        sends.join()
    (outcome,) = outcomes
    assert outcome.result is Result.STOPPED
    state = robot.at(time.monotonic())
    assert not state.velocities.any()
    assert 0.0 < state.positions[robot.names.index("shoulder_pan_joint")] < 1.4


def test_a_robot_that_falls_silent_gets_nothing(
    arm: tuple[Commander, Robot], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is heard at first; while the motion is rehearsed, it says no more."""
    one, robot = arm
    rehearsed = Commander.rehearsed

    def falls_silent(*args: Any, **kwargs: Any) -> Any:
        robot.speaks = False
        found = rehearsed(*args, **kwargs)
        time.sleep(0.3)
        return found

    monkeypatch.setattr(Commander, "rehearsed", falls_silent)
    got = robot.got
    try:
        outcome = sending.send(one, "arm")
    finally:
        robot.speaks = True
    assert outcome.result is Result.REFUSED
    assert {refusal.rule for refusal in outcome.rehearsal.refused} == {Rule.STALE}
    assert not outcome.sent
    assert robot.got == got


def test_a_robot_that_says_nothing_is_bad_input(
    arm: tuple[Commander, Robot], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "WAIT_S", 0.3)
    one, _ = arm
    with pytest.raises(BadInput) as caught:
        sending.send(replace(one), "nowhere")
    for part in (
        "line ",
        "commands.groups.arm.joints",
        "shoulder_pan_joint",
        "/nowhere/joint_states",
    ):
        assert part in str(caught.value)
