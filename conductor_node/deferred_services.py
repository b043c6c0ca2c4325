"""Services that respond only once a condition holds."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.task import Future


class DeferredResponses:
    """Lets callbacks wait while the thread that runs the ensemble goes on and checks their conditions."""

    def __init__(self) -> None:
        self._all: list[tuple[Callable[[], bool], Future]] = []

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until a condition holds."""
        if not holds():
            future = Future()
            self._all.append((holds, future))
            await future

    def check(self) -> None:
        """Let those go on whose condition holds now."""
        if self._all:
            ready = [future for holds, future in self._all if holds()]
            self._all = [pair for pair in self._all if pair[1] not in ready]
            for future in ready:
                future.set_result(None)
