"""The conductor's side of a model that is a ROS 2 node."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from typing import Any

from lifecycle_msgs.srv import GetState
from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.task import Future

from conductor_node.processes import ModelNodes
from conductor_node.shared_steps import SharedSteps
from conductor_node.step_requests import Round, StepRequests
from hetwin.msg import ModelOutput
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
from hetwin_core.ensemble.errors import HetwinError, RunFailed
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.model import (
    Contribution,
    ParameterRequest,
    StepInput,
    StepOutput,
    Stepping,
)
from hetwin_core.ensemble.scenario.scenario import ModelPlan
from hetwin_core.ensemble.scene.layout import Layout, Selection
from hetwin_core.ensemble.scene.layout_json import layout_to_json
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Floats, Value
from hetwin_core.ensemble.supervision.watched_process import WatchedProcess
from hetwin_core.ensemble.transport import step_codec
from hetwin_core.ensemble.transport.own_process.shared_parts import TooLarge
from hetwin_core.ensemble.transport.port import ModelPort, error_of
from hetwin_core.wire import messages
from hetwin_core.wire.names import SERVICE_DEPTH
from hetwin_core.wire.spinning import poll_until, spin_until
from hetwin_core.wire.step_memory import Offer

START_DEADLINE_S = 30.0
"""A node's process may take this long to come up, whatever the deadline of its calls."""
STOP_DEADLINE_S = 2.0
REGULAR_END_S = 1.0
CALL_AGAIN_S = 0.2
LOOK_PERIOD_S = 0.1
"""Interval at which a process is checked for being alive while a call waits for its node."""


class RosPort(ModelPort):
    """Calls a model's services; every call ends within the model's deadline.

    Args:
        plan: the model as the scenario has it.
        node: the conductor's node.
        executor: spins the conductor's node while calls wait.
        registrations: name of a model -> the request with which its node registered, as it comes in.
        requests: publishes the requests for steps.
        period_s: simulated seconds between two steps of this model.
        nodes: restarts nodes.
        may_go_on: is called while a call waits for the node; ends the waiting by raising.
    """

    def __init__(
        self,
        plan: ModelPlan,
        node: Node,
        executor: Executor,
        registrations: MutableMapping[str, RegisterModel.Request],
        requests: StepRequests,
        period_s: float,
        nodes: ModelNodes,
        may_go_on: Callable[[], None],
    ) -> None:
        self.plan = plan
        self._node = node
        self._executor = executor
        self._registrations = registrations
        self._requests = requests
        self._period_s = period_s
        self._nodes = nodes
        self._may_go_on = may_go_on
        self._process: WatchedProcess | None = None
        self._clients: dict[str, Any] = {}
        self._subscription: Any = None
        self._hangs = False
        self._layout: Layout | None = None
        self._time_ns = 0
        self._pending: Future[ModelOutput] | None = None
        self._sequence = 0
        self._round = Round()
        self._topic = ""
        self._arrived: list[ModelOutput] = []
        self._missed = 0
        self._reads = True
        self._selections: tuple[Selection, ...] = ()
        self._description = ""
        self._outputs: deque[StepOutput] = deque()
        self._shared: SharedSteps | None = None

    def register(self) -> tuple[str, int]:
        """Wait until the node has registered and its services are there."""
        end = time.monotonic() + max(START_DEADLINE_S, self.plan.deadline)
        while self.plan.name not in self._registrations:
            if time.monotonic() > end:
                raise self._failure("register", "its node did not register; is it running?")
            ended = self._nodes.ended(self.plan.name)
            if ended is not None:
                raise self._failure("register", ended)
            self._may_go_on()
            self._executor.spin_once(0.02)
        registration = self._registrations[self.plan.name]
        self._process = WatchedProcess(registration.host, registration.pid)
        self._description = (
            f" from {registration.node} on host {registration.host} (process {registration.pid})"
        )
        for kind, name in (
            (GetModelParameters, "parameters"),
            (InitializeModel, "initialize"),
            (StartModel, "start"),
            (TakeAttribute, "take"),
            (ReleaseAttribute, "release"),
            (CommandModel, "command"),
            (StopModel, "stop"),
        ):
            self._clients[name] = self._node.create_client(
                kind, f"{registration.node}/{name}", qos_profile=QoSProfile(depth=SERVICE_DEPTH)
            )
        receive = self._on_output if self._is_waited_for else self._arrived.append
        self._subscription = self._node.create_subscription(
            ModelOutput, f"{registration.node}/output", receive, QoSProfile(depth=SERVICE_DEPTH)
        )
        self._wait_for_services(end)
        self._wait_until_matched(f"{registration.node}/get_state", end)
        return registration.host, registration.pid

    def _wait_for_services(self, end: float) -> None:
        for name, client in self._clients.items():
            while not client.service_is_ready():  # wait_for_service would look only every 0.25 s
                if time.monotonic() > end:
                    raise self._failure(name, "its service did not appear")
                self._check_alive(name)
                self._executor.spin_once(0.005)

    def _wait_until_matched(self, name: str, end: float) -> None:
        """Call a service to which every managed node responds at once, until a response arrives.

        A node drops its responses to a client that it has not discovered within 100 ms (rmw_fastrtps), which may take
        seconds after another node was killed. Clients are discovered in the order in which they were made, so all
        others are when the last one gets its response.
        """
        client = self._node.create_client(GetState, name)
        try:
            while not client.service_is_ready() or not self._responds(client):
                if time.monotonic() > end:
                    raise self._failure("register", "its node does not answer")
                self._check_alive("register")
                self._executor.spin_once(0.005)
        finally:
            self._node.destroy_client(client)

    def _responds(self, client: Any) -> bool:
        response = client.call_async(GetState.Request())
        return spin_until(self._executor, response, CALL_AGAIN_S) is not None

    def parameters(self) -> Sequence[ParameterRequest]:
        """Request the list of parameters that the model needs."""
        response = self._call("parameters", GetModelParameters.Request())
        return json_codec.requests_from_text(response.requests)

    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        """Initialize the model with the resolved parameters."""
        self._topic = self._requests.topic(self.plan) if self._is_waited_for else ""
        request = InitializeModel.Request(
            parameters=json.dumps(dict(parameters)), seed=seed, steps=self._topic
        )
        offer = Offer(self._registrations[self.plan.name].pid) if self._may_share else None
        contribution = json_codec.contribution_from_text(
            self._call("initialize", request).contribution
        )
        memory = None if offer is None else offer.taken()
        self._shared = None if memory is None else SharedSteps(memory, self._between_looks)
        self._selections = contribution.reads
        self.reads_proximity = contribution.reads_proximity
        return contribution

    def start(self, scene: Snapshot) -> None:
        """Begin the run: layout, models and state."""
        self._layout = scene.layout
        self._reads = bool(scene.layout.select(self._selections))
        request = StartModel.Request(
            layout=json.dumps(layout_to_json(scene.layout)),
            models=list(scene.models),
            period=self._period_s,
            index=self.plan.index,
        )
        messages.fill_state(request.state, scene)
        self._wait_until_subscribed()
        self._call("start", request)

    @property
    def _is_waited_for(self) -> bool:
        return self.plan.stepping is Stepping.SERVICE

    @property
    def _may_share(self) -> bool:
        """Whether its node may get its steps through memory of this machine."""
        return self._is_waited_for and self._process is not None and self._process.is_here

    def _between_looks(self) -> None:
        """What is done from time to time while a step takes long."""
        self._executor.spin_once(0.0)
        self._check_alive("step")

    def _wait_until_subscribed(self) -> None:
        """Wait until the node is subscribed to its steps: those published before would be lost."""
        if not self._is_waited_for or self._shared is not None:
            return
        node = self._registrations[self.plan.name].node
        end = time.monotonic() + self.plan.deadline_of("start")
        while not (
            self._subscription.get_publisher_count() and self._requests.reaches(self._topic, node)
        ):
            if time.monotonic() > end:
                raise self._failure(
                    "start", f"it does not listen on {self._topic!r}{self._description}"
                )
            self._check_alive("start")
            self._executor.spin_once(0.005)

    @property
    def is_elsewhere(self) -> bool:
        """A process of its own."""
        return True

    @property
    def can_run_ahead(self) -> bool:
        """A model that reads the scene must see each new state."""
        return not self._reads

    @property
    def ahead(self) -> int:
        """Outputs that have arrived for steps not yet taken."""
        return len(self._outputs)

    def begin_step(self, tick: StepInput, further: Sequence[int] = ()) -> None:
        """Send the request for a step, without waiting."""
        self._time_ns = tick.time_ns
        if self.plan.stepping is not Stepping.SERVICE:
            return  # it subscribes to the clock and the state
        if self._outputs:
            return
        if self._shared is not None:
            try:
                self._shared.begin(tick, further, reads=self._reads)
            except TooLarge as error:
                raise self._failure("step", f"its input is too large: {error}") from None
            return
        self._pending = Future()
        self._sequence, self._round = self._requests.request(
            self._topic, self.plan.index, tick, further, reads=self._reads
        )

    def send(self) -> None:
        """Publish the requested steps."""
        self._requests.send()

    def _on_output(self, message: ModelOutput) -> None:
        """Take an output; a late one, which is not waited for any more, has another number."""
        if self._pending is not None and message.sequence == self._sequence:
            self._pending.set_result(message)
            self._round.received()

    def end_step(self) -> StepOutput:
        """Wait for the output of the step."""
        if not self._outputs:
            response = self._step_response()
            if response.error:
                raise self._error("step", response.error)
            assert self._layout is not None
            self._outputs.extend(step_codec.read_outputs(response, self._layout, self._rows_at))
        return self._outputs.popleft()

    def _rows_at(self, time_ns: int) -> Floats:
        """The rows of proximity of a step whose output has left them for later."""
        assert self._shared is not None
        try:
            return self._shared.rows_at(time_ns, self.plan.deadline)
        except LookupError as error:
            reason = f"the distances at {time_ns / 1e9:.6f} s cannot be read: {error}"
            raise self._failure("step", reason) from None

    def _step_response(self) -> Any:
        if self._shared is not None:
            self._let_step_end()
            return self._shared.output()
        assert self._pending is not None
        response = self._wait_for_step(self._pending)
        self._pending = None
        return response

    def _wait_for_step(self, pending: Future[ModelOutput]) -> ModelOutput:
        if not pending.done() and self._round.leaves_a_core:
            poll_until(self._executor, self._round.over)
        if not pending.done():
            spin_until(self._executor, self._round.over, LOOK_PERIOD_S)
        response: ModelOutput = self._response_in_time("step", pending)
        return response

    def collect(self) -> list[StepOutput]:
        """Outputs that the node has published since the last call."""
        self._check_alive("step")
        self._executor.spin_once(0.0)
        arrived = list(self._arrived)
        self._arrived.clear()
        outputs: list[StepOutput] = []
        for message in arrived:
            self._missed = message.missed_steps
            if message.error:
                raise self._error("step", message.error)
            assert self._layout is not None
            outputs += step_codec.read_outputs(message, self._layout)
        return outputs

    @property
    def missed_steps(self) -> int:
        """Steps that the model has missed so far, as its node reports."""
        return self._missed

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Make the model responsible."""
        layout = scene.layout
        request = TakeAttribute.Request(
            slot=layout.slot_id(entity, attribute),
            value=messages.doubles(value.data),
            time_ns=value.time_ns,
            parent=step_codec.parent_id(layout, value.parent),
        )
        messages.fill_state(request.state, scene)
        self._let_step_end()
        self._call("take", request)

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        """End the model's responsibility."""
        request = ReleaseAttribute.Request(slot=scene.layout.slot_id(entity, attribute))
        messages.fill_state(request.state, scene)
        self._let_step_end()
        response = self._call("release", request)
        parent = step_codec.parent_name(scene.layout, response.parent)
        return Value(messages.to_floats(response.value), response.time_ns, parent)

    def command(self, name: str, arguments: Mapping[str, Json]) -> None:
        """Send the model a command."""
        request = CommandModel.Request(command=name, arguments=json.dumps(dict(arguments)))
        self._let_step_end()
        self._call("command", request)

    def stop(self) -> RunFailed | None:
        """End the run; the node ends after its response."""
        client = self._clients.get("stop")
        if client is None or self._hangs or not client.service_is_ready():
            return None
        try:
            stopped = self._sent(client, StopModel.Request())
            response = self._wait_for("stop", stopped, STOP_DEADLINE_S)
            if response is None:
                return self._failure("stop", f"no answer within {STOP_DEADLINE_S:g} s")
            if not response.ok:
                raise self._error("stop", response.error)
        except RunFailed as failure:  # it must not keep the others from ending
            return failure
        return None

    def give_up(self) -> None:
        """Ask the node to end, if it still responds; its late responses are dropped."""
        stop = self._clients.pop("stop", None)
        if stop is not None:
            self._sent(stop, StopModel.Request())
        self._forget()

    def renew(self) -> None:
        """Kill the node and start another one in its place.

        Raises:
            RunFailed: if it runs on another machine.
        """
        if self._process is None or not self._process.is_here:
            reason = (
                "its node runs on another machine; the conductor restarts only those of its own"
            )
            raise self._failure("restart", reason)
        self._let_it_end(self._process)
        self._process.kill()
        self._process.close()
        self._registrations.pop(self.plan.name, None)
        self._hangs = False
        self._nodes.start(self.plan)

    def _let_it_end(self, process: WatchedProcess) -> None:
        """Wait for a regular end: other nodes forget such a node at once, but look for a killed one for seconds."""
        end = time.monotonic() + (0.0 if self._hangs else REGULAR_END_S)
        while not process.has_ended() and time.monotonic() < end:
            self._executor.spin_once(0.01)

    def _forget(self) -> None:
        for client in self._clients.values():
            self._node.destroy_client(client)
        if self._subscription is not None:
            self._node.destroy_subscription(self._subscription)
        if self._shared is not None:
            self._shared.close()
        self._clients, self._subscription, self._pending, self._shared = {}, None, None, None
        self._arrived.clear()

    def _let_step_end(self) -> None:
        """Wait for a requested step first: the order must not depend on the node's executor."""
        if self._shared is not None and not self._shared.has_ended(self.plan.deadline):
            raise self._too_late("step", self.plan.deadline)
        if self._pending is not None:
            spin_until(self._executor, self._pending, self.plan.deadline)

    def _call(self, name: str, request: Any) -> Any:
        return self._accepted(name, self._sent(self._clients[name], request))

    def _sent(self, client: Any, request: Any) -> Any:
        """The future of a call; a node that waits for steps is told to look for it."""
        future = client.call_async(request)
        if self._shared is not None:
            self._shared.announce_call()
        return future

    def _accepted(self, name: str, future: Any) -> Any:
        """The response; a node that has died is not waited for."""
        response = self._response_in_time(name, future)
        if not response.ok:
            raise self._error(name, response.error)
        return response

    def _response_in_time(self, name: str, future: Any) -> Any:
        deadline = self.plan.deadline_of(name)
        response = self._wait_for(name, future, deadline)
        if response is None:
            future.cancel()
            raise self._too_late(name, deadline)
        return response

    def _too_late(self, name: str, deadline: float) -> RunFailed:
        self._hangs = True
        reason = f"no answer{self._description} within its deadline of {deadline:g} s"
        return self._failure(name, reason)

    def _wait_for(self, name: str, future: Any, deadline: float) -> Any:
        end = time.monotonic() + deadline
        while (response := spin_until(self._executor, future, LOOK_PERIOD_S)) is None:
            self._check_alive(name)
            left = end - time.monotonic()
            if left < LOOK_PERIOD_S:
                return spin_until(self._executor, future, max(0.0, left))
        return response

    def _check_alive(self, call: str) -> None:
        self._may_go_on()
        if self._process is not None and self._process.has_ended():
            raise self._failure(call, self._process.how_it_ended())

    def _error(self, call: str, text: str) -> HetwinError:
        return error_of(self.plan, call, self._time_ns, text)

    def _failure(self, call: str, reason: str) -> RunFailed:
        return RunFailed(self.plan.name, call, self._time_ns, reason)
