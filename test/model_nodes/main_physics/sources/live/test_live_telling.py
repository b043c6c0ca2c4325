"""What a live robot tells of its tasks and beliefs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
import rclpy
from action_msgs.msg import GoalStatus, GoalStatusArray
from geometry_msgs.msg import PoseStamped
from rclpy.qos import QoSDurabilityPolicy, QoSProfile, QoSReliabilityPolicy
from std_msgs.msg import String
from support.live_robot import PERIOD, SECOND, Robot, followed
from support.ros_domains import new_domain
from support.waiting import wait_until

from hetwin.action import Simulate
from hetwin.msg import Belief, Task
from hetwin_core.ensemble.beliefs import (
    BeliefFields,
    belief_event,
    belief_fields,
    belief_problem,
    invalid_belief_event,
)
from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.ensemble.scenario.source import LiveSpec
from hetwin_core.ensemble.tasks import TaskFields, task_event, task_fields
from hetwin_core.wire.publishing import message_class
from model_nodes.main_physics.sources.action_types import GOALS, GRIPPER
from model_nodes.main_physics.sources.live.link import RobotLink
from model_nodes.main_physics.sources.live.part import LivePart
from model_nodes.main_physics.sources.live.readers import action_reader, since_start


@pytest.fixture
def robot() -> Iterator[Robot]:
    rclpy.init(args=[], domain_id=new_domain())
    try:
        robot = Robot()
        yield robot
        robot.node.destroy_node()
    finally:
        rclpy.try_shutdown()


def with_late_wheel_angles(message: Any, stamp: Any, time_ns: int) -> Any:
    stamp.sec, stamp.nanosec = divmod(time_ns, SECOND)
    return message


def test_a_live_robot_tells_tasks_and_beliefs(robot: Robot) -> None:
    """Its poses come best-effort, as pictures do; a topic of a type that says nothing is reported."""
    best_effort = QoSProfile(depth=10, reliability=QoSReliabilityPolicy.BEST_EFFORT)
    publish = {
        name: robot.node.create_publisher(kind, name, qos)
        for name, kind, qos in (
            ("tasks", Task, QoSProfile(depth=10)),
            ("beliefs", Belief, QoSProfile(depth=10)),
            ("believed_box", PoseStamped, best_effort),
            ("words", String, best_effort),
        )
    }
    beliefs = [{"topic": "believed_box", "entity": "box"}, {"topic": "words"}]
    with followed(robot, beliefs=beliefs) as source:
        for publisher in publish.values():
            wait_until(publisher.get_subscription_count, f"a subscription of {publisher.topic}")
        robot.tell(1.5)
        task = Task(id="place.1", operation="place", status="active", after=["look.1"])
        publish["tasks"].publish(with_late_wheel_angles(task, task.stamp, robot.time_ns))
        belief = Belief(fluent="held", arguments=["box", "hand"], holds=True, confidence=1.0)
        publish["beliefs"].publish(with_late_wheel_angles(belief, belief.stamp, robot.time_ns))
        pose = PoseStamped()
        pose.header.frame_id, pose.pose.position.x, pose.pose.orientation.w = "map", 0.5, 1.0
        publish["believed_box"].publish(
            with_late_wheel_angles(pose, pose.header.stamp, robot.time_ns)
        )
        publish["words"].publish(String(data="box"))
        wait_until(lambda: len([*source._waiting]) == 4, "four messages")
        said_ns = robot.time_ns - source._epoch_ns
        robot.tell(0.2)
        told = {event.source: event for event in _events(source)}
    assert {event.kind for name, event in told.items() if name != "tasks"} == {EventKind.BELIEF}
    assert {event.time_ns for name, event in told.items() if name != "words"} == {said_ns}
    assert task_fields(told["tasks"]) == TaskFields(
        "place.1", operation="place", status="active", after=("look.1",)
    )
    held = BeliefFields("held", ("box", "hand"), frame="", origin="beliefs")
    assert belief_fields(told["beliefs"]) == held
    assert belief_fields(told["believed_box"]) == BeliefFields(
        "loc", ("box",), frame="map", pose=(0.5, 0, 0, 1, 0, 0, 0), origin="believed_box"
    )
    assert belief_problem(told["words"]) == "message 1: a String contains no belief of the robot"


def _events(source: LivePart) -> list[Event]:
    """All events until the words, which have no stamp, so that they come when they have arrived."""
    found: list[Event] = []
    time_ns = 0
    while len(found) < 4:
        time_ns += PERIOD
        found += source.events(time_ns)
    return found


def test_what_was_told_last_before_the_beginning_still_holds() -> None:
    def held(time_ns: int, *, holds: bool) -> Event:
        return belief_event(BeliefFields("held", ("a", "b"), holds=holds), time_ns, "/b")

    def task(time_ns: int, status: str) -> Event:
        return task_event(TaskFields("place.1", status=status), time_ns, "/t")

    last, later = held(5, holds=False), task(20, "done")
    active, wave = task(3, "active"), Event("wave", 9, EventKind.ACTION)
    before = [task(1, "created"), held(2, holds=True), active, last, wave]
    assert since_start([*before, invalid_belief_event("?", 6, "/b"), later], 10) == [
        active,
        last,
        later,
    ]


def test_a_live_robot_tells_the_goals_of_its_actions(robot: Robot) -> None:
    """A gripper whose package is not installed is said; the twin's own actions are none of the robot's."""
    kept = QoSProfile(depth=10, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
    mine, own = (
        robot.node.create_publisher(GoalStatusArray, f"{name}/_action/status", kept)
        for name in ("pick", "hetwin/act")
    )
    with followed(robot) as source:
        wait_until(mine.get_subscription_count, "a subscription of the goals")
        for status in (GoalStatus.STATUS_EXECUTING, GoalStatus.STATUS_ABORTED):
            robot.tell(0.5)
            goal = GoalStatus(status=status)
            goal.goal_info.goal_id.uuid[:] = [1] * 16
            mine.publish(GoalStatusArray(status_list=[goal]))
            time.sleep(0.2)
        robot.tell(1.0)
        assert not own.get_subscription_count()
        found = [e for e in source.events(10 * SECOND) if e.kind is EventKind.ACTION]
    assert [(e.name, e.arguments["phase"]) for e in found] == [("pick", "begin"), ("pick", "end")]
    assert found[1].arguments["result"] == "aborted"


def test_a_live_robot_tells_the_results_of_actions_that_are_introspected(robot: Robot) -> None:
    kind = Simulate.Impl.GetResultService.Event
    mine = robot.node.create_publisher(kind, "sim/_action/get_result/_service_event", 10)
    with followed(robot) as source:
        wait_until(mine.get_subscription_count, "a subscription of the results")
        robot.tell(0.5)
        response = Simulate.Impl.GetResultService.Response(status=GoalStatus.STATUS_SUCCEEDED)
        mine.publish(kind(response=[response]))
        time.sleep(0.2)
        robot.tell(1.0)
        found = [e for e in source.events(10 * SECOND) if e.kind is EventKind.ACTION]
    assert [(e.name, e.arguments["result"]) for e in found] == [("result_got", "succeeded")]


def test_states_at_high_rates_are_decoded_now_and_then(robot: Robot) -> None:
    """Of some hundred messages within 0.3 s, those that are at least 0.1 s apart."""
    fast = robot.node.create_publisher(String, "fast", 1000)
    heard: list[int] = []

    def choose(topic: str, _: str, kind: Any) -> Any:
        return ((lambda _, at: heard.append(at)), SECOND // 10) if topic.endswith("fast") else None

    link = RobotLink(
        robot.node.get_namespace(), (), print, {}, {}, lambda: (b"", "", {}), choose=choose
    )
    try:
        wait_until(fast.get_subscription_count, "a subscription")
        for _ in range(150):
            fast.publish(String(data="x"))
            time.sleep(0.002)
        wait_until(lambda: len(heard) >= 2, "two messages")
        time.sleep(0.1)
    finally:
        link.close()
    assert len(heard) < 30
    assert min(b - a for a, b in pairwise(heard)) >= SECOND // 10


def test_which_live_topics_are_read() -> None:
    """A type of a package that is not installed has no class; of an action's own types the package holds the class."""
    topic = "/gripper/gripper_cmd/_action/feedback"
    assert action_reader(LiveSpec(live=""), topic, GRIPPER) is not None
    assert action_reader(LiveSpec(live="", annotations=()), topic, GRIPPER) is None
    assert action_reader(LiveSpec(live=""), "/hetwin/act/_action/status", GOALS) is None
    assert message_class("no_such_msgs/action/GripperCommand_FeedbackMessage") is None
    found = message_class("hetwin/action/Simulate_GetResult_Event")
    assert found is Simulate.Impl.GetResultService.Event
    assert message_class(GOALS) is GoalStatusArray
    assert message_class("hetwin/action/Simulate_FeedbackMessage") is not None
