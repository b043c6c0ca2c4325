"""The closing of the fingers: when they are still, on what they stopped, and which object is between them."""

from __future__ import annotations

from itertools import combinations
from math import expm1, isnan
from typing import NamedTuple, TypeAlias

from hetwin_core.ensemble.concern_words import CLOSED_ON_SOMETHING, LET_GO_OF_SOMETHING
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.hands import HandDescription, finger_roots
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.grasp_monitor.settings import Settings

_MIN_TRAVEL = 1e-9
LET_GO_SHARE = 0.08
"""Share of their travel by which fingers that let go have opened since `hold`; a slipping object opens them less."""
OPENING_SHARE, OPENING_SPEED = 0.05, 0.15
"""This share suffices while the fingers are opening at this speed or faster [1/s]."""
_SMOOTH_S = 0.03
"""Time constant of the filter for the noise of the joint positions [s]."""


class FingerMotion:
    """Tracks the finger joints as fractions of their travel: 0 fully open, 1 closed without an object.

    Joints without travel (opened and closed are equal) are ignored; a missing value (NaN)
    leaves its joint unchanged.

    Args:
        hand: the hand with the fingers.
        still_range: fingers that stay within this fraction of the travel are at rest.

    Attributes:
        closing: mean fraction over the joints.
        farthest: fraction of the joint that is farthest from closed, the smallest one.
        gap: distance of all joints together from closed [m, or rad for revolute fingers].
        let_go: whether the fingers have opened since `hold`, relative to their most closed position.
        still_since_ns: time since which no joint has moved by more than `still_range`.

    Raises:
        BadInput: if the hand does not specify its fingers' opened and closed positions.
    """

    def __init__(self, hand: HandDescription, still_range: float) -> None:
        _check(hand)
        travels = [c - o for o, c in zip(hand.opened, hand.closed, strict=True)]
        self._travels = [abs(travel) for travel in travels if abs(travel) > _MIN_TRAVEL]
        self._joints = [
            (i, opened, 1.0 / travel)
            for i, (opened, travel) in enumerate(zip(hand.opened, travels, strict=True))
            if abs(travel) > _MIN_TRAVEL
        ]
        if not self._joints:
            raise BadInput(
                "no finger joint has any travel",
                where=f"hands.{hand.name}.closed",
                found=hand.closed,
                expected="different positions for the opened and the closed hand",
            )
        self._range = still_range
        self._fractions: list[float] = []
        self._reference: list[float] = []
        self.closing = 0.0
        self.farthest = 0.0
        self.gap = 0.0
        self.still_since_ns = 0
        self.let_go = False
        self._filtered = self._most_closed = 0.0
        self._time_ns = 0

    def hold(self) -> None:
        """Start a grip: from now on `let_go` is relative to the current position or a more closed one."""
        self._filtered = self._most_closed = self.closing

    def update(self, time_ns: int, positions: Floats) -> None:
        """Update with the positions of the finger joints at a time, in the order of the hand's joints [rad or m]."""
        values = positions.tolist()
        fractions = [(values[i] - opened) * scale for i, opened, scale in self._joints]
        before, last_closing = self._fractions or [0.0] * len(fractions), self.closing
        self._fractions = [b if isnan(f) else f for f, b in zip(fractions, before, strict=True)]
        self.closing = sum(self._fractions) / len(self._fractions)
        self.farthest = min(self._fractions)
        self.gap, has_moved = 0.0, not self._reference
        reference = self._reference or self._fractions
        for f, travel, r in zip(self._fractions, self._travels, reference, strict=True):
            self.gap += (1.0 - f) * travel
            has_moved = has_moved or abs(f - r) > self._range
        self._update_let_go(time_ns, last_closing)
        if has_moved:
            self._reference = self._fractions
            self.still_since_ns = time_ns

    def _update_let_go(self, time_ns: int, last_closing: float) -> None:
        seconds, self._time_ns = (time_ns - self._time_ns) / 1e9, time_ns
        self._filtered -= (self.closing - self._filtered) * expm1(-seconds / _SMOOTH_S)
        self._most_closed = max(self._most_closed, self._filtered)
        opened = self._most_closed - self._filtered
        is_opening = last_closing - self.closing >= OPENING_SPEED * seconds
        self.let_go = opened >= LET_GO_SHARE or (opened >= OPENING_SHARE and is_opening)


def _check(hand: HandDescription) -> None:
    count = len(hand.joints)
    if count == 0 or len(hand.opened) != count or len(hand.closed) != count:
        raise BadInput(
            "the finger joints' opened and closed positions are incomplete",
            where=f"hands.{hand.name}",
            found={"joints": hand.joints, "opened": hand.opened, "closed": hand.closed},
            expected="as many numbers in opened and in closed as there are joints, at least one",
        )


PRESS_RATIO = 1.5
"""Ratio of the fingers' effort at rest to that while closing, above which they press on something."""
CLEAR_RATIO, MIN_SHARE = 5.0, 0.1
"""Minimum ratios at which an effort below the threshold shows that fingers press on something, as efforts may be in
other units: to the effort of closing and of open fingers, and to the threshold."""


class UnknownObjectGrip:
    """Detects that a hand has closed on something that is not in the scene.

    If the fingers are neither open nor closed when the run starts, the hand may have closed on something before.

    Args:
        hand: name of the hand.
        fingers: motion of its fingers.
        limits: thresholds.
    """

    def __init__(self, hand: str, fingers: FingerMotion, limits: Settings) -> None:
        self._hand, self._fingers, self._limits = hand, fingers, limits
        self._most_open: float | None = None
        self._last = 0.0
        self._free_effort: float | None = None
        self._open_effort: float | None = None
        self._stopped_at: float | None = None
        self._has_efforts = False

    def update(self, time_ns: int, effort: float | None, *, holds: bool) -> list[Event]:
        """Update with the current state of the fingers; returns the events.

        Args:
            time_ns: simulated time [ns].
            effort: mean absolute effort of the finger joints [N or Nm]; None if unknown.
            holds: whether an object of the scene is between the fingers.
        """
        fingers, limits = self._fingers, self._limits
        is_first = self._most_open is None
        self._most_open = min(self._most_open or fingers.closing, fingers.closing)
        if effort is not None and not is_first:
            self._update_efforts(effort, self._most_open + limits.min_closing)
        self._last = fingers.closing
        self._has_efforts |= bool(effort)  # efforts that were not recorded are 0
        ends = fingers.farthest >= 1.0 - limits.closed_margin
        if self._stopped_at is not None:
            opened = self._stopped_at - fingers.closing >= limits.release_opening
            self._stopped_at = max(self._stopped_at, fingers.closing)
            if not (opened or ends or holds):
                return []
            self._stopped_at, self._most_open = None, fingers.closing
            because = "it opened" if opened else "it holds an object" if holds else "it closed"
            return [self._event(LET_GO_OF_SOMETHING, time_ns, because=because)]
        still = time_ns - fingers.still_since_ns >= round(limits.settle_time * 1e9)
        threshold = limits.min_closing if is_first else self._most_open + limits.min_closing
        if holds or ends or fingers.closing < threshold or not (still or is_first):
            return []
        if effort is not None and self._has_efforts and not self._presses(effort):
            return []
        self._stopped_at = fingers.closing
        since_ns = fingers.still_since_ns
        event = self._event(CLOSED_ON_SOMETHING, since_ns, closing=fingers.closing, gap=fingers.gap)
        return [event]

    def _update_efforts(self, effort: float, open_until: float) -> None:
        """Update the smallest effort of closing fingers, or the largest one of open fingers."""
        if self._fingers.closing > self._last:
            known = effort if self._free_effort is None else self._free_effort
            self._free_effort = min(effort, known)
        elif self._fingers.closing <= open_until:
            self._open_effort = max(effort, self._open_effort or 0.0)

    def _presses(self, effort: float) -> bool:
        """Whether the effort of fingers at rest shows that they press on something."""
        if self._free_effort is None:
            return effort >= self._limits.press_effort
        threshold, free = self._limits.press_effort, self._free_effort
        if effort >= max(threshold, PRESS_RATIO * free):
            return True
        if self._open_effort is None:
            return False
        return effort >= max(MIN_SHARE * threshold, CLEAR_RATIO * max(free, self._open_effort))

    def _event(self, name: str, time_ns: int, **arguments: float | str) -> Event:
        return Event(name, time_ns, arguments={"hand": self._hand, **arguments})


class Touch(NamedTuple):
    """A finger near an object: its index, the distance [m], and the unit normal towards the object."""

    finger: int
    distance: float
    normal: tuple[float, float, float]


Touches: TypeAlias = dict[int, list[Touch]]
"""Index of an object -> the fingers near it."""


class Enclosure:
    """Finds objects between fingers.

    The links of one finger count as one side; so does the palm if a single finger closes against it.

    Args:
        layout: the scene's layout.
        hand: the hand with the fingers.
        reach: distances above this are ignored [m].
        opposition: two normals oppose each other if their cosine is below this.

    Raises:
        BadInput: if a finger link is not in the scene, or all belong to one finger.
    """

    def __init__(
        self, layout: Layout, hand: HandDescription, reach: float, opposition: float
    ) -> None:
        self._finger = _fingers(layout, hand)
        self._reach = reach
        self._opposition = opposition

    def touches(self, proximity: Floats) -> Touches:
        """Return the fingers that are within reach of each object."""
        found: Touches = {}
        for row in proximity.tolist():
            finger = self._finger.get(int(row[1]))
            if finger is not None and row[2] <= self._reach:
                touch = Touch(finger, row[2], (row[6], row[7], row[8]))
                found.setdefault(int(row[0]), []).append(touch)
        return found

    def between(self, touches: Touches, distance: float, preferred: int) -> int:
        """Return the index of the object that fingers touch on opposing sides, -1 if there is none.

        Args:
            touches: the result of `touches`.
            distance: maximum distance of a finger that touches [m].
            preferred: index of the object to return if it is among several; otherwise the nearest is returned.
        """
        gaps = {entity: self.gap(touches, entity) for entity in touches}
        held = {entity: gap for entity, gap in gaps.items() if gap <= distance}
        if preferred in held:
            return preferred
        return min(held, key=held.__getitem__, default=-1)

    def keeps(self, touches: Touches, entity: int, distance: float) -> bool:
        """Whether at least two fingers are still within a distance [m] of the object."""
        near = {touch.finger for touch in touches.get(entity, ()) if touch.distance <= distance}
        return len(near) > 1

    def gap(self, touches: Touches, entity: int) -> float:
        """Return the smallest distance [m] within which fingers touch the object on opposing sides, or infinity."""
        nearest = float("inf")
        for first, second in combinations(touches.get(entity, ()), 2):
            a, b = first.normal, second.normal
            cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
            if first.finger != second.finger and cosine < self._opposition:
                nearest = min(nearest, max(first.distance, second.distance))
        return nearest


def _fingers(layout: Layout, hand: HandDescription) -> dict[int, int]:
    """Return the index of the finger of each finger link, by the link's entity index."""
    roots = finger_roots(layout, hand)
    order = {root: i for i, root in enumerate(dict.fromkeys(roots.values()))}
    if len(order) < 2:
        raise BadInput(
            "a hand needs two fingers, or a finger and a palm",
            where=f"hands.{hand.name}.joints",
            found=list(hand.joints),
            expected="joints of at least two fingers, or of one that closes against the hand's link",
        )
    return {layout.entity_id(link): order[root] for link, root in roots.items()}
