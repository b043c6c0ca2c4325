"""Serves a model until it is stopped."""

from __future__ import annotations

import faulthandler
import os
import sys

import rclpy
import rclpy.executors

from hetwin_core.ensemble.errors import BadInput, HetwinError
from hetwin_core.ensemble.supervision.interrupts import Interrupted, Interrupts, hold, ignore
from hetwin_core.wire.spinning import make_executor
from model_nodes.ros_node.node import ModelNode
from model_nodes.ros_node.registering import LOOK_PERIOD_S, ConductorGone, register

LAST_SPINS = 4
"""Of a node whose run is over."""


def _serve(node: ModelNode, executor: rclpy.executors.Executor, interrupts: Interrupts) -> None:
    """Serve the model's calls until the run is over.

    Raises:
        HetwinError: if there is no such model, or no conductor any more.
        Interrupted: if a signal ends the node before the conductor does.
    """
    _ = node.model
    watch = register(node, executor, interrupts)
    parent = os.getppid()
    while rclpy.ok() and not node.over.done() and os.getppid() == parent:
        node.serve(executor, LOOK_PERIOD_S)
        if interrupts.count == 0:
            watch.check(node.get_name())
        elif not watch.stops_the_run(interrupts.since):
            interrupts.raise_if_any()
    for _ in range(LAST_SPINS):  # send the last response, which a coroutine returns
        executor.spin_once(0.05)


def main(args: list[str] | None = None) -> None:
    """Serve a model until it is stopped."""
    faulthandler.enable()  # a crash in C says where
    hold()  # ROS's threads inherit this: only the main thread gets signals
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
        pass  # as it was asked to
    finally:
        ignore()
        rclpy.try_shutdown()
    sys.exit(code)
