"""Differences between a planning scene and the twin's belief."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from hetwin_moveit.believed import PlacedObject

MIN_TRANSLATION_M = 0.0005
MIN_ROTATION_RAD = 0.001
MIN_PADDING_CHANGE_M = 0.001
"""Thresholds for the translation, rotation and padding of an object; smaller changes are not sent."""


@dataclass(frozen=True, slots=True)
class Diff:
    """Names of the objects that change.

    Attributes:
        added: objects to add to the world with their shapes, or to replace there.
        moved: objects of the world that have new poses.
        removed: objects to remove from the world.
        attached: objects to attach to a hand with their shapes, or to replace there.
        detached: object -> the hand to detach it from.
    """

    added: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    attached: tuple[str, ...] = ()
    detached: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.added or self.moved or self.removed or self.attached or self.detached)


def difference(sent: Mapping[str, PlacedObject], wanted: Mapping[str, PlacedObject]) -> Diff:
    """Return the difference between two states of a planning scene.

    Args:
        sent: the state that was sent last; empty if nothing was sent yet.
        wanted: the state that is wanted.
    """
    added: list[str] = []
    moved: list[str] = []
    attached: list[str] = []
    detached: dict[str, str] = {}
    for name, placed in wanted.items():
        last = sent.get(name)
        released = last is not None and last.hand and last.hand != placed.hand
        if last is not None and released:
            detached[name] = last.hand
        if last is not None and not released and last.hand == placed.hand:
            if not _differs(last, placed):
                continue
            if not placed.hand and last.padding == placed.padding and last.frame == placed.frame:
                moved.append(name)
                continue
        (attached if placed.hand else added).append(name)
    removed = [name for name in sent if name not in wanted]
    detached |= {name: sent[name].hand for name in removed if sent[name].hand}
    return Diff(tuple(added), tuple(moved), tuple(removed), tuple(attached), detached)


def state_after(
    sent: Mapping[str, PlacedObject], wanted: Mapping[str, PlacedObject], diff: Diff
) -> dict[str, PlacedObject]:
    """Return the state of a planning scene after a difference; objects that are not in it keep their old state."""
    changed = {*diff.added, *diff.moved, *diff.attached}
    return {name: placed if name in changed else sent[name] for name, placed in wanted.items()}


def _differs(last: PlacedObject, placed: PlacedObject) -> bool:
    rotation = 2.0 * np.arccos(min(1.0, abs(float(last.pose[3:7] @ placed.pose[3:7]))))
    return bool(
        last.frame != placed.frame
        or np.linalg.norm(last.pose[:3] - placed.pose[:3]) > MIN_TRANSLATION_M
        or rotation > MIN_ROTATION_RAD
        or abs(last.padding - placed.padding) > MIN_PADDING_CHANGE_M
    )
