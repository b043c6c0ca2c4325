"""A model in another process: the server of the conductor's calls over any transport, and a process on this machine."""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from hetwin_core.ensemble import json_codec
from hetwin_core.ensemble import model_abilities as abilities
from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.model import Changes, Model, Tick
from hetwin_core.ensemble.saving.plain import from_text, to_text
from hetwin_core.ensemble.scene.layout import layout_from_json
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Value
from hetwin_core.ensemble.supervision.heartbeat import where_it_hangs
from hetwin_core.ensemble.supervision.watched import WatchedProcess, blocking_signals, detach
from hetwin_core.ensemble.transport import step_codec
from hetwin_core.ensemble.transport.remote.memory import FlatMessage, MemoryChannel, TooLarge
from hetwin_core.ensemble.transport.remote.port import Peer

if TYPE_CHECKING:
    from hetwin_core.ensemble.scenario.model_plan import ModelPlan

CALLS = (
    *("register", "initialize", "start", "step", "take", "release", "place", "change"),
    *("command", "compares", "save", "restore", "stop"),
)
"""Calls of the conductor; the server has a method for each."""
LAST_STEP_S = 1.0
"""Maximum time to wait for the end of a model's current step before the model is stopped [s]."""


class Call(step_codec.StepFields, Protocol):
    """A call of the model: ``hetwin/ModelCall``."""

    call: str
    more: str


class Result(step_codec.OutputFields, Protocol):
    """The result of a call: ``hetwin/ModelOutput``."""

    error: str


class ModelServer:
    """Carries out the calls of one model, one after the other.

    Args:
        make: returns the model.
        done: called with the name of each call that the model has carried out.

    Attributes:
        is_over: whether the model was stopped.
        period_ns: time between two steps of a model that the conductor does not wait for [ns].
    """

    def __init__(
        self, make: Callable[[], Model], done: Callable[[str], object] | None = None
    ) -> None:
        self.is_over = False
        self.period_ns = 0
        self._make, self._done = make, done
        self._model: Model | None = None
        self._at_start: Snapshot | None = None
        # clock-stepped and free models step in a separate thread
        self._call_lock = threading.Lock()
        self._calls: Mapping[str, Callable[[Any, Any], None]] = {
            name: getattr(self, f"_{name}") for name in CALLS
        }

    @property
    def model(self) -> Model:
        """The model, which is made on first access."""
        if self._model is None:
            self._model = self._make()
        return self._model

    @property
    def at_start(self) -> Snapshot:
        """The scene at the start.

        Raises:
            RuntimeError: before the start, and while the model is inactive.
        """
        if self._at_start is None:
            raise RuntimeError("the model is not active; expected a start before this call")
        return self._at_start

    def deactivate(self) -> None:
        """Refuse steps until the next start."""
        self._at_start = None

    def carry_out(self, call: Call, result: Result) -> None:
        """Carry out a call; an error is put into the result."""
        guard = nullcontext() if call.call == "stop" else self._call_lock
        try:
            with guard:
                self._calls[call.call](call, result)
            if self._done is not None:
                self._done(call.call)
        except (Exception, SystemExit) as error:
            result.error = json_codec.error_to_text(error)

    def serve_next(self, channel: MemoryChannel, timeout_s: float | None = None) -> bool:
        """Carry out the next call that arrives in shared memory; return false if none does within the timeout."""
        call = channel.next_request(timeout_s)
        if call is None:
            return False
        result = FlatMessage()
        self.carry_out(call, result)
        try:
            channel.reply(result)
        except TooLarge as error:
            channel.reply(FlatMessage(error=json_codec.error_to_text(error)))
        return True

    def step_unasked(self, tick: Tick, result: Result) -> None:
        """Take a step that the conductor does not wait for; an error is put into the result."""
        try:
            with self._call_lock:
                output = self._advance(tick)
            step_codec.fill_output(result, output, tick.scene.layout)
        except (Exception, SystemExit) as error:
            result.error = json_codec.error_to_text(error)

    def _register(self, call: Call, result: Result) -> None:
        _ = self.model

    def _initialize(self, call: Call, result: Result) -> None:
        content = json.loads(call.more)
        contribution = self.model.contribute(content["parameters"], content["seed"])
        result.more = json_codec.contribution_to_text(contribution)

    def _start(self, call: Call, result: Result) -> None:
        content = json.loads(call.more)
        layout, models = layout_from_json(content["layout"]), tuple(content["models"])
        none, nothing = np.empty(0, np.int32), np.empty(0)
        tick = step_codec.read_step(call, Snapshot(layout, models, 0, nothing, none, none))
        self.period_ns = content["period_ns"]
        self._at_start = tick.scene
        self.model.start(tick.scene)

    def _step(self, call: Call, result: Result) -> None:
        tick = step_codec.read_step(call, self.at_start)
        step_codec.fill_output(result, self._advance(tick), tick.scene.layout)

    def _advance(self, tick: Tick) -> Changes:
        changes = self.model.step(tick)
        return tick.changes() if changes is None else changes

    def _take(self, call: Call, result: Result) -> None:
        abilities.take(self.model, *self._attribute_given(call))

    def _place(self, call: Call, result: Result) -> None:
        abilities.place(self.model, *self._attribute_given(call))

    def _attribute_given(self, call: Call) -> tuple[str, str, Value, Snapshot]:
        """The attribute that the model is given, its value and the scene."""
        tick = step_codec.read_step(call, self.at_start)
        (((entity, attribute), value),) = tick.foreign.items()
        copy = Value(value.data.copy(), value.time_ns, value.parent)
        return entity, attribute, copy, tick.scene

    def _release(self, call: Call, result: Result) -> None:
        tick = step_codec.read_step(call, self.at_start)
        entity, attribute = json.loads(call.more)
        value = abilities.release(self.model, entity, attribute, tick.scene)
        output = Changes(tick.time_ns, {(entity, attribute): value})
        step_codec.fill_output(result, output, tick.scene.layout)

    def _change(self, call: Call, result: Result) -> None:
        abilities.change(self.model, json.loads(call.more))

    def _command(self, call: Call, result: Result) -> None:
        content = json.loads(call.more)
        abilities.command(self.model, content["command"], content["arguments"])

    def _compares(self, call: Call, result: Result) -> None:
        tick = step_codec.read_step(call, self.at_start)
        found = abilities.compares(self.model, tick.scene)
        result.more = json.dumps(None if found is None else dict(found))

    def _save(self, call: Call, result: Result) -> None:
        result.more = to_text(dict(abilities.save(self.model)))

    def _restore(self, call: Call, result: Result) -> None:
        tick = step_codec.read_step(call, self.at_start)
        abilities.restore(self.model, from_text(call.more), tick.scene)

    def _stop(self, call: Call, result: Result) -> None:
        self.is_over = True
        self._call_lock.acquire(timeout=LAST_STEP_S)
        self.model.stop()


CALLER = "remote/own_process.py"
"""File that calls the model; only threads with this file in their stack are searched."""
REGULAR_END_S = 1.0


class OwnProcess(Peer):
    """A process forked from this one that serves a model; it ends with this one, even if the model hangs.

    Forking takes a few milliseconds instead of the time of all imports, and the child has every class of this
    process.
    """

    def __init__(self, plan: ModelPlan) -> None:
        super().__init__(plan)
        self._pid = 0
        self._process: WatchedProcess | None = None
        self._channel: MemoryChannel
        self._stacks = -1

    def connect(self) -> tuple[str, int]:
        """Start the process."""
        self._channel = MemoryChannel.make()
        self._stacks, stacks = os.pipe()
        parent = os.getpid()
        with blocking_signals():
            self._pid = os.fork()
            if self._pid == 0:
                _serve_and_exit(self.plan.cls, self._channel, stacks, parent)
        os.close(stacks)
        self._process = WatchedProcess(socket.gethostname(), self._pid)
        return socket.gethostname(), self._pid

    @property
    def is_reachable(self) -> bool:
        """Whether there is a process; a hanging one was killed and does not count."""
        return self._process is not None

    def send(self, call: FlatMessage) -> None:
        """Send a call."""
        if self._process is None:
            raise self.failure(call.call, "it has been stopped")
        self._channel.request(call)

    def result(self, call: str, deadline: float) -> FlatMessage | None:
        """Wait for the result of the call."""
        process = self._process
        assert process is not None
        result = self._channel.reply_until(deadline, lambda: not process.has_ended())
        if result is None and process.has_ended():
            reason = process.how_it_ended()
            self.end(None)
            raise self.failure(call, reason)
        return result

    def timeout_failure(self, call: str, deadline_s: float) -> RunFailed:
        """Kill the process; the failure names the location where it hung."""
        location = where_it_hangs(self._pid, self._stacks, CALLER)
        suffix = f"; it is in {location}" if location else ""
        failure = self.failure(call, f"no answer within its deadline of {deadline_s:g} s{suffix}")
        self.end(failure)
        return failure

    def end(self, failure: RunFailed | None) -> RunFailed | None:
        """Wait for the end of the process, or kill it at once after a failure."""
        process, self._process = self._process, None
        if process is not None:
            process.has_ended(REGULAR_END_S if failure is None else 0.0)
            process.kill()
            os.waitpid(self._pid, 0)
            process.close()
            self._channel.close()
            os.close(self._stacks)
        return failure

    def restart_process(self) -> None:
        """Do nothing: the next connection starts another process."""


def _serve_and_exit(cls: type[Model], channel: MemoryChannel, stacks: int, parent: int) -> None:
    """The process's main function; it never returns into the parent's code."""
    code = 1
    gc.freeze()  # the parent's objects must not be collected here, see `watched._child`
    try:
        detach(stacks, signal.SIGKILL)
        server = ModelServer(cls)
        while os.getppid() == parent and not server.is_over:
            server.serve_next(channel)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(Exception):
            sys.stderr.flush()
        os._exit(code)
