"""Consequences of a model's failure: the run stops, continues without the model, or restarts it."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

from hetwin_core.ensemble.conductor.handovers import Handovers
from hetwin_core.ensemble.conductor.reporting.listener import ListenerGroup, error_row
from hetwin_core.ensemble.conductor.scheduler import Scheduler
from hetwin_core.ensemble.conductor.start import lifecycle
from hetwin_core.ensemble.conductor.start.lifecycle import PreparedRun
from hetwin_core.ensemble.errors import BadInput, RunFailed
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.saving.rebuild import Restorable
from hetwin_core.ensemble.scenario.model_plan import ModelPlan
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.scenario.schema import OnFailure
from hetwin_core.ensemble.scene.scene import ResponsibilityTable
from hetwin_core.ensemble.transport.port import ModelPort

MAX_RESTARTS = 3


class RestartFailed(RunFailed):
    """A model could not be restarted."""


@dataclass(frozen=True, slots=True)
class HandBack:
    """Give the model up; the main model takes over these slots."""

    plan: ModelPlan
    slots: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Restart:
    """Give the model up and replace it by a new instance, which gets these slots again.

    `attempt` counts the restarts of this model from 1.
    """

    plan: ModelPlan
    slots: tuple[int, ...]
    attempt: int


@dataclass(frozen=True, slots=True)
class Stop:
    """End the run with this error; `give_up_first` is a model to give up before, whose restarts are used up."""

    error: RunFailed
    give_up_first: HandBack | None = None


Decision: TypeAlias = Stop | HandBack | Restart


class FailurePolicy(Restorable):
    """Decides by the models' `on_failure`, and remembers its decisions; does not carry them out.

    Args:
        scenario: the models and their `on_failure`.
        table: the responsibilities at the time of a failure.
    """

    saved_fields = ("_restarts",)

    def __init__(self, scenario: Scenario, table: ResponsibilityTable) -> None:
        self._scenario = scenario
        self._table = table
        self._restarts: Counter[int] = Counter()
        self._handed_back: set[int] = set()

    def is_fatal(self, failure: RunFailed) -> bool:
        """Whether this failure stops the run, regardless of earlier failures of the model."""
        plan = self._scenario.plan(failure.model)
        if plan is None or isinstance(failure, RestartFailed):
            return True
        return plan.on_failure is OnFailure.STOP

    def readmit(self, model: int) -> None:
        """Decide again about a model that has handed everything back."""
        self._handed_back.discard(model)

    def decide(self, failure: RunFailed) -> Decision | None:
        """The decision about a failure; None if its model has handed everything back before."""
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
            return Stop(_restarts_exhausted(failure), HandBack(plan, slots))
        self._restarts[plan.index] += 1
        return Restart(plan, slots, self._restarts[plan.index])


def _restarts_exhausted(failure: RunFailed) -> RunFailed:
    reason = f"{failure.reason}; it was restarted {MAX_RESTARTS} times before"
    return RunFailed(failure.model, failure.call, failure.time_ns, reason)


class FailureHandler(Restorable):
    """The only place where decisions about failed models are carried out.

    A model is given up, or restarted at most `MAX_RESTARTS` times; a failure of the main model ends the run.
    Failures that occur meanwhile are handled next.

    Args:
        scenario: names of the models.
        prepared: the initialized ensemble, whose parameters a restarted model gets again.
        ports: the models, by index.
        policy: decides.
        handovers: moves the responsibilities of a failed model.
        scheduler: steps the models, except those that are given up.
        listeners: receive notes.

    Attributes:
        rows: the failures after which the run continued, as the summary lists them.
    """

    saved_fields = ("rows", "_owed")

    def __init__(
        self,
        scenario: Scenario,
        prepared: PreparedRun,
        ports: Sequence[ModelPort],
        policy: FailurePolicy,
        handovers: Handovers,
        scheduler: Scheduler,
        listeners: ListenerGroup,
    ) -> None:
        self._scenario = scenario
        self._prepared = prepared
        self._ports = ports
        self._policy = policy
        self._handovers = handovers
        self._scheduler = scheduler
        self._listeners = listeners
        self._owed: dict[int, tuple[int, ...]] = {}
        self.rows: list[Mapping[str, Json]] = []

    def is_fatal(self, failure: RunFailed) -> bool:
        """Whether `handle` would raise this failure at once."""
        return self._policy.is_fatal(failure)

    def readmit(self, model: int) -> None:
        """Handle failures again of a model that was given up, because it has joined again."""
        self._policy.readmit(model)

    def handle(self, failure: RunFailed) -> None:
        """Carry out the policy's decision about a failure, and about those that follow from it.

        Raises:
            RunFailed: the error with which the run stops.
        """
        pending = deque([failure])
        while pending:
            failure = pending.popleft()
            decision = self._policy.decide(failure)
            if decision is None:
                continue
            if isinstance(decision, Stop):
                if decision.give_up_first is not None:
                    self._give_up(decision.give_up_first, failure)
                raise decision.error
            try:
                self._continue_run(decision, failure)
            except RunFailed as next_failure:
                pending.append(next_failure)

    def record_stop_failure(self, failure: RunFailed) -> None:
        """Record that a model failed to stop, after the run had ended; ignored for one that was given up."""
        plan = self._scenario.plan(failure.model)
        if plan is not None and self._handovers.is_given_up(plan.index):
            return
        with suppress(RunFailed):  # the log may have failed before
            self._note("error", failure.model, failure.without_model)
        self._record(failure, "the run was over")

    def _continue_run(self, decision: HandBack | Restart, failure: RunFailed) -> None:
        self._give_up(decision, failure)
        if isinstance(decision, Restart):
            self._restart(decision, failure)
            return
        self._scheduler.remove(decision.plan.index)
        main = self._scenario.main.name
        text = f"it is given up; {main} takes over its responsibilities"
        self._note("warning", decision.plan.name, text)
        self._record(failure, "handed back")

    def _give_up(self, decision: HandBack | Restart, failure: RunFailed) -> None:
        plan = decision.plan
        self._note("error", plan.name, failure.without_model)
        self._handovers.take_from_failed(plan.index, decision.slots, f"failure of {plan.name}")
        self._ports[plan.index].give_up()

    def _restart(self, decision: Restart, failure: RunFailed) -> None:
        plan, scene = decision.plan, self._prepared.scene
        try:
            lifecycle.restart(self._ports[plan.index], self._scenario, self._prepared)
        except (BadInput, RunFailed) as error:
            raise _restart_failed(plan, error, scene.time_ns) from error
        self._handovers.readmit(plan.index)
        self._scheduler.mark_restarted(plan.index)
        self._owed[plan.index] = (*decision.slots, *self._owed.get(plan.index, ()))
        try:
            self._give_back(plan)
        finally:
            consequence = f"restarted ({decision.attempt} of {MAX_RESTARTS})"
            self._note("warning", plan.name, consequence)
            self._record(failure, consequence)

    def _give_back(self, plan: ModelPlan) -> None:
        """Give a restarted model its responsibilities back; those that it fails to take wait for its next restart."""
        while self._owed[plan.index]:
            slot, *remaining = self._owed[plan.index]
            self._handovers.give_back(slot, plan.index, f"restart of {plan.name}")
            self._owed[plan.index] = tuple(remaining)

    def _note(self, level: str, source: str, text: str) -> None:
        self._listeners.note(self._prepared.scene.time_ns, level, source, text)

    def _record(self, failure: RunFailed, consequence: str) -> None:
        self.rows.append({**(error_row(failure) or {}), "then": consequence})


def _restart_failed(plan: ModelPlan, error: BadInput | RunFailed, time_ns: int) -> RestartFailed:
    call, reason = "initialize", str(error)
    if isinstance(error, RunFailed):
        call, reason = error.call, error.reason
    return RestartFailed(plan.name, call, time_ns, f"at its restart: {reason}")
