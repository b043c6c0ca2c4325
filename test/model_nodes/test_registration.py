"""A model's node makes itself known to the conductor, also when an answer is lost on the way."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
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
from hetwin_core.ensemble.supervision.watched import here
from hetwin_core.wire.names import REGISTER, of_run
from model_nodes.ros_node import main as ros_node


class Registering(Node):  # type: ignore[misc]
    """The part of a model's node that registers."""

    run = ""
    conductor = ("", 0)

    def registration(self) -> RegisterModel.Request:
        host = socket.gethostname()
        return RegisterModel.Request(
            name="cup", host=host, pid=os.getpid(), place=here(), run=self.run
        )


@pytest.fixture
def executor(monkeypatch: pytest.MonkeyPatch) -> Iterator[SingleThreadedExecutor]:
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    context = Context()
    rclpy.init(context=context, domain_id=new_domain())
    yield SingleThreadedExecutor(context=context)
    rclpy.shutdown(context=context)


def conductor(
    executor: SingleThreadedExecutor,
    silent_for: int,
    run: str = "r1",
    process: tuple[int, str] | None = None,
    late_s: float = 0.0,
) -> list[RegisterModel.Request]:
    """A conductor's service whose first answers do not arrive; a list that fills with what it is asked.

    Args:
        executor: spins it.
        silent_for: so many answers.
        run: token of its run.
        process: of the conductor: its id, and where that holds; None: this one.
        late_s: time until an answer is given.
    """
    asked: list[RegisterModel.Request] = []

    async def answer(request: Any, response: Any) -> Any:
        asked.append(request)
        if len(asked) <= silent_for:
            await Future()
        if late_s:
            later: Future[None] = Future(executor=executor)
            timer = node.create_timer(late_s, lambda: later.set_result(None), callback_group=group)
            await later
            timer.cancel()
        response.accepted = request.run in ("", run)
        response.reason = "" if response.accepted else f"meant {request.run}, got to {run}"
        response.host, response.run = request.host, run
        response.pid, response.place = process or (request.pid, request.place)
        return response

    node = Node(f"conductor_{run}", context=executor.context)
    group = ReentrantCallbackGroup()  # the next request is heard while an answer is withheld
    for name in (REGISTER, of_run(REGISTER, run)):
        node.create_service(RegisterModel, name, answer, callback_group=group)
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
    monkeypatch.setattr(ros_node, "RETRY_PERIOD_S", 0.5)
    asked = conductor(executor, silent_for=1)
    ros_node.register(node, executor, Interrupts()).check("cup")
    assert len(asked) >= 2
    assert {request.pid for request in asked} == {os.getpid()}


def test_an_answer_that_is_later_than_the_next_question_counts(
    executor: SingleThreadedExecutor, node: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ros_node, "RETRY_PERIOD_S", 0.1)
    monkeypatch.setattr(ros_node, "REGISTER_TIMEOUT_S", 10.0)
    asked = conductor(executor, silent_for=0, late_s=0.35)
    ros_node.register(node, executor, Interrupts()).check("cup")
    assert len(asked) >= 2


def test_a_conductor_that_never_answers_is_named(
    executor: SingleThreadedExecutor, node: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ros_node, "RETRY_PERIOD_S", 0.2)
    monkeypatch.setattr(ros_node, "REGISTER_TIMEOUT_S", 3.0)
    conductor(executor, silent_for=1000)
    with pytest.raises(HetwinError, match="cup: the conductor did not respond to the registration"):
        ros_node.register(node, executor, Interrupts())


def test_a_signal_ends_the_waiting_for_a_conductor(
    executor: SingleThreadedExecutor, node: Any
) -> None:
    conductor(executor, silent_for=1000)
    with Interrupts() as interrupts:
        signal.raise_signal(signal.SIGTERM)
        with pytest.raises(Interrupted) as ended:
            ros_node.register(node, executor, interrupts)
    assert ended.value.code == 143


def test_a_node_without_a_token_joins_the_run_of_its_namespace(
    executor: SingleThreadedExecutor, node: Any
) -> None:
    conductor(executor, silent_for=0)
    ros_node.register(node, executor, Interrupts())
    assert node.run == "r1"
    assert node.conductor == (here(), os.getpid())


def test_a_node_registers_with_the_conductor_that_it_was_started_for(
    executor: SingleThreadedExecutor, node: Any
) -> None:
    node.run = "r2"
    foreign = conductor(executor, silent_for=0)
    own = conductor(executor, silent_for=0, run="r2")
    ros_node.register(node, executor, Interrupts()).check("cup")
    assert node.run == "r2"
    assert not foreign
    assert own


def test_a_node_whose_own_conductor_never_comes_says_that_another_is_there(
    executor: SingleThreadedExecutor, node: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ros_node, "REGISTER_TIMEOUT_S", 1.0)
    node.run = "r2"
    foreign = conductor(executor, silent_for=0)
    with pytest.raises(HetwinError) as failed:
        ros_node.register(node, executor, Interrupts())
    assert "no conductor of run r2 offers 'hetwin/r2/register_model' within 1 s" in str(
        failed.value
    )
    assert "The conductor of '/' belongs to another run" in str(failed.value)
    assert not foreign


def test_a_node_whose_conductor_has_ended_says_which_run_it_belonged_to(
    executor: SingleThreadedExecutor, node: Any
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE
    ) as process:
        conductor(executor, silent_for=0, process=(process.pid, here()))
        watch = ros_node.register(node, executor, Interrupts())
        watch.check("cup")
    with pytest.raises(ros_node.ConductorGone) as gone:
        watch.check("cup")
    assert str(gone.value) == (
        "cup: run r1 ended before this node was told to stop: of its conductor, its process"
        f" ({process.pid}) has ended. Nothing is wrong with this node"
    )


def test_a_process_id_of_another_pid_namespace_is_not_watched(
    executor: SingleThreadedExecutor, node: Any
) -> None:
    conductor(executor, silent_for=0, process=(4_000_000, f"{here()}1"))
    watch = ros_node.register(node, executor, Interrupts())
    watch.check("cup")
    assert node.conductor[0] != here()
