"""The first recording in an order whose outcome is another than that of the first one, in about log2 N replays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from hetwin_night.recordings import Recording
from hetwin_night.row import Row


@dataclass(frozen=True, slots=True)
class Bisected:
    """What was found.

    Attributes:
        first: row of the first recording.
        changed: row of the first one found whose outcome differs; None: the last one's is the same.
        before: name of the recording before it.
        flips: how often the outcome changes along the recordings that were looked at; above 1 there are several
            changes, and `changed` is one of them.
        looked_at: how many recordings were judged.
        of: how many there are.
    """

    first: Row
    changed: Row | None
    before: str
    flips: int
    looked_at: int
    of: int

    @property
    def lines(self) -> list[str]:
        """What was found, in words."""
        if self.changed is None:
            same = f"{self.first.name} is {self.first.outcome}, and so is the last of {self.of} recordings"
            return [f"{same}; {self.looked_at} were looked at"]
        because = f": {self.changed.first}" if self.changed.first else ""
        said = [
            f"{self.changed.name} is the first that is {self.changed.outcome}{because}",
            f"{self.before} before it is {self.first.outcome}; {self.looked_at} of {self.of} were looked at",
        ]
        if self.flips > 1:
            said.append(
                f"the outcome changed {self.flips} times among those: this is one of several changes"
            )
        return said


def bisect(recordings: Sequence[Recording], judge: Callable[[Recording], Row]) -> Bisected:
    """Find where the outcome changes.

    Args:
        recordings: in order; at least one.
        judge: returns the row of one.
    """
    seen: dict[int, Row] = {}

    def outcome(index: int) -> str:
        if index not in seen:
            seen[index] = judge(recordings[index])
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
    outcomes = [seen[index].outcome for index in sorted(seen)]
    flips = sum(a != b for a, b in pairwise(outcomes))
    return Bisected(seen[0], found, recordings[same].name, flips, len(seen), len(recordings))
