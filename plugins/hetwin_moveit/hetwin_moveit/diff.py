"""What has to be changed in a planning scene, so that it is as the twin believes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from hetwin_moveit.believed import Placed

MOVED_M = 0.0005
TURNED_RAD = 0.001
PADDED_M = 0.001
"""Smaller changes than these are not sent."""


@dataclass(frozen=True, slots=True)
class Diff:
    """Names of the objects that change.

    Attributes:
        added: in the world, with their shapes; they may be there already.
        moved: in the world.
        removed: from the world.
        attached: to a hand, with their shapes; they may hang there already.
        detached: from a hand, by whose name they are found.
    """

    added: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    attached: tuple[str, ...] = ()
    detached: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.added or self.moved or self.removed or self.attached or self.detached)


def changes(before: Mapping[str, Placed], now: Mapping[str, Placed]) -> Diff:
    """Return what changes from one state of a planning scene to another.

    Args:
        before: as it was sent last; empty for a planning scene that has nothing of the twin's.
        now: as it should be.
    """
    added: list[str] = []
    moved: list[str] = []
    attached: list[str] = []
    detached: dict[str, str] = {}
    for name, placed in now.items():
        last = before.get(name)
        let_go = last is not None and last.hand and last.hand != placed.hand
        if last is not None and let_go:
            detached[name] = last.hand
        if last is not None and not let_go and last.hand == placed.hand:
            if not _differs(last, placed):
                continue
            if not placed.hand and last.padding == placed.padding and last.frame == placed.frame:
                moved.append(name)
                continue
        (attached if placed.hand else added).append(name)
    gone = [name for name in before if name not in now]
    detached |= {name: before[name].hand for name in gone if before[name].hand}
    return Diff(tuple(added), tuple(moved), tuple(gone), tuple(attached), detached)


def sent(before: Mapping[str, Placed], now: Mapping[str, Placed], diff: Diff) -> dict[str, Placed]:
    """Return what a planning scene holds after a change: what did not change enough is as it was."""
    changed = {*diff.added, *diff.moved, *diff.attached}
    return {name: placed if name in changed else before[name] for name, placed in now.items()}


def _differs(last: Placed, placed: Placed) -> bool:
    turned = 2.0 * np.arccos(min(1.0, abs(float(last.pose[3:7] @ placed.pose[3:7]))))
    return bool(
        last.frame != placed.frame
        or np.linalg.norm(last.pose[:3] - placed.pose[:3]) > MOVED_M
        or turned > TURNED_RAD
        or abs(last.padding - placed.padding) > PADDED_M
    )
