"""Finds the first recording in a sequence whose outcome differs from that of the first, in about log2 N replays."""

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
            summary = f"{self.first.name} is {self.first.outcome}, and so is the last of {self.of} recordings"
            return [f"{summary}; {self.looked_at} were judged", *self._several_changes]
        because = f": {self.changed.first}" if self.changed.first else ""
        return [
            f"{self.changed.name} is the first that is {self.changed.outcome}{because}",
            f"{self.before} before it is {self.first.outcome}; {self.looked_at} of {self.of} were judged",
            *self._several_changes,
        ]

    @property
    def _several_changes(self) -> list[str]:
        if self.flips <= 1:
            return []
        return [f"the outcome changes {self.flips} times among the judged recordings, not once"]


def bisect(
    recordings: Sequence[Recording],
    judge: Callable[[Recording], Row],
    stored_row: Callable[[Recording], Row | None] = lambda _: None,
) -> BisectResult:
    """Find the first change of the outcome by bisection.

    Bisection alone cannot detect that the outcome changes more than once. The budget is log2 N + 2 replays; those that
    bisection does not need go to the middles of the widest gaps.

    Args:
        recordings: at least one recording, in order.
        judge: replays a recording, and returns its row.
        stored_row: returns the row of a recording that was judged before; None if there is none.
    """
    seen = {i: row for i, r in enumerate(recordings) if (row := stored_row(r)) is not None}
    replays = 0

    def outcome(index: int) -> str:
        nonlocal replays
        if index not in seen:
            seen[index] = judge(recordings[index])
            replays += 1
        return seen[index].outcome

    low, high = 0, len(recordings) - 1
    first_outcome = outcome(0)
    changed = None
    if outcome(high) != first_outcome:
        while high - low > 1:
            middle = (low + high) // 2
            if outcome(middle) == first_outcome:
                low = middle
            else:
                high = middle
        changed = seen[high]
    while replays < math.ceil(math.log2(len(recordings))) + 2:
        a, b = max(pairwise(sorted(seen)), key=lambda gap: gap[1] - gap[0], default=(0, 0))
        if b - a < 2:
            break
        outcome((a + b) // 2)
    outcomes = [seen[index].outcome for index in sorted(seen)]
    flips = sum(a != b for a, b in pairwise(outcomes))
    return BisectResult(seen[0], changed, recordings[low].name, flips, len(seen), len(recordings))
