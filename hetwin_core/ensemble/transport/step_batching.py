"""Several steps of the main model in one call, as long as nothing else can come between them.

Most steps of a main model change nothing for others: no other model is due, and no event wakes a trigger. The
conductor says which further steps may follow at once; the model takes them until the output of one holds more than
its block. The results are the same as step by step, with fewer messages.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from hetwin_core.ensemble.model import Changes, MainChanges, Tick
from hetwin_core.ensemble.scene.snapshot import wrong_shape

MAX_STEPS = 32
"""Most steps in one call."""
LONGEST_S = 0.005
"""No further step begins after this wall time, so that the conductor hears from the model often enough."""


class Stepper:
    """Takes a step and those that may follow at once.

    An exception in a later step is kept and raised when that step is requested, so that the steps before it count.

    Args:
        keeps_functions: tables that have not been computed are kept so, for whoever can read them later; else they are
            computed now.
    """

    def __init__(self, *, keeps_functions: bool = False) -> None:
        self.keeps_functions = keeps_functions
        self._failure: Exception | None = None

    def step(
        self,
        step: Callable[[Tick], Changes],
        tick: Tick,
        further: Sequence[int],
    ) -> list[Changes]:
        """Take steps; returns their outputs: the last as it is, copies of those before it.

        Args:
            step: the model's step function.
            tick: the requested step.
            further: times of the steps that may follow [ns].
        """
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure
        outputs: list[Changes] = []
        end = time.monotonic() + LONGEST_S
        output = step(tick)
        for time_ns in further:
            quiet = None if time.monotonic() > end else self._quiet(output)
            if quiet is None:
                break
            outputs.append(quiet)
            tick = _next(tick, time_ns)
            try:
                output = step(tick)
            except Exception as failure:
                self._failure = failure
                return outputs
        return [*outputs, output]

    def _quiet(self, output: object) -> MainChanges | None:
        """A copy of an output that holds a block and nothing to act on; None of any other."""
        if not isinstance(output, MainChanges) or _has_more(output):
            return None
        block, tables = output.block, dict(output.tables)
        if not isinstance(block, np.ndarray) or block.dtype != np.float64 or block.ndim != 1:
            return None
        for name, table in output.tables.items():
            if self.keeps_functions and table.lasts and table.known is None:
                continue
            if wrong_shape(name, table.rows()) is not None:
                return None
            tables[name] = table.copied()
        return MainChanges(output.time_ns, block=block.copy(), tables=tables)


def _has_more(output: MainChanges) -> bool:
    """Whether an output holds something to act on, or values to write one by one."""
    more = output.values or output.events or output.requests or output.ended
    return bool(more) or output.input_ns is not None or output.late


def _next(tick: Tick, time_ns: int) -> Tick:
    """The input of the step after `tick`; the values of other models stay the same until they are due."""
    return replace(
        tick,
        time_ns=time_ns,
        period_ns=time_ns - tick.time_ns,
        scene=replace(tick.scene, time_ns=tick.time_ns),
        events=(),
    )
