"""Handling observer: grasped, picked up, released or lost, dropped and put down, determined from the scene.

Only this model emits these events, so they mean the same in every ensemble.
"""

import math
from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from hetwin_core.ensemble.conductor.reporting.concerns import FROM, SEVERITY, TO, Severity
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.model import (
    Changes,
    Contribution,
    Model,
    Tick,
)
from hetwin_core.ensemble.parameters import Amount, EntityNames, Parameters, parameter
from hetwin_core.ensemble.scene.hands import hand_links
from hetwin_core.ensemble.scene.layout import EntityKind, Layout
from hetwin_core.ensemble.scene.snapshot import PROXIMITY, Snapshot
from hetwin_core.ensemble.scene.values import AttributeSpec, Meaning
from model_nodes.handling_observer.observations import Grips, Openings, Supports, combined
from model_nodes.handling_observer.state_machine import (
    HandlingStateMachine,
    Observation,
    Thresholds,
    Transition,
)

HELD = AttributeSpec("held", meaning=Meaning.ENTITY)
"""The hand that holds an object."""
ON = AttributeSpec("on", meaning=Meaning.ENTITY)
"""The entity that supports an object."""
CARRIED = AttributeSpec("carried", meaning=Meaning.TRUTH)
"""Whether an object is held by a hand and supported by nothing else."""


class Settings(Parameters):
    """The parameters of the model."""

    objects: EntityNames = parameter("the objects to watch: a tag, or a list of names", "graspable")
    hands: tuple[str, ...] | None = parameter(
        "names of the hands to watch; default: all of the scene", None
    )
    hold_dwell: Amount = parameter("time for which a hand must hold, or not hold", 0.05, "s")
    clear_distance: Amount = parameter(
        "distance from its support beyond which an object is off it", 0.001, "m"
    )
    clear_dwell: Amount = parameter(
        "time for which an object must be off, or on, its support", 0.1, "s"
    )
    support_slope: Amount = parameter("maximum slope of a supporting surface", 45.0, "deg")
    rest_speed: Amount = parameter("maximum mean speed of an object at rest", 0.001, "m/s")
    rest_turn: Amount = parameter("maximum mean angular speed of an object at rest", 0.02, "rad/s")
    rest_time: Amount = parameter("time over which speeds are averaged", 0.5, "s")
    drop_height: Amount = parameter(
        "height of fall beyond which an object released in the air was dropped", 0.05, "m"
    )


class HandlingObserver(Model[Settings]):
    """Observes objects and hands: ``grasped``, ``picked_up``, ``released`` or ``lost``, ``dropped``, ``put_down``.

    Each event has the arguments ``object``, ``hand`` and ``support`` (null if there is none). ``dropped`` has
    ``object``, ``hand``, ``height`` [m], ``from`` and ``to`` [s], and a ``severity`` if the drop was not intended. An
    event is stamped with the time at which the new state began, and so arrives later than its stamp.
    """

    summary = "Observes what hands do with objects: grasped, picked up, released or lost, dropped, put down."
    rate = 100.0
    provides = (HELD, ON, CARRIED)
    raises: ClassVar[Mapping[str, str]] = {
        "grasped": "a hand holds an object: object, hand, support",
        "picked_up": "a held object has left its support: object, hand, support",
        "released": "a hand has let go of an object: object, hand, support",
        "lost": "an object has left a hand whose fingers did not open: object, hand, support",
        "dropped": "an object that was lost, or let go of in the air, has fallen: object, hand, height [m],"
        " from, to [s]; severity, if that was not intended",
        "put_down": "a released object is at rest on a support: object, hand, support",
    }

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Contribute the attributes ``held``, ``on`` and ``carried`` of each object.

        Raises:
            BadInput: if a list of names or a number is invalid.
        """
        self._objects = list(dict.fromkeys(self.settings.objects))
        hands = self.settings.hands
        self._hands = None if hands is None else list(dict.fromkeys(hands))
        starts = ((HELD, -1.0), (ON, -1.0), (CARRIED, 0.0))
        for name in self._objects:
            for spec, value in starts:
                scene.set(name, spec, value)
        scene.needs(
            *((name, "pose") for name in self._objects),
            ("*", "holding"),
            ("*", "held_object"),
            ("*", PROXIMITY),
        )
        if not self._objects:
            scene.warn("there is no object to watch")

    def start(self, scene: Snapshot) -> None:
        """Find objects and hands in the scene, and the objects' supports.

        Raises:
            BadInput: if one is missing.
        """
        layout, limits = scene.layout, self.settings
        hands = self._known_hands(layout)
        self._names = [entity.name for entity in layout.entities]
        self._ids = [_object_id(layout, name) for name in self._objects]
        self._slots = [layout.slot_id(name, "pose") for name in self._objects]
        self._poses = [layout.range_of(name, "pose") for name in self._objects]
        starts = [
            [layout.range_of(name, spec.name).start for spec in self.provides]
            for name in self._objects
        ]
        self._states = np.array(starts, np.intp).reshape(-1, len(self.provides))
        self._grips = Grips(layout, hands)
        self._openings = Openings(layout, hands)
        self._supports = Supports(
            self._ids,
            combined(hand_links(layout, hand) for hand in hands),
            limits.clear_distance,
            math.cos(math.radians(limits.support_slope)),
        )
        self._supports.update(scene.proximity)
        thresholds = _thresholds(limits)
        self._machines = [
            HandlingStateMachine(thresholds, self._supports.support(i, -1)) for i in self._ids
        ]

    def step(self, tick: Tick) -> Changes:
        """Update the state of every object."""
        scene = tick.scene
        self._grips.update(scene)
        if tick.events:
            self._openings.update(tick.events)
        self._supports.update(scene.proximity)
        changes = Changes(tick.time_ns)  # cheaper than `tick.changes`, at many steps a second
        written = scene.values[self._states].tolist()
        places = zip(self._ids, self._slots, self._poses, self._machines, strict=True)
        seen_now = []  # of all objects, before any state machine changes
        for entity, slot, pose, machine in places:
            seen_now.append(self._observation(scene, entity, slot, pose, machine))
        objects = zip(self._objects, self._machines, seen_now, written, strict=True)
        for name, machine, seen, before in objects:
            for transition in machine.update(seen):
                changes.events.append(self._event(name, transition))
            now = [machine.held, machine.on, machine.carried]
            if now != before:
                for attribute, state, last in zip(self.provides, now, before, strict=True):
                    if state != last:
                        changes.set(name, attribute, state)
        return changes

    def _observation(
        self, scene: Snapshot, entity: int, slot: int, pose: slice, machine: HandlingStateMachine
    ) -> Observation:
        support = self._supports.support(entity, machine.on)
        frame, now = int(scene.parents[slot]), scene.time_ns
        return Observation(
            now,
            self._grips.holder(entity, frame, machine.held, support >= 0),
            support,
            self._supports.touching(entity),
            scene.values[pose].tolist(),
            # An object whose pose another body's frame determines has not left the hand by itself.
            frame >= 0 or self._openings.let_go(machine.held, self._names[entity], now),
            frame >= 0 or self._openings.is_meant(machine.held, now),
        )

    def _event(self, name: str, transition: Transition) -> Event:
        arguments: dict[str, Json] = {"object": name, "hand": self._name(transition.hand)}
        fall = transition.fall
        if fall is None:
            arguments["support"] = self._name(transition.support)
        else:
            arguments |= {"height": fall.height}
            arguments |= {FROM: fall.since_ns / 1e9, TO: transition.time_ns / 1e9}
            arguments |= {} if fall.meant else {SEVERITY: Severity.WARNING.value}
        return Event(transition.name, transition.time_ns, arguments=arguments)

    def _name(self, index: int) -> str | None:
        return None if index < 0 else self._names[index]

    def _known_hands(self, layout: Layout) -> list[str]:
        known = [hand.name for hand in layout.of_kind(EntityKind.HAND)]
        if self._hands is None:
            return known
        unknown = [hand for hand in self._hands if hand not in known]
        if unknown:
            raise BadInput(
                "unknown hands",
                where="hands",
                found=unknown,
                expected=f"some of {known}",
            )
        return self._hands


def _thresholds(limits: Settings) -> Thresholds:
    return Thresholds(
        hold_dwell_ns=round(limits.hold_dwell * 1e9),
        clear_dwell_ns=round(limits.clear_dwell * 1e9),
        rest_ns=round(limits.rest_time * 1e9),
        rest_distance=limits.rest_speed * limits.rest_time,
        rest_turn=limits.rest_turn * limits.rest_time,
        drop_height=limits.drop_height,
    )


def _object_id(layout: Layout, name: str) -> int:
    if not layout.has(name, "pose"):
        raise BadInput(
            "no object of this name has a pose",
            where="objects",
            found=name,
            expected="an object",
        )
    return layout.entity_id(name)
