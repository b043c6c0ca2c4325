"""The conductor's connection to a model's node: its process, and a channel for calls."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, MutableMapping, Sequence
from typing import Any

from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.task import Future

from conductor_node.processes import (
    APPEAR_S,
    DISCOVER_S,
    MATCH_S,
    REGISTER_S,
    UNSEEN_S,
    ModelNodes,
)
from hetwin.msg import ModelCall, ModelOutput
from hetwin.srv import RegisterModel
from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.model import Stepping
from hetwin_core.ensemble.scenario.model_plan import ModelPlan
from hetwin_core.ensemble.supervision.watched import WatchedProcess
from hetwin_core.ensemble.transport.remote.memory import FlatMessage, MemoryChannel
from hetwin_core.ensemble.transport.remote.port import Peer
from hetwin_core.wire.memory_offer import offer_memory
from hetwin_core.wire.names import CALL, OUTPUT, STEP_DEPTH, spin_until

POLL_PERIOD_S = 0.1


class TopicChannel:
    """Carries one call at a time to a node, and the result back.

    Args:
        node: the conductor's node.
        node_name: full name of the model's node.
        run: token of the run, contained in calls and results.
        executor: spins the conductor's node while it waits for a result.
    """

    ENDS = 2

    def __init__(self, node: Node, node_name: str, run: str, executor: Executor) -> None:
        self._node, self._run = node, run
        self._executor = executor
        depth = QoSProfile(depth=STEP_DEPTH)
        self._calls = node.create_publisher(ModelCall, f"{node_name}/{CALL}", depth)
        self._outputs = node.create_subscription(
            ModelOutput, f"{node_name}/{OUTPUT}", self._on_output, depth
        )
        self._call = ModelCall(run=run)
        self._awaited: Future[ModelOutput] = Future()
        self._unrequested: list[ModelOutput] = []

    def undiscovered(self) -> list[str]:
        """Describe the node's topic ends (publisher and subscription) that are not discovered yet."""
        ends = {
            f"subscription of {self._calls.topic_name!r}": self._calls.get_subscription_count(),
            f"publisher of {self._outputs.topic_name!r}": self._outputs.get_publisher_count(),
        }
        return [end for end, count in ends.items() if not count]

    def discovered_ends(self) -> int:
        """Number of the node's two topic ends that are discovered."""
        return self.ENDS - len(self.undiscovered())

    def request(self, message: FlatMessage) -> None:
        """Send a call."""
        self._awaited = Future()
        self._call = ModelCall(
            sequence=self._call.sequence + 1,
            call=message.call,
            index=message.index,
            numbers=message.numbers,
            tables=message.tables,
            events=message.events,
            more=message.more,
            run=self._run,
        )
        self.repeat()

    def repeat(self) -> None:
        """Send the last call once more."""
        self._calls.publish(self._call)

    def reply_until(self, deadline: float, may_wait: Callable[[], bool]) -> Any:
        """Wait for the result.

        Args:
            deadline: time by `time.monotonic` at which to give up [s].
            may_wait: called every `POLL_PERIOD_S`; returns whether to keep waiting.

        Returns:
            The result; None if none arrived.
        """
        while True:
            remaining_s = max(0.0, deadline - time.monotonic())
            output = spin_until(self._executor, self._awaited, min(remaining_s, POLL_PERIOD_S))
            if output is not None or not may_wait() or remaining_s == 0.0:
                return output

    def take_unrequested(self) -> list[ModelOutput]:
        """Results of steps that the model took by itself, since the last call of this method."""
        found, self._unrequested = self._unrequested, []
        return found

    def close(self) -> None:
        """Disconnect; later messages are dropped."""
        self._node.destroy_publisher(self._calls)
        self._node.destroy_subscription(self._outputs)

    def _on_output(self, output: ModelOutput) -> None:
        """Store a result; a late one has another sequence number and is dropped."""
        if output.run not in ("", self._run):
            return
        if not output.sequence:
            self._unrequested.append(output)
        elif output.sequence == self._call.sequence and not self._awaited.done():
            self._awaited.set_result(output)


REGULAR_END_S = 1.0
REPEAT_S = 0.2
REPORT_S = 5.0
"""A node that has not registered after this time [s] is named in the log."""


class NodeConnection(Peer):
    """Reaches a model's node through shared memory if it is on this machine, else over topics.

    Args:
        plan: the model's plan from the scenario.
        node: the conductor's node.
        run: token of the run, which identifies all calls.
        executor: spins the conductor's node while calls wait.
        registrations: name of a model -> the request with which its node registered; grows as nodes register.
        nodes: restarts nodes.
        check_quit: called while a call waits for the node; raises to end the waiting.
    """

    def __init__(
        self,
        plan: ModelPlan,
        node: Node,
        run: str,
        executor: Executor,
        registrations: MutableMapping[str, RegisterModel.Request],
        nodes: ModelNodes,
        check_quit: Callable[[], None],
    ) -> None:
        super().__init__(plan)
        self._node, self._run = node, run
        self._executor = executor
        self._registrations = registrations
        self._nodes = nodes
        self._check_quit = check_quit
        self._process = WatchedProcess("", 0, "nowhere")
        self._memory: MemoryChannel | None = None
        self._topics: TopicChannel | None = None
        self._is_lost = False
        self._description = ""

    def connect(self) -> tuple[str, int]:
        """Wait until calls reach the node; the node of a model that joins a run must have registered before."""
        if self.plan.seat and self.plan.name not in self._registrations:
            raise self.failure("register", "no node of it has registered")
        self._wait_for_registration()
        self._open_channel()
        can_renew = self._process.is_here and not (self.plan.is_foreign or self.plan.seat)
        if can_renew and not self._wait_for_ends(1, UNSEEN_S):
            self._node.get_logger().warning(
                f"{self.plan.name}: no topic of its node{self._description} was discovered within {UNSEEN_S:g} s;"
                " it is restarted"
            )
            self.end(None)
            self.restart_process()
            self._wait_for_registration()
            self._open_channel()
        if self._topics is not None:
            self._wait_for_topics(self._topics)
        self._wait_for_response()
        found = self._registrations[self.plan.name]
        return found.host, found.pid

    def _open_channel(self) -> None:
        """Share memory with the registered node, or create publisher and subscription for its topics."""
        found = self._registrations[self.plan.name]
        known = (
            found.host if found.pid > 0 else "",
            found.pid,
            found.place if found.pid > 0 else "?",
        )
        self._process = WatchedProcess(*known)
        self._description = f" from {found.node} on host {found.host} (process {found.pid})"
        if self._process.is_here and found.memory and self.plan.stepping is Stepping.SERVICE:
            self._memory = offer_memory(found.memory, found.pid, self._run)
        if self._memory is None:
            self._topics = TopicChannel(self._node, found.node, self._run, self._executor)

    def _wait_for_ends(self, ends: int, limit_s: float) -> bool:
        """Wait until `ends` of the node's two topic ends are discovered; also true if the node shares memory."""
        end = time.monotonic() + self._time_limit(limit_s)
        while self._topics is not None and self._topics.discovered_ends() < ends:
            if time.monotonic() > end:
                return False
            self._check_alive("discover")
            self._executor.spin_once(0.005)
        return True

    def _time_limit(self, usual_s: float) -> float:
        """Limit a waiting time [s]: a joining model is awaited for at most the deadline of a call."""
        return min(usual_s, self.plan.deadline) if self.plan.seat else usual_s

    def _wait_for_registration(self) -> None:
        """Wait until the node has registered; once it is seen, the time limit is extended."""
        start, seen_at, is_reported = time.monotonic(), 0.0, False
        end, registration_s = start + APPEAR_S, max(REGISTER_S, self.plan.deadline)
        while self.plan.name not in self._registrations:
            now = time.monotonic()
            if now > start + REPORT_S and not is_reported:
                is_reported = True
                self._node.get_logger().warning(
                    f"{self.plan.name}: {self._missing_warning(end - start)}"
                )
            if now > end and seen_at:
                reason = (
                    f"its node {self._node_name!r} was seen {now - seen_at:.1f} s ago, but did not register within"
                    f" {registration_s:g} s"
                )
                raise self.failure("register", reason)
            if now > end:
                raise self.failure("register", self._never_seen_reason())
            if not seen_at and self._is_visible():
                end, seen_at = now + registration_s, now
            ended = self._nodes.exit_reason(self.plan.name)
            if ended is not None:
                raise self.failure("register", ended)
            self._check_quit()
            self._executor.spin_once(0.02)

    @property
    def _node_name(self) -> str:
        """The usual full name of this model's node."""
        return f"{self._node.get_namespace().rstrip('/')}/{self.plan.name}"

    def _is_visible(self) -> bool:
        return self._node_name in self._visible_nodes()

    def _visible_nodes(self) -> list[str]:
        """Full names of the nodes in this namespace that are discovered now."""
        space = self._node.get_namespace()
        pairs = self._node.get_node_names_and_namespaces()
        return sorted(f"{where.rstrip('/')}/{name}" for name, where in pairs if where == space)

    def _missing_warning(self, limit_s: float) -> str:
        """A warning that names the node that has not registered, for the user who started the conductor's node."""
        return (
            f"its node {self._node_name!r} has not registered with this conductor on host {socket.gethostname()} after"
            f" {REPORT_S:g} s, which waits for {limit_s:.0f} s. {self._known_nodes_sentence()}"
        )

    def _never_seen_reason(self) -> str:
        return (
            f"its node {self._node_name!r} did not appear within {APPEAR_S:g} s; is it running?"
            f" {self._known_nodes_sentence()}"
        )

    def _known_nodes_sentence(self) -> str:
        registered = ", ".join(sorted(self._registrations)) or "none"
        return (
            f"Nodes seen until then: {', '.join(self._visible_nodes())}; registered: {registered}"
        )

    def _wait_for_topics(self, topics: TopicChannel) -> None:
        if not self._wait_for_ends(topics.ENDS, DISCOVER_S):
            reason = (
                f"its node has registered{self._description}, but its {' and its '.join(topics.undiscovered())} was"
                f" not discovered within {DISCOVER_S:g} s"
            )
            raise self.failure("discover", reason)

    def _wait_for_response(self) -> None:
        """Call the node until it responds, for which the deadline of a call may be too short.

        Messages sent before both topic ends have discovered each other are lost. A node serves its memory when it
        knows that it has registered, and it asks for that again if the middleware has lost the first response.
        """
        channel, limit_s = self._channel, self._time_limit(MATCH_S)
        assert channel is not None
        channel.request(FlatMessage("register"))
        end, calls = time.monotonic() + limit_s, 1
        while channel.reply_until(time.monotonic() + REPEAT_S, self._serve_requests) is None:
            self._check_alive("discover")
            if time.monotonic() > end:
                since = "its registration" if self._topics is None else "its discovery"
                reason = f"no answer{self._description} within {limit_s:g} s of {since}; {calls} calls were sent"
                raise self.failure("discover", reason)
            if self._topics is not None:
                self._topics.repeat()
                calls += 1

    def _check_alive(self, call: str) -> None:
        """Check that the node can still respond.

        Raises:
            RunFailed: if its process has ended.
        """
        self._check_quit()
        if self._process.has_ended():
            self._is_lost = True
            raise self.failure(call, self._process.how_it_ended())

    @property
    def is_reachable(self) -> bool:
        """Whether the node can be called."""
        if self._is_lost or self._channel is None:
            return False
        return self._topics is None or not self._topics.undiscovered()

    @property
    def _channel(self) -> MemoryChannel | TopicChannel | None:
        return self._memory or self._topics

    def send(self, call: FlatMessage) -> None:
        """Send a call."""
        if self._channel is None:
            raise self.failure(call.call, "it is not connected")
        self._channel.request(call)

    def result(self, call: str, deadline: float) -> Any:
        """Wait for the result of the call; other requests are served meanwhile."""
        assert self._channel is not None
        result = self._channel.reply_until(deadline, self._serve_requests)
        if result is None:
            self._check_alive(call)
        return result

    def _serve_requests(self) -> bool:
        """Serve requests during a long call; false if the node's process has ended."""
        self._executor.spin_once(0.0)
        self._check_quit()
        return not self._process.has_ended()

    def take_unrequested(self) -> Sequence[Any]:
        """Results of steps that the model took by itself, without a call."""
        self._check_alive("step")
        self._executor.spin_once(0.0)
        return () if self._topics is None else self._topics.take_unrequested()

    def timeout_failure(self, call: str, deadline_s: float) -> RunFailed:
        """Return the failure of a call whose result did not arrive in time."""
        self._is_lost = True
        return self.failure(
            call, f"no answer{self._description} within its deadline of {deadline_s:g} s"
        )

    def end(self, failure: RunFailed | None) -> RunFailed | None:
        """Disconnect from the node, which ends by itself; a hanging one is sent a stop call in case it recovers.

        Returns:
            The failure; None if the process ended regularly and only its result was lost.
        """
        if self._channel is not None:
            if self._is_lost:
                self._channel.request(FlatMessage("stop"))
            self._channel.close()
        self._memory = self._topics = None
        if self.plan.seat:
            self._registrations.pop(self.plan.name, None)
        ended_well = self._process.has_ended() and not self._process.failed
        return None if ended_well else failure

    def restart_process(self) -> None:
        """Kill the node and start another one for the same model.

        Raises:
            RunFailed: if it runs on another machine.
        """
        if self.plan.seat:  # its user starts it
            self._is_lost = False
            return
        if not self._process.is_here:
            reason = (
                "its node runs on another machine; the conductor restarts only those of its own"
            )
            raise self.failure("restart", reason)
        self._await_end(self._process)
        self._process.kill()
        self._process.close()
        self._registrations.pop(self.plan.name, None)
        self._is_lost = False
        self._nodes.start(self.plan)

    def _await_end(self, process: WatchedProcess) -> None:
        """Wait for a regular end: other nodes forget such a node at once, but search for a killed one for seconds."""
        end = time.monotonic() + (0.0 if self._is_lost else REGULAR_END_S)
        while not process.has_ended() and time.monotonic() < end:
            self._executor.spin_once(0.01)
