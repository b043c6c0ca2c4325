"""Decodes messages directly from the payload in CDR: parts of any type, and sensor_msgs/msg/JointState.

A general decoder creates new objects and strings for each message (about 0.1 ms for 30 joints, half a minute for an
hour at 100 Hz). The names hardly ever change, so this decoder compares them as bytes, and the numbers stay bytes until
all messages are read.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

STAMP = struct.Struct("<iI")
COUNT = struct.Struct("<I")
ORIGIN = 4
"""Offset of the CDR payload; alignment is relative to the end of the four-byte encapsulation header."""
LITTLE_ENDIAN = b"\x00\x01"


class DecodeError(Exception):
    """The payload does not match its type."""


def read_string(raw: bytes, offset: int) -> tuple[str, int]:
    """Return the string at an offset, and the offset of its end.

    Raises:
        DecodeError: if there is no string.
    """
    (length,) = COUNT.unpack_from(raw, offset)
    end = offset + 4 + length
    if length == 0 or end > len(raw) or raw[end - 1] != 0:
        raise DecodeError(f"no string ends at byte {end}")
    return raw[offset + 4 : end - 1].decode(), end


def align(offset: int, size: int) -> int:
    """Return the first aligned offset that is not before this one."""
    return (offset - ORIGIN + size - 1) // size * size + ORIGIN


_AFTER_STAMP = ORIGIN + STAMP.size
_MAX_LAYOUTS = 8


class JointSample(NamedTuple):
    """One message: stamp [ns], joint names, and float64 numbers as bytes (empty if not recorded)."""

    stamp_ns: int
    names: tuple[str, ...]
    positions: bytes
    efforts: bytes


class _PayloadLayout(NamedTuple):
    """The layout that payloads with the same names, length and counts share."""

    length: int
    names: tuple[str, ...]
    begin: bytes
    velocity_count: bytes
    velocities_at: int
    effort_count: bytes
    efforts_at: int
    positions: slice
    efforts: slice

    def fits(self, raw: bytes) -> bool:
        """Whether a payload has this layout: the same length, names and counts."""
        return (
            len(raw) == self.length
            and raw.startswith(self.begin, _AFTER_STAMP)
            and raw.startswith(self.velocity_count, self.velocities_at)
            and raw.startswith(self.effort_count, self.efforts_at)
        )


class JointMessageDecoder:
    """Decodes JointState messages."""

    def __init__(self) -> None:
        self._layouts: list[_PayloadLayout] = []

    def decode(self, raw: bytes) -> JointSample:
        """Decode stamp, names, positions and efforts of a message (little-endian CDR).

        Raises:
            DecodeError: if the payload is truncated, too long, or not a JointState.
        """
        if raw[:2] != LITTLE_ENDIAN:
            raise DecodeError(f"it begins with {raw[:4]!r}, expected little-endian CDR")
        for layout in self._layouts:
            if layout.fits(raw):
                break
        else:
            layout = self._add_layout(raw)
        seconds, nanoseconds = STAMP.unpack_from(raw, ORIGIN)
        stamp = seconds * 1_000_000_000 + nanoseconds
        return JointSample(stamp, layout.names, raw[layout.positions], raw[layout.efforts])

    def _add_layout(self, raw: bytes) -> _PayloadLayout:
        try:
            layout = _read_layout(raw)
        except (struct.error, UnicodeDecodeError) as error:
            raise DecodeError(str(error)) from error
        self._layouts.insert(0, layout)
        del self._layouts[_MAX_LAYOUTS:]
        return layout


def _read_layout(raw: bytes) -> _PayloadLayout:
    names, offset = _read_names(raw)
    positions_at = align(offset, 4)
    positions = _numbers(raw, positions_at)
    velocities_at = align(positions.stop, 4)
    efforts_at = align(_numbers(raw, velocities_at).stop, 4)
    efforts = _numbers(raw, efforts_at)
    if len(raw) > efforts.stop + 3:
        raise DecodeError(f"{len(raw) - efforts.stop} bytes are left over")
    return _PayloadLayout(
        length=len(raw),
        names=names,
        begin=raw[_AFTER_STAMP : positions_at + 4],
        velocity_count=raw[velocities_at : velocities_at + 4],
        velocities_at=velocities_at,
        effort_count=raw[efforts_at : efforts_at + 4],
        efforts_at=efforts_at,
        positions=positions,
        efforts=efforts,
    )


def _read_names(raw: bytes) -> tuple[tuple[str, ...], int]:
    _, offset = read_string(raw, _AFTER_STAMP)
    offset = align(offset, 4)
    (count,) = COUNT.unpack_from(raw, offset)
    offset += 4
    names = []
    for _ in range(count):
        name, offset = read_string(raw, align(offset, 4))
        names.append(name)
    return tuple(names), offset


def _numbers(raw: bytes, offset: int) -> slice:
    """Return the byte range of the numbers in a float64 sequence, which starts with its count."""
    (count,) = COUNT.unpack_from(raw, offset)
    begin = offset + 4 if count == 0 else align(offset + 4, 8)
    end = begin + 8 * count
    if end > len(raw):
        raise DecodeError(f"it ends at byte {len(raw)}, its numbers at byte {end}")
    return slice(begin, end)
