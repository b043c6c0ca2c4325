"""A conductor that may be heard on other machines looks for another run in its namespace before it begins."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from support.waiting import wait_until

from conductor_node import status
from conductor_node.shared_memory import fast_dds_variables
from conductor_node.status import QUICK_SEARCH_S, SEARCH_S, NamespaceGuard, search_time_s
from hetwin_core.ensemble.errors import BadInput

FOR_EVER = 1e6
"""Longer than a test waits: what ends the looking is what was seen."""


class Machines:
    """Conductors, each of a process of its own as far as ROS can tell."""

    def __init__(self, ends: ExitStack) -> None:
        self._ends = ends
        self._executors: list[SingleThreadedExecutor] = []

    def conductor(self, run: str, namespace: str = "", seconds: float = SEARCH_S) -> NamespaceGuard:
        """Start the conductor of a run."""
        context = Context()
        rclpy.init(context=context)
        self._ends.callback(rclpy.shutdown, context=context)
        node = Node("conductor", namespace=namespace, context=context)
        executor = SingleThreadedExecutor(context=context)
        executor.add_node(node)
        self._executors.append(executor)
        return NamespaceGuard(node, run, seconds)

    def spin(self) -> None:
        """Let each take what has come."""
        for executor in self._executors:
            executor.spin_once(0.01)

    def settled(self, one: NamespaceGuard) -> bool:
        """Let one look; returns whether it has done so."""
        self.spin()
        one.check()
        return not one.is_searching

    def settle(self, one: NamespaceGuard) -> None:
        """Wait until one has looked, and may begin."""
        wait_until(lambda: self.settled(one), "it has looked around", period_s=0.0)


@pytest.fixture
def machines(monkeypatch: pytest.MonkeyPatch) -> Iterator[Machines]:
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    monkeypatch.setattr(status, "_REPEAT_S", 0.1)
    with ExitStack() as ends:
        yield Machines(ends)


def test_one_that_is_there_keeps_the_namespace(machines: Machines) -> None:
    there = machines.conductor("r9", seconds=0.1)
    machines.settle(there)
    late = machines.conductor("r1", seconds=FOR_EVER)
    with pytest.raises(BadInput) as refused:
        machines.settle(late)
    assert "another run, r9 (process " in str(refused.value)
    assert " on host " in str(refused.value)
    assert "--namespace NAME" in str(refused.value)
    assert not there.is_searching


def test_of_several_that_look_at_once_the_smallest_token_gets_it(machines: Machines) -> None:
    looking = {run: machines.conductor(run, seconds=FOR_EVER) for run in ("r3", "r1", "r2")}

    def look() -> bool:
        machines.spin()
        for run, one in list(looking.items()):
            try:
                one.check()
            except BadInput:
                del looking[run]
        return len(looking) == 1

    wait_until(look, lambda: f"one is left of {sorted(looking)}", period_s=0.0)
    assert list(looking) == ["r1"]
    assert looking["r1"].is_searching


def test_others_in_other_namespaces_are_none_of_its_business(machines: Machines) -> None:
    machines.settle(machines.conductor("r1", "left", seconds=0.1))
    machines.settle(machines.conductor("r2", "right", seconds=1.0))


def test_where_it_need_not_look_it_begins_at_once(machines: Machines) -> None:
    assert not machines.conductor("r1", seconds=0.0).is_searching


@pytest.mark.parametrize(
    ("variables", "seconds"),
    [
        ({}, SEARCH_S),
        ({"ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET"}, SEARCH_S),
        (fast_dds_variables(), QUICK_SEARCH_S),
        ({"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}, 0.0),
        ({"ROS_AUTOMATIC_DISCOVERY_RANGE": "OFF"}, 0.0),
        ({"ROS_LOCALHOST_ONLY": "1"}, 0.0),
        ({"ROS_LOCALHOST_ONLY": "0"}, SEARCH_S),
    ],
)
def test_how_long_it_looks(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], seconds: float
) -> None:
    for name in ("ROS_AUTOMATIC_DISCOVERY_RANGE", "ROS_LOCALHOST_ONLY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert search_time_s() == seconds
