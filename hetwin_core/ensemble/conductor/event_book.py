"""The events of a run: put in order, numbered, told to everyone, and kept."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from hetwin_core.ensemble.conductor.digest import Digest
from hetwin_core.ensemble.conductor.listener_group import Listeners
from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.events import Event, EventKind

OUTSIDE = "outside"
"""Source of an event that comes from outside and names none."""


class EventBook:
    """Handles events one by one.

    Args:
        models: names of the models, by index.
        digest: gets every event.
        listeners: are told of every event.
    """

    def __init__(self, models: Sequence[str], digest: Digest, listeners: Listeners) -> None:
        self._models = tuple(models)
        self._digest = digest
        self._listeners = listeners
        self._sequences: Counter[str] = Counter()
        self._unseen: dict[int, list[Event]] = {index: [] for index in range(len(models))}
        self.events: list[Event] = []

    def of_model(self, index: int, events: Sequence[Event]) -> list[tuple[int, Event]]:
        """Events that a model answered, with its index and its name as their source.

        Raises:
            RunFailed: if the arguments of one cannot be said in JSON.
        """
        name = self._models[index]
        for event in events:
            _check_json(event, name)
        return [
            (index, replace(e, source=name) if e.kind is EventKind.MODEL or not e.source else e)
            for e in events
        ]

    def from_outside(self, event: Event) -> tuple[int, Event]:
        """An event that came past the models; those of unknown origin come last.

        Raises:
            RunFailed: if its arguments cannot be said in JSON.
        """
        _check_json(event, event.source)
        if event.source in self._models:
            return self._models.index(event.source), event
        named = event if event.source else replace(event, source=OUTSIDE)
        return len(self._models), named

    def ordered(self, events: list[tuple[int, Event]]) -> list[Event]:
        """By time, then by the model's order in the scenario, then in the order in which it told them."""
        return [e for _, e in sorted(events, key=lambda pair: (pair[1].time_ns, pair[0]))]

    def handle(self, event: Event) -> Event:
        """Number an event, tell and keep it.

        Raises:
            RunFailed: if its arguments cannot be said in JSON.
        """
        if event.kind is EventKind.TRIGGER:  # others were looked at when they came in
            _check_json(event, event.source)
        self._sequences[event.source] += 1
        event = replace(event, sequence=self._sequences[event.source])
        self.events.append(event)
        self._digest.event(event)
        self._listeners.event(event)
        for unseen in self._unseen.values():
            unseen.append(event)
        return event

    def unseen_by(self, index: int) -> tuple[Event, ...]:
        """The events since this was last asked for the model."""
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
