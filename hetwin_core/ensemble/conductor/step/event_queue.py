"""The events of a run: ordered, numbered, published, and kept for each model until its next step."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from hetwin_core.ensemble.conductor.reporting.digest import Digest
from hetwin_core.ensemble.conductor.reporting.listener_group import ListenerGroup
from hetwin_core.ensemble.conductor.step.belief_intake import BeliefIntake
from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.ensemble.saving.fields import Restorable

OUTSIDE = "outside"
"""Source of an event that comes from outside and names none."""


class EventQueue(Restorable):
    """Brings events into order and publishes them one by one.

    Args:
        models: names of the models, by index.
        digest: receives every event.
        listeners: receive every event.
        beliefs: receives what the robot believes, which is no event to anything else.

    Attributes:
        events: all events that were handled or recorded, in order.
        handled: how many were handled.
    """

    saved_fields = ("_sequences", "_unseen", "events", "handled")

    def __init__(
        self,
        models: Sequence[str],
        digest: Digest,
        listeners: ListenerGroup,
        beliefs: BeliefIntake,
    ) -> None:
        self._models = tuple(models)
        self._digest = digest
        self._listeners = listeners
        self._beliefs = beliefs
        self._sequences: Counter[str] = Counter()
        self._unseen: dict[int, list[Event]] = {index: [] for index in range(len(models))}
        self.events: list[Event] = []
        self.handled = 0

    def of_model(self, index: int, events: Sequence[Event]) -> list[tuple[int, Event]]:
        """Events of a model's output, with its index as their rank and its name as their source.

        Raises:
            RunFailed: if the arguments of one cannot be written as JSON.
        """
        name, ranked = self._models[index], []
        for event in events:
            _check_json(event, name)
            own = event.kind is EventKind.MODEL or not event.source
            ranked.append((index, replace(event, source=name) if own else event))
        return ranked

    def from_outside(self, event: Event) -> tuple[int, Event]:
        """An event that no model's output held, with its rank; those of unknown source come last.

        Raises:
            RunFailed: if its arguments cannot be written as JSON.
        """
        _check_json(event, event.source)
        if event.source in self._models:
            return self._models.index(event.source), event
        named = event if event.source else replace(event, source=OUTSIDE)
        return len(self._models), named

    def ordered(self, events: list[tuple[int, Event]]) -> list[Event]:
        """The events by time, then by their model's order in the scenario, then in the order of its output."""
        return [e for _, e in sorted(events, key=lambda pair: (pair[1].time_ns, pair[0]))]

    def handle(self, event: Event) -> Event:
        """Number an event, publish and keep it; returns it with its number. A belief is only passed on.

        Raises:
            RunFailed: if its arguments cannot be written as JSON.
        """
        if event.kind is EventKind.BELIEF:
            self._beliefs.take(event)
            return event
        if event.kind is EventKind.TASK:
            self._beliefs.heard(event.source)
        if event.kind is EventKind.TRIGGER:  # others were checked when they came in
            _check_json(event, event.source)
        event = self._numbered(event)
        self.handled += 1
        self._digest.event(event)
        self._listeners.event(event)
        for unseen in self._unseen.values():
            unseen.append(event)
        return event

    def record(self, event: Event) -> None:
        """Number, publish and keep an event that changes nothing: it is no part of the digest, and no model sees it."""
        self._listeners.event(self._numbered(event))

    def _numbered(self, event: Event) -> Event:
        self._sequences[event.source] += 1
        event = replace(event, sequence=self._sequences[event.source])
        self.events.append(event)
        return event

    def unseen_by(self, index: int) -> tuple[Event, ...]:
        """The events since the last call for this model, in order."""
        unseen = self._unseen[index]
        if not unseen:
            return ()
        self._unseen[index] = []
        return tuple(unseen)


def _check_json(event: Event, source: str) -> None:
    if not event.arguments:
        return
    try:
        json.dumps(dict(event.arguments))
    except (TypeError, ValueError) as error:
        reason = f"the arguments of the event {event.name} must be JSON: {error}"
        raise RunFailed(source, "event", event.time_ns, reason) from None
