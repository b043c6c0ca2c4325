"""Parts of messages as ROS 2 serializes them (little-endian CDR), for decoders of single types."""

from __future__ import annotations

import struct

STAMP = struct.Struct("<iI")
COUNT = struct.Struct("<I")
ORIGIN = 4
"""CDR aligns relative to the end of the four-byte encapsulation header."""
LITTLE_ENDIAN = b"\x00\x01"


class Undecodable(Exception):
    """The payload does not match its type."""


def string(raw: bytes, offset: int) -> tuple[str, int]:
    """Return the string at an offset, and the offset of its end.

    Raises:
        Undecodable: if there is none.
    """
    (length,) = COUNT.unpack_from(raw, offset)
    end = offset + 4 + length
    if length == 0 or end > len(raw) or raw[end - 1] != 0:
        raise Undecodable(f"no string ends at byte {end}")
    return raw[offset + 4 : end - 1].decode(), end


def aligned(offset: int, size: int) -> int:
    """Return the first offset from this one on that is aligned to a size."""
    return (offset - ORIGIN + size - 1) // size * size + ORIGIN
