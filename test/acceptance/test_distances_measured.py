"""What a run computes per simulated second, counted, so that work that came back unseen is seen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.twin_runs import twin_run

from model_nodes.main_physics.engines.mujoco import distances
from model_nodes.main_physics.engines.mujoco.distances import Nearest, Pairs, SensedPairs

SECONDS = 2.0
STEPS_WITH_READERS = 200
"""Of 800 steps: the log and two models read 100 times per second, at the same steps."""
EVENTS = 6
"""At most, in these seconds; the rows of their steps are logged too."""


class Counts:
    """Counts searches for what is near, and distances that are measured one by one, beside MuJoCo's sensors."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.searches = self.measured = self.found = 0
        measure = distances.mj.mj_geomDistance
        for kind in (Pairs, SensedPairs):
            monkeypatch.setattr(kind, "nearest", self._counted(kind.nearest))

        def counted_measure(*arguments: object) -> float:
            self.measured += 1
            return float(measure(*arguments))

        monkeypatch.setattr(distances.mj, "mj_geomDistance", counted_measure)

    def _counted(
        self, nearest: Callable[[Any], dict[tuple[int, int], Nearest]]
    ) -> Callable[[Any], dict[tuple[int, int], Nearest]]:
        def counted(pairs: Any) -> dict[tuple[int, int], Nearest]:
            self.searches += 1
            found = nearest(pairs)
            self.found += len(found)
            return found

        return counted


def test_distances_are_measured_when_they_are_read_and_where_something_is_near(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = Counts(monkeypatch)
    twin_run("pick_and_place", tmp_path / "run", duration=SECONDS)
    assert STEPS_WITH_READERS <= counts.searches <= STEPS_WITH_READERS + EVENTS
    assert counts.found
    assert counts.measured <= counts.found + 50
