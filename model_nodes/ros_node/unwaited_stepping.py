"""Steps of a model that the conductor does not wait for."""

from __future__ import annotations

import threading
from collections.abc import Callable

from rclpy.lifecycle import LifecycleNode
from rclpy.qos import QoSProfile, QoSReliabilityPolicy
from rosgraph_msgs.msg import Clock

from hetwin.msg import Event as EventMessage
from hetwin.msg import ModelOutput, SceneState
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.model import Stepping, Tick
from hetwin_core.ensemble.topics import CLOCK, EVENTS, STATE
from hetwin_core.ensemble.transport.remote.server import ModelServer
from hetwin_core.wire import messages


class UnwaitedStepping:
    """Steps a model on the clock, or at its own pace, in a thread until the run is over; publishes its outputs.

    Args:
        node: of the model.
        server: has the model, which has been started.
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
        """The step that is due; those before it are missed."""
        assert self._state is not None
        at_start, period_ns = self._server.at_start, self._server.period_ns
        scene = messages.read_state(self._state, at_start.layout, at_start.models)
        periods = max(1, (self._now_ns - self._done_ns) // period_ns)
        if not self._free:
            self._missed += periods - 1
        then = scene.time_ns if self._free else self._done_ns + periods * period_ns
        tick = Tick(then, then - self._done_ns, scene, tuple(self._events))
        self._events = []
        self._done_ns = then
        return tick
