"""Each part of a node's start has a deadline of its own, which an error names with what was seen until then."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator

import pytest
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from support.small_ensemble import HEADER
from support.small_ensemble import scenario as read

from conductor_node import reached_node
from conductor_node.processes import ModelNodes
from conductor_node.reached_node import NodeConnection
from hetwin.msg import ModelCall, ModelOutput
from hetwin.srv import RegisterModel
from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.scenario.model_plan import ModelPlan
from hetwin_core.ensemble.supervision.watched import here
from hetwin_core.ensemble.transport.remote.memory import FlatMessage
from hetwin_core.ensemble.transport.remote.port import RemotePort
from hetwin_core.wire.memory_offer import MemoryRequest

LIMITS = {"APPEAR_S": 0.6, "REGISTER_S": 0.7, "DISCOVER_S": 0.8, "MATCH_S": 0.9, "REPORT_S": 0.3}


class Start:
    """A conductor's node that waits for the node of one model, which the test makes."""

    def __init__(self, executor: SingleThreadedExecutor) -> None:
        self.executor = executor
        self.node = self.make("conductor")
        self.plan = read(f"{HEADER}deadline: 0.5\n").models[0]
        self.registrations: dict[str, RegisterModel.Request] = {}
        self.reached = NodeConnection(
            self.plan,
            self.node,
            "r1",
            executor,
            self.registrations,
            ModelNodes("", "r1"),
            lambda: None,
        )

    def make(self, name: str) -> Node:
        node = Node(name, context=self.executor.context)
        self.executor.add_node(node)
        return node

    def appear(self) -> Node:
        """Make the model's node."""
        return self.make(self.plan.name)

    def register(self, memory: str = "") -> None:
        """Have the model's node registered; `memory` is where it waits for memory."""
        self.registrations[self.plan.name] = RegisterModel.Request(
            name=self.plan.name,
            node=f"/{self.plan.name}",
            host=socket.gethostname(),
            pid=os.getpid(),
            place=here(),
            memory=memory,
        )

    def failure(self) -> RunFailed:
        """Wait for the node, which fails."""
        with pytest.raises(RunFailed) as failed:
            self.reached.connect()
        return failed.value


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    for name, seconds in LIMITS.items():
        monkeypatch.setattr(reached_node, name, seconds)
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    context = Context()
    rclpy.init(context=context)
    made = Start(SingleThreadedExecutor(context=context))
    yield made
    rclpy.shutdown(context=context)


def test_a_node_that_never_appears(start: Start, capfd: pytest.CaptureFixture[str]) -> None:
    start.make("bystander")
    failure = start.failure()
    told = capfd.readouterr().err
    assert f"its node '/{start.plan.name}' has not registered with this conductor on host" in told
    assert "which waits for 1 s. Nodes seen until then: /bystander, /conductor" in told
    assert failure.call == "register"
    assert f"its node '/{start.plan.name}' did not appear within 0.6 s" in failure.reason
    assert "Nodes seen until then: /bystander, /conductor; registered: none" in failure.reason


def test_a_node_that_appears_and_does_not_register(start: Start) -> None:
    start.appear()
    failure = start.failure()
    assert failure.call == "register"
    assert "was seen" in failure.reason
    assert failure.reason.endswith("but did not register within 0.7 s")


def test_a_node_whose_topics_are_not_discovered(start: Start) -> None:
    node = start.appear()
    offered = node.create_publisher(ModelOutput, "~/output", 10)
    start.register()
    failure = start.failure()
    assert offered is not None
    assert failure.call == "discover"
    assert "its node has registered from " in failure.reason
    call = f"'/{start.plan.name}/call'"
    assert failure.reason.endswith(
        f"but its subscription of {call} was not discovered within 0.8 s"
    )


def test_a_node_whose_responses_do_not_arrive(start: Start) -> None:
    node = start.appear()
    node.create_publisher(ModelOutput, "~/output", 10)
    calls: list[ModelCall] = []
    node.create_subscription(ModelCall, "~/call", calls.append, 10)
    start.register()
    failure = start.failure()
    assert failure.call == "discover"
    assert "within 0.9 s of its discovery" in failure.reason
    assert f"{len(calls)} calls were sent" in failure.reason
    assert {(call.call, call.sequence) for call in calls} == {("register", 1)}


def test_a_node_that_never_takes_its_memory(start: Start) -> None:
    wanted = MemoryRequest()
    start.register(wanted.address)
    failure = start.failure()
    wanted.close()
    assert failure.call == "discover"
    assert "within 0.9 s of its registration" in failure.reason
    assert failure.reason.endswith("1 calls were sent")


def test_a_node_may_learn_that_it_has_registered_later_than_a_call_may_take(start: Start) -> None:
    """As it does if the middleware loses the first response."""
    wanted = MemoryRequest()
    start.register(wanted.address)

    def serve() -> None:
        time.sleep(start.plan.deadline + 0.1)
        channel = wanted.taken(os.getpid(), "r1", 5.0)
        assert channel is not None
        while (call := channel.next_request(1.0)) is not None:
            assert call.call == "register"
            channel.reply(FlatMessage())
        channel.close()

    node = threading.Thread(target=serve)
    node.start()
    registered = RemotePort(start.plan, start.reached).register()
    node.join()
    assert registered == (socket.gethostname(), os.getpid())
    wanted.close()


class Elsewhere(ModelNodes):
    """Starts a model's node in the test itself, whose topics can be discovered."""

    start_it: Callable[[], None]

    def start(self, plan: ModelPlan) -> None:
        self.start_it()


def test_a_node_that_is_never_discovered_is_started_anew(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reached_node, "UNSEEN_S", 0.4)
    nodes = Elsewhere("", "r1")
    reached = NodeConnection(
        start.plan, start.node, "r1", start.executor, start.registrations, nodes, lambda: None
    )

    def begin() -> None:
        node = start.appear()
        output = node.create_publisher(ModelOutput, "~/output", 10)

        def reply(call: ModelCall) -> None:
            output.publish(ModelOutput(sequence=call.sequence, run=call.run))

        node.create_subscription(ModelCall, "~/call", reply, 10)
        start.register()

    nodes.start_it = begin
    with subprocess.Popen(["sleep", "60"]) as deaf:
        start.register()
        registered = start.registrations[start.plan.name]
        registered.pid, registered.node = deaf.pid, "/deaf"
        assert reached.connect() == (socket.gethostname(), os.getpid())
        assert deaf.wait(5) == -signal.SIGKILL
