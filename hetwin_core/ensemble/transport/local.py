"""Models in the conductor's own process, called directly."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.model import (
    Contribution,
    Model,
    ParameterRequest,
    StepInput,
    StepOutput,
    Stepping,
)
from hetwin_core.ensemble.scenario.scenario import ModelPlan
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Value
from hetwin_core.ensemble.supervision.heartbeat import BEGUN, CALL, CODES, TIME, Row, unseen_row
from hetwin_core.ensemble.transport.port import MAY_RAISE, ModelPort, failure_of

Result = TypeVar("Result")


class LocalPort(ModelPort):
    """A model that nothing lies in front of.

    Stepped by service, it runs in the caller's thread, or, coupled beside the main model, in one of its own;
    on the clock or free, in a thread of its own that nobody waits for.

    A model that hangs in here cannot be interrupted; a call that comes back late is told as a failure.

    Args:
        plan: the model as the scenario has it.
        row: where the call that is under way is written, for a process that watches this one.
    """

    def __init__(self, plan: ModelPlan, row: Row | None = None) -> None:
        self.plan = plan
        self._row = unseen_row() if row is None else row
        self._time_ns = 0
        self._pending: StepInput | None = None
        self._beside = self._own_thread()
        self._loop: _Loop | None = None
        # a model in a thread of its own must not be stepped while it takes or releases
        self._one_at_a_time = threading.Lock()
        self._model: Model | None = None

    @property
    def model(self) -> Model:
        """The model itself."""
        if self._model is None:
            self._model = self._call("register", self.plan.cls)
        return self._model

    def register(self) -> tuple[str, int]:
        """Make the instance."""
        _ = self.model
        return socket.gethostname(), os.getpid()

    def parameters(self) -> Sequence[ParameterRequest]:
        """Ask which parameters the model needs."""
        return self._call("parameters", self.model.parameters)

    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        """Hand the resolved parameters over."""
        return self._call("initialize", self.model.initialize, parameters, seed)

    def start(self, scene: Snapshot) -> None:
        """Begin the run, and the thread of a model that nobody waits for."""
        self._call("start", self.model.start, scene)
        if self.plan.stepping is not Stepping.SERVICE:
            self._loop = _Loop(self.plan, self._step)

    def begin_step(self, tick: StepInput, further: Sequence[int] = ()) -> None:
        """Ask for a step; only a model beside the main one, on the clock or free begins it at once."""
        self._time_ns = tick.time_ns
        if self._loop is not None:
            self._loop.post(tick)
        elif self._beside is not None:
            self._beside.begin(tick)
        else:
            self._pending = tick

    def end_step(self) -> StepOutput:
        """Do the step, or wait for it."""
        if self._beside is not None and self._beside.is_asked:
            return self._beside.end()
        if self._pending is None:
            raise RunFailed(self.plan.name, "step", self._time_ns, "no step was asked for")
        tick, self._pending = self._pending, None
        return self._step(tick)

    def collect(self) -> list[StepOutput]:
        """Answers of a model that nobody waits for."""
        return self._loop.collect() if self._loop is not None else []

    @property
    def missed_steps(self) -> int:
        """Steps that a model on the clock has missed."""
        return self._loop.missed if self._loop is not None else 0

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Make the model responsible."""
        self._let_step_end()
        self._call("take", self.model.take, entity, attribute, value, scene)

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        """End the model's responsibility."""
        self._let_step_end()
        return self._call("release", self.model.release, entity, attribute, scene)

    def command(self, name: str, arguments: Mapping[str, Json]) -> None:
        """Ask for something of the model's own."""
        self._let_step_end()
        self._call("command", self.model.command, name, arguments)

    def stop(self) -> RunFailed | None:
        """End the run and the threads."""
        if self._loop is not None and not self._loop.end():
            return None  # still in a step, so that it cannot be called
        if self._beside is not None:
            self._beside.stop()
        if self._model is not None:
            try:
                self._call("stop", self._model.stop)
            except RunFailed as failure:  # it must not keep the others from ending
                return failure
        return None

    def _let_step_end(self) -> None:
        """A step that was asked for comes first, whichever thread is quicker: a digest must not depend on it."""
        if self._beside is not None:
            self._beside.let_end()

    def give_up(self) -> None:
        """Stop the model, if it is not still in a step, and forget it."""
        self.stop()
        self._model = self._loop = self._pending = self._beside = None

    def renew(self) -> None:
        """The next registration makes another instance."""
        self._one_at_a_time = threading.Lock()  # the former one may be held for ever
        self._beside = self._own_thread()

    def _own_thread(self) -> _Beside | None:
        if not self.plan.beside or self.plan.stepping is not Stepping.SERVICE:
            return None
        return _Beside(self.plan.name, self._step)

    def _step(self, tick: StepInput) -> StepOutput:
        return self._call("step", self.model.step, tick, time_ns=tick.time_ns)

    def _call(
        self,
        call: str,
        work: Callable[..., Result],
        *arguments: object,
        time_ns: int | None = None,
    ) -> Result:
        """Do the work; what the contract does not let a model raise in this call is a failure of the model."""
        now = self._time_ns if time_ns is None else time_ns
        row = self._row
        try:
            with self._one_at_a_time:
                row[TIME] = now
                row[CALL] = CODES[call]
                row[BEGUN] = begun = time.monotonic_ns()
                try:
                    result = work(*arguments)
                finally:
                    row[BEGUN] = 0
        except RunFailed as error:
            raise failure_of(self.plan, call, error) from error
        except MAY_RAISE.get(call, ()):
            raise
        except (Exception, SystemExit) as error:
            reason = f"{type(error).__name__}: {error}"
            raise RunFailed(self.plan.name, call, now, reason) from error
        took = (time.monotonic_ns() - begun) / 1e9
        if took > self.plan.deadline and took > (deadline := self.plan.deadline_of(call)):
            reason = f"answered after {took:.1f} s; the deadline is {deadline:g} s"
            raise RunFailed(self.plan.name, call, now, reason)
        return result


class _Beside:
    """Steps a model in its own thread, which begins with its first step."""

    def __init__(self, name: str, step: Callable[[StepInput], StepOutput]) -> None:
        self._step = step
        # Not a pool of one: its futures cost the conductor's thread half as much again at every step.
        self._ticks: SimpleQueue[StepInput | None] = SimpleQueue()
        self._answers: SimpleQueue[StepOutput | Exception] = SimpleQueue()
        self._answer: StepOutput | Exception | None = None
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self.is_asked = False

    def begin(self, tick: StepInput) -> None:
        """Ask for a step."""
        if self._thread.ident is None:
            self._thread.start()
        self.is_asked = True
        self._ticks.put(tick)

    def let_end(self) -> None:
        """Wait for the step that was asked for, if there is one."""
        if self.is_asked and self._answer is None:
            self._answer = self._answers.get()

    def end(self) -> StepOutput:
        """Wait for the answer of the step that was asked for; raises what the model raised."""
        self.let_end()
        answer, self._answer, self.is_asked = self._answer, None, False
        assert answer is not None
        if isinstance(answer, Exception):
            raise answer
        return answer

    def stop(self) -> None:
        """Let the thread end after its present step."""
        if self._thread.is_alive():
            self._ticks.put(None)
            self._thread.join()

    def _run(self) -> None:
        while (tick := self._ticks.get()) is not None:
            try:
                self._answers.put(self._step(tick))
            except Exception as error:
                self._answers.put(error)


class _Loop:
    """Steps a model in its own thread: each time the clock ticks, or, if free, whenever it is done."""

    def __init__(self, plan: ModelPlan, step: Callable[[StepInput], StepOutput]) -> None:
        self.missed = 0
        self._free = plan.stepping is Stepping.FREE
        self._step = step
        self._wake = threading.Condition()
        self._next: StepInput | None = None
        self._over = False
        self._answers: SimpleQueue[StepOutput | Exception] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=plan.name, daemon=True)
        self._thread.start()

    def post(self, tick: StepInput) -> None:
        """Offer the newest time; one that was never begun is missed, but not its events."""
        with self._wake:
            if self._next is not None:
                self.missed += not self._free
                tick = _merged(self._next, tick)
            self._next = tick
            self._wake.notify()

    def collect(self) -> list[StepOutput]:
        """Answers so far; raises what the model raised."""
        answers: list[StepOutput] = []
        while True:
            try:
                answer = self._answers.get_nowait()
            except Empty:
                return answers
            if isinstance(answer, Exception):
                raise answer
            answers.append(answer)

    def end(self) -> bool:
        """Let the thread end after its present step; whether it has."""
        with self._wake:
            self._over = True
            self._wake.notify()
        self._thread.join(timeout=1.0)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self._over or self._next is not None)
                if self._over or self._next is None:
                    return
                tick, self._next = self._next, None
            try:
                self._answers.put(self._step(tick))
            except Exception as error:
                self._answers.put(error)
                return


def _merged(missed: StepInput, tick: StepInput) -> StepInput:
    """The later of two steps, with the events and the time of both."""
    period = missed.period_ns + tick.period_ns
    return replace(tick, period_ns=period, events=(*missed.events, *tick.events))
