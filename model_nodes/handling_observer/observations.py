"""Observations of objects and hands: which hand holds an object, whether it let go, supports and contacts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from hetwin_core.ensemble.events import (
    ANNOUNCED,
    INSTANT,
    ROBOT,
    Event,
    EventKind,
    lets_go,
    phase_of,
)
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Floats


class Grips:
    """Finds the hand that holds an object.

    An object is held by a hand if the hand's grasp monitor reports it. It is also held if its pose is given in the
    hand's frame, unless the hand's monitor contradicts and something else supports the object (a model may be
    responsible for an object that its hand has not touched yet). Once an object is held, either of the two
    conditions suffices.

    Args:
        layout: the scene's layout.
        hands: names of the hands.
    """

    def __init__(self, layout: Layout, hands: Sequence[str]) -> None:
        self._hands = [layout.entity_id(hand) for hand in hands]
        self._holding = [_offset(layout, hand, "holding") for hand in hands]
        self._object = [_offset(layout, hand, "held_object") for hand in hands]
        self._seen: dict[int, int] = {}
        self._frames: dict[int, bool] = {}

    def update(self, scene: Snapshot) -> None:
        """Read the grasp monitors' attributes."""
        self._seen.clear()
        self._frames.clear()
        values = scene.values
        for hand, holding, what in zip(self._hands, self._holding, self._object, strict=True):
            holds = holding is not None and values[holding] > 0.5
            if holds and what is not None:
                self._seen.setdefault(int(values[what]), hand)
            self._frames[hand] = holding is None or bool(holds and what is None)

    def holder(self, entity: int, frame: int, current: int, supported: bool) -> int:
        """Return the index of the hand that holds an object, -1 for none.

        Args:
            entity: index of the object.
            frame: index of the entity in whose frame its pose is given, -1 for the world.
            current: the hand that held it last, -1 for none.
            supported: whether something below supports it.
        """
        seen = self._seen.get(entity, -1)
        if current >= 0 and current in (seen, frame):
            return current
        if seen >= 0:
            return seen
        if frame in self._frames and (self._frames[frame] or not supported):
            return frame
        return -1


def _offset(layout: Layout, hand: str, attribute: str) -> int | None:
    if not layout.has(hand, attribute):
        return None
    return layout.slots[layout.slot_id(hand, attribute)].offset


ACTING_NS = 1_000_000_000
"""Time after the end of a releasing action during which it still counts [ns]."""
_FOREVER = 2**62


class Openings:
    """Tracks for each hand whether it has lost an object although its fingers did not open.

    A grasp monitor reports such a loss (``grip_lost`` with ``opened`` false); without a monitor it is unknown. If an
    action of the robot's program has released since the hand closed, the program intended it.

    Args:
        layout: layout of the scene.
        hands: names of the hands.
    """

    def __init__(self, layout: Layout, hands: Sequence[str]) -> None:
        self._owners = {hand: layout.entity(hand).owner for hand in hands}
        self._ids = {hand: layout.entity_id(hand) for hand in hands}
        self._kept_closed: set[tuple[int, str]] = set()
        self._until_ns: dict[int, int] = {}

    def update(self, events: Iterable[Event]) -> None:
        """Process the events since the last step."""
        for event in events:
            if lets_go(event):
                self._act(event)
            elif event.kind is EventKind.MODEL and event.name in ("grip_closed", "grip_lost"):
                self._grip(event)

    def let_go(self, hand: int, name: str, time_ns: int) -> bool:
        """Whether a hand let go of an object that it has ceased to hold; true if unknown.

        Args:
            hand: index of the hand.
            name: name of the object.
            time_ns: time since which the hand does not hold the object [ns].
        """
        return (hand, name) not in self._kept_closed or self.is_meant(hand, time_ns)

    def is_meant(self, hand: int, time_ns: int) -> bool:
        """Whether the robot's program intends the hand to let go at this time."""
        return time_ns <= self._until_ns.get(hand, -1)

    def _act(self, event: Event) -> None:
        phase = phase_of(event)
        if phase == ANNOUNCED:
            return
        until_ns = event.time_ns + ACTING_NS if phase in ("end", INSTANT) else _FOREVER
        arguments = event.arguments
        for name, robot in self._owners.items():
            if arguments.get("hand", name) == name and arguments.get(ROBOT, robot) == robot:
                self._until_ns[self._ids[name]] = until_ns

    def _grip(self, event: Event) -> None:
        hand = self._ids.get(str(event.arguments.get("hand")), -1)
        grip = hand, str(event.arguments.get("object"))
        self._kept_closed.discard(grip)
        if event.name == "grip_closed":
            self._until_ns.pop(hand, None)
        elif event.arguments.get("opened") is False:
            self._kept_closed.add(grip)


class Supports:
    """Finds the supports of objects: entities within the clearing distance with a normal that points up.

    Args:
        objects: indices of the observed objects.
        ignored: indices of entities that never support, such as the links of hands.
        distance: an entity farther than this is clear of the object [m].
        upward: minimum vertical component of the unit normal from a support to the object.
    """

    def __init__(
        self,
        objects: Collection[int],
        ignored: Collection[int],
        distance: float,
        upward: float,
    ) -> None:
        self._objects = frozenset(objects)
        self._ignored = frozenset(ignored)
        self._distance = distance
        self._upward = upward
        self._below: dict[int, dict[int, float]] = {}
        self._touching: dict[int, set[int]] = {}

    def update(self, proximity: Floats) -> None:
        """Update with the rows of a snapshot (`PROXIMITY_COLUMNS`)."""
        self._below.clear()
        self._touching.clear()
        for one, other, distance, *_, up, _, _, _ in proximity.tolist():
            if distance > self._distance:
                continue
            first, second = int(one), int(other)
            if first in self._objects and second not in self._ignored:
                self._note(first, second, distance, up)
            if second in self._objects and first not in self._ignored:
                self._note(second, first, distance, -up)

    def touching(self, entity: int) -> frozenset[int]:
        """Return the indices of the entities within the clearing distance of an object."""
        return frozenset(self._touching.get(entity, ()))

    def support(self, entity: int, current: int) -> int:
        """Return the index of an object's support: `current` if it still is one, else the nearest, else -1."""
        below = self._below.get(entity)
        if not below:
            return -1
        return current if current in below else min(below, key=below.__getitem__)

    def _note(self, entity: int, other: int, distance: float, up: float) -> None:
        self._touching.setdefault(entity, set()).add(other)
        if up >= self._upward:
            self._below.setdefault(entity, {})[other] = distance


def combined(groups: Iterable[Iterable[int]]) -> frozenset[int]:
    """Return the union of some groups of indices."""
    return frozenset(index for group in groups for index in group)
