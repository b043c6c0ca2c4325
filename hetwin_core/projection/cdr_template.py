"""Messages that are serialized once, and whose numbers are then replaced.

A message whose texts and lengths stay the same has its numbers always in the same places. Writing them there
takes a few microseconds; building and serializing the message takes ten times as long.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hetwin_core.projection.messages import message, typestore

_CDR_HEADER = 4

MARK_SEC = 0x5A17_30E5
MARK_NANOSEC = 0x3B9A_0C4D
"""Put these into the stamps of the message that a template is made from."""


class CdrTemplate:
    """A serialized message with views on its numbers.

    CDR aligns every number to its own size, counted from the end of the four-byte header; so the body can be
    seen as an array of any one type.

    Args:
        example: the message, with marks in the places to be found.
        typename: its type.
    """

    def __init__(self, example: object, typename: str) -> None:
        data = bytes(typestore().serialize_cdr(example, typename))
        self._length = len(data)
        padding = -(len(data) - _CDR_HEADER) % 8
        self._buffer = bytearray(data + bytes(padding))
        self.data = memoryview(self._buffer)[: self._length]
        self.float64: NDArray[np.float64] = self._view(np.float64)
        self.uint64: NDArray[np.uint64] = self._view(np.uint64)
        self.uint32: NDArray[np.uint32] = self._view(np.uint32)
        self.float32: NDArray[np.float32] = self._view(np.float32)
        self.int32: NDArray[np.int32] = self._view(np.int32)
        self._sec = self._one_or_many(MARK_SEC)
        self._nanosec = self._one_or_many(MARK_NANOSEC)

    def _view(self, dtype: Any) -> Any:
        return np.frombuffer(self._buffer, dtype, offset=_CDR_HEADER)

    @staticmethod
    def _places(view: NDArray[Any], mark: float) -> NDArray[np.intp]:
        return np.flatnonzero(view == mark)

    def _one_or_many(self, mark: float) -> Any:
        """Where a mark stands in `uint32`; a single place as an integer, with which NumPy is much faster."""
        places = self._places(self.uint32, mark)
        return int(places[0]) if len(places) == 1 else places

    def place(self, view: NDArray[Any], mark: float) -> int:
        """Index in `view` of a mark that stands in the message exactly once."""
        (index,) = self._places(view, mark)
        return int(index)

    def set_stamps(self, time_ns: int) -> None:
        """Write a time into all stamps."""
        sec, nanosec = divmod(time_ns, 1_000_000_000)
        self.uint32[self._sec] = sec
        self.uint32[self._nanosec] = nanosec


def marked_stamp() -> Any:
    """A stamp for the message that a template is made from."""
    return message("builtin_interfaces/msg/Time", sec=MARK_SEC, nanosec=MARK_NANOSEC)
