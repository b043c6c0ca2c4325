"""The conductor's side of a model in a process of its own on this machine."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.model import Contribution, ParameterRequest, StepInput, StepOutput
from hetwin_core.ensemble.scenario.scenario import ModelPlan
from hetwin_core.ensemble.scene.layout import Layout, Selection
from hetwin_core.ensemble.scene.snapshot import Snapshot, no_proximity
from hetwin_core.ensemble.scene.values import Value
from hetwin_core.ensemble.transport import step_codec
from hetwin_core.ensemble.transport.own_process.flat_message import FlatMessage
from hetwin_core.ensemble.transport.own_process.link import CALL, STEP
from hetwin_core.ensemble.transport.own_process.model_process import ModelProcess
from hetwin_core.ensemble.transport.own_process.shared_parts import TooLarge
from hetwin_core.ensemble.transport.port import ModelPort, error_of

STOP_DEADLINE_S = 2.0
REGULAR_END_S = 1.0


class OwnProcessPort(ModelPort):
    """A model in a process of its own: it computes while the main model does, and does not share Python's lock.

    A call without an output is given up at its deadline, and a process that has died is seen at once; so, unlike in the
    conductor's process, the run can go on without the model or with another instance of it.

    Args:
        plan: the model as the scenario has it; it is stepped by service.
    """

    def __init__(self, plan: ModelPlan) -> None:
        self.plan = plan
        self._process: ModelProcess | None = None
        self._time_ns = 0
        self._selections: tuple[Selection, ...] = ()
        self._reads = True
        self._layout: Layout | None = None
        self._begun: float | None = None
        self._has_stepped = False

    def register(self) -> tuple[str, int]:
        """Start the process and make the instance."""
        self._process = ModelProcess(self.plan.cls)
        self._call("register")
        return socket.gethostname(), self._process.pid

    def parameters(self) -> Sequence[ParameterRequest]:
        """Ask which parameters the model needs."""
        requests: Sequence[ParameterRequest] = self._call("parameters")
        return requests

    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        """Initialize the model with the resolved parameters."""
        contribution: Contribution = self._call("initialize", dict(parameters), seed)
        self._selections = contribution.reads
        self.reads_proximity = contribution.reads_proximity
        return contribution

    def start(self, scene: Snapshot) -> None:
        """Begin the run."""
        self._layout = scene.layout
        self._reads = bool(scene.layout.select(self._selections))
        self._call("start", replace(scene, watch=None))

    @property
    def is_elsewhere(self) -> bool:
        """A process of its own."""
        return True

    def begin_step(self, tick: StepInput, further: Sequence[int] = ()) -> None:
        """Request a step, which begins at once."""
        process = self._running("step")
        self._time_ns = tick.time_ns
        if not self.reads_proximity:
            tick = replace(tick, scene=replace(tick.scene, near=no_proximity()))
        self._put(tick, with_state=self._reads)
        self._begun = time.monotonic()
        self._has_stepped = False
        os.eventfd_write(process.link.asked, STEP)

    def end_step(self) -> StepOutput:
        """Wait for the output of the step."""
        self._let_step_end()
        if self._begun is None:
            raise self._failure("step", "no step was asked for")
        self._begun = None
        output = FlatMessage.of(self._running("step").link.output.read())
        if output.error:
            raise error_of(self.plan, "step", self._time_ns, output.error)
        assert self._layout is not None
        return step_codec.read_outputs(output, self._layout)[0]

    def collect(self) -> list[StepOutput]:
        """Nothing: the model is stepped by service."""
        return []

    @property
    def missed_steps(self) -> int:
        """None: the model is stepped by service."""
        return 0

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Make the model responsible."""
        self._let_step_end()
        self._call("take", entity, attribute, value, scene=scene)

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        """End the model's responsibility."""
        self._let_step_end()
        value: Value = self._call("release", entity, attribute, scene=scene)
        return value

    def command(self, name: str, arguments: Mapping[str, Json]) -> None:
        """Carry out a command of the model's own."""
        self._let_step_end()
        self._call("command", name, dict(arguments))

    def stop(self) -> RunFailed | None:
        """End the run and the process."""
        process = self._process
        if process is None:
            return None
        failure = None
        try:
            self._let_step_end()
            self._call("stop", deadline=STOP_DEADLINE_S)
        except RunFailed as error:  # it must not keep the others from ending
            failure = error
        if self._process is not None:
            self._forget(REGULAR_END_S if failure is None else 0.0)
        return failure

    def give_up(self) -> None:
        """End the process."""
        self.stop()
        self._begun = None

    def renew(self) -> None:
        """Let the next registration start another process."""

    def _call(
        self,
        name: str,
        *arguments: Any,
        scene: Snapshot | None = None,
        deadline: float | None = None,
    ) -> Any:
        """Send a call; returns its result, or raises what the model raised."""
        process = self._running(name)
        if scene is not None:
            self._put(StepInput(scene.time_ns, 0, scene), with_state=True)
        until = time.monotonic() + (deadline or self.plan.deadline_of(name))
        try:
            process.link.conductor.send((name, arguments))
            os.eventfd_write(process.link.asked, CALL)
            if not process.wait_for(process.link.conductor.fileno(), until):
                raise self._no_answer(name, process, deadline)
            result, error = process.link.conductor.recv()
        except (EOFError, OSError):
            raise self._no_answer(name, process, deadline) from None
        if error:
            raise error_of(self.plan, name, self._time_ns, error)
        return result

    def _let_step_end(self) -> None:
        """Wait for a requested step: the digest must not depend on which process is quicker."""
        if self._begun is None or self._has_stepped:
            return
        process = self._running("step")
        until = self._begun + self.plan.deadline
        while not self._has_stepped:
            try:
                os.eventfd_read(process.link.stepped)
                self._has_stepped = True
            except BlockingIOError:
                if not process.wait_for(process.link.stepped, until):
                    self._begun = None
                    raise self._no_answer("step", process) from None

    def _put(self, tick: StepInput, *, with_state: bool) -> None:
        message = FlatMessage()
        step_codec.fill_step(message, tick, with_state=with_state)
        try:
            self._running("step").link.request.write(message.parts())
        except TooLarge as error:
            raise self._failure(
                "step", f"its input is too large for shared memory: {error}"
            ) from None

    def _running(self, call: str) -> ModelProcess:
        if self._process is None:
            raise self._failure(call, "it has been stopped")
        return self._process

    def _no_answer(
        self, call: str, process: ModelProcess, deadline: float | None = None
    ) -> RunFailed:
        """The failure of a call whose result has not come; the process is ended."""
        if process.has_ended:
            return self._failure(call, self._forget())
        deadline = deadline or self.plan.deadline_of(call)
        reason = f"no answer within its deadline of {deadline:g} s{process.place()}"
        self._forget()
        return self._failure(call, reason)

    def _forget(self, patience_s: float = 0.0) -> str:
        process, self._process = self._process, None
        return "" if process is None else process.end(patience_s)

    def _failure(self, call: str, reason: str) -> RunFailed:
        return RunFailed(self.plan.name, call, self._time_ns, reason)
