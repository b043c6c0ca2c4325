"""Counts the objects that a run moves, for scenarios with a fidelity manager."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hetwin_fidelity import NearRobot
from hetwin_suite.model import POSE, BadInput, EntityKind, Floats, Layout
from hetwin_suite.runs import BetweenSteps, Scenario
from hetwin_suite.study import ModelPort, ObservedScenario

MIN_DISPLACEMENT = 0.1
"""Minimum distance between start and end of an object that counts as moved [m]."""


class MovedObjects:
    """Follows the positions of objects, and reports the number of moved ones."""

    def __init__(self) -> None:
        self._indices = np.empty((0, 3), np.intp)
        self._initial_positions: Floats | None = None
        self._last_positions: Floats = np.empty((0, 3))

    def observe(self, between: BetweenSteps) -> None:
        """See `hetwin_suite.study.Watch.observe`."""
        scene = between.scene
        if self._initial_positions is None:
            self._indices = _position_indices(scene.layout)
            self._initial_positions = scene.values[self._indices]
        self._last_positions = scene.values[self._indices]

    def observations(self) -> int:
        """See `hetwin_suite.study.Watch.observations`."""
        if self._initial_positions is None:
            return 0
        return int(
            (
                np.linalg.norm(self._last_positions - self._initial_positions, axis=1)
                > MIN_DISPLACEMENT
            ).sum()
        )


@dataclass(frozen=True)
class MovedWatcher(ObservedScenario):
    """Counts the moved objects of a scenario with a fidelity manager."""

    def begin(self, scenario: Scenario, ports: Sequence[ModelPort]) -> MovedObjects:
        """See `ObservedScenario.begin`."""
        return MovedObjects()


def managers_of(scenario: Scenario) -> tuple[str, ...]:
    """Return the names of the fidelity managers of a scenario with uncertainty.

    Raises:
        BadInput: if the scenario has no manager, or no uncertainty.
    """
    managers = tuple(plan.name for plan in scenario.models if issubclass(plan.cls, NearRobot))
    if not managers:
        raise BadInput(
            "the scenario does not manage fidelity",
            file=scenario.path,
            where="learn fidelity",
            expected="a model of the type fidelity_near_robot",
        )
    if not scenario.file.uncertainty:
        raise BadInput(
            "nothing of the scenario is uncertain, so that all its runs are alike",
            file=scenario.path,
            where="uncertainty",
            expected='what differs between runs, such as {"packet_*": {mass: {factor: 0.2}}}',
        )
    return managers


def _position_indices(layout: Layout) -> np.ndarray[tuple[int, int], np.dtype[np.intp]]:
    """Return (n, 3) the indices of the objects' positions in the values of a scene."""
    slots = [
        layout.range_of(entity.name, POSE.name).start
        for entity in layout.of_kind(EntityKind.OBJECT)
    ]
    return np.array(slots, np.intp)[:, None] + np.arange(3)
