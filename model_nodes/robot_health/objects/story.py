"""What happens to objects that no hand moves."""

from __future__ import annotations

from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.snapshot import Snapshot
from model_nodes.robot_health.objects.fell import Fell
from model_nodes.robot_health.objects.flung import Flung
from model_nodes.robot_health.objects.left_the_world import LeftTheWorld
from model_nodes.robot_health.objects.purpose import Purpose
from model_nodes.robot_health.objects.states import ObjectStates
from model_nodes.robot_health.objects.toppled import Toppled
from model_nodes.robot_health.objects.touches import Touches
from model_nodes.robot_health.settings import Settings
from model_nodes.robot_health.view import View


class ObjectStory:
    """Raises ``flung``, ``fell``, ``toppled`` and ``left_the_world``; see the class of each.

    Args:
        settings: scales of the events.
        scene: at the start.
    """

    def __init__(self, settings: Settings, scene: Snapshot) -> None:
        self._states = ObjectStates(scene)
        self._touches = Touches(scene.layout, self._states)
        self._purpose = Purpose(scene.layout, self._states, self._touches)
        self._flung = Flung(settings.flung, self._states, self._touches, self._purpose)
        self._fell = Fell(settings.fell, self._states, self._purpose)
        self._toppled = Toppled(settings.toppled, self._states, self._purpose)
        self._left = LeftTheWorld(settings.left_the_world, scene, self._states)

    def watch(self, view: View) -> list[Event]:
        """Update with a view; returns what happened."""
        if not self._states.entities:
            return []
        states = self._states
        if states.update(view):
            self._settle()
            states.begin()
        if states.settled and not self._touches.links_near(view.snapshot):
            return []
        self._touches.update(view.snapshot)
        self._purpose.update(view)
        if states.settled:
            return []
        gone, events = self._left.update()
        return [*self._flung.update(), *self._fell.update(gone), *self._toppled.update(), *events]

    def _settle(self) -> None:
        """Start from where all objects were at rest or held."""
        self._purpose.settle()
        self._flung.settle()
        self._fell.settle()
        self._toppled.settle()
