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
    Meaning,
    Model,
    Number,
    Parameters,
    Refused,
    Snapshot,
    Tick,
    Value,
    WatchedRobot,
    compose,
    parameter,
    relative_to,
)
from hetwin_unannounced.felt import (
    HELD_OBJECT,
    SOMETHING,
    Feeling,
    check_hands,
    feeling,
    felt_thing,
)
from hetwin_unannounced.reading import Said, Seen, said
from hetwin_unannounced.reserve import best_fit, sizes_of
from hetwin_unannounced.things import Thing, Things, Told

PRESENT = AttributeSpec("present", meaning=Meaning.TRUTH)
"""1: the object stands for a thing; 0: it stands for none, and is far away."""
THING_SIZE = AttributeSpec("thing_size", 3, "m")
POSE_COVARIANCE = AttributeSpec("pose_covariance", 21, "m^2, m rad, rad^2")
"""The upper triangle, row by row, of the covariance of position and rotation vector."""
_TRIANGLE = np.triu_indices(6)
COLLISION = AttributeSpec("collision", 1, "", Meaning.TRUTH)
_HELD = "held"
_WIDER_M, _SQUEEZED_M = 0.01, 0.002
"""An object in reserve stands for nothing between fingers that is narrower by more than the first, and passes through
the fingers if it is wider than their opening by more than the second."""

Distance = Annotated[Number, Field(gt=0, le=1e3)]
Times = Annotated[int, Field(ge=1, le=1000)]


class Settings(Parameters):
    """Where things are seen, and what stands for them."""

    topic: str = parameter(
        "topic of type vision_msgs/msg/Detection3DArray, or of MoveIt's planning scene; one of the source's topics;"
        " default: none",
        "",
    )
    things: EntityNames = parameter("objects that stand for things while these are there")
    known: dict[str, str] = parameter(
        "class id -> the entity that it means; ids that are names of entities need none", {}
    )
    hands: EntityNames = parameter(
        "hands with a grasp monitor: what their fingers close on, and nobody has seen, is a thing",
        (),
    )
    gate: Distance = parameter("how far a thing moves at most from message to message", 0.12, "m")
    score: Annotated[Number, Field(ge=0, le=1)] = parameter("least score of a detection", 0.5)
    confirmations: Times = parameter("how often a detection is there before it counts", 3)
    misses: Times = parameter("how often in a row a thing is not seen until it is gone", 5)
    watch: WatchedRobot = parameter("what the main model reports about joints", None)


class Unannounced(Model[Settings]):
    """Makes objects of the scene of what a detector sees, or MoveIt's planning scene has, and the scenario does not.

    The scenario has objects in reserve, far away. As soon as a thing was seen that no object of the scene is, the one
    whose size fits best stands where it is: robots touch it and models see it. It is far away again when the thing was
    not seen any more. An object in a hand is left to the main model until it is released. What fingers have closed on
    unseen moves with the hand until they open.
    """

    summary = (
        "Makes objects of the scene of what nobody announced: detections, MoveIt's collision objects,"
        " and what a hand closed on."
    )
    rate = 20.0
    provides = (POSE, COLLISION, PRESENT, THING_SIZE, POSE_COVARIANCE)
    raises: ClassVar[Mapping[str, str]] = {
        "appeared": "a thing is an object of the scene from now on: object, kind, source (topic or hand), position,"
        " size",
        "vanished": "it is no more: object, kind, reason",
        "not_represented": "no object is left that could stand for a thing: kind, position",
        "unusable": "a message that cannot be used: topic, reason; once for each reason",
    }

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Contribute what is known of each thing.

        Raises:
            BadInput: if no object is in reserve, or there is neither a topic nor a hand.
        """
        if not settings.things:
            raise BadInput(
                "no object is in reserve",
                where="things",
                expected="names or a pattern of objects that the scenario's scene adds, such as thing_*",
            )
        self._names = tuple(settings.things)
        if not (settings.topic or settings.hands):
            raise BadInput(
                "nothing that could find things",
                where="topic",
                expected="a topic of the source, or hands with a grasp monitor, or both",
            )
        count = len(self._names)
        self._owned = np.zeros(count, np.bool_)
        self._passing = np.zeros(count, np.bool_)
        self._inside: dict[str, Thing] = {}
        self._grips: dict[int, tuple[str, Floats]] = {}
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
            BadInput: if one of them is no object, or a hand has no grasp monitor.
        """
        layout = scene.layout
        check_hands(layout, self.settings.hands)
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
        self._sizes = sizes_of(layout, self._names)
        self._others = [
            entity.name
            for entity in layout.of_kind(EntityKind.OBJECT)
            if entity.name not in self._names and layout.has(entity.name, POSE.name)
        ]
        self._hands = [
            hand.name
            for hand in layout.of_kind(EntityKind.HAND)
            if layout.has(hand.name, HELD_OBJECT)
        ]

    def step(self, tick: Tick) -> Changes:
        """Take in what was said since the last step."""
        changes = tick.changes()
        if not self._asked:
            self._asked = True
            for name in self._names:
                changes.take(name, POSE)
        held = self._held(tick.scene)
        self._follow(tick.scene)
        for event in tick.events:
            if event.kind is EventKind.TOPIC and event.name == self.settings.topic:
                self._take_in(event, tick.scene, held, changes)
            else:
                self._feel(event, tick.scene, changes)
        for index in held:
            if self._owned[index] and index not in self._grips:  # others move it in a hand
                changes.give_back(self._names[index], POSE)
        for index in np.flatnonzero(self._owned).tolist():
            frame, pose = self._grips.get(index, (WORLD, self._poses[index]))
            changes.set(self._names[index], POSE, pose, frame)
        for index in np.flatnonzero(self._passing).tolist():
            changes.set(self._names[index], COLLISION, 0.0)
            if not self._is_felt(index):
                changes.give_back(self._names[index], COLLISION)
        return changes

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Become responsible for where an object is, or for whether it collides.

        Raises:
            Refused: if it is none of those in reserve.
        """
        index = self._index(entity, attribute)
        if attribute == COLLISION.name:
            self._passing[index] = True
            return
        world = value.data
        if value.parent != WORLD:
            world = compose(scene.pose(value.parent), value.data)
        self._owned[index] = True
        in_use = any(thing.place == index for thing in self._things.all)
        self._poses[index] = world if in_use else self._parked[index]
        self._poses[index, 7:] = 0.0

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        """Stop saying where an object is, or that it does not collide.

        Raises:
            Refused: if the model is not responsible for it.
        """
        index = self._index(entity, attribute)
        owned = self._passing if attribute == COLLISION.name else self._owned
        if not owned[index]:
            raise Refused(f"this model is not responsible for {entity}.{attribute}")
        owned[index] = False
        if attribute == COLLISION.name:
            return Value(np.ones(1), scene.time_ns)
        if index in self._grips:
            hand, inside = self._grips[index]
            if not self._is_felt(index):
                del self._grips[index]
            return Value(compose(scene.pose(hand), inside), scene.time_ns)
        return Value(self._poses[index].copy(), scene.time_ns)

    def _index(self, entity: str, attribute: str) -> int:
        if attribute not in (POSE.name, COLLISION.name) or entity not in self._names:
            raise Refused(f"this model does not compute {entity}.{attribute}")
        return self._names.index(entity)

    def _follow(self, scene: Snapshot) -> None:
        """Believe things that others move, or a hand, where the scene has them."""
        for thing in self._things.all:
            place = thing.place
            if place is not None and (place in self._grips or not self._owned[place]):
                thing.pose = scene.pose(self._names[place])[:7].copy()

    def _feel(self, event: Event, scene: Snapshot, changes: Changes) -> None:
        """Take in what fingers feel."""
        hand = str(event.arguments.get("hand"))
        thing = self._inside.get(hand)
        held = "" if thing is None or thing.place is None else self._names[thing.place]
        found = feeling(event, self.settings.hands, held)
        if found is None:
            return
        what, reason = found
        if what is Feeling.GRASPED:
            self._grasp(hand, felt_thing(event, scene, self.settings.watch), scene, changes)
            return
        assert thing is not None  # else nothing is held
        del self._inside[hand]
        if what is Feeling.REFUTED and thing.kind == SOMETHING:
            self._vanish(self._things.remove([thing], reason), changes)
        elif thing.place is not None:
            self._let_go(thing.place, changes)

    def _grasp(self, hand: str, felt: Thing, scene: Snapshot, changes: Changes) -> None:
        """Put a thing into a hand: the known one that the fingers are at, or another."""
        thing = self._things.at(felt.pose[:3])
        inside = np.array([0.0, 0.0, 0.0, 1.0, *[0.0] * 9])
        if thing is None:
            thing = felt
            self._things.all.append(thing)
            if not self._appear(thing, hand, changes):
                self._things.all.remove(thing)
                return
            self._describe(thing, changes)
        else:
            assert thing.place is not None  # only such are found
            inside = relative_to(scene.pose(hand), scene.pose(self._names[thing.place]))
            inside[7:] = 0.0
        assert thing.place is not None
        self._inside[hand] = thing
        self._grips[thing.place] = hand, inside
        self._move(thing.place, changes, thing.pose)
        too_wide = self._sizes[thing.place, 0] > felt.size[0] + _SQUEEZED_M
        if too_wide and scene.layout.has(self._names[thing.place], COLLISION.name):
            changes.take(self._names[thing.place], COLLISION)

    def _let_go(self, place: int, changes: Changes) -> None:
        """Leave a thing that was in a hand to physics."""
        if self._owned[place]:
            changes.give_back(self._names[place], POSE)
        else:
            self._grips.pop(place, None)

    def _is_felt(self, place: int) -> bool:
        """Whether an object stands for a thing that is between fingers which nobody but they has noticed."""
        return place in self._grips and self._grips[place][0] in self._inside

    def _held(self, scene: Snapshot) -> list[int]:
        """Places of the objects that hands hold."""
        layout = scene.layout
        inside = {int(scene.get(hand, HELD_OBJECT)[0]) for hand in self._hands}
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
            self._describe(thing, changes)

    def _describe(self, thing: Thing, changes: Changes) -> None:
        assert thing.place is not None  # an object stands for it
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

    def _appear(self, thing: Thing, source: str, changes: Changes) -> bool:
        """Let an object in reserve stand for a thing; returns whether there was one."""
        used = {one.place for one in self._things.all}
        free = [index for index in range(len(self._names)) if index not in used]
        if thing.hand and thing.size.any():
            widest = float(thing.size[0]) + _WIDER_M
            free = [index for index in free if self._sizes[index, 0] <= widest]
        position = [round(number, 4) for number in thing.pose[:3].tolist()]
        if not free:
            key = f"full: {thing.kind}"
            if key not in self._said:
                self._said.add(key)
                changes.event("not_represented", kind=thing.kind, position=position)
            return False
        place = best_fit(self._sizes, free, thing.size)
        thing.place = place
        changes.set(self._names[place], PRESENT, 1.0)
        size = [round(number, 4) for number in thing.size.tolist()]
        changes.event(
            "appeared",
            object=self._names[place],
            kind=thing.kind,
            source=source,
            position=position,
            size=size,
        )
        return True

    def _vanish(self, told: Told, changes: Changes) -> None:
        for thing, reason in told.vanished:
            assert thing.place is not None  # only such vanish
            name = self._names[thing.place]
            self._grips.pop(thing.place, None)
            self._inside = {hand: one for hand, one in self._inside.items() if one is not thing}
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
