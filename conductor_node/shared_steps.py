"""The conductor's side of steps through memory that it shares with a model's node."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from hetwin_core.ensemble.model import StepInput
from hetwin_core.ensemble.scene.snapshot import PROXIMITY_COLUMNS
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.transport import step_codec
from hetwin_core.ensemble.transport.own_process.flat_message import FlatMessage
from hetwin_core.wire.step_memory import StepMemory

FIRST_LOOK_S = 0.005
LOOK_PERIOD_S = 0.02


class SharedSteps:
    """One model's steps.

    Args:
        memory: shared with its node.
        between_looks: is called from time to time while a step takes long; ends the waiting by raising.
    """

    def __init__(self, memory: StepMemory, between_looks: Callable[[], None]) -> None:
        self._memory = memory
        self._between_looks = between_looks
        self._is_under_way = False

    def begin(self, tick: StepInput, further: Sequence[int], *, reads: bool) -> None:
        """Request a step.

        Args:
            tick: the step.
            further: times of the steps that it may take at once [ns].
            reads: whether it needs the state.

        Raises:
            TooLarge: if there is no room for it.
        """
        message = FlatMessage()
        step_codec.fill_step(message, tick, further, with_state=reads)
        self._memory.request(message)
        self._is_under_way = True

    def has_ended(self, deadline_s: float) -> bool:
        """Wait for a requested step, if there is one; returns false if it takes longer."""
        end = time.monotonic() + deadline_s
        wait_s = min(FIRST_LOOK_S, deadline_s)
        while self._is_under_way:
            if self._memory.has_stepped(wait_s):
                self._is_under_way = False
            elif time.monotonic() >= end:
                return False
            else:
                self._between_looks()
                wait_s = LOOK_PERIOD_S
        return True

    def output(self) -> FlatMessage:
        """The output of the step that has ended; with the model's error, if it has raised one."""
        return self._memory.output()

    def rows_at(self, time_ns: int, deadline_s: float) -> Floats:
        """Ask for the rows of proximity of one of the last steps.

        Args:
            time_ns: its time.
            deadline_s: how long that may take.

        Raises:
            LookupError: if a later step is under way, or the rows are not there in time; the text says why.
        """
        if self._is_under_way:
            raise LookupError("the next step is under way")
        self._memory.request_rows(time_ns)
        self._is_under_way = True
        if not self.has_ended(deadline_s):
            raise LookupError(f"no answer within its deadline of {deadline_s:g} s")
        output = self.output()
        if output.error:
            raise LookupError(output.error)
        return np.frombuffer(output.numbers, np.float64).reshape(-1, PROXIMITY_COLUMNS)

    def announce_call(self) -> None:
        """Let the node look for a call of a service."""
        self._memory.announce_call()

    def close(self) -> None:
        """Stop sharing."""
        self._memory.close()
