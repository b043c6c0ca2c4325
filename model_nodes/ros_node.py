"""One generic ROS 2 node that serves any model: the model's contract as services and topics.

Started as ``ros2 run hetwin model --ros-args -r __node:=grasp -p type:=grasp_monitor``, it registers at the conductor
and then serves its calls. It is a managed node: unconfigured until the model is initialized,
inactive until the run starts, active until it stops.
"""

from __future__ import annotations

import faulthandler
import json
import os
import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import rclpy
import rclpy.executors
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.qos import QoSProfile, QoSReliabilityPolicy
from rclpy.task import Future
from rosgraph_msgs.msg import Clock

from hetwin.msg import Event as EventMessage
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
from hetwin_core.ensemble.errors import BadInput, HetwinError
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.model import Model, StepInput, StepOutput, Stepping
from hetwin_core.ensemble.own_modules import use_modules_in
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.layout_json import layout_from_json
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Floats, Value
from hetwin_core.ensemble.supervision.interrupts import Interrupted, Interrupts, hold, ignore
from hetwin_core.ensemble.supervision.watched_process import WatchedProcess
from hetwin_core.ensemble.topics import CLOCK, EVENTS, STATE
from hetwin_core.ensemble.transport import step_codec
from hetwin_core.ensemble.transport.own_process.flat_message import FlatMessage
from hetwin_core.ensemble.transport.own_process.shared_parts import TooLarge
from hetwin_core.ensemble.transport.step_batching import Stepper
from hetwin_core.wire import messages
from hetwin_core.wire.described import declare
from hetwin_core.wire.names import REGISTER, SERVICE_DEPTH, STEP_DEPTH
from hetwin_core.wire.spinning import make_executor, spin_until
from hetwin_core.wire.step_memory import Asked, StepMemory

REGISTER_TIMEOUT_S = 120.0
"""Many nodes that start at the same time on a busy machine take long."""
CALL_AGAIN_S = 5.0
LOOK_PERIOD_S = 0.2
LEFT_TO_CONDUCTOR_S = 8.0
"""After a signal that the conductor got too, it has this long to stop the run, and the model with it."""
CONDUCTOR_GONE_S = 5.0
MATCH_TIMEOUT_S = 10.0
MEMORY_TIMEOUT_S = 5.0
SERVICES_PERIOD_S = 0.05
"""Services that the conductor has not announced are looked at as often while steps come through memory."""
SERVICES_S = 0.001
"""Everything that arrives in this time is served."""
CALL_PERIOD_S = 0.005
PARAMETERS: dict[str, tuple[str | int | float | bool, str]] = {
    "type": ("", "a model type that `hetwin models` lists, or MODULE:CLASS"),
    "modules": ("", "folder to search for the module of a type MODULE:CLASS"),
    "stepping": ("service", "service, clock or free, as the scenario has it"),
    "model": ("", "name of the model in the scenario; empty: the node's name"),
}
"""Name -> default and description."""


class ModelNode(LifecycleNode):  # type: ignore[misc]
    """Serves one model.

    Args:
        name: name of the model in the scenario; ``__node:=`` overrides it.
    """

    def __init__(self, name: str = "model") -> None:
        super().__init__(name)
        declare(self, PARAMETERS)
        self.over = Future()
        self._output = self.create_publisher(ModelOutput, "~/output", QoSProfile(depth=STEP_DEPTH))
        self._steps: Any = None
        self._index = 0
        self._model: Model | None = None
        self._layout: Layout | None = None
        self._models: tuple[str, ...] = ()
        self._at_start: Snapshot | None = None
        self._stepper = Stepper()
        self.conductor = ("", 0)
        self._asked: Asked | None = None
        self._memory: StepMemory | None = None
        self._announced = 0
        self._rows_at: dict[int, Callable[[], Floats]] = {}
        self._unwaited: _UnwaitedStepping | None = None
        self._model_lock = (
            threading.Lock()
        )  # a model that the conductor does not wait for steps in a thread
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
        """Offer a service that returns its handler's errors in its response."""

        def respond(request: Any, response: Any) -> Any:
            try:
                handler(request, response)
                response.ok = True
            except (Exception, SystemExit) as error:
                response.ok = False
                response.error = json_codec.error_to_text(error)
            if self._memory is not None:
                self._announced -= 1
            return response

        self.create_service(kind, f"~/{name}", respond, qos_profile=QoSProfile(depth=SERVICE_DEPTH))

    def _on_parameters(
        self, _: GetModelParameters.Request, response: GetModelParameters.Response
    ) -> None:
        response.requests = json_codec.requests_to_text(self.model.parameters())

    def _on_initialize(
        self, request: InitializeModel.Request, response: InitializeModel.Response
    ) -> None:
        if request.steps:
            self._steps = self.create_subscription(
                Step, request.steps, self._on_step, QoSProfile(depth=STEP_DEPTH)
            )
            host, process = self.conductor
            self._asked = Asked(process) if host == socket.gethostname() else None
        contribution = self.model.initialize(json.loads(request.parameters), request.seed)
        response.contribution = json_codec.contribution_to_text(contribution)
        self.trigger_configure()

    def _on_start(self, request: StartModel.Request, response: StartModel.Response) -> None:
        self._layout = layout_from_json(json.loads(request.layout))
        self._models = tuple(request.models)
        self._at_start = self._scene(request.state)
        self.model.start(self._at_start)
        self._index = request.index
        if str(self.get_parameter("stepping").value) != Stepping.SERVICE.value:
            self._unwaited = _UnwaitedStepping(
                self, self._output, self._step, self._scene, round(request.period * 1e9)
            )
        self._memory = None if self._asked is None else self._asked.memory(MEMORY_TIMEOUT_S)
        if self._memory is None:
            self._wait_for_conductor()
        self._stepper.keeps_functions = self._memory is not None
        self.trigger_activate()

    def _wait_for_conductor(self) -> None:
        """Wait until both ends are matched: steps and outputs published before would be lost."""
        end = time.monotonic() + MATCH_TIMEOUT_S
        while not (
            self._output.get_subscription_count()
            and (self._steps is None or self._steps.get_publisher_count())
        ):
            if time.monotonic() > end:
                raise RuntimeError("the conductor was not found on the topics of steps and outputs")
            time.sleep(0.001)

    def _on_step(self, message: Step) -> None:
        """Take a step that is requested of some models, if this one is among them."""
        if self._index not in message.models:
            return
        output = ModelOutput(sequence=message.sequence)
        self._take_step(message, output)
        self._output.publish(output)

    def _take_step(self, message: Any, output_message: Any) -> None:
        """Take a step and those that may follow at once; the output gets the error, if there is one."""
        try:
            layout = self._started()
            assert self._at_start is not None
            tick, further = step_codec.read_step(message, self._at_start)
            early, output = self._stepper.step(self.model.step, tick, further)
            self._rows_at = early.later
            step_codec.fill_output(output_message, output, layout, early)
        except (Exception, SystemExit) as error:
            output_message.error = json_codec.error_to_text(error)

    def serve(self, executor: rclpy.executors.Executor, period_s: float) -> None:
        """Carry out what the conductor wants, for so long or until the run is over."""
        end = time.monotonic() + period_s
        while not self.over.done() and (left := end - time.monotonic()) > 0.0:
            if self._memory is None:
                spin_until(executor, self.over, left)
            elif self._announced > 0:
                executor.spin_once(CALL_PERIOD_S)
                self._take_requests(self._memory, 0.0)
            elif not self._take_requests(self._memory, SERVICES_PERIOD_S):
                spin_until(executor, self.over, SERVICES_S)

    def _compute_rows(self, time_ns: int | None, output: FlatMessage) -> None:
        """Compute the rows of proximity of one of the last steps; the output gets the error, if there is one."""
        try:
            rows = self._rows_at[time_ns or 0]()
            output.numbers = messages.doubles(rows)
        except KeyError:
            output.error = "they are not kept any more"
        except (Exception, SystemExit) as error:
            output.error = f"{type(error).__name__}: {error}"

    def _take_requests(self, memory: StepMemory, timeout_s: float) -> bool:
        """Take the requested step, and count the announced calls; returns whether there was anything."""
        wanted = memory.wait_for_request(timeout_s)
        self._announced += wanted.calls
        if wanted.step is None and wanted.rows_at is None:
            return bool(wanted.calls)
        output = FlatMessage()
        if wanted.step is not None:
            self._take_step(wanted.step, output)
        else:
            self._compute_rows(wanted.rows_at, output)
        try:
            memory.reply(output)
        except TooLarge as error:
            memory.reply(FlatMessage(error=json_codec.error_to_text(error)))
        return True

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


class _UnwaitedStepping:
    """Steps a model on the clock, or at its own pace, in its own thread; publishes its outputs on ``~/output``."""

    def __init__(
        self,
        node: LifecycleNode,
        output: Any,
        step: Callable[[StepInput], StepOutput],
        read: Callable[[SceneState], Snapshot],
        period_ns: int,
    ) -> None:
        self._node = node
        self._step_model = step
        self._read = read
        self._period_ns = period_ns
        self._free = str(node.get_parameter("stepping").value) == Stepping.FREE.value
        self._wake = threading.Condition()
        self._state: SceneState | None = None
        self._now_ns = 0
        self._done_ns = 0
        self._missed = 0
        self._events: list[Event] = []
        self._over = False
        self._output = output
        newest = QoSProfile(depth=1, reliability=QoSReliabilityPolicy.RELIABLE)
        node.create_subscription(SceneState, STATE.name, self._on_state, newest)
        node.create_subscription(Clock, CLOCK.name, self._on_clock, newest)
        node.create_subscription(EventMessage, EVENTS.name, self._on_event, QoSProfile(depth=1000))
        self._thread = threading.Thread(target=self._run, name="stepping", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Let the thread end after its present step."""
        with self._wake:
            self._over = True
            self._wake.notify()
        self._thread.join(timeout=1.0)

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
        return self._now_ns - self._done_ns >= self._period_ns

    def _run(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self._over or self._is_due())
                if self._over:
                    return
                assert self._state is not None
                scene = self._read(self._state)
                periods = max(1, (self._now_ns - self._done_ns) // self._period_ns)
                if not self._free:
                    self._missed += periods - 1
                then = scene.time_ns if self._free else self._done_ns + periods * self._period_ns
                tick = StepInput(then, then - self._done_ns, scene, tuple(self._events))
                self._events = []
                self._done_ns = then
            if not self._step(tick):
                return

    def _step(self, tick: StepInput) -> bool:
        message = ModelOutput()
        try:
            output = self._step_model(tick)
            step_codec.fill_output(message, output, tick.scene.layout)
        except (Exception, SystemExit) as error:
            message.error = json_codec.error_to_text(error)
        message.missed_steps = self._missed
        self._output.publish(message)
        return not message.error


class _ConductorWatch:
    """Checks that the conductor exists: without one the node would wait for ever.

    Args:
        client: of a service of the conductor.
        process: of the conductor; it can be watched if it runs on this machine.
    """

    def __init__(self, client: Any, process: WatchedProcess) -> None:
        self._client = client
        self._process = process
        self._seen = time.monotonic()

    def check(self, name: str) -> None:
        """Check once.

        Raises:
            HetwinError: if the conductor has ended, or has been gone for too long.
        """
        if self._process.has_ended():
            raise HetwinError(f"{name}: of the conductor, {self._process.how_it_ended()}")
        now = time.monotonic()
        if self._client.service_is_ready():
            self._seen = now
        elif now - self._seen > CONDUCTOR_GONE_S:
            raise HetwinError(
                f"{name}: the conductor of {self._client.srv_name!r} has been gone for"
                f" {CONDUCTOR_GONE_S:g} s; was it killed, or is the link to its host cut?"
            )

    def stops_the_run(self, since: float) -> bool:
        """Whether ending the node after a signal is left to the conductor.

        A signal to the process group, as of a terminal, and those of `ros2 launch` reach the conductor too, which stops
        the run in order if its models still respond.

        Args:
            since: when the signal came, by `time.monotonic` [s].
        """
        waits = time.monotonic() - since < LEFT_TO_CONDUCTOR_S
        return waits and self._process.shares_group and not self._process.has_ended()


def register(
    node: ModelNode, executor: rclpy.executors.Executor, interrupts: Interrupts
) -> _ConductorWatch:
    """Register the node at the conductor.

    The conductor drops its response to a client that it has not discovered within 100 ms (rmw_fastrtps), so the
    request is repeated; a second registration by the same process has no effect.

    Returns:
        What checks that the conductor still exists.

    Raises:
        HetwinError: if the conductor does not respond, or refuses.
        Interrupted: if a signal comes first.
    """
    client = node.create_client(RegisterModel, REGISTER)
    end = time.monotonic() + REGISTER_TIMEOUT_S
    while not client.service_is_ready():
        if time.monotonic() > end:
            raise HetwinError(
                f"{node.get_name()}: no conductor offers {client.srv_name!r}"
                f" within {REGISTER_TIMEOUT_S:g} s; is it running in this namespace and domain?"
            )
        interrupts.raise_if_any()
        executor.spin_once(0.02)
    response, end = None, time.monotonic() + REGISTER_TIMEOUT_S
    while response is None and time.monotonic() < end:
        call, again = client.call_async(node.registration()), time.monotonic() + CALL_AGAIN_S
        while response is None and time.monotonic() < again:
            interrupts.raise_if_any()
            response = spin_until(executor, call, LOOK_PERIOD_S)
    if response is None:
        raise HetwinError(f"{node.get_name()}: the conductor did not answer the registration")
    if not response.accepted:
        raise HetwinError(
            f"{node.get_name()}: the conductor refused the registration: {response.reason}"
        )
    node.conductor = (response.host, response.pid)
    return _ConductorWatch(client, WatchedProcess(response.host, response.pid))


def _serve(node: ModelNode, executor: rclpy.executors.Executor, interrupts: Interrupts) -> None:
    """Serve the model's calls until the run is over.

    Raises:
        HetwinError: if there is no such model, or no conductor any more.
        Interrupted: if a signal ends the node before the conductor does.
    """
    _ = node.model
    watch = register(node, executor, interrupts)
    parent = os.getppid()
    while rclpy.ok() and not node.over.done() and os.getppid() == parent:
        node.serve(executor, LOOK_PERIOD_S)
        if interrupts.count == 0:
            watch.check(node.get_name())
        elif not watch.stops_the_run(interrupts.since):
            interrupts.raise_if_any()
    executor.spin_once(0.05)  # send the last response


def main(args: list[str] | None = None) -> None:
    """Serve a model until it is stopped."""
    faulthandler.enable()  # a crash in C says where
    hold()  # ROS's threads inherit this: only the main thread gets signals
    rclpy.init(args=args, signal_handler_options=rclpy.SignalHandlerOptions.NO)
    code = 0
    try:
        node = ModelNode()
        with Interrupts() as interrupts:
            executor = make_executor()
            executor.add_node(node)
            _serve(node, executor, interrupts)
    except rclpy.executors.ExternalShutdownException:
        pass  # rclpy.shutdown() elsewhere
    except HetwinError as error:
        print(f"error: {error}", file=sys.stderr)
        code = 2 if isinstance(error, BadInput) else 1
    except Interrupted:
        pass  # as it was asked to
    finally:
        ignore()
        rclpy.try_shutdown()
    sys.exit(code)


if __name__ == "__main__":
    main()
