"""Models' nodes are called through memory or over topics, with the same outcome, in this process here."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from support.ros_domains import new_domain
from support.small_ensemble import (
    TAKEN_AND_GIVEN_BACK,
    Misbehaving,
    Outcome,
    Recorder,
    run,
    scenario,
)
from support.waiting import wait_until

from conductor_node import reached_node
from conductor_node.processes import ModelNodes
from conductor_node.reached_node import NodeConnection, TopicChannel
from hetwin.msg import ModelCall, ModelOutput
from hetwin.srv import RegisterModel
from hetwin_core.ensemble.conductor.conductor import session
from hetwin_core.ensemble.errors import BadInput, Refused, RunFailed
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.supervision.watched import here
from hetwin_core.ensemble.transport.local import LocalPort
from hetwin_core.ensemble.transport.port import ModelPort
from hetwin_core.ensemble.transport.remote.memory import FlatMessage
from hetwin_core.ensemble.transport.remote.port import RemotePort
from model_nodes.ros_node.node import ModelNode

RUN = "r1"
DEADLINE_S = 0.4
HOLDS = (
    """
scenario: small
rate: 100
models:
  physics:
    type: "support.toys:ToyPhysics"
    main: true
    parameters: {until: 0.4, actions: [{name: move_hand, at: 0.1, phase: begin}]}
  grasp: {type: "support.toys:ToyGrasp"}
  cup: {type: "support.toys:ToyCup", coupling: beside, every: 3}
"""
    + TAKEN_AND_GIVEN_BACK
)
BAD = f"""
scenario: small
rate: 100
models:
  physics: {{type: "support.toys:ToyPhysics", main: true, parameters: {{until: 0.2}}}}
  bad: {{type: "support.small_ensemble:Misbehaving", deadline: {DEADLINE_S}}}
"""
both = pytest.mark.parametrize("memory", [True, False], ids=["memory", "topics"])


class Nodes:
    """A conductor's node, and models' nodes that are served in threads.

    Attributes:
        checks: is called while a call waits.
    """

    def __init__(self, read: Scenario) -> None:
        types = [word for m in read.models for word in ("-p", f"{m.name}:type:={m.type}")]
        rclpy.init(args=["--ros-args", *types], domain_id=new_domain())
        self.node = Node("conductor")
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.registrations: dict[str, RegisterModel.Request] = {}
        self.served: dict[str, ModelNode] = {}
        self.checks: Callable[[], None] = lambda: None
        self._threads: list[threading.Thread] = []

    def port(self, plan: Any, *, memory: bool) -> RemotePort:
        """A port to a node of a model, which has registered."""
        served = self.served[plan.name] = ModelNode(plan.name)
        served.run, served.conductor = RUN, (here(), os.getpid())
        found = self.registrations[plan.name] = served.registration()
        if not memory:
            found.memory = ""
        thread = threading.Thread(target=self._serve, args=(served,), daemon=True)
        thread.start()
        self._threads.append(thread)
        nodes = ModelNodes("", RUN)
        peer = NodeConnection(
            plan,
            self.node,
            RUN,
            self.executor,
            self.registrations,
            nodes,
            lambda: self.checks(),
        )
        return RemotePort(plan, peer)

    def _serve(self, served: ModelNode) -> None:
        executor = SingleThreadedExecutor()
        executor.add_node(served)
        while not served.over.done():
            served.serve(executor, 0.2)

    def end(self) -> None:
        for served in self.served.values():
            if not served.over.done():
                served.over.set_result(None)
        for thread in self._threads:
            thread.join(10.0)
        rclpy.shutdown()


@contextmanager
def nodes_of(text: str) -> Iterator[tuple[Nodes, Scenario]]:
    read = scenario(text)
    nodes = Nodes(read)
    try:
        yield nodes, read
    finally:
        nodes.end()


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    yield
    Misbehaving.deeds = {}


def conduct(read: Scenario, ports: list[ModelPort]) -> Outcome:
    record = Recorder()
    return Outcome(session(read, listeners=[record], ports=ports).run(), record)


@pytest.mark.parametrize("main_is_apart", [True, False])
@both
def test_the_digest_is_that_of_one_process(memory: bool, main_is_apart: bool) -> None:
    alone = run(HOLDS)
    with nodes_of(HOLDS) as (nodes, read):
        ports: list[ModelPort] = [
            LocalPort(plan) if plan.main and not main_is_apart else nodes.port(plan, memory=memory)
            for plan in read.models
        ]
        apart = conduct(read, ports)
        wait_until(lambda: all(n.over.done() for n in nodes.served.values()), "all nodes to end")
    assert apart.summary.error is None
    assert len(apart.moves()) == 2
    assert (apart.names(), apart.moves()) == (alone.names(), alone.moves())
    assert apart.summary.digest == alone.summary.digest


@contextmanager
def bad_port(*, memory: bool) -> Iterator[tuple[RemotePort, Nodes]]:
    """A port to the misbehaving model."""
    with nodes_of(BAD) as (nodes, read):
        yield nodes.port(read.models[1], memory=memory), nodes


def asked(port: ModelPort) -> dict[str, Any]:
    return {request.name: request.default for request in port.plan.cls.requests()}


@both
def test_what_a_model_raises_arrives(memory: bool) -> None:
    def unusable() -> None:
        raise BadInput("it cannot be used", where="size", found=3, expected="2")

    def refuse() -> None:
        raise Refused("never")

    def broken() -> None:
        raise ValueError("it broke")

    with bad_port(memory=memory) as (port, _):
        port.register()
        given = asked(port)
        Misbehaving.deeds = {"initialize": unusable, "command": refuse, "stop": broken}
        with pytest.raises(BadInput, match=r"size.*found 3.*expected 2"):
            port.initialize(given, 0)
        with pytest.raises(Refused, match="never"):
            port.command("any", {})
        failure = port.stop()
    assert failure is not None
    assert (failure.model, failure.call) == ("bad", "stop")
    assert failure.reason.startswith(f"ValueError: it broke ({__file__}, line ")


@both
def test_a_call_that_hangs_ends_with_its_deadline_and_the_node_when_it_goes_on(
    memory: bool,
) -> None:
    goes_on = threading.Event()
    with bad_port(memory=memory) as (port, nodes):
        _, pid = port.register()
        Misbehaving.deeds = {"command": lambda: goes_on.wait(30.0)}
        begun = time.monotonic()
        with pytest.raises(RunFailed) as failed:
            port.command("any", {})
        assert DEADLINE_S <= time.monotonic() - begun < 10.0
        assert failed.value.reason == (
            f"no answer from /bad on host {nodes.registrations['bad'].host} (process {pid}) within its deadline of"
            f" {DEADLINE_S:g} s"
        )
        assert port.stop() is None  # it is not waited for again
        port.give_up()
        goes_on.set()
        wait_until(nodes.served["bad"].over.done, "the node to end")


@both
def test_the_result_of_a_call_that_was_broken_off_is_no_other_calls(memory: bool) -> None:
    class BrokenOff(Exception):
        pass

    def break_off() -> None:
        nodes.checks = lambda: None
        raise BrokenOff

    with bad_port(memory=memory) as (port, nodes):
        port.register()
        given = asked(port)
        Misbehaving.deeds = {"initialize": lambda: time.sleep(0.3)}
        nodes.checks = break_off
        with pytest.raises(BrokenOff):
            port.initialize(given, 0)
        assert port.stop() is None


class FarNode:
    """The end of the topics that a model's node has."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        rclpy.init(args=[], domain_id=new_domain())
        self.executor = SingleThreadedExecutor()
        self.conductor, self.node = Node("conductor"), Node("cup")
        for node in (self.conductor, self.node):
            self.executor.add_node(node)
        self.calls: list[Any] = []
        monkeypatch.setattr(reached_node, "POLL_PERIOD_S", 0.01)
        self.channel = TopicChannel(self.conductor, "/cup", RUN, self.executor)
        self._outputs: Any = None

    def appear(self) -> None:
        assert self.channel.undiscovered() == [
            "subscription of '/cup/call'",
            "publisher of '/cup/output'",
        ]
        self._outputs = self.node.create_publisher(ModelOutput, "~/output", 10)
        self.node.create_subscription(ModelCall, "~/call", self.calls.append, 10)
        wait_until(self._matched, "both ends")

    def _matched(self) -> bool:
        self.executor.spin_once(0.01)
        return not self.channel.undiscovered() and bool(self._outputs.get_subscription_count())

    def reply(self, **fields: Any) -> None:
        self._outputs.publish(ModelOutput(**{"run": RUN, **fields}))

    def result(self, timeout_s: float) -> Any:
        return self.channel.reply_until(time.monotonic() + timeout_s, lambda: True)


@pytest.fixture
def far(monkeypatch: pytest.MonkeyPatch) -> Iterator[FarNode]:
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    yield FarNode(monkeypatch)
    rclpy.shutdown()


def test_only_the_result_of_this_call_and_this_run_is_taken(far: FarNode) -> None:
    far.appear()
    for name in ("parameters", "step"):
        far.channel.request(FlatMessage(name))
    wait_until(lambda: far.result(0.01) is None and len(far.calls) == 2, "both calls")
    assert [(call.call, call.sequence, call.run) for call in far.calls] == [
        ("parameters", 1, RUN),
        ("step", 2, RUN),
    ]
    far.reply(sequence=1, more="late")
    far.reply(sequence=2, more="foreign", run="r2")
    far.reply(sequence=0, more="unasked")
    assert far.result(0.2) is None
    far.reply(sequence=2, more="own")
    result = far.result(10.0)
    assert result is not None
    assert result.more == "own"
    assert [output.more for output in far.channel.take_unrequested()] == ["unasked"]
    assert far.channel.take_unrequested() == []


def test_waiting_ends_when_the_process_has(far: FarNode) -> None:
    far.appear()
    far.channel.request(FlatMessage("step"))
    begun = time.monotonic()
    assert far.channel.reply_until(begun + 60.0, lambda: False) is None
    assert time.monotonic() - begun < 10.0


def test_a_node_leaves_the_calls_of_another_run_alone() -> None:
    with nodes_of(BAD) as (nodes, read):
        port = nodes.port(read.models[1], memory=False)
        foreign = TopicChannel(nodes.node, "/bad", "r2", nodes.executor)
        port.register()
        wait_until(lambda: not foreign.undiscovered(), "the node's topics")
        foreign.request(FlatMessage("stop"))
        assert foreign.reply_until(time.monotonic() + 0.3, lambda: True) is None
        port.initialize(asked(port), 0)
        assert port.stop() is None
