"""Several steps of the main model in one call, as long as nothing else can come between them.

Most steps of a main model change nothing for others: nobody else is due, and no event wakes a trigger. The conductor
says which further steps may follow at once; the model takes them until one has something to tell. Results are
the same as step by step, only the way there is shorter.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeGuard

import numpy as np

from hetwin_core.ensemble.model import StepInput, StepOutput
from hetwin_core.ensemble.scene.snapshot import PROXIMITY_COLUMNS
from hetwin_core.ensemble.scene.values import Floats

MAX_STEPS = 32
"""So many steps at most are taken in one call."""
LONGEST_S = 0.005
"""No further step is begun after so many wall seconds, so that the conductor hears of the model often enough."""


class QuietSteps:
    """Answers that hold a block and nothing to act on, as flat arrays.

    Attributes:
        index: time, numbers in the block and in the rows of proximity (-1: none told) of each, one after the other.
        numbers: block and rows of each, one after the other.
    """

    def __init__(self) -> None:
        self.index = array("q")
        self.numbers = array("d")
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, output: object) -> bool:
        """Keep a copy of an answer; false if there is more in it than fits here."""
        if not isinstance(output, StepOutput) or _has_more(output):
            return False
        block, near = output.block, output.proximity
        if not _is_floats(block, 1) or (near is not None and not _is_floats(near, 2)):
            return False
        self._count += 1
        self.index.extend((output.time_ns, block.size, -1 if near is None else near.size))
        self.numbers.frombytes(block.tobytes())
        if near is not None:
            self.numbers.frombytes(near.tobytes())
        return True

    def pop(self) -> StepOutput:
        """Take the last answer out again."""
        self._count -= 1
        near_size, size, time_ns = self.index.pop(), self.index.pop(), self.index.pop()
        near = None
        if near_size >= 0:
            near = _cut(self.numbers, near_size).reshape(-1, PROXIMITY_COLUMNS)
        return StepOutput(time_ns, block=_cut(self.numbers, size), proximity=near)


def _has_more(output: StepOutput) -> bool:
    """Whether there is something to act on, or to write back one by one."""
    told = output.values or output.events or output.requests or output.ended
    return bool(told) or output.input_ns is not None or output.late


def _cut(numbers: array[float], count: int) -> Floats:
    """Take so many numbers off the end."""
    start = len(numbers) - count
    last = np.array(numbers[start:], np.float64)
    del numbers[start:]
    return last


def _is_floats(numbers: object, dimensions: int) -> TypeGuard[Floats]:
    return (
        isinstance(numbers, np.ndarray)
        and numbers.dtype == np.float64
        and numbers.ndim == dimensions
        and (dimensions == 1 or numbers.shape[1] == PROXIMITY_COLUMNS)
    )


class Stepper:
    """Takes a step and those that may follow at once.

    What a model raises after its first step is kept until it is asked for that step, so that everything before
    it counts.
    """

    def __init__(self) -> None:
        self._failure: Exception | None = None

    def step(
        self,
        step: Callable[[StepInput], StepOutput],
        tick: StepInput,
        further: Sequence[int],
    ) -> tuple[QuietSteps, StepOutput]:
        """The answers of all steps that were taken, the last one as it is.

        Args:
            step: the model's own.
            tick: the step that was asked for.
            further: times of the steps that may follow [ns].
        """
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure
        early = QuietSteps()
        end = time.monotonic() + LONGEST_S
        output = step(tick)
        for time_ns in further:
            if time.monotonic() > end or not early.add(output):
                break
            tick = _next(tick, time_ns)
            try:
                output = step(tick)
            except Exception as failure:
                self._failure = failure
                return early, early.pop()
        return early, output


def _next(tick: StepInput, time_ns: int) -> StepInput:
    """The step after `tick`; others answer the same as long as they are not due."""
    return replace(
        tick,
        time_ns=time_ns,
        period_ns=time_ns - tick.time_ns,
        scene=replace(tick.scene, time_ns=tick.time_ns),
        events=(),
    )
