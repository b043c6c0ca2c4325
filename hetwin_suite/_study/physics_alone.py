"""Futures computed by physics alone, as long as no other model owns anything.

One future without drawn values is computed by the whole ensemble, and yields the forces that drive the robots. The
other futures apply these forces to their draws in a single MuJoCo rollout. The other models step on the resulting
states: at long intervals first, and at their own rate near the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from hetwin_core.ensemble.clock import MainClock
from hetwin_core.ensemble.conductor.between_steps import BetweenSteps
from hetwin_core.ensemble.conductor.reporting.listener import RunSummary
from hetwin_core.ensemble.errors import BadInput, Refused
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import EXTERNAL_WRENCH, FIDELITY, POSE, Floats
from hetwin_core.ensemble.transport.local import LocalPort
from hetwin_core.ensemble.transport.port import ModelPort
from hetwin_suite._study.copied import Continuation
from hetwin_suite._study.draw import Draw
from hetwin_suite._study.run_result import RunResult, failed
from model_nodes.main_physics.block import COLLISION
from model_nodes.main_physics.model import MainPhysics

WHERE = "--physics-only"
COARSE_S = 0.1
"""Interval at which models step before the last `END_S`; longer for models whose steps do not fall on it [s]."""
END_S = 0.05
"""Duration at the end in which models step at their own rate [s]."""
MAX_DIFFERENCE_M = 0.001
"""Maximum distance between a body's final positions by physics alone and by the whole ensemble [m]."""
_INPUTS = (POSE.name, COLLISION.name, EXTERNAL_WRENCH.name, FIDELITY.name)
"""Attributes that the physics takes from other models if they own them."""


@dataclass(frozen=True)
class _Nominal:
    """The future without drawn values.

    Attributes:
        end: its last step, in steps of the main model.
        forces: (n, k) forces that drive the robots, one row per step.
        positions: (m, 3) final positions of the bodies [m].
        handovers: handovers of attributes during the future, in words.
    """

    end: int
    forces: Floats
    positions: Floats
    handovers: tuple[str, ...]


RunCopy: TypeAlias = Callable[[Continuation[object]], object]
"""Continues one fork of the run without drawn values, and returns its report."""


class PhysicsAlone:
    """Continues forks of a run by physics alone.

    Args:
        scenario: scenario of the run.
        ports: models of the run.

    Raises:
        BadInput: if the main model is not `main_physics`.
    """

    def __init__(self, scenario: Scenario, ports: Sequence[ModelPort]) -> None:
        self._scenario, self._physics = scenario, _physics_of(scenario, ports)

    def continuation(self, run: BetweenSteps, run_copy: RunCopy) -> Continuation[RunResult]:
        """Return the continuation of forks from a moment.

        Args:
            run: the run at the moment.
            run_copy: continues one fork.

        Raises:
            BadInput: if another model takes part in the future; the error names the model.
        """
        scene = run.scene
        self._check_owners(scene)
        nominal = run_copy(_Recording(self._physics, self._scenario.clock, run.time_ns))
        if isinstance(nominal, RunResult):
            raise self._not_alone(nominal.error or "")
        assert isinstance(nominal, _Nominal)
        if nominal.handovers:
            raise self._not_alone(nominal.handovers[0])
        every = [
            plan.every for plan in self._scenario.models if not (plan.main or plan.in_conductor)
        ]
        next_step = next_model_step(nominal.end, every, self._scenario.file.rate)
        alone = _PhysicsOnly(self._physics, nominal.forces, next_step, run.time_ns)
        positions = run_copy(_FinalPositions(alone))
        if isinstance(positions, RunResult):
            raise self._not_alone(positions.error or "")
        assert isinstance(positions, np.ndarray)
        self._check_positions(scene.layout, positions, nominal.positions)
        return alone

    def _check_owners(self, scene: Snapshot) -> None:
        main = self._scenario.main.name
        for slot in scene.layout.slots:
            name = slot.attribute.name
            if name in _INPUTS and (model := scene.owner(slot.entity, name)) != main:
                raise self._not_alone(f"{model} owns {slot.entity}.{name}")

    def _check_positions(self, layout: Layout, alone: Floats, whole: Floats) -> None:
        """Check that without drawn values all bodies end at the same positions as in the whole ensemble."""
        distances = np.linalg.norm(alone - whole, axis=1)
        worst = int(np.argmax(distances))
        if distances[worst] > MAX_DIFFERENCE_M:
            entity, distance = _bodies(layout)[worst], f"{distances[worst] * 1000:.0f} mm"
            raise self._not_alone(
                f"by physics alone {entity} ends {distance} away from its position in the whole ensemble"
            )

    def _not_alone(self, found: str) -> BadInput:
        return BadInput(
            "physics alone does not determine the future",
            file=self._scenario.path,
            where=WHERE,
            found=found,
            expected="a moment and a horizon in which no other model owns anything, or no --physics-only",
        )


class _Recording:
    """Continues with the whole ensemble, and records the forces that drive the robots."""

    def __init__(self, physics: MainPhysics, clock: MainClock, begin_ns: int) -> None:
        self._physics, self._clock, self._begin_ns = physics, clock, begin_ns

    def begin(self, run: BetweenSteps) -> None:
        self._forces = self._physics.record_forces()

    def end(self, future: RunResult, summary: RunSummary, scene: Snapshot) -> _Nominal | RunResult:
        if future.error is not None:
            return future
        handovers = _handovers_since(summary, self._begin_ns)
        return _Nominal(
            self._clock.step_from(scene.time_ns),
            np.array(self._forces),
            _positions(scene),
            handovers,
        )


class _PhysicsOnly:
    """Continues by physics alone; the other models step at selected steps."""

    def __init__(
        self, physics: MainPhysics, forces: Floats, next_step: Callable[[int], int], begin_ns: int
    ) -> None:
        self._physics, self._forces = physics, forces
        self._next_step, self._begin_ns = next_step, begin_ns

    def begin(self, run: BetweenSteps) -> None:
        # the draw may need the whole ensemble, for instance to resolve an overlap
        with suppress(Refused):
            self.compute(run)

    def compute(self, run: BetweenSteps) -> None:
        self._physics.roll_out(self._forces)
        run.leap(self._next_step)

    def end(self, future: RunResult, summary: RunSummary, scene: Snapshot) -> RunResult:
        handovers = _handovers_since(summary, self._begin_ns)
        if future.error is not None or not handovers:
            return future
        draw = Draw(future.index, 0, future.inputs)
        return failed(
            draw, f"{handovers[0]}; from then on physics alone does not determine the future"
        )


class _FinalPositions:
    """Continues as `_PhysicsOnly`, and reports the final positions of the bodies."""

    def __init__(self, alone: _PhysicsOnly) -> None:
        self._alone = alone

    def begin(self, run: BetweenSteps) -> None:
        self._alone.compute(run)

    def end(self, future: RunResult, summary: RunSummary, scene: Snapshot) -> Floats | RunResult:
        future = self._alone.end(future, summary, scene)
        return _positions(scene) if future.error is None else future


def next_model_step(end: int, every: Sequence[int], rate: float) -> Callable[[int], int]:
    """Return a function from a step of the main model to the next step after which other models step.

    Args:
        end: last step of the main model.
        every: period of each other model, in steps of the main model.
        rate: rate of the main model [Hz].
    """
    if not every:
        return lambda _: end
    shortest = min(every)
    coarse = shortest * max(1, round(COARSE_S * rate / shortest))
    last = end - round(END_S * rate)

    def next_step(step: int) -> int:
        late = max(step + 1, last)
        return min(
            (step // coarse + 1) * coarse, *(-(-late // period) * period for period in every), end
        )

    return next_step


def _physics_of(scenario: Scenario, ports: Sequence[ModelPort]) -> MainPhysics:
    for port in ports:
        if port.plan.main and isinstance(port, LocalPort) and isinstance(port.model, MainPhysics):
            return port.model
    raise BadInput(
        "this main model cannot compute futures by physics alone",
        file=scenario.path,
        where=WHERE,
        found=scenario.main.name,
        expected="main_physics as the main model",
    )


def _handovers_since(summary: RunSummary, since_ns: int) -> tuple[str, ...]:
    """Describe the handovers of a run after a time."""
    return tuple(
        f"{row['to']} takes {row['entity']}.{row['attribute']} at {row['time']:.2f} s"
        for row in summary.handovers
        if isinstance(row["time"], float) and round(row["time"] * 1e9) > since_ns
    )


def _positions(scene: Snapshot) -> Floats:
    """Return (m, 3) the positions of a scene's bodies in the world frame [m]."""
    return np.array([scene.pose(name)[:3] for name in _bodies(scene.layout)]).reshape(-1, 3)


def _bodies(layout: Layout) -> list[str]:
    return [slot.entity for slot in layout.slots if slot.attribute.name == POSE.name]
