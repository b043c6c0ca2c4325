"""Steps of a model that the conductor does not wait for."""

from __future__ import annotations

import threading
from collections.abc import Callable

from rclpy.lifecycle import LifecycleNode
from rclpy.qos import QoSProfile, QoSReliabilityPolicy
from rosgraph_msgs.msg import Clock

from hetwin.msg import Event as EventMessage
from hetwin.msg import ModelOutput, SceneState
from hetwin_core.ensemble import json_codec
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.model import StepInput, StepOutput, Stepping
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.topics import CLOCK, EVENTS, STATE
from hetwin_core.ensemble.transport import step_codec
from hetwin_core.wire import messages


class UnwaitedStepping:
    """Steps a model on the clock, or at its own pace, in its own thread; publishes its outputs on ``~/output``."""

    def __init__(
        self,
        node: LifecycleNode,
        publish: Callable[[ModelOutput], None],
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
        self._publish = publish
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
        self._publish(message)
        return not message.error
