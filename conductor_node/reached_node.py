"""The node of a model as the conductor reaches it: its process, its services, and calls with deadlines."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any

from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.qos import QoSProfile

from conductor_node.deadlines import (
    APPEAR_S,
    DISCOVER_S,
    MATCH_S,
    REGISTER_S,
    UNSEEN_S,
)
from conductor_node.processes import ModelNodes
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
from hetwin_core.ensemble.errors import HetwinError, RunFailed
from hetwin_core.ensemble.scenario.scenario import ModelPlan
from hetwin_core.ensemble.supervision.watched_process import WatchedProcess
from hetwin_core.ensemble.transport.port import error_of
from hetwin_core.wire.names import SERVICE_DEPTH
from hetwin_core.wire.spinning import spin_until

STOP_DEADLINE_S = 2.0
REGULAR_END_S = 1.0
CALL_AGAIN_S = 0.2
LOOK_PERIOD_S = 0.1
"""Interval at which a process is checked for being alive while a call waits for its node."""
ASKED_FIRST = "parameters"
"""What is asked until the node responds; its client is made last."""
SERVICES: Mapping[str, Any] = {
    "initialize": InitializeModel,
    "start": StartModel,
    "take": TakeAttribute,
    "release": ReleaseAttribute,
    "command": CommandModel,
    "stop": StopModel,
    ASKED_FIRST: GetModelParameters,
}


class ReachedNode:
    """Calls the services of a model's node; every call ends within the model's deadline.

    Args:
        plan: the model as the scenario has it.
        node: the conductor's node.
        run: token of the run, which all calls carry.
        executor: spins the conductor's node while calls wait.
        registrations: name of a model -> the request with which its node registered, as it comes in.
        nodes: restarts nodes.
        may_go_on: is called while a call waits for the node; ends the waiting by raising.

    Attributes:
        announce_call: is called with each call that is sent.
        time_ns: of the step that was begun last [ns]; failures name it.
    """

    def __init__(
        self,
        plan: ModelPlan,
        node: Node,
        run: str,
        executor: Executor,
        registrations: MutableMapping[str, RegisterModel.Request],
        nodes: ModelNodes,
        may_go_on: Callable[[], None],
    ) -> None:
        self._plan = plan
        self._node, self._run = node, run
        self.executor = executor
        self._registrations = registrations
        self._nodes = nodes
        self._may_go_on = may_go_on
        self._process: WatchedProcess | None = None
        self._clients: dict[str, Any] = {}
        self._outputs: Any = None
        self._hangs = False
        self._description = ""
        self.announce_call: Callable[[], None] = _nothing
        self.time_ns = 0

    def register(self, receive: Callable[[ModelOutput], None]) -> RegisterModel.Request:
        """Wait until the node has registered and its services are there.

        Args:
            receive: takes each output that the node publishes.
        """
        self._wait_for_registration()
        self._connect(receive)
        if self.is_here and not self._sees_a_service(UNSEEN_S):
            self._node.get_logger().warning(
                f"{self._plan.name}: no service of its node{self._description} was discovered within {UNSEEN_S:g} s;"
                " it is started anew"
            )
            self.give_up()
            self.renew()
            self._wait_for_registration()
            self._connect(receive)
        self._wait_for_services()
        self._wait_until_matched()
        return self.registration

    def _connect(self, receive: Callable[[ModelOutput], None]) -> None:
        """Make clients of the services of the node that has registered."""
        found = self.registration
        self._process = WatchedProcess(found.host, found.pid, found.place)
        self._description = f" from {found.node} on host {found.host} (process {found.pid})"
        depth = QoSProfile(depth=SERVICE_DEPTH)
        for name, kind in SERVICES.items():
            self._clients[name] = self._node.create_client(
                kind, f"{found.node}/{name}", qos_profile=depth
            )
        self._outputs = self._node.create_subscription(
            ModelOutput, f"{found.node}/output", receive, depth
        )

    def _sees_a_service(self, within_s: float) -> bool:
        """Wait until one of its services is discovered; returns whether one was in time."""
        end = time.monotonic() + within_s
        while not any(client.service_is_ready() for client in self._clients.values()):
            if time.monotonic() > end:
                return False
            self.check_alive("discover")
            self.executor.spin_once(0.005)
        return True

    @property
    def registration(self) -> RegisterModel.Request:
        """The request with which the node registered."""
        return self._registrations[self._plan.name]

    @property
    def is_here(self) -> bool:
        """Whether its process is known and runs on this machine."""
        return self._process is not None and self._process.is_here

    def _wait_for_registration(self) -> None:
        """Wait until the node has registered; one that is seen gets further time for it."""
        end, seen_at = time.monotonic() + APPEAR_S, 0.0
        within = max(REGISTER_S, self._plan.deadline)
        while self._plan.name not in self._registrations:
            now = time.monotonic()
            if now > end and seen_at:
                reason = (
                    f"its node {self._name!r} was seen {now - seen_at:.1f} s ago, but did not register within"
                    f" {within:g} s"
                )
                raise self.failure("register", reason)
            if now > end:
                raise self.failure("register", self._never_seen())
            if not seen_at and self._is_seen():
                end, seen_at = now + within, now
            ended = self._nodes.ended(self._plan.name)
            if ended is not None:
                raise self.failure("register", ended)
            self._may_go_on()
            self.executor.spin_once(0.02)

    @property
    def _name(self) -> str:
        """The name that its node usually has."""
        return f"{self._node.get_namespace().rstrip('/')}/{self._plan.name}"

    def _is_seen(self) -> bool:
        return self._name in self._seen()

    def _seen(self) -> list[str]:
        """Full names of the nodes in this namespace that are seen now."""
        space = self._node.get_namespace()
        pairs = self._node.get_node_names_and_namespaces()
        return sorted(f"{where.rstrip('/')}/{name}" for name, where in pairs if where == space)

    def _never_seen(self) -> str:
        registered = ", ".join(sorted(self._registrations)) or "none"
        return (
            f"its node {self._name!r} did not appear within {APPEAR_S:g} s; is it running?"
            f" Nodes seen until then: {', '.join(self._seen())}; registered: {registered}"
        )

    def _wait_for_services(self) -> None:
        end = time.monotonic() + DISCOVER_S
        while missing := [name for name, c in self._clients.items() if not c.service_is_ready()]:
            if time.monotonic() > end:  # wait_for_service would look only every 0.25 s
                there = ", ".join(name for name in self._clients if name not in missing) or "none"
                reason = (
                    f"its node has registered{self._description}, but its services {', '.join(missing)} were not"
                    f" discovered within {DISCOVER_S:g} s; discovered: {there}"
                )
                raise self.failure("discover", reason)
            self.check_alive("discover")
            self.executor.spin_once(0.005)

    def _wait_until_matched(self) -> None:
        """Ask for the node's parameters until a response arrives.

        A node drops its responses to a client that it has not discovered within 100 ms (rmw_fastrtps), which may take
        seconds after another node was killed. Clients are discovered in the order in which they were made, so all
        others are when the last one gets its response.
        """
        end, calls = time.monotonic() + MATCH_S, 0
        while not self._responds(self._clients[ASKED_FIRST]):
            calls += 1
            if time.monotonic() > end:
                reason = (
                    f"no answer{self._description} within {MATCH_S:g} s of its discovery; {calls} calls of"
                    f" {ASKED_FIRST!r} were sent"
                )
                raise self.failure("discover", reason)
            self.check_alive("discover")

    def _responds(self, client: Any) -> bool:
        response = client.call_async(GetModelParameters.Request(run=self._run))
        return spin_until(self.executor, response, CALL_AGAIN_S) is not None

    def wait_until_subscribed(self, topic: str, reaches: Callable[[str, str], bool]) -> None:
        """Wait until the node is subscribed to its steps: those published before would be lost.

        Args:
            topic: of the steps.
            reaches: whether the topic reaches a node.
        """
        end = time.monotonic() + self._plan.deadline_of("start")
        while not (self._outputs.get_publisher_count() and reaches(topic, self.registration.node)):
            if time.monotonic() > end:
                reason = f"it does not listen on {topic!r}{self._description}"
                raise self.failure("start", reason)
            self.check_alive("start")
            self.executor.spin_once(0.005)

    def call(self, name: str, request: Any) -> Any:
        """Return the response; a node that has died is not waited for.

        Raises:
            HetwinError: if it reports an error.
            RunFailed: if there is no response in time.
        """
        response = self.response_in_time(name, self._sent(self._clients[name], request))
        if not response.ok:
            raise self.error(name, response.error)
        return response

    def _sent(self, client: Any, request: Any) -> Any:
        """The future of a call; a node that waits for steps is told to look for it."""
        request.run = self._run
        future = client.call_async(request)
        self.announce_call()
        return future

    def response_in_time(self, name: str, future: Any) -> Any:
        """Wait for what a call returns, until its deadline.

        Raises:
            RunFailed: if it does not come.
        """
        deadline = self._plan.deadline_of(name)
        response = self._wait_for(name, future, deadline)
        if response is None:
            future.cancel()
            raise self.too_late(name, deadline)
        return response

    def too_late(self, name: str, deadline: float) -> RunFailed:
        """Return the failure of a node that does not respond; it counts as hanging from now on."""
        self._hangs = True
        reason = f"no answer{self._description} within its deadline of {deadline:g} s"
        return self.failure(name, reason)

    def _wait_for(self, name: str, future: Any, deadline: float) -> Any:
        end = time.monotonic() + deadline
        while (response := spin_until(self.executor, future, LOOK_PERIOD_S)) is None:
            self.check_alive(name)
            left = end - time.monotonic()
            if left < LOOK_PERIOD_S:
                return spin_until(self.executor, future, max(0.0, left))
        return response

    def check_alive(self, call: str) -> None:
        """Check that waiting for the node makes sense.

        Raises:
            RunFailed: if its process has ended.
        """
        self._may_go_on()
        if self._process is not None and self._process.has_ended():
            raise self.failure(call, self._process.how_it_ended())

    def stop(self) -> RunFailed | None:
        """End the run; the node ends after its response."""
        client = self._clients.get("stop")
        if client is None or self._hangs or not client.service_is_ready():
            return None
        try:
            stopped = self._sent(client, StopModel.Request())
            response = self._wait_for("stop", stopped, STOP_DEADLINE_S)
            if response is None:
                return self.failure("stop", f"no answer within {STOP_DEADLINE_S:g} s")
            if not response.ok:
                raise self.error("stop", response.error)
        except RunFailed as failure:  # it must not keep the others from ending
            process = self._process
            if process is None or not process.has_ended() or process.failed:
                return failure
            return None  # it ended as it was asked to, and its response was lost
        return None

    def give_up(self) -> None:
        """Ask the node to end, if it still responds, and forget it."""
        stop = self._clients.pop("stop", None)
        if stop is not None:
            self._sent(stop, StopModel.Request())
        for client in self._clients.values():
            self._node.destroy_client(client)
        if self._outputs is not None:
            self._node.destroy_subscription(self._outputs)
        self._clients, self._outputs = {}, None

    def renew(self) -> None:
        """Kill the node and start another one in its place.

        Raises:
            RunFailed: if it runs on another machine.
        """
        if self._process is None or not self._process.is_here:
            reason = (
                "its node runs on another machine; the conductor restarts only those of its own"
            )
            raise self.failure("restart", reason)
        self._let_it_end(self._process)
        self._process.kill()
        self._process.close()
        self._registrations.pop(self._plan.name, None)
        self._hangs = False
        self._nodes.start(self._plan)

    def _let_it_end(self, process: WatchedProcess) -> None:
        """Wait for a regular end: other nodes forget such a node at once, but look for a killed one for seconds."""
        end = time.monotonic() + (0.0 if self._hangs else REGULAR_END_S)
        while not process.has_ended() and time.monotonic() < end:
            self.executor.spin_once(0.01)

    def error(self, call: str, text: str) -> HetwinError:
        """Return the error that a node has reported."""
        return error_of(self._plan, call, self.time_ns, text)

    def failure(self, call: str, reason: str) -> RunFailed:
        """Return the failure of a call."""
        return RunFailed(self._plan.name, call, self.time_ns, reason)


def _nothing() -> None:
    pass
