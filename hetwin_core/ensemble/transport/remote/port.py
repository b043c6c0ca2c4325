"""The conductor's side of a model in another process, over any transport."""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from hetwin_core.ensemble import json_codec
from hetwin_core.ensemble.errors import BadInput, RunFailed
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.model import (
    Changes,
    Contribution,
    MainChanges,
    MainTick,
    Stepping,
    Tick,
)
from hetwin_core.ensemble.saving.plain import Plain, from_text, to_text
from hetwin_core.ensemble.saving.rebuild import rebuild
from hetwin_core.ensemble.saving.record import record
from hetwin_core.ensemble.scene.layout import Layout, Selection, layout_to_json
from hetwin_core.ensemble.scene.snapshot import Snapshot, read_tables
from hetwin_core.ensemble.scene.values import Value
from hetwin_core.ensemble.transport import step_codec
from hetwin_core.ensemble.transport.port import ModelPort, error_of
from hetwin_core.ensemble.transport.remote.memory import FlatMessage, TooLarge

if TYPE_CHECKING:
    from hetwin_core.ensemble.scenario.model_plan import ModelPlan

STOP_DEADLINE_S = 2.0


class Peer(ABC):
    """The connection to a model's process. One call is in progress at a time.

    Args:
        plan: the model's plan from the scenario.

    Attributes:
        time_ns: time of the last requested step [ns]; failures name it.
    """

    def __init__(self, plan: ModelPlan) -> None:
        self.plan = plan
        self.time_ns = 0

    @abstractmethod
    def connect(self) -> tuple[str, int]:
        """Connect to the process; return host and process id.

        Raises:
            RunFailed: if it cannot be reached.
        """

    @property
    @abstractmethod
    def is_reachable(self) -> bool:
        """Whether it can be called: it is connected, and not known to have exited or hung."""

    @abstractmethod
    def send(self, call: FlatMessage) -> None:
        """Send a call.

        Raises:
            RunFailed: if it is not connected.
            TooLarge: if the call exceeds the channel's memory.
        """

    @abstractmethod
    def result(self, call: str, deadline: float) -> Any:
        """Wait for the result of the call that was sent.

        Args:
            call: name of the call.
            deadline: time limit, by `time.monotonic` [s].

        Returns:
            A message with the fields of `step_codec.OutputFields` and an error; None after the time limit.

        Raises:
            RunFailed: if the process has ended.
        """

    def take_unrequested(self) -> Sequence[Any]:
        """Results of steps that the conductor does not wait for, since the last call."""
        return ()

    @abstractmethod
    def timeout_failure(self, call: str, deadline_s: float) -> RunFailed:
        """Return the failure of a call that exceeded its deadline, and mark the process as hung."""

    @abstractmethod
    def end(self, failure: RunFailed | None) -> RunFailed | None:
        """Disconnect from the process; if it is reachable, its `stop` was called before.

        Args:
            failure: failure of that call; None if it succeeded.

        Returns:
            The failure that the run reports; None without one.
        """

    @abstractmethod
    def restart_process(self) -> None:
        """Make the next connection start or find another process."""

    def failure(self, call: str, reason: str) -> RunFailed:
        """Return the failure of a call."""
        return RunFailed(self.plan.name, call, self.time_ns, reason)


class RemotePort(ModelPort):
    """A model in another process: it computes in parallel with the main model, without contending for the GIL.

    A call without a result is given up at its deadline, and a process that has died is not waited for. Unlike with
    a model in the conductor's process, the run can therefore continue without the model or with a new instance.

    Args:
        plan: the model's plan from the scenario.
        peer: connection to its process.
        period_ns: time between two steps of a model that the conductor does not wait for [ns].
    """

    is_remote = True

    def __init__(self, plan: ModelPlan, peer: Peer, period_ns: int = 0) -> None:
        self.plan = plan
        self._peer = peer
        self._period_ns = period_ns
        self._is_synchronous = plan.stepping is Stepping.SERVICE
        self._layout: Layout | None = None
        self._selections: tuple[Selection, ...] = ()
        self._needs_scene = True
        self._missed = 0
        self._forget_calls()

    def _forget_calls(self) -> None:
        self._pending_call = ""
        self._deadline = self._deadline_s = 0.0
        self._step_result: Any = None
        self._output: Changes | None = None

    def register(self) -> tuple[str, int]:
        """Connect to the process and make the instance; return host and process id."""
        address = self._peer.connect()
        self._call("register")
        return address

    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        """Initialize the model with the resolved parameters."""
        content = {"parameters": dict(parameters), "seed": seed}
        result = self._call("initialize", content)
        try:
            contribution = json_codec.contribution_from_text(result.more)
        except BadInput as error:
            raise self._peer.failure("initialize", f"its contribution: {error}") from None
        self._selections = tuple(contribution.reads)
        self.reads_tables = read_tables(contribution.reads)
        return contribution

    def start(self, scene: Snapshot) -> None:
        """Send layout, models and state, and start the model."""
        self._layout = scene.layout
        self._needs_scene = bool(self.reads_tables or scene.layout.select(self._selections))
        content = {
            "layout": layout_to_json(scene.layout),
            "models": list(scene.models),
            "period_ns": self._period_ns,
        }
        self._call("start", content, Tick(scene.time_ns, 0, scene))

    def begin_step(self, tick: Tick) -> None:
        """Send the request for a step, without waiting."""
        self._peer.time_ns = tick.time_ns
        if not self._is_synchronous:
            return
        call = FlatMessage("step")
        step_codec.fill_step(call, tick, self.reads_tables if self._needs_scene else None)
        self._send(call, self.plan.deadline)

    def end_step(self) -> Changes:
        """Wait for the output of the step."""
        if self._output is None:
            self._await_pending_call()
            if self._step_result is None:
                raise self._peer.failure("step", "no step was requested")
            result, self._step_result = self._step_result, None
            self._raise_error_of("step", result)
            assert self._layout is not None
            return self._read("step", result, self._layout)
        output, self._output = self._output, None
        return output

    def _read(self, call: str, result: Any, layout: Layout) -> MainChanges:
        """Decode the output of a step; an empty one changes nothing."""
        if not len(result.index) and not result.more:
            return MainChanges(self._peer.time_ns)
        try:
            return step_codec.read_output(result, layout)
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            reason = f"its output is not a valid ModelOutput: {type(error).__name__}: {error}"
            raise self._peer.failure(call, reason) from error

    def collect(self) -> list[Changes]:
        """Outputs that have arrived since the last call, for a model that is not waited for."""
        outputs: list[Changes] = []
        for result in self._peer.take_unrequested():
            self._missed = result.missed_steps
            self._raise_error_of("step", result)
            assert self._layout is not None
            outputs.append(self._read("step", result, self._layout))
        return outputs

    @property
    def missed_steps(self) -> int:
        """Steps that the model has missed so far, as reported by its process."""
        return self._missed

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Make the model responsible."""
        self._give("take", entity, attribute, value, scene)

    def place(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Make the model continue from another value."""
        self._give("place", entity, attribute, value, scene)

    def _give(self, call: str, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        foreign = {(entity, attribute): value}
        self._call(call, tick=MainTick(scene.time_ns, 0, scene, (), foreign))

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        """End the model's responsibility."""
        key = entity, attribute
        result = self._call("release", key, Tick(scene.time_ns, 0, scene))
        value = self._read("release", result, scene.layout).values.get(key)
        if value is None:
            reason = f"its output has no value of {entity}.{attribute}"
            raise self._peer.failure("release", reason)
        return replace(value, data=value.data.copy())

    def change(self, parameters: Mapping[str, Any]) -> None:
        """Make the model continue with other parameters."""
        self._call("change", dict(parameters))

    def command(self, name: str, arguments: Mapping[str, Json]) -> None:
        """Execute a command that is specific to the model."""
        self._call("command", {"command": name, "arguments": dict(arguments)})

    def compares(self, scene: Snapshot) -> Mapping[str, float] | None:
        """Return the values that the model compares with its thresholds now."""
        result = self._call("compares", tick=Tick(scene.time_ns, 0, scene))
        return cast("Mapping[str, float] | None", json.loads(result.more))

    def _save(self) -> dict[str, Plain]:
        saved: dict[str, Plain] = {
            "state": from_text(self._call("save").more),
            "time_ns": self._peer.time_ns,
        }
        if self._step_result is not None:
            self._output = self.end_step()
            saved["output"] = record(self._output, name="output")
        return saved

    def _restore(
        self, state: Mapping[str, Plain], time_ns: int, output: Plain, scene: Snapshot
    ) -> None:
        self._call("restore", to_text(dict(state)), Tick(scene.time_ns, 0, scene))
        self._peer.time_ns = time_ns
        self._output = None if output is None else rebuild(output, name="output")

    def stop(self) -> RunFailed | None:
        """Stop the model and end its process."""
        failure = None
        try:
            if self._peer.is_reachable:
                self._call("stop", deadline_s=STOP_DEADLINE_S)
        except RunFailed as error:  # returned, so that the other models are stopped too
            failure = error
        return self._peer.end(failure)

    def give_up(self) -> None:
        """End the process, if it still responds, and forget it."""
        self.stop()
        self._forget_calls()

    def restart_process(self) -> None:
        """Make the next registration use another process.

        Raises:
            RunFailed: if there is none.
        """
        self._peer.restart_process()

    def _call(
        self,
        name: str,
        more: object = None,
        tick: Tick | None = None,
        *,
        deadline_s: float | None = None,
    ) -> Any:
        """Send a call after the pending one has ended; return its result, or raise the model's error."""
        self._await_pending_call()
        call = FlatMessage(name)
        if tick is not None:
            step_codec.fill_step(call, tick)
        if more is not None:
            call.more = more if isinstance(more, str) else json.dumps(more)
        self._send(call, deadline_s or self.plan.deadline_of(name))
        result = self._result()
        self._raise_error_of(name, result)
        return result

    def _await_pending_call(self) -> None:
        """Wait for a requested step: the digest must not depend on which process is faster.

        The result of another pending call, which was abandoned because the run was stopped, is dropped.
        """
        if self._pending_call == "step":
            self._step_result = self._result()
        elif self._pending_call:
            self._deadline = min(self._deadline, time.monotonic() + STOP_DEADLINE_S)
            self._result()

    def _send(self, call: FlatMessage, deadline_s: float) -> None:
        try:
            self._peer.send(call)
        except TooLarge as error:
            raise self._peer.failure(call.call, f"its input is too large: {error}") from None
        self._pending_call, self._deadline_s = call.call, deadline_s
        self._deadline = time.monotonic() + deadline_s

    def _result(self) -> Any:
        """Wait for the result of the call in progress."""
        call = self._pending_call
        result = self._peer.result(call, self._deadline)
        if result is None:
            raise self._peer.timeout_failure(call, self._deadline_s)
        self._pending_call = ""
        return result

    def _raise_error_of(self, call: str, result: Any) -> None:
        if result.error:
            raise error_of(self.plan, call, self._peer.time_ns, result.error)
