"""The node that serves a model, including steps that the conductor does not wait for.

It is a managed node: unconfigured until the model is initialized, inactive until the run starts, active until it
stops.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

import rclpy.executors
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.qos import QoSProfile, QoSReliabilityPolicy
from rclpy.task import Future
from rosgraph_msgs.msg import Clock

from hetwin.msg import Event as EventMessage
from hetwin.msg import ModelCall, ModelOutput, SceneState
from hetwin.srv import RegisterModel
from hetwin_core.ensemble.catalogue import declare_model, model_class
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.model import Model, Stepping, Tick
from hetwin_core.ensemble.scenario_modules import use_modules_in
from hetwin_core.ensemble.supervision.watched import here
from hetwin_core.ensemble.topics import CLOCK, EVENTS, STATE
from hetwin_core.ensemble.transport.remote.memory import MemoryChannel
from hetwin_core.ensemble.transport.remote.own_process import ModelServer
from hetwin_core.wire import messages
from hetwin_core.wire.memory_offer import MemoryRequest
from hetwin_core.wire.names import CALL, OUTPUT, STEP_DEPTH, declare, spin_until
from hetwin_core.wire.run_identity import is_foreign


class UnwaitedStepping:
    """Steps a model on the clock or freely, in a thread until the run is over, and publishes its outputs.

    Args:
        node: node of the model.
        server: server with the model, which has been started.
        publish: publishes an output.
    """

    def __init__(
        self, node: LifecycleNode, server: ModelServer, publish: Callable[[ModelOutput], None]
    ) -> None:
        self._server, self._publish = server, publish
        self._free = str(node.get_parameter("stepping").value) == Stepping.FREE.value
        self._wake = threading.Condition()
        self._state: SceneState | None = None
        self._now_ns = 0
        self._done_ns = 0
        self._missed = 0
        self._events: list[Event] = []
        newest = QoSProfile(depth=1, reliability=QoSReliabilityPolicy.RELIABLE)
        node.create_subscription(SceneState, STATE.name, self._on_state, newest)
        node.create_subscription(Clock, CLOCK.name, self._on_clock, newest)
        node.create_subscription(EventMessage, EVENTS.name, self._on_event, QoSProfile(depth=1000))
        threading.Thread(target=self._run, name="stepping", daemon=True).start()

    def _on_state(self, message: SceneState) -> None:
        with self._wake:
            self._state = message
            self._wake.notify()

    def _on_clock(self, message: Clock) -> None:
        with self._wake:
            self._now_ns = messages.read_time(message.clock)
            self._wake.notify()

    def _on_event(self, message: EventMessage) -> None:
        with self._wake:
            self._events.append(messages.read_event(message))

    def _is_due(self) -> bool:
        if self._state is None:
            return False
        if self._free:
            return messages.read_time(self._state.stamp) > self._done_ns
        return self._now_ns - self._done_ns >= self._server.period_ns

    def _run(self) -> None:
        message = ModelOutput()
        while not message.error:
            with self._wake:
                self._wake.wait_for(self._is_due)
                tick = self._next()
            message = ModelOutput()
            self._server.step_unasked(tick, message)
            message.missed_steps = self._missed
            self._publish(message)

    def _next(self) -> Tick:
        """Return the step that is due; earlier steps count as missed."""
        assert self._state is not None
        at_start, period_ns = self._server.at_start, self._server.period_ns
        scene = messages.read_state(self._state, at_start.layout, at_start.models)
        periods = max(1, (self._now_ns - self._done_ns) // period_ns)
        if not self._free:
            self._missed += periods - 1
        step_ns = scene.time_ns if self._free else self._done_ns + periods * period_ns
        tick = Tick(step_ns, step_ns - self._done_ns, scene, tuple(self._events))
        self._events = []
        self._done_ns = step_ns
        return tick


MEMORY_PERIOD_S = 0.05
"""Period in which topics and services are served while calls arrive through memory."""
TOPICS_S = 0.001
"""Time for which topics and services are served."""
PARAMETERS: dict[str, tuple[str | int | float | bool, str]] = {
    "type": ("", "a model type that `hetwin list models` lists, or MODULE:CLASS"),
    "modules": ("", "folder to search for the module of a type MODULE:CLASS"),
    "stepping": ("service", "service, clock or free, as the scenario has it"),
    "model": ("", "name of the model in the scenario; empty: the node's name"),
    "run": ("", "token of the run that it belongs to; empty: the run of its namespace"),
}
"""Name -> default and description."""


class ModelNode(LifecycleNode):  # type: ignore[misc]
    """Serves one model.

    Args:
        name: name of the model in the scenario; ``__node:=`` overrides it.

    Attributes:
        over: done when the run is over.
        run: token of the run; empty until a node that was started without one has found its conductor.
        conductor: the machine and container in which process ids of the conductor are valid, and its process id.
    """

    def __init__(self, name: str = "model") -> None:
        super().__init__(name)
        declare(self, PARAMETERS)
        self.over = Future()
        self.run = str(self.get_parameter("run").value)
        self.conductor = ("", 0)
        depth = QoSProfile(depth=STEP_DEPTH)
        self._output = self.create_publisher(ModelOutput, f"~/{OUTPUT}", depth)
        self.create_subscription(ModelCall, f"~/{CALL}", self._on_call, depth)
        self._server = ModelServer(self._make_model, self._carried_out)
        self._wanted: MemoryRequest | None = None
        self._memory: MemoryChannel | None = None
        if self._is_waited_for:
            self._wanted = MemoryRequest()

    @property
    def _is_waited_for(self) -> bool:
        return str(self.get_parameter("stepping").value) == Stepping.SERVICE.value

    def _make_model(self) -> Model:
        """Create the model of the parameter `type`; its module may be in the folder `modules`.

        Raises:
            BadInput: if there is no such type.
        """
        type_name = str(self.get_parameter("type").value)
        if not type_name:
            raise BadInput(
                "the parameter 'type' is missing",
                where=self.get_name(),
                expected="a model type, e.g. -p type:=grasp_monitor",
            )
        folder = str(self.get_parameter("modules").value)
        if folder:
            use_modules_in(Path(folder))
        return declare_model(model_class(type_name))()

    def registration(self) -> RegisterModel.Request:
        """The request to register the node with the conductor."""
        return RegisterModel.Request(
            name=str(self.get_parameter("model").value) or self.get_name(),
            type=str(self.get_parameter("type").value),
            node=self.get_fully_qualified_name(),
            description=json.dumps({"stepping": type(self.model).stepping.value}),
            host=socket.gethostname(),
            pid=os.getpid(),
            place=here(),
            run=self.run,
            memory="" if self._wanted is None else self._wanted.address,
        )

    @property
    def model(self) -> Model:
        """The served model."""
        return self._server.model

    def serve(self, executor: rclpy.executors.Executor, period_s: float) -> None:
        """Carry out the conductor's calls for a period, or until the run is over."""
        end = time.monotonic() + period_s
        executor.spin_once(0.0)  # calls through memory may come without a pause
        if self.conductor[0] != here():
            self._close_memory_offer()
        while not self.over.done() and (remaining_s := end - time.monotonic()) > 0.0:
            if self._wanted is not None:
                self._memory = self._wanted.taken(self.conductor[1], self.run, MEMORY_PERIOD_S)
                if self._memory is not None:
                    self._close_memory_offer()
                spin_until(executor, self.over, TOPICS_S)
            elif self._memory is None:
                spin_until(executor, self.over, remaining_s)
            elif self._server.serve_next(self._memory, MEMORY_PERIOD_S):
                self._end_if_stopped()
            else:
                spin_until(executor, self.over, TOPICS_S)

    def _close_memory_offer(self) -> None:
        if self._wanted is not None:
            self._wanted.close()
            self._wanted = None

    def _on_call(self, call: ModelCall) -> None:
        """Carry out a call that arrives on the topic; this means that the conductor shares no memory."""
        if is_foreign(call.run, self.run):
            return
        self._close_memory_offer()
        output = ModelOutput(sequence=call.sequence)
        self._server.carry_out(call, output)
        self._publish(output)
        self._end_if_stopped()

    def _publish(self, output: ModelOutput) -> None:
        output.run = self.run
        self._output.publish(output)

    def _carried_out(self, call: str) -> None:
        """Follow the model's life cycle."""
        match call:
            case "initialize":
                self.trigger_configure()
            case "start":
                if not self._is_waited_for:
                    UnwaitedStepping(self, self._server, self._publish)
                self.trigger_activate()

    # ------------------------------------------------------------------ life cycle

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Refuse steps from now on, since the run is paused or over."""
        self._server.deactivate()
        return super().on_deactivate(state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """End the process."""
        self._end()
        return TransitionCallbackReturn.SUCCESS

    def _end_if_stopped(self) -> None:
        if self._server.is_over:
            self._end()

    def _end(self) -> None:
        if not self.over.done():
            self.over.set_result(None)
