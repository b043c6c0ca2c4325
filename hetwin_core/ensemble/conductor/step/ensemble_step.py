"""One step of the ensemble, from t to t'."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from hetwin_core.ensemble.clock import MainClock
from hetwin_core.ensemble.conductor.failures import FailureHandler
from hetwin_core.ensemble.conductor.scheduler import Scheduler
from hetwin_core.ensemble.conductor.step.effects import EffectRunner
from hetwin_core.ensemble.conductor.step.incoming import EventQueue, OutsideInput
from hetwin_core.ensemble.conductor.step.outputs import OutputWriter
from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.model import Changes, MainChanges, MainTick, Stepping, Tick
from hetwin_core.ensemble.scene.scene import Scene
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.transport.port import ModelPort
from hetwin_core.ensemble.triggers.runner import TriggerRunner

Outputs: TypeAlias = list[tuple[ModelPort, Changes]]
MAX_STEPS = 32
"""Maximum number of main steps in one call, so that requests from outside do not wait long."""


class EnsembleStep:
    """Steps all models once, the main one first; defines the order of everything in a step.

    A run has hundreds of steps a second, and most of them need only the main model: each part is called only when
    it has something to do.

    Args:
        main: the main model.
        clock: times of its steps.
        scene: the values.
        scheduler: selects the other models that step.
        outputs: writes outputs into the scene.
        outside: events and placements from outside.
        events: ranks and orders the step's events, and keeps those that each model has not received yet.
        effects: carries out the models' requests.
        failures: handles models that fail.
        triggers: run on the events.
        end_ns: the run ends with the first step that reaches this time; None: with the source.

    Attributes:
        output: the main model's output of the last complete step.
    """

    def __init__(
        self,
        main: ModelPort,
        clock: MainClock,
        scene: Scene,
        scheduler: Scheduler,
        outputs: OutputWriter,
        outside: OutsideInput,
        events: EventQueue,
        effects: EffectRunner,
        failures: FailureHandler,
        triggers: TriggerRunner,
        end_ns: int | None,
    ) -> None:
        self._main = main
        self._clock = clock
        self._scene = scene
        self._scheduler = scheduler
        self._outputs = outputs
        self._outside = outside
        self._events = events
        self._effects = effects
        self._failures = failures
        self._triggers = triggers
        self._end_ns = end_ns
        self._step_end_ns = 0
        self._due: Sequence[ModelPort] = ()
        self._has_changes = True
        self.output = MainChanges(0)

    @property
    def can_overlap(self) -> bool:
        """Whether the next step may begin before the state after the last one is published.

        A main model in another process works meanwhile. The state of a live robot must not wait.
        """
        return self._main.is_remote and self.output.input_ns is None

    def end_at(self, time_ns: int) -> None:
        """Let the first step that reaches this time [ns] be the last."""
        self._end_ns = time_ns

    def mark_changed(self) -> None:
        """Record that something may have changed between two steps, so that the next step is taken alone."""
        self._has_changes = True

    def next_stop(self, step: int, until_ns: int) -> int:
        """The next step, at most the first that reaches `until_ns`, at which more than the main model may have work.

        The main model takes all steps until then in one call; the others see a single step.
        """
        first = step + 1
        waits_for_events = self._triggers.waits_for_events and not self._scheduler.needs_every_step
        quiet_ns, first_ns = self.output.quiet_ns, self._clock.time_of(first)
        if self._has_changes or not waits_for_events or quiet_ns is None:
            return first
        if quiet_ns <= first_ns and self.output.await_input is not None:
            quiet_ns = self.output.await_input()
        if quiet_ns is None or quiet_ns <= first_ns:
            return first
        until_ns = min(until_ns, quiet_ns)
        if self._end_ns is not None:
            until_ns = min(until_ns, self._end_ns)
        last = min(self._scheduler.next_due(first), self._clock.step_from(until_ns))
        return max(first, min(last, step + MAX_STEPS))

    def begin(self, step: int) -> None:
        """Start the models beside the main one, then the main model, which may run in parallel from now on."""
        scheduler, scene, main = self._scheduler, self._scene, self._main
        self._due = () if step % scheduler.stride else scheduler.due(step, scene)
        if scheduler.any_beside and (beside := scheduler.starting_beside(step)):
            kept = scene.kept_snapshot({name for port in beside for name in port.reads_tables})
            for port in beside:
                # its step ends with the last main step of its period
                last = step - 1 + port.plan.every
                port.begin_step(self._input(port, last, self._clock.time_of(last), kept))
        now, self._step_end_ns = scene.time_ns, self._clock.time_of(step)
        new_events = self._events.take_unseen(main.plan.index)
        tick = MainTick(
            self._step_end_ns,
            self._step_end_ns - now,
            scene.snapshot(),
            new_events,
            scene.foreign_for_main,
        )
        main.begin_step(tick)

    def _input(self, port: ModelPort, step: int, end_ns: int, scene: Snapshot) -> Tick:
        """Input of a step that ends at `end_ns`, with the main model's step `step`, and reads this snapshot."""
        if port.plan.stepping is Stepping.SERVICE:
            period = self._scheduler.period_ns(port, end_ns)
        else:
            period = end_ns - self._clock.time_of(step - port.plan.every)
        return Tick(end_ns, period, scene, self._events.take_unseen(port.plan.index))

    def finish(self, step: int) -> bool:
        """Complete the step that `begin` began; return whether it was the last.

        Raises:
            RunFailed: if a model or a trigger fails and the failure stops the run.
        """
        end_ns, scene, main, outside = self._step_end_ns, self._scene, self._main, self._outside
        self.output = output = self._outputs.write_main(main.plan, main.end_step(), end_ns)
        scene.resolve(end_ns)
        self._has_changes = bool(output.requests)
        if output.requests:
            self._effects.carry_out_requests(main, output.requests)
        events = (
            self._events.ranked_model_events(main.plan.index, output.events)
            if output.events
            else []
        )
        if self._due or self._scheduler.asynchronous:
            events += self._step_others(step, end_ns)
        if outside.requests:
            self._has_changes = True
            outside.carry_out()
        if not outside.arrivals.empty():
            events += outside.events()
        if not scene.settled:
            scene.resolve(end_ns)
        triggers = self._triggers
        self._has_changes |= bool(events)
        if events or triggers.on_value or triggers.operations:
            triggers.run(self._events.sorted_events(events), end_ns)
            scene.resolve(end_ns)
        return output.ended or (self._end_ns is not None and end_ns >= self._end_ns)

    def _step_others(self, step: int, end_ns: int) -> list[tuple[int, Event]]:
        """Step the other models that are due, write their outputs, carry out requests; return the events by rank.

        Raises:
            RunFailed: if a model fails and its failure stops the run.
        """
        outputs = self._write(self._begin_after_main(), end_ns) if self._due else []
        if self._scheduler.asynchronous:
            outputs += self._collect(step)
        events: list[tuple[int, Event]] = []
        for port, output in outputs:
            try:
                if output.events:
                    events += self._events.ranked_model_events(port.plan.index, output.events)
                if output.requests:
                    self._has_changes = True
                    self._effects.carry_out_requests(port, output.requests)
            except RunFailed as failure:
                self._has_changes = True
                self._failures.handle(failure)
        return events

    def _begin_after_main(self) -> Sequence[ModelPort]:
        """Start the models that see the main model's new state; return all models whose outputs are due."""
        due, scheduler = self._due, self._scheduler
        if scheduler.interrupted:
            due = scheduler.still_due(due)
        scene, end_ns = self._scene.snapshot(), self._step_end_ns
        for port in due:
            if not port.plan.beside:
                new_events = self._events.take_unseen(port.plan.index)
                port.begin_step(Tick(end_ns, scheduler.period_ns(port, end_ns), scene, new_events))
        return due

    def _write(self, due: Sequence[ModelPort], end_ns: int) -> Outputs:
        """Write the outputs of the due models; failures are handled when all outputs are written."""
        received, failures = self._receive(due)
        written: Outputs = []
        for port, output in received:
            try:
                self._outputs.write(port.plan, output, end_ns)
            except RunFailed as failure:
                failures.append(failure)
            else:
                written.append((port, output))
        for failed in failures:
            self._failures.handle(failed)
        return written

    def _receive(self, due: Sequence[ModelPort]) -> tuple[Outputs, list[RunFailed]]:
        """Wait for all models that are due, or until one fails and stops the run."""
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
        """Write the outputs that clock-stepped and free models have finished; offer these models the new time."""
        outputs: Outputs = []
        for port in self._scheduler.asynchronous:
            try:
                for output in port.collect():
                    self._outputs.write(port.plan, output, None)
                    outputs.append((port, output))
            except RunFailed as failure:
                self._failures.handle(failure)
                continue
            if port.plan.stepping is Stepping.FREE or step % port.plan.every == 0:
                kept = self._scene.kept_snapshot(port.reads_tables)
                port.begin_step(self._input(port, step, self._step_end_ns, kept))
        return outputs
