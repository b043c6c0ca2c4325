"""Several steps of the main model in one call, as long as nothing else can come between them.

Most steps of a main model change nothing for others: nobody else is due, and no event wakes a trigger. The conductor
says which further steps may follow at once; the model takes them until one has something to tell. Results are
the same as step by step, only the way there is shorter.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeGuard

import numpy as np

from hetwin_suite.ensemble.model import StepInput, StepOutput
from hetwin_suite.ensemble.snapshot import PROXIMITY_COLUMNS
from hetwin_suite.ensemble.values import Floats

MOST_STEPS = 32
"""So many steps at most are taken in one call."""
LONGEST_S = 0.005
"""No further step is begun after so many wall seconds, so that the conductor hears of the model often enough."""
_NO_PROXIMITY = -1


class QuietSteps:
    """Answers that hold a block and nothing to act on, as flat arrays.

    Attributes:
        times: of each answer [ns].
        blocks: their blocks, one after the other; all have the same size.
        rows: rows of proximity of each answer, -1 if it tells none.
        proximity: the rows, one after the other.
    """

    def __init__(self) -> None:
        self.times = array("q")
        self.blocks = array("d")
        self.rows = array("i")
        self.proximity = array("d")
        self._size = -1

    def __len__(self) -> int:
        return len(self.times)

    def add(self, output: object) -> bool:
        """Keep a copy of an answer; false if there is more in it than fits here."""
        if not isinstance(output, StepOutput) or not self._fits(output):
            return False
        assert output.block is not None
        self._size = output.block.size
        self.times.append(output.time_ns)
        self.blocks.frombytes(output.block.tobytes())
        if output.proximity is None:
            self.rows.append(_NO_PROXIMITY)
        else:
            self.rows.append(len(output.proximity))
            self.proximity.frombytes(output.proximity.tobytes())
        return True

    def _fits(self, output: StepOutput) -> bool:
        if output.values or output.events or output.requests or output.ended:
            return False
        if output.input_ns is not None or output.late:
            return False
        block, proximity = output.block, output.proximity
        if not _is_flat(block) or self._size not in (-1, len(block)):
            return False
        return proximity is None or _is_table(proximity)

    def pop(self) -> StepOutput:
        """Take the last answer out again."""
        time_ns, told = self.times.pop(), self.rows.pop()
        block = _cut(self.blocks, self._size)
        near = None
        if told != _NO_PROXIMITY:
            near = _cut(self.proximity, told * PROXIMITY_COLUMNS).reshape(-1, PROXIMITY_COLUMNS)
        return StepOutput(time_ns, block=block, proximity=near)


def outputs(
    times: Sequence[int], blocks: array[float], rows: Sequence[int], proximity: array[float]
) -> Iterator[StepOutput]:
    """The answers that `QuietSteps` holds."""
    if not len(times):
        return
    by_step = np.frombuffer(blocks, np.float64).reshape(len(times), -1)
    table = np.frombuffer(proximity, np.float64).reshape(-1, PROXIMITY_COLUMNS)
    at = 0
    for time_ns, block, told in zip(times, by_step, rows, strict=True):
        near = None if told == _NO_PROXIMITY else table[at : at + told]
        at += max(told, 0)
        yield StepOutput(time_ns, block=block, proximity=near)


def _cut(numbers: array[float], count: int) -> Floats:
    """Take so many numbers off the end."""
    start = len(numbers) - count
    last = np.array(numbers[start:], np.float64)
    del numbers[start:]
    return last


def _is_flat(block: object) -> TypeGuard[Floats]:
    return isinstance(block, np.ndarray) and block.dtype == np.float64 and block.ndim == 1


def _is_table(rows: object) -> bool:
    return (
        isinstance(rows, np.ndarray)
        and rows.dtype == np.float64
        and rows.ndim == 2
        and rows.shape[1] == PROXIMITY_COLUMNS
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
