"""The conductor's side of a model that is a ROS 2 node."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any

from lifecycle_msgs.srv import GetState
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.task import Future

from conductor_node.processes import ModelNodes
from conductor_node.step_requests import Round, StepPost
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
from hetwin_core.ensemble.scene.values import Value
from hetwin_core.ensemble.supervision.watched_process import WatchedProcess
from hetwin_core.ensemble.transport.port import MAY_RAISE, ModelPort, failure_of
from hetwin_core.wire import messages, step_codec
from hetwin_core.wire.names import SERVICE_DEPTH
from hetwin_core.wire.spinning import poll_until, spin_until

START_DEADLINE_S = 30.0
"""A node's process may take this long to come up, whatever the deadline of its calls."""
STOP_DEADLINE_S = 2.0
GOODBYE_S = 1.0
ASK_AGAIN_S = 0.2
LOOK_PERIOD_S = 0.1
"""How often it is looked whether a node that does not answer still lives."""


class RosPort(ModelPort):
    """Calls a model's services; every call ends within the model's deadline.

    Args:
        plan: the model as the scenario has it.
        node: the conductor's node.
        executor: spins the conductor's node while calls wait.
        registrations: name of a model -> what its node told at registration, as it comes in.
        post: asks for steps.
        period_s: simulated seconds between two steps of this model.
        nodes: starts nodes anew.
    """

    def __init__(
        self,
        plan: ModelPlan,
        node: Node,
        executor: Any,
        registrations: MutableMapping[str, RegisterModel.Request],
        post: StepPost,
        period_s: float,
        nodes: ModelNodes,
    ) -> None:
        self.plan = plan
        self._node = node
        self._executor = executor
        self._registrations = registrations
        self._post = post
        self._period_s = period_s
        self._nodes = nodes
        self._process: WatchedProcess | None = None
        self._clients: dict[str, Any] = {}
        self._subscription: Any = None
        self._hangs = False
        self._layout: Layout | None = None
        self._time_ns = 0
        self._pending: Future[ModelOutput] | None = None
        self._asked = 0
        self._round = Round()
        self._topic = ""
        self._arrived: list[ModelOutput] = []
        self._missed = 0
        self._reads = True
        self._selections: tuple[Selection, ...] = ()
        self._place = ""
        self._answered: deque[StepOutput] = deque()

    def register(self) -> tuple[str, int]:
        """Wait until the node has registered and its services are there."""
        end = time.monotonic() + max(START_DEADLINE_S, self.plan.deadline)
        while self.plan.name not in self._registrations:
            if time.monotonic() > end:
                raise self._failure("register", "its node did not register; is it running?")
            ended = self._nodes.ended(self.plan.name)
            if ended is not None:
                raise self._failure("register", ended)
            self._executor.spin_once(0.02)
        told = self._registrations[self.plan.name]
        self._process = WatchedProcess(told.host, told.pid)
        self._place = f" from {told.node} on host {told.host} (process {told.pid})"
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
                kind, f"{told.node}/{name}", qos_profile=QoSProfile(depth=SERVICE_DEPTH)
            )
        heard = self._on_answer if self._is_waited_for else self._arrived.append
        self._subscription = self._node.create_subscription(
            ModelOutput, f"{told.node}/output", heard, QoSProfile(depth=SERVICE_DEPTH)
        )
        self._wait_for_services(end)
        self._wait_for_an_answer(f"{told.node}/get_state", end)
        return told.host, told.pid

    def _wait_for_services(self, end: float) -> None:
        for name, client in self._clients.items():
            while not client.service_is_ready():  # wait_for_service would look only every 0.25 s
                if time.monotonic() > end:
                    raise self._failure(name, "its service did not appear")
                self._check_alive(name)
                self._executor.spin_once(0.005)

    def _wait_for_an_answer(self, name: str, end: float) -> None:
        """Ask for something that every managed node answers at once, until it does.

        A node drops its answers to a client that it has not found within 100 ms (rmw_fastrtps), and for some seconds
        after another node was killed it may not. Clients are found in the order in which they were made, so that all
        others have been found when the last one gets its answer.
        """
        client = self._node.create_client(GetState, name)
        try:
            while not client.service_is_ready() or not self._is_answered(client):
                if time.monotonic() > end:
                    raise self._failure("register", "its node does not answer")
                self._check_alive("register")
                self._executor.spin_once(0.005)
        finally:
            self._node.destroy_client(client)

    def _is_answered(self, client: Any) -> bool:
        asked = client.call_async(GetState.Request())
        return spin_until(self._executor, asked, ASK_AGAIN_S) is not None

    def parameters(self) -> Sequence[ParameterRequest]:
        """Ask which parameters the model needs."""
        answer = self._call("parameters", GetModelParameters.Request())
        return json_codec.requests_from_text(answer.requests)

    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        """Hand the resolved parameters over."""
        self._topic = self._post.topic(self.plan) if self._is_waited_for else ""
        request = InitializeModel.Request(
            parameters=json.dumps(dict(parameters)), seed=seed, steps=self._topic
        )
        contribution = json_codec.contribution_from_text(
            self._call("initialize", request).contribution
        )
        self._selections = contribution.reads
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
        self._wait_until_it_listens()
        self._call("start", request)

    @property
    def _is_waited_for(self) -> bool:
        return self.plan.stepping is Stepping.SERVICE

    def _wait_until_it_listens(self) -> None:
        """Steps that are published before would be lost."""
        if not self._is_waited_for:
            return
        node = self._registrations[self.plan.name].node
        end = time.monotonic() + self.plan.deadline_of("start")
        while not (
            self._subscription.get_publisher_count() and self._post.reaches(self._topic, node)
        ):
            if time.monotonic() > end:
                raise self._failure("start", f"it does not listen on {self._topic!r}{self._place}")
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
        """Steps that are answered already."""
        return len(self._answered)

    def begin_step(self, tick: StepInput, further: Sequence[int] = ()) -> None:
        """Send the request for a step, without waiting."""
        self._time_ns = tick.time_ns
        if self.plan.stepping is not Stepping.SERVICE:
            return  # it hears the clock and the state on their topics
        if self._answered:
            return
        self._pending = Future()
        self._asked, self._round = self._post.ask(
            self._topic, self.plan.index, tick, further, reads=self._reads
        )

    def send(self) -> None:
        """Publish the steps that were asked for."""
        self._post.send()

    def _on_answer(self, message: ModelOutput) -> None:
        """An answer to a step; a late one, which nobody waits for any more, has another number."""
        if self._pending is not None and message.sequence == self._asked:
            self._pending.set_result(message)
            self._round.answered()

    def end_step(self) -> StepOutput:
        """Wait for the answer to the step."""
        if not self._answered:
            assert self._pending is not None
            answer = self._wait_for_step(self._pending)
            self._pending = None
            if answer.error:
                raise self._error("step", answer.error)
            assert self._layout is not None
            self._answered.extend(step_codec.read_outputs(answer, self._layout))
        return self._answered.popleft()

    def _wait_for_step(self, pending: Future[ModelOutput]) -> ModelOutput:
        if not pending.done() and self._round.leaves_a_core:
            poll_until(self._executor, self._round.over)
        if not pending.done():
            spin_until(self._executor, self._round.over, LOOK_PERIOD_S)
        answer: ModelOutput = self._answer_in_time("step", pending)
        return answer

    def collect(self) -> list[StepOutput]:
        """What the node has published since the last call."""
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
        """Steps that the model has missed so far, as it tells."""
        return self._missed

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Make the model responsible."""
        layout = scene.layout
        request = TakeAttribute.Request(
            slot=layout.slot_id(entity, attribute),
            value=messages.doubles(value.data),
            time_ns=value.time_ns,
            parent=messages.parent_id(layout, value.parent),
        )
        messages.fill_state(request.state, scene)
        self._let_step_end()
        self._call("take", request)

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        """End the model's responsibility."""
        request = ReleaseAttribute.Request(slot=scene.layout.slot_id(entity, attribute))
        messages.fill_state(request.state, scene)
        self._let_step_end()
        answer = self._call("release", request)
        parent = messages.parent_name(scene.layout, answer.parent)
        return Value(messages.to_floats(answer.value), answer.time_ns, parent)

    def command(self, name: str, arguments: Mapping[str, Json]) -> None:
        """Ask for something of the model's own."""
        request = CommandModel.Request(command=name, arguments=json.dumps(dict(arguments)))
        self._let_step_end()
        self._call("command", request)

    def stop(self) -> RunFailed | None:
        """End the run; the node ends after its answer."""
        client = self._clients.get("stop")
        if client is None or self._hangs or not client.service_is_ready():
            return None
        try:
            stopped = client.call_async(StopModel.Request())
            answer = self._answer("stop", stopped, STOP_DEADLINE_S)
            if answer is None:
                return self._failure("stop", f"no answer within {STOP_DEADLINE_S:g} s")
            if not answer.ok:
                raise self._error("stop", answer.error)
        except RunFailed as failure:  # it must not keep the others from ending
            return failure
        return None

    def give_up(self) -> None:
        """Let the node end, if it still listens; its late answers find nobody."""
        stop = self._clients.pop("stop", None)
        if stop is not None:
            stop.call_async(StopModel.Request())
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
        """A node that says goodbye is forgotten at once; others look for a killed one for seconds."""
        end = time.monotonic() + (0.0 if self._hangs else GOODBYE_S)
        while not process.has_ended() and time.monotonic() < end:
            self._executor.spin_once(0.01)

    def _forget(self) -> None:
        for client in self._clients.values():
            self._node.destroy_client(client)
        if self._subscription is not None:
            self._node.destroy_subscription(self._subscription)
        self._clients, self._subscription, self._pending = {}, None, None
        self._arrived.clear()

    def _let_step_end(self) -> None:
        """A step that was asked for comes first: the order must not depend on the node's executor."""
        if self._pending is not None:
            spin_until(self._executor, self._pending, self.plan.deadline)

    def _call(self, name: str, request: Any) -> Any:
        return self._wait(name, self._clients[name].call_async(request))

    def _wait(self, name: str, future: Any) -> Any:
        """The answer; a node that has died is not waited for."""
        answer = self._answer_in_time(name, future)
        if not answer.ok:
            raise self._error(name, answer.error)
        return answer

    def _answer_in_time(self, name: str, future: Any) -> Any:
        deadline = self.plan.deadline_of(name)
        answer = self._answer(name, future, deadline)
        if answer is None:
            self._hangs = True
            future.cancel()
            reason = f"no answer{self._place} within its deadline of {deadline:g} s"
            raise self._failure(name, reason)
        return answer

    def _answer(self, name: str, future: Any, deadline: float) -> Any:
        end = time.monotonic() + deadline
        while (answer := spin_until(self._executor, future, LOOK_PERIOD_S)) is None:
            self._check_alive(name)
            left = end - time.monotonic()
            if left < LOOK_PERIOD_S:
                return spin_until(self._executor, future, max(0.0, left))
        return answer

    def _check_alive(self, call: str) -> None:
        if self._process is not None and self._process.has_ended():
            raise self._failure(call, self._process.how_it_ended())

    def _error(self, call: str, text: str) -> HetwinError:
        """What the model raised; what the contract does not let it raise in this call is its failure."""
        error = json_codec.error_from_text(text, self.plan.name, call, self._time_ns)
        if isinstance(error, RunFailed):
            return failure_of(self.plan, call, error)
        if isinstance(error, MAY_RAISE.get(call, ())):
            return error
        return self._failure(call, f"{type(error).__name__}: {error}")

    def _failure(self, call: str, reason: str) -> RunFailed:
        return RunFailed(self.plan.name, call, self._time_ns, reason)
