"""Determines whether hands let go of what they hold, from the events of grasp monitors and of the robot's program."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hetwin_core.ensemble.annotations import ANNOUNCED, INSTANT, ROBOT, lets_go, phase_of
from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.ensemble.scene.layout import Layout

ACTING_NS = 1_000_000_000
"""An action that lets go counts for so long after its end [ns]."""
_FOREVER = 2**62


class Openings:
    """Remembers of each hand whether its grip was lost without its fingers having opened.

    A grasp monitor says so (``grip_lost`` with ``opened`` false). Where none does, nothing tells. An action of the
    robot's program that lets go, since the hand has closed, makes it the program's doing.

    Args:
        layout: the scene's.
        hands: names of the hands.
    """

    def __init__(self, layout: Layout, hands: Sequence[str]) -> None:
        self._owners = {hand: layout.entity(hand).owner for hand in hands}
        self._ids = {hand: layout.entity_id(hand) for hand in hands}
        self._kept_closed: set[tuple[int, str]] = set()
        self._until_ns: dict[int, int] = {}

    def update(self, events: Iterable[Event]) -> None:
        """Take in the events since the last step."""
        for event in events:
            if lets_go(event):
                self._act(event)
            elif event.kind is EventKind.MODEL and event.name in ("grip_closed", "grip_lost"):
                self._grip(event)

    def let_go(self, hand: int, name: str, time_ns: int) -> bool:
        """Whether a hand let go of an object that it no longer holds; also where nothing tells.

        Args:
            hand: index of the hand.
            name: the object's.
            time_ns: since when it does not hold it [ns].
        """
        return (hand, name) not in self._kept_closed or self.is_meant(hand, time_ns)

    def is_meant(self, hand: int, time_ns: int) -> bool:
        """Whether the robot's program says that a hand lets go."""
        return time_ns <= self._until_ns.get(hand, -1)

    def _act(self, event: Event) -> None:
        phase = phase_of(event)
        if phase == ANNOUNCED:
            return
        until_ns = event.time_ns + ACTING_NS if phase in ("end", INSTANT) else _FOREVER
        said = event.arguments
        for name, robot in self._owners.items():
            if said.get("hand", name) == name and said.get(ROBOT, robot) == robot:
                self._until_ns[self._ids[name]] = until_ns

    def _grip(self, event: Event) -> None:
        hand = self._ids.get(str(event.arguments.get("hand")), -1)
        grip = hand, str(event.arguments.get("object"))
        self._kept_closed.discard(grip)
        if event.name == "grip_closed":
            self._until_ns.pop(hand, None)
        elif event.arguments.get("opened") is False:
            self._kept_closed.add(grip)
