"""Executors, and waiting for a future while everything else goes on."""

from __future__ import annotations

from typing import Any

from rclpy.executors import Executor, SingleThreadedExecutor
from rclpy.task import Future


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
        Its result; None if that takes longer than the timeout [s].
    """
    if not future.done():
        executor.spin_until_future_complete(future, timeout_s)
    return future.result() if future.done() else None
