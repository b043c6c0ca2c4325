"""What comes from outside of the models: events, and what somebody asks of the run while it goes on."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from queue import Empty

from hetwin_core.ensemble.conductor.controls import BY_HAND, Act, Controls, Move, Placement
from hetwin_core.ensemble.conductor.failures.handler import FailureHandler
from hetwin_core.ensemble.conductor.step.effects import EffectRunner
from hetwin_core.ensemble.conductor.step.event_queue import EventQueue
from hetwin_core.ensemble.errors import Refused, RunFailed
from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.saving.fields import Restorable
from hetwin_core.ensemble.scene.scene import Scene
from hetwin_core.ensemble.transport.port import ModelPort


class OutsideInput(Restorable):
    """Takes in, at the barrier, what other threads have put into the controls.

    While the main model is some steps ahead it cannot be changed: events and handovers wait, and placements are
    refused, as is everything in a pause, in which waiting would never end.

    Args:
        controls: of the run.
        scene: values and layout.
        main: the main model.
        events: ranks events.
        effects: carries out what is asked for.
        failures: handles a model that fails.

    Attributes:
        arrivals: the events that have come in.
        requests: what has been asked for.
        any_events: whether any event has come in, or anything was done by hand, so that the run cannot be repeated.
    """

    saved_fields = ("any_events",)

    def __init__(
        self,
        controls: Controls,
        scene: Scene,
        main: ModelPort,
        events: EventQueue,
        effects: EffectRunner,
        failures: FailureHandler,
    ) -> None:
        self.arrivals = controls.arrivals
        self.requests = controls.requests
        self._pause = controls.pause
        self._scene = scene
        self._main = main
        self._events = events
        self._effects = effects
        self._failures = failures
        self.any_events = False

    def events(self) -> list[tuple[int, Event]]:
        """The events that have arrived, each with its rank.

        Raises:
            RunFailed: if the arguments of one cannot be written as JSON.
        """
        events: list[tuple[int, Event]] = []
        if self.arrivals.empty() or self._main.ahead:
            return events
        with suppress(Empty):
            while True:
                events.append(self._events.from_outside(self.arrivals.get_nowait()))
                self.any_events = True
        return events

    def carry_out(self) -> None:
        """Do what has been asked for; a placement is followed by an event ``placed``, a handover by ``handed_over``.

        Raises:
            RunFailed: if a model fails and the run is to stop.
        """
        while self.requests:
            request = self.requests[0]
            if isinstance(request, Move) and self._main.ahead and not self._pause.waiting:
                return
            self.requests.popleft()
            if isinstance(request, Act):
                event = Event(
                    request.name, self._scene.time_ns, source=BY_HAND, arguments=request.arguments
                )
                self._events.record(event)
            else:
                self._try(request)

    def _try(self, request: Placement | Move) -> None:
        try:
            self._check_not_ahead()
            event = self._move(request) if isinstance(request, Move) else self._place(request)
        except Refused as refusal:
            request.done(str(refusal))
        except RunFailed as failure:
            request.done(str(failure))
            self._failures.handle(failure)
        else:
            self.arrivals.put(event)
            request.done(None)

    def _check_not_ahead(self) -> None:
        steps = self._main.ahead
        if steps:
            raise Refused(f"the main model is {steps} steps ahead; step so many and try again")

    def _place(self, placement: Placement) -> Event:
        self._effects.place(placement.slot, placement.data)
        self.any_events = True
        return self._event("placed", placement.slot, {})

    def _move(self, move: Move) -> Event:
        """Hand over; a model that refuses has perhaps moved on already, so that the run cannot be repeated either."""
        table = self._scene.table
        owner, models = table.owner(move.slot), table.models
        place = self._scene.layout.slots[move.slot]
        if owner == move.model:
            what = f"{place.entity}.{place.attribute.name}"
            raise Refused(f"{models[owner]} is responsible for {what} already")
        self.any_events = True
        self._effects.hand_over_by_hand(move.slot, move.model)
        return self._event(
            "handed_over", move.slot, {"from": models[owner], "to": models[move.model]}
        )

    def _event(self, name: str, slot: int, arguments: Mapping[str, Json]) -> Event:
        place = self._scene.layout.slots[slot]
        of = {"entity": place.entity, "attribute": place.attribute.name, **arguments}
        return Event(name, self._scene.time_ns, source=BY_HAND, arguments=of)

    def refuse_all(self, reason: str) -> None:
        """Refuse what nothing can be done about any more."""
        while self.requests:
            request = self.requests.popleft()
            if not isinstance(request, Act):
                request.done(reason)
