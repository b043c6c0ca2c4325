"""The conductor's side of a model that is a ROS 2 node."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from typing import Any

from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.task import Future

from conductor_node.processes import ModelNodes
from conductor_node.reached_node import LOOK_PERIOD_S, ReachedNode
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
    TakeAttribute,
)
from hetwin_core.ensemble import json_codec
from hetwin_core.ensemble.errors import RunFailed
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
from hetwin_core.ensemble.transport import step_codec
from hetwin_core.ensemble.transport.own_process.shared_parts import TooLarge
from hetwin_core.ensemble.transport.port import ModelPort
from hetwin_core.wire import messages
from hetwin_core.wire.spinning import poll_until, spin_until
from hetwin_core.wire.step_memory import Offer


class RosPort(ModelPort):
    """Has a model's node take its steps and do what the conductor wants; see `reached_node` for the calls.

    Args:
        plan: the model as the scenario has it.
        node: the conductor's node.
        run: token of the run.
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
        run: str,
        executor: Executor,
        registrations: MutableMapping[str, RegisterModel.Request],
        requests: StepRequests,
        period_s: float,
        nodes: ModelNodes,
        may_go_on: Callable[[], None],
    ) -> None:
        self.plan = plan
        self._run = run
        self._node = ReachedNode(plan, node, run, executor, registrations, nodes, may_go_on)
        self._executor = executor
        self._requests = requests
        self._period_s = period_s
        self._layout: Layout | None = None
        self._pending: Future[ModelOutput] | None = None
        self._sequence = 0
        self._round = Round()
        self._topic = ""
        self._arrived: list[ModelOutput] = []
        self._missed = 0
        self._reads = True
        self._selections: tuple[Selection, ...] = ()
        self._outputs: deque[StepOutput] = deque()
        self._shared: SharedSteps | None = None
        self._node.announce_call = self._announce_call

    def register(self) -> tuple[str, int]:
        """Wait until the node has registered and its services are there."""
        receive = self._on_output if self._is_waited_for else self._on_unwaited_output
        found = self._node.register(receive)
        return found.host, found.pid

    def _announce_call(self) -> None:
        if self._shared is not None:
            self._shared.announce_call()

    def parameters(self) -> Sequence[ParameterRequest]:
        """Request the list of parameters that the model needs."""
        response = self._node.call("parameters", GetModelParameters.Request())
        return json_codec.requests_from_text(response.requests)

    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        """Initialize the model with the resolved parameters."""
        self._topic = self._requests.topic(self.plan) if self._is_waited_for else ""
        request = InitializeModel.Request(
            parameters=json.dumps(dict(parameters)), seed=seed, steps=self._topic
        )
        offer = Offer(self._node.registration.pid, self._run) if self._may_share else None
        contribution = json_codec.contribution_from_text(
            self._node.call("initialize", request).contribution
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
        if self._is_waited_for and self._shared is None:
            self._node.wait_until_subscribed(self._topic, self._requests.reaches)
        self._node.call("start", request)

    @property
    def _is_waited_for(self) -> bool:
        return self.plan.stepping is Stepping.SERVICE

    @property
    def _may_share(self) -> bool:
        """Whether its node may get its steps through memory of this machine."""
        return self._is_waited_for and self._node.is_here

    def _between_looks(self) -> None:
        """What is done from time to time while a step takes long."""
        self._executor.spin_once(0.0)
        self._node.check_alive("step")

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
        self._node.time_ns = tick.time_ns
        if self.plan.stepping is not Stepping.SERVICE:
            return  # it subscribes to the clock and the state
        if self._outputs:
            return
        if self._shared is not None:
            try:
                self._shared.begin(tick, further, reads=self._reads)
            except TooLarge as error:
                raise self._node.failure("step", f"its input is too large: {error}") from None
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
        is_awaited = message.run == self._run and message.sequence == self._sequence
        if self._pending is not None and is_awaited:
            self._pending.set_result(message)
            self._round.received()

    def _on_unwaited_output(self, message: ModelOutput) -> None:
        if message.run == self._run:
            self._arrived.append(message)

    def end_step(self) -> StepOutput:
        """Wait for the output of the step."""
        if not self._outputs:
            response = self._step_response()
            if response.error:
                raise self._node.error("step", response.error)
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
            raise self._node.failure("step", reason) from None

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
        response: ModelOutput = self._node.response_in_time("step", pending)
        return response

    def collect(self) -> list[StepOutput]:
        """Outputs that the node has published since the last call."""
        self._node.check_alive("step")
        self._executor.spin_once(0.0)
        arrived = list(self._arrived)
        self._arrived.clear()
        outputs: list[StepOutput] = []
        for message in arrived:
            self._missed = message.missed_steps
            if message.error:
                raise self._node.error("step", message.error)
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
        self._node.call("take", request)

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        """End the model's responsibility."""
        request = ReleaseAttribute.Request(slot=scene.layout.slot_id(entity, attribute))
        messages.fill_state(request.state, scene)
        self._let_step_end()
        response = self._node.call("release", request)
        parent = step_codec.parent_name(scene.layout, response.parent)
        return Value(messages.to_floats(response.value), response.time_ns, parent)

    def command(self, name: str, arguments: Mapping[str, Json]) -> None:
        """Send the model a command."""
        request = CommandModel.Request(command=name, arguments=json.dumps(dict(arguments)))
        self._let_step_end()
        self._node.call("command", request)

    def stop(self) -> RunFailed | None:
        """End the run; the node ends after its response."""
        return self._node.stop()

    def give_up(self) -> None:
        """Ask the node to end, if it still responds; its late responses are dropped."""
        self._node.give_up()
        if self._shared is not None:
            self._shared.close()
        self._pending, self._shared = None, None
        self._arrived.clear()

    def renew(self) -> None:
        """Kill the node and start another one in its place.

        Raises:
            RunFailed: if it runs on another machine.
        """
        self._node.renew()

    def _let_step_end(self) -> None:
        """Wait for a requested step first: the order must not depend on the node's executor."""
        if self._shared is not None and not self._shared.has_ended(self.plan.deadline):
            raise self._node.too_late("step", self.plan.deadline)
        if self._pending is not None:
            spin_until(self._executor, self._pending, self.plan.deadline)
