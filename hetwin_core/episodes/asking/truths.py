"""When a term is true, and when it is false; what is neither is not known."""

from __future__ import annotations

from typing import NamedTuple

from hetwin_core.episodes.asking.intervals import NEVER, Intervals
from hetwin_core.episodes.tables.rows import Interval


class Truths(NamedTuple):
    """When something is true and when it is false, as Kleene's logic of three values has it.

    Attributes:
        true: when it is true.
        false: when it is false.
    """

    true: Intervals
    false: Intervals

    @classmethod
    def known(cls, true: Intervals, span: Interval) -> Truths:
        """Return that something is false in an interval except when it is true."""
        return cls(true, true.complement(span))

    def __sub__(self, unseen: Intervals) -> Truths:
        """Return the same, but not known where it is false and nobody could see it."""
        return Truths(self.true, self.false - unseen)

    def __and__(self, other: Truths) -> Truths:
        return Truths(self.true & other.true, self.false | other.false)

    def __or__(self, other: Truths) -> Truths:
        return Truths(self.true | other.true, self.false & other.false)

    def __invert__(self) -> Truths:
        return Truths(self.false, self.true)

    def at(self, time_ns: int) -> bool | None:
        """Return whether it is true at a moment; None if that is not known."""
        if time_ns in self.true:
            return True
        return False if time_ns in self.false else None

    def during(self, span: Interval) -> bool | None:
        """Return whether it is true some time in an interval."""
        if self.true.overlaps(span):
            return True
        return False if self.false.covers(span) else None

    def throughout(self, span: Interval) -> bool | None:
        """Return whether it is true all of an interval."""
        if self.false.overlaps(span):
            return False
        return True if self.true.covers(span) else None


UNKNOWN = Truths(NEVER, NEVER)
"""Nothing is known."""
