"""Several steps of the main model in one call, as long as nothing else can come between them.

Most steps of a main model change nothing for others: no other model is due, and no event wakes a trigger. The
conductor says which further steps may follow at once; the model takes them until the output of one holds more than
its block. The results are the same as step by step, with fewer messages.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeGuard

import numpy as np

from hetwin_core.ensemble.model import StepInput, StepOutput
from hetwin_core.ensemble.scene.late_rows import LateRows
from hetwin_core.ensemble.scene.snapshot import PROXIMITY_COLUMNS
from hetwin_core.ensemble.scene.values import Floats

MAX_STEPS = 32
"""Most steps in one call."""
LATER = -2
"""Instead of the number of rows of proximity: they are computed when they are asked for."""
LONGEST_S = 0.005
"""No further step begins after this wall time, so that the conductor hears from the model often enough."""


class QuietSteps:
    """Outputs that hold a block and nothing to act on, as flat arrays.

    Args:
        keeps_functions: rows of proximity that are computed when they are read are kept as functions, for whoever can
            call them later; else they are computed now.

    Attributes:
        index: time, and how many numbers the block, the rows of proximity and the watch have (-1: there is none, -2:
            they are not computed yet), of each output in turn.
        numbers: block, rows and watch of each output in turn.
        later: time of an output -> what computes its rows.
    """

    def __init__(self, *, keeps_functions: bool = False) -> None:
        self.index = array("q")
        self.numbers = array("d")
        self.later: dict[int, Callable[[], Floats]] = {}
        self._keeps_functions = keeps_functions
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, output: object) -> bool:
        """Keep a copy of an output; returns false, and keeps nothing, if it holds more than fits here."""
        if not isinstance(output, StepOutput) or _has_more(output):
            return False
        if self._keeps_functions and callable(output.proximity) and _lasts(output.proximity):
            self.later[output.time_ns] = output.proximity
        block, watch = output.block, output.watch
        near = None if output.time_ns in self.later else output.proximity_rows
        if not _is_floats(block, 1) or (near is not None and not _is_floats(near, 2)):
            return False
        if watch is not None and not _is_floats(watch, 1):
            return False
        self._count += 1
        rows = LATER if output.time_ns in self.later else size_of(near)
        self.index.extend((output.time_ns, block.size, rows, size_of(watch)))
        for numbers in (block, near, watch):
            if numbers is not None:
                self.numbers.frombytes(numbers.tobytes())
        return True

    def pop(self) -> StepOutput:
        """Remove the last output and return it."""
        self._count -= 1
        index = self.index
        watch_size, near_size, size, time_ns = index.pop(), index.pop(), index.pop(), index.pop()
        watch = None if watch_size < 0 else _cut(self.numbers, watch_size)
        near: Floats | Callable[[], Floats] | None = self.later.pop(time_ns, None)
        if near_size >= 0:
            near = _cut(self.numbers, near_size).reshape(-1, PROXIMITY_COLUMNS)
        return StepOutput(
            time_ns=time_ns, block=_cut(self.numbers, size), proximity=near, watch=watch
        )


def _lasts(function: Callable[[], Floats]) -> bool:
    """Whether rows of proximity may be computed after further steps."""
    return not isinstance(function, LateRows) or function.lasts


def size_of(numbers: Floats | None) -> int:
    """How many numbers there are; -1 if there is no array at all."""
    return -1 if numbers is None else numbers.size


def _has_more(output: StepOutput) -> bool:
    """Whether an output holds something to act on, or values to write one by one."""
    more = output.values or output.events or output.requests or output.ended
    return bool(more) or output.input_ns is not None or output.late


def _cut(numbers: array[float], count: int) -> Floats:
    """Remove this many numbers from the end and return them."""
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

    An exception in a later step is kept and raised when that step is requested, so that the steps before it count.

    Args:
        keeps_functions: see `QuietSteps`.
    """

    def __init__(self, *, keeps_functions: bool = False) -> None:
        self.keeps_functions = keeps_functions
        self._failure: Exception | None = None

    def step(
        self,
        step: Callable[[StepInput], StepOutput],
        tick: StepInput,
        further: Sequence[int],
    ) -> tuple[QuietSteps, StepOutput]:
        """Take steps; returns the outputs of all but the last, and the last as it is.

        Args:
            step: the model's step function.
            tick: the requested step.
            further: times of the steps that may follow [ns].
        """
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure
        early = QuietSteps(keeps_functions=self.keeps_functions)
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
    """The input of the step after `tick`; the values of other models stay the same until they are due."""
    return replace(
        tick,
        time_ns=time_ns,
        period_ns=time_ns - tick.time_ns,
        scene=replace(tick.scene, time_ns=tick.time_ns),
        events=(),
    )
