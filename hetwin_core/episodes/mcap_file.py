"""Writes the MCAP file of a log."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from rosbags.interfaces import Connection
from rosbags.rosbag2 import CompressionMode
from rosbags.rosbag2.storage_mcap import McapWriter

from hetwin_core.ensemble.topics import Encoded
from hetwin_core.episodes.mcap_records import METADATA

_ZSTD_LEVEL = 1
"""Level of zstd; the default, 3, takes more than twice as long and saves only a hundredth of the space."""
_CHUNK_SIZE = 2**20 - 2**16
"""Size of a chunk [bytes]; less than the size at which the library closes one itself."""
_MESSAGE = struct.Struct("<BQHIQQ")
"""Head of a message's record: kind, remaining size, channel, sequence (0: not used), log time, publish time."""
_KIND, _SIZE = 0x05, 22


class McapFile(McapWriter):
    """A file of chunks that are either completely on the disk or not at all.

    The chunks are compressed with zstd, as in rosbag2's own preset ``zstd_fast``.

    Args:
        path: folder of the file, which gets the folder's name.

    Raises:
        OSError: if it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path, CompressionMode.STORAGE)
        compress: Any = self.compressor
        self.compressor = partial(compress, level=_ZSTD_LEVEL)
        self._complete_size = self.bio.tell()

    def write_all(
        self, messages: Iterable[Encoded], channels: Mapping[str, Connection], now_ns: int
    ) -> None:
        """Write messages, with the same bytes as the library's in a third of the time.

        Args:
            messages: the messages; log times earlier than `now_ns` are raised to it.
            channels: connections of the topics, by name.
            now_ns: current log time [ns].

        Raises:
            OSError: if the disk cannot be written to.
        """
        counts, pack, chunk = self.channel_stats, _MESSAGE.pack, self.chunk
        write, offset = chunk.bio.write, chunk.bio.tell()
        for topic, at_ns, data in messages:
            if offset > _CHUNK_SIZE:
                self.end_chunk()
                chunk = self.chunk
                write, offset = chunk.bio.write, 0
            time_ns, channel = at_ns if at_ns > now_ns else now_ns, channels[topic.name].id
            if time_ns < chunk.message_start_time:
                chunk.message_start_time = time_ns
                self.message_start_time = min(time_ns, self.message_start_time)
            if time_ns > chunk.message_end_time:
                chunk.message_end_time = time_ns
                self.message_end_time = max(time_ns, self.message_end_time)
            counts[channel] += 1
            chunk.msgs[channel].append((time_ns, offset))
            offset += write(pack(_KIND, _SIZE + len(data), channel, 0, time_ns, time_ns))
            offset += write(data)

    def write_facts(self, name: str, facts: Mapping[str, str]) -> None:
        """Write a record of facts, between the chunks; see `mcap_records.facts_of`.

        Raises:
            OSError: if the disk cannot be written to.
        """
        self.end_chunk()
        pairs = b"".join(_text(part) for pair in facts.items() for part in pair)
        content = _text(name) + struct.pack("<I", len(pairs)) + pairs
        self.bio.write(struct.pack("<BQ", METADATA, len(content)) + content)
        self.bio.flush()
        self._complete_size = self.bio.tell()

    def end_chunk(self) -> None:
        """Write the open chunk.

        Raises:
            OSError: if the disk cannot be written to; the file is cut after the last complete chunk, and the open
                one is kept.
        """
        if not self.chunk.bio.tell():
            return
        chunk, count = self.chunk, len(self.chunks)
        try:
            self.close_chunk()
            self.bio.flush()
        except OSError:
            self.chunk = chunk
            del self.chunks[count:]
            with suppress(OSError):
                self.bio.close()
            os.truncate(self.path, self._complete_size)
            self.bio = self.path.open("ab")
            raise
        self._complete_size = self.bio.tell()


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<I", len(data)) + data
