"""Files that are written for users, and the error if they cannot be written."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from hetwin_core.ensemble.errors import BadInput

DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
DISK_ERRORS = (*DISK_FULL, errno.EROFS, errno.EACCES, errno.EPERM)
"""Error numbers of a disk that is full or write-protected."""
_MIB = 2**20


def write_failure_reason(error: OSError, path: Path) -> str:
    """Return why a file or folder cannot be written; for a full disk, with the remaining space."""
    reason = error.strerror or str(error)
    if error.errno != errno.ENOSPC:
        return reason
    existing = path.absolute()
    while not existing.exists():
        existing = existing.parent
    return f"{reason}, {shutil.disk_usage(existing).free / _MIB:.1f} MiB are free"


def unwritable(what: str, path: Path, error: OSError | int, where: str | None = None) -> BadInput:
    """Return the error that something cannot be written.

    Args:
        what: its noun, as in ``the log``.
        path: path of the file or folder.
        error: the system's error, or its number.
        where: the option that has named the path.
    """
    if isinstance(error, int):
        error = OSError(error, os.strerror(error))
    exists = error.errno == errno.EEXIST
    return BadInput(
        f"{what} cannot be written: {write_failure_reason(error, path)}",
        file=path,
        where=where,
        expected="a new file"
        if exists
        else "a folder that can be written to, on a disk that is not full",
    )


@contextmanager
def writing(what: str, path: Path, where: str | None = None) -> Iterator[None]:
    """Raise `unwritable` instead of an OSError."""
    try:
        yield
    except OSError as error:
        raise unwritable(what, path, error, where) from error


def write_atomically(path: Path, text: str) -> None:
    """Replace a file atomically, so that readers see the old or the new content."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str, what: str = "the file", where: str | None = None) -> None:
    """Write a file, and make its folder if necessary; an existing file stays intact until it is replaced.

    Raises:
        BadInput: if it cannot be written.
    """
    with writing(what, path, where):
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_file() or not path.exists():
            write_atomically(path.resolve(), text)
        else:  # such as /dev/stdout
            path.write_text(text, encoding="utf-8")


def check_new(out: Path, where: str = "--out") -> None:
    """Check that a folder is new or empty, without creating it.

    Raises:
        BadInput: if it is neither, or cannot be a folder.
    """
    if out.is_dir() and not any(out.iterdir()):
        return
    problem, obstacle = "this is a file, not a folder, and nothing is overwritten", out
    if out.is_dir():
        problem = "the folder is not empty, and nothing is overwritten"
    elif not (out.exists() or out.is_symlink()):
        obstacle = next(folder for folder in out.absolute().parents if folder.exists())
        if obstacle.is_dir():
            return
    raise BadInput(problem, where=where, found=str(obstacle), expected="a new or empty folder")


def write_files(texts: Mapping[Path, str], folder: Path, what: str, where: str) -> None:
    """Write files below a folder, which is made if necessary; all of them are removed if one cannot be written.

    Raises:
        BadInput: if one cannot be written.
    """
    existed = folder.exists()
    try:
        with writing(what, folder, where):
            for path, text in texts.items():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
    except BadInput:
        _remove(texts, folder, keep=existed)
        raise


def _remove(files: Mapping[Path, str], folder: Path, *, keep: bool) -> None:
    """Remove files below a folder, and the folders that are then empty."""
    folders = {parent for file in files for parent in file.parents if folder in parent.parents}
    for file in files:
        with suppress(OSError):
            file.unlink()
    for empty in (*sorted(folders, reverse=True), *([] if keep else [folder])):
        with suppress(OSError):
            empty.rmdir()
