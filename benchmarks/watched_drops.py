"""Looks in one run of a drop at what a trigger compares, and at the actions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hetwin_core.ensemble.conductor.between_steps import BetweenSteps
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.transport.port import ModelPort
from hetwin_learning.action_watch import ActionWatcher
from hetwin_learning.trigger_thresholds import TriggerThresholds
from hetwin_suite._study.judging import ObservedScenario, RunObserver


class Watches:
    """Several watches of one run."""

    def __init__(self, each: Sequence[RunObserver]) -> None:
        self._each = each

    def observe(self, between: BetweenSteps) -> None:
        """See `RunObserver.look`."""
        for one in self._each:
            one.observe(between)

    def observations(self) -> list[Any]:
        """See `RunObserver.seen`: what each has seen."""
        return [one.observations() for one in self._each]


@dataclass(frozen=True)
class Both(ObservedScenario):
    """A trigger that does not act, and all actions."""

    trigger: TriggerThresholds
    actions: ActionWatcher

    def scenario(self) -> Scenario:
        """See `ObservedScenario.scenario`."""
        return self.trigger.scenario()

    def begin(self, scenario: Scenario, ports: Sequence[ModelPort]) -> Watches:
        """See `ObservedScenario.begin`."""
        return Watches([self.trigger.begin(scenario, ports), self.actions.begin(scenario, ports)])
