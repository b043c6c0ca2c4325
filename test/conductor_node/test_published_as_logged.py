"""What a conductor publishes is what it logs, to the byte."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any, cast

import pytest
import rclpy
from rclpy.executors import Executor, SingleThreadedExecutor
from rclpy.node import Node
from rosbags.highlevel import AnyReader
from support.ros_domains import new_domain
from support.small_run import GRASP, RELEASE, STEP_NS, SmallRun
from support.waiting import wait_until

from conductor_node.publisher import Publisher
from hetwin_core.ensemble import topics
from hetwin_core.ensemble.conductor.reporting.listener import ListenerGroup
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.episodes.log_writer import RunLog
from hetwin_core.episodes.messages import nanoseconds, typestore
from hetwin_core.wire.publishing import latched, message_class

Received = dict[str, list[bytes]]
SAME = (
    topics.STATE,
    topics.JOINT_STATES,
    topics.EVENTS,
    topics.HANDOVERS,
    topics.ROBOT_DESCRIPTION,
    topics.STATIC_TRANSFORMS,
)
"""What is published as it is logged; other topics have other rates or are made for RViz."""
STATE, STATES = topics.STATE.name, (RELEASE + 40) // 4
OTHERS = (topics.REGISTRY, topics.RESPONSIBILITIES, topics.MARKERS, topics.CONTACTS)


class Listened(Publisher):
    """Publishes, and lets the subscribers of the same node receive it every few steps."""

    def __init__(self, node: Node, executor: Executor) -> None:
        super().__init__(node, run="token")
        self._executor = executor

    def stepped(self, step: int, scene: Snapshot) -> None:
        super().stepped(step, scene)
        for _ in range(8 if step % 4 == 0 else 0):
            self._executor.spin_once(0.0)


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> tuple[Received, Received]:
    """What subscribers of a run receive, and what is in its log, by topic."""
    received: Received = defaultdict(list)
    logged: Received = defaultdict(list)
    rclpy.init(args=[], domain_id=new_domain())
    node, executor = Node("publishes"), SingleThreadedExecutor()
    executor.add_node(node)
    for topic in (*SAME, *OTHERS):
        keep = received[topic.name].append
        kind, qos = message_class(topic.type), latched() if topic.latched else 1000
        node.create_subscription(kind, topic.name, keep, qos, raw=True)
    run = SmallRun(tmp_path_factory.mktemp("published") / "run", steps=RELEASE + 40)
    log = RunLog(run.out)
    run.play(cast("RunLog", ListenerGroup([log, Listened(node, executor)])))
    log.close()
    wait_until(lambda: executor.spin_once(0.0) or len(received[STATE]) > STATES, "the last state")
    executor.shutdown()
    node.destroy_node()
    rclpy.try_shutdown()
    with AnyReader([run.out / "log"]) as reader:
        for connection, _, raw in reader.messages():
            logged[connection.topic.removeprefix("/")].append(bytes(raw))
    return received, logged


def read(topic: topics.Topic) -> Callable[[bytes], Any]:
    return lambda raw: typestore().deserialize_cdr(raw, topic.type)


def test_topics_have_the_bytes_of_the_log(published: tuple[Received, Received]) -> None:
    received, logged = published
    for topic in SAME:
        there = set(logged[topic.name])
        assert received[topic.name], topic.name
        assert [raw for raw in received[topic.name] if raw not in there] == [], topic.name
    assert received["hetwin/events"] == logged["hetwin/events"]
    states = [read(topics.STATE)(raw) for raw in received[STATE]]
    assert [nanoseconds(s.stamp) for s in states] == [4 * STEP_NS * i for i in range(STATES + 1)]


def test_what_differs_is_the_runs_token_and_the_time_of_a_table(
    published: tuple[Received, Received],
) -> None:
    received, logged = published
    ((mine,), (theirs,)) = (
        [read(topics.REGISTRY)(raw) for raw in found[topics.REGISTRY.name]]
        for found in (received, logged)
    )
    assert (mine.run, theirs.run) == ("token", "")
    assert (mine.layout, mine.models, mine.able) == (theirs.layout, theirs.models, theirs.able)
    tables = [read(topics.RESPONSIBILITIES)(raw) for raw in received["hetwin/responsibilities"]]
    known = [read(topics.RESPONSIBILITIES)(raw) for raw in logged["hetwin/responsibilities"]]
    assert [t.responsibilities for t in tables] == [t.responsibilities for t in known]


def test_rviz_gets_shapes_where_they_are_and_labels(published: tuple[Received, Received]) -> None:
    received, _ = published
    arrays = [read(topics.MARKERS)(raw).markers for raw in received["hetwin/markers"]]
    assert {m.header.frame_id for markers in arrays for m in markers} == {"world"}
    assert {m.ns for m in arrays[0]} == {"base", "upper", "box", "ball", "table"}
    labels = [m for markers in arrays for m in markers if m.ns == "box owner"]
    assert {m.text for m in labels if m.action == 0} == {"box: in_hand"}
    assert nanoseconds(labels[0].header.stamp) >= GRASP * STEP_NS
    assert [m.action for m in labels].count(2) == 1
    assert len(received["hetwin/contacts"]) == len(arrays)
