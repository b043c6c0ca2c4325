"""The job of measuring a fidelity manager: a run with some of its parameters and what is uncertain drawn."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hetwin_core.ensemble.conductor.between_steps import BetweenSteps
from hetwin_core.ensemble.conductor.conductor import Conductor
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.errors import BadInput, HetwinError
from hetwin_core.ensemble.scenario.scenario import Scenario, load_scenario
from hetwin_core.ensemble.scene.layout import EntityKind, Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import POSE, Floats
from hetwin_core.ensemble.supervision.heartbeat import Heartbeat
from hetwin_core.ensemble.transport.local_ports import local_ports
from hetwin_core.ensemble.words import failure_row_words
from hetwin_suite.futures.drawing.find import find_uncertainty
from hetwin_suite.futures.drawing.uncertain import Uncertainty
from hetwin_suite.futures.learning.fidelity.candidate import Candidate
from hetwin_suite.futures.one_run import overdue
from model_nodes.fidelity.near_robot import NearRobot

MOVED = 0.1
"""An object has moved if it ends farther than this from where it began [m]."""


class Measured(NamedTuple):
    """One run.

    Attributes:
        processor_s: processor time of its steps.
        simulated_s: simulated time.
        moved: how many objects it moved.
        error: why there is none of this; empty: there is.
    """

    processor_s: float
    simulated_s: float
    moved: int
    error: str = ""


class Loaded(NamedTuple):
    """What all runs need."""

    scenario: Scenario
    uncertainty: Uncertainty
    managers: tuple[str, ...]


@dataclass(frozen=True)
class Managing:
    """Runs a scenario in different fidelity; a task is (parameters, number of the draw).

    Args:
        path: of the scenario.
        variant: of it.
        seed: of the draws.
        duration: simulated time after which a run ends [s]; None: with its source.
    """

    path: Path
    variant: str | None = None
    seed: int = 0
    duration: float | None = None

    def warm(self) -> None:
        """See `Job.warm`.

        Raises:
            BadInput: if the scenario has no manager, or nothing of it is uncertain.
        """
        self.loaded()

    def loaded(self) -> Loaded:
        """Return the scenario and what is uncertain about it."""
        key = repr(self)
        if key not in _LOADED:
            _LOADED[key] = self._load()
        return _LOADED[key]

    def _load(self) -> Loaded:
        scenario = load_scenario(self.path, self.variant)
        managers = tuple(plan.name for plan in scenario.models if issubclass(plan.cls, NearRobot))
        if not managers:
            raise BadInput(
                "the scenario does not manage fidelity",
                file=self.path,
                where="--fidelity",
                expected="a model of the type fidelity_near_robot",
            )
        if not scenario.file.uncertainty:
            raise BadInput(
                "nothing of the scenario is uncertain, so that all its runs are alike",
                file=self.path,
                where="uncertainty",
                expected='what differs between runs, such as {"packet_*": {mass: {factor: 0.2}}}',
            )
        options = RunOptions(duration=1.0 / scenario.clock.rate)
        conductor = Conductor(scenario, local_ports(scenario, None, one_process=True), (), options)
        start = conductor.prepare()
        summary = conductor.run()
        if summary.error is not None:
            raise HetwinError(failure_row_words(summary.error))
        return Loaded(scenario, find_uncertainty(scenario, start), managers)

    def do(self, task: tuple[Candidate, int], heartbeat: Heartbeat | None) -> Measured:
        """See `Job.do`."""
        candidate, index = task
        scenario, uncertainty, managers = self.loaded()
        draw = uncertainty.draw(self.seed, index)
        own = {
            name: {**draw.parameters.get(name, {}), **candidate.parameters()} for name in managers
        }
        drawn = replace(draw, parameters={**draw.parameters, **own})
        scenario = drawn.of(scenario)
        ports = local_ports(scenario, heartbeat, one_process=True)
        options = drawn.options(RunOptions(duration=self.duration))
        conductor = Conductor(scenario, ports, (), options)
        try:
            start = conductor.prepare()
            looked = _Places(start.layout)
            first = looked.of(start.snapshot)
            conductor.at_barriers(looked.look)
            begun = time.process_time()
            summary = conductor.run()
            spent = time.process_time() - begun
        except HetwinError as error:
            return Measured(0.0, 0.0, 0, str(error))
        if summary.error is not None:
            return Measured(0.0, 0.0, 0, failure_row_words(summary.error))
        moved = int((np.linalg.norm(looked.last - first, axis=1) > MOVED).sum())
        return Measured(spent, summary.simulated_time, moved)

    def folder(self, task: tuple[Candidate, int]) -> Path:
        """See `Job.folder`; no files are left there."""
        return Path(tempfile.gettempdir())

    def elsewhere(self, out: Path) -> Managing:
        """See `Job.elsewhere`."""
        return replace(self)

    def overdue(self, heartbeat: Heartbeat) -> str | None:
        """See `Job.overdue`."""
        return overdue(self.loaded().scenario, heartbeat)


class _Places:
    """Where the objects were last."""

    def __init__(self, layout: Layout) -> None:
        slots = [
            layout.range_of(entity.name, POSE.name).start
            for entity in layout.of_kind(EntityKind.OBJECT)
        ]
        self._at = np.array(slots, np.intp)[:, None] + np.arange(3)
        self.last: Floats = np.zeros(self._at.shape)

    def of(self, scene: Snapshot) -> Floats:
        """Return (n, 3) positions [m]."""
        found: Floats = scene.values[self._at]
        return found

    def look(self, between: BetweenSteps) -> None:
        """Remember where they are."""
        self.last = self.of(between.scene)


_LOADED: dict[str, Loaded] = {}
"""By job, in each process that works on it."""
