"""The inputs of models for their steps."""

from __future__ import annotations

from hetwin_core.ensemble.clock import MainClock
from hetwin_core.ensemble.conductor.scheduling.scheduler import Scheduler
from hetwin_core.ensemble.conductor.step.event_queue import EventQueue
from hetwin_core.ensemble.model import Stepping, Tick
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.transport.port import ModelPort


class StepInputs:
    """Makes the input of a step of any model but the main one.

    Args:
        clock: times of the main model's steps.
        scheduler: knows when each model stepped last.
        events: knows what each model has not seen yet.
    """

    def __init__(self, clock: MainClock, scheduler: Scheduler, events: EventQueue) -> None:
        self._clock = clock
        self._scheduler = scheduler
        self._events = events

    def make(self, port: ModelPort, step: int, scene: Snapshot) -> Tick:
        """The input of a step that ends with this step of the main model, on this snapshot."""
        then = self._clock.time_of(step)
        every = port.plan.every
        if port.plan.stepping is Stepping.SERVICE:
            every = self._scheduler.steps_since(port, step)
        period = then - self._clock.time_of(step - every)
        return Tick(then, period, scene, self._events.unseen_by(port.plan.index))
