"""A run as ROS 2 nodes: starts the conductor and one process per model, and asks for the simulation."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from hetwin_core.ensemble.errors import BadInput, RunFailed
from hetwin_core.ensemble.supervision.interrupts import Interrupted, Interrupts
from hetwin_core.episodes.failed_run import finish_failed_run
from hetwin_core.episodes.run_folder import read_summary
from hetwin_core.wire.run_identity import Claim, new_token
from hetwin_suite.running.progress import Display
from hetwin_suite.running.request import Ended, RunRequest, exit_code
from hetwin_suite.running.ros_client import Client
from hetwin_suite.running.ros_nodes import CONDUCTOR_AND_COMMAND, Nodes, quick_discovery

if TYPE_CHECKING:
    from hetwin_suite.view.ros.run import RosRun


def run_over_ros(request: RunRequest, display: Display, live: RosRun | None = None) -> Ended:
    """Run; SIGINT, SIGTERM and SIGHUP end the run at its next barrier.

    A run whose conductor dies or is silent for too long is finished here.

    Args:
        request: what to run.
        display: where progress is shown.
        live: what people see of the run; None: nothing.

    Raises:
        BadInput: if ROS 2 is not there, another run has the namespace, or the scenario, its files or the source cannot
            be used.
        HetwinError: if the conductor cannot be asked.
        Interrupted: if it is interrupted before it begins.
    """
    run = new_token()
    with (
        Interrupts(_second_at_once) as interrupts,
        _environment_restored(),
        request.loaded() as (scenario, out),
        Claim(request.namespace, run) as claim,
    ):
        quick_discovery(len(scenario.placeable) + CONDUCTOR_AND_COMMAND)
        rclpy = need_ros()
        interrupts.raise_if_any()
        begun = time.monotonic()
        with ExitStack() as ending:
            if live is not None:
                live.listen(request.namespace, run=run, to_the_end=False)
                ending.callback(live.close)
            nodes = Nodes(scenario, request, run, claim)
            ending.callback(nodes.end, lambda: display.wait("ending the nodes"))
            context = rclpy.Context()  # of its own: the caller may use ROS too
            rclpy.init(args=[], context=context)
            ending.callback(context.try_shutdown)
            client = Client(request.namespace, run, context, nodes, interrupts)
            ending.callback(client.close)
            try:
                summary = client.simulate(scenario, request.options, out, display)
            except (RunFailed, Interrupted) as error:
                ending.close()  # from here on no process writes into the folder
                interrupted = isinstance(error, Interrupted)
                if interrupted and not out.exists():
                    interrupts.raise_if_any()
                failure = client.failure(error)
                wall = time.monotonic() - begun
                summary = read_summary(out) or asdict(
                    finish_failed_run(
                        out, scenario.name, failure, "ros", wall, interrupted=interrupted
                    )
                )
        return Ended(summary, exit_code(summary, interrupts.first), out, interrupts.first)


def need_ros() -> Any:
    """ROS 2's Python library.

    Raises:
        BadInput: if it is not there.
    """
    try:
        import rclpy
    except ImportError as error:
        raise BadInput(
            f"ROS 2 cannot be imported: {error}",
            where="--transport ros",
            expected="rclpy, from a sourced ROS 2 installation or from pip install hetwin-suite",
        ) from None
    return rclpy


def _second_at_once(count: int, number: int) -> None:
    """The first signal ends the run in order, the second at once."""
    if count == 2:
        raise Interrupted(number)


@contextmanager
def _environment_restored() -> Iterator[None]:
    """Take back the variables that are added for ROS and for the nodes."""
    before = set(os.environ)
    try:
        yield
    finally:
        for name in os.environ.keys() - before:
            del os.environ[name]
