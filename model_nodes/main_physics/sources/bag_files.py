"""Checks that a storage file is complete, which the reading library does not check."""

from __future__ import annotations

import struct
from pathlib import Path

from hetwin_core.ensemble.errors import BadInput

_MCAP_MAGIC = b"\x89MCAP0\r\n"
_MCAP_FOOTER = struct.Struct("<BQQQI")
_SQLITE_MAGIC = b"SQLite format 3\x00"


def check_storage_file(storage: Path, recording: Path) -> None:
    """Check that an MCAP file has its index, or that an SQLite file has the length in its header.

    Args:
        storage: the file to check.
        recording: the path that the user named, for the error.

    Raises:
        BadInput: if it is truncated or has no index.
    """
    file = storage if storage.is_relative_to(recording) else recording
    if storage.suffix == ".mcap":
        _check_mcap(storage, file)
    elif storage.suffix == ".db3":
        _check_sqlite(storage, file)


def _check_mcap(storage: Path, file: Path) -> None:
    """Check the footer, which contains the offset of the summary with the index."""
    tail = _MCAP_FOOTER.size + len(_MCAP_MAGIC)
    with storage.open("rb") as stream:
        stream.seek(-tail, 2)
        data = stream.read()
    opcode, length, summary_start, _, _ = _MCAP_FOOTER.unpack(data[: _MCAP_FOOTER.size])
    whole = data.endswith(_MCAP_MAGIC) and opcode == 2 and length == _MCAP_FOOTER.size - 9
    if not whole or summary_start == 0:
        raise BadInput(
            "the recording has no readable index",
            file=file,
            found="no summary at the end of the file",
            expected="a recording that was closed properly (`mcap recover` can repair it)",
        )


def _check_sqlite(storage: Path, file: Path) -> None:
    """Compare the file's size with the number of pages in its header."""
    with storage.open("rb") as stream:
        head = stream.read(100)
    size = storage.stat().st_size
    if len(head) < 100 or not head.startswith(_SQLITE_MAGIC):
        raise BadInput("this is not an SQLite file", file=file, expected="an SQLite 3 recording")
    (page,) = struct.unpack_from(">H", head, 16)
    changes, pages = struct.unpack_from(">II", head, 24)
    (valid_for,) = struct.unpack_from(">I", head, 92)
    promised = pages * (65536 if page == 1 else page)
    if changes == valid_for and size < promised:
        raise BadInput(
            "the recording is truncated", file=file, found=f"{size} bytes", expected=f"{promised}"
        )
