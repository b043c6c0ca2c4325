"""One step of the ensemble, from t to t'."""

from __future__ import annotations

from collections.abc import Sequence

from hetwin_core.ensemble.clock import MainClock
from hetwin_core.ensemble.conductor.scheduling.scheduler import Scheduler
from hetwin_core.ensemble.conductor.step.barrier import Barrier
from hetwin_core.ensemble.conductor.step.event_queue import EventQueue
from hetwin_core.ensemble.conductor.step.main_model import MainModel
from hetwin_core.ensemble.conductor.step.outside_input import OutsideInput
from hetwin_core.ensemble.conductor.step.step_inputs import StepInputs
from hetwin_core.ensemble.model import StepOutput
from hetwin_core.ensemble.scene.scene import Scene
from hetwin_core.ensemble.transport.port import ModelPort
from hetwin_core.ensemble.triggers.runner import TriggerRunner


class EnsembleStep:
    """Steps all models once, the main one first; the order of everything in a step is here.

    Args:
        clock: times of the main model's steps.
        scene: the values.
        main: steps the main model.
        scheduler: knows which others step.
        inputs: makes their inputs.
        barrier: collects their outputs.
        outside: events and placements from outside.
        events: orders the step's events.
        triggers: run on them.

    Attributes:
        output: the main model's in the last complete step.
    """

    def __init__(
        self,
        clock: MainClock,
        scene: Scene,
        main: MainModel,
        scheduler: Scheduler,
        inputs: StepInputs,
        barrier: Barrier,
        outside: OutsideInput,
        events: EventQueue,
        triggers: TriggerRunner,
    ) -> None:
        self._clock = clock
        self._scene = scene
        self._main = main
        self._scheduler = scheduler
        self._inputs = inputs
        self._barrier = barrier
        self._outside = outside
        self._events = events
        self._triggers = triggers
        self._due: list[ModelPort] = []
        self.output = StepOutput(time_ns=0)

    @property
    def can_overlap(self) -> bool:
        """Whether the next step may begin before the state after the last one is published.

        The main model is at work meanwhile if it is in another process. The state of a live robot must not wait.
        """
        return self._main.port.is_elsewhere and self.output.input_ns is None

    def end_at(self, time_ns: int) -> None:
        """Let the first step that reaches this time [ns] be the last."""
        self._main.end_at(time_ns)

    def begin(self, step: int) -> None:
        """Start the models beside the main one, then the main model."""
        self._due = self._scheduler.due(step, self._scene)
        beside = self._scheduler.starting_beside(step) if self._scheduler.any_beside else ()
        if beside:
            kept = self._scene.kept_snapshot(
                {name for port in beside for name in port.reads_tables}
            )
            for port in beside:
                # its step ends with the last main step of its period
                port.begin_step(self._inputs.make(port, step - 1 + port.plan.every, kept))
        self._main.begin(step)

    def finish(self, step: int) -> bool:
        """Complete the step that `begin` began; returns whether it was the last.

        Raises:
            RunFailed: if a model or a trigger fails and the run is to stop.
        """
        then = self._clock.time_of(step)
        self.output = output = self._main.finish(then)
        events = self._events.of_model(self._main.port.plan.index, output.events)
        due = self._begin_after_main(step) if self._due else ()
        events += self._barrier.wait(due, step, then)
        self._outside.carry_out()
        events += self._outside.events()
        self._scene.resolve(then)
        self._triggers.run(self._events.ordered(events), then)
        self._scene.resolve(then)
        return output.ended or self._main.is_last(then)

    def _begin_after_main(self, step: int) -> Sequence[ModelPort]:
        """Start the models that see the main model's new state; returns all whose outputs are due."""
        due = self._scheduler.still_due(self._due)
        scene = self._scene.snapshot()
        for port in due:
            if not port.plan.beside:
                port.begin_step(self._inputs.make(port, step, scene))
        return due
