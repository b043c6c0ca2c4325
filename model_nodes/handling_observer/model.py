"""Handling observer: grasped, picked up, released, put down, measured on the scene.

The only model that emits these events: they mean the same whatever ensemble moved the object.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.model import (
    AttributeStart,
    Contribution,
    Model,
    ModelDescription,
    ModelKind,
    StepInput,
    StepOutput,
)
from hetwin_core.ensemble.parameters import Amount, EntityNames, Parameters, parameter
from hetwin_core.ensemble.scene.layout import EntityKind, Layout, Selection
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import AttributeSpec, Meaning, Value
from model_nodes.handling_observer.grips import Grips
from model_nodes.handling_observer.hand_links import hand_links
from model_nodes.handling_observer.story import Happening, Sighting, Story, Thresholds
from model_nodes.handling_observer.supports import Supports, combined

HELD = AttributeSpec("held", meaning=Meaning.ENTITY)
"""Of an object: the hand that holds it."""
ON = AttributeSpec("on", meaning=Meaning.ENTITY)
"""Of an object: what it stands on."""
CARRIED = AttributeSpec("carried", meaning=Meaning.TRUTH)
"""Of an object: held by a hand and supported by nothing else."""


class Settings(Parameters):
    """The parameters of the model."""

    objects: EntityNames = parameter("the objects to watch: a tag, or a list of names", "graspable")
    hands: tuple[str, ...] | None = parameter(
        "names of the hands that count; all hands of the scene if not given", None
    )
    hold_dwell: Amount = parameter("a hand must hold, or not hold, for this time", 0.05, "s")
    clear_distance: Amount = parameter(
        "an object farther than this from its support is off it", 0.001, "m"
    )
    clear_dwell: Amount = parameter("it must be off, or on, for this time", 0.1, "s")
    support_slope: Amount = parameter("steepest side that still supports", 45.0, "deg")
    rest_speed: Amount = parameter("an object slower than this on average is at rest", 0.001, "m/s")
    rest_turn: Amount = parameter("an object that turns slower than this is at rest", 0.02, "rad/s")
    rest_time: Amount = parameter("over this time the average is taken", 0.5, "s")


class HandlingObserver(Model):
    """Watches objects and hands; emits ``grasped``, ``picked_up``, ``released`` and ``put_down``.

    Each event has the arguments ``object``, ``hand`` and ``support`` (null if there is none) and is
    dated at the moment when what it tells began, so it arrives later than its stamp.
    """

    settings_class = Settings

    @classmethod
    def describe(cls) -> ModelDescription:
        """What the model is."""
        return ModelDescription(
            kind=ModelKind.OBSERVER,
            summary="Observes what hands do with objects: grasped, picked up, released, put down.",
            rate=100.0,
            provides=(HELD, ON, CARRIED),
        )

    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        """Bring the attributes ``held``, ``on`` and ``carried`` of each object.

        Raises:
            BadInput: if a list of names or a number cannot be used.
        """
        self._limits = Settings.read(parameters)
        self._objects = list(dict.fromkeys(self._limits.objects))
        hands = self._limits.hands
        self._hands = None if hands is None else list(dict.fromkeys(hands))
        nobody, no = Value(np.full(1, -1.0), 0), Value(np.zeros(1), 0)
        starts = ((HELD, nobody), (ON, nobody), (CARRIED, no))
        return Contribution(
            attributes=tuple(
                AttributeStart(name, spec, value)
                for name in self._objects
                for spec, value in starts
            ),
            reads=(
                *(Selection(name, "pose") for name in self._objects),
                Selection("*", "holding"),
                Selection("*", "held_object"),
            ),
            warnings=() if self._objects else ("there is no object to watch",),
        )

    def start(self, scene: Snapshot) -> None:
        """Find objects and hands in the scene, and what the objects stand on.

        Raises:
            BadInput: if one is missing.
        """
        layout, limits = scene.layout, self._limits
        hands = self._known_hands(layout)
        self._names = [entity.name for entity in layout.entities]
        self._ids = [_object_id(layout, name) for name in self._objects]
        self._slots = [layout.slot_id(name, "pose") for name in self._objects]
        self._poses = [layout.range_of(name, "pose") for name in self._objects]
        self._grips = Grips(layout, hands)
        self._supports = Supports(
            self._ids,
            combined(hand_links(layout, hand) for hand in hands),
            limits.clear_distance,
            math.cos(math.radians(limits.support_slope)),
        )
        self._supports.look(scene.proximity)
        thresholds = _thresholds(limits)
        self._stories = [Story(thresholds, self._supports.support(i, -1)) for i in self._ids]

    def step(self, tick: StepInput) -> StepOutput:
        """Look at every object."""
        scene = tick.scene
        self._grips.look(scene)
        self._supports.look(scene.proximity)
        output = StepOutput(tick.time_ns)
        for name, story, seen in zip(
            self._objects, self._stories, self._sightings(scene), strict=True
        ):
            for happening in story.update(seen):
                output.events.append(self._event(name, happening))
            now = (("held", story.held), ("on", story.on), ("carried", story.carried))
            for attribute, state in now:
                output.values[name, attribute] = Value(np.array((float(state),)), tick.time_ns)
        return output

    def _sightings(self, scene: Snapshot) -> list[Sighting]:
        return [
            self._sighting(scene, entity, slot, pose, story)
            for entity, slot, pose, story in zip(
                self._ids, self._slots, self._poses, self._stories, strict=True
            )
        ]

    def _sighting(
        self, scene: Snapshot, entity: int, slot: int, pose: slice, story: Story
    ) -> Sighting:
        support = self._supports.support(entity, story.on)
        frame = int(scene.parents[slot])
        return Sighting(
            time_ns=scene.time_ns,
            holder=self._grips.holder(entity, frame, story.held, support >= 0),
            support=support,
            touching=self._supports.touching(entity),
            pose=scene.values[pose].tolist(),
        )

    def _event(self, name: str, happening: Happening) -> Event:
        return Event(
            happening.name,
            happening.time_ns,
            arguments={
                "object": name,
                "hand": self._name(happening.hand),
                "support": self._name(happening.support),
            },
        )

    def _name(self, index: int) -> str | None:
        return None if index < 0 else self._names[index]

    def _known_hands(self, layout: Layout) -> list[str]:
        there = [hand.name for hand in layout.of_kind(EntityKind.HAND)]
        if self._hands is None:
            return there
        unknown = [hand for hand in self._hands if hand not in there]
        if unknown:
            raise BadInput(
                "unknown hands",
                where="hands",
                found=unknown,
                expected=f"some of {there}",
            )
        return self._hands


def _thresholds(limits: Settings) -> Thresholds:
    return Thresholds(
        hold_dwell_ns=round(limits.hold_dwell * 1e9),
        clear_dwell_ns=round(limits.clear_dwell * 1e9),
        rest_ns=round(limits.rest_time * 1e9),
        rest_distance=limits.rest_speed * limits.rest_time,
        rest_turn=limits.rest_turn * limits.rest_time,
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
