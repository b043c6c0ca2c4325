"""What happens to objects that no hand moves."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.snapshot import Snapshot
from model_nodes.robot_health.objects.fell import Fell
from model_nodes.robot_health.objects.flung import Flung
from model_nodes.robot_health.objects.left_the_world import LeftTheWorld
from model_nodes.robot_health.objects.purpose import Purpose
from model_nodes.robot_health.objects.states import ObjectStates
from model_nodes.robot_health.objects.struck import Struck
from model_nodes.robot_health.objects.toppled import Toppled
from model_nodes.robot_health.objects.touches import Touches
from model_nodes.robot_health.settings import Settings
from model_nodes.robot_health.touched import Touch
from model_nodes.robot_health.view import View


class ObjectStory:
    """Raises ``flung``, ``fell``, ``toppled``, ``left_the_world`` and ``link_touches``; see the class of each.

    Args:
        settings: scales of the events.
        scene: at the start.
        touches: of links that go on, as `Touched` follows them.
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
        self._flung = Flung(settings.flung, self._states, self._touches, self._purpose)
        self._fell = Fell(settings.fell, self._states, self._purpose)
        self._toppled = Toppled(settings.toppled, self._states, self._purpose)
        self._struck = Struck(settings, self._states, self._purpose, scene.layout, touches)
        self._left = LeftTheWorld(settings.left_the_world, scene, self._states)

    def watch(self, view: View) -> list[Event]:
        """Update with a view; returns what happened."""
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
        """Start from where all objects were at rest or held."""
        self._purpose.settle()
        self._flung.settle()
        self._fell.settle()
        self._toppled.settle()
