"""The action of a controller over real ROS 2, with another action's type in place of FollowJointTrajectory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import rclpy
from action_msgs.msg import GoalStatus
from rclpy.action import ActionClient
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from support.ros_domains import new_domain
from support.waiting import wait_until

from hetwin.action import Simulate
from hetwin_commanding.source.actions import ActionOfController, ControllerAction
from hetwin_commanding.source.commands import (
    Inbox,
    StopCommand,
    TrajectoryCommand,
    trajectory_command,
)
from hetwin_commanding.source.ends import Joints, Outcome
from hetwin_core.kinematics.trajectories.trajectory import TrajectoryPoint


def read(goal: Any) -> TrajectoryCommand:
    """A goal's positions stand in a text here."""
    points = [TrajectoryPoint(1.0, json.loads(goal.scenario))]
    return trajectory_command("arm", ["elbow"], points)


def result(outcome: Outcome, _joints: Joints | None) -> Any:
    return Simulate.Result(ended=outcome.end.value, error=outcome.reason)


class Bench:
    """A server, a client, and the inbox between server and source."""

    def __init__(self) -> None:
        self.node = Node("bench")
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.inbox = Inbox()
        action = ControllerAction(Simulate, "arm/follow", read, result)
        self.server = ActionOfController(self.node, action, self.inbox)
        self.client = ActionClient(self.node, Simulate, "arm/follow")

    def done(self, future: Any) -> Any:
        """What a future holds in the end."""

        def is_done() -> bool:
            self.executor.spin_once(0.02)
            return bool(future.done())

        wait_until(is_done, "an answer of the action")
        return future.result()

    def send(self, positions: list[float]) -> Any:
        goal = Simulate.Goal(scenario=json.dumps(positions))
        return self.done(self.client.send_goal_async(goal))

    def taken(self) -> Any:
        """The next command that the source gets."""
        taken: list[Any] = []

        def is_there() -> bool:
            self.executor.spin_once(0.02)
            taken.extend(command for _, command in self.inbox.take())
            return bool(taken)

        wait_until(is_there, "a command")
        return taken[0]


@pytest.fixture
def bench() -> Iterator[Bench]:
    rclpy.init(args=[], domain_id=new_domain())
    made = Bench()
    made.done(SimpleNamespace(done=made.client.server_is_ready, result=lambda: None))
    yield made
    made.node.destroy_node()
    rclpy.try_shutdown()


def test_a_goal_ends_when_its_motion_does(bench: Bench) -> None:
    handle = bench.send([0.5])
    command = bench.taken()
    assert command.trajectory.positions.tolist() == [[0.5]]
    ended = handle.get_result_async()
    bench.inbox.goals.begin_motion("arm", command.number, 1.0)
    bench.inbox.goals.look(1.0)
    answer = bench.done(ended)
    assert (answer.status, answer.result.ended) == (GoalStatus.STATUS_SUCCEEDED, "reached")


def test_a_canceled_goal_stops_its_controller(bench: Bench) -> None:
    handle = bench.send([0.5])
    number = bench.taken().number
    bench.inbox.goals.begin_motion("arm", number, 1.0)
    bench.done(handle.cancel_goal_async())
    assert bench.taken() == StopCommand("arm", number)
    assert bench.inbox.goals.cancel("arm", number)
    answer = bench.done(handle.get_result_async())
    assert (answer.status, answer.result.ended) == (GoalStatus.STATUS_CANCELED, "canceled")


def test_a_goal_that_the_robot_refuses_is_aborted_with_the_reason(bench: Bench) -> None:
    handle = bench.send([0.5])
    bench.inbox.goals.refuse(bench.taken().number, "arm has no joint elbow")
    answer = bench.done(handle.get_result_async())
    assert (answer.status, answer.result.error) == (
        GoalStatus.STATUS_ABORTED,
        "arm has no joint elbow",
    )


def test_what_is_no_motion_is_rejected_at_once(bench: Bench) -> None:
    assert not bench.send([0.5, 0.5]).accepted
    (refusal,) = bench.inbox.take_refusals()
    assert refusal.topic == "arm/follow"
    assert "2 numbers; expected 1" in refusal.reason
