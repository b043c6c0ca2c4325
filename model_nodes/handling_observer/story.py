"""What happens to one object, as a state machine over what is seen of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple

from model_nodes.handling_observer.steady import Steady, Stillness


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When what is seen counts; times in ns, lengths in m, angles in rad."""

    hold_dwell_ns: int
    clear_dwell_ns: int
    rest_ns: int
    rest_distance: float
    rest_turn: float


@dataclass(frozen=True, slots=True)
class Sighting:
    """What is seen of an object at one time.

    Attributes:
        time_ns: when.
        holder: index of the hand that holds it, -1 for none.
        support: index of the entity under it, -1 for none.
        touching: entities within the clearing distance on any side, other than the hands.
        pose: x y z, qw qx qy qz, ...
    """

    time_ns: int
    holder: int
    support: int
    touching: frozenset[int]
    pose: Sequence[float]


class Happening(NamedTuple):
    """Something that happened to the object; hand and support are indices or -1."""

    name: str
    time_ns: int
    hand: int
    support: int


class _Phase(Enum):
    LYING = auto()
    HELD = auto()
    LOOSE = auto()
    """Let go and not yet at rest."""


class Story:
    """Tells grasped, picked_up, released and put_down of one object, each at most once per grasp.

    They come in this order; picked_up and put_down may be missing. Each is dated at the start of
    what had to last: the first moment clear of the support, or at rest on one.

    Args:
        thresholds: when what is seen counts.
        support: what it stands on at the start.
    """

    def __init__(self, thresholds: Thresholds, support: int) -> None:
        self._limits = thresholds
        self._holder = Steady(thresholds.hold_dwell_ns, -1)
        self._support = Steady(thresholds.clear_dwell_ns, support)
        self._stillness = Stillness(thresholds.rest_distance, thresholds.rest_turn)
        self._phase = _Phase.LYING
        self._stood_on = support
        self._grasped_on = support
        self._hand = -1
        self._lifted = False
        self._clear_since_ns: int | None = None
        self._last_ns = 0

    @property
    def held(self) -> int:
        """Index of the hand that holds the object, -1 for none."""
        return self._holder.value

    @property
    def on(self) -> int:
        """Index of what the object stands on, -1 for nothing."""
        return self._support.value

    @property
    def carried(self) -> bool:
        """Whether a hand holds the object and nothing else supports it."""
        return self.held >= 0 and self.on < 0

    def update(self, seen: Sighting) -> list[Happening]:
        """Take what is seen; answers what has happened, oldest first."""
        happenings: list[Happening] = []
        self._support.update(seen.time_ns, seen.support)
        self._stillness.update(seen.time_ns, seen.pose)
        before = self.held
        if self._holder.update(seen.time_ns, seen.holder):
            if before >= 0:
                happenings.append(self._let_go(before))
            if self.held >= 0:
                happenings.append(self._take_hold())
        if self._phase is _Phase.HELD:
            happenings += self._watch_lift(seen)
        elif self._phase is _Phase.LOOSE:
            happenings += self._watch_rest(seen)
        if self.on >= 0:
            self._stood_on = self.on
        return happenings

    def _tell(self, name: str, time_ns: int, hand: int, support: int) -> Happening:
        # What happened later is not dated earlier, however long each of them had to last.
        self._last_ns = max(self._last_ns, time_ns)
        return Happening(name, self._last_ns, hand, support)

    def _take_hold(self) -> Happening:
        self._phase = _Phase.HELD
        self._grasped_on = self.on
        self._lifted = False
        self._clear_since_ns = None
        return self._tell("grasped", self._holder.since_ns, self.held, self.on)

    def _let_go(self, hand: int) -> Happening:
        self._phase = _Phase.LOOSE
        self._hand = hand
        if self.on < 0:
            self._stood_on = -1
        return self._tell("released", self._holder.since_ns, hand, self.on)

    def _watch_lift(self, seen: Sighting) -> list[Happening]:
        stood_on = self._stood_on
        if self._lifted or stood_on < 0:
            return []
        if seen.support >= 0 or stood_on in seen.touching:
            self._clear_since_ns = None
            return []
        if self._clear_since_ns is None:
            self._clear_since_ns = seen.time_ns
        if seen.time_ns - self._clear_since_ns < self._limits.clear_dwell_ns:
            return []
        self._lifted = True
        return [self._tell("picked_up", self._clear_since_ns, self.held, stood_on)]

    def _watch_rest(self, seen: Sighting) -> list[Happening]:
        since_ns = max(self._stillness.since_ns, self._holder.since_ns)
        if self.on < 0 or seen.time_ns - since_ns < self._limits.rest_ns:
            return []
        self._phase = _Phase.LYING
        if not self._lifted and self.on == self._grasped_on:
            return []  # it never left its place
        since_ns = max(since_ns, self._support.since_ns)
        return [self._tell("put_down", since_ns, self._hand, self.on)]
