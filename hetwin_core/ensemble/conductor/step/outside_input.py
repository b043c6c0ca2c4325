"""What comes from outside of the models: events and placements."""

from __future__ import annotations

from contextlib import suppress
from queue import Empty

from hetwin_core.ensemble.conductor.controls import Controls, Placement
from hetwin_core.ensemble.conductor.failures.handler import FailureHandler
from hetwin_core.ensemble.conductor.step.effects import EffectRunner
from hetwin_core.ensemble.conductor.step.event_queue import EventQueue
from hetwin_core.ensemble.errors import Refused, RunFailed
from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.scene.scene import Scene
from hetwin_core.ensemble.transport.port import ModelPort


class OutsideInput:
    """Takes in, at the barrier, what other threads have put into the controls.

    While the main model is some steps ahead it cannot be changed: events wait, and placements are refused.

    Args:
        controls: of the run.
        scene: values and layout.
        main: the main model.
        events: ranks events.
        effects: carries placements out.
        failures: handles a model that fails.

    Attributes:
        any_events: whether any event has come in, so that the run cannot be repeated.
    """

    def __init__(
        self,
        controls: Controls,
        scene: Scene,
        main: ModelPort,
        events: EventQueue,
        effects: EffectRunner,
        failures: FailureHandler,
    ) -> None:
        self._arrivals = controls.arrivals
        self._placements = controls.placements
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
        if self._arrivals.empty() or self._main.ahead:
            return events
        with suppress(Empty):
            while True:
                events.append(self._events.from_outside(self._arrivals.get_nowait()))
                self.any_events = True
        return events

    def place(self) -> None:
        """Carry out the placements that have arrived; each is followed by an event ``placed``.

        Raises:
            RunFailed: if a model fails and the run is to stop.
        """
        while not self._placements.empty():
            placement = self._placements.get_nowait()
            try:
                self._place(placement)
            except Refused as refusal:
                placement.done(str(refusal))
            except RunFailed as failure:
                placement.done(str(failure))
                self._failures.handle(failure)
            else:
                self._arrivals.put(self._placed(placement))
                placement.done(None)

    def _place(self, placement: Placement) -> None:
        steps = self._main.ahead
        if steps:
            raise Refused(f"the main model is {steps} steps ahead; step so many and try again")
        self._effects.place(placement.slot, placement.data)

    def _placed(self, placement: Placement) -> Event:
        slot = self._scene.layout.slots[placement.slot]
        arguments: dict[str, Json] = {"entity": slot.entity, "attribute": slot.attribute.name}
        return Event("placed", self._scene.time_ns, arguments=arguments)

    def refuse_all(self, reason: str) -> None:
        """Refuse the placements that nothing can be done about any more."""
        while not self._placements.empty():
            self._placements.get_nowait().done(reason)
