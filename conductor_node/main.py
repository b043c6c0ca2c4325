"""Runs the conductor's node: ``ros2 run hetwin conductor --ros-args -p scenario:=pick_and_place``."""

from __future__ import annotations

import json
import os
import signal
import sys

import rclpy
import rclpy.executors

from conductor_node.node import ConductorNode
from conductor_node.runner import run_goal
from conductor_node.startup_goal import StartupGoal
from hetwin.action import Simulate
from hetwin_core.wire.spinning import make_executor


def main(args: list[str] | None = None) -> None:
    """Serve goals until the process is asked to end, or has carried out `runs` of them."""
    rclpy.init(args=args, signal_handler_options=rclpy.SignalHandlerOptions.NO)
    code = 0
    try:
        node = ConductorNode()
        _end_in_order(node)
        executor = make_executor()
        executor.add_node(node)
        node.trigger_configure()
        node.trigger_activate()
        code = _serve(node, executor)
    except rclpy.executors.ExternalShutdownException:
        pass  # a signal, or rclpy.shutdown() elsewhere
    except KeyboardInterrupt:
        code = 130
    finally:
        rclpy.try_shutdown()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is ending already
    sys.exit(code)


def _end_in_order(node: ConductorNode) -> None:
    """The first SIGINT or SIGTERM ends the run at its next barrier; the second, or one without a run, at once."""
    is_stopping = False

    def on_signal(_number: int, _frame: object) -> None:
        nonlocal is_stopping
        if node.quitting and node.conductor is None:
            return  # it is ending already
        if is_stopping or node.conductor is None or not node.conductor.is_running:
            raise KeyboardInterrupt
        is_stopping = node.quitting = True
        node.conductor.stop()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, on_signal)


def _serve(node: ConductorNode, executor: rclpy.executors.Executor) -> int:
    """Carry out goals, one after the other.

    Returns:
        The exit code of the last one that was not begun by a client.
    """
    once = bool(node.get_parameter("start_at_once").value)
    wanted = int(node.get_parameter("runs").value) or int(once)
    if once:
        node.begin_startup_goal()
    parent = os.getppid()
    code = done = 0
    while rclpy.ok() and os.getppid() == parent and not node.quitting:
        node.deferred.check()
        if node.goal is None:
            executor.spin_once(0.2)
            continue
        at_startup = isinstance(node.goal, StartupGoal)
        result = run_goal(node, executor, node.goal)
        node.finish(result)
        while node.goal is not None and not isinstance(node.goal, StartupGoal):
            executor.spin_once(0.01)  # until the result is on its way
        if node.goal is None:  # else it begins again
            done += 1
            node.quitting = node.quitting or done == wanted
        if at_startup:
            code = _code_of(result, node)
    node.deferred.check()
    for _ in range(1 if once else 20):  # the client may still ask for the result
        executor.spin_once(0.05)
    return code


def _code_of(result: Simulate.Result, node: ConductorNode) -> int:
    """The exit code of a result; success is logged."""
    if result.error:
        return 2 if json.loads(result.error).get("kind") == "bad_input" else 1
    node.get_logger().info(f"ended: {result.ended}, digest {result.digest}")
    return 0


if __name__ == "__main__":
    main()
