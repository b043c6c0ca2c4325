"""Which of the things that were seen is which, from when on one is there, and until when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from hetwin_suite.model import Floats

GAIN = 0.4
"""Share of what is seen in what is believed of a position."""


@dataclass(slots=True, eq=False)
class Thing:
    """A thing that was seen.

    Attributes:
        kind: class id or name that it was seen with.
        pose: (7,) in the world.
        size: (3,) of its box [m].
        covariance: (6, 6), along the world's axes.
        seen: how often.
        missed: how often in a row it was not.
        place: index of the object that stands for it; None: none does.
        hand: that closed on it unseen; empty if it was seen.
    """

    kind: str
    pose: Floats
    size: Floats
    covariance: Floats
    seen: int = 1
    missed: int = 0
    place: int | None = None
    hand: str = ""


@dataclass(slots=True)
class Told:
    """What has changed.

    Attributes:
        appeared: that are there from now on.
        vanished: that are there no more, with the reason.
    """

    appeared: list[Thing] = field(default_factory=list)
    vanished: list[tuple[Thing, str]] = field(default_factory=list)


class Things:
    """Follows things from message to message.

    Args:
        gate: further away than this, a thing is another one [m].
        confirmations: so often it is seen before it is there.
        misses: so often in a row it is not seen until it is gone.
    """

    def __init__(self, gate: float, confirmations: int, misses: int) -> None:
        self._gate, self._confirmations, self._misses = gate, confirmations, misses
        self.all: list[Thing] = []

    def look(self, seen: Sequence[Thing], *, whole: bool, named: bool, kept: Sequence[int]) -> Told:
        """Take in what one message has.

        Args:
            seen: things, in the world.
            whole: whether what the message has not was not seen.
            named: whether the kind alone says which thing it is.
            kept: places of things that go on without being seen, such as in a hand.
        """
        told = Told()
        pairs = self._pairs(seen, named)
        for index, thing in pairs.items():
            self._update(thing, seen[index])
        for thing in [thing for thing in self.all if thing not in pairs.values()] if whole else ():
            if (thing.place is not None and thing.place in kept) or (named and thing.hand):
                continue
            thing.missed += 1
            if thing.place is None or thing.missed >= self._misses:
                self.all.remove(thing)
                if thing.place is not None:
                    told.vanished.append((thing, f"it was not seen {thing.missed} times in a row"))
        self.all += [one for index, one in enumerate(seen) if index not in pairs]
        needed = 1 if named else self._confirmations
        told.appeared = [
            thing for thing in self.all if thing.place is None and thing.seen >= needed
        ]
        return told

    def drop(self, kinds: Sequence[str], reason: str) -> Told:
        """Take away things of some kinds."""
        return self.remove([thing for thing in self.all if thing.kind in kinds], reason)

    def at(self, position: Floats) -> Thing | None:
        """Return the nearest thing that an object stands for and that is at a position (3,) [m]; None if none is."""
        found = [
            (float(np.linalg.norm(thing.pose[:3] - position)), number)
            for number, thing in enumerate(self.all)
            if thing.place is not None
        ]
        apart, number = min(found, default=(np.inf, -1))
        return self.all[number] if apart <= self._gate / 2.0 else None

    def remove(self, things: Sequence[Thing], reason: str) -> Told:
        """Take away some of the things."""
        told = Told()
        for thing in things:
            self.all.remove(thing)
            if thing.place is not None:
                told.vanished.append((thing, reason))
        return told

    def _pairs(self, seen: Sequence[Thing], named: bool) -> dict[int, Thing]:
        """Which thing each of those seen is; the nearest pairs first."""
        rows = []
        for index, one in enumerate(seen):
            for number, thing in enumerate(self.all):
                apart = float(np.linalg.norm(one.pose[:3] - thing.pose[:3]))
                if (one.kind == thing.kind) if named else (apart <= self._gate):
                    rows.append((apart, index, number))
        pairs: dict[int, Thing] = {}
        taken: set[int] = set()
        for _, index, number in sorted(rows):
            if index not in pairs and number not in taken:
                pairs[index] = self.all[number]
                taken.add(number)
        return pairs

    def _update(self, thing: Thing, seen: Thing) -> None:
        gain = 1.0 if not seen.covariance.any() else GAIN
        thing.pose[:3] += gain * (seen.pose[:3] - thing.pose[:3])
        thing.pose[3:] = seen.pose[3:]
        if seen.size.any():
            thing.size = seen.size
        thing.covariance = seen.covariance
        thing.kind, thing.hand = seen.kind or thing.kind, ""
        thing.seen, thing.missed = thing.seen + 1, 0
