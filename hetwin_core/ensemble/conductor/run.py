"""One run in progress: the loop over the main model's steps."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import pairwise
from queue import Empty, SimpleQueue

from hetwin_core.ensemble.conductor.controls import Controls
from hetwin_core.ensemble.conductor.digest import Digest
from hetwin_core.ensemble.conductor.event_book import EventBook
from hetwin_core.ensemble.conductor.failures import FailureDesk
from hetwin_core.ensemble.conductor.handovers import Moves
from hetwin_core.ensemble.conductor.lifecycle import Ready, initial_moves
from hetwin_core.ensemble.conductor.listener import RunStart, RunSummary
from hetwin_core.ensemble.conductor.listener_group import Listeners
from hetwin_core.ensemble.conductor.options import RunOptions
from hetwin_core.ensemble.conductor.outputs import AnswerDesk
from hetwin_core.ensemble.conductor.parameters import LIVE, source_spec
from hetwin_core.ensemble.conductor.predicates import Predicates
from hetwin_core.ensemble.conductor.scheduler import LagMeter, Pace
from hetwin_core.ensemble.conductor.summary import error_row, handover_row
from hetwin_core.ensemble.conductor.switches import Switches
from hetwin_core.ensemble.errors import BadInput, Refused, RunFailed
from hetwin_core.ensemble.event_codec import event_to_summary
from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.expressions.evaluators import all_evaluators
from hetwin_core.ensemble.model import StepInput, StepOutput, Stepping
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.transport.port import ModelPort
from hetwin_core.ensemble.transport.step_batching import MOST_STEPS
from hetwin_core.ensemble.triggers.runner import TriggerRunner

IDLE_S = 0.02
"""So often it is looked whether a paused run may go on."""


class Run:
    """Steps initialized models until the run is over; see `Conductor`.

    Args:
        scenario: what is run.
        ports: the models, in the scenario's order.
        listeners: who is told what happens.
        options: what the start says beyond the scenario.
        ready: the initialized ensemble.

    Raises:
        BadInput: if an entry of the scenario's responsibilities covers nothing.
    """

    def __init__(
        self,
        scenario: Scenario,
        ports: tuple[ModelPort, ...],
        listeners: Listeners,
        options: RunOptions,
        ready: Ready,
    ) -> None:
        self._clock = scenario.clock
        self._scenario = scenario
        self._ports = ports
        self._listeners = listeners
        self._options = options
        self._ready = ready
        self._scene = ready.scene
        self._main = ports[scenario.main.index]
        self._initial_moves = initial_moves(scenario, ready.scene.layout)
        self._digest = Digest(ready.scene.layout)
        self._answers = AnswerDesk(ready.scene, ready.main_slots, self._warn)
        self._moves = Moves(scenario, ready.scene, ports, self._digest, listeners)
        self._failures = FailureDesk(
            scenario, ready.scene, ports, self._moves, listeners, ready.parameters, ready.seed
        )
        self._moves.when_a_model_fails(self._fail)
        self._book = EventBook(ready.scene.table.models, self._digest, listeners)
        self._predicates = Predicates(ready.scene.layout)
        self._triggers = TriggerRunner(
            scenario.triggers,
            all_evaluators(),
            self._moves,
            ready.scene.snapshot,
            self._book.handle,
        )
        waited = [p for p in ports if p.plan.stepping is Stepping.SERVICE and not p.plan.main]
        self._pace = Pace(waited)
        self._beside = [p for p in waited if p.plan.beside]
        self._lag = LagMeter()
        self._held = 0.0
        self._live = False
        self._unwaited = [p for p in ports if p.plan.stepping is not Stepping.SERVICE]
        self._switches = Switches(ready.scene.layout, ports)
        self._not_set_out: set[int] = set()
        self._from_outside = False
        self._untold: int | None = None
        asked = options.duration
        self._end_ns = None if asked is None else round(asked * 1e9)
        self.start = self._start()

    def _start(self) -> RunStart:
        options, file = self._options, self._scenario.file
        spec = source_spec(self._scenario, options) or {}
        duration = self._ready.duration_ns
        if options.duration is not None:
            asked = round(options.duration * 1e9)
            duration = asked if duration is None else min(asked, duration)
        return RunStart(
            scenario=self._scenario.name,
            scenario_file=str(self._scenario.path),
            source=spec.get("recording", f"{LIVE}:{spec[LIVE]}" if LIVE in spec else ""),
            seed=file.seed if options.seed is None else options.seed,
            rate=self._clock.rate,
            duration_ns=duration,
            layout=self._scene.layout,
            models=self._ready.records,
            robot_description=self._ready.robot_description,
            warnings=self._ready.warnings,
            snapshot=self._scene.kept_snapshot(),
        )

    @property
    def scene(self) -> Snapshot:
        """The scene as it is now, not to be kept."""
        return self._scene.snapshot()

    def to_the_end(self, controls: Controls, idle: Callable[[float], None]) -> RunSummary:
        """Run; see `Conductor.run`.

        Args:
            controls: what others want of the run.
            idle: spends up to so many seconds while the run is paused.

        Raises:
            BadInput: if a model cannot start with what it was given; nobody was told of a start then.
        """
        ended, error = "failed", None
        begun = time.monotonic()
        try:
            failures = self._start_models()
            self._listeners.started(self.start)
        except BaseException:
            self._stop_models()
            raise
        try:
            for failure in failures:
                self._fail(failure)
            self._begin()
            begun = time.monotonic()
            ended = self._loop(controls, idle)
        except RunFailed as failure:
            error = failure
        except Exception as failure:  # whatever it is, the log is to be closed
            error = self._unforeseen(failure)
        except BaseException as failure:
            self._end("failed", self._unforeseen(failure), time.monotonic() - begun)
            raise
        finally:
            while not controls.placements.empty():
                controls.placements.get_nowait().tell("the simulation is over")
        return self._end(ended, error, time.monotonic() - begun)

    def _start_models(self) -> list[RunFailed]:
        """Start them; what fails is told only after the run has begun, so that the log tells it."""
        scene = self._scene.snapshot()
        failures: list[RunFailed] = []
        for port in self._ports:
            try:
                port.start(scene)
            except BadInput as error:
                raise self._ready.placed(port.plan, error) from error
            except RunFailed as failure:
                failures.append(failure)
                if self._failures.ends_the_run(failure):
                    break
        return failures

    def _fail(self, failure: RunFailed) -> None:
        """A model has failed: raises the failure, unless the scenario says that the run goes on."""
        self._failures.handle(failure)
        given_up = self._moves.given_up
        self._pace.drop(given_up)
        self._beside = [p for p in self._beside if p.plan.index not in given_up]
        self._unwaited = [p for p in self._unwaited if p.plan.index not in given_up]
        self._not_set_out |= {p.plan.index for p in self._beside if p.plan.name == failure.model}

    def _begin(self) -> None:
        if self._ready.engine:
            text = f"computes with {self._ready.engine}"
            self._listeners.note(0, "info", self._scenario.main.name, text)
        for text in self._ready.warnings:
            source, _, warning = text.partition(": ")
            self._listeners.note(0, "warning", source, warning)
        for slot, model in self._initial_moves:
            self._moves.move(slot, model, "scenario")
        self._scene.resolve(0)
        self._digest.values(0, self._scene.snapshot().values)

    def _loop(self, controls: Controls, idle: Callable[[float], None]) -> str:
        """All steps; how the run ended."""
        step, over = 0, False
        try:
            while not over:
                if controls.gate.holds:
                    self._hold(controls, idle)
                if controls.stop.is_set():
                    self._tell()
                    return "stopped"
                controls.gate.passed()
                step += 1
                over = self._step(step, controls)
        except BaseException:
            with suppress(RunFailed):  # what ends the run is told, not what follows from it
                self._tell()
            raise
        self._tell()
        return "recording" if self._moves.stopped_by is None else "stopped"

    def _hold(self, controls: Controls, idle: Callable[[float], None]) -> None:
        """Wait until the run may go on; what others place meanwhile is seen at once."""
        self._tell()
        begun = time.monotonic()
        controls.gate.waiting = True
        while controls.gate.holds and not controls.stop.is_set():
            self._place(controls)
            idle(IDLE_S)
        controls.gate.waiting = False
        self._held += time.monotonic() - begun

    def _step(self, step: int, controls: Controls) -> bool:
        """One step of the ensemble (design: from t to t'); whether it was the last."""
        now, then = self._clock.time_of(step - 1), self._clock.time_of(step)
        due = self._switches.on(self._pace.due(step), self._scene)
        # Beside the main model: all through its period, which may be many main steps long.
        setting_out = [p for p in self._beside if (step - 1) % p.plan.every == 0]
        if setting_out:
            kept = self._scene.kept_snapshot()
            for port in setting_out:
                self._not_set_out.discard(port.plan.index)
                port.begin_step(self._tick(port, step - 1 + port.plan.every, kept))
            _send(setting_out)
        output = self._step_main(step, now, then)
        events = self._book.of_model(self._main.plan.index, output.events)
        scene = self._scene.snapshot()
        for port in due:
            if not port.plan.beside:
                port.begin_step(self._tick(port, step, scene))
        _send(due)
        events += self._barrier(due, step, then)
        self._place(controls)
        events += self._outside(controls.arrivals)
        self._scene.resolve(then)
        self._triggers.run(self._book.ordered(events), then)
        self._scene.resolve(then)
        self._untold = step
        if output.input_ns is not None or not self._main.is_elsewhere:
            self._tell()
        self._keep_up(step, output)
        return output.ended or self._moves.stopped_by is not None or self._is_last(then)

    def _is_last(self, time_ns: int) -> bool:
        return self._end_ns is not None and time_ns >= self._end_ns

    def _keep_up(self, step: int, output: StepOutput) -> None:
        """Measure how far the twin is behind a live robot, and let others step less often if it is too far."""
        if output.input_ns is None:
            return
        self._live = True
        self._lag.published(output.input_ns)
        if self._pace.adapt(step, output.late):
            often = self._pace.stretch
            text = "models step at their rates again"
            if often > 1:
                text = f"the twin is late: models step {often} times less often"
            self._warn("conductor", text)

    def _step_main(self, step: int, now: int, then: int) -> StepOutput:
        port = self._main
        scene = self._scene.snapshot()
        seen = self._book.unseen_by(port.plan.index)
        tick = StepInput(then, then - now, scene, seen, self._scene.told_to_main)
        port.begin_step(tick, self._further(step))
        port.send()
        self._tell()  # while the main model is at work
        output = port.end_step()
        self._answers.take_main(port.plan, output, then)
        self._scene.resolve(then)
        self._moves.requests(port, output.requests)
        return output

    def _further(self, step: int) -> Sequence[int]:
        """Times of the main model's steps after this one that nothing comes between but what it tells itself."""
        port = self._main
        if not port.can_run_ahead or port.ahead or self._unwaited:
            return ()
        if not self._triggers.waits_for_events:
            return ()
        last = min(step + MOST_STEPS, self._pace.next_due(step))
        times = [self._clock.time_of(s) for s in range(step, last + 1)]
        return [then for before, then in pairwise(times) if not self._is_last(before)]

    def _barrier(self, due: Sequence[ModelPort], step: int, then: int) -> list[tuple[int, Event]]:
        """Wait for all that are due, then write their answers in the scenario's order."""
        answers, failures = self._answers_of(due)
        outputs: list[tuple[ModelPort, StepOutput]] = []
        for port, output in answers:
            try:
                self._answers.take(port.plan, output, then)
            except RunFailed as failure:
                failures.append(failure)
            else:
                outputs.append((port, output))
        for failed in failures:
            self._fail(failed)
        outputs += self._collect(step)
        events: list[tuple[int, Event]] = []
        for port, output in outputs:
            try:
                events += self._book.of_model(port.plan.index, output.events)
                self._moves.requests(port, output.requests)
            except RunFailed as failure:
                self._fail(failure)
        return events

    def _answers_of(
        self, due: Sequence[ModelPort]
    ) -> tuple[list[tuple[ModelPort, StepOutput]], list[RunFailed]]:
        """Wait for all; a failure that ends the run is not waited after."""
        answers: list[tuple[ModelPort, StepOutput]] = []
        failures: list[RunFailed] = []
        for port in due:
            if port.plan.index in self._not_set_out:
                continue  # restarted within its period
            try:
                answers.append((port, port.end_step()))
            except RunFailed as failure:
                if self._failures.ends_the_run(failure):
                    raise
                failures.append(failure)
        return answers, failures

    def _collect(self, step: int) -> list[tuple[ModelPort, StepOutput]]:
        """Answers of those that nobody waits for; they are told the new time."""
        outputs: list[tuple[ModelPort, StepOutput]] = []
        for port in self._unwaited:
            try:
                for output in port.collect():
                    self._answers.take(port.plan, output, None)
                    outputs.append((port, output))
            except RunFailed as failure:
                self._fail(failure)
                continue
            if port.plan.stepping is Stepping.FREE or step % port.plan.every == 0:
                port.begin_step(self._tick(port, step, self._scene.kept_snapshot()))
        return outputs

    def _tick(self, port: ModelPort, step: int, scene: Snapshot) -> StepInput:
        then = self._clock.time_of(step)
        every = port.plan.every
        if port.plan.stepping is Stepping.SERVICE:
            every = self._pace.steps_since(port, step)
        period = then - self._clock.time_of(step - every)
        return StepInput(then, period, scene, self._book.unseen_by(port.plan.index))

    def _outside(self, arrivals: SimpleQueue[Event]) -> list[tuple[int, Event]]:
        events: list[tuple[int, Event]] = []
        # with the main model ahead, a handover would find it at a later time
        if arrivals.empty() or self._main.ahead:
            return events
        with suppress(Empty):
            while True:
                events.append(self._book.from_outside(arrivals.get_nowait()))
                self._from_outside = True
        return events

    def _place(self, controls: Controls) -> None:
        """Put what others want in place; the owners go on from there."""
        while not controls.placements.empty():
            wish = controls.placements.get_nowait()
            try:
                if self._main.ahead:
                    steps = self._main.ahead
                    raise Refused(
                        f"the main model is {steps} steps ahead; step so many and try again"
                    )
                self._moves.place(wish.slot, wish.data)
            except Refused as refusal:
                wish.tell(str(refusal))
                continue
            except RunFailed as failure:
                wish.tell(str(failure))
                self._fail(failure)
                continue
            place = self._scene.layout.slots[wish.slot]
            arguments: dict[str, Json] = {"entity": place.entity, "attribute": place.attribute.name}
            controls.arrivals.put(Event("placed", self._scene.time_ns, arguments=arguments))
            wish.tell(None)

    def _tell(self) -> None:
        """Tell of the last complete step, once."""
        step, self._untold = self._untold, None
        if step is None:
            return
        scene = self._scene.snapshot()
        self._predicates.look(scene.values)
        self._digest.values(scene.time_ns, scene.values)
        self._listeners.stepped(step, scene)

    def _warn(self, source: str, text: str) -> None:
        self._listeners.note(self._scene.time_ns, "warning", source, text)

    def _unforeseen(self, error: BaseException) -> RunFailed:
        if isinstance(error, BadInput):
            return RunFailed("conductor", "run", self._scene.time_ns, str(error))
        reason = f"{type(error).__name__}: {error}"
        return RunFailed("conductor", "run", self._scene.time_ns, reason)

    def _stop_models(self) -> None:
        """Stop all; a model that fails now is told of, but the run has ended as it has ended."""
        for port in self._ports:
            failure = port.stop()
            if failure is not None and port.plan.index not in self._moves.given_up:
                self._failures.too_late(failure)

    def _end(self, ended: str, error: RunFailed | None, wall: float) -> RunSummary:
        self._stop_models()
        summary = self._summary(ended, error, wall)
        try:
            self._listeners.ended(summary)
        except RunFailed as failure:
            summary = self._summary("failed", error or failure, wall)
        return summary

    def _summary(self, ended: str, error: RunFailed | None, wall: float) -> RunSummary:
        simulated = self._scene.time_ns / 1e9
        if error is not None:
            with suppress(RunFailed):  # if the log itself has failed, the summary says so
                self._listeners.note(self._scene.time_ns, "error", "conductor", str(error))
        wall -= self._held
        missed = {f"missed steps of {p.plan.name}": p.missed_steps for p in self._unwaited}
        return RunSummary(
            scenario=self._scenario.name,
            ended=ended,
            error=error_row(error),
            simulated_time=simulated,
            wall_time=wall,
            real_time_factor=simulated / wall if wall > 0 else 0.0,
            digest=self._digest.hexdigest(),
            deterministic=self._ready.reproducible
            and not (self._unwaited or self._from_outside or self._live),
            transport=self._options.transport,
            engine=self._ready.engine,
            processes=tuple({"model": r.name, "pid": r.pid} for r in self._ready.records),
            events=tuple(event_to_summary(e) for e in self._book.events),
            handovers=tuple(handover_row(h) for h in self._moves.handovers),
            state=dict(self._predicates.state(self._scene.snapshot().values)),
            counters={
                "dropped answers": self._answers.dropped.total(),
                "refusals": self._moves.refused,
                **missed,
                **{f"steps left out by {name}": n for name, n in self._pace.missed.items()},
            },
            live=self._lag.summary(),
            warnings=self._ready.warnings,
            failures=tuple(self._failures.rows),
        )


def _send(ports: Sequence[ModelPort]) -> None:
    for port in ports:
        port.send()
