"""Executors, and waiting for a future while everything else goes on."""

from __future__ import annotations

import time
from typing import Any

from rclpy.executors import Executor, SingleThreadedExecutor
from rclpy.task import Future

POLL_S = 0.0002
"""Quick models return within this time; polling for it costs less than being woken up."""


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


def poll_until(executor: Executor, future: Future[Any]) -> None:
    """Poll for what the future waits for, for up to `POLL_S` and without giving the processor away."""
    end = time.perf_counter() + POLL_S
    while not future.done() and time.perf_counter() < end:
        executor.spin_once(0.0)
