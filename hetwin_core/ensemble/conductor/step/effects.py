"""Requests of triggers, models and users to a run: handovers, commands, new values, its end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from hetwin_core.ensemble.conductor.controls import BY_HAND, MembershipRequest
from hetwin_core.ensemble.conductor.failures import FailureHandler
from hetwin_core.ensemble.conductor.handovers import FellBackToMain, Handovers
from hetwin_core.ensemble.conductor.reporting.listener import ListenerGroup
from hetwin_core.ensemble.errors import Refused, RunFailed
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.model import Request, RequestKind
from hetwin_core.ensemble.saving.rebuild import Restorable
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.scene import Scene
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.transport.port import ModelPort


def slot_of(layout: Layout, entity: str, attribute: str, size: int | None = None) -> int:
    """Index of an attribute of the scene.

    Args:
        layout: layout of the scene.
        entity: the entity with the attribute.
        attribute: name of the attribute.
        size: required number of values; None: any.

    Raises:
        Refused: if the scene has no such attribute of this size.
    """
    slot = layout.find(entity, attribute)
    if slot is None or size not in (None, layout.slots[slot].attribute.size):
        of_size = "" if size is None else f" of {size} numbers"
        raise Refused(f"the scene has no {entity}.{attribute}{of_size}")
    return slot


class EffectRunner(Restorable):
    """Carries out effects of triggers (see `triggers.runner.Effects`), requests of models, and placements.

    A refusal is noted and counted, and the run continues. A model that fails is passed to the failure handler.

    Args:
        scenario: names and order of the models.
        scene: values and the table of responsibilities.
        ports: the models, by index.
        handovers: moves responsibilities.
        failures: handles a model that fails.
        listeners: receive a note when a trigger ends the run.
        add_request: adds a request, which is carried out at this barrier.

    Attributes:
        stopped_by: reason for which a trigger has ended the run; None if none has.
    """

    saved_fields = ("stopped_by",)

    def __init__(
        self,
        scenario: Scenario,
        scene: Scene,
        ports: Sequence[ModelPort],
        handovers: Handovers,
        failures: FailureHandler,
        listeners: ListenerGroup,
        add_request: Callable[[MembershipRequest], None],
    ) -> None:
        self._scenario = scenario
        self._scene = scene
        self._ports = ports
        self._handovers = handovers
        self._failures = failures
        self._listeners = listeners
        self._add_request = add_request
        self.stopped_by: str | None = None

    def hand_over(self, entity: str, attribute: str, to: str, cause: str) -> None:
        """Hand an attribute over, as a trigger's effect.

        Raises:
            RunFailed: if there is no such model or attribute, or a model fails and its failure stops the run.
        """
        plan = self._scenario.plan(to)
        if plan is None:
            names = ", ".join(self._scene.table.models)
            reason = f"there is no model {to!r}; expected one of {names}"
            raise self._failed(cause, "hand_over", reason)
        slot = self._scene.layout.find(entity, attribute)
        if slot is None:
            raise self._failed(cause, "hand_over", f"the scene has no {entity}.{attribute}")
        self.move(slot, plan.index, cause)

    def command(self, model: str, name: str, arguments: Mapping[str, Json], cause: str) -> None:
        """Send a command to a model, as a trigger's effect.

        Raises:
            RunFailed: if there is no such model, or it fails and its failure stops the run.
        """
        plan = self._scenario.plan(model)
        if plan is None:
            raise self._failed(cause, "command", f"there is no model {model!r}")
        try:
            self._handovers.check_in_service(plan.index)
            self._ports[plan.index].command(name, arguments)
        except Refused as refusal:
            self._handovers.record_refusal(cause, f"{model} refused the command {name}: {refusal}")
        except RunFailed as failure:
            self._failures.handle(failure)

    def stop(self, reason: str) -> None:
        """End the run, as a trigger's effect."""
        self.stopped_by = reason
        self._listeners.note(self._scene.time_ns, "info", "conductor", f"stopped: {reason}")

    def place(self, slot: int, data: Floats) -> None:
        """Set an attribute to a user's value, from which its owner continues.

        Raises:
            Refused: if the owner does not accept it.
            RunFailed: if the owner fails.
        """
        self._handovers.place(slot, data)

    def hand_over_for_user(self, slot: int, to: int) -> None:
        """Hand an attribute over at a user's request.

        Raises:
            Refused: if the handover is refused, which is noted and counted too.
            RunFailed: if a model fails and its failure stops the run.
        """
        refusal = self.move(slot, to, BY_HAND)
        if refusal is not None:
            raise Refused(refusal)

    def carry_out_requests(self, port: ModelPort, carry_out_requests: Iterable[Request]) -> None:
        """Carry out a model's requests to take or give back responsibilities, sent with the output of a step.

        Raises:
            RunFailed: if the scene has no such attribute, or a model fails and its failure stops the run.
        """
        for request in carry_out_requests:
            self._request(port, request)

    def _request(self, port: ModelPort, request: Request) -> None:
        name, attribute = port.plan.name, f"{request.entity}.{request.attribute}"
        if request.kind is RequestKind.LEAVE:
            self._add_request(
                MembershipRequest(port.plan.index, False, partial(self._refuse_leave, name))
            )
            return
        if not self._scene.layout.has(request.entity, request.attribute):
            reason = f"requests {attribute}, which the scene does not have"
            raise RunFailed(name, "request", self._scene.time_ns, reason)
        slot = self._scene.layout.slot_id(request.entity, request.attribute)
        if request.kind is RequestKind.TAKE:
            self.move(slot, port.plan.index, f"request of {name}")
        elif self._scene.table.owner(slot) == port.plan.index:
            self.move(slot, self._scenario.main.index, f"request of {name}")
        else:
            self._handovers.record_refusal(
                name, f"gives back {attribute}, which it is not responsible for"
            )

    def _refuse_leave(self, name: str, refusal: str | None) -> None:
        if refusal is not None:
            self._handovers.record_refusal(name, refusal)

    def move(self, slot: int, to: int, cause: str) -> str | None:
        """Move one responsibility to the model with this index; return the reason for a refusal, None without one.

        If a model fails and the run continues, the move is retried with the models that remain. The retries end,
        because a model that always fails is given up or ends the run.

        Raises:
            RunFailed: if a model fails and its failure stops the run.
        """
        while True:
            try:
                return self._handovers.move(slot, to, cause)
            except FellBackToMain as fallback:
                if fallback.failure is not None:
                    self._failures.handle(fallback.failure)
                return str(fallback)
            except RunFailed as failure:
                self._failures.handle(failure)

    def _failed(self, cause: str, call: str, reason: str) -> RunFailed:
        return RunFailed(f"trigger {cause}", call, self._scene.time_ns, reason)
