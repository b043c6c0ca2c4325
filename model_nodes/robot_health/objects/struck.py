"""Objects that a link touches which belongs to no hand, without the robot's program meaning it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.robot_health.lasting import Found, Key, Lasting
from model_nodes.robot_health.objects.purpose import Purpose
from model_nodes.robot_health.objects.states import ObjectStates
from model_nodes.robot_health.settings import Settings
from model_nodes.robot_health.touched import HOLD_NS, Touch


class _Begin(NamedTuple):
    first_ns: int
    place: Floats


class Struck:
    """Raises ``link_touches`` with ``link``, ``partner`` (the object), ``depth``, ``moved`` [m] and x, y, z.

    What was meant is left out, and what touched from the start, such as what stands on a robot's tray.

    Args:
        settings: scales of the depth, and of how far the object moves.
        states: the objects.
        purpose: what was meant.
        scene: names of the entities.
        touches: that go on, by link and what it touches.
    """

    def __init__(
        self,
        settings: Settings,
        states: ObjectStates,
        purpose: Purpose,
        scene: Layout,
        touches: Mapping[tuple[int, int], Touch],
    ) -> None:
        self._depth, self._way = settings.struck, settings.struck_away
        self._states, self._purpose, self._touches = states, purpose, touches
        self._names = [entity.name for entity in scene.entities]
        self._numbers = {int(entity): i for i, entity in enumerate(states.ids)}
        self._begun: dict[tuple[int, int], _Begin] = {}
        self._started_ns = states.time_ns
        self._lasting = Lasting("link_touches")

    @property
    def any(self) -> bool:
        """Whether there is anything to update."""
        for touch in self._touches.values():
            if touch.other in self._numbers and not touch.hand:
                return True
        return self._lasting.any

    def update(self, before: Floats) -> list[Event]:
        """Judge the newest state.

        Args:
            before: (k, 13) poses of the objects in the view before.
        """
        found: dict[Key, Found] = {}
        self._begun = {key: begin for key, begin in self._begun.items() if key in self._touches}
        for key, touch in self._touches.items():
            number = self._numbers.get(touch.other)
            if touch.hand or number is None:
                continue
            begin = self._begun.get(key)
            if begin is None or begin.first_ns != touch.first_ns:
                begin = self._begun[key] = _Begin(touch.first_ns, before[number, :3])
            if self._is_odd(number, touch):
                found |= self._found(number, touch, begin)
        return self._lasting.update(self._states.time_ns, found)

    def _is_odd(self, number: int, touch: Touch) -> bool:
        from_start = touch.first_ns - self._started_ns <= HOLD_NS
        return not from_start and not self._purpose.meant_since(number, touch.first_ns - HOLD_NS)

    def _found(self, number: int, touch: Touch, begin: _Begin) -> dict[Key, Found]:
        depth = touch.deepest.depth
        moved = float(np.linalg.norm(self._states.poses[number, :3] - begin.place))
        severities = (self._depth.severity(depth), self._way.severity(moved))
        known = [severity for severity in severities if severity is not None]
        if not known:
            return {}
        names = self._names[touch.link], self._names[touch.other]
        arguments: dict[str, Json] = {"link": names[0], "partner": names[1], "depth": depth}
        arguments["moved"] = moved
        arguments |= {key: getattr(touch.deepest, key) for key in "xyz"}
        worst = max(known, key=lambda severity: severity.rank)
        return {names: Found(worst, max(depth, moved), arguments)}
