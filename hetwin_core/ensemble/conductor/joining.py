"""Models that join and leave a running ensemble: those that the scenario admits."""

from __future__ import annotations

from collections.abc import Sequence

from hetwin_core.ensemble.conductor.failures import FailureHandler
from hetwin_core.ensemble.conductor.handovers import Handovers
from hetwin_core.ensemble.conductor.reporting.listener import ListenerGroup
from hetwin_core.ensemble.conductor.scheduler import Scheduler
from hetwin_core.ensemble.conductor.start import lifecycle
from hetwin_core.ensemble.conductor.start.lifecycle import PreparedRun
from hetwin_core.ensemble.conductor.step.effects import EffectRunner
from hetwin_core.ensemble.conductor.step.incoming import EventQueue
from hetwin_core.ensemble.errors import BadInput, Refused, RunFailed
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scenario.model_plan import ModelPlan
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.transport.port import ModelPort


class MembershipHandler:
    """Takes models into service and out of service at a barrier.

    Args:
        scenario: the models, including those that may join.
        prepared: the initialized ensemble.
        ports: the models, by index.
        handovers: knows which models are in service.
        scheduler: steps them.
        failures: forgets earlier failures of a model that joins again.
        effects: moves responsibilities.
        events: hides events before the join from the model.
        listeners: receive notes.
    """

    def __init__(
        self,
        scenario: Scenario,
        prepared: PreparedRun,
        ports: Sequence[ModelPort],
        handovers: Handovers,
        scheduler: Scheduler,
        failures: FailureHandler,
        effects: EffectRunner,
        events: EventQueue,
        listeners: ListenerGroup,
    ) -> None:
        self._scenario, self._prepared, self._ports = scenario, prepared, ports
        self._handovers, self._scheduler, self._failures = handovers, scheduler, failures
        self._effects, self._events, self._listeners = effects, events, listeners
        self._former_owners: dict[int, int] = {}
        for plan in scenario.models:
            if plan.seat is not None:
                handovers.take_out_of_service(plan.index, f"{plan.name} has not joined")

    def join(self, index: int) -> Event:
        """Start a model, and hand over the attributes that the scenario assigns to it.

        Raises:
            Refused: if it is in service, or cannot join.
            RunFailed: if it fails while it takes an attribute, and its failure stops the run.
        """
        plan, port = self._scenario.models[index], self._ports[index]
        if not self._handovers.is_given_up(index):
            raise Refused(f"{plan.name} has joined already")
        try:
            host, pid = lifecycle.join(port, self._prepared)
        except (BadInput, RunFailed) as error:
            port.give_up()
            self._listeners.note(self._time_ns, "warning", plan.name, f"it did not join: {error}")
            raise Refused(f"{plan.name} did not join: {error}") from None
        self._handovers.readmit(index)
        self._failures.readmit(index)
        self._events.take_unseen(index)
        self._scheduler.admit(port, self._time_ns)
        text = f"joined the run from host {host} (process {pid})"
        self._listeners.note(self._time_ns, "info", plan.name, text)
        for slot in self._prepared.seats[index]:
            owner = self._prepared.scene.table.owner(slot)
            if self._effects.move(slot, index, f"join of {plan.name}") is None and owner != index:
                self._former_owners[slot] = owner
        return self._event("joined", plan)

    def leave(self, index: int) -> Event:
        """Hand each attribute of a model back to its former owner, else to the main model, and end the model.

        Raises:
            Refused: if the model is not in service, or is one of the scenario's own.
            RunFailed: if another model fails meanwhile, and its failure stops the run.
        """
        plan, table = self._scenario.models[index], self._prepared.scene.table
        if plan.seat is None:
            raise Refused(
                f"{plan.name} is a model of the scenario; only one that has joined may leave"
            )
        self._handovers.check_in_service(index)
        main = self._scenario.main.index
        for slot in (slot for slot, owner in enumerate(table.owners.tolist()) if owner == index):
            for to in dict.fromkeys((self._former_owners.pop(slot, main), main)):
                if table.owner(slot) == index and not self._handovers.is_given_up(to):
                    self._effects.move(slot, to, f"leave of {plan.name}")
        if not self._handovers.is_given_up(index):
            kept_slots = [
                slot for slot, owner in enumerate(table.owners.tolist()) if owner == index
            ]
            self._handovers.take_from_failed(index, kept_slots, f"leave of {plan.name}")
            self._scheduler.remove(index)
            self._ports[index].give_up()
        self._handovers.take_out_of_service(
            index, f"{plan.name} left at {self._time_ns / 1e9:.6f} s"
        )
        self._listeners.note(self._time_ns, "info", plan.name, "left the run")
        return self._event("left", plan)

    @property
    def _time_ns(self) -> int:
        return self._prepared.scene.time_ns

    def _event(self, name: str, plan: ModelPlan) -> Event:
        return Event(name, self._time_ns, source=plan.name, arguments={"model": plan.name})
