"""Events about objects that move although no hand moves them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from hetwin_core.ensemble.conductor.reporting.concerns import Severity
from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.scene.layout import EntityKind, Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Floats, ShapeKind
from model_nodes.bounding_boxes import BoundingBoxes
from model_nodes.robot_health.lasting import Found, Key, LastingFindings
from model_nodes.robot_health.objects.states import ObjectStates, Purpose, Touches
from model_nodes.robot_health.objects.upset import FallFinder, FlingFinder, TopplingFinder
from model_nodes.robot_health.settings import Scale, Settings
from model_nodes.robot_health.touched import HOLD_NS, Touch
from model_nodes.robot_health.view import View

BESIDE = 3.0
"""Minimum margin of the world's box around its content; the margin is at least the content's diagonal [m]."""
AT_SPEED = 5.0
"""Horizontal speed above which leaving the world has the severity ``absurd`` [m/s]."""


class ExitFinder:
    """Raises ``left_the_world`` {object, speed [m/s], x, y, z [m]}, once for each object.

    The world is the bounding box of everything at the start, enlarged sideways and upwards by at least `BESIDE`; of
    ground planes only the height counts. The severity is ``absurd`` if an object went through a ground plane, or left
    faster than `AT_SPEED`.

    Args:
        scale: of the distance beyond the world's box [m].
        scene: at the start.
        states: the objects.
    """

    def __init__(self, scale: Scale, scene: Snapshot, states: ObjectStates) -> None:
        self._scale, self._states = scale, states
        self._lower, self._upper = _world(scene)
        self._has_ground = bool(_grounds(scene.layout))
        self._gone = np.zeros(len(states.ids), np.bool_)

    def update(self) -> tuple[list[int], list[Event]]:
        """Judge the newest state; returns the indices of the objects that have just left, and events about them."""
        places = self._states.centres
        beyond = np.maximum(self._lower - places, places - self._upper).max(axis=1)
        out = (beyond >= self._scale.least) & ~self._gone
        if not out.any():
            return [], []
        self._gone |= out
        left = np.flatnonzero(out).tolist()
        return left, [e for number in left for e in self._events(number, float(beyond[number]))]

    def _events(self, number: int, beyond: float) -> list[Event]:
        states = self._states
        severity = self._scale.severity(beyond)
        if severity is None:
            return []
        x, y, z = states.centres[number].tolist()
        through = self._has_ground and z < self._lower[2]
        if through or float(np.hypot(*states.velocities[number, :2])) > AT_SPEED:
            severity = Severity.ABSURD
        arguments: dict[str, Json] = {
            "object": states.entities[number].name,
            "speed": float(states.speeds[number]),
            "severity": severity.value,
            "x": x,
            "y": y,
            "z": z,
        }
        return [Event("left_the_world", states.time_ns, arguments=arguments)]


def _grounds(layout: Layout) -> list[str]:
    """Return the entities with a plane that collides."""
    return [
        entity.name
        for entity in layout.entities
        if layout.has(entity.name, "pose")
        and any(shape.kind is ShapeKind.PLANE and shape.collides for shape in entity.shapes)
    ]


def _world(scene: Snapshot) -> tuple[Floats, Floats]:
    """Return (3,) lower and upper corner of the world's box [m]."""
    layout = scene.layout
    grounds = _grounds(layout)
    kinds = (EntityKind.OBJECT, EntityKind.STATIC, EntityKind.LINK)
    names = [e.name for e in layout.of_kind(*kinds) if layout.has(e.name, "pose")]
    boxes = BoundingBoxes(layout, [name for name in names if name not in grounds])
    around = boxes.around_all(scene.values)
    places = [scene.pose(name)[:3] for name in names if name not in grounds]  # also without a shape
    lower = np.min([around[:3], *places], axis=0)
    upper = np.max([around[3:], *places], axis=0)
    beside = max(BESIDE, float(np.linalg.norm(upper - lower))) if len(boxes) else BESIDE
    heights = [scene.pose(name)[2] for name in grounds]
    bottom = min([lower[2], *heights])
    return np.array([*(lower[:2] - beside), bottom]), upper + beside


class _Begin(NamedTuple):
    first_ns: int
    place: Floats


class StrikeFinder:
    """Raises ``link_touches`` with ``link``, ``partner`` (the object), ``depth``, ``moved`` [m] and x, y, z.

    Excluded are intended touches, and those from the start, such as of an object on a robot's tray.

    Args:
        settings: scales of the depth, and of the distance that the object moves.
        states: the objects.
        purpose: intended motions.
        scene: names of the entities.
        touches: current touches, by link and touched object.
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
        self._lasting = LastingFindings("link_touches")

    @property
    def any(self) -> bool:
        """Whether `update` has anything to do."""
        for touch in self._touches.values():
            if touch.other in self._numbers and not touch.hand:
                return True
        return self._lasting.any

    def update(self, before: Floats) -> list[Event]:
        """Judge the newest state.

        Args:
            before: (k, 13) poses of the objects in the previous view.
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


class ObjectStory:
    """Raises ``flung``, ``fell``, ``toppled``, ``left_the_world`` and ``link_touches``; see the class of each.

    Args:
        settings: scales of the events.
        scene: at the start.
        touches: current touches of links, as `TouchReports.open`.
    """

    def __init__(
        self,
        settings: Settings,
        scene: Snapshot,
        touches: Mapping[tuple[int, int], Touch] = MappingProxyType({}),
    ) -> None:
        self._states = ObjectStates(scene)
        self._touches = Touches(scene.layout, self._states)
        self._purpose = Purpose(scene.layout, self._states, self._touches)
        self._flung = FlingFinder(settings.flung, self._states, self._touches, self._purpose)
        self._fell = FallFinder(settings.fell, self._states, self._purpose)
        self._toppled = TopplingFinder(settings.toppled, self._states, self._purpose)
        self._struck = StrikeFinder(settings, self._states, self._purpose, scene.layout, touches)
        self._left = ExitFinder(settings.left_the_world, scene, self._states)

    def watch(self, view: View) -> list[Event]:
        """Update with a view; returns the events of this step."""
        if not self._states.entities:
            return []
        states, before = self._states, self._states.poses
        if states.update(view):
            self._settle()
            states.begin_motion()
        touched = self._struck.any
        if states.settled and not touched and not self._touches.links_near(view.snapshot):
            return []
        self._touches.update(view.snapshot, view.watch)
        self._purpose.update(view)
        struck = self._struck.update(before) if touched else []
        if states.settled:
            return struck
        gone, left = self._left.update()
        moved = (*self._flung.update(), *self._fell.update(gone), *self._toppled.update())
        return [*struck, *moved, *left]

    def _settle(self) -> None:
        """Restart the finders from the state in which all objects were at rest or held."""
        self._purpose.settle()
        self._flung.settle()
        self._fell.settle()
        self._toppled.settle()
