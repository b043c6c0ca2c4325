"""Tracking of things from message to message: association, confirmation and disappearance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from hetwin_suite.model import Floats

GAIN = 0.4
"""Weight of a new detection in the filtered position."""


@dataclass(slots=True, eq=False)
class Thing:
    """A tracked thing.

    Attributes:
        kind: class id or name in the last detection.
        pose: (7,) in the world.
        size: (3,) sides of the bounding box [m].
        covariance: (6, 6), along the world's axes.
        seen: number of detections.
        missed: number of consecutive messages without a detection.
        slot: index of the object that represents the thing; None if there is none.
        hand: hand that closed on the thing unseen; empty if a detector has seen it.
    """

    kind: str
    pose: Floats
    size: Floats
    covariance: Floats
    seen: int = 1
    missed: int = 0
    slot: int | None = None
    hand: str = ""


@dataclass(slots=True)
class TrackChanges:
    """Changes of the tracked things.

    Attributes:
        appeared: things that were confirmed.
        vanished: things that disappeared, each with the reason.
    """

    appeared: list[Thing] = field(default_factory=list)
    vanished: list[tuple[Thing, str]] = field(default_factory=list)


class Things:
    """Tracks things from message to message.

    Args:
        gate: maximum distance between two detections of the same thing [m].
        confirmations: number of detections after which a thing is confirmed.
        misses: number of consecutive misses after which a thing is removed.
    """

    def __init__(self, gate: float, confirmations: int, misses: int) -> None:
        self._gate, self._confirmations, self._misses = gate, confirmations, misses
        self.all: list[Thing] = []

    def update(
        self,
        seen: Sequence[Thing],
        *,
        is_whole: bool,
        kind_identifies: bool,
        kept_slots: Sequence[int],
    ) -> TrackChanges:
        """Update the tracks with one message.

        Args:
            seen: detections, in the world frame.
            is_whole: whether things that are not in the message count as missed.
            kind_identifies: whether the kind alone identifies a thing.
            kept_slots: slots of things that stay without detections, such as in a hand.
        """
        changed = TrackChanges()
        pairs = self._pairs(seen, kind_identifies)
        for index, thing in pairs.items():
            self._update(thing, seen[index])
        for thing in (
            [thing for thing in self.all if thing not in pairs.values()] if is_whole else ()
        ):
            if (thing.slot is not None and thing.slot in kept_slots) or (
                kind_identifies and thing.hand
            ):
                continue
            thing.missed += 1
            if thing.slot is None or thing.missed >= self._misses:
                self.all.remove(thing)
                if thing.slot is not None:
                    changed.vanished.append(
                        (thing, f"it was not seen {thing.missed} times in a row")
                    )
        self.all += [detection for index, detection in enumerate(seen) if index not in pairs]
        needed = 1 if kind_identifies else self._confirmations
        changed.appeared = [
            thing for thing in self.all if thing.slot is None and thing.seen >= needed
        ]
        return changed

    def drop(self, kinds: Sequence[str], reason: str) -> TrackChanges:
        """Remove all things of some kinds."""
        return self.remove([thing for thing in self.all if thing.kind in kinds], reason)

    def at(self, position: Floats) -> Thing | None:
        """Return the nearest represented thing within half the gate of a position (3,) [m]; None if there is none."""
        candidates = [
            (float(np.linalg.norm(thing.pose[:3] - position)), number)
            for number, thing in enumerate(self.all)
            if thing.slot is not None
        ]
        distance, number = min(candidates, default=(np.inf, -1))
        return self.all[number] if distance <= self._gate / 2.0 else None

    def remove(self, things: Sequence[Thing], reason: str) -> TrackChanges:
        """Remove some of the things."""
        changed = TrackChanges()
        for thing in things:
            self.all.remove(thing)
            if thing.slot is not None:
                changed.vanished.append((thing, reason))
        return changed

    def _pairs(self, seen: Sequence[Thing], kind_identifies: bool) -> dict[int, Thing]:
        """Associate detections (by index) with tracked things, nearest pairs first."""
        rows = []
        for index, detection in enumerate(seen):
            for number, thing in enumerate(self.all):
                distance = float(np.linalg.norm(detection.pose[:3] - thing.pose[:3]))
                if (detection.kind == thing.kind) if kind_identifies else (distance <= self._gate):
                    rows.append((distance, index, number))
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
