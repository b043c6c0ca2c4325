"""A model's node makes itself known to the conductor, also when an answer is lost on the way."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from typing import Any

import pytest
import rclpy
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.task import Future
from support.ros_domains import new_domain

from hetwin.srv import RegisterModel
from hetwin_core.ensemble.errors import HetwinError
from hetwin_core.ensemble.supervision.interrupts import Interrupted, Interrupts
from hetwin_core.wire.names import REGISTER
from model_nodes.ros_node import registering


class Registering(Node):  # type: ignore[misc]
    """The part of a model's node that registers."""

    def registration(self) -> RegisterModel.Request:
        return RegisterModel.Request(name="cup", host=socket.gethostname(), pid=os.getpid())


@pytest.fixture
def executor(monkeypatch: pytest.MonkeyPatch) -> Iterator[SingleThreadedExecutor]:
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    context = Context()
    rclpy.init(context=context, domain_id=new_domain())
    yield SingleThreadedExecutor(context=context)
    rclpy.shutdown(context=context)


def conductor(executor: SingleThreadedExecutor, silent_for: int) -> list[RegisterModel.Request]:
    """A conductor's service whose first answers do not arrive; a list that fills with what it is asked."""
    asked: list[RegisterModel.Request] = []

    async def answer(request: Any, response: Any) -> Any:
        asked.append(request)
        if len(asked) <= silent_for:
            await Future()
        response.accepted = True
        response.host, response.pid = request.host, request.pid
        return response

    node = Node("conductor", context=executor.context)
    group = ReentrantCallbackGroup()  # the next request is heard while an answer is withheld
    node.create_service(RegisterModel, REGISTER, answer, callback_group=group)
    executor.add_node(node)
    return asked


@pytest.fixture
def node(executor: SingleThreadedExecutor) -> Registering:
    made = Registering("cup", context=executor.context)
    executor.add_node(made)
    return made


def test_a_lost_answer_is_asked_for_again(
    executor: SingleThreadedExecutor, node: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registering, "CALL_AGAIN_S", 0.5)
    asked = conductor(executor, silent_for=1)
    registering.register(node, executor, Interrupts()).check("cup")
    assert len(asked) >= 2
    assert {request.pid for request in asked} == {os.getpid()}


def test_a_conductor_that_never_answers_is_named(
    executor: SingleThreadedExecutor, node: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registering, "CALL_AGAIN_S", 0.2)
    monkeypatch.setattr(registering, "REGISTER_TIMEOUT_S", 3.0)
    conductor(executor, silent_for=1000)
    with pytest.raises(HetwinError, match="cup: the conductor did not answer the registration"):
        registering.register(node, executor, Interrupts())


def test_a_signal_ends_the_waiting_for_a_conductor(
    executor: SingleThreadedExecutor, node: Any
) -> None:
    conductor(executor, silent_for=1000)
    with Interrupts() as interrupts:
        signal.raise_signal(signal.SIGTERM)
        with pytest.raises(Interrupted) as ended:
            registering.register(node, executor, interrupts)
    assert ended.value.code == 143
