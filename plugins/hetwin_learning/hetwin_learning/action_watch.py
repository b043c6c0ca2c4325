"""Observes the actions of an episode, with measurements of the scene at their start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hetwin_learning.outline import Outline, has_outline
from hetwin_suite.model import (
    ANNOUNCED,
    EntityKind,
    Event,
    EventKind,
    Snapshot,
    action_arguments,
    phase_of,
)
from hetwin_suite.runs import BetweenSteps, Scenario
from hetwin_suite.study import ModelPort, ObservedScenario


class ActionWatch:
    """Records each action when it starts."""

    def __init__(self) -> None:
        self._outlines: dict[str, Outline] = {}
        self._rows: list[dict[str, Any]] = []

    def observe(self, between: BetweenSteps) -> None:
        """See `hetwin_suite.study.Watch.observe`."""
        for event in between.events:
            if event.kind is EventKind.ACTION and phase_of(event) not in ("end", ANNOUNCED):
                self._rows.append(self._row(event, between.scene))

    def observations(self) -> list[dict[str, Any]]:
        """Return for each action its operation, arguments, the keys of those that name entities, and measurements."""
        return self._rows

    def _row(self, event: Event, scene: Snapshot) -> dict[str, Any]:
        arguments = action_arguments(event)
        entities = {
            key: scene.layout.entity(value)
            for key, value in arguments.items()
            if isinstance(value, str) and scene.layout.entity_id(value) >= 0
        }
        hands = [entity.name for entity in entities.values() if entity.kind is EntityKind.HAND]
        measured = {}
        for key, entity in entities.items():
            if not hands or entity.kind is not EntityKind.STATIC or not has_outline(entity):
                continue
            outline = self._outlines.setdefault(entity.name, Outline(entity))
            inside = outline.inside(scene.pose(entity.name), scene.pose(hands[0]))
            measured[f"inside({key})"] = round(inside, 6)
        return {
            "action": event.name,
            "arguments": arguments,
            "entities": sorted(entities),
            "measured": measured,
        }


@dataclass(frozen=True)
class ActionWatcher(ObservedScenario):
    """Observes the actions of episodes of a scenario."""

    def begin(self, scenario: Scenario, ports: Sequence[ModelPort]) -> ActionWatch:
        """See `ObservedScenario.begin`."""
        return ActionWatch()
