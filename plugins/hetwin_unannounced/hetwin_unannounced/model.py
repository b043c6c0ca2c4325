"""The model that makes objects of what nobody announced."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from hetwin_suite.engine import POSE_SIZE
from hetwin_suite.model import (
    POSE,
    WORLD,
    AttributeSpec,
    BadInput,
    Changes,
    Contribution,
    EntityKind,
    EntityNames,
    Event,
    EventKind,
    Floats,
    Model,
    Number,
    Parameters,
    Refused,
    Snapshot,
    Tick,
    Value,
    compose,
    parameter,
)
from hetwin_unannounced.reading import Said, Seen, said
from hetwin_unannounced.things import Thing, Things, Told

PRESENT = AttributeSpec("present", 1)
"""1: the object stands for a thing; 0: it stands for none, and is far away."""
THING_SIZE = AttributeSpec("thing_size", 3, "m")
POSE_COVARIANCE = AttributeSpec("pose_covariance", 21, "m^2, m rad, rad^2")
"""The upper triangle, row by row, of the covariance of position and rotation vector."""
_TRIANGLE = np.triu_indices(6)
_HELD_OBJECT, _HELD = "held_object", "held"

Distance = Annotated[Number, Field(gt=0, le=1e3)]
Times = Annotated[int, Field(ge=1, le=1000)]


class Settings(Parameters):
    """Where things are seen, and what stands for them."""

    topic: str = parameter(
        "topic of type vision_msgs/msg/Detection3DArray, or of MoveIt's planning scene; one of the source's topics"
    )
    things: EntityNames = parameter("objects that stand for things while these are there")
    known: dict[str, str] = parameter(
        "class id -> the entity that it means; ids that are names of entities need none", {}
    )
    gate: Distance = parameter("how far a thing moves at most from message to message", 0.12, "m")
    score: Annotated[Number, Field(ge=0, le=1)] = parameter("least score of a detection", 0.5)
    confirmations: Times = parameter("how often a detection is there before it counts", 3)
    misses: Times = parameter("how often in a row a thing is not seen until it is gone", 5)


class Unannounced(Model[Settings]):
    """Makes objects of the scene of what a detector sees, or MoveIt's planning scene has, and the scenario does not.

    The scenario has objects in reserve, far away. As soon as a thing was seen that no object of the scene is, the one
    whose size fits best stands where it is: robots touch it and models see it. It is far away again when the thing was
    not seen any more. An object in a hand is left to the main model until it is released.
    """

    summary = "Makes objects of the scene of what nobody announced: detections, and MoveIt's collision objects."
    rate = 20.0
    provides = (POSE, PRESENT, THING_SIZE, POSE_COVARIANCE)
    raises: ClassVar[Mapping[str, str]] = {
        "appeared": "a thing is an object of the scene from now on: object, kind, source (topic), position, size",
        "vanished": "it is no more: object, kind, reason",
        "not_represented": "no object is left that could stand for a thing: kind, position",
        "unusable": "a message that cannot be used: topic, reason; once for each reason",
    }

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Contribute what is known of each thing.

        Raises:
            BadInput: if no object is in reserve.
        """
        if not settings.things:
            raise BadInput(
                "no object is in reserve",
                where="things",
                expected="names or a pattern of objects that the scenario's scene adds, such as thing_*",
            )
        self._names = tuple(settings.things)
        count = len(self._names)
        self._owned = np.zeros(count, np.bool_)
        self._things = Things(settings.gate, settings.confirmations, settings.misses)
        self._asked = False
        self._said: set[str] = set()
        self._parked = np.zeros((count, POSE_SIZE))
        self._poses = np.zeros((count, POSE_SIZE))
        for name in self._names:
            scene.set(name, PRESENT, 0.0)
            scene.set(name, THING_SIZE, np.zeros(3))
            scene.set(name, POSE_COVARIANCE, np.zeros(21))

    def start(self, scene: Snapshot) -> None:
        """Take note of where the objects in reserve are, and how large.

        Raises:
            BadInput: if one of them is no object.
        """
        layout = scene.layout
        for name in self._names:
            if layout.entity(name).kind is not EntityKind.OBJECT:
                raise BadInput(
                    "only an object can stand for a thing",
                    where="things",
                    found=name,
                    expected="objects that the scenario's scene adds",
                )
        for index, name in enumerate(self._names):
            self._parked[index] = scene.pose(name)
            self._parked[index, 7:] = 0.0
        self._poses = self._parked.copy()
        self._sizes = [
            max((max(s.size) for s in layout.entity(n).shapes), default=0.0) for n in self._names
        ]
        self._others = [
            entity.name
            for entity in layout.of_kind(EntityKind.OBJECT)
            if entity.name not in self._names and layout.has(entity.name, POSE.name)
        ]
        self._hands = [
            hand.name
            for hand in layout.of_kind(EntityKind.HAND)
            if layout.has(hand.name, _HELD_OBJECT)
        ]

    def step(self, tick: Tick) -> Changes:
        """Take in what was said since the last step."""
        changes = tick.changes()
        if not self._asked:
            self._asked = True
            for name in self._names:
                changes.take(name, POSE)
        held = self._held(tick.scene)
        for event in tick.events:
            if event.kind is EventKind.TOPIC and event.name == self.settings.topic:
                self._take_in(event, tick.scene, held, changes)
        for index in held:
            if self._owned[index]:  # what it does in a hand, others know
                changes.give_back(self._names[index], POSE)
        for index in np.flatnonzero(self._owned).tolist():
            changes.set(self._names[index], POSE, self._poses[index])
        return changes

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Become responsible for where an object is.

        Raises:
            Refused: if it is none of those in reserve.
        """
        if attribute != POSE.name or entity not in self._names:
            raise Refused(f"this model does not compute {entity}.{attribute}")
        index = self._names.index(entity)
        world = value.data
        if value.parent != WORLD:
            world = compose(scene.pose(value.parent), value.data)
        self._owned[index] = True
        in_use = any(thing.place == index for thing in self._things.all)
        self._poses[index] = world if in_use else self._parked[index]
        self._poses[index, 7:] = 0.0

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        """Stop saying where an object is.

        Raises:
            Refused: if the model is not responsible for it.
        """
        if attribute != POSE.name or entity not in self._names:
            raise Refused(f"this model does not compute {entity}.{attribute}")
        index = self._names.index(entity)
        if not self._owned[index]:
            raise Refused(f"this model is not responsible for {entity}.{attribute}")
        self._owned[index] = False
        return Value(self._poses[index].copy(), scene.time_ns)

    def _held(self, scene: Snapshot) -> list[int]:
        """Places of the objects that hands hold."""
        layout = scene.layout
        inside = {int(scene.get(hand, _HELD_OBJECT)[0]) for hand in self._hands}
        found = []
        for index, name in enumerate(self._names):
            by_itself = layout.has(name, _HELD) and scene.get(name, _HELD)[0] >= 0.0
            if by_itself or layout.entity_id(name) in inside:
                found.append(index)
        return found

    def _take_in(self, event: Event, scene: Snapshot, held: list[int], changes: Changes) -> None:
        try:
            message = said(event.arguments)
            seen = [self._in_world(one, scene) for one in message.seen]
        except (KeyError, TypeError, ValueError) as error:
            reason = f"{type(error).__name__}: {error}"
            if reason not in self._said:
                self._said.add(reason)
                changes.event("unusable", topic=event.name, reason=reason)
            return
        unknown = [
            thing
            for one, thing in zip(message.seen, seen, strict=True)
            if one.score >= self.settings.score and not self._is_known(thing, scene, message)
        ]
        told = self._things.look(unknown, whole=message.is_whole, named=message.names, kept=held)
        self._vanish(told, changes)
        self._vanish(self._things.drop(message.gone, "it was taken away"), changes)
        for thing in told.appeared:
            self._appear(thing, event.name, changes)
        for thing in self._things.all:
            if thing.place is None or thing.place in held or thing.missed:
                continue
            self._move(thing.place, changes, thing.pose)
            changes.set(self._names[thing.place], THING_SIZE, thing.size)
            triangle: Floats = thing.covariance[_TRIANGLE]
            changes.set(self._names[thing.place], POSE_COVARIANCE, triangle)

    def _in_world(self, one: Seen, scene: Snapshot) -> Thing:
        pose = np.zeros(POSE_SIZE)
        pose[:7] = one.pose
        if one.frame != WORLD and scene.layout.has(one.frame, POSE.name):
            pose = compose(scene.pose(one.frame), pose)
        return Thing(one.kind, pose[:7].copy(), one.size, one.covariance)

    def _is_known(self, thing: Thing, scene: Snapshot, message: Said) -> bool:
        """Whether it is an object that the scene has anyway, by its name or its place."""
        name = self.settings.known.get(thing.kind, thing.kind)
        if name in self._others:
            return True
        if message.names:
            return any(name == entity.name for entity in scene.layout.entities)
        reach = max(self.settings.gate, float(thing.size.max()) / 2.0)
        places = [scene.pose(other)[:3] for other in self._others]
        return any(float(np.linalg.norm(place - thing.pose[:3])) <= reach for place in places)

    def _appear(self, thing: Thing, topic: str, changes: Changes) -> None:
        used = {one.place for one in self._things.all}
        free = [index for index in range(len(self._names)) if index not in used]
        position = [round(number, 4) for number in thing.pose[:3].tolist()]
        if not free:
            key = f"full: {thing.kind}"
            if key not in self._said:
                self._said.add(key)
                changes.event("not_represented", kind=thing.kind, position=position)
            return
        largest = float(thing.size.max())
        place = min(free, key=lambda index: (abs(self._sizes[index] - largest), index))
        thing.place = place
        changes.set(self._names[place], PRESENT, 1.0)
        size = [round(number, 4) for number in thing.size.tolist()]
        changes.event(
            "appeared",
            object=self._names[place],
            kind=thing.kind,
            source=topic,
            position=position,
            size=size,
        )

    def _vanish(self, told: Told, changes: Changes) -> None:
        for thing, reason in told.vanished:
            assert thing.place is not None  # only such vanish
            name = self._names[thing.place]
            self._move(thing.place, changes, self._parked[thing.place, :7])
            changes.set(name, PRESENT, 0.0)
            changes.set(name, THING_SIZE, np.zeros(3))
            changes.set(name, POSE_COVARIANCE, np.zeros(21))
            changes.event("vanished", object=name, kind=thing.kind, reason=reason)

    def _move(self, place: int, changes: Changes, pose: Floats) -> None:
        """Put an object somewhere; one that a hand has let go has to be asked for."""
        self._poses[place, :7] = pose
        if not self._owned[place]:
            changes.take(self._names[place], POSE)
