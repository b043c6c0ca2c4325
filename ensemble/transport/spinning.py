"""Waiting for an answer while everything else goes on; knows executors and futures by their methods only."""

from __future__ import annotations

from typing import Any


def spin_until(executor: Any, future: Any, timeout_s: float) -> Any:
    """Spin until the future is done; None if that takes too long."""
    if not future.done():
        executor.spin_until_future_complete(future, timeout_s)
    return future.result() if future.done() else None
