"""Shared by nodes: parameters with descriptions, names of services and topics, and executors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rcl_interfaces.msg import ParameterDescriptor
from rclpy.executors import Executor, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.task import Future


def declare(node: Node, parameters: Mapping[str, tuple[str | int | float | bool, str]]) -> None:
    """Declare parameters.

    Args:
        node: node with the parameters.
        parameters: name -> default and description.
    """
    for name, (default, description) in parameters.items():
        node.declare_parameter(name, default, ParameterDescriptor(description=description))


REGISTER = "hetwin/register_model"
NOTIFY = "hetwin/notify_event"
ANNOTATE = "hetwin/annotate_action"
SIMULATE = "hetwin/simulate"
STOP = "hetwin/stop_simulation"
CONTROL = "hetwin/control"
HAND_OVER = "hetwin/hand_over"
STANDARD = "hetwin/"
"""Prefix of the services of simulation_interfaces."""
CALL = "call"
OUTPUT = "output"
"""Topics of a model's node, below its name."""


def of_run(name: str, run: str) -> str:
    """The name at which only the conductor of this run is reached.

    Args:
        name: name without a run, such as `REGISTER`.
        run: token of the run; empty: any run of the namespace.
    """
    return name.replace("hetwin/", f"hetwin/{run}/") if run else name


STEP_DEPTH = 100
"""Queue depth of calls. A model gets its next call after it has returned the last one: only late calls queue up."""

SERVICE_DEPTH = 1000
"""Queue depth of services; with the default of 10, bursts of requests are lost without any report."""


def make_executor() -> Executor:
    """The fastest executor that this rclpy has."""
    try:
        from rclpy.experimental import EventsExecutor
    except ImportError:
        return SingleThreadedExecutor()
    return EventsExecutor()


def spin_until(executor: Executor, future: Future[Any], timeout_s: float) -> Any:
    """Spin until the future is done.

    Returns:
        Its result; None after the timeout [s].
    """
    if not future.done():
        executor.spin_until_future_complete(future, timeout_s)
    return future.result() if future.done() else None
