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
_LARGEST_MIB = 128
_PIECES, _TIMES = 2, 50
_BYTES_OF_VALUE = 40
"""Assumed memory of a JSON value [bytes]; a value may take up to three times as much."""
_DIGITS = 300
"""Maximum number of digits of a number; floating-point numbers have fewer."""
_PART = 2**20


class TooLarge(OSError):
    """Input is larger than its limit; the text explains how to raise the limit, if possible."""

    def __init__(
        self, problem: str, most: int, advice: str = f"; if trusted, set {VARIABLE}"
    ) -> None:
        size = f"{most / _MIB:.4g} MiB" if most >= _MIB else f"{most} bytes"
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


class Unpacking(Protocol):
    """A stream of a compressed file's content."""

    def read1(self, size: int, /) -> bytes:
        """Return at most this number of the next bytes; none at the end."""


def largest() -> int:
    """Return the maximum number of bytes that may be read or unpacked as a whole."""
    text = os.environ.get(VARIABLE)
    try:
        return _MIB * (int(text) if text else _LARGEST_MIB)
    except ValueError:
        raise OSError(errno.EINVAL, f"{VARIABLE}={text!r} is no whole number") from None


def check_size(size: int, what: str = "it has") -> int:
    """Return a declared size.

    Raises:
        TooLarge: if it is above the limit.
    """
    if size > (most := largest()):
        raise TooLarge(what, most)
    return size


def check_total(packed: int, unpacked: int) -> None:
    """Check the unpacked or declared size of a compressed file.

    Raises:
        TooLarge: if it is above the limit.
    """
    if unpacked > (most := max(_PIECES * largest(), _TIMES * packed)):
        raise TooLarge("it unpacks to", most)


def check_files(archive: Path, sizes: Mapping[str, int]) -> None:
    """Check the declared sizes of an archive's files [bytes].

    Raises:
        TooLarge: if one of them, or their sum, is above the limit.
    """
    for name, size in sizes.items():
        check_size(size, f"{name} has")
    check_total(archive.stat().st_size, sum(sizes.values()))


def unpacked(
    make: Callable[[], Decompressor], data: bytes | memoryview, declared: int | None = None
) -> bytes:
    """Unpack all streams in the data.

    Args:
        make: returns a decompressor of one stream.
        data: packed bytes.
        declared: declared size [bytes]; None: not declared.

    Raises:
        TooLarge: if it unpacks to more than the declared size or the limit.
        EOFError: if the data is truncated.
    """
    most = largest() if declared is None else check_size(declared, "it is declared to unpack to")
    parts: list[Any] = []
    rest: Any = data
    left = most
    while rest or not parts:
        stream = make()
        part = stream.decompress(rest, max_length=left + 1)
        left -= len(part)
        if left < 0:
            raise TooLarge("it unpacks to", most)
        if not stream.eof:
            raise EOFError("the compressed data is truncated")
        parts.append(part)
        rest = stream.unused_data
    return bytes(parts[0]) if len(parts) == 1 else b"".join(parts)


def copy(source: Unpacking, target: BinaryIO, packed: int) -> None:
    """Write the unpacked stream.

    Args:
        source: the unpacking stream.
        target: the file to write to.
        packed: number of bytes that `source` reads.

    Raises:
        TooLarge: if it unpacks to more than the limit.
    """
    while part := source.read1(_PART):
        target.write(part)
        check_total(packed, target.tell())


def check_regular(path: Path) -> int:
    """Return the size of a file [bytes].

    Raises:
        OSError: if there is none, or it is no regular file: reading a device may never end, opening a pipe may
            block.
    """
    known = path.stat()
    if not stat.S_ISREG(known.st_mode) and not stat.S_ISDIR(known.st_mode):
        raise OSError(errno.EINVAL, "it is no regular file")
    return known.st_size


def regular(path: Path) -> BinaryIO:
    """Open a file; raises as `check_regular`, and OSError if it cannot be opened."""
    check_regular(path)
    return open(path, "rb", opener=_without_waiting)


def _without_waiting(name: str, flags: int) -> int:
    """Open a file without blocking: some files of the system look regular, and would block for ever."""
    return os.open(name, flags | os.O_NONBLOCK)


def read_bytes(path: Path, most: int | None = None) -> bytes:
    """Read a file as a whole.

    Raises:
        TooLarge: if it has more than `most` bytes; None: more than the limit.
        OSError: if it cannot be read, or is no regular file.
    """
    with regular(path) as file:
        # The system's virtual files report no size.
        data: bytes | None = file.read((largest() if most is None else most) + 1)
    if data is None:
        raise OSError(errno.EAGAIN, "it has nothing to read")
    if most is None:
        check_size(len(data))
    elif len(data) > most:
        raise TooLarge("it is too large: it has", most, "")
    return data


def read_text(path: Path, most: int | None = None, encoding: str = "utf-8") -> str:
    """Read a text file as a whole; raises as `read_bytes`, and UnicodeDecodeError."""
    return io.TextIOWrapper(io.BytesIO(read_bytes(path, most)), encoding).read()


def read_json(path: Path) -> Any:
    """Read a JSON file as a whole; raises as `read_bytes` and `parsed_json`."""
    return parsed_json(read_bytes(path))


def parsed_json(text: str | bytes, hook: Callable[[dict[str, Any]], Any] | None = None) -> Any:
    """Parse JSON.

    Args:
        text: the JSON text.
        hook: converts each object.

    Raises:
        TooLarge: if it holds more values than fit into the limit.
        ValueError: if it is no JSON, is nested too deeply, or holds a number of hundreds of digits.
    """
    signs: Sequence[Any] = ",[{" if isinstance(text, str) else (b",", b"[", b"{")
    if len(text) > _PART and sum(map(text.count, signs)) > largest() // _BYTES_OF_VALUE:
        raise TooLarge("its values take", largest())
    try:
        return json.loads(text, object_hook=hook, parse_int=_whole)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _whole(digits: str) -> int:
    return int(check_digits(digits))


def check_digits(number: str) -> str:
    """Return the text of a number.

    Raises:
        ValueError: if it has too many digits.
    """
    if len(number) > _DIGITS:
        raise ValueError(f"a number has {len(number)} digits; expected {_DIGITS} at most")
    return number
