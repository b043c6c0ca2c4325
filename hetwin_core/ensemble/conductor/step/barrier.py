"""Where a step waits for the models: outputs are collected, then written in the scenario's order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from hetwin_core.ensemble.conductor.failures.handler import FailureHandler
from hetwin_core.ensemble.conductor.scheduling.scheduler import Scheduler
from hetwin_core.ensemble.conductor.step.effects import EffectRunner
from hetwin_core.ensemble.conductor.step.event_queue import EventQueue
from hetwin_core.ensemble.conductor.step.outputs import OutputWriter
from hetwin_core.ensemble.conductor.step.step_inputs import StepInputs
from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.model import StepOutput, Stepping
from hetwin_core.ensemble.scene.scene import Scene
from hetwin_core.ensemble.transport.port import ModelPort

Outputs: TypeAlias = list[tuple[ModelPort, StepOutput]]


class Barrier:
    """Collects the outputs of a step from all models but the main one.

    Args:
        scene: snapshots for models on the clock or free.
        scheduler: knows these models.
        inputs: makes their inputs.
        outputs: writes outputs into the scene.
        events: ranks the models' events.
        effects: carries out the models' requests.
        failures: handles models that fail.
    """

    def __init__(
        self,
        scene: Scene,
        scheduler: Scheduler,
        inputs: StepInputs,
        outputs: OutputWriter,
        events: EventQueue,
        effects: EffectRunner,
        failures: FailureHandler,
    ) -> None:
        self._scene = scene
        self._scheduler = scheduler
        self._inputs = inputs
        self._outputs = outputs
        self._events = events
        self._effects = effects
        self._failures = failures

    def wait(self, due: Sequence[ModelPort], step: int, then: int) -> list[tuple[int, Event]]:
        """Wait for the models that are due, write all outputs, carry out requests; returns the events by rank.

        Raises:
            RunFailed: if a model fails and the run is to stop.
        """
        outputs = self._write(due, then)
        if self._scheduler.unwaited:
            outputs += self._collect(step)
        events: list[tuple[int, Event]] = []
        for port, output in outputs:
            try:
                if output.events:
                    events += self._events.of_model(port.plan.index, output.events)
                if output.requests:
                    self._effects.requests(port, output.requests)
            except RunFailed as failure:
                self._failures.handle(failure)
        return events

    def _write(self, due: Sequence[ModelPort], then: int) -> Outputs:
        """Write what the due models have computed; failures are handled when all outputs are written."""
        received, failures = self._receive(due)
        written: Outputs = []
        for port, output in received:
            try:
                self._outputs.write(port.plan, output, then)
            except RunFailed as failure:
                failures.append(failure)
            else:
                written.append((port, output))
        for failed in failures:
            self._failures.handle(failed)
        return written

    def _receive(self, due: Sequence[ModelPort]) -> tuple[Outputs, list[RunFailed]]:
        """Wait for all models that are due, but no longer once one has ended the run."""
        received: Outputs = []
        failures: list[RunFailed] = []
        for port in due:
            try:
                received.append((port, port.end_step()))
            except RunFailed as failure:
                if self._failures.is_fatal(failure):
                    raise
                failures.append(failure)
        return received, failures

    def _collect(self, step: int) -> Outputs:
        """Write what models on the clock or free have computed so far, and offer them the new time."""
        outputs: Outputs = []
        for port in self._scheduler.unwaited:
            try:
                for output in port.collect():
                    self._outputs.write(port.plan, output, None)
                    outputs.append((port, output))
            except RunFailed as failure:
                self._failures.handle(failure)
                continue
            if port.plan.stepping is Stepping.FREE or step % port.plan.every == 0:
                kept = self._scene.kept_snapshot(port.reads_tables)
                port.begin_step(self._inputs.make(port, step, kept))
        return outputs
