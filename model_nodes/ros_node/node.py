"""The node that serves a model.

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
from typing import Any

import rclpy.executors
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.qos import QoSProfile
from rclpy.task import Future

from hetwin.msg import ModelOutput, SceneState, Step
from hetwin.srv import (
    CommandModel,
    GetModelParameters,
    InitializeModel,
    RegisterModel,
    ReleaseAttribute,
    StartModel,
    StopModel,
    TakeAttribute,
)
from hetwin_core.ensemble import json_codec
from hetwin_core.ensemble.catalogue import model_class
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.model import Model, StepInput, StepOutput, Stepping
from hetwin_core.ensemble.own_modules import use_modules_in
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.layout_json import layout_from_json
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Value
from hetwin_core.ensemble.supervision.watched_process import here
from hetwin_core.ensemble.transport import step_codec
from hetwin_core.wire import messages
from hetwin_core.wire.described import declare
from hetwin_core.wire.names import SERVICE_DEPTH, STEP_DEPTH
from hetwin_core.wire.run_identity import is_foreign, refuse_foreign
from hetwin_core.wire.step_memory import Asked
from model_nodes.ros_node.requested_steps import RequestedSteps
from model_nodes.ros_node.unwaited_stepping import UnwaitedStepping

MATCH_TIMEOUT_S = 10.0
LEFT_TO_OTHERS_S = 1.0
PARAMETERS: dict[str, tuple[str | int | float | bool, str]] = {
    "type": ("", "a model type that `hetwin models` lists, or MODULE:CLASS"),
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
        self._output = self.create_publisher(ModelOutput, "~/output", QoSProfile(depth=STEP_DEPTH))
        self._index = 0
        self._model: Model | None = None
        self._layout: Layout | None = None
        self._models: tuple[str, ...] = ()
        self._steps = RequestedSteps(lambda tick: self.model.step(tick), self._started)
        self._requests: Any = None
        self.conductor = ("", 0)
        self._unwaited: UnwaitedStepping | None = None
        # A model that the conductor does not wait for steps in a thread.
        self._model_lock = threading.Lock()
        self._serve(GetModelParameters, "parameters", self._on_parameters)
        self._serve(InitializeModel, "initialize", self._on_initialize)
        self._serve(StartModel, "start", self._on_start)
        self._serve(TakeAttribute, "take", self._on_take)
        self._serve(ReleaseAttribute, "release", self._on_release)
        self._serve(CommandModel, "command", self._on_command)
        self._serve(StopModel, "stop", self._on_stop)

    def make_model(self) -> None:
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
        self._model = model_class(type_name)()

    def registration(self) -> RegisterModel.Request:
        """The request with which the node registers at the conductor."""
        description = type(self.model).describe()
        return RegisterModel.Request(
            name=str(self.get_parameter("model").value) or self.get_name(),
            type=str(self.get_parameter("type").value),
            node=self.get_fully_qualified_name(),
            description=json.dumps(
                {"kind": description.kind.value, "stepping": description.stepping.value}
            ),
            host=socket.gethostname(),
            pid=os.getpid(),
            place=here(),
            run=self.run,
        )

    @property
    def model(self) -> Model:
        """The model that is served."""
        if self._model is None:
            self.make_model()
        assert self._model is not None
        return self._model

    # ------------------------------------------------------------------ services

    def _serve(self, kind: Any, name: str, handler: Callable[[Any, Any], None]) -> None:
        """Offer a service that returns its handler's errors in its response.

        What is meant for a node of this name in another run is refused only after that one has had time to respond.
        """

        async def respond(request: Any, response: Any) -> Any:
            if is_foreign(request.run, self.run):
                await self._after(LEFT_TO_OTHERS_S)
            try:
                refuse_foreign(request.run, self.run, f"the call of {name!r}", self._in_words)
                handler(request, response)
                response.ok = True
            except (Exception, SystemExit) as error:
                response.ok = False
                response.error = json_codec.error_to_text(error)
            self._steps.call_came()
            return response

        self.create_service(kind, f"~/{name}", respond, qos_profile=QoSProfile(depth=SERVICE_DEPTH))

    async def _after(self, seconds: float) -> None:
        over = Future()
        timer = self.create_timer(seconds, lambda: over.done() or over.set_result(None))
        await over
        self.destroy_timer(timer)

    @property
    def _in_words(self) -> str:
        return f"{self.get_fully_qualified_name()} (process {os.getpid()})"

    def _on_parameters(
        self, _: GetModelParameters.Request, response: GetModelParameters.Response
    ) -> None:
        response.requests = json_codec.requests_to_text(self.model.parameters())

    def _on_initialize(
        self, request: InitializeModel.Request, response: InitializeModel.Response
    ) -> None:
        if request.steps:
            self._requests = self.create_subscription(
                Step, request.steps, self._on_step, QoSProfile(depth=STEP_DEPTH)
            )
            place, process = self.conductor
            self._steps.asked = Asked(process, self.run) if place == here() else None
        contribution = self.model.initialize(json.loads(request.parameters), request.seed)
        response.contribution = json_codec.contribution_to_text(contribution)
        self.trigger_configure()

    def _on_start(self, request: StartModel.Request, response: StartModel.Response) -> None:
        self._layout = layout_from_json(json.loads(request.layout))
        self._models = tuple(request.models)
        at_start = self._scene(request.state)
        self.model.start(at_start)
        self._index = request.index
        if str(self.get_parameter("stepping").value) != Stepping.SERVICE.value:
            self._unwaited = UnwaitedStepping(
                self, self._publish, self._step, self._scene, round(request.period * 1e9)
            )
        if not self._steps.start(at_start):
            self._wait_for_conductor()
        self.trigger_activate()

    def _wait_for_conductor(self) -> None:
        """Wait until both ends are matched: steps and outputs published before would be lost."""
        end = time.monotonic() + MATCH_TIMEOUT_S
        while not (
            self._output.get_subscription_count()
            and (self._requests is None or self._requests.get_publisher_count())
        ):
            if time.monotonic() > end:
                raise RuntimeError("the conductor was not found on the topics of steps and outputs")
            time.sleep(0.001)

    def _on_step(self, message: Step) -> None:
        """Take a step that is requested of some models, if this one is among them."""
        if self._index not in message.models:
            return
        output = ModelOutput(sequence=message.sequence)
        self._steps.take(message, output)
        self._publish(output)

    def _publish(self, output: ModelOutput) -> None:
        output.run = self.run
        self._output.publish(output)

    def serve(self, executor: rclpy.executors.Executor, period_s: float) -> None:
        """Carry out what the conductor wants, for so long or until the run is over."""
        self._steps.serve(executor, self.over, period_s)

    def _step(self, tick: StepInput) -> StepOutput:
        with self._model_lock:
            return self.model.step(tick)

    def _on_take(self, request: TakeAttribute.Request, response: TakeAttribute.Response) -> None:
        layout = self._started()
        slot = layout.slots[request.slot]
        value = Value(
            messages.to_floats(request.value),
            request.time_ns,
            step_codec.parent_name(layout, request.parent),
        )
        with self._model_lock:
            self.model.take(slot.entity, slot.attribute.name, value, self._scene(request.state))

    def _on_release(
        self, request: ReleaseAttribute.Request, response: ReleaseAttribute.Response
    ) -> None:
        layout = self._started()
        slot = layout.slots[request.slot]
        with self._model_lock:
            value = self.model.release(slot.entity, slot.attribute.name, self._scene(request.state))
        response.value = messages.doubles(value.data)
        response.time_ns = value.time_ns
        response.parent = step_codec.parent_id(layout, value.parent)

    def _on_command(self, request: CommandModel.Request, response: CommandModel.Response) -> None:
        arguments = json.loads(request.arguments) if request.arguments else {}
        with self._model_lock:
            self.model.command(request.command, arguments)

    def _on_stop(self, request: StopModel.Request, response: StopModel.Response) -> None:
        self._end()
        if self._unwaited is not None:
            self._unwaited.end()
        self.model.stop()

    # ------------------------------------------------------------------ life cycle

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Refuse steps from now on: the run is paused or over."""
        self._layout = None
        return super().on_deactivate(state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """End the process."""
        self._end()
        return TransitionCallbackReturn.SUCCESS

    def _end(self) -> None:
        if not self.over.done():
            self.over.set_result(None)

    def _started(self) -> Layout:
        if self._layout is None:
            raise RuntimeError("the model is not active; expected a start before this call")
        return self._layout

    def _scene(self, state: SceneState) -> Snapshot:
        return messages.read_state(state, self._started(), self._models)
