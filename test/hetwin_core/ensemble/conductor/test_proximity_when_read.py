"""The table of proximity is computed only at the steps at which something reads it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import toys
from support.small_ensemble import HEADER, Watcher, scenario

from hetwin_core.ensemble.conductor.conductor import session
from hetwin_core.ensemble.conductor.reporting.listener import RunListener, RunSummary
from hetwin_core.ensemble.model import MainChanges, Tick
from hetwin_core.ensemble.scene.snapshot import PROXIMITY, Snapshot, Table
from hetwin_core.ensemble.scene.values import Floats

LAST = 20
BALL, HAND = 1.0, 0.0


class Distances:
    """Rows of proximity of the toys, and the steps at which they were computed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.computed: list[int] = []
        self.row = np.array([[BALL, HAND, 0.01, *[0.0] * 9]])
        plain, distances = toys.ToyPhysics.step, self

        def step(self: toys.ToyPhysics, tick: Tick) -> MainChanges:
            output = plain(self, tick)
            output.tables[PROXIMITY] = Table(lambda: distances.compute(tick.time_ns))
            return output

        monkeypatch.setattr(toys.ToyPhysics, "step", step)

    def compute(self, time_ns: int) -> Floats:
        self.computed.append(time_ns // 10_000_000)
        return self.row


@pytest.fixture
def distances(monkeypatch: pytest.MonkeyPatch) -> Distances:
    return Distances(monkeypatch)


class ReadsAt(RunListener):
    """Reads the table at some steps, twice."""

    def __init__(self, *steps: int) -> None:
        self._steps = steps
        self.rows: list[Floats] = []

    def stepped(self, step: int, scene: Snapshot) -> None:
        if step in self._steps:
            self.rows += [scene.proximity, scene.proximity]


def run(text: str, *listeners: Any) -> RunSummary:
    """Run with these listeners alone."""
    return session(scenario(text), listeners=listeners).run()


def test_without_a_reader_only_the_last_table_is_computed(distances: Distances) -> None:
    assert run(HEADER).ended == "recording"
    assert distances.computed == [LAST]


def test_a_listener_reads_the_table_of_its_step_and_it_is_computed_once(
    distances: Distances,
) -> None:
    reads = ReadsAt(3, 4, 9)
    run(HEADER, reads)
    assert distances.computed == [3, 4, 9, LAST]
    assert all(rows is distances.row for rows in reads.rows)
    assert len(reads.rows) == 6


def test_a_model_reads_the_table_of_its_own_steps(
    distances: Distances, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = Watcher.step

    def step(self: Watcher, tick: Tick) -> MainChanges:
        assert tick.scene.proximity is distances.row
        return plain(self, tick)

    monkeypatch.setattr(Watcher, "step", step)
    run(HEADER + '  watcher: {type: "support.small_ensemble:Watcher", rate: 20}\n')
    assert distances.computed == [5, 10, 15, LAST]


CONDITION = """
triggers:
  - name: near
    on: {action: look, phase: instant}
    if: "distance('ball', 'hand') < 0.02"
    do:
      - raise: {event: was_near}
"""
LOOKS = HEADER.replace(
    "until: 0.2", "until: 0.2, actions: [{at: 0.05, name: look}, {at: 0.11, name: other}]"
)


def test_a_condition_reads_the_table_when_its_event_has_come(distances: Distances) -> None:
    summary = run(LOOKS + CONDITION)
    assert [event["name"] for event in summary.events] == ["look", "was_near", "other"]
    assert distances.computed == [5, LAST]


def test_a_wrong_table_ends_the_run_when_it_is_read(distances: Distances) -> None:
    distances.row = np.full((2, 12), np.nan)
    summary = run(HEADER, ReadsAt(7))
    assert summary.error is not None
    assert summary.error["model"] == "physics"
    assert summary.error["time"] == 0.07
    assert "the table proximity has a row that is not finite" in str(summary.error["reason"])
