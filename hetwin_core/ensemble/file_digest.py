"""Digests of files, also of large ones."""

from __future__ import annotations

import hashlib
from pathlib import Path

_WHOLE = 8 * 2**20
"""Of a file with more bytes, only the ends and the size count: a recording may have gigabytes."""
_END = 2**20
_LENGTH = 16


def file_digest(path: Path) -> str:
    """Return 16 hexadecimal digits of the SHA-256 of a file, or of all files in a folder with their names in it.

    Raises:
        OSError: if it cannot be read.
    """
    digest = hashlib.sha256()
    if path.is_file():
        digest.update(_content(path))
    else:
        for file in sorted(part for part in path.rglob("*") if part.is_file()):
            digest.update(f"{file.relative_to(path).as_posix()}\0".encode())
            digest.update(_content(file))
    return digest.hexdigest()[:_LENGTH]


def _content(file: Path) -> bytes:
    size = file.stat().st_size
    if size <= _WHOLE:
        return hashlib.sha256(file.read_bytes()).digest()
    with file.open("rb") as stream:
        ends = [stream.read(_END)]
        stream.seek(size - _END)
        ends.append(stream.read(_END))
    return hashlib.sha256(b"".join([str(size).encode(), *ends])).digest()
