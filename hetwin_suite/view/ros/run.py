"""Feed and controls of a run over ROS 2, for a process outside of the run."""

from __future__ import annotations

import json
import math
import os
import re
import struct
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSDurabilityPolicy, QoSProfile, QoSReliabilityPolicy
from rclpy.serialization import deserialize_message

from hetwin.msg import Event, Registry, RunStatus, SceneState
from hetwin.msg import Event as EventMessage
from hetwin.msg import Handover as HandoverMessage
from hetwin.srv import ControlRun, HandOver, NotifyEvent
from hetwin_core.ensemble import topics
from hetwin_core.ensemble.conductor.controls import BY_HAND, OnDone, RealTimeFactor
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scene.layout import layout_from_json
from hetwin_core.ensemble.scene.snapshot import PROXIMITY_COLUMNS
from hetwin_core.episodes.episode import handover_of, model_record
from hetwin_core.wire import messages, names
from hetwin_core.wire.messages import fill_time
from hetwin_suite.view.live.feed import Happening, LiveState, Phase, RunEnd, RunFacts
from hetwin_suite.view.live.hands import Control, Pause, Raise, Resume, SetPace, Step
from hetwin_suite.view.live.hands import HandOver as Handing
from hetwin_suite.view.live.watched_run import HappeningMaker, Happenings

try:
    from diagnostic_msgs.msg import DiagnosticArray
except ImportError:  # without the package, warnings are not shown
    DiagnosticArray = None

NOT_PAUSABLE = "the twin of a live robot is neither paused nor stepped: the robot does not wait"
_IS_OVER = "the run is over"
_LEVELS = {1: "warning", 2: "error", 3: "error"}
_LATCHED = QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
_NEWEST = QoSProfile(depth=1, reliability=QoSReliabilityPolicy.BEST_EFFORT)
_ALL = QoSProfile(depth=1000)
_STAMP = struct.Struct("<iI")
_AFTER_HEADER = 4
_CONDUCTOR_TIMEOUT_S = 3.0
_SPIN_S = 0.1


class _Listener(NamedTuple):
    """ROS resources, released at the end."""

    context: Context
    node: Node
    requests: Requests
    thread: threading.Thread


class RosRun:
    """`Feed` and `RunControls` of a run of the conductor's node.

    Messages are received in a separate thread; states are deserialized only when they are requested.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._begun: RunFacts | None = None
        self._over: RunEnd | None = None
        self._state = b""
        self._status = RunStatus(phase="paused")
        self._factor = RealTimeFactor()
        self._measured_factor: float | None = None
        self._seen_ns = -1
        self._happenings = Happenings()
        self._maker = HappeningMaker()
        self._closing = threading.Event()
        self._by_topics = True
        self._run = ""
        self._buttons: Mapping[str, Mapping[str, Json]] = {}
        self._listener: _Listener | None = None

    def listen(
        self,
        namespace: str = "",
        arguments: Sequence[str] = (),
        *,
        run: str = "",
        by_topics: bool = True,
        buttons: Mapping[str, Mapping[str, Json]] | None = None,
    ) -> Node:
        """Start to listen; the conductor's node may start later.

        Args:
            namespace: namespace of the conductor.
            arguments: command-line arguments of the process, including those of ROS.
            run: token of the run; empty: any run in the namespace.
            by_topics: whether topics report the end of the run; otherwise only `end` does.
            buttons: see `RunFacts`.

        Returns:
            The listening node.
        """
        self._by_topics, self._run, self._buttons = by_topics, run, buttons or {}
        context = Context()
        context.init(args=list(arguments))
        name = f"hetwin_page_{os.getpid()}"
        node = Node(name, namespace=namespace.strip("/"), context=context)
        requests = Requests(node, lambda: max(0, self._seen_ns), run)
        node.create_subscription(Registry, topics.REGISTRY.name, self._on_registry, _LATCHED)
        node.create_subscription(RunStatus, topics.STATUS.name, self._on_status, _LATCHED)
        node.create_subscription(SceneState, topics.STATE.name, self._on_state, _NEWEST, raw=True)
        node.create_subscription(EventMessage, topics.EVENTS.name, self._on_event, _ALL)
        node.create_subscription(HandoverMessage, topics.HANDOVERS.name, self._on_handover, _ALL)
        if DiagnosticArray is not None:
            node.create_subscription(DiagnosticArray, topics.DIAGNOSTICS.name, self._on_note, _ALL)
        thread = threading.Thread(target=self._listen, args=(node, requests), name="ros listener")
        thread.daemon = True
        self._listener = _Listener(context, node, requests, thread)
        thread.start()
        return node

    # ------------------------------------------------------------------ feed and controls

    @property
    def begun(self) -> RunFacts | None:
        """See `Feed`."""
        return self._begun

    @property
    def over(self) -> RunEnd | None:
        """See `Feed`."""
        return self._over

    def now(self) -> LiveState | None:
        """See `Feed`."""
        with self._lock:
            begun, raw, status, factor = (
                self._begun,
                self._state,
                self._status,
                self._measured_factor,
            )
        if begun is None or not raw:
            return None
        state: Any = deserialize_message(raw, SceneState)
        values = messages.to_floats(state.values)
        if len(values) != begun.layout.size:  # a state of another run
            return None
        paused = status.phase == Phase.PAUSED.value
        return LiveState(
            messages.read_time(state.stamp),
            values,
            messages.to_ints(state.owners),
            Phase.PAUSED if paused else Phase.RUNNING,
            None if paused else factor,
            status.pace or None,
            None if status.lag < 0.0 else status.lag,
            messages.to_floats(state.proximity).reshape(-1, PROXIMITY_COLUMNS),
        )

    def happened(self, since: int) -> tuple[int, Sequence[Happening]]:
        """See `Feed`."""
        return self._happenings.since(since)

    def do(self, deed: Control, done: OnDone) -> None:
        """See `RunControls`."""
        if self._over is not None:
            done(_IS_OVER)
        elif self._listener is None:
            done(NO_CONDUCTOR)
        else:
            self._listener.requests.send(deed, done)

    # ------------------------------------------------------------------ for the owner

    def end(self, over: RunEnd) -> None:
        """Report the end of the run, in place of an end reported by topics or by an earlier call."""
        self._over = over

    def close(self) -> None:
        """Stop listening."""
        listener, self._listener = self._listener, None
        if listener is not None:
            self._closing.set()
            listener.thread.join()
            listener.requests.refuse_all("the page is closed")
            listener.node.destroy_node()
            listener.context.try_shutdown()

    # ------------------------------------------------------------------ subscriptions

    def _listen(self, node: Node, requests: Requests) -> None:
        executor = SingleThreadedExecutor(context=node.context)
        executor.add_node(node)
        last_seen = time.monotonic()
        while not self._closing.is_set():
            executor.spin_once(_SPIN_S)
            requests.check()
            if self._over is not None:
                requests.refuse_all(_IS_OVER)
            now = time.monotonic()
            if self._begun is None or node.count_publishers(topics.REGISTRY.name):
                last_seen = now
            elif self._by_topics and self._over is None and now - last_seen > _CONDUCTOR_TIMEOUT_S:
                self._over = RunEnd("failed", "the conductor's node is gone")
        executor.shutdown()

    def _is_ours(self, message: Any) -> bool:
        """Whether a latched message belongs to this run, and not to an earlier one in the namespace."""
        return not self._run or message.run == self._run

    def _on_registry(self, message: Any) -> None:
        if not self._is_ours(message):
            return
        begun = RunFacts(
            message.scenario,
            layout_from_json(json.loads(message.layout)),
            tuple(model_record(model) for model in message.models),
            {name: tuple(models) for name, models in json.loads(message.able or "{}").items()},
            round(message.duration * 1e9) or None,
            NOT_PAUSABLE if re.search(r"(^| )live:", message.source) else "",
            self._buttons,
        )
        with self._lock:
            self._begun, self._over, self._state = begun, None, b""

    def _on_status(self, message: Any) -> None:
        if not self._is_ours(message):
            return
        with self._lock:
            self._status = message
        if self._by_topics and message.phase == "over" and self._over is None:
            text = f"failed: {message.reason}" if message.reason else message.ended
            self._over = RunEnd(message.ended, text, bool(message.deterministic))
        if message.phase != "running":
            self._factor.restart_measurement()

    def _on_state(self, raw: bytes) -> None:
        sec, nanosec = _STAMP.unpack_from(raw, _AFTER_HEADER)
        time_ns = sec * messages.NS + nanosec
        with self._lock:
            self._state = raw
            if time_ns != self._seen_ns:  # a paused run repeats its state
                self._seen_ns = time_ns
                self._measured_factor = self._factor.at(time.monotonic_ns(), time_ns)

    def _on_event(self, message: Any) -> None:
        self._add(self._maker.event(messages.read_event(message)))

    def _on_handover(self, message: Any) -> None:
        self._add(self._maker.handover(handover_of(message)))

    def _on_note(self, message: Any) -> None:
        for status in message.status:
            level = _LEVELS.get(int.from_bytes(status.level, "little"), "info")
            source = status.name.removeprefix("hetwin: ")
            time_ns = messages.read_time(message.header.stamp)
            self._add(self._maker.note(time_ns, level, source, status.message))

    def _add(self, happening: Happening | None) -> None:
        if happening is not None:
            self._happenings.add(happening)


PATIENCE_S = 30.0
"""Maximum time to wait for a response of the conductor [s]; responses to steps are waited for without a limit."""
MAX_OPEN = 32
NO_CONDUCTOR = "the conductor's node is not there"


class Requests:
    """Clients of ``hetwin/control``, ``hetwin/hand_over`` and ``hetwin/notify_event``; another thread spins their node.

    Args:
        node: node of the clients.
        now: returns the newest simulated time [ns].
        run: token of the run; empty: any run in the namespace.
    """

    def __init__(self, node: Node, now: Callable[[], int], run: str = "") -> None:
        self._run, self._now = run, now
        self._notify = node.create_client(NotifyEvent, names.NOTIFY)
        self._control = node.create_client(ControlRun, names.CONTROL)
        self._hand_over = node.create_client(HandOver, names.HAND_OVER)
        self._lock = threading.Lock()
        self._open: list[tuple[float, Any, OnDone]] = []

    def send(self, deed: Control, done: OnDone) -> None:
        """Send a request; see `Hands.do`."""
        client, request = self._request(deed)
        request.run = self._run
        patience = math.inf if isinstance(deed, Step) else PATIENCE_S
        if not client.service_is_ready():
            return done(NO_CONDUCTOR)
        with self._lock:
            is_full = len(self._open) >= MAX_OPEN
            if not is_full:
                self._open.append((time.monotonic() + patience, client.call_async(request), done))
        return done("too many requests at once") if is_full else None

    def check(self) -> None:
        """Forward responses, and refuse requests that have timed out; called by the spinning thread."""
        now, closed = time.monotonic(), []
        with self._lock:
            for row in list(self._open):
                if row[1].done() or now > row[0]:
                    self._open.remove(row)
                    closed.append(row)
        for _, future, done in closed:
            response = future.result() if future.done() else None
            if response is None:
                done(f"the conductor's node did not respond within {PATIENCE_S:g} s")
            else:
                done(None if response.accepted else response.reason)

    def refuse_all(self, reason: str) -> None:
        """Refuse all open requests."""
        with self._lock:
            refused, self._open = self._open, []
        for _, _, done in refused:
            done(reason)

    def _request(self, deed: Control) -> tuple[Any, Any]:
        match deed:
            case Handing(entity, attribute, model):
                request = HandOver.Request(entity=entity, attribute=attribute, model=model)
                return self._hand_over, request
            case Raise(name, arguments):
                event = Event(name=name, kind="model", source=BY_HAND)
                event.arguments = json.dumps(dict(arguments))
                fill_time(event.stamp, self._now())
                return self._notify, NotifyEvent.Request(event=event)
            case Pause():
                return self._control, ControlRun.Request(command="pause")
            case Resume():
                return self._control, ControlRun.Request(command="go_on")
            case Step(None):
                return self._control, ControlRun.Request(command="next_event")
            case Step(steps):
                return self._control, ControlRun.Request(command="step", steps=steps)
            case SetPace(factor):
                return self._control, ControlRun.Request(command="pace", pace=factor or 0.0)
