"""Models in the conductor's own process, called directly."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from hetwin_core.ensemble import model_abilities as abilities
from hetwin_core.ensemble.errors import BadInput, RunFailed, error_with_location
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.model import (
    Changes,
    Contribution,
    Model,
    Stepping,
    Tick,
)
from hetwin_core.ensemble.saving.plain import Plain
from hetwin_core.ensemble.saving.rebuild import rebuild
from hetwin_core.ensemble.saving.record import record
from hetwin_core.ensemble.scenario.model_plan import ModelPlan
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.scene.snapshot import Snapshot, read_tables
from hetwin_core.ensemble.scene.values import Value
from hetwin_core.ensemble.supervision.heartbeat import (
    BEGUN,
    CALL,
    CODES,
    TIME,
    Heartbeat,
    Row,
    unseen_row,
)
from hetwin_core.ensemble.transport.port import MAY_RAISE, ModelPort, failure_of
from hetwin_core.ensemble.transport.remote.own_process import OwnProcess
from hetwin_core.ensemble.transport.remote.port import RemotePort

Result = TypeVar("Result")


class LocalPort(ModelPort):
    """A model in the conductor's process.

    A service-stepped model runs in the caller's thread, or in a separate one if it is coupled beside the main model.
    A clock-stepped or free model runs in a separate thread that the conductor does not wait for. A hanging model
    cannot be interrupted; a call that returns late is reported as a failure.

    Args:
        plan: the model's plan from the scenario.
        row: receives the call in progress, for a process that watches this one.
    """

    def __init__(self, plan: ModelPlan, row: Row | None = None) -> None:
        self.plan = plan
        self._row = unseen_row() if row is None else row
        self._deadline_ns = 1e9 * plan.deadline
        self._time_ns = 0
        self._pending: Tick | None = None
        self._parallel = self._make_parallel_thread()
        self._loop: _AsynchronousThread | None = None
        # a model in a thread of its own must not be stepped while it takes or releases
        self._call_lock = threading.Lock()
        self._model: Model | None = None

    @property
    def model(self) -> Model:
        """The model itself."""
        if self._model is None:
            self._model = self._call("register", self.plan.cls)
        return self._model

    def register(self) -> tuple[str, int]:
        """Make the instance; return host and process id."""
        _ = self.model
        return socket.gethostname(), os.getpid()

    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        """Initialize the model with the resolved parameters."""
        contribution = self._call("initialize", self.model.contribute, parameters, seed)
        self.reads_tables = read_tables(contribution.reads)
        return contribution

    def start(self, scene: Snapshot) -> None:
        """Start the model, and the thread of a model on the clock or free."""
        self._call("start", self.model.start, scene)
        if self.plan.stepping is not Stepping.SERVICE:
            self._loop = _AsynchronousThread(self.plan, self._step)

    def begin_step(self, tick: Tick) -> None:
        """Request a step; a model with a separate thread begins it at once, any other one in `end_step`."""
        self._time_ns = tick.time_ns
        if self._loop is not None:
            self._loop.post(tick)
        elif self._parallel is not None:
            self._parallel.begin(tick)
        else:
            self._pending = tick

    def end_step(self) -> Changes:
        """Take the step, or wait for it; return its output."""
        tick, self._pending = self._pending, None
        if tick is not None:
            changes = self._call("step", (self._model or self.model).step, tick)
            return Changes(tick.time_ns) if changes is None else changes
        if self._parallel is not None and self._parallel.is_requested:
            return self._parallel.end()
        raise RunFailed(self.plan.name, "step", self._time_ns, "no step was requested")

    def collect(self) -> list[Changes]:
        """Outputs of a model on the clock or free since the last call."""
        return self._loop.collect() if self._loop is not None else []

    @property
    def missed_steps(self) -> int:
        """Steps that a model on the clock has missed."""
        return self._loop.missed if self._loop is not None else 0

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Make the model responsible."""
        self._call_between_steps("take", abilities.take, entity, attribute, value, scene)

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        """End the model's responsibility."""
        return self._call_between_steps("release", abilities.release, entity, attribute, scene)

    def place(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Let the model continue from another value."""
        self._call_between_steps("place", abilities.place, entity, attribute, value, scene)

    def change(self, parameters: Mapping[str, Any]) -> None:
        """Let the model continue with other parameters."""
        self._call_between_steps("change", abilities.change, parameters)

    def command(self, name: str, arguments: Mapping[str, Json]) -> None:
        """Carry out a command of the model's own."""
        self._call_between_steps("command", abilities.command, name, arguments)

    def compares(self, scene: Snapshot) -> Mapping[str, float] | None:
        """Return the values that the model compares with its thresholds now."""
        return self._call_between_steps("compares", abilities.compares, scene)

    def report_to(self, row: Row) -> None:
        """Write the call in progress to another row from now on; for a forked process."""
        self._row = row

    def _save(self) -> dict[str, Plain]:
        saved: dict[str, Plain] = {
            "state": dict(self._call_between_steps("save", abilities.save)),
            "time_ns": self._time_ns,
        }
        if self._parallel is not None and self._parallel.is_requested:
            saved["output"] = record(self._parallel.peek(), name="output")
        return saved

    def _restore(
        self, state: Mapping[str, Plain], time_ns: int, output: Plain, scene: Snapshot
    ) -> None:
        self._call_between_steps("restore", abilities.restore, state, scene)
        self._time_ns = time_ns
        if self._parallel is not None and output is not None:
            self._parallel.restore_output(rebuild(output, name="output"))

    def _call_between_steps(
        self, call: str, work: Callable[..., Result], *arguments: object
    ) -> Result:
        """Call the model after the requested step has ended: the digest must not depend on which thread is faster."""
        if self._parallel is not None:
            self._parallel.await_step()
        return self._call(call, work, self._model or self.model, *arguments)

    def stop(self) -> RunFailed | None:
        """Stop the model and its threads."""
        if self._loop is not None and not self._loop.end():
            return None  # it is still in a step and cannot be called
        if self._parallel is not None:
            self._parallel.stop()
        if self._model is not None:
            try:
                self._call("stop", self._model.stop)
            except RunFailed as failure:  # returned, so that the other models are stopped too
                return failure
        return None

    def give_up(self) -> None:
        """Stop the model, unless it is still in a step, and drop it."""
        self.stop()
        self._model = self._loop = self._pending = self._parallel = None

    def restart_process(self) -> None:
        """Make a new instance at the next registration."""
        self._call_lock = threading.Lock()  # the former instance may never release the old lock
        self._parallel = self._make_parallel_thread()

    def _make_parallel_thread(self) -> _ParallelThread | None:
        if not self.plan.beside or self.plan.stepping is not Stepping.SERVICE:
            return None
        return _ParallelThread(self.plan.name, self._step)

    def _step(self, tick: Tick) -> Changes:
        changes = self._call("step", self.model.step, tick, time_ns=tick.time_ns)
        return Changes(tick.time_ns) if changes is None else changes

    def _call(
        self,
        call: str,
        work: Callable[..., Result],
        *arguments: object,
        time_ns: int | None = None,
    ) -> Result:
        """Call the model; an exception that the contract does not allow in this call becomes the model's failure."""
        now = self._time_ns if time_ns is None else time_ns
        row = self._row
        try:
            with self._call_lock:
                row[TIME] = now
                row[CALL] = CODES[call]
                row[BEGUN] = start_ns = time.monotonic_ns()
                try:
                    result = work(*arguments)
                finally:
                    row[BEGUN] = 0
        except RunFailed as error:
            raise failure_of(self.plan, call, error) from error
        except MAY_RAISE.get(call, ()):
            raise
        except (Exception, SystemExit) as error:
            raise RunFailed(self.plan.name, call, now, error_with_location(error)) from error
        duration_ns = time.monotonic_ns() - start_ns
        if duration_ns > self._deadline_ns and duration_ns > 1e9 * (
            deadline := self.plan.deadline_of(call)
        ):
            reason = f"returned after {duration_ns / 1e9:.1f} s; the deadline is {deadline:g} s"
            raise RunFailed(self.plan.name, call, now, reason)
        return result


class _ParallelThread:
    """Steps a model coupled beside the main one in a thread, which starts with the first step."""

    def __init__(self, name: str, step: Callable[[Tick], Changes]) -> None:
        self._step = step
        # Queues instead of an executor, whose futures cost the conductor's thread 50 % more at every step.
        self._ticks: SimpleQueue[Tick | None] = SimpleQueue()
        self._outputs: SimpleQueue[Changes | Exception] = SimpleQueue()
        self._output: Changes | Exception | None = None
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self.is_requested = False

    def begin(self, tick: Tick) -> None:
        """Request a step."""
        if self._thread.ident is None:
            self._thread.start()
        self.is_requested = True
        self._ticks.put(tick)

    def await_step(self) -> None:
        """Wait for the requested step, if there is one."""
        if self.is_requested and self._output is None:
            self._output = self._outputs.get()

    def peek(self) -> Changes:
        """Return the output of a step that has ended, or raise the model's error; `end` returns it again."""
        assert self._output is not None
        if isinstance(self._output, Exception):
            raise self._output
        return self._output

    def restore_output(self, output: Changes) -> None:
        """Restore the state after `peek`: a step was requested and has ended with this output."""
        self.is_requested, self._output = True, output

    def end(self) -> Changes:
        """Wait for the requested step; return its output, or raise the model's error."""
        self.await_step()
        output, self._output, self.is_requested = self._output, None, False
        assert output is not None
        if isinstance(output, Exception):
            raise output
        return output

    def stop(self) -> None:
        """End the thread after its current step."""
        if self._thread.is_alive():
            self._ticks.put(None)
            self._thread.join()

    def _run(self) -> None:
        while (tick := self._ticks.get()) is not None:
            try:
                self._outputs.put(self._step(tick))
            except Exception as error:
                self._outputs.put(error)


class _AsynchronousThread:
    """Steps a model in a thread: at every tick of the clock, or, if free, as soon as its last step is done."""

    def __init__(self, plan: ModelPlan, step: Callable[[Tick], Changes]) -> None:
        self.missed = 0
        self._is_free = plan.stepping is Stepping.FREE
        self._step = step
        self._wake = threading.Condition()
        self._next: Tick | None = None
        self._is_over = False
        self._outputs: SimpleQueue[Changes | Exception] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=plan.name, daemon=True)
        self._thread.start()

    def post(self, tick: Tick) -> None:
        """Offer the newest time; an earlier one that was not started is counted as missed, and its events are kept."""
        with self._wake:
            if self._next is not None:
                self.missed += not self._is_free
                tick = _merged_ticks(self._next, tick)
            self._next = tick
            self._wake.notify()

    def collect(self) -> list[Changes]:
        """Outputs since the last call; raises the model's error."""
        outputs: list[Changes] = []
        while True:
            try:
                output = self._outputs.get_nowait()
            except Empty:
                return outputs
            if isinstance(output, Exception):
                raise output
            outputs.append(output)

    def end(self) -> bool:
        """End the thread after its current step; return whether it has ended within a second."""
        with self._wake:
            self._is_over = True
            self._wake.notify()
        self._thread.join(timeout=1.0)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self._is_over or self._next is not None)
                if self._is_over or self._next is None:
                    return
                tick, self._next = self._next, None
            try:
                self._outputs.put(self._step(tick))
            except Exception as error:
                self._outputs.put(error)
                return


def _merged_ticks(missed: Tick, tick: Tick) -> Tick:
    """The later of two steps, with the events and the time of both."""
    period = missed.period_ns + tick.period_ns
    return replace(tick, period_ns=period, events=(*missed.events, *tick.events))


def local_ports(
    scenario: Scenario, heartbeat: Heartbeat | None = None, *, one_process: bool = False
) -> list[ModelPort]:
    """Return a port for each model, in the scenario's order.

    Args:
        scenario: names the models, and those with a process of their own.
        heartbeat: receives the calls in progress in this process.
        one_process: keep all models in this process, regardless of the scenario; the digest is the same. For a run
            that will be forked, or whose calls another process watches.

    Raises:
        BadInput: if a model is a ROS node of any language.
    """
    for plan in scenario.models:
        if plan.is_foreign and plan.seat is None:
            error = BadInput(
                "this model is a ROS node, which this run cannot reach",
                where=f"models.{plan.name}.type",
                found=plan.type,
                expected="a run over ROS: --transport ros, or ros2 launch",
            )
            raise scenario.placed(error)
    return [
        RemotePort(plan, OwnProcess(plan))
        if plan.own_process and not one_process
        else LocalPort(plan, None if heartbeat is None else heartbeat.row(plan.index))
        for plan in scenario.models
    ]
