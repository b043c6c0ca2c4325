"""The newest state of a run, in memory that a process shares with those it forks.

The run copies it there now and then and goes on; whoever reads it never delays the run. The numbers are written between
two changes of a counter, by which a reader sees that it has read half of one state and half of the next.
"""

from __future__ import annotations

import math
import mmap
import time
from collections import deque

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.tables import PROXIMITY_COLUMNS
from hetwin_core.ensemble.scene.values import Floats, Ints
from hetwin_suite.view.live.feed import Now, Phase

SIZE = 64 * 1024 * 1024
"""Only what is written takes up memory."""
_COUNTER, _TIME, _WAITS, _NEAR = range(4)
_FACTOR, _PACE, _LAG = range(4, 7)
_HEAD = 8
_MOST_NEAR = 1000
"""Rows of proximity; of more, these are kept."""
_TRIES = 1000
WINDOW_NS = 2_000_000_000
"""Wall time over which the factor is measured."""


class Newest:
    """Memory for the newest state; made before the process of the run is forked."""

    def __init__(self) -> None:
        memory = memoryview(mmap.mmap(-1, SIZE))
        self._ints = memory[: _HEAD * 8].cast("q")
        self._floats = memory[: _HEAD * 8].cast("d")
        self._rest = memory[_HEAD * 8 :]
        self._values: Floats = np.empty(0)
        self._owners: Ints = np.empty(0, np.int32)
        self._near: Floats = np.empty((0, PROXIMITY_COLUMNS))

    def fit(self, layout: Layout) -> None:
        """Prepare for the states of a layout, in each process on its own.

        Raises:
            BadInput: if they are too large.
        """
        near = _MOST_NEAR * PROXIMITY_COLUMNS * 8
        split = near + layout.size * 8
        end = split + len(layout.slots) * 4
        if end > len(self._rest):
            raise BadInput(
                "these are more attributes than a page can be shown",
                where="--show",
                found=f"{end} bytes",
                expected=f"at most {len(self._rest)}",
            )
        self._near = np.frombuffer(self._rest[:near]).reshape(-1, PROXIMITY_COLUMNS)
        self._values = np.frombuffer(self._rest[near:split], np.float64)
        self._owners = np.frombuffer(self._rest[split:end], np.int32)

    def write(
        self,
        time_ns: int,
        values: Floats,
        owners: Ints,
        *,
        waits: bool,
        factor: float | None,
        pace: float | None,
        lag_s: float | None,
        near: Floats | None = None,
    ) -> None:
        """Copy a state into the memory; in the process of the run."""
        ints, floats = self._ints, self._floats
        ints[_COUNTER] += 1
        ints[_TIME] = time_ns
        ints[_WAITS] = waits
        floats[_FACTOR] = math.nan if factor is None else factor
        floats[_PACE] = math.nan if pace is None else pace
        floats[_LAG] = math.nan if lag_s is None else lag_s
        self._values[:] = values
        self._owners[:] = owners
        count = -1 if near is None else min(len(near), _MOST_NEAR)
        ints[_NEAR] = count
        if near is not None:
            self._near[:count] = near[:count]
        ints[_COUNTER] += 1

    def read(self) -> Now | None:
        """The newest state; None if there is none, or it is only half there however often one looks."""
        ints, floats = self._ints, self._floats
        for _ in range(_TRIES):
            before = ints[_COUNTER]
            if before == 0:
                return None
            if before % 2 == 0:
                factor, pace, lag_s = (
                    None if math.isnan(x) else x for x in floats[_FACTOR : _LAG + 1]
                )
                copied = Now(
                    ints[_TIME],
                    self._values.copy(),
                    self._owners.copy(),
                    Phase.PAUSED if ints[_WAITS] else Phase.RUNNING,
                    factor,
                    pace,
                    lag_s,
                    None if ints[_NEAR] < 0 else self._near[: ints[_NEAR]].copy(),
                )
                if ints[_COUNTER] == before:
                    return copied
            time.sleep(0)
        return None


class Factor:
    """How many times real time a run goes, measured over its last seconds."""

    def __init__(self) -> None:
        self._seen: deque[tuple[int, int]] = deque()

    def begin_anew(self) -> None:
        """Forget what was, after the run stood still."""
        self._seen.clear()

    def at(self, wall_ns: int, time_ns: int) -> float | None:
        """The factor now; None until it can be known.

        Args:
            wall_ns: wall time.
            time_ns: simulated time that the run has come to.
        """
        seen = self._seen
        seen.append((wall_ns, time_ns))
        while len(seen) > 2 and wall_ns - seen[1][0] >= WINDOW_NS:
            seen.popleft()
        first_wall, first_time = seen[0]
        return (time_ns - first_time) / (wall_ns - first_wall) if wall_ns > first_wall else None
