"""Limits of input: sizes of files, and of their unpacked content.

A small file can unpack to more than the memory, and a device never ends. Anything that is read as a whole, or
unpacked in memory, is therefore limited to 128 MiB: a file, a chunk of a recording, a checkpoint. The total that a
compressed file unpacks to, piece by piece, is limited to twice as much, or to fifty times the file's size.
``HETWIN_LARGEST_MIB`` sets another limit, for trusted files.
"""

from __future__ import annotations

import errno
import io
import json
import os
import stat
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Protocol

VARIABLE = "HETWIN_LARGEST_MIB"
_MIB = 2**20
_DEFAULT_MIB = 128
_TOTAL_FACTOR, _UNPACKING_RATIO = 2, 50
_BYTES_OF_VALUE = 40
"""Assumed memory of a JSON value [bytes]; a value may take up to three times as much."""
_DIGITS = 300
"""Maximum number of digits of a number; floating-point numbers have fewer."""
_CHUNK_BYTES = 2**20


class TooLarge(OSError):
    """Input is larger than its limit; the text explains how to raise the limit, if possible."""

    def __init__(
        self, problem: str, limit: int, advice: str = f"; if trusted, set {VARIABLE}"
    ) -> None:
        size = f"{limit / _MIB:.4g} MiB" if limit >= _MIB else f"{limit} bytes"
        super().__init__(errno.EOVERFLOW, f"{problem} more than {size}{advice}")

    def __str__(self) -> str:
        """The message without the error number."""
        return self.strerror or ""


class Decompressor(Protocol):
    """A decompressor of one stream, as those of bz2, zlib, zstd and lz4 are."""

    @property
    def unused_data(self) -> bytes | None:
        """The bytes after the stream."""

    @property
    def eof(self) -> bool:
        """Whether the stream has ended."""

    @property
    def decompress(self) -> Callable[..., bytes]:
        """Returns the next bytes of data, at most `max_length`."""


class UnpackedStream(Protocol):
    """A stream of a compressed file's content."""

    def read1(self, size: int, /) -> bytes:
        """Return at most this number of the next bytes; none at the end."""


def max_bytes() -> int:
    """Return the maximum number of bytes that may be read or unpacked as a whole."""
    text = os.environ.get(VARIABLE)
    try:
        return _MIB * (int(text) if text else _DEFAULT_MIB)
    except ValueError:
        raise OSError(errno.EINVAL, f"{VARIABLE}={text!r} is not a whole number") from None


def check_size(size: int, what: str = "it has") -> int:
    """Return a declared size.

    Raises:
        TooLarge: if it is above the limit.
    """
    if size > (limit := max_bytes()):
        raise TooLarge(what, limit)
    return size


def check_total(packed: int, unpacked: int) -> None:
    """Check the unpacked or declared size of a compressed file.

    Raises:
        TooLarge: if it is above the limit.
    """
    if unpacked > (limit := max(_TOTAL_FACTOR * max_bytes(), _UNPACKING_RATIO * packed)):
        raise TooLarge("it unpacks to", limit)


def check_files(archive: Path, sizes: Mapping[str, int]) -> None:
    """Check the declared sizes of an archive's files [bytes].

    Raises:
        TooLarge: if one of them, or their sum, is above the limit.
    """
    for name, size in sizes.items():
        check_size(size, f"{name} has")
    check_total(archive.stat().st_size, sum(sizes.values()))


def unpacked(
    make_decompressor: Callable[[], Decompressor],
    data: bytes | memoryview,
    declared: int | None = None,
) -> bytes:
    """Unpack all streams in the data.

    Args:
        make_decompressor: returns a decompressor of one stream.
        data: packed bytes.
        declared: declared size [bytes]; None: not declared.

    Raises:
        TooLarge: if it unpacks to more than the declared size or the limit.
        EOFError: if the data is truncated.
    """
    limit = max_bytes() if declared is None else check_size(declared, "it is declared to unpack to")
    parts: list[Any] = []
    remaining: Any = data
    remaining_bytes = limit
    while remaining or not parts:
        stream = make_decompressor()
        part = stream.decompress(remaining, max_length=remaining_bytes + 1)
        remaining_bytes -= len(part)
        if remaining_bytes < 0:
            raise TooLarge("it unpacks to", limit)
        if not stream.eof:
            raise EOFError("the compressed data is truncated")
        parts.append(part)
        remaining = stream.unused_data
    return bytes(parts[0]) if len(parts) == 1 else b"".join(parts)


def copy(source: UnpackedStream, target: BinaryIO, packed: int) -> None:
    """Write the unpacked stream.

    Args:
        source: the unpacking stream.
        target: the file to write to.
        packed: number of bytes that `source` reads.

    Raises:
        TooLarge: if it unpacks to more than the limit.
    """
    while part := source.read1(_CHUNK_BYTES):
        target.write(part)
        check_total(packed, target.tell())


def check_regular(path: Path) -> int:
    """Return the size of a file [bytes].

    Raises:
        OSError: if there is none, or it is not a regular file: reading a device may never end, opening a pipe may
            block.
    """
    status = path.stat()
    if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file")
    return status.st_size


def regular(path: Path) -> BinaryIO:
    """Open a file; raises as `check_regular`, and OSError if it cannot be opened."""
    check_regular(path)
    return open(path, "rb", opener=_open_without_blocking)


def _open_without_blocking(name: str, flags: int) -> int:
    """Open a file without blocking: some files of the system look regular, and would block for ever."""
    return os.open(name, flags | os.O_NONBLOCK)


def read_bytes(path: Path, limit: int | None = None) -> bytes:
    """Read a file as a whole.

    Raises:
        TooLarge: if it has more than `limit` bytes; None: more than the limit.
        OSError: if it cannot be read, or is not a regular file.
    """
    with regular(path) as file:
        # The system's virtual files report no size.
        data: bytes | None = file.read((max_bytes() if limit is None else limit) + 1)
    if data is None:
        raise OSError(errno.EAGAIN, "it has nothing to read")
    if limit is None:
        check_size(len(data))
    elif len(data) > limit:
        raise TooLarge("it is too large: it has", limit, "")
    return data


def read_text(path: Path, limit: int | None = None, encoding: str = "utf-8") -> str:
    """Read a text file as a whole; raises as `read_bytes`, and UnicodeDecodeError."""
    return io.TextIOWrapper(io.BytesIO(read_bytes(path, limit)), encoding).read()


def read_json(path: Path) -> Any:
    """Read a JSON file as a whole; raises as `read_bytes` and `parse_json`."""
    return parse_json(read_bytes(path))


def parse_json(text: str | bytes, hook: Callable[[dict[str, Any]], Any] | None = None) -> Any:
    """Parse JSON.

    Args:
        text: the JSON text.
        hook: converts each object.

    Raises:
        TooLarge: if it holds more values than fit into the limit.
        ValueError: if it is not JSON, is nested too deeply, or holds a number of hundreds of digits.
    """
    signs: Sequence[Any] = ",[{" if isinstance(text, str) else (b",", b"[", b"{")
    if len(text) > _CHUNK_BYTES and sum(map(text.count, signs)) > max_bytes() // _BYTES_OF_VALUE:
        raise TooLarge("its values take", max_bytes())
    try:
        return json.loads(text, object_hook=hook, parse_int=_parse_integer)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _parse_integer(digits: str) -> int:
    return int(check_digits(digits))


def check_digits(number: str) -> str:
    """Return the text of a number.

    Raises:
        ValueError: if it has too many digits.
    """
    if len(number) > _DIGITS:
        raise ValueError(f"a number has {len(number)} digits; expected at most {_DIGITS}")
    return number
