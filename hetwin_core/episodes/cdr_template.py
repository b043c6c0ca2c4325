"""Messages that are serialized once, and whose numbers are then replaced.

A message whose texts and lengths stay the same has its numbers always in the same places. Writing them there
takes a few microseconds; building and serializing the message takes ten times as long.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hetwin_core.episodes.messages import message, typestore

_CDR_HEADER = 4
_MARK_SEC, _MARK_NANOSEC = 0x5A17_30E5, 0x3B9A_0C4D
_FIRST_MARKS: dict[type, float] = {
    np.float64: -(2.0**1000),
    np.float32: -(2.0**124),
    np.int32: -0x0B00_0000,
    np.uint64: 0xF51C_0DE5_0000_0000,
}
"""The first byte of each is none of UTF-8 and the last four of a float64 are 0: texts and other marks differ."""

Number: TypeAlias = Any
"""Of the types of `_FIRST_MARKS`; NumPy's classes have no common type that says so."""


class _Blank(NamedTuple):
    dtype: type
    marks: NDArray[Any]
    is_one: bool = False


class Blanks:
    """Numbers of a message that is made now, and that are filled in later.

    Attributes:
        stamp: for all stamps of the message.
    """

    def __init__(self) -> None:
        self.stamp = message("builtin_interfaces/msg/Time", sec=_MARK_SEC, nanosec=_MARK_NANOSEC)
        self.given: list[_Blank] = []
        self._count = 0

    def numbers(self, count: int, dtype: type = np.float64) -> NDArray[Any]:
        """Return so many marks to be put into the message, in the order in which their numbers will be given."""
        first, places = _FIRST_MARKS[dtype], np.arange(self._count, self._count + count)
        self._count += count
        if issubclass(dtype, np.floating):
            marks: NDArray[Any] = (first * (1.0 - places * 2.0**-21)).astype(dtype)
        else:
            marks = np.array(first, dtype) + places.astype(dtype)
        self.given.append(_Blank(dtype, marks))
        return marks

    def number(self, dtype: type = np.float64) -> Any:
        """Return one mark; its number will be given as one, not as an array."""
        mark = self.numbers(1, dtype).item()
        self.given[-1] = self.given[-1]._replace(is_one=True)
        return mark


class CdrTemplate:
    """A serialized message with places for its numbers.

    CDR aligns every number to its own size, counted from the end of the four-byte header; so the body can be
    seen as an array of any one type.

    Args:
        typename: of the message.
        make: makes it, with blanks in the places of its numbers.

    Raises:
        ValueError: if a blank is not in the message exactly once.
    """

    def __init__(self, typename: str, make: Callable[[Blanks], object]) -> None:
        blanks = Blanks()
        data = bytes(typestore().serialize_cdr(make(blanks), typename))
        padding = -(len(data) - _CDR_HEADER) % 8
        self._buffer = bytearray(data + bytes(padding))
        self._data = memoryview(self._buffer)[: len(data)].toreadonly()
        self._words = self._view(np.int32)
        self._sec = _one_or_many(self._words == _MARK_SEC)
        self._nanosec = _one_or_many(self._words == _MARK_NANOSEC)
        self._parts = [self._part(blank) for blank in blanks.given]

    def _view(self, dtype: type) -> NDArray[Any]:
        return np.frombuffer(self._buffer, dtype, offset=_CDR_HEADER)

    def _part(self, blank: _Blank) -> tuple[NDArray[Any], Any]:
        """A view on the message, and where in it the numbers of a blank are."""
        view, marks = self._view(blank.dtype), blank.marks
        if not len(marks):
            return view, slice(0, 0)
        with np.errstate(invalid="ignore"):  # the view has texts, too
            places = np.flatnonzero((view >= marks[0]) & (view <= marks[-1]))
        places = places[np.argsort(view[places])]
        if not np.array_equal(view[places], marks):
            raise ValueError("a number of a template is not in its message exactly once")
        if blank.is_one:
            return view, int(places[0])
        if len(places) == places[-1] - places[0] + 1 and (np.diff(places) == 1).all():
            return view[places[0] : places[-1] + 1], slice(None)
        return view, places

    def fill(self, time_ns: int, *numbers: Number) -> memoryview:
        """Put a time into all stamps, and numbers into all blanks.

        Args:
            time_ns: the time.
            numbers: for each blank, in the order in which they were made.

        Returns:
            The serialized message, valid until the next call.
        """
        self._words[self._sec], self._words[self._nanosec] = divmod(time_ns, 1_000_000_000)
        for (view, places), values in zip(self._parts, numbers, strict=True):
            view[places] = values
        return self._data

    def is_filled_with(self, *numbers: Number) -> bool:
        """Whether these numbers are in it already, equal to the bit."""
        return all(
            view[places].tobytes() == np.asarray(values, view.dtype).tobytes()
            for (view, places), values in zip(self._parts, numbers, strict=True)
        )


def _one_or_many(found: NDArray[np.bool_]) -> Any:
    """Where a mark is; a single place as an integer, with which NumPy is much faster."""
    places = np.flatnonzero(found)
    return int(places[0]) if len(places) == 1 else places
