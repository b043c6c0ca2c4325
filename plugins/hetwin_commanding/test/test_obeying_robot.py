"""The stand-in takes commands over ROS 2 and publishes what a robot does."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import JointState
from support.hetwin_command import hetwin
from support.robot_files import TABLETOP_ARM
from support.ros_domains import new_domain
from support.waiting import wait_until
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from hetwin_commanding.command import read_fault
from hetwin_commanding.obeying.running import obeying
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.kinematics.planar import PlanarPose

JOINT = "shoulder_pan_joint"
TARGET = 0.6
CONTROLLER = "arm_controller"
"""The one that the scenario's `commands` name."""


class User:
    """Commands a robot, and hears what it publishes."""

    def __init__(self) -> None:
        self.node = Node("user")
        self.heard: list[tuple[float, JointState]] = []
        self.positions: list[float] = []
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.topics = self.node.create_publisher(
            JointTrajectory, f"{CONTROLLER}/joint_trajectory", 10
        )
        self.node.create_subscription(JointState, "joint_states", self._hear, 100)

    def _hear(self, message: JointState) -> None:
        self.heard.append((time.time(), message))
        self.positions.append(message.position[list(message.name).index(JOINT)])

    def listen(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.executor.spin_once(0.05)

    def listen_until(self, holds: Callable[[], bool]) -> None:
        def heard() -> bool:
            for _ in range(20):
                self.executor.spin_once(0.01)
            return holds()

        wait_until(heard, lambda: f"something else than the end of {self.positions[-5:]}")

    def at_rest(self, position: float | None = None) -> bool:
        """Whether the joint stood still, perhaps there, for the last 200 ms."""
        last = self.positions[-20:]
        if len(last) < 20:
            return False
        return np.ptp(last) < 2e-3 and position in (None, pytest.approx(np.mean(last), abs=2e-3))

    def go(self) -> None:
        """Have the joint go to its target; a robot that has not discovered this node yet does not hear the command."""

        def there() -> bool:
            if self.at_rest() and not self.at_rest(TARGET):
                self.move()
            return self.at_rest(TARGET)

        self.listen_until(there)

    def move(self) -> None:
        """Command the joint to its target within 0.5 s."""
        zeros = [0.0]
        point = JointTrajectoryPoint(positions=[TARGET], velocities=zeros, accelerations=zeros)
        point.time_from_start.nanosec = 500_000_000
        self.topics.publish(JointTrajectory(joint_names=[JOINT], points=[point]))


@pytest.fixture
def user(monkeypatch: pytest.MonkeyPatch) -> Iterator[User]:
    domain = new_domain()
    monkeypatch.setenv("ROS_DOMAIN_ID", str(domain))  # for a robot in a process of its own
    rclpy.init(args=[], domain_id=domain)
    user = User()
    yield user
    user.node.destroy_node()
    rclpy.try_shutdown()


@contextmanager
def running(user: User, fault: str | None = None) -> Iterator[list[str]]:
    """A robot that obeys in a thread, heard by the user; what it says."""
    said: list[str] = []
    over = threading.Event()
    with obeying("pick_and_place", seed=7, fault=read_fault(fault) if fault else None) as robot:
        thread = threading.Thread(target=robot.run, args=(said.append, over.is_set))
        thread.start()
        try:
            wait_until(user.topics.get_subscription_count, "a robot that takes trajectories")
            user.listen(0.3)
            yield said
        finally:
            over.set()
            thread.join()


def test_it_goes_where_it_is_commanded_with_noise(user: User) -> None:
    with running(user) as said:
        rest = list(user.positions)
        assert 0.0 < np.std(rest) < 1e-3
        user.move()
        user.listen_until(lambda: user.at_rest(TARGET))
        assert min(user.positions) > -2e-3
        assert max(user.positions) < TARGET + 2e-3
        velocities = [m.velocity[list(m.name).index(JOINT)] for _, m in user.heard]
        assert max(velocities) == pytest.approx(1.875 * TARGET / 0.5, rel=0.1)
        ages = [t - m.header.stamp.sec - m.header.stamp.nanosec * 1e-9 for t, m in user.heard]
        assert 0.0 < np.median(ages) < 0.2
        assert all(np.isfinite(m.effort).all() for _, m in user.heard)
        user.topics.publish(JointTrajectory(joint_names=["nose"]))
        user.listen_until(lambda: any("was refused" in line for line in said))
    (refused,) = (line for line in said if "was refused" in line)
    assert "points: there are none" in refused


def test_a_frozen_robot_stands_in_the_middle_of_its_motion(user: User) -> None:
    with running(user, "freeze:0.2"):
        user.move()
        user.listen_until(lambda: user.positions[-1] > 0.05 and user.at_rest())
        assert 0.05 < user.positions[-1] < TARGET - 0.05


def test_a_silent_robot_publishes_nothing_from_then_on(user: User) -> None:
    with running(user, "silence:0.2"):
        user.move()
        user.listen_until(lambda: time.time() - user.heard[-1][0] > 1.5)
    assert user.positions[-1] < TARGET - 0.05


@pytest.mark.parametrize(
    ("robots", "words"),
    [
        ("", "no robot that could obey"),
        ("robots:\n  left: {urdf: ARM}\n  right: {urdf: ARM}\n", r"line 4, robots: .*has several"),
    ],
)
def test_a_scenario_without_one_robot_is_refused(tmp_path: Path, robots: str, words: str) -> None:
    scenario = tmp_path / "none.yaml"
    scenario.write_text(
        "scenario: none\nworld: worlds/tabletop.sdf\nmodels: {physics: {type: main_physics, main: true}}\n"
        + robots.replace("ARM", str(TABLETOP_ARM))
    )
    with pytest.raises(BadInput, match=words), obeying(str(scenario)):
        pass


def test_an_arm_that_stands_cannot_begin_elsewhere() -> None:
    with (
        pytest.raises(BadInput, match=r"robot\.base: only a base that follows odometry"),
        obeying("pick_and_place", start=PlanarPose(1.0, 2.0, 0.0)),
    ):
        pass


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["obey", "--gap", "1:1"], "No such option: --gap"),
        (["play", "--fault", "freeze:1"], "No such option: --fault"),
        (["obey", "--fault", "melt:1"], "--fault: this is no fault"),
        (["obey", "--place", "1,2"], "--place: this is no place; found '1,2'; expected X,Y,YAW"),
        (["obey", "--place", "1,nan,0"], "--place: this is no place; found '1,nan,0'"),
        (["play", "--pace", "0"], "--pace: the pace is invalid; found 0.0"),
    ],
)
def test_options_of_the_command_that_do_not_fit_are_refused(options: list[str], words: str) -> None:
    said = hetwin("robot", options[0], "pick_and_place", *options[1:])
    assert said.code == 2
    assert words in said.err


def test_the_command_obeys_until_it_is_interrupted(user: User) -> None:
    command = [
        str(Path(sys.executable).with_name("hetwin")),
        "robot",
        "obey",
        "pick_and_place",
        "--seed",
        "1",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert "a robot obeys; it publishes /joint_states" in process.stdout.readline()
            user.go()
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(20) == 130
