"""Runs the conductor's node: ``ros2 run hetwin conductor --ros-args -p scenario:=pick_and_place``."""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import Any

import rclpy
import rclpy.executors

from hetwin.action import Simulate
from hetwin_suite.conductor_node.node import ConductorNode
from hetwin_suite.conductor_node.runner import run_goal


def make_executor() -> Any:
    """The fastest executor that this rclpy has."""
    try:
        from rclpy.experimental import EventsExecutor
    except ImportError:
        return rclpy.executors.SingleThreadedExecutor()
    return EventsExecutor()


def main(args: list[str] | None = None) -> None:
    """Serve goals until the process is told to end, or has done `runs` of them."""
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
    sys.exit(code)


def _end_in_order(node: ConductorNode) -> None:
    """The first SIGINT or SIGTERM ends the run at its next barrier; the second, or one without a run, at once."""
    asked = False

    def heard(_number: int, _frame: object) -> None:
        nonlocal asked
        if asked or node.conductor is None or not node.conductor.is_running:
            raise KeyboardInterrupt
        asked = True
        node.conductor.stop()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, heard)


def _serve(node: ConductorNode, executor: Any) -> int:
    """Serve; answers the exit code."""
    if node.get_parameter("start_at_once").value:
        return _run_at_once(node, executor)
    parent = os.getppid()
    wanted = int(node.get_parameter("runs").value)
    done = 0
    while rclpy.ok() and os.getppid() == parent:
        executor.spin_once(0.2)
        goal = node.goal
        if goal is None:
            continue
        node.finish(run_goal(node, executor, goal))
        while node.goal is not None:  # until the answer is on its way
            executor.spin_once(0.01)
        done += 1
        if done == wanted:
            for _ in range(20):  # the client may still ask for the result
                executor.spin_once(0.05)
            break
    return 0


class _NoGoal:
    """A start that no action client asked for; feedback goes to the node's log."""

    def __init__(self, node: ConductorNode) -> None:
        self._node = node
        self.request = Simulate.Goal(
            source=str(node.get_parameter("source").value),
            scene=str(node.get_parameter("scene").value),
            duration=float(node.get_parameter("duration").value),
        )

    def publish_feedback(self, feedback: Simulate.Feedback) -> None:
        """Log what happened."""
        if feedback.message:
            seconds = feedback.time.sec + feedback.time.nanosec / 1e9
            self._node.get_logger().info(f"{seconds:.3f} s: {feedback.message}")


def _run_at_once(node: ConductorNode, executor: Any) -> int:
    result = run_goal(node, executor, _NoGoal(node))
    if result.error:
        bad_input = json.loads(result.error).get("kind") == "bad_input"
        return 2 if bad_input else 1
    node.get_logger().info(f"ended: {result.ended}, digest {result.digest}")
    return 0


if __name__ == "__main__":
    main()
