"""Asks the conductor's node for a user's requests to its run."""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Callable
from typing import Any

from rclpy.node import Node

from hetwin.msg import Event
from hetwin.srv import ControlRun, HandOver, NotifyEvent
from hetwin_core.ensemble.conductor.controls import BY_HAND, Done
from hetwin_core.wire import names
from hetwin_core.wire.messages import fill_time
from hetwin_suite.view.live.hands import Deed, GoOn, HoldTo, Pause, Raise, Step
from hetwin_suite.view.live.hands import HandOver as Handing

PATIENCE_S = 30.0
"""A conductor that has not responded after this time is not waited for any more, but for steps."""
MOST_OPEN = 32
NOT_THERE = "the conductor's node is not there"


class Asking:
    """Clients of ``hetwin/control``, ``hetwin/hand_over`` and ``hetwin/notify_event``, whose node another thread spins.

    Args:
        node: that they belong to.
        now: the newest simulated time [ns].
        run: token of the run; empty: the run of the namespace.
    """

    def __init__(self, node: Node, now: Callable[[], int], run: str = "") -> None:
        self._run, self._now = run, now
        self._notify = node.create_client(NotifyEvent, names.NOTIFY)
        self._control = node.create_client(ControlRun, names.CONTROL)
        self._hand_over = node.create_client(HandOver, names.HAND_OVER)
        self._lock = threading.Lock()
        self._open: list[tuple[float, Any, Done]] = []

    def ask(self, deed: Deed, done: Done) -> None:
        """Ask for a deed; returns at once, and `done` is called once, from any thread."""
        client, request = self._request(deed)
        request.run = self._run
        patience = math.inf if isinstance(deed, Step) else PATIENCE_S
        if not client.service_is_ready():
            return done(NOT_THERE)
        with self._lock:
            full = len(self._open) >= MOST_OPEN
            if not full:
                self._open.append((time.monotonic() + patience, client.call_async(request), done))
        return done("too much was asked for at once") if full else None

    def look(self) -> None:
        """Pass responses on; called by the thread that spins."""
        now, over = time.monotonic(), []
        with self._lock:
            for row in list(self._open):
                if row[1].done() or now > row[0]:
                    self._open.remove(row)
                    over.append(row)
        for _, future, done in over:
            response = future.result() if future.done() else None
            if response is None:
                done(f"the conductor's node does not respond for {PATIENCE_S:g} s")
            else:
                done(None if response.accepted else response.reason)

    def refuse_all(self, reason: str) -> None:
        """Respond to all that is still open."""
        with self._lock:
            rest, self._open = self._open, []
        for _, _, done in rest:
            done(reason)

    def _request(self, deed: Deed) -> tuple[Any, Any]:
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
            case GoOn():
                return self._control, ControlRun.Request(command="go_on")
            case Step(None):
                return self._control, ControlRun.Request(command="next_event")
            case Step(steps):
                return self._control, ControlRun.Request(command="step", steps=steps)
            case HoldTo(factor):
                return self._control, ControlRun.Request(command="pace", pace=factor or 0.0)
