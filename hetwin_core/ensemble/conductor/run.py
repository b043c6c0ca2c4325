"""One run: the loop over the main model's steps."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress

import numpy as np

from hetwin_core.ensemble.clock import FAR_FUTURE_NS
from hetwin_core.ensemble.conductor.between_steps import AtBarrier, BetweenSteps
from hetwin_core.ensemble.conductor.checkpoint import (
    SOURCE,
    Checkpoint,
    check_same,
    restore_checkpoint,
)
from hetwin_core.ensemble.conductor.controls import Controls
from hetwin_core.ensemble.conductor.parts import assemble
from hetwin_core.ensemble.conductor.report import end_of_source, run_start, run_summary
from hetwin_core.ensemble.conductor.reporting.listener import ListenerGroup, RunSummary
from hetwin_core.ensemble.conductor.start.lifecycle import PreparedRun, start_all
from hetwin_core.ensemble.conductor.start.options import LONGEST_S, RunOptions
from hetwin_core.ensemble.errors import BadInput, Refused, RunFailed
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.scene.layout import Selection
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import FIDELITY, Fidelity, Value
from hetwin_core.ensemble.supervision.interrupts import Interrupted
from hetwin_core.ensemble.supervision.starting import rare_garbage_collection
from hetwin_core.ensemble.transport.port import ModelPort
from hetwin_core.ensemble.words import shown_line

POLL_S = 0.02
"""Period at which a paused run checks whether it may continue."""


class Run:
    """Steps initialized models until the run is over; see `Conductor`.

    Args:
        scenario: the scenario of the run.
        ports: the models, in the scenario's order.
        listeners: receive the run's events.
        options: options of the start.
        prepared: the initialized ensemble.
        controls: requests of other threads.
        at_barriers: called at every barrier after which the run continues; see `Conductor.at_barriers`.
    """

    def __init__(
        self,
        scenario: Scenario,
        ports: tuple[ModelPort, ...],
        listeners: ListenerGroup,
        options: RunOptions,
        prepared: PreparedRun,
        controls: Controls,
        at_barriers: Sequence[AtBarrier],
    ) -> None:
        self._scenario = scenario
        self._ports = ports
        self._listeners = listeners
        self._options = options
        self._prepared = prepared
        self._controls = controls
        self._at_barriers: Sequence[AtBarrier] = at_barriers
        self._parts = assemble(scenario, ports, listeners, options, prepared, controls)
        self.start = run_start(scenario, options, prepared)
        self._end_of_source = end_of_source(scenario, options)
        scene = prepared.scene
        self._between = BetweenSteps(
            scenario, options, ports, listeners, self._parts, scene, self.start, self
        )
        self._step = 0
        self._checkpoint: Checkpoint | None = None
        self._resumed_ns = 0

    @property
    def scene(self) -> Snapshot:
        """The current scene, not to be kept."""
        return self._prepared.scene.snapshot()

    def in_service(self, model: int) -> bool:
        """Whether the model with this index takes part in the run."""
        return not self._parts.handovers.is_given_up(model)

    @property
    def step(self) -> int:
        """Number of the last complete step after which the run continues."""
        return self._step

    def continue_from(self, checkpoint: Checkpoint) -> None:
        """Continue from a checkpoint after the models have started.

        Raises:
            BadInput: if it belongs to another run.
        """
        check_same(checkpoint.given, self.start.given, new_source=SOURCE not in checkpoint.given)
        step, time_ns = checkpoint.step, checkpoint.time_ns
        if not (step >= 0 and time_ns == self._scenario.clock.time_of(step) <= LONGEST_S * 1e9):
            raise BadInput(
                "the checkpoint's time is not a step of its run",
                found=f"step {step} at {time_ns} ns",
                expected=f"a step of {self._scenario.clock.period_ns} ns each",
            )
        self._checkpoint = checkpoint

    @property
    def lag_s(self) -> float | None:
        """Age of a live robot's newest joint sample when its state was published [s]."""
        return self._parts.publisher.lag.newest_s

    @rare_garbage_collection()
    def run_to_end(self, idle: Callable[[float], None]) -> RunSummary:
        """Run; see `Conductor.run`.

        Args:
            idle: waits at most the given number of seconds while the run is paused.

        Raises:
            BadInput: if a model cannot start with its input; no start was published then.
        """
        ended, error = "failed", None
        begun = time.monotonic()
        try:
            failures = start_all(self._ports, self._prepared, self._parts.failures.is_fatal)
            if self._checkpoint is not None:
                self._restore(self._checkpoint)
            self._listeners.started(
                self.start if self._checkpoint is None else self._between.current_start
            )
        except BaseException:
            self._stop_models()
            raise
        try:
            for failure in failures:
                self._parts.failures.handle(failure)
            if self._checkpoint is None:
                self._publish_start()
            begun = time.monotonic()
            ended = self._loop(idle)
        except Exception as failure:  # the log must be closed after any error
            ended, error = self._outcome_of(failure)
        except Interrupted:
            self._end("stopped", None, time.monotonic() - begun)
            raise
        except BaseException as failure:
            self._end("failed", self._as_run_failed(failure), time.monotonic() - begun)
            raise
        finally:
            self._parts.outside.refuse_all("the simulation is over")
        return self._end(ended, error, time.monotonic() - begun)

    def _restore(self, checkpoint: Checkpoint) -> None:
        """Restore the state of a saved run.

        Raises:
            BadInput: if the checkpoint does not fit.
        """
        try:
            restore_checkpoint(checkpoint, self._ports, self._parts, self._prepared.scene)
        except (Refused, RunFailed) as error:
            raise BadInput(
                f"the checkpoint cannot be used: {error}", expected="a checkpoint of this run"
            ) from error
        self._step, self._resumed_ns = checkpoint.step, checkpoint.time_ns
        self._between.mark_seen()

    def _publish_start(self) -> None:
        """Publish the start of the run, and carry out the scenario's handovers before the first step."""
        main, scene = self._scenario.main, self._prepared.scene
        if self._prepared.engine:
            text = f"computes with {self._prepared.engine}"
            self._listeners.note(0, "info", main.name, text)
        if self._prepared.shown:
            self._listeners.note(0, "info", main.name, shown_line(self._prepared.shown))
        for text in self._prepared.warnings:
            source, _, warning = text.partition(": ")
            self._listeners.note(0, "warning", source, warning)
        for slot, model in self._prepared.handovers:
            self._parts.effects.move(slot, model, "scenario")
        scene.resolve(0)
        self._parts.publisher.begin()
        if not self._controls.stop.is_set():
            self._parts.outside.carry_out()

    def _loop(self, idle: Callable[[float], None]) -> str:
        """Take all steps, and publish each state; return how the run ended.

        A main model in another process works on the next step while the last state is published.
        """
        ensemble, publisher, effects = self._parts.step, self._parts.publisher, self._parts.effects
        step, next_step, is_over = self._step, self._step, False
        while True:
            begun = False
            try:
                if ensemble.can_overlap and not is_over and not self._at_barriers:
                    next_step = self._next_step(step)
                    begun = self._begin_step(next_step)
            finally:
                publisher.publish(step, ensemble.output)
            if is_over:
                return self._end_of_source if effects.stopped_by is None else "stopped"
            self._step = step
            if self._at_barriers:
                self._between.run_callbacks(self._at_barriers)
                if self._between.wake_ns is None:
                    ensemble.mark_changed()
            if not begun:
                next_step = self._next_step(step)
            if not (
                begun or self._begin_step(next_step) or self._begin_when_allowed(next_step, idle)
            ):
                return "stopped"
            step = next_step
            handled = self._parts.events.handled
            is_over = ensemble.finish(step) or effects.stopped_by is not None
            if is_over:
                self._raise_fidelity()
            if self._controls.pause.until_event and self._parts.events.handled != handled:
                self._controls.pause.hold()

    def _next_step(self, step: int) -> int:
        """The step to take after a complete one: the next one, or the next at which a state or a model is due."""
        if self._between.next_step is not None:
            return self._between.next_step(step)
        controls = self._controls
        wake_ns = self._between.wake_ns if self._at_barriers else FAR_FUTURE_NS
        if (
            wake_ns is None
            or self._options.single_steps
            or controls.pause.remaining_steps is not None
            or controls.pace.factor is not None
        ):
            return step + 1
        published_ns = self._parts.publisher.next_ns(self._prepared.scene.time_ns)
        return self._parts.step.next_stop(step, min(published_ns, wake_ns))

    def _raise_fidelity(self) -> None:
        """Set all fidelities to high in the last state, where signalers no longer decide."""
        scene = self._prepared.scene
        high = Value(np.array([float(Fidelity.HIGH)]), scene.time_ns)
        for slot in scene.layout.select([Selection("*", FIDELITY.name)]):
            scene.put(slot, high)
        scene.resolve(scene.time_ns)

    def _begin_step(self, step: int) -> bool:
        """Begin a step, unless the run is stopped, paused or ahead of its pace; return whether it began."""
        controls = self._controls
        if controls.stop.is_set():
            return False
        if controls.pause.remaining_steps is not None or controls.pace.factor is not None:
            if controls.pause.must_wait or controls.pace.wait_s(self._prepared.scene.time_ns):
                return False
            controls.pause.count_step()
        self._parts.step.begin(step)
        return True

    def _begin_when_allowed(self, step: int, idle: Callable[[float], None]) -> bool:
        """Begin a step as soon as it is allowed; return false if the run is stopped before."""
        while not self._begin_step(step):
            if self._controls.stop.is_set():
                return False
            if self._controls.pause.must_wait:
                self._wait_while_paused(idle)
            else:
                self._keep_pace(idle)
        return True

    def _wait_while_paused(self, idle: Callable[[float], None]) -> None:
        """Wait until the pause ends or the run is stopped; carry out requests meanwhile."""
        pause, stop = self._controls.pause, self._controls.stop
        with pause.marked_as_waiting():
            while pause.must_wait and not stop.is_set():
                self._parts.outside.carry_out()
                idle(POLL_S)
            if not stop.is_set():
                self._parts.outside.carry_out()
        self._parts.step.mark_changed()
        self._controls.pace.restart_measurement()

    def _keep_pace(self, idle: Callable[[float], None]) -> None:
        """Wait for the time of the next step, at most `POLL_S`."""
        self._parts.outside.carry_out()
        idle(min(POLL_S, self._controls.pace.wait_s(self._prepared.scene.time_ns)))

    def go_on(self) -> RunSummary:
        """Run on from the current barrier; see `BetweenSteps.go_on`."""
        ended, error, begun = "failed", None, time.monotonic()
        self._at_barriers = ()
        self._parts.step.mark_changed()
        try:
            ended = self._loop(time.sleep)
        except Exception as failure:
            ended, error = self._outcome_of(failure)
        self._parts.beliefs.end()
        return self._notify_end(ended, error, time.monotonic() - begun)

    def return_to(self, step: int) -> None:
        """Return to the state after this step; see `BetweenSteps.rewind`."""
        self._step = step

    def _outcome_of(self, error: Exception) -> tuple[str, RunFailed | None]:
        """Return how a run that raised this error ended, and the error for its summary."""
        if not isinstance(error, RunFailed):
            return "failed", self._as_run_failed(error)
        if self._controls.stop.is_set() and self._scenario.plan(error.model):
            # The signal that stops the run may have ended something that a model needs, such as a server.
            self._parts.failures.record_stop_failure(error)
            return "stopped", None
        return "failed", error

    def _as_run_failed(self, error: BaseException) -> RunFailed:
        is_input = isinstance(error, BadInput)
        reason = str(error) if is_input else f"{type(error).__name__}: {error}"
        return RunFailed("conductor", "run", self._prepared.scene.time_ns, reason)

    def _stop_models(self) -> None:
        """Stop all models; a failure here is recorded, but does not change how the run ended."""
        for port in self._ports:
            failure = port.stop()
            if failure is not None:
                self._parts.failures.record_stop_failure(failure)

    def _end(self, ended: str, error: RunFailed | None, wall_s: float) -> RunSummary:
        with suppress(RunFailed):
            _ = self.scene.proximity  # the log needs it after the models have stopped
        self._stop_models()
        self._parts.beliefs.end()
        return self._notify_end(ended, error, wall_s)

    def _notify_end(self, ended: str, error: RunFailed | None, wall_s: float) -> RunSummary:
        """Notify the listeners of the run's end; return the summary."""
        summary = self._summary(ended, error, wall_s)
        try:
            summary = self._listeners.ended(summary)
        except RunFailed as failure:
            summary = self._summary("failed", error or failure, wall_s)
        return summary

    def _summary(self, ended: str, error: RunFailed | None, wall_s: float) -> RunSummary:
        if error is not None:
            with suppress(RunFailed):  # if the log itself has failed, the summary names it
                self._listeners.note(self._prepared.scene.time_ns, "error", "conductor", str(error))
        stepping_s = wall_s - self._controls.pause.held_s
        return run_summary(
            self._scenario,
            self._options,
            self._prepared,
            self._parts,
            self.start.snapshot,
            ended,
            error,
            stepping_s,
            self._resumed_ns,
        )
