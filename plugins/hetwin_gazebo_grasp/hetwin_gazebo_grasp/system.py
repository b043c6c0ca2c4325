"""The Gazebo system: it reads the plugin's element, and holds objects step by step."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from hetwin_gazebo.bindings import gazebo
from hetwin_gazebo_grasp.gazebo_world import GazeboWorld, NoPositionsYet
from hetwin_gazebo_grasp.holding import GraspSettings, Holding
from hetwin_suite.model import BadInput, Event

PATIENCE_S, AGAIN_S = 10.0, 0.5
"""Timeout for a hand that is missing, because its robot is added later, and period of the search for it [s]."""
LISTEN_S = 0.02
"""Period at which the world's parameter is read [s]."""


class GraspSystem:
    """A hand that holds objects; one for each plugin element of a world or a model.

    Attributes:
        settings: contents of the element; set by `configure`.
    """

    settings: GraspSettings

    def __init__(self) -> None:
        self._holding: Holding | None = None
        self._enabled, self._sucks, self._applied_suction = True, False, False
        self._requested_enabled: bool | None = None
        self._has_parameter = self._waits = self._asked = False
        self._models, self._due, self._first, self._listen = frozenset[int](), 0.0, -1.0, 0.0

    @property
    def held(self) -> str:
        """Name of the held model; empty if there is none."""
        return self._holding.held if self._holding else ""

    def configure(self, entity: int, sdf: Any, ecm: Any, events: Any) -> None:
        """Read the plugin's element; the models may be added later.

        Raises:
            BadInput: if the element is incomplete; the loader prints the message, and the system stays inactive.
        """
        self.settings = settings = read_settings(lambda name: str(sdf.get_string(name, "")[0]))
        topic = str(sdf.get_string("topic", "")[0])
        self._topic = topic or f"/hetwin/grasp/{settings.hand.replace('::', '/')}"
        self._parameter = f"{self._topic}/enable"
        gz = gazebo()
        self._world = GazeboWorld(gz)
        self._node = gz.transport.Node()
        self._text = gz.message("stringmsg_pb2", "StringMsg")
        self._events = self._node.advertise(f"{self._topic}/events", self._text)
        boolean = gz.message("boolean_pb2", "Boolean")
        self._node.subscribe(boolean, self._parameter, self._on_enable)
        self._node.subscribe(boolean, f"{self._topic}/suction", self._on_suction)

    def pre_update(self, info: Any, ecm: Any) -> None:
        """Hold objects in the next step of Gazebo's physics; Gazebo calls this before each step."""
        if info.paused:
            return
        now = info.sim_time.total_seconds()
        self._world.use(ecm)
        if now >= self._due:
            self._due = now + AGAIN_S
            self._look_for_models(now)
        if self._holding is None:
            return
        if now >= self._listen:
            self._listen = now + LISTEN_S
            self._update_enabled()
        if not self._enabled:
            if self._holding.held:
                self._holding.let_go()
            return
        if self._sucks != self._applied_suction:
            self._applied_suction = self._sucks
            self._holding.suck(self._sucks)
        self._holding.step(now)

    def reset(self, info: Any, ecm: Any) -> None:
        """Start again after Gazebo was reset."""
        self._holding, self._due, self._first, self._listen = None, 0.0, -1.0, 0.0

    def _look_for_models(self, now: float) -> None:
        """Create the mirror when the hand has been added, and again when models were added or removed."""
        models = self._world.models()
        if models == self._models and self._holding is not None:
            return
        if self._holding is not None and self._holding.held:
            return
        self._first = now if self._first < 0.0 else self._first
        try:
            self._holding = Holding(self._world, self.settings, self._publish_event)
        except (NoPositionsYet, BadInput) as error:
            asked, self._asked = self._asked, isinstance(error, NoPositionsYet)
            self._due = now if self._asked and not asked else self._due
            self._wait(now - self._first, error)
            return
        self._models = models
        self._has_parameter = self._world.declare(self._parameter)
        print(
            f"hetwin: {self._holding.description}; events on {self._topic}/events", file=sys.stderr
        )

    def _wait(self, waited: float, why: Exception) -> None:
        """Print once why nothing is held yet; after `PATIENCE_S`, raise the error."""
        if waited > PATIENCE_S:
            raise why
        if waited >= AGAIN_S and not self._waits:
            print(f"hetwin: holds nothing yet, looks for {PATIENCE_S:g} s: {why}", file=sys.stderr)
            self._waits = True

    def _update_enabled(self) -> None:
        """Apply the last request to hold or not, from the topic or the world's parameter.

        A world parameter serves as a service, because Gazebo's Python bindings cannot provide services.
        """
        told, self._requested_enabled = self._requested_enabled, None
        if told is not None:
            self._enabled = told
            if self._has_parameter:
                self._world.set(self._parameter, told)
        elif self._has_parameter:
            self._enabled = self._world.is_on(self._parameter)

    def _publish_event(self, event: Event) -> None:
        message = self._text()
        told = {"event": event.name, "time": event.time_ns / 1e9, **event.arguments}
        message.data = json.dumps({key: value for key, value in told.items() if key != "hand"})
        self._events.publish(message)

    def _on_enable(self, message: Any) -> None:
        self._requested_enabled = bool(message.data)

    def _on_suction(self, message: Any) -> None:
        self._sucks = bool(message.data)


def read_settings(get: Callable[[str], str]) -> GraspSettings:
    """Read the plugin's element.

    Args:
        get: returns the text of a child element; empty if there is none.

    Raises:
        BadInput: if a child element is missing or malformed.
    """
    hand = get("hand").strip()
    if not hand:
        raise BadInput("is missing", where="hand", expected="the link that the fingers start from")
    try:
        rows = [row.split() for row in get("fingers").split(",") if row.strip()]
        fingers = {joint: (float(opened), float(closed)) for joint, opened, closed in rows}
        largest = float(get("largest") or GraspSettings.largest)
    except ValueError as error:
        raise BadInput(
            str(error),
            where="fingers, largest",
            expected="<fingers>joint opened closed, joint opened closed</fingers>, <largest>metres</largest>",
        ) from None
    return GraspSettings(hand, get("objects").split() or ["*"], largest, fingers)
