"""What becomes of a run in which a model fails: it stops, goes on without the model, or restarts it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TypeAlias

from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.saving.fields import Restorable
from hetwin_core.ensemble.scenario.scenario import ModelPlan, Scenario
from hetwin_core.ensemble.scenario.schema import OnFailure
from hetwin_core.ensemble.scene.responsibilities import ResponsibilityTable

MAX_RESTARTS = 3


class RestartFailed(RunFailed):
    """A model that was to be restarted does not come up again."""


@dataclass(frozen=True, slots=True)
class HandBack:
    """Give the model up; the main model gets these slots of it."""

    plan: ModelPlan
    slots: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Restart:
    """Give the model up and put a new instance in its place, which gets these slots again.

    `attempt` counts the restarts of this model from 1.
    """

    plan: ModelPlan
    slots: tuple[int, ...]
    attempt: int


@dataclass(frozen=True, slots=True)
class Stop:
    """End the run with this error, after giving a model up that restarts did not help."""

    error: RunFailed
    first: HandBack | None = None


Decision: TypeAlias = Stop | HandBack | Restart


class FailurePolicy(Restorable):
    """Decides by the models' `on_failure`, and remembers what it has decided; carries nothing out.

    Args:
        scenario: the models and what the scenario says of their failures.
        table: the responsibilities at the time of a failure.
    """

    saved_fields = ("_restarts",)

    def __init__(self, scenario: Scenario, table: ResponsibilityTable) -> None:
        self._scenario = scenario
        self._table = table
        self._restarts: Counter[int] = Counter()
        self._handed_back: set[int] = set()

    def is_fatal(self, failure: RunFailed) -> bool:
        """Whether the run stops with this failure, however often the model has failed before."""
        plan = self._scenario.plan(failure.model)
        if plan is None or isinstance(failure, RestartFailed):
            return True
        return plan.on_failure is OnFailure.STOP

    def decide(self, failure: RunFailed) -> Decision | None:
        """What to do about a failure; None if its model has handed everything back before."""
        plan = self._scenario.plan(failure.model)
        if plan is None or self.is_fatal(failure):
            return Stop(failure)
        if plan.index in self._handed_back:
            return None
        owners = self._table.owners.tolist()
        slots = tuple(slot for slot, owner in enumerate(owners) if owner == plan.index)
        if plan.on_failure is OnFailure.HAND_BACK:
            self._handed_back.add(plan.index)
            return HandBack(plan, slots)
        if self._restarts[plan.index] == MAX_RESTARTS:
            return Stop(_too_often(failure), HandBack(plan, slots))
        self._restarts[plan.index] += 1
        return Restart(plan, slots, self._restarts[plan.index])


def _too_often(failure: RunFailed) -> RunFailed:
    reason = f"{failure.reason}; it was restarted {MAX_RESTARTS} times before"
    return RunFailed(failure.model, failure.call, failure.time_ns, reason)
