"""One run: the loop over the main model's steps."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress

import numpy as np

from hetwin_core.ensemble.conductor.between_steps import AtBarrier, BetweenSteps
from hetwin_core.ensemble.conductor.checkpoint import SOURCE, Checkpoint, check_same, put_back
from hetwin_core.ensemble.conductor.controls import Controls
from hetwin_core.ensemble.conductor.parts import assemble
from hetwin_core.ensemble.conductor.report import end_of_source, run_start, run_summary
from hetwin_core.ensemble.conductor.reporting.listener import ListenerGroup, RunSummary
from hetwin_core.ensemble.conductor.start.lifecycle import Ready, start_all
from hetwin_core.ensemble.conductor.start.options import LONGEST_S, RunOptions
from hetwin_core.ensemble.errors import BadInput, Refused, RunFailed
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.scene.layout import Selection
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import FIDELITY, Fidelity, Value
from hetwin_core.ensemble.supervision.interrupts import Interrupted
from hetwin_core.ensemble.supervision.starting import few_looks_for_cycles
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
        ready: the initialized ensemble.
        controls: requests of other threads.
        at_barriers: called at every barrier after which the run continues; see `Conductor.at_barriers`.
    """

    def __init__(
        self,
        scenario: Scenario,
        ports: tuple[ModelPort, ...],
        listeners: ListenerGroup,
        options: RunOptions,
        ready: Ready,
        controls: Controls,
        at_barriers: Sequence[AtBarrier],
    ) -> None:
        self._scenario = scenario
        self._ports = ports
        self._listeners = listeners
        self._options = options
        self._ready = ready
        self._controls = controls
        self._at_barriers: Sequence[AtBarrier] = at_barriers
        self._parts = assemble(scenario, ports, listeners, options, ready, controls)
        self.start = run_start(scenario, options, ready)
        self._end_of_source = end_of_source(scenario, options)
        scene = ready.scene
        self._between = BetweenSteps(
            scenario, options, ports, listeners, self._parts, scene, self.start, self
        )
        self._step = 0
        self._from: Checkpoint | None = None
        self._begun_ns = 0

    @property
    def scene(self) -> Snapshot:
        """The current scene, not to be kept."""
        return self._ready.scene.snapshot()

    def in_service(self, model: int) -> bool:
        """Whether the model with this index takes part in the run."""
        return not self._parts.handovers.is_given_up(model)

    @property
    def step(self) -> int:
        """Number of the last complete step after which the run continues."""
        return self._step

    def go_on_from(self, checkpoint: Checkpoint) -> None:
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
        self._from = checkpoint

    @property
    def lag_s(self) -> float | None:
        """Age of a live robot's newest joint sample when its state was published [s]."""
        return self._parts.publisher.lag.newest_s

    @few_looks_for_cycles()
    def to_the_end(self, idle: Callable[[float], None]) -> RunSummary:
        """Run; see `Conductor.run`.

        Args:
            idle: waits at most the given number of seconds while the run is paused.

        Raises:
            BadInput: if a model cannot start with its input; no start was published then.
        """
        ended, error = "failed", None
        begun = time.monotonic()
        try:
            failures = start_all(self._ports, self._ready, self._parts.failures.is_fatal)
            if self._from is not None:
                self._restore(self._from)
            self._listeners.started(self.start if self._from is None else self._between.present)
        except BaseException:
            self._stop_models()
            raise
        try:
            for failure in failures:
                self._parts.failures.handle(failure)
            if self._from is None:
                self._begin()
            begun = time.monotonic()
            ended = self._loop(idle)
        except Exception as failure:  # the log must be closed after any error
            ended, error = self._failed(failure)
        except Interrupted:
            self._end("stopped", None, time.monotonic() - begun)
            raise
        except BaseException as failure:
            self._end("failed", self._unforeseen(failure), time.monotonic() - begun)
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
            put_back(checkpoint, self._ports, self._parts, self._ready.scene)
        except (Refused, RunFailed) as error:
            raise BadInput(
                f"the checkpoint cannot be used: {error}", expected="a checkpoint of this run"
            ) from error
        self._step, self._begun_ns = checkpoint.step, checkpoint.time_ns
        self._between.mark_seen()

    def _begin(self) -> None:
        """Publish the start of the run, and carry out the scenario's handovers before the first step."""
        main, scene = self._scenario.main, self._ready.scene
        if self._ready.engine:
            text = f"computes with {self._ready.engine}"
            self._listeners.note(0, "info", main.name, text)
        if self._ready.shown:
            self._listeners.note(0, "info", main.name, shown_line(self._ready.shown))
        for text in self._ready.warnings:
            source, _, warning = text.partition(": ")
            self._listeners.note(0, "warning", source, warning)
        for slot, model in self._ready.handovers:
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
        step, following, over = self._step, self._step, False
        while True:
            begun = False
            try:
                if ensemble.can_overlap and not over and not self._at_barriers:
                    following = self._following(step)
                    begun = self._begin_step(following)
            finally:
                publisher.publish(step, ensemble.output)
            if over:
                return self._end_of_source if effects.stopped_by is None else "stopped"
            self._step = step
            if self._at_barriers:
                self._between.come_to(self._at_barriers)
                ensemble.changed()
            if not begun:
                following = self._following(step)
            if not (
                begun or self._begin_step(following) or self._begin_when_allowed(following, idle)
            ):
                return "stopped"
            step = following
            handled = self._parts.events.handled
            over = ensemble.finish(step) or effects.stopped_by is not None
            if over:
                self._raise_fidelity()
            if self._controls.pause.until_event and self._parts.events.handled != handled:
                self._controls.pause.hold()

    def _following(self, step: int) -> int:
        """The step to take after a complete one: the next one, or the next at which a state or a model is due."""
        if self._between.leaps is not None:
            return self._between.leaps(step)
        controls = self._controls
        one_by_one = self._at_barriers or self._options.single_steps
        if one_by_one or controls.pause.left is not None or controls.pace.factor is not None:
            return step + 1
        publisher, clock = self._parts.publisher, self._scenario.clock
        looked_at = clock.step_from(publisher.next_ns(self._ready.scene.time_ns))
        return max(step + 1, min(self._parts.step.next_stop(step), looked_at))

    def _raise_fidelity(self) -> None:
        """Set all fidelities to high in the last state, where signalers no longer decide."""
        scene = self._ready.scene
        high = Value(np.array([float(Fidelity.HIGH)]), scene.time_ns)
        for slot in scene.layout.select([Selection("*", FIDELITY.name)]):
            scene.put(slot, high)
        scene.resolve(scene.time_ns)

    def _begin_step(self, step: int) -> bool:
        """Begin a step, unless the run is stopped, paused or ahead of its pace; return whether it began."""
        controls = self._controls
        if controls.stop.is_set():
            return False
        if controls.pause.left is not None or controls.pace.factor is not None:
            if controls.pause.holds or controls.pace.wait_s(self._ready.scene.time_ns):
                return False
            controls.pause.step_begins()
        self._parts.step.begin(step)
        return True

    def _begin_when_allowed(self, step: int, idle: Callable[[float], None]) -> bool:
        """Begin a step as soon as it is allowed; return false if the run is stopped before."""
        while not self._begin_step(step):
            if self._controls.stop.is_set():
                return False
            if self._controls.pause.holds:
                self._wait(idle)
            else:
                self._keep_pace(idle)
        return True

    def _wait(self, idle: Callable[[float], None]) -> None:
        """Wait until the pause ends or the run is stopped; carry out requests meanwhile."""
        pause, stop = self._controls.pause, self._controls.stop
        with pause.waiting_here():
            while pause.holds and not stop.is_set():
                self._parts.outside.carry_out()
                idle(POLL_S)
            if not stop.is_set():
                self._parts.outside.carry_out()
        self._parts.step.changed()
        self._controls.pace.begin_anew()

    def _keep_pace(self, idle: Callable[[float], None]) -> None:
        """Wait for the time of the next step, at most `POLL_S`."""
        self._parts.outside.carry_out()
        idle(min(POLL_S, self._controls.pace.wait_s(self._ready.scene.time_ns)))

    def go_on(self) -> RunSummary:
        """Run on from the present barrier; see `BetweenSteps.go_on`."""
        ended, error, begun = "failed", None, time.monotonic()
        self._at_barriers = ()
        self._parts.step.changed()
        try:
            ended = self._loop(time.sleep)
        except Exception as failure:
            ended, error = self._failed(failure)
        self._parts.beliefs.end()
        return self._told(ended, error, time.monotonic() - begun)

    def back_to(self, step: int) -> None:
        """Return to the state after this step; see `BetweenSteps.rewind`."""
        self._step = step

    def _failed(self, error: Exception) -> tuple[str, RunFailed | None]:
        """Return how a run ended that raised this error, and the error in its summary."""
        if not isinstance(error, RunFailed):
            return "failed", self._unforeseen(error)
        if self._controls.stop.is_set() and self._scenario.plan(error.model):
            # The signal that stops the run may have ended something that a model needs, such as a server.
            self._parts.failures.failed_at_end(error)
            return "stopped", None
        return "failed", error

    def _unforeseen(self, error: BaseException) -> RunFailed:
        is_input = isinstance(error, BadInput)
        reason = str(error) if is_input else f"{type(error).__name__}: {error}"
        return RunFailed("conductor", "run", self._ready.scene.time_ns, reason)

    def _stop_models(self) -> None:
        """Stop all models; a failure here is recorded, but does not change how the run ended."""
        for port in self._ports:
            failure = port.stop()
            if failure is not None:
                self._parts.failures.failed_at_end(failure)

    def _end(self, ended: str, error: RunFailed | None, wall_s: float) -> RunSummary:
        with suppress(RunFailed):
            _ = self.scene.proximity  # the log needs it after the models have stopped
        self._stop_models()
        self._parts.beliefs.end()
        return self._told(ended, error, wall_s)

    def _told(self, ended: str, error: RunFailed | None, wall_s: float) -> RunSummary:
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
                self._listeners.note(self._ready.scene.time_ns, "error", "conductor", str(error))
        stepping_s = wall_s - self._controls.pause.held_s
        return run_summary(
            self._scenario,
            self._options,
            self._ready,
            self._parts,
            self.start.snapshot,
            ended,
            error,
            stepping_s,
            self._begun_ns,
        )
