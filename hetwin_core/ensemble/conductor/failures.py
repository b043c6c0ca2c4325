"""What becomes of a run in which a model fails: it stops, goes on without the model, or starts it anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from hetwin_core.ensemble.conductor.handovers import Moves
from hetwin_core.ensemble.conductor.listener_group import Listeners
from hetwin_core.ensemble.conductor.summary import error_row
from hetwin_core.ensemble.errors import BadInput, HetwinError, RunFailed
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scenario.scenario import ModelPlan, Scenario
from hetwin_core.ensemble.scenario.schema import OnFailure
from hetwin_core.ensemble.scene.scene import Scene
from hetwin_core.ensemble.transport.port import ModelPort

MAX_RESTARTS = 3


class FailureDesk:
    """Carries out `on_failure` of the models.

    Args:
        scenario: what to do with which model.
        scene: values and responsibilities.
        ports: the models, by index.
        moves: moves the responsibilities of a model that failed.
        listeners: are told.
        parameters: what each model was initialized with, by index.
        seed: of the run.
    """

    def __init__(
        self,
        scenario: Scenario,
        scene: Scene,
        ports: Sequence[ModelPort],
        moves: Moves,
        listeners: Listeners,
        parameters: Mapping[int, Mapping[str, Any]],
        seed: int,
    ) -> None:
        self._scenario = scenario
        self._scene = scene
        self._ports = ports
        self._moves = moves
        self._listeners = listeners
        self._parameters = parameters
        self._seed = seed
        self._restarts: Counter[int] = Counter()
        self.rows: list[dict[str, Json]] = []
        """The failures that the run outlived."""

    def ends_the_run(self, failure: RunFailed) -> bool:
        """Whether it is not a model's, or the scenario says so."""
        plan = self._scenario.plan(failure.model)
        return plan is None or plan.on_failure is OnFailure.STOP

    def handle(self, failure: RunFailed) -> None:
        """Do what the scenario says.

        Raises:
            RunFailed: the failure itself, if the run is to stop; another one, if what the scenario says fails.
        """
        plan = self._scenario.plan(failure.model)
        if plan is None or plan.on_failure is OnFailure.STOP:
            raise failure
        if plan.index in self._moves.given_up:
            return
        self._listeners.note(self._scene.time_ns, "error", plan.name, failure.without_model)
        held = self._moves.take_from(plan.index, f"failure of {plan.name}")
        port = self._ports[plan.index]
        port.give_up()
        if plan.on_failure is OnFailure.HAND_BACK:
            then = "handed back"
            told = f"it is given up; {self._scenario.main.name} has what it was responsible for"
        else:
            self._restart(plan, port, held, failure)
            then = f"restarted ({self._restarts[plan.index]} of {MAX_RESTARTS})"
            told = then
        self._listeners.note(self._scene.time_ns, "warning", plan.name, told)
        self.rows.append({**(error_row(failure) or {}), "then": then})

    def too_late(self, failure: RunFailed) -> None:
        """A model has failed when the run was over."""
        with suppress(RunFailed):  # the log may have failed before
            self._listeners.note(self._scene.time_ns, "error", failure.model, failure.without_model)
        self.rows.append({**(error_row(failure) or {}), "then": "the run was over"})

    def _restart(
        self, plan: ModelPlan, port: ModelPort, held: Sequence[int], failure: RunFailed
    ) -> None:
        self._restarts[plan.index] += 1
        if self._restarts[plan.index] > MAX_RESTARTS:
            reason = f"{failure.reason}; it was restarted {MAX_RESTARTS} times before"
            raise RunFailed(plan.name, failure.call, failure.time_ns, reason)
        try:
            port.renew()
            port.register()
            port.parameters()
            port.initialize(self._parameters[plan.index], self._seed + plan.index)
            port.start(self._scene.snapshot())
        except BadInput as error:
            raise self._failed(plan, error) from error
        except RunFailed as error:
            raise self._failed(plan, error) from error
        self._moves.readmit(plan.index)
        for slot in held:
            self._moves.give_back(slot, plan.index, f"restart of {plan.name}")

    def _failed(self, plan: ModelPlan, error: HetwinError) -> RunFailed:
        reason = error.reason if isinstance(error, RunFailed) else str(error)
        call = error.call if isinstance(error, RunFailed) else "initialize"
        return RunFailed(plan.name, call, self._scene.time_ns, f"at its restart: {reason}")
