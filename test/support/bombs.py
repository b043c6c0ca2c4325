"""Builders of files that hold far more than their size: what unpacks to much, and what says that it does."""

from __future__ import annotations

import bz2
import gzip
import struct
import zipfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

import lz4.frame
from rosbags.rosbag2.storage_mcap import zstd

from hetwin_core.episodes.mcap_records import (
    CHANNEL,
    CHUNK,
    DATA_END,
    HEAD,
    MAGIC,
    MESSAGE,
    SCHEMA,
    each_record,
)

MIB = 2**20
_HEADER, _FOOTER, _UNKNOWN = 0x01, 0x02, 0x80
_PACK: Mapping[str, Callable[[bytes], bytes]] = {
    "": bytes,
    "zstd": zstd.compress,
    "lz4": lz4.frame.compress,
    "bz2": bz2.compress,
    "gzip": gzip.compress,
}


@cache
def zeros(kind: str, mib: int) -> bytes:
    """What unpacks to so many MiB of zeros: as many streams, one after another, as it has MiB."""
    return _PACK[kind](bytes(MIB)) * mib


def text(content: str) -> bytes:
    """A text as MCAP has it."""
    data = content.encode()
    return struct.pack("<I", len(data)) + data


def record(kind: int, content: bytes, length: int | None = None) -> bytes:
    """A record; `length` is what it says of its content."""
    return HEAD.pack(kind, len(content) if length is None else length) + content


def message(content: bytes = b"", time_ns: int = 0) -> bytes:
    """A message of the one topic."""
    return record(MESSAGE, struct.pack("<HIQQ", 1, 0, time_ns, time_ns) + content)


def chunk(packed: bytes, kind: str, size: int, length: int | None = None) -> bytes:
    """A chunk that says to unpack to `size` bytes."""
    head = struct.pack("<QQQI", 0, 1, size, 0) + text(kind) + struct.pack("<Q", len(packed))
    return record(CHUNK, head + packed, length)


def large_chunk(mib: int) -> bytes:
    """A chunk that unpacks to a record of so many MiB, of a kind that no reader knows."""
    packed = zstd.compress(HEAD.pack(_UNKNOWN, mib * MIB)) + zeros("zstd", mib)
    return chunk(packed, "zstd", mib * MIB + HEAD.size)


def chunk_of(content: bytes, kind: str = "zstd") -> bytes:
    """A chunk as a recorder writes it."""
    return chunk(_PACK[kind](content), kind, len(content))


def mcap(path: Path, parts: Sequence[bytes]) -> Path:
    """An MCAP file of joint states without index, with some chunks or other records."""
    schema = struct.pack("<H", 1) + text("sensor_msgs/msg/JointState") + text("ros2msg")
    definition = (
        "std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\n"
        "float64[] effort\n"
    )
    channel = struct.pack("<HH", 1, 1) + text("/joint_states") + text("cdr") + struct.pack("<I", 0)
    path.write_bytes(
        MAGIC
        + record(_HEADER, text("ros2") + text("test"))
        + record(SCHEMA, schema + text(definition))
        + record(CHANNEL, channel)
        + b"".join(parts)
        + record(DATA_END, bytes(4))
        + record(_FOOTER, bytes(20))
        + MAGIC
    )
    return path


def with_part(log: Path, part: bytes) -> None:
    """Put a record at the end of what a run's log holds."""
    data = log.read_bytes()
    end = next(at for kind, at, _ in each_record(data[len(MAGIC) :]) if kind == DATA_END)
    place = len(MAGIC) + end - HEAD.size
    log.write_bytes(data[:place] + part + data[place:])


def archive(path: Path, sizes: Mapping[str, int]) -> Path:
    """A ZIP archive with files of so many zeros."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, size in sizes.items():
            made.writestr(name, bytes(size))
    return path
