"""Reads metadata and attachments of a finished MCAP file, and appends them without changing the data."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, NamedTuple
from zlib import crc32

MAGIC = b"\x89MCAP0\r\n"
_FOOTER, _STATISTICS, _ATTACHMENT, _ATTACHMENT_INDEX = 0x02, 0x0B, 0x09, 0x0A
_METADATA, _METADATA_INDEX, _OFFSET, _DATA_END = 0x0C, 0x0D, 0x0E, 0x0F
_RECORD_HEADER = struct.Struct("<BQ")
_FOOTER_FIELDS = struct.Struct("<QQI")
_FOOTER_SIZE = _RECORD_HEADER.size + _FOOTER_FIELDS.size + len(MAGIC)
_DATA_END_SIZE = _RECORD_HEADER.size + 4
_ATTACHMENTS_AT = 14
"""Offset of the number of attachments in a record of statistics; the number of metadata records follows it."""
_MAX_READ = 2**28
"""Maximum size of a summary or metadata record that is read [bytes]."""


class _End(NamedTuple):
    """The end of a file: offset of the end of its data, their checksum (0: none), and the records of the summary."""

    data: int
    checksum: int
    summary: list[tuple[int, bytes]]


def append(file: Path, name: str, facts: Mapping[str, str], attachment: bytes) -> None:
    """Append a metadata record and a JSON attachment; the data stay unchanged.

    Args:
        file: file to change.
        name: name of both records; the attachment gets the extension ``.json``.
        facts: content of the metadata record.
        attachment: content of the attachment.

    Raises:
        ValueError: if the file is not an MCAP file, or was not finished.
        OSError: if it cannot be read or written.
    """
    with file.open("r+b") as stream:
        end = _end(stream)
        title = f"{name}.json"
        name_and_type = _text(title) + _text("application/json")
        body = bytes(16) + name_and_type + struct.pack("<Q", len(attachment)) + attachment
        attached = _record(_ATTACHMENT, body + struct.pack("<I", crc32(body)))
        pairs = b"".join(_text(part) for pair in facts.items() for part in pair)
        record = _record(_METADATA, _text(name) + struct.pack("<I", len(pairs)) + pairs)
        at = end.data
        attachment_index = struct.pack("<QQQQQ", at, len(attached), 0, 0, len(attachment))
        metadata_index = struct.pack("<QQ", at + len(attached), len(record))
        index_records = [
            (_ATTACHMENT_INDEX, attachment_index + name_and_type),
            (_METADATA_INDEX, metadata_index + _text(name)),
        ]
        data = attached + record
        checksum = crc32(data, end.checksum) if end.checksum else 0
        data += _record(_DATA_END, struct.pack("<I", checksum))
        stream.seek(at)
        stream.write(data + _summary(_with(end.summary, index_records), at + len(data)) + MAGIC)
        stream.truncate()


def metadata_of(file: Path) -> dict[str, dict[str, str]]:
    """Return name -> content of the metadata records that the summary of a file lists.

    Raises:
        ValueError: if the file is not an MCAP file, or was not finished.
        OSError: if it cannot be read.
    """
    found = {}
    with file.open("rb") as stream:
        for kind, content in _end(stream).summary:
            if kind == _METADATA_INDEX:
                at, size = struct.unpack_from("<QQ", content)
                stream.seek(at + _RECORD_HEADER.size)
                name, facts = _facts(stream.read(min(size, _MAX_READ)))
                found[name] = facts
    return found


def _end(stream: BinaryIO) -> _End:
    size = stream.seek(0, 2)
    stream.seek(0)
    if stream.read(len(MAGIC)) != MAGIC:
        raise ValueError("it is not an MCAP file")
    if size < len(MAGIC) + _FOOTER_SIZE + _DATA_END_SIZE:
        raise ValueError("it was not finished")
    stream.seek(size - _FOOTER_SIZE)
    footer = stream.read(_FOOTER_SIZE)
    kind, length = _RECORD_HEADER.unpack_from(footer)
    if (kind, length) != (_FOOTER, _FOOTER_FIELDS.size) or not footer.endswith(MAGIC):
        raise ValueError("it was not finished")
    summary, _, _ = _FOOTER_FIELDS.unpack_from(footer, _RECORD_HEADER.size)
    data = (summary or size - _FOOTER_SIZE) - _DATA_END_SIZE
    if not len(MAGIC) <= data <= size - _FOOTER_SIZE - _DATA_END_SIZE:
        raise ValueError("the summary offset in its footer is out of range")
    stream.seek(data)
    kind, length, checksum = struct.unpack("<BQI", stream.read(_DATA_END_SIZE))
    if (kind, length) != (_DATA_END, 4):
        raise ValueError("its DataEnd record is missing")
    summary_size = size - _FOOTER_SIZE - data - _DATA_END_SIZE
    if summary_size > _MAX_READ:
        raise ValueError(f"its summary has {summary_size} bytes; at most {_MAX_READ} are read")
    return _End(data, checksum, list(_records(stream.read(summary_size))))


def _records(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at < len(data):
        if at + _RECORD_HEADER.size > len(data):
            raise ValueError("its summary is truncated")
        kind, length = _RECORD_HEADER.unpack_from(data, at)
        at += _RECORD_HEADER.size
        if at + length > len(data):
            raise ValueError("its summary is truncated")
        yield kind, data[at : at + length]
        at += length


def _with(
    summary: list[tuple[int, bytes]], added: list[tuple[int, bytes]]
) -> list[tuple[int, bytes]]:
    """Return the records of a summary with one attachment and one metadata record added, grouped by kind.

    A file without a summary gets none: readers would look in it for the messages.
    """
    if not summary:
        return []
    kept = [(kind, content) for kind, content in summary if kind != _OFFSET]
    kinds = list(dict.fromkeys(kind for kind, _ in (*kept, *added)))
    grouped = [row for kind in kinds for row in (*kept, *added) if row[0] == kind]
    return [
        (kind, _with_incremented_counts(content) if kind == _STATISTICS else content)
        for kind, content in grouped
    ]


def _with_incremented_counts(statistics: bytes) -> bytes:
    """Return a statistics record that counts one more attachment and one more metadata record."""
    counts = struct.unpack_from("<II", statistics, _ATTACHMENTS_AT)
    more = struct.pack("<II", counts[0] + 1, counts[1] + 1)
    return statistics[:_ATTACHMENTS_AT] + more + statistics[_ATTACHMENTS_AT + len(more) :]


def _summary(rows: list[tuple[int, bytes]], at: int) -> bytes:
    """Return the bytes of a summary at an offset of the file, with its group offsets and the footer."""
    groups: dict[int, bytes] = {}
    for kind, content in rows:
        groups[kind] = groups.get(kind, b"") + _record(kind, content)
    body, offsets = b"", b""
    for kind, group in groups.items():
        offsets += _record(_OFFSET, struct.pack("<BQQ", kind, at + len(body), len(group)))
        body += group
    places = (at, at + len(body)) if rows else (0, 0)
    footer = _RECORD_HEADER.pack(_FOOTER, _FOOTER_FIELDS.size) + struct.pack("<QQ", *places)
    whole = body + offsets + footer
    return whole + struct.pack("<I", crc32(whole))


def _facts(content: bytes) -> tuple[str, dict[str, str]]:
    try:
        name, at = _text_at(content, 0)
        (length,) = struct.unpack_from("<I", content, at)
        at, end = at + 4, at + 4 + length
        facts = {}
        while at < end:
            key, at = _text_at(content, at)
            facts[key], at = _text_at(content, at)
    except struct.error as error:
        raise ValueError(f"a metadata record is truncated: {error}") from error
    return name, facts


def _text_at(data: bytes, at: int) -> tuple[str, int]:
    (length,) = struct.unpack_from("<I", data, at)
    at += 4
    return data[at : at + length].decode("utf-8", "replace"), at + length


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<I", len(data)) + data


def _record(kind: int, content: bytes) -> bytes:
    return _RECORD_HEADER.pack(kind, len(content)) + content
