"""The node that serves a model.

It is a managed node: unconfigured until the model is initialized, inactive until the run starts, active until it
stops.
"""

from __future__ import annotations

import json
import os
import socket
import time
from pathlib import Path

import rclpy.executors
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.qos import QoSProfile
from rclpy.task import Future

from hetwin.msg import ModelCall, ModelOutput
from hetwin.srv import RegisterModel
from hetwin_core.ensemble.catalogue import declared, model_class
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.model import Model, Stepping
from hetwin_core.ensemble.own_modules import use_modules_in
from hetwin_core.ensemble.supervision.watched_process import here
from hetwin_core.ensemble.transport.remote.memory import MemoryChannel
from hetwin_core.ensemble.transport.remote.server import ModelServer
from hetwin_core.wire.described import declare
from hetwin_core.wire.memory_offer import MemoryWanted
from hetwin_core.wire.names import CALL, OUTPUT, STEP_DEPTH
from hetwin_core.wire.run_identity import is_foreign
from hetwin_core.wire.spinning import spin_until
from model_nodes.ros_node.unwaited_stepping import UnwaitedStepping

MEMORY_PERIOD_S = 0.05
"""Topics and services are looked at as often while calls come through memory."""
TOPICS_S = 0.001
"""Everything that arrives in this time is served."""
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
        over: done when the run is.
        run: token of the run; empty until a node that was started without one has found its conductor.
        conductor: where process ids of the conductor hold, and its own.
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
        self._wanted: MemoryWanted | None = None
        self._memory: MemoryChannel | None = None
        if self._is_waited_for:
            self._wanted = MemoryWanted()

    @property
    def _is_waited_for(self) -> bool:
        return str(self.get_parameter("stepping").value) == Stepping.SERVICE.value

    def _make_model(self) -> Model:
        """Make the model that the parameter `type` names; its module may lie in the folder `modules`.

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
        return declared(model_class(type_name))()

    def registration(self) -> RegisterModel.Request:
        """The request with which the node registers at the conductor."""
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
        """The model that is served."""
        return self._server.model

    def serve(self, executor: rclpy.executors.Executor, period_s: float) -> None:
        """Carry out what the conductor wants, for so long or until the run is over."""
        end = time.monotonic() + period_s
        executor.spin_once(0.0)  # calls through memory may follow each other without a pause
        if self.conductor[0] != here():
            self._want_no_memory()
        while not self.over.done() and (left := end - time.monotonic()) > 0.0:
            if self._wanted is not None:
                self._memory = self._wanted.taken(self.conductor[1], self.run, MEMORY_PERIOD_S)
                if self._memory is not None:
                    self._want_no_memory()
                spin_until(executor, self.over, TOPICS_S)
            elif self._memory is None:
                spin_until(executor, self.over, left)
            elif self._server.serve_next(self._memory, MEMORY_PERIOD_S):
                self._end_if_stopped()
            else:
                spin_until(executor, self.over, TOPICS_S)

    def _want_no_memory(self) -> None:
        if self._wanted is not None:
            self._wanted.close()
            self._wanted = None

    def _on_call(self, call: ModelCall) -> None:
        """Carry out a call that comes over the topic: the conductor shares no memory."""
        if is_foreign(call.run, self.run):
            return
        self._want_no_memory()
        output = ModelOutput(sequence=call.sequence)
        self._server.carry_out(call, output)
        self._publish(output)
        self._end_if_stopped()

    def _publish(self, output: ModelOutput) -> None:
        output.run = self.run
        self._output.publish(output)

    def _carried_out(self, call: str) -> None:
        """Follow the model's life."""
        match call:
            case "initialize":
                self.trigger_configure()
            case "start":
                if not self._is_waited_for:
                    UnwaitedStepping(self, self._server, self._publish)
                self.trigger_activate()

    # ------------------------------------------------------------------ life cycle

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Refuse steps from now on: the run is paused or over."""
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
