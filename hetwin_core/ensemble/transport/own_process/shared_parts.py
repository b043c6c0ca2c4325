"""Memory that two processes share, for what is sent at every step."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Sequence
from typing import TypeAlias

from hetwin_core.ensemble.errors import HetwinError

ROOM = 1 << 26
"""Bytes of one message at most; memory that is never written to takes none of the machine's."""
_COUNT = struct.Struct("<q")

Part: TypeAlias = memoryview | bytes
"""Bytes of one part of a message."""


class TooLarge(HetwinError):
    """A message does not fit."""


class SharedParts:
    """Room for one message: a list of parts, each of any number of bytes.

    Only one process writes at a time, and says by other means when the other may read. The memory has no name, so that
    nothing is left behind however the processes end.

    Args:
        room: bytes that it has.
        file: descriptor of the memory; by default it is new, and shared with processes that are forked from now on.
    """

    def __init__(self, room: int = ROOM, file: int = -1) -> None:
        self._memory = memoryview(mmap.mmap(file, room))

    def write(self, parts: Sequence[Part]) -> None:
        """Replace the message.

        Raises:
            TooLarge: if there is no room for it.
        """
        memory = self._memory
        sizes = [len(part) for part in parts]
        head = struct.pack(f"<{len(parts) + 1}q", len(parts), *sizes)
        at = len(head)
        if at + sum(sizes) > len(memory):
            raise TooLarge(f"it has {sum(sizes)} bytes; expected at most {len(memory) - at}")
        memory[:at] = head
        for part, size in zip(parts, sizes, strict=True):
            memory[at : at + size] = part
            at += size

    def read(self) -> list[bytes]:
        """A copy of the message."""
        memory = self._memory
        (count,) = _COUNT.unpack_from(memory)
        sizes = struct.unpack_from(f"<{count}q", memory, _COUNT.size)
        at = _COUNT.size * (count + 1)
        parts = []
        for size in sizes:
            parts.append(bytes(memory[at : at + size]))
            at += size
        return parts
