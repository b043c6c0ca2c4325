"""Serves a model until it is stopped: registers it with the conductor, and checks that the conductor exists."""

from __future__ import annotations

import faulthandler
import os
import sys
import time
from collections.abc import Sequence
from typing import Any

import rclpy
import rclpy.executors
from rclpy.task import Future

from hetwin.srv import RegisterModel
from hetwin_core.ensemble.errors import BadInput, HetwinError
from hetwin_core.ensemble.supervision.interrupts import (
    Interrupted,
    Interrupts,
    block_signals,
    ignore,
)
from hetwin_core.ensemble.supervision.watched import WatchedProcess
from hetwin_core.wire.names import REGISTER, make_executor, of_run, spin_until
from model_nodes.ros_node.node import ModelNode

REGISTER_TIMEOUT_S = 120.0
"""Time limit; many nodes that start at the same time on a busy machine take long."""
RETRY_PERIOD_S = 1.0
"""Period in which a request without a response is repeated."""
RENEW_CLIENT_S = 15.0
"""Age at which a client is replaced; a new client may get responses that the middleware loses for the old one."""
POLL_PERIOD_S = 0.2
CONDUCTOR_STOP_TIMEOUT_S = 8.0
"""Time for the conductor to stop the run, and so the model, after a signal to both."""
CONDUCTOR_GONE_S = 5.0


class ConductorGone(HetwinError):
    """The run of a node is over without a message to the node; neither the node nor its user has made an error."""


class ConductorWatch:
    """Checks that the conductor exists, without which the node would wait for ever.

    Args:
        client: client of a service of the conductor.
        process: process of the conductor; it can be watched if it runs on this machine.
        run: description of the conductor's run.
    """

    def __init__(self, client: Any, process: WatchedProcess, run: str) -> None:
        self._client = client
        self._process = process
        self._run = run
        self._last_seen = time.monotonic()

    def check(self, name: str) -> None:
        """Check once.

        Raises:
            ConductorGone: if the conductor has ended, or has been gone for too long.
        """
        if self._process.has_ended():
            raise ConductorGone(
                f"{name}: {self._run} ended before this node was told to stop: of its conductor,"
                f" {self._process.how_it_ended()}. Nothing is wrong with this node"
            )
        now = time.monotonic()
        if self._client.service_is_ready():
            self._last_seen = now
        elif now - self._last_seen > CONDUCTOR_GONE_S:
            raise ConductorGone(
                f"{name}: the conductor of {self._run} has been gone for {CONDUCTOR_GONE_S:g} s; was it killed, or is"
                " the link to its host cut?"
            )

    def stops_the_run(self, since: float) -> bool:
        """Return whether the node waits, after a signal, for the conductor to end the run.

        Signals to the process group, as from a terminal, and those of `ros2 launch` reach the conductor too; it stops
        the run in order if its models still respond.

        Args:
            since: time of the signal, by `time.monotonic` [s].
        """
        waits = time.monotonic() - since < CONDUCTOR_STOP_TIMEOUT_S
        return waits and self._process.shares_group and not self._process.has_ended()


def register(
    node: ModelNode, executor: rclpy.executors.Executor, interrupts: Interrupts
) -> ConductorWatch:
    """Register the node with the conductor of its run; a node without a token joins the run of its namespace.

    The conductor drops its response to a client that it has not discovered within 100 ms (rmw_fastrtps), so the
    request is repeated; a second registration by the same process has no effect.

    Returns:
        A check that the conductor still exists.

    Raises:
        HetwinError: if the conductor does not respond, or refuses.
        Interrupted: if a signal arrives first.
    """
    end, is_offered, response = time.monotonic() + REGISTER_TIMEOUT_S, False, None
    while response is None:
        client = node.create_client(RegisterModel, of_run(REGISTER, node.run))
        until = min(end, time.monotonic() + RENEW_CLIENT_S)
        calls: list[Future[Any]] = []
        while response is None and time.monotonic() < until:
            interrupts.raise_if_any()
            if client.service_is_ready():
                is_offered = True
                calls.append(client.call_async(node.registration()))
                response = _response(calls, executor, interrupts)
            else:
                executor.spin_once(0.02)
        if response is None and time.monotonic() > end:
            raise _no_response(node, client.srv_name, is_offered=is_offered)
        if response is None:
            node.destroy_client(client)
    if not response.accepted:
        raise HetwinError(
            f"{node.get_name()}: the conductor refused the registration: {response.reason}"
        )
    node.run = node.run or response.run
    node.conductor = (response.place, response.pid)
    process = WatchedProcess(response.host, response.pid, response.place)
    run = f"run {node.run}" if node.run else f"the run of {client.srv_name!r}"
    return ConductorWatch(client, process, run)


def _response(
    calls: Sequence[Future[Any]], executor: rclpy.executors.Executor, interrupts: Interrupts
) -> Any:
    """Return the response to the last request, or a late one to another; None if there is none in time."""
    retry_at = time.monotonic() + RETRY_PERIOD_S
    while time.monotonic() < retry_at:
        interrupts.raise_if_any()
        spin_until(executor, calls[-1], POLL_PERIOD_S)
        for call in calls:
            if call.done():
                return call.result()
    return None


def _no_response(node: ModelNode, service: str, *, is_offered: bool) -> HetwinError:
    """Return the error that there is no conductor, or that it does not respond."""
    if is_offered:
        return HetwinError(
            f"{node.get_name()}: the conductor{_run_words(node.run)} did not respond to the registration within"
            f" {REGISTER_TIMEOUT_S:g} s"
        )
    return HetwinError(
        f"{node.get_name()}: no conductor{_run_words(node.run)} offers {service!r} within"
        f" {REGISTER_TIMEOUT_S:g} s; is it running in this namespace and domain?{_other_run_words(node)}"
    )


def _run_words(run: str) -> str:
    return f" of run {run}" if run else ""


def _other_run_words(node: ModelNode) -> str:
    """Return a sentence that the conductor in the namespace belongs to another run; empty if there is none."""
    if not (node.run and node.count_services(REGISTER)):
        return ""
    return f" The conductor of {node.get_namespace()!r} belongs to another run"


LAST_SPINS = 4
"""Number of spins of a node after the end of its run."""


def _serve(node: ModelNode, executor: rclpy.executors.Executor, interrupts: Interrupts) -> None:
    """Serve the model's calls until the run is over.

    Raises:
        HetwinError: if there is no such model, or the conductor has gone.
        Interrupted: if a signal ends the node before the conductor does.
    """
    _ = node.model
    watch = register(node, executor, interrupts)
    parent = os.getppid()
    while rclpy.ok() and not node.over.done() and os.getppid() == parent:
        node.serve(executor, POLL_PERIOD_S)
        if interrupts.count == 0:
            watch.check(node.get_name())
        elif not watch.stops_the_run(interrupts.since):
            interrupts.raise_if_any()
    for _ in range(LAST_SPINS):  # send the last response
        executor.spin_once(0.05)


def main(args: list[str] | None = None) -> None:
    """Serve a model until it is stopped."""
    faulthandler.enable()  # prints the stack of a crash in C
    block_signals()  # ROS's threads inherit this: only the main thread gets signals
    rclpy.init(args=args, signal_handler_options=rclpy.SignalHandlerOptions.NO)
    code = 0
    try:
        node = ModelNode()
        with Interrupts() as interrupts:
            executor = make_executor()
            executor.add_node(node)
            _serve(node, executor, interrupts)
    except rclpy.executors.ExternalShutdownException:
        pass  # rclpy.shutdown() elsewhere
    except ConductorGone as end:
        print(end, file=sys.stderr)
        code = 1
    except HetwinError as error:
        print(f"error: {error}", file=sys.stderr)
        code = 2 if isinstance(error, BadInput) else 1
    except Interrupted:
        pass  # the node ends as requested
    finally:
        ignore()
        rclpy.try_shutdown()
    sys.exit(code)
