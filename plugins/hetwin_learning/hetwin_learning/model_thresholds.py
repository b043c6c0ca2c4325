"""Learns the parameters of a model that are thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hetwin_learning.derived_scenario import with_parameters
from hetwin_learning.thresholds import Threshold, pareto_front
from hetwin_suite.model import BadInput, learnable_parameters, one_of
from hetwin_suite.runs import BetweenSteps, ModelPlan, Scenario, load_scenario
from hetwin_suite.study import ModelPort, ObservedScenario


class ModelWatch:
    """Records the compared quantities of a model whenever it is due to step."""

    def __init__(self, port: ModelPort, thresholds: Sequence[str], period_ns: int) -> None:
        self._port, self._thresholds, self._period_ns = port, thresholds, period_ns
        self._rows: list[list[float]] = []

    def observe(self, between: BetweenSteps) -> None:
        """See `hetwin_suite.study.Watch.observe`."""
        if between.time_ns == 0 or between.time_ns % self._period_ns:
            return
        quantities = self._port.compares(between.scene)
        if quantities is not None:
            self._rows.append([float(quantities[name]) for name in self._thresholds])

    def observations(self) -> list[list[float]]:
        """See `hetwin_suite.study.Watch.observations`."""
        return [list(row) for row in pareto_front(self._rows, len(self._thresholds)).tolist()]


@dataclass(frozen=True)
class ModelThresholds(ObservedScenario):
    """The thresholds of one model of a scenario."""

    model: str

    def thresholds(self) -> list[Threshold]:
        """Return the thresholds with their current values.

        Raises:
            BadInput: if the scenario has no such model, or the model declares no thresholds.
        """
        loaded = load_scenario(self.path, self.variant)
        plan = self._plan(loaded)
        names = learnable_parameters(plan.cls)
        if not names:
            raise BadInput(
                f"a model of the type {plan.type} has no thresholds to learn",
                where="--model",
                found=self.model,
                expected="a model that declares thresholds, such as a connector",
            )
        values: dict[str, Any] = {request.name: request.default for request in plan.cls.requests()}
        values |= plan.parameters
        return [Threshold(name, float(values[name])) for name in names]

    def scenario(self) -> Scenario:
        """See `ObservedScenario.scenario`."""
        loaded = load_scenario(self.path, self.variant)
        watching = dict(getattr(self._plan(loaded).cls, "watching", {}))
        return loaded.with_keys(self._models(watching))

    def begin(self, scenario: Scenario, ports: Sequence[ModelPort]) -> ModelWatch:
        """See `ObservedScenario.begin`."""
        plan = self._plan(scenario)
        period_ns = plan.every * scenario.clock.period_ns
        return ModelWatch(ports[plan.index], learnable_parameters(plan.cls), period_ns)

    def scenario_keys(self, values: list[float]) -> dict[str, Any]:
        """Return the keys of a scenario with learned values."""
        names = [threshold.name for threshold in self.thresholds()]
        entry = self._models(dict(zip(names, values, strict=True)))["models"][self.model]
        return {"models": {self.model: entry}}

    def expressions(self, values: list[float]) -> list[str]:
        """Return the condition under which the model acts, in CEL."""
        names = [threshold.name for threshold in self.thresholds()]
        return [f"{self.model}.{n} <= {v:g}" for n, v in zip(names, values, strict=True)]

    def _models(self, parameters: dict[str, Any]) -> dict[str, Any]:
        return with_parameters(self.path, self.variant, {self.model: parameters})

    def _plan(self, scenario: Scenario) -> ModelPlan:
        plan = scenario.plan(self.model)
        if plan is None or self.model not in scenario.file.models:
            raise BadInput(
                "the scenario has no such model",
                file=self.path,
                where="--model",
                found=self.model,
                expected=one_of(self.model, list(scenario.file.models)),
            )
        return plan
