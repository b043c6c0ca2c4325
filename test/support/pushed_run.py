"""Two runs that part: in one of them a ball is pushed, and a box touches a table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from hetwin_core.ensemble.scene.snapshot import Snapshot, proximity_tables
from hetwin_core.ensemble.scene.values import Floats
from support.small_run import SmallRun

PUSHED = 300
"""Step from which on the ball is elsewhere."""
TOUCHED = 340
"""Step from which on the box presses on the table."""
BOX, TABLE = 4.0, 6.0


class PushedRun(SmallRun):
    """A run in which the ball is moved by 2 cm, and the box presses on the table a little later."""

    def values(self, step: int) -> Floats:
        """See `SmallRun`."""
        values = super().values(step)
        if step >= PUSHED:
            values[self.layout.range_of("ball", "pose").start] += 0.02
        return values

    def snapshot(self, step: int) -> Snapshot:
        """See `SmallRun`."""
        row = [BOX, TABLE, 0.0, 0.1, 0.0, 0.4, 0.0, 0.0, 1.0, 0.0, 0.0, 7.5]
        near = np.array([row] if step >= TOUCHED else [], np.float64).reshape(-1, 12)
        return replace(super().snapshot(step), tables=proximity_tables(near))


def parting_runs(folder: Path, steps: int = 400) -> tuple[Path, Path]:
    """Record a run and one that parts from it; returns their folders."""
    one, other = SmallRun(folder / "one", steps=steps), PushedRun(folder / "other", steps=steps)
    one.record()
    other.record()
    return one.out, other.out
