"""What a robot's program says of what it does and believes, as a real robot publishes it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hetwin_core.ensemble.annotations import announce
from hetwin_core.ensemble.beliefs import LOC, PERCEPT, BeliefFields, belief_event
from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.scene.values import WORLD
from hetwin_core.ensemble.tasks import Status, TaskFields, task_event
from hetwin_core.ensemble.topics import ANNOTATIONS, BELIEFS, TASKS

VISIBLE = "visible"


@dataclass
class Telling:
    """Collects messages, which happen when they are passed on.

    Attributes:
        scope: before all ids.
        events: that have not been passed on yet.
    """

    scope: str = ""
    events: list[Event] = field(default_factory=list)
    _counts: Counter[str] = field(default_factory=Counter)

    def take(self) -> list[Event]:
        """Return the messages since the last call."""
        taken, self.events = self.events, []
        return taken

    def name(self, operation: str) -> str:
        """Return an id for a task or an action, e.g. ``place.2``."""
        self._counts[operation] += 1
        return f"{self.scope}{operation}.{self._counts[operation]}"

    def task(
        self,
        name: str,
        status: Status,
        operation: str,
        *,
        goal: str = "",
        parent: str = "",
        after: Sequence[str] = (),
        reason: str = "",
        variables: Mapping[str, Json] | None = None,
    ) -> None:
        """Say the status of a task, see ``hetwin/msg/Task``."""
        fields = TaskFields(
            name,
            parent,
            tuple(after),
            operation,
            goal,
            status.value,
            reason,
            json.dumps(dict(variables)) if variables else "",
        )
        self.events.append(task_event(fields, 0, TASKS.logged_name))

    def action(self, operation: str, phase: str, arguments: Mapping[str, Json]) -> None:
        """Say the phase of an action, see ``hetwin/msg/ActionAnnotation``."""
        self.events.append(announce(operation, phase, arguments, 0, ANNOTATIONS.logged_name))

    def believe(self, fluent: str, *entities: str, holds: bool = True, origin: str = "") -> None:
        """Say that a fluent holds, or does not, as the robot believes; see ``hetwin/msg/Belief``."""
        self._belief(BeliefFields(fluent, entities, holds, origin=origin))

    def believe_at(
        self,
        entity: str,
        pose: Sequence[float],
        *,
        frame: str = WORLD,
        origin: str = "",
    ) -> None:
        """Say where the robot believes an entity to be: x y z [m], qw qx qy qz in a frame."""
        self._belief(
            BeliefFields(LOC, (entity,), True, frame, tuple(map(float, pose)), origin=origin)
        )

    def perceive(self, entity: str, pose: Sequence[float], confidence: float) -> None:
        """Say what was perceived, and where in the world."""
        place = tuple(map(float, pose))
        self._belief(BeliefFields(LOC, (entity,), True, WORLD, place, confidence, PERCEPT))

    def _belief(self, fields: BeliefFields) -> None:
        self.events.append(belief_event(fields, 0, BELIEFS.logged_name))
