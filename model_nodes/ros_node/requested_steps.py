"""Steps that the conductor requests and waits for: over a topic, or through the memory of one machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import rclpy.executors
from rclpy.task import Future

from hetwin_core.ensemble import json_codec
from hetwin_core.ensemble.model import StepInput, StepOutput
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.transport import step_codec
from hetwin_core.ensemble.transport.own_process.flat_message import FlatMessage
from hetwin_core.ensemble.transport.own_process.shared_parts import TooLarge
from hetwin_core.ensemble.transport.step_batching import Stepper
from hetwin_core.wire import messages
from hetwin_core.wire.spinning import spin_until
from hetwin_core.wire.step_memory import Asked, StepMemory

MEMORY_TIMEOUT_S = 5.0
SERVICES_PERIOD_S = 0.05
"""Services that the conductor has not announced are looked at as often while steps come through memory."""
SERVICES_S = 0.001
"""Everything that arrives in this time is served."""
CALL_PERIOD_S = 0.005


class RequestedSteps:
    """Takes the steps, and serves the node's other calls between them.

    Args:
        step: of the model.
        started: returns the layout; raises an error while the model is not active.

    Attributes:
        asked: where the conductor may offer memory for steps; None if it is on another host.
    """

    def __init__(
        self, step: Callable[[StepInput], StepOutput], started: Callable[[], Layout]
    ) -> None:
        self._step, self._started = step, started
        self._stepper = Stepper()
        self._at_start: Snapshot | None = None
        self.asked: Asked | None = None
        self._memory: StepMemory | None = None
        self._announced = 0
        self._rows_at: dict[int, Callable[[], Floats]] = {}

    def start(self, at_start: Snapshot) -> bool:
        """Begin a run; returns whether its steps come through memory.

        Args:
            at_start: the scene.
        """
        self._at_start = at_start
        self._memory = None if self.asked is None else self.asked.memory(MEMORY_TIMEOUT_S)
        self._stepper.keeps_functions = self._memory is not None
        return self._memory is not None

    def call_came(self) -> None:
        """One of the calls that the conductor announced has been served."""
        if self._memory is not None:
            self._announced -= 1

    def take(self, message: Any, output_message: Any) -> None:
        """Take a step and those that may follow at once; the output gets the error, if there is one."""
        try:
            layout = self._started()
            assert self._at_start is not None
            tick, further = step_codec.read_step(message, self._at_start)
            early, output = self._stepper.step(self._step, tick, further)
            self._rows_at = early.later
            step_codec.fill_output(output_message, output, layout, early)
        except (Exception, SystemExit) as error:
            output_message.error = json_codec.error_to_text(error)

    def serve(
        self, executor: rclpy.executors.Executor, over: Future[None], period_s: float
    ) -> None:
        """Carry out what the conductor wants, for so long or until the run is over."""
        end = time.monotonic() + period_s
        while not over.done() and (left := end - time.monotonic()) > 0.0:
            if self._memory is None:
                spin_until(executor, over, left)
            elif self._announced > 0:
                executor.spin_once(CALL_PERIOD_S)
                self._take_requests(self._memory, 0.0)
            elif not self._take_requests(self._memory, SERVICES_PERIOD_S):
                spin_until(executor, over, SERVICES_S)

    def _compute_rows(self, time_ns: int | None, output: FlatMessage) -> None:
        """Compute the rows of proximity of one of the last steps; the output gets the error, if there is one."""
        try:
            rows = self._rows_at[time_ns or 0]()
            output.numbers = messages.doubles(rows)
        except KeyError:
            output.error = "they are not kept any more"
        except (Exception, SystemExit) as error:
            output.error = f"{type(error).__name__}: {error}"

    def _take_requests(self, memory: StepMemory, timeout_s: float) -> bool:
        """Take the requested step, and count the announced calls; returns whether there was anything."""
        wanted = memory.wait_for_request(timeout_s)
        self._announced += wanted.calls
        if wanted.step is None and wanted.rows_at is None:
            return bool(wanted.calls)
        output = FlatMessage()
        if wanted.step is not None:
            self.take(wanted.step, output)
        else:
            self._compute_rows(wanted.rows_at, output)
        try:
            memory.reply(output)
        except TooLarge as error:
            memory.reply(FlatMessage(error=json_codec.error_to_text(error)))
        return True
