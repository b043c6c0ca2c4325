"""The state machine for the handling of one object, on debounced observations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple


class Debouncer:
    """An integer that changes only when a new value has lasted.

    Args:
        dwell_ns: time for which a new value must last [ns].
        start: initial value.

    Attributes:
        value: the current value.
        since_ns: time at which the current value was first observed [ns].
    """

    def __init__(self, dwell_ns: int, start: int) -> None:
        self._dwell_ns = dwell_ns
        self.value = start
        self.since_ns = 0
        self._next = start
        self._next_since_ns = 0

    def update(self, time_ns: int, seen: int) -> bool:
        """Update with an observation at a time; returns whether the value changed."""
        if seen == self.value:
            self._next = seen
            return False
        if seen != self._next:
            self._next, self._next_since_ns = seen, time_ns
        if time_ns - self._next_since_ns < self._dwell_ns:
            return False
        self.value, self.since_ns = seen, self._next_since_ns
        return True


class RestDetector:
    """Determines since when a pose has stayed within a small distance and angle.

    Positions over time are more reliable than velocities: they are not disturbed by a solver's jitter or by
    sensor noise.

    Args:
        distance: maximum displacement of a pose at rest [m].
        turn: maximum rotation of a pose at rest [rad].
    """

    def __init__(self, distance: float, turn: float) -> None:
        self._square = distance * distance
        self._cosine = 1.0 - 0.125 * turn * turn  # cos(turn / 2), for small turns
        self._reference: Sequence[float] = ()
        self.since_ns = 0

    def update(self, time_ns: int, pose: Sequence[float]) -> None:
        """Update with a pose (x y z, qw qx qy qz, ...) at a time."""
        p, r = pose, self._reference
        if r:
            dx, dy, dz = p[0] - r[0], p[1] - r[1], p[2] - r[2]
            half_cosine = abs(p[3] * r[3] + p[4] * r[4] + p[5] * r[5] + p[6] * r[6])
            if dx * dx + dy * dy + dz * dz <= self._square and half_cosine >= self._cosine:
                return
        self._reference = pose
        self.since_ns = time_ns


MIN_FALL = 0.005
"""Minimum height of a fall [m]."""
LEVEL_NS = 250_000_000
"""A fall is over when the object has kept its height for this time [ns]."""
_LEVEL = 0.005
"""Maximum change of height that counts as kept [m]."""
WORLD_FALL = 5.0
"""An object that has fallen farther than this has left the world [m]."""


class FallDetector:
    """Compares an object's height with the height at which a hand last held it.

    Attributes:
        height: how far the object is below that height [m].
        level_since_ns: time since which the object has kept its height [ns].
    """

    def __init__(self) -> None:
        self.height = 0.0
        self.level_since_ns = 0
        self._held_at = self._level = 0.0

    def update(self, time_ns: int, z: float, held: bool) -> None:
        """Update with the object's height [m] at a time, and whether a hand still holds it."""
        if held:
            self._held_at = z
        self.height = self._held_at - z
        if held or not abs(z - self._level) <= _LEVEL:
            self._level, self.level_since_ns = z, time_ns

    def is_over(self, time_ns: int) -> bool:
        """Whether the object has stopped falling, or has left the world."""
        return self.height > WORLD_FALL or time_ns - self.level_since_ns >= LEVEL_NS


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Thresholds of transitions; times in ns, lengths in m, angles in rad.

    Attributes:
        drop_height: height of fall beyond which an object released in the air was dropped.
    """

    hold_dwell_ns: int
    clear_dwell_ns: int
    rest_ns: int
    rest_distance: float
    rest_turn: float
    drop_height: float = 0.05


class Observation(NamedTuple):
    """The observed state of an object at one time.

    Attributes:
        time_ns: simulated time [ns].
        holder: index of the hand that holds it, -1 for none.
        support: index of the entity that supports it, -1 for none.
        touching: entities within the clearing distance on any side, other than the hands.
        pose: x y z, qw qx qy qz, ...
        let_go: for an object that is no longer held: true if the hand has released it, false if it has slipped out.
        meant: whether the robot's program intended the release.
    """

    time_ns: int
    holder: int
    support: int
    touching: frozenset[int]
    pose: Sequence[float]
    let_go: bool = True
    meant: bool = True


class Transition(NamedTuple):
    """A transition of the object's state; hand and support are indices or -1.

    Attributes:
        fall: the fall of a dropped object; None for other transitions.
    """

    name: str
    time_ns: int
    hand: int
    support: int
    fall: Fall | None = None


class Fall(NamedTuple):
    """An object's fall from a hand: height [m], start [ns], and whether the robot's program intended the release."""

    height: float
    since_ns: int
    meant: bool


class _Phase(Enum):
    LYING = auto()
    HELD = auto()
    LOOSE = auto()
    """Released or lost, and not yet at rest."""


class HandlingStateMachine:
    """Detects grasped, picked_up, released or lost, dropped and put_down of one object, each at most once per grasp.

    They occur in this order; picked_up, dropped and put_down may be missing, and a lost object is not put down. Each is
    stamped with the start of the state that had to last: the first moment clear of the support, or at rest on one.

    Args:
        thresholds: thresholds of the transitions.
        support: index of the object's support at the start, -1 for none.

    Attributes:
        held: index of the hand that holds the object, -1 for none.
        on: index of the object's support, -1 for none.
        carried: whether a hand holds the object and nothing else supports it.
    """

    def __init__(self, thresholds: Thresholds, support: int) -> None:
        self._limits = thresholds
        self.held, self.on, self.carried = -1, support, False
        self._holder = Debouncer(thresholds.hold_dwell_ns, -1)
        self._support = Debouncer(thresholds.clear_dwell_ns, support)
        self._rest = RestDetector(thresholds.rest_distance, thresholds.rest_turn)
        self._fall = FallDetector()
        self._phase = _Phase.LYING
        self._stood_on = support
        self._grasped_on = support
        self._hand = -1
        self._lifted = False
        self._lost = self._in_air = False
        self._meant = True
        self._least_fall: float | None = None
        self._clear_since_ns: int | None = None
        self._last_ns = 0

    def update(self, seen: Observation) -> list[Transition]:
        """Update with an observation; returns the transitions, oldest first."""
        transitions: list[Transition] = []
        if self._support.update(seen.time_ns, seen.support):
            self.on = self._support.value
        self._rest.update(seen.time_ns, seen.pose)
        before = self.held
        self._fall.update(seen.time_ns, seen.pose[2], before >= 0 and seen.holder == before)
        if self._holder.update(seen.time_ns, seen.holder):
            self.held = self._holder.value
            if before >= 0:
                transitions.append(self._release(before, seen))
            if self.held >= 0:
                transitions.append(self._grasp())
        if self._phase is _Phase.HELD:
            transitions += self._watch_lift(seen)
        elif self._phase is _Phase.LOOSE:
            transitions += self._watch_rest(seen)
        if self.on >= 0:
            self._stood_on = self.on
        self.carried = self.held >= 0 and self.on < 0
        return transitions

    def _transition(self, name: str, time_ns: int, hand: int, support: int) -> Transition:
        # Stamps never decrease, although the transitions have different dwell times.
        self._last_ns = max(self._last_ns, time_ns)
        return Transition(name, self._last_ns, hand, support)

    def _grasp(self) -> Transition:
        self._phase = _Phase.HELD
        self._grasped_on = self.on
        self._lifted = False
        self._clear_since_ns = None
        return self._transition("grasped", self._holder.since_ns, self.held, self.on)

    def _release(self, hand: int, seen: Observation) -> Transition:
        self._phase = _Phase.LOOSE
        self._hand = hand
        self._lost = seen.holder < 0 and not seen.let_go
        self._meant = seen.meant and not self._lost
        self._in_air = self.on < 0
        self._least_fall = None
        if self._in_air:
            self._stood_on = -1
            self._least_fall = self._limits.drop_height
        if self._lost:
            self._least_fall = MIN_FALL
        name = "lost" if self._lost else "released"
        return self._transition(name, self._holder.since_ns, hand, self.on)

    def _watch_lift(self, seen: Observation) -> list[Transition]:
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
        return [self._transition("picked_up", self._clear_since_ns, self.held, stood_on)]

    def _watch_rest(self, seen: Observation) -> list[Transition]:
        since_ns = max(self._rest.since_ns, self._holder.since_ns)
        rests = self.on >= 0 and seen.time_ns - since_ns >= self._limits.rest_ns
        dropped = self._watch_fall(seen, rests)
        if not rests:
            return dropped
        self._phase = _Phase.LYING
        if self._lost or (not self._lifted and self.on == self._grasped_on):
            return dropped  # no hand put it there, or it has never left its support
        since_ns = max(since_ns, self._support.since_ns)
        return [*dropped, self._transition("put_down", since_ns, self._hand, self.on)]

    def _watch_fall(self, seen: Observation, rests: bool) -> list[Transition]:
        height, min_height = self._fall.height, self._least_fall
        if min_height is None or not (rests or self._fall.is_over(seen.time_ns)):
            return []
        # An object lost in the air that lies on something was dropped, however low.
        if height < min_height and not (rests and self._lost and self._in_air):
            return []
        self._least_fall = None
        since_ns = self._holder.since_ns
        stamp_ns = max(since_ns, self._fall.level_since_ns)
        fall = Fall(max(height, 0.0), since_ns, self._meant)
        return [self._transition("dropped", stamp_ns, self._hand, -1)._replace(fall=fall)]
