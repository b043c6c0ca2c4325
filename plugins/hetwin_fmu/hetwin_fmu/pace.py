"""Divides a step of the model into communication steps of the FMU."""

from __future__ import annotations

import math

from hetwin_fmu.archive import Archive
from hetwin_fmu.instance import UnitFailed

_ROUNDING_S = 1e-8
"""Difference below which two steps count as equal, as times are rounded to nanoseconds [s]."""


class Pace:
    """Divides steps of the model into communication steps.

    Args:
        archive: the FMU, which may require equal steps.
        longest: maximum communication step [s]; None: the model's step.
    """

    def __init__(self, archive: Archive, longest: float | None) -> None:
        self._longest = longest
        self._varies = archive.step_varies
        self._own = archive.own_step
        self._first: float | None = None

    def times(self, begin_ns: int, end_ns: int) -> list[float]:
        """Return the communication points of a step, including its begin and end [s].

        Raises:
            UnitFailed: if the FMU requires equal steps, and these would differ from the first one.
        """
        period = (end_ns - begin_ns) / 1e9
        wanted = self._longest
        if not self._varies and self._first is not None:
            wanted = self._first
        count = 1 if wanted is None else max(1, math.ceil(period / wanted - _ROUNDING_S / wanted))
        size = period / count
        if self._first is None:
            self._first = size
        elif not self._varies and abs(size - self._first) > _ROUNDING_S:
            raise UnitFailed(
                f"its steps must all be as long as the first, {self._first:g} s; a step of {period:g} s was asked for"
            )
        return [(begin_ns + (end_ns - begin_ns) * i // count) / 1e9 for i in range(count + 1)]

    def note(self) -> str:
        """Return a note if the FMU's internal steps do not divide the communication steps; otherwise empty."""
        own, size = self._own, self._first
        if own is None or size is None:
            return ""
        count = round(size / own)
        if count >= 1 and abs(count * own - size) <= _ROUNDING_S:
            return ""
        return (
            f"its own steps are {own:g} s, which do not divide its communication steps of {size:g} s: its outputs may"
            f" be up to {own:g} s old"
        )
