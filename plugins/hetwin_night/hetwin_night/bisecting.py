"""Finds the first of ordered recordings whose outcome differs from the first one, in about log2 N replays."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from hetwin_night.recordings import Recording
from hetwin_night.row import Row


@dataclass(frozen=True, slots=True)
class BisectResult:
    """The result of `bisect`.

    Attributes:
        first: row of the first recording.
        changed: row of the first recording found with another outcome; None if the last one has the same outcome.
        before: name of the recording before `changed`.
        flips: number of outcome changes along the judged recordings; above 1, `changed` is just one of several changes.
        looked_at: number of judged recordings.
        of: number of recordings.
    """

    first: Row
    changed: Row | None
    before: str
    flips: int
    looked_at: int
    of: int

    @property
    def lines(self) -> list[str]:
        """The result as lines of text."""
        if self.changed is None:
            same = f"{self.first.name} is {self.first.outcome}, and so is the last of {self.of} recordings"
            return [f"{same}; {self.looked_at} were looked at", *self._several]
        because = f": {self.changed.first}" if self.changed.first else ""
        return [
            f"{self.changed.name} is the first that is {self.changed.outcome}{because}",
            f"{self.before} before it is {self.first.outcome}; {self.looked_at} of {self.of} were looked at",
            *self._several,
        ]

    @property
    def _several(self) -> list[str]:
        if self.flips <= 1:
            return []
        return [f"the outcome changes {self.flips} times among those: there are several changes"]


def bisect(
    recordings: Sequence[Recording],
    judge: Callable[[Recording], Row],
    known: Callable[[Recording], Row | None] = lambda _: None,
) -> BisectResult:
    """Find the first change of the outcome by bisection.

    Bisection alone cannot detect that the outcome changes more than once. Replays that it leaves over, of a budget of
    log2 N + 2, are spent on the middles of the widest gaps.

    Args:
        recordings: at least one recording, in order.
        judge: replays a recording, and returns its row.
        known: returns the row of a recording that was judged before; None if there is none.
    """
    seen = {i: row for i, one in enumerate(recordings) if (row := known(one)) is not None}
    looks = 0

    def outcome(index: int) -> str:
        nonlocal looks
        if index not in seen:
            seen[index] = judge(recordings[index])
            looks += 1
        return seen[index].outcome

    same, other = 0, len(recordings) - 1
    wanted = outcome(0)
    found = None
    if outcome(other) != wanted:
        while other - same > 1:
            middle = (same + other) // 2
            if outcome(middle) == wanted:
                same = middle
            else:
                other = middle
        found = seen[other]
    while looks < math.ceil(math.log2(len(recordings))) + 2:
        a, b = max(pairwise(sorted(seen)), key=lambda gap: gap[1] - gap[0], default=(0, 0))
        if b - a < 2:
            break
        outcome((a + b) // 2)
    outcomes = [seen[index].outcome for index in sorted(seen)]
    flips = sum(a != b for a, b in pairwise(outcomes))
    return BisectResult(seen[0], found, recordings[same].name, flips, len(seen), len(recordings))
