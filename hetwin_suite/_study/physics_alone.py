"""Futures of the physics alone, while no other model owns anything.

One future, in which nothing is drawn, goes on as the whole ensemble, and yields the forces that drive the robots. The
others follow from these forces and their draws, which MuJoCo computes in one call; the models look at the
states that come of it, seldom first and as often as they do in any run at the end.
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
from hetwin_suite._study.copied import Way
from hetwin_suite._study.draw import Draw
from hetwin_suite._study.run_result import RunResult, failed
from model_nodes.main_physics.block import COLLISION
from model_nodes.main_physics.model import MainPhysics

WHERE = "--physics-only"
SELDOM_S = 0.1
"""How often models look before the end; those whose steps do not fall on these looks, more seldom [s]."""
END_S = 0.05
"""For so long at the end they look as often as in any run [s]."""
SAME_M = 0.001
"""By more than this no thing may end elsewhere than in the whole ensemble [m]."""
_FELT = (POSE.name, COLLISION.name, EXTERNAL_WRENCH.name, FIDELITY.name)
"""Attributes that the physics takes from other models."""


@dataclass(frozen=True)
class _Nominal:
    """The future in which nothing is drawn.

    Attributes:
        end: its last step of the main model.
        forces: (n, k) that drive the robots in it.
        places: (m, 3) where the bodies are at its end [m].
        taken: attributes that models have taken in it, in words.
    """

    end: int
    forces: Floats
    places: Floats
    taken: tuple[str, ...]


One: TypeAlias = Callable[[Way[object]], object]
"""Lets one copy of the run go on in a way, with nothing drawn, and returns its result."""


class PhysicsAlone:
    """Lets copies of a run go on by physics alone.

    Args:
        scenario: of the run.
        ports: its models.

    Raises:
        BadInput: if the main model is another one than the physics.
    """

    def __init__(self, scenario: Scenario, ports: Sequence[ModelPort]) -> None:
        self._scenario, self._physics = scenario, _physics_of(scenario, ports)

    def way(self, run: BetweenSteps, one: One) -> Way[RunResult]:
        """Return how copies go on from a moment.

        Args:
            run: at the moment.
            one: lets one copy go on.

        Raises:
            BadInput: if physics alone does not decide the future; the model that takes part is named.
        """
        scene = run.scene
        self._check_owners(scene)
        nominal = one(_Recording(self._physics, self._scenario.clock, run.time_ns))
        if isinstance(nominal, RunResult):
            raise self._not_alone(nominal.error or "")
        assert isinstance(nominal, _Nominal)
        if nominal.taken:
            raise self._not_alone(nominal.taken[0])
        every = [
            plan.every for plan in self._scenario.models if not (plan.main or plan.in_conductor)
        ]
        following = looks(nominal.end, every, self._scenario.file.rate)
        alone = _Alone(self._physics, nominal.forces, following, run.time_ns)
        places = one(_Checked(alone))
        if isinstance(places, RunResult):
            raise self._not_alone(places.error or "")
        assert isinstance(places, np.ndarray)
        self._check_places(scene.layout, places, nominal.places)
        return alone

    def _check_owners(self, scene: Snapshot) -> None:
        main = self._scenario.main.name
        for slot in scene.layout.slots:
            name = slot.attribute.name
            if name in _FELT and (model := scene.owner(slot.entity, name)) != main:
                raise self._not_alone(f"{model} owns {slot.entity}.{name}")

    def _check_places(self, layout: Layout, alone: Floats, whole: Floats) -> None:
        """See that with nothing drawn all bodies end where they end in the whole ensemble."""
        off = np.linalg.norm(alone - whole, axis=1)
        worst = int(np.argmax(off))
        if off[worst] > SAME_M:
            entity, far = _bodies(layout)[worst], f"{off[worst] * 1000:.0f} mm"
            raise self._not_alone(
                f"by physics alone {entity} ends {far} off what the ensemble says"
            )

    def _not_alone(self, found: str) -> BadInput:
        return BadInput(
            "physics alone does not decide what comes",
            file=self._scenario.path,
            where=WHERE,
            found=found,
            expected="a moment and a horizon in which no other model owns anything, or no --physics-only",
        )


class _Recording:
    """The whole ensemble, with the forces that drive the robots."""

    def __init__(self, physics: MainPhysics, clock: MainClock, begin_ns: int) -> None:
        self._physics, self._clock, self._begin_ns = physics, clock, begin_ns

    def begin(self, run: BetweenSteps) -> None:
        self._forces = self._physics.record_forces()

    def end(self, future: RunResult, summary: RunSummary, scene: Snapshot) -> _Nominal | RunResult:
        if future.error is not None:
            return future
        taken = _taken(summary, self._begin_ns)
        return _Nominal(
            self._clock.step_from(scene.time_ns), np.array(self._forces), _places(scene), taken
        )


class _Alone:
    """Physics alone, with looks of the models."""

    def __init__(
        self, physics: MainPhysics, forces: Floats, following: Callable[[int], int], begin_ns: int
    ) -> None:
        self._physics, self._forces = physics, forces
        self._following, self._begin_ns = following, begin_ns

    def begin(self, run: BetweenSteps) -> None:
        with suppress(
            Refused
        ):  # the draw may need more than the physics, such as a way out of an overlap
            self.compute(run)

    def compute(self, run: BetweenSteps) -> None:
        self._physics.roll_out(self._forces)
        run.leap(self._following)

    def end(self, future: RunResult, summary: RunSummary, scene: Snapshot) -> RunResult:
        taken = _taken(summary, self._begin_ns)
        if future.error is not None or not taken:
            return future
        draw = Draw(future.index, 0, future.inputs)
        return failed(draw, f"{taken[0]}; what comes of it is not left to physics alone")


class _Checked:
    """The same, with the final poses of bodies."""

    def __init__(self, alone: _Alone) -> None:
        self._alone = alone

    def begin(self, run: BetweenSteps) -> None:
        self._alone.compute(run)

    def end(self, future: RunResult, summary: RunSummary, scene: Snapshot) -> Floats | RunResult:
        future = self._alone.end(future, summary, scene)
        return _places(scene) if future.error is None else future


def looks(end: int, every: Sequence[int], rate: float) -> Callable[[int], int]:
    """Return a function of which models look after which step of the main model.

    Args:
        end: the last one.
        every: how many steps of the main model each other model's takes.
        rate: of the main model.
    """
    if not every:
        return lambda _: end
    most = min(every)
    seldom = most * max(1, round(SELDOM_S * rate / most))
    last = end - round(END_S * rate)

    def following(step: int) -> int:
        late = max(step + 1, last)
        return min((step // seldom + 1) * seldom, *(-(-late // one) * one for one in every), end)

    return following


def _physics_of(scenario: Scenario, ports: Sequence[ModelPort]) -> MainPhysics:
    for port in ports:
        if port.plan.main and isinstance(port, LocalPort) and isinstance(port.model, MainPhysics):
            return port.model
    raise BadInput(
        "the main model cannot go on by physics alone",
        file=scenario.path,
        where=WHERE,
        found=scenario.main.name,
        expected="main_physics as the main model",
    )


def _taken(summary: RunSummary, since_ns: int) -> tuple[str, ...]:
    """Return the attributes that models took in a run after a time, in words."""
    return tuple(
        f"{row['to']} takes {row['entity']}.{row['attribute']} at {row['time']:.2f} s"
        for row in summary.handovers
        if isinstance(row["time"], float) and round(row["time"] * 1e9) > since_ns
    )


def _places(scene: Snapshot) -> Floats:
    """Return (m, 3) where the bodies of a scene are [m]."""
    return np.array([scene.pose(name)[:3] for name in _bodies(scene.layout)]).reshape(-1, 3)


def _bodies(layout: Layout) -> list[str]:
    return [slot.entity for slot in layout.slots if slot.attribute.name == POSE.name]
