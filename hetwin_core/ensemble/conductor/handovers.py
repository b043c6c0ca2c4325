"""What triggers and models ask for: responsibilities, commands, the end of the run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from hetwin_core.ensemble.conductor.digest import Digest
from hetwin_core.ensemble.conductor.handover import FellToMain, HandoverDesk
from hetwin_core.ensemble.conductor.listener import Handover
from hetwin_core.ensemble.conductor.listener_group import Listeners
from hetwin_core.ensemble.errors import Refused, RunFailed
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.model import Request, RequestKind
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.scene.scene import Scene
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.transport.port import ModelPort


class Moves:
    """Carries out effects of triggers (see `triggers.effects.Effects`) and requests of models.

    A refusal is noted and counted, and the run goes on.

    Args:
        scenario: names and order of the models.
        scene: values and the table of responsibilities.
        ports: the models, by index.
        digest: gets every handover.
        listeners: are told of handovers and refusals.
    """

    def __init__(
        self,
        scenario: Scenario,
        scene: Scene,
        ports: Sequence[ModelPort],
        digest: Digest,
        listeners: Listeners,
    ) -> None:
        self._scenario = scenario
        self._scene = scene
        self._ports = ports
        self._main = scenario.main.index
        self._desk = HandoverDesk(scene, ports, self._main)
        self._digest = digest
        self._listeners = listeners
        self._on_failure: Callable[[RunFailed], None] = _raise
        self.handovers: list[Handover] = []
        self.given_up: dict[int, str] = {}
        """Models that have failed: why nothing is handed to them."""
        self.refused = 0
        self.stopped_by: str | None = None

    def hand_over(self, entity: str, attribute: str, to: str, cause: str) -> None:
        """Effect of a trigger."""
        plan = self._scenario.plan(to)
        if plan is None:
            names = ", ".join(self._scene.table.models)
            raise self._failed(
                cause, "hand_over", f"there is no model {to!r}; expected one of {names}"
            )
        if not self._scene.layout.has(entity, attribute):
            raise self._failed(cause, "hand_over", f"the scene has no {entity}.{attribute}")
        self.move(self._scene.layout.slot_id(entity, attribute), plan.index, cause)

    def command(self, model: str, name: str, arguments: Mapping[str, Json], cause: str) -> None:
        """Effect of a trigger."""
        plan = self._scenario.plan(model)
        if plan is None:
            raise self._failed(cause, "command", f"there is no model {model!r}")
        try:
            if plan.index in self.given_up:
                raise Refused(self.given_up[plan.index])
            self._ports[plan.index].command(name, arguments)
        except Refused as refusal:
            self._refusal(cause, f"{model} refused the command {name}: {refusal}")
        except RunFailed as failure:
            self._on_failure(failure)

    def place(self, slot: int, data: Floats) -> None:
        """Somebody outside puts an attribute to another value; its owner goes on from there.

        Raises:
            Refused: if the owner does not let it be changed.
            RunFailed: if the owner fails.
        """
        if self._scene.table.owner(slot) in self.given_up:
            raise Refused(self.given_up[self._scene.table.owner(slot)])
        self._desk.place(slot, data)

    def stop(self, reason: str) -> None:
        """Effect of a trigger."""
        self.stopped_by = reason
        self._listeners.note(self._scene.time_ns, "info", "conductor", f"stopped: {reason}")

    def requests(self, port: ModelPort, requests: Iterable[Request]) -> None:
        """What a model asks for with its answer.

        Raises:
            RunFailed: if the scene has no such attribute, or a handover fails.
        """
        for request in requests:
            self._request(port, request)

    def _request(self, port: ModelPort, request: Request) -> None:
        name, what = port.plan.name, f"{request.entity}.{request.attribute}"
        if not self._scene.layout.has(request.entity, request.attribute):
            reason = f"asks for {what}, which the scene does not have"
            raise RunFailed(name, "request", self._scene.time_ns, reason)
        slot = self._scene.layout.slot_id(request.entity, request.attribute)
        if request.kind is RequestKind.TAKE:
            self.move(slot, port.plan.index, f"request of {name}")
        elif self._scene.table.owner(slot) == port.plan.index:
            self.move(slot, self._main, f"request of {name}")
        else:
            self._refusal(name, f"gives back {what} without having it")

    def move(self, slot: int, to: int, cause: str) -> None:
        """Move one responsibility to the model with this index.

        If one of the two models fails, and the run goes on, the move is tried again with what is left.

        Raises:
            RunFailed: if a model fails and the run is not to go on.
        """
        try:
            if to in self.given_up:
                raise Refused(self.given_up[to])
            handover = self._desk.move(slot, to, cause)
        except FellToMain as fall:
            self._refusal(cause, str(fall))
            self._record(fall.handover)
            if fall.failure is not None:
                self._on_failure(fall.failure)
        except Refused as refusal:
            self._refusal(cause, str(refusal))
        except RunFailed as failure:
            self._on_failure(failure)
            self.move(slot, to, cause)
        else:
            if handover is not None:
                self._record(handover)

    def take_from(self, model: int, cause: str) -> list[int]:
        """Give all that a failed model is responsible for to the main model; the slots.

        Raises:
            RunFailed: if the main model fails, or does not take what it brought into the scene.
        """
        name = self._scene.table.models[model]
        self.given_up[model] = f"{name} was given up at {self._scene.time_ns / 1e9:.6f} s"
        held = [slot for slot, owner in enumerate(self._scene.table.owners) if owner == model]
        for slot in held:
            self._record(self._desk.take_from_failed(slot, cause))
        return held

    def readmit(self, model: int) -> None:
        """A model that had failed works again."""
        del self.given_up[model]

    def give_back(self, slot: int, to: int, cause: str) -> None:
        """Give a restarted model what it had before."""
        if slot in self._scene.of_main:
            self.move(slot, to, cause)
        else:
            self._record(self._desk.give_to_restarted(slot, to, cause))

    def when_a_model_fails(self, handle: Callable[[RunFailed], None]) -> None:
        """What to do then; it raises the failure if the run is not to go on."""
        self._on_failure = handle

    def _record(self, handover: Handover) -> None:
        self.handovers.append(handover)
        self._digest.handover(handover)
        self._listeners.handover(handover)

    def _refusal(self, source: str, text: str) -> None:
        self.refused += 1
        self._listeners.note(self._scene.time_ns, "warning", source, text)

    def _failed(self, cause: str, call: str, reason: str) -> RunFailed:
        return RunFailed(f"trigger {cause}", call, self._scene.time_ns, reason)


def _raise(failure: RunFailed) -> None:
    raise failure
