"""Selects the models that step with each step of the main model, and measures the lag behind a live robot."""

from __future__ import annotations

import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.model import Stepping
from hetwin_core.ensemble.saving.rebuild import Restorable
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.scene import Scene
from hetwin_core.ensemble.scene.values import FIDELITY, Fidelity
from hetwin_core.ensemble.transport.port import ModelPort

MAX_STRETCH = 8
STEPS_TO_CHANGE = 50
"""Minimum number of main steps between two changes of the rates."""


class Scheduler(Restorable):
    """Selects the models to step, by their rates, the main model's lag, fidelities, and failures.

    While the main model is late, models coupled after it step up to `MAX_STRETCH` times less often. A model whose
    entity of the same name has a low ``fidelity`` does not step (Tallavajhula et al. 2019, section 4.3: scripts).
    Models coupled beside the main model keep their steps in both cases, because these begin before either is known.

    Args:
        ports: all models, in the scenario's order.
        layout: layout of the scene.

    Attributes:
        asynchronous: the models that step on the clock or at their own pace.
        interrupted: indices of the models that have lost a step by a failure.
        stretch: factor by which models step less often than by their rates.
        missed: name of a model -> steps that it skipped because the main model was late.
        any_beside: whether any model may be coupled beside the main one.
        stride: greatest common divisor of the periods, in main steps, of the service-stepped models.
    """

    saved_fields = ("interrupted", "_last_ns", "_changed", "stretch", "missed")

    def __init__(self, ports: Sequence[ModelPort], layout: Layout) -> None:
        others = [p for p in ports if not p.plan.main and p.plan.seat is None]
        self._synchronous = [p for p in others if p.plan.stepping is Stepping.SERVICE]
        self._beside = [p for p in self._synchronous if p.plan.beside]
        self.any_beside = bool(self._beside)
        self.asynchronous = [p for p in others if p.plan.stepping is not Stepping.SERVICE]
        self.stride, self._periods = _periods(self._synchronous)
        self._layout = layout
        self._fidelity_offsets = _fidelity_offsets(self._synchronous, layout)
        self.interrupted: set[int] = set()
        self._last_ns = {port.plan.index: 0 for port in self._synchronous}
        self._changed = -STEPS_TO_CHANGE
        self.stretch = 1
        self.missed: Counter[str] = Counter()

    def starting_beside(self, step: int) -> list[ModelPort]:
        """Models coupled beside the main model whose period begins with this main step.

        A period has `ModelPlan.every` main steps; the model's output is due with the last of them.
        """
        starting = [p for p in self._beside if (step - 1) % p.plan.every == 0]
        if self.interrupted:
            self.interrupted.difference_update(p.plan.index for p in starting)
        return starting

    def due(self, step: int, scene: Scene) -> list[ModelPort]:
        """Models whose output is due with this main step, whether they step after the main model or beside it."""
        due = [port for port in self._synchronous if step % port.plan.every == 0]
        if self.stretch > 1:
            due = self._at_stretched_rates(due, step)
        if self._fidelity_offsets:
            due = self._with_high_fidelity(due, scene)
        return due

    def _at_stretched_rates(self, due: Sequence[ModelPort], step: int) -> list[ModelPort]:
        chosen = [p for p in due if p.plan.beside or step % (p.plan.every * self.stretch) == 0]
        self.missed.update(port.plan.name for port in due if port not in chosen)
        return chosen

    def _with_high_fidelity(self, due: Sequence[ModelPort], scene: Scene) -> list[ModelPort]:
        offsets, values = self._fidelity_offsets, scene.snapshot().values
        return [
            port
            for port in due
            if (offset := offsets.get(port.plan.index)) is None
            or Fidelity.of(values[offset]) is not Fidelity.LOW
        ]

    def still_due(self, due: Sequence[ModelPort]) -> Sequence[ModelPort]:
        """The models among `due` that have not lost their step by a failure since."""
        return [port for port in due if port.plan.index not in self.interrupted]

    @property
    def needs_every_step(self) -> bool:
        """Whether a model that steps by the clock, freely or beside the main one must be notified of every step."""
        return bool(self.asynchronous) or self.any_beside

    def next_due(self, step: int) -> int:
        """The first main step, at or after this one, at which the output of a service-stepped model is due."""
        earliest = sys.maxsize
        for every in self._periods:
            if (due := -(-step // every) * every) < earliest:
                earliest = due
        return earliest

    def period_ns(self, port: ModelPort, time_ns: int) -> int:
        """Time since this model's last step [ns]; records that it steps to this time."""
        since = time_ns - self._last_ns[port.plan.index]
        self._last_ns[port.plan.index] = time_ns
        return since

    def adapt(self, step: int, late: bool) -> bool:
        """Double the stretch while the main model is late, halve it otherwise; return whether it changed."""
        stretch = min(2 * self.stretch, MAX_STRETCH) if late else max(self.stretch // 2, 1)
        if stretch == self.stretch or step - self._changed < STEPS_TO_CHANGE:
            return False
        self._changed = step
        self.stretch = stretch
        return True

    def remove(self, model: int) -> None:
        """Never step this model again."""
        self._synchronous = [p for p in self._synchronous if p.plan.index != model]
        self._beside = [p for p in self._beside if p.plan.index != model]
        self.stride, self._periods = _periods(self._synchronous)
        self.asynchronous = [p for p in self.asynchronous if p.plan.index != model]
        self.interrupted.add(model)

    def admit(self, port: ModelPort, time_ns: int) -> None:
        """Step a model from this time on [ns]; a model beside the main one from its next period on."""
        plan = port.plan
        self._last_ns[plan.index] = time_ns
        self.interrupted.discard(plan.index)
        if plan.stepping is not Stepping.SERVICE:
            self.asynchronous = _sorted([*self.asynchronous, port])
            return
        self._synchronous = _sorted([*self._synchronous, port])
        self._beside = [p for p in self._synchronous if p.plan.beside]
        self.any_beside = self.any_beside or plan.beside
        self.stride, self._periods = _periods(self._synchronous)
        self._fidelity_offsets = _fidelity_offsets(self._synchronous, self._layout)
        self.mark_restarted(plan.index)

    def mark_restarted(self, model: int) -> None:
        """Record that a new instance replaces this model; a step that was begun beside the main model is lost."""
        if any(port.plan.index == model for port in self._beside):
            self.interrupted.add(model)


def _sorted(ports: Sequence[ModelPort]) -> list[ModelPort]:
    return sorted(ports, key=lambda port: port.plan.index)


def _periods(ports: Sequence[ModelPort]) -> tuple[int, list[int]]:
    """The greatest common divisor of the models' periods, and all different periods, in main steps."""
    periods = sorted({port.plan.every for port in ports})
    return math.gcd(*periods) or sys.maxsize, periods


def _fidelity_offsets(ports: Sequence[ModelPort], layout: Layout) -> Mapping[int, int]:
    """Index of a model -> offset of the fidelity that switches it, for those that have one."""
    return {
        port.plan.index: layout.range_of(port.plan.name, FIDELITY.name).start
        for port in ports
        if layout.has(port.plan.name, FIDELITY.name) and not port.plan.beside
    }


MAX_SAMPLES = 200_000


class LagControl:
    """Measures the age of the newest joint sample in each published state; lowers the models' rates if it is high.

    Args:
        scheduler: adapts the rates.
        warn: called with (source, text) when the rates change.

    Attributes:
        is_live: whether any published state came from a live robot.
        newest_s: age in the newest state [s]; None if it came from no live robot.
    """

    def __init__(self, scheduler: Scheduler, warn: Callable[[str, str], None]) -> None:
        self._scheduler = scheduler
        self._warn = warn
        self._lags: list[int] = []
        self.is_live = False
        self.newest_s: float | None = None

    def published(self, step: int, input_ns: int, *, late: bool) -> None:
        """Record that the state after a step is published now.

        Args:
            step: number of the main model's step.
            input_ns: when the newest joint sample in it was measured, in the system time of this machine [ns].
            late: whether the twin is too far behind.
        """
        self.is_live = True
        lag = time.time_ns() - input_ns
        self.newest_s = lag / 1e9
        if len(self._lags) < MAX_SAMPLES:
            self._lags.append(lag)
        if self._scheduler.adapt(step, late):
            stretch = self._scheduler.stretch
            text = "models step at their rates again"
            if stretch > 1:
                text = f"the twin is late: models step {stretch} times less often"
            self._warn("conductor", text)

    def summary(self) -> Mapping[str, Json]:
        """Number of states, and median, 95th percentile and maximum of the lag in ms; empty without a live robot."""
        if not self._lags:
            return {}
        lags = np.array(self._lags, np.float64) / 1e6
        median, high = np.percentile(lags, (50, 95)).tolist()
        return {
            "states": len(lags),
            "lag_median_ms": round(median, 3),
            "lag_p95_ms": round(high, 3),
            "lag_max_ms": round(float(lags.max()), 3),
        }
