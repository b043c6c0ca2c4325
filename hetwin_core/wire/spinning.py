"""Waiting for an answer while everything else goes on; knows executors and futures by their methods only."""

from __future__ import annotations

import time
from typing import Any

POLL_S = 0.0002
"""Answers of quick models are there in this time; to look for them costs less than to be woken up."""


def spin_until(executor: Any, future: Any, timeout_s: float) -> Any:
    """Spin until the future is done; None if that takes too long."""
    if not future.done():
        executor.spin_until_future_complete(future, timeout_s)
    return future.result() if future.done() else None


def poll_until(executor: Any, future: Any) -> None:
    """Look for what the future waits for, for a short time and without giving the processor away."""
    end = time.perf_counter() + POLL_S
    while not future.done() and time.perf_counter() < end:
        executor.spin_once(0.0)
