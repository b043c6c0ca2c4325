"""A long run keeps nothing of the steps that are over; benchmarks/memory.py looks at whole processes with their log."""

from __future__ import annotations

import gc
import sys

from support.small_ensemble import scenario

from hetwin_core.ensemble.conductor.conductor import session
from hetwin_core.ensemble.conductor.reporting.listener import RunListener
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.scene.snapshot import Snapshot

ENSEMBLE = """
scenario: small
rate: 100
models:
  physics: {type: "support.toys:ToyPhysics", main: true, parameters: {until: 200.0}}
  cup: {type: "support.toys:ToyCup"}
"""
FROM, TO = 4000, 16000


class Counting(RunListener):
    """Counts what Python has allocated, early and late in the run."""

    def __init__(self) -> None:
        self.blocks: dict[int, int] = {}

    def stepped(self, step: int, scene: Snapshot) -> None:
        if step in (FROM, TO):
            gc.collect()
            self.blocks[step] = sys.getallocatedblocks()


def test_python_allocates_nothing_more() -> None:
    read, counting = scenario(ENSEMBLE), Counting()
    options = RunOptions(duration=(TO + 1) / 100)
    summary = session(read, options=options, listeners=[counting]).run()
    assert summary.ended != "failed"
    assert (counting.blocks[TO] - counting.blocks[FROM]) / (TO - FROM) < 0.02
