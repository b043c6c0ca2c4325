"""Models that are asked for the same step share a message; others get one of their own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile
from support.ros_domains import new_domain
from support.waiting import wait_until

from conductor_node.step_requests import StepRequests
from hetwin.msg import Step
from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.ensemble.model import StepInput
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot

SCENE = Snapshot(
    Layout.build([], []),
    ("physics", "a", "b"),
    0,
    np.empty(0),
    np.empty(0, np.int32),
    np.empty(0, np.int32),
    np.empty((0, 12)),
)
TICK = StepInput(20, 10, SCENE)
EVENT = Event("picked_up", 5, EventKind.MODEL, "grasp")


def plan(every: int = 1, *, main: bool = False, beside: bool = False) -> Any:
    return SimpleNamespace(main=main, beside=beside, every=every)


class Listener:
    """Hears what is published on a topic."""

    def __init__(self, node: Any, post: StepRequests, topic: str) -> None:
        self.heard: list[Step] = []
        self._executor = SingleThreadedExecutor(context=node.context)
        self._executor.add_node(node)
        node.create_subscription(Step, topic, self.heard.append, QoSProfile(depth=100))
        self._until(
            lambda: post.reaches(topic, node.get_fully_qualified_name()),
            f"a subscription of {topic}",
        )

    def messages(self, count: int) -> list[tuple[int, list[int]]]:
        """Number and models of each message, once so many are there, and a moment later."""
        self._until(lambda: len(self.heard) >= count, lambda: f"{count} messages: {self.heard}")
        self._executor.spin_once(0.05)
        return [(m.sequence, list(m.models)) for m in self.heard]

    def _until(self, holds: Callable[[], bool], what: str | Callable[[], object]) -> None:
        def look() -> bool:
            self._executor.spin_once(0.01)
            return holds()

        wait_until(look, what, period_s=0.0)


@pytest.fixture
def node(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    context = rclpy.context.Context()
    rclpy.init(context=context, domain_id=new_domain())
    made = rclpy.create_node(f"conductor_{os.getpid()}", context=context)
    yield made
    made.destroy_node()
    rclpy.shutdown(context=context)


def test_the_same_step_goes_out_once(node: Any) -> None:
    post = StepRequests(node, "r1")
    topic = post.topic(plan())
    listener = Listener(node, post, topic)
    first, together = post.request(topic, 1, TICK, (), reads=False)
    second, too = post.request(topic, 2, replace(TICK), (), reads=True)
    post.send()
    post.send()
    assert listener.messages(1) == [(first, [1, 2])]
    assert second == first
    assert together is too
    assert listener.heard[0].index[3] == 0  # with the state: one of them reads it


@pytest.mark.parametrize(
    "other",
    [replace(TICK, period_ns=20), replace(TICK, events=(EVENT,)), replace(TICK, time_ns=30)],
    ids=["period", "events", "time"],
)
def test_what_differs_goes_out_by_itself(node: Any, other: StepInput) -> None:
    post = StepRequests(node, "r1")
    topic = post.topic(plan())
    listener = Listener(node, post, topic)
    first, together = post.request(topic, 1, TICK, (), reads=False)
    second, too = post.request(topic, 2, other, (), reads=False)
    post.send()
    assert listener.messages(2) == [(first, [1]), (second, [2])]
    assert together is too  # they are waited for together all the same


def test_a_round_is_over_when_all_have_answered(node: Any) -> None:
    post = StepRequests(node, "r1")
    topic = post.topic(plan())
    _, together = post.request(topic, 1, TICK, (), reads=False)
    post.request(topic, 2, TICK, (), reads=False)
    post.send()
    _, next_one = post.request(topic, 1, TICK, (), reads=False)
    together.received()
    assert not together.over.done()
    together.received()
    assert together.over.done()
    assert next_one is not together


def test_models_that_are_due_at_other_times_are_not_woken(node: Any) -> None:
    post = StepRequests(node, "r1")
    plans = [plan(main=True), plan(1), plan(8), plan(8, beside=True)]
    assert len({post.topic(p) for p in plans}) == len(plans)
    assert post.topic(plan(8)) == post.topic(plan(8))
