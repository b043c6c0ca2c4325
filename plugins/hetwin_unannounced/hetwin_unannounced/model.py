"""The model that adds unannounced things to the scene as objects."""

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
from hetwin_unannounced.grasping import (
    HELD_OBJECT,
    SOMETHING,
    GraspConclusion,
    check_hands,
    draw_conclusion,
    grasped_thing,
)
from hetwin_unannounced.reading import SceneReport, Sighting, parse_report
from hetwin_unannounced.reserve import best_fit, sizes_of
from hetwin_unannounced.things import Thing, Things, TrackChanges

PRESENT = AttributeSpec("present", meaning=Meaning.TRUTH)
"""1: the object represents a thing; 0: it is in reserve, far away."""
THING_SIZE = AttributeSpec("thing_size", 3, "m")
POSE_COVARIANCE = AttributeSpec("pose_covariance", 21, "m^2, m rad, rad^2")
"""The upper triangle, row by row, of the covariance of position and rotation vector."""
_TRIANGLE = np.triu_indices(6)
COLLISION = AttributeSpec("collision", 1, "", Meaning.TRUTH)
_HELD = "held"
_MAX_EXCESS_M, _COLLISION_EXCESS_M = 0.01, 0.002
"""Limits on how much wider than the opening of the fingers an object may be [m]. Objects beyond `_MAX_EXCESS_M` cannot
represent a thing between the fingers; objects beyond `_COLLISION_EXCESS_M` do not collide while they are held."""

Distance = Annotated[Number, Field(gt=0, le=1e3)]
Times = Annotated[int, Field(ge=1, le=1000)]


class Settings(Parameters):
    """Sources of detections, and the objects that represent things."""

    topic: str = parameter(
        "topic of type vision_msgs/msg/Detection3DArray, or of MoveIt's planning scene; one of the source's topics;"
        " default: none",
        "",
    )
    things: EntityNames = parameter("objects in reserve that represent things")
    known: dict[str, str] = parameter(
        "class id -> name of the entity; not needed for ids that are names of entities", {}
    )
    hands: EntityNames = parameter(
        "hands with a grasp monitor: an unseen object that their fingers close on becomes a thing",
        (),
    )
    gate: Distance = parameter(
        "maximum distance between two detections of the same thing", 0.12, "m"
    )
    score: Annotated[Number, Field(ge=0, le=1)] = parameter("minimum score of a detection", 0.5)
    confirmations: Times = parameter("number of detections that confirm a thing", 3)
    misses: Times = parameter("number of consecutive misses that remove a thing", 5)
    watch: WatchedRobot = parameter("reports of the main model about joints", None)


class Unannounced(Model[Settings]):
    """Adds things to the scene that a detector or MoveIt's planning scene reports, and that the scenario does not have.

    The scenario has objects in reserve, far away. When a thing is detected that is none of the scene's objects, the
    reserve object whose size fits best is moved to the thing's pose, so that robots can touch it and models see it.
    It moves back when the thing is not seen any more. The main model moves an object in a hand until it is
    released. A thing that only the fingers have detected moves with the hand until they open.
    """

    summary = (
        "Adds unannounced objects to the scene: detections, MoveIt's collision objects,"
        " and things that a hand closed on."
    )
    rate = 20.0
    provides = (POSE, COLLISION, PRESENT, THING_SIZE, POSE_COVARIANCE)
    raises: ClassVar[Mapping[str, str]] = {
        "appeared": "a thing became an object of the scene: object, kind, source (topic or hand), position,"
        " size",
        "vanished": "the object no longer represents a thing: object, kind, reason",
        "not_represented": "all objects that could represent a thing are in use: kind, position",
        "unusable": "a message that cannot be used: topic, reason; once for each reason",
    }

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Contribute presence, size and covariance of each object in reserve.

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
                "neither a topic nor a hand could detect things",
                where="topic",
                expected="a topic of the source, or hands with a grasp monitor, or both",
            )
        count = len(self._names)
        self._owned = np.zeros(count, np.bool_)
        self._passing = np.zeros(count, np.bool_)
        self._inside: dict[str, Thing] = {}
        self._grips: dict[int, tuple[str, Floats]] = {}
        self._things = Things(settings.gate, settings.confirmations, settings.misses)
        self._has_requested = False
        self._reported: set[str] = set()
        self._parked = np.zeros((count, POSE_SIZE))
        self._poses = np.zeros((count, POSE_SIZE))
        for name in self._names:
            scene.set(name, PRESENT, 0.0)
            scene.set(name, THING_SIZE, np.zeros(3))
            scene.set(name, POSE_COVARIANCE, np.zeros(21))

    def start(self, scene: Snapshot) -> None:
        """Read poses and sizes of the objects in reserve.

        Raises:
            BadInput: if one of `things` is not an object, or a hand has no grasp monitor.
        """
        layout = scene.layout
        check_hands(layout, self.settings.hands)
        for name in self._names:
            if layout.entity(name).kind is not EntityKind.OBJECT:
                raise BadInput(
                    "only an object can represent a thing",
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
        """Process the messages and events since the last step."""
        changes = tick.changes()
        if not self._has_requested:
            self._has_requested = True
            for name in self._names:
                changes.take(name, POSE)
        held = self._slots_in_hands(tick.scene)
        self._update_foreign_poses(tick.scene)
        for event in tick.events:
            if event.kind is EventKind.TOPIC and event.name == self.settings.topic:
                self._process(event, tick.scene, held, changes)
            else:
                self._process_grasp_event(event, tick.scene, changes)
        for index in held:
            if self._owned[index] and index not in self._grips:  # the main model moves it in a hand
                changes.give_back(self._names[index], POSE)
        for index in np.flatnonzero(self._owned).tolist():
            frame, pose = self._grips.get(index, (WORLD, self._poses[index]))
            changes.set(self._names[index], POSE, pose, frame)
        for index in np.flatnonzero(self._passing).tolist():
            changes.set(self._names[index], COLLISION, 0.0)
            if not self._is_only_grasped(index):
                changes.give_back(self._names[index], COLLISION)
        return changes

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Take the responsibility for the pose of an object in reserve, or for its collision flag.

        Raises:
            Refused: if the entity is not an object in reserve, or the attribute is neither of the two.
        """
        index = self._index(entity, attribute)
        if attribute == COLLISION.name:
            self._passing[index] = True
            return
        world = value.data
        if value.parent != WORLD:
            world = compose(scene.pose(value.parent), value.data)
        self._owned[index] = True
        in_use = any(thing.slot == index for thing in self._things.all)
        self._poses[index] = world if in_use else self._parked[index]
        self._poses[index, 7:] = 0.0

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        """Give up the responsibility for an object's pose or collision flag, and return its value.

        Raises:
            Refused: if the model is not responsible for the attribute.
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
            if not self._is_only_grasped(index):
                del self._grips[index]
            return Value(compose(scene.pose(hand), inside), scene.time_ns)
        return Value(self._poses[index].copy(), scene.time_ns)

    def _index(self, entity: str, attribute: str) -> int:
        if attribute not in (POSE.name, COLLISION.name) or entity not in self._names:
            raise Refused(f"this model does not compute {entity}.{attribute}")
        return self._names.index(entity)

    def _update_foreign_poses(self, scene: Snapshot) -> None:
        """Update the poses of the things that another model or a hand moves, from the scene."""
        for thing in self._things.all:
            slot = thing.slot
            if slot is not None and (slot in self._grips or not self._owned[slot]):
                thing.pose = scene.pose(self._names[slot])[:7].copy()

    def _process_grasp_event(self, event: Event, scene: Snapshot, changes: Changes) -> None:
        """Process an event of a grasp monitor."""
        hand = str(event.arguments.get("hand"))
        thing = self._inside.get(hand)
        held = "" if thing is None or thing.slot is None else self._names[thing.slot]
        conclusion = draw_conclusion(event, self.settings.hands, held)
        if conclusion is None:
            return
        verdict, reason = conclusion
        if verdict is GraspConclusion.GRASPED:
            self._grasp(hand, grasped_thing(event, scene, self.settings.watch), scene, changes)
            return
        assert thing is not None  # otherwise no object is held, and there is no conclusion
        del self._inside[hand]
        if verdict is GraspConclusion.REFUTED and thing.kind == SOMETHING:
            self._remove_objects(self._things.remove([thing], reason), changes)
        elif thing.slot is not None:
            self._return_object(thing.slot, changes)

    def _grasp(self, hand: str, new_thing: Thing, scene: Snapshot, changes: Changes) -> None:
        """Put a thing into a hand: the known thing between the fingers, or a new one."""
        thing = self._things.at(new_thing.pose[:3])
        inside = np.array([0.0, 0.0, 0.0, 1.0, *[0.0] * 9])
        if thing is None:
            thing = new_thing
            self._things.all.append(thing)
            if not self._represent(thing, hand, changes):
                self._things.all.remove(thing)
                return
            self._describe(thing, changes)
        else:
            assert thing.slot is not None  # `at` finds only represented things
            inside = relative_to(scene.pose(hand), scene.pose(self._names[thing.slot]))
            inside[7:] = 0.0
        assert thing.slot is not None
        self._inside[hand] = thing
        self._grips[thing.slot] = hand, inside
        self._move(thing.slot, changes, thing.pose)
        too_wide = self._sizes[thing.slot, 0] > new_thing.size[0] + _COLLISION_EXCESS_M
        if too_wide and scene.layout.has(self._names[thing.slot], COLLISION.name):
            changes.take(self._names[thing.slot], COLLISION)

    def _return_object(self, slot: int, changes: Changes) -> None:
        """Return a released object to the main model."""
        if self._owned[slot]:
            changes.give_back(self._names[slot], POSE)
        else:
            self._grips.pop(slot, None)

    def _is_only_grasped(self, slot: int) -> bool:
        """Return whether an object represents a thing in a hand that only the fingers have detected."""
        return slot in self._grips and self._grips[slot][0] in self._inside

    def _slots_in_hands(self, scene: Snapshot) -> list[int]:
        """Return the slots of the objects in hands."""
        layout = scene.layout
        inside = {int(scene.get(hand, HELD_OBJECT)[0]) for hand in self._hands}
        slots = []
        for index, name in enumerate(self._names):
            reported_by_object = layout.has(name, _HELD) and scene.get(name, _HELD)[0] >= 0.0
            if reported_by_object or layout.entity_id(name) in inside:
                slots.append(index)
        return slots

    def _process(self, event: Event, scene: Snapshot, held: list[int], changes: Changes) -> None:
        try:
            message = parse_report(event.arguments)
            seen = [self._in_world(sighting, scene) for sighting in message.seen]
        except (KeyError, TypeError, ValueError) as error:
            reason = f"{type(error).__name__}: {error}"
            if reason not in self._reported:
                self._reported.add(reason)
                changes.event("unusable", topic=event.name, reason=reason)
            return
        unknown = [
            thing
            for sighting, thing in zip(message.seen, seen, strict=True)
            if sighting.score >= self.settings.score and not self._is_known(thing, scene, message)
        ]
        changed = self._things.update(
            unknown, is_whole=message.is_whole, kind_identifies=message.names, kept_slots=held
        )
        self._remove_objects(changed, changes)
        self._remove_objects(self._things.drop(message.gone, "it was taken away"), changes)
        for thing in changed.appeared:
            self._represent(thing, event.name, changes)
        for thing in self._things.all:
            if thing.slot is None or thing.slot in held or thing.missed:
                continue
            self._move(thing.slot, changes, thing.pose)
            self._describe(thing, changes)

    def _describe(self, thing: Thing, changes: Changes) -> None:
        assert thing.slot is not None  # an object represents it
        changes.set(self._names[thing.slot], THING_SIZE, thing.size)
        triangle: Floats = thing.covariance[_TRIANGLE]
        changes.set(self._names[thing.slot], POSE_COVARIANCE, triangle)

    def _in_world(self, sighting: Sighting, scene: Snapshot) -> Thing:
        pose = np.zeros(POSE_SIZE)
        pose[:7] = sighting.pose
        if sighting.frame != WORLD and scene.layout.has(sighting.frame, POSE.name):
            pose = compose(scene.pose(sighting.frame), pose)
        return Thing(sighting.kind, pose[:7].copy(), sighting.size, sighting.covariance)

    def _is_known(self, thing: Thing, scene: Snapshot, message: SceneReport) -> bool:
        """Return whether a detection is an object of the scenario, by name or by position."""
        name = self.settings.known.get(thing.kind, thing.kind)
        if name in self._others:
            return True
        if message.names:
            return any(name == entity.name for entity in scene.layout.entities)
        reach = max(self.settings.gate, float(thing.size.max()) / 2.0)
        positions = [scene.pose(other)[:3] for other in self._others]
        return any(
            float(np.linalg.norm(position - thing.pose[:3])) <= reach for position in positions
        )

    def _represent(self, thing: Thing, source: str, changes: Changes) -> bool:
        """Represent a thing by an object in reserve; return False if no object is left."""
        used_slots = {other.slot for other in self._things.all}
        free = [index for index in range(len(self._names)) if index not in used_slots]
        if thing.hand and thing.size.any():
            max_width = float(thing.size[0]) + _MAX_EXCESS_M
            free = [index for index in free if self._sizes[index, 0] <= max_width]
        position = [round(number, 4) for number in thing.pose[:3].tolist()]
        if not free:
            key = f"full: {thing.kind}"
            if key not in self._reported:
                self._reported.add(key)
                changes.event("not_represented", kind=thing.kind, position=position)
            return False
        slot = best_fit(self._sizes, free, thing.size)
        thing.slot = slot
        changes.set(self._names[slot], PRESENT, 1.0)
        size = [round(number, 4) for number in thing.size.tolist()]
        changes.event(
            "appeared",
            object=self._names[slot],
            kind=thing.kind,
            source=source,
            position=position,
            size=size,
        )
        return True

    def _remove_objects(self, changed: TrackChanges, changes: Changes) -> None:
        for thing, reason in changed.vanished:
            assert thing.slot is not None  # only represented things vanish
            name = self._names[thing.slot]
            self._grips.pop(thing.slot, None)
            self._inside = {hand: held for hand, held in self._inside.items() if held is not thing}
            self._move(thing.slot, changes, self._parked[thing.slot, :7])
            changes.set(name, PRESENT, 0.0)
            changes.set(name, THING_SIZE, np.zeros(3))
            changes.set(name, POSE_COVARIANCE, np.zeros(21))
            changes.event("vanished", object=name, kind=thing.kind, reason=reason)

    def _move(self, slot: int, changes: Changes, pose: Floats) -> None:
        """Set an object's pose; take the responsibility back if a hand has released the object."""
        self._poses[slot, :7] = pose
        if not self._owned[slot]:
            changes.take(self._names[slot], POSE)
