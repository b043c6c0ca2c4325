"""Runs the conductor's node: ``ros2 run hetwin conductor --ros-args -p scenario:=pick_and_place``."""

from __future__ import annotations

import json
import os
import sys
from functools import partial

import rclpy
import rclpy.executors

from conductor_node.node import ConductorNode
from conductor_node.runner import run_goal
from conductor_node.startup_goal import StartupGoal
from hetwin.action import Simulate
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.supervision.interrupts import (
    Interrupted,
    Interrupts,
    block_signals,
    ignore,
)
from hetwin_core.wire.names import make_executor

FAILED, BAD_INPUT = 1, 2
SAME_SIGNAL_S = 4.0
"""Signals at most this far apart count as one [s]: a terminal and `ros2 launch` may both send Ctrl-C."""


def main(args: list[str] | None = None) -> None:
    """Carry out goals until the process is asked to end, or until `runs` of them are done.

    The exit code is that of the last run: 0 after a success, 1 after a failure, 2 after bad input. Without a run it is
    2 if another run has the namespace, or 128 plus the number of the signal that ended the process.
    """
    block_signals()  # ROS's threads inherit this: only the main thread gets signals
    rclpy.init(args=args, signal_handler_options=rclpy.SignalHandlerOptions.NO)
    code = 0
    try:
        node = ConductorNode()
        with Interrupts(partial(_on_signal, node), apart_s=SAME_SIGNAL_S) as interrupts:
            executor = make_executor()
            executor.add_node(node)
            node.trigger_configure()
            node.trigger_activate()
            code = _serve_goals(node, executor, interrupts)
    except rclpy.executors.ExternalShutdownException:
        pass  # rclpy.shutdown() elsewhere
    except BadInput as error:
        print(f"error: {error}", file=sys.stderr)
        code = BAD_INPUT
    except Interrupted as interrupt:
        print(f"the conductor was {interrupt}", file=sys.stderr)
        code = interrupt.code
    finally:
        ignore()
        rclpy.try_shutdown()
    sys.exit(code)


def _on_signal(node: ConductorNode, count: int, signal_number: int) -> None:
    """End the run at its next barrier on the first signal, and at once on the second."""
    node.quitting = True
    if node.conductor is None:
        return
    if count > 1:
        raise Interrupted(signal_number)
    node.conductor.stop()


def _serve_goals(
    node: ConductorNode, executor: rclpy.executors.Executor, interrupts: Interrupts
) -> int:
    """Carry out goals, one after the other.

    Returns:
        The exit code of the last goal.

    Raises:
        BadInput: if another run has the namespace.
        Interrupted: if a signal ends the process before any run.
    """
    start_at_once = bool(node.get_parameter("start_at_once").value)
    run_limit = int(node.get_parameter("runs").value) or int(start_at_once)
    if start_at_once:
        node.begin_startup_goal()
    parent = os.getppid()
    code = done = 0
    while rclpy.ok() and os.getppid() == parent and not node.quitting:
        node.deferred.check()
        node.namespace_guard.check()
        if node.goal is None or node.namespace_guard.is_searching:
            executor.spin_once(0.2)
            continue
        result = run_goal(node, executor, node.goal)
        node.finish(result)
        while node.goal is not None and not isinstance(node.goal, StartupGoal):
            executor.spin_once(0.01)  # until the result is on its way
        if node.goal is None:  # otherwise the run starts again
            done += bool(result.summary or result.error)
            node.quitting = node.quitting or done == run_limit
        code = _exit_code(result, node)
    if not done:
        interrupts.raise_if_any()
    node.deferred.check()
    for _ in range(1 if start_at_once else 20):  # the client may still ask for the result
        executor.spin_once(0.05)
    return code


def _exit_code(result: Simulate.Result, node: ConductorNode) -> int:
    """Return the exit code of a result; log a success."""
    if result.error:
        return BAD_INPUT if json.loads(result.error).get("kind") == "bad_input" else FAILED
    node.get_logger().info(f"ended: {result.ended}, digest {result.digest}")
    return 0


if __name__ == "__main__":
    main()
