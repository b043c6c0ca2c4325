"""The closing of the fingers: their rest, the bodies that stopped them, and objects between them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import expm1, isnan
from typing import NamedTuple, TypeAlias

from hetwin_core.ensemble.concern_words import CLOSED_ON_SOMETHING, LET_GO_OF_SOMETHING
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.hands import HandDescription, sides_of
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.values import Floats

_NO_TRAVEL = 1e-9
OPENED = 0.08
"""Fingers that have opened by this share of their travel since they held let go: slipping objects push less ..."""
OPENING, OPENING_SPEED = 0.05, 0.15
"""... or by this share, while they go on at such a speed [1/s]."""
_SMOOTH_S = 0.03
"""The noise of their joints is averaged over about so long [s]."""


class FingerMotion:
    """Tracks the finger joints as fractions of their travel: 0 fully open, 1 closed without an object.

    Joints without travel (opened and closed are equal) are ignored; a missing value (NaN)
    leaves its joint unchanged.

    Args:
        hand: the hand with the fingers.
        still_range: fingers that stay within this fraction of the travel are at rest.

    Attributes:
        closing: mean fraction over the joints.
        farthest: smallest fraction, of the joint that is farthest from closed.
        gap: how far all joints together are from closed [m, or rad of fingers that turn].
        let_go: whether they have opened since `hold`, from where they were closed the most.
        still_since_ns: time since which no joint has left `still_range`.

    Raises:
        BadInput: if the hand does not specify its fingers' opened and closed positions.
    """

    def __init__(self, hand: HandDescription, still_range: float) -> None:
        _check(hand)
        travels = [c - o for o, c in zip(hand.opened, hand.closed, strict=True)]
        self._travels = [abs(travel) for travel in travels if abs(travel) > _NO_TRAVEL]
        self._joints = [
            (i, opened, 1.0 / travel)
            for i, (opened, travel) in enumerate(zip(hand.opened, travels, strict=True))
            if abs(travel) > _NO_TRAVEL
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
        self._smooth = self._most = 0.0
        self._time_ns = 0

    def hold(self) -> None:
        """They hold something from now on."""
        self._smooth = self._most = self.closing

    def update(self, time_ns: int, positions: Floats) -> None:
        """Update with the finger joints' positions at a time, in the order of the hand's joints."""
        at = positions.tolist()
        seen = [(at[i] - opened) * scale for i, opened, scale in self._joints]
        before, was = self._fractions or [0.0] * len(seen), self.closing
        self._fractions = [b if isnan(f) else f for f, b in zip(seen, before, strict=True)]
        self.closing = sum(self._fractions) / len(self._fractions)
        self.farthest = min(self._fractions)
        self.gap, moved = 0.0, not self._reference
        reference = self._reference or self._fractions
        for f, travel, r in zip(self._fractions, self._travels, reference, strict=True):
            self.gap += (1.0 - f) * travel
            moved = moved or abs(f - r) > self._range
        self._follow(time_ns, was)
        if moved:
            self._reference = self._fractions
            self.still_since_ns = time_ns

    def _follow(self, time_ns: int, was: float) -> None:
        seconds, self._time_ns = (time_ns - self._time_ns) / 1e9, time_ns
        self._smooth -= (self.closing - self._smooth) * expm1(-seconds / _SMOOTH_S)
        self._most = max(self._most, self._smooth)
        opened = self._most - self._smooth
        goes_on = was - self.closing >= OPENING_SPEED * seconds
        self.let_go = opened >= OPENED or (opened >= OPENING and goes_on)


def _check(hand: HandDescription) -> None:
    count = len(hand.joints)
    if count == 0 or len(hand.opened) != count or len(hand.closed) != count:
        raise BadInput(
            "the finger joints' opened and closed positions are incomplete",
            where=f"hands.{hand.name}",
            found={"joints": hand.joints, "opened": hand.opened, "closed": hand.closed},
            expected="as many numbers in opened and in closed as there are joints, at least one",
        )


PRESSES = 1.5
"""Fingers that stand press on something if their effort is this many times that while they closed."""
CLEARLY, LEAST = 5.0, 0.1
"""They also do with less effort than a hand's threshold, if it is this many times that while they closed and
while they stood open, and at least this share of the threshold: efforts may have other units than the threshold."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Thresholds, see the parameters of the model of the same names; shares of the travel, N or Nm, times in ns."""

    min_closing: float
    closed_margin: float
    release_opening: float
    press_effort: float
    settle_ns: int


class StoppedShort:
    """Follows the fingers of one hand while nothing of the scene is in its grip.

    A hand whose fingers stand between their ends when the run begins may have closed on something before.

    Args:
        hand: its name.
        fingers: their motion.
        limits: thresholds.
    """

    def __init__(self, hand: str, fingers: FingerMotion, limits: Limits) -> None:
        self._hand, self._fingers, self._limits = hand, fingers, limits
        self._most_open: float | None = None
        self._last = 0.0
        self._free_effort: float | None = None
        self._open_effort: float | None = None
        self._stopped_at: float | None = None
        self._has_efforts = False

    def update(self, time_ns: int, effort: float | None, *, holds: bool) -> list[Event]:
        """Look at the fingers; returns their events.

        Args:
            time_ns: simulated time.
            effort: mean of the sizes of the finger joints' efforts; None if they are not known [N or Nm].
            holds: whether an object of the scene is between the fingers.
        """
        fingers, limits = self._fingers, self._limits
        begins = self._most_open is None
        self._most_open = min(self._most_open or fingers.closing, fingers.closing)
        if effort is not None and not begins:
            self._note(effort, self._most_open + limits.min_closing)
        self._last = fingers.closing
        self._has_efforts |= bool(effort)  # those that were not recorded are 0
        ends = fingers.farthest >= 1.0 - limits.closed_margin
        if self._stopped_at is not None:
            opened = self._stopped_at - fingers.closing >= limits.release_opening
            self._stopped_at = max(self._stopped_at, fingers.closing)
            if not (opened or ends or holds):
                return []
            self._stopped_at, self._most_open = None, fingers.closing
            because = "it opened" if opened else "it holds an object" if holds else "it closed"
            return [self._event(LET_GO_OF_SOMETHING, time_ns, because=because)]
        still = time_ns - fingers.still_since_ns >= limits.settle_ns
        least = limits.min_closing if begins else self._most_open + limits.min_closing
        if holds or ends or fingers.closing < least or not (still or begins):
            return []
        if effort is not None and self._has_efforts and not self._presses(effort):
            return []
        self._stopped_at = fingers.closing
        since_ns = fingers.still_since_ns
        event = self._event(CLOSED_ON_SOMETHING, since_ns, closing=fingers.closing, gap=fingers.gap)
        return [event]

    def _note(self, effort: float, open_until: float) -> None:
        """Note an effort of fingers that close, or stand open."""
        if self._fingers.closing > self._last:
            known = effort if self._free_effort is None else self._free_effort
            self._free_effort = min(effort, known)
        elif self._fingers.closing <= open_until:
            self._open_effort = max(effort, self._open_effort or 0.0)

    def _presses(self, effort: float) -> bool:
        """Whether fingers that stand press on something, as far as their efforts show."""
        if self._free_effort is None:
            return effort >= self._limits.press_effort
        least, free = self._limits.press_effort, self._free_effort
        if effort >= max(least, PRESSES * free):
            return True
        if self._open_effort is None:
            return False
        return effort >= max(LEAST * least, CLEARLY * max(free, self._open_effort))

    def _event(self, name: str, time_ns: int, **arguments: float | str) -> Event:
        return Event(name, time_ns, arguments={"hand": self._hand, **arguments})


class Touch(NamedTuple):
    """A finger near an object: its index, the distance [m], and the unit normal towards the object."""

    finger: int
    distance: float
    normal: tuple[float, float, float]


Touches: TypeAlias = dict[int, list[Touch]]
"""By index of the object."""


class Enclosure:
    """Finds objects between fingers.

    The links of one finger count as one side, and so does the palm where a single finger closes against it.

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
        """Return all objects within reach of a finger."""
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
            distance: largest distance of a touching finger [m].
            preferred: the object to select if there are several; otherwise the nearest.
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
        """Return the least distance [m] within which fingers touch the object on opposing sides, or infinity."""
        least = float("inf")
        for one, other in combinations(touches.get(entity, ()), 2):
            a, b = one.normal, other.normal
            cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
            if one.finger != other.finger and cosine < self._opposition:
                least = min(least, max(one.distance, other.distance))
        return least


def _fingers(layout: Layout, hand: HandDescription) -> dict[int, int]:
    """Return the index of the finger of each finger link, by the link's index."""
    roots = sides_of(layout, hand)
    order = {root: i for i, root in enumerate(dict.fromkeys(roots.values()))}
    if len(order) < 2:
        raise BadInput(
            "a hand needs two fingers, or a finger and a palm",
            where=f"hands.{hand.name}.joints",
            found=list(hand.joints),
            expected="joints of at least two fingers, or of one that closes against the hand's link",
        )
    return {layout.entity_id(link): order[root] for link, root in roots.items()}
