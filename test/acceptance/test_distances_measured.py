"""What a run computes per simulated second, counted, so that work that came back unseen is seen."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.twin_runs import twin_run

from model_nodes.main_physics.engines.mujoco import distances
from model_nodes.main_physics.engines.mujoco.distances import Nearest, Pairs

SECONDS = 2.0
STEPS_WITH_READERS = 200
"""Of 800 steps: the log and two models read 100 times per second, at the same steps."""
EVENTS = 6
"""At most, in these seconds; the rows of their steps are logged too."""


class Counts:
    """Counts searches for what is near, and measured distances."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.searches = self.measured = self.found = 0
        nearest, measure = Pairs.nearest, distances.mj.mj_geomDistance

        def counted(pairs: Pairs) -> dict[tuple[int, int], Nearest]:
            self.searches += 1
            found = nearest(pairs)
            self.found += len(found)
            return found

        def counted_measure(*arguments: object) -> float:
            self.measured += 1
            return float(measure(*arguments))

        monkeypatch.setattr(Pairs, "nearest", counted)
        monkeypatch.setattr(distances.mj, "mj_geomDistance", counted_measure)


def test_distances_are_measured_when_they_are_read_and_where_something_is_near(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = Counts(monkeypatch)
    twin_run("pick_and_place", tmp_path / "run", duration=SECONDS)
    assert STEPS_WITH_READERS <= counts.searches <= STEPS_WITH_READERS + EVENTS
    assert counts.found <= counts.measured <= counts.found + 50
