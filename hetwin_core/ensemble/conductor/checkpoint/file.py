"""The file of a checkpoint: JSON (see `saving.text`), packed with gzip."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Mapping
from dataclasses import asdict, fields
from functools import partial
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.conductor.checkpoint.checkpoint import Checkpoint
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.limits import read_bytes, unpacked
from hetwin_core.ensemble.saving.text import from_text, to_text
from hetwin_core.ensemble.validation import check

FORMAT, VERSION = "hetwin checkpoint", 3
_ZIP, _IN_ZIP = b"PK", f"{FORMAT} 1 or 2, a ZIP archive"
"""How the files of older versions begin, and what they are."""
_GZIP = 31
"""What zlib calls the format of gzip."""
_EXPECTED = "a file that hetwin run --checkpoint has written"
_READING = (
    *(zlib.error, EOFError, ValueError, KeyError, TypeError, IndexError),
    *(OSError, RecursionError, AttributeError),
)


def write_checkpoint(checkpoint: Checkpoint, path: Path) -> None:
    """Write a checkpoint; the file appears when it is complete.

    Raises:
        OSError: if it cannot be written.
    """
    content = {field.name: getattr(checkpoint, field.name) for field in fields(Checkpoint)}
    content["options"] = asdict(checkpoint.options)
    head = {"format": FORMAT, "format_version": VERSION}
    text = to_text(head | content)
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        part.write_bytes(gzip.compress(text.encode(), mtime=0))
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def read_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint; no code that the file names is run.

    Raises:
        BadInput: if there is none, it is damaged, or its format is another one.
    """
    try:
        content = from_text(_unpacked(path))
        _check_format(f"{content.get('format')} {content.get('format_version')}", path)
        return _checkpoint(content)
    except BadInput as error:
        raise error.at(error.where, path) from None
    except FileNotFoundError:
        raise BadInput("there is no such checkpoint", file=path, expected=_EXPECTED) from None
    except _READING as error:
        text = f"the checkpoint cannot be read ({type(error).__name__}: {error})"
        raise BadInput(text, file=path, expected=f"{_EXPECTED}, whole") from error


def _unpacked(path: Path) -> bytes:
    packed = read_bytes(path)
    if packed.startswith(_ZIP):
        _check_format(_IN_ZIP, path)
    return unpacked(partial(zlib.decompressobj, _GZIP), packed)


def _check_format(found: str, path: Path) -> None:
    expected = f"{FORMAT} {VERSION}"
    if found != expected:
        raise BadInput(
            "this is another format", file=path, where="format", found=found, expected=expected
        )


def _checkpoint(content: Mapping[str, Any]) -> Checkpoint:
    known = {field.name for field in fields(RunOptions)}
    unknown = sorted(content["options"].keys() - known)
    if unknown:
        raise ValueError(f"there is no option {unknown[0]!r}")
    options = check(RunOptions, content["options"], "options")
    for key, kind in (("scenario", str), ("given", dict), ("step", int), ("time_ns", int)):
        if type(content[key]) is not kind:
            raise TypeError(f"{key} is {type(content[key]).__name__}; expected {kind.__name__}")
    for key in ("conductor", "models"):
        if not all(isinstance(part, dict | list) for part in content[key].values()):
            raise TypeError(f"{key} holds what is no state")
    saved = {field.name: content[field.name] for field in fields(Checkpoint)}
    return Checkpoint(**{**saved, "options": options})
