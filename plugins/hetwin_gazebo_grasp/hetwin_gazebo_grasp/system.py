"""The Gazebo system: it reads the plugin's element, and holds objects step by step."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from hetwin_gazebo.bindings import gazebo
from hetwin_gazebo_grasp.gazebo_world import GazeboWorld, NoPositionsYet
from hetwin_gazebo_grasp.holding import GraspSettings, ObjectHolder
from hetwin_suite.model import BadInput, Event

HAND_TIMEOUT_S, SEARCH_PERIOD_S = 10.0, 0.5
"""Timeout for a hand that is missing, because its robot is added later, and period of the search for it [s]."""
PARAMETER_PERIOD_S = 0.02
"""Period at which the world's parameter is read [s]."""


class GraspSystem:
    """A hand that holds objects; one for each plugin element of a world or a model.

    Attributes:
        settings: contents of the element; set by `configure`.
    """

    settings: GraspSettings

    def __init__(self) -> None:
        self._holder: ObjectHolder | None = None
        self._enabled, self._suction_on, self._applied_suction = True, False, False
        self._requested_enabled: bool | None = None
        self._has_parameter = self._has_reported = self._positions_requested = False
        self._models = frozenset[int]()
        self._next_search_s, self._search_start_s, self._next_parameter_read_s = 0.0, -1.0, 0.0

    @property
    def held(self) -> str:
        """Name of the held model; empty if there is none."""
        return self._holder.held if self._holder else ""

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
        if now >= self._next_search_s:
            self._next_search_s = now + SEARCH_PERIOD_S
            self._update_models(now)
        if self._holder is None:
            return
        if now >= self._next_parameter_read_s:
            self._next_parameter_read_s = now + PARAMETER_PERIOD_S
            self._update_enabled()
        if not self._enabled:
            if self._holder.held:
                self._holder.release()
            return
        if self._suction_on != self._applied_suction:
            self._applied_suction = self._suction_on
            self._holder.set_suction(self._suction_on)
        self._holder.step(now)

    def reset(self, info: Any, ecm: Any) -> None:
        """Start again after Gazebo was reset."""
        self._holder, self._next_search_s, self._search_start_s, self._next_parameter_read_s = (
            None,
            0.0,
            -1.0,
            0.0,
        )

    def _update_models(self, now: float) -> None:
        """Create the mirror when the hand has been added, and again when models were added or removed."""
        models = self._world.models()
        if models == self._models and self._holder is not None:
            return
        if self._holder is not None and self._holder.held:
            return
        self._search_start_s = now if self._search_start_s < 0.0 else self._search_start_s
        try:
            self._holder = ObjectHolder(self._world, self.settings, self._publish_event)
        except (NoPositionsYet, BadInput) as error:
            requested_before, self._positions_requested = (
                self._positions_requested,
                isinstance(error, NoPositionsYet),
            )
            self._next_search_s = (
                now if self._positions_requested and not requested_before else self._next_search_s
            )
            self._report_missing(now - self._search_start_s, error)
            return
        self._models = models
        self._has_parameter = self._world.declare(self._parameter)
        print(
            f"hetwin: {self._holder.description}; events on {self._topic}/events", file=sys.stderr
        )

    def _report_missing(self, seconds: float, error: Exception) -> None:
        """Print once why there is no hand yet; after `HAND_TIMEOUT_S`, raise the error."""
        if seconds > HAND_TIMEOUT_S:
            raise error
        if seconds >= SEARCH_PERIOD_S and not self._has_reported:
            print(
                f"hetwin: no hand yet; searching for {HAND_TIMEOUT_S:g} s: {error}", file=sys.stderr
            )
            self._has_reported = True

    def _update_enabled(self) -> None:
        """Enable or disable holding as last requested on the topic or by the world's parameter.

        A world parameter serves as a service, because Gazebo's Python bindings cannot provide services.
        """
        requested, self._requested_enabled = self._requested_enabled, None
        if requested is not None:
            self._enabled = requested
            if self._has_parameter:
                self._world.set(self._parameter, requested)
        elif self._has_parameter:
            self._enabled = self._world.is_on(self._parameter)

    def _publish_event(self, event: Event) -> None:
        message = self._text()
        content = {"event": event.name, "time": event.time_ns / 1e9, **event.arguments}
        message.data = json.dumps({key: value for key, value in content.items() if key != "hand"})
        self._events.publish(message)

    def _on_enable(self, message: Any) -> None:
        self._requested_enabled = bool(message.data)

    def _on_suction(self, message: Any) -> None:
        self._suction_on = bool(message.data)


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
