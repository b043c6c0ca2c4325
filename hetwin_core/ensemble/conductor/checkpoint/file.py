"""The file of a checkpoint: a ZIP archive that numpy reads as ``.npz``, with the arrays and one member in JSON.

``checkpoint.json`` holds everything but the numbers of arrays. Those of one type lie one after the other in a member
of their own, such as ``float64.npy``; in the place of an array stands ``{"$array": [TYPE, BEGIN, SHAPE, ORDER]}``, with
the index of its first number. A small one stands there itself, as ``{"$small": [TYPE, SHAPE, ORDER, NUMBERS]}``, and
what is no finite number as ``{"$number": "nan"}``. Arrays of objects, which could run code when they are read, are
refused.
"""

from __future__ import annotations

import io
import json
import math
import os
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, fields
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np

from hetwin_core.ensemble.conductor.checkpoint.checkpoint import Checkpoint
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.errors import BadInput

FORMAT, VERSION = "hetwin checkpoint", 2
MEMBER = "checkpoint.json"
_ARRAY, _SMALL, _NUMBER = "$array", "$small", "$number"
_FEW = 8
"""So many numbers stand in the JSON, where a person reads them."""
_LONGEST = 8
"""Bytes of a number that JSON keeps to the bit."""
_KINDS = "biuf"
"""Kinds of numpy's types whose numbers JSON keeps to the bit: truth values, whole numbers, floats."""
_LARGEST = 1 << 30
"""A file whose members are larger than this together is refused [bytes]."""
_READING = (
    *(zipfile.BadZipFile, zlib.error, EOFError, ValueError, KeyError, TypeError, IndexError),
    *(NotImplementedError, RuntimeError, OSError, RecursionError, AttributeError),
)


def write_checkpoint(checkpoint: Checkpoint, path: Path) -> None:
    """Write a checkpoint; the file appears when it is complete.

    Raises:
        OSError: if it cannot be written.
    """
    numbers = _Numbers()
    content = {
        "format": FORMAT,
        "format_version": VERSION,
        "scenario": checkpoint.scenario,
        "options": asdict(checkpoint.options),
        "given": checkpoint.given,
        "step": checkpoint.step,
        "time_ns": checkpoint.time_ns,
        "conductor": checkpoint.conductor,
        "models": checkpoint.models,
    }
    text = json.dumps(_without_arrays(content, numbers), separators=(",", ":"), allow_nan=False)
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(MEMBER, text)
            for kind, array in numbers.by_type():
                member = io.BytesIO()
                np.lib.format.write_array(member, array, allow_pickle=False)
                archive.writestr(f"{kind}.npy", member.getvalue())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def read_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint; no code that the file names is run.

    Raises:
        BadInput: if there is none, it is damaged, or its format is another one.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            _check_size(archive, path)
            content = json.loads(archive.read(MEMBER))
            _check_format(content, path)
            content = _with_arrays(content, cache(lambda kind: _numbers(archive, kind)))
        return _checkpoint(content)
    except FileNotFoundError:
        raise BadInput("there is no such checkpoint", file=path, expected=_EXPECTED) from None
    except _READING as error:
        text = f"the checkpoint cannot be read ({type(error).__name__}: {error})"
        raise BadInput(text, file=path, expected=f"{_EXPECTED}, whole") from error


_EXPECTED = "a file that hetwin run --checkpoint has written"


def _check_size(archive: zipfile.ZipFile, path: Path) -> None:
    size = sum(member.file_size for member in archive.infolist())
    if size > _LARGEST:
        expected = f"at most {_LARGEST} bytes"
        raise BadInput("the checkpoint is too large", file=path, found=size, expected=expected)


def _check_format(content: Any, path: Path) -> None:
    found = content.get("format"), content.get("format_version")
    if found != (FORMAT, VERSION):
        raise BadInput(
            "this is another format",
            file=path,
            where="format",
            found=" ".join(map(str, found)),
            expected=f"{FORMAT} {VERSION}",
        )


def _checkpoint(content: Mapping[str, Any]) -> Checkpoint:
    known = {field.name for field in fields(RunOptions)}
    unknown = sorted(content["options"].keys() - known)
    if unknown:
        raise ValueError(f"there is no option {unknown[0]!r}")
    for key, kind in (("scenario", str), ("given", dict), ("step", int), ("time_ns", int)):
        if not isinstance(content[key], kind):
            raise TypeError(f"{key} is {type(content[key]).__name__}; expected {kind.__name__}")
    for key in ("conductor", "models"):
        if not all(isinstance(part, dict | list) for part in content[key].values()):
            raise TypeError(f"{key} holds what is no state")
    return Checkpoint(
        content["scenario"],
        RunOptions(**content["options"]),
        content["given"],
        content["step"],
        content["time_ns"],
        content["conductor"],
        content["models"],
    )


class _Numbers:
    """The numbers of arrays, by their type."""

    def __init__(self) -> None:
        self._parts: dict[str, list[np.ndarray[Any, Any]]] = {}
        self._sizes: Counter[str] = Counter()

    def add(self, array: np.ndarray[Any, Any]) -> list[Any]:
        """Add an array; returns what stands in its place."""
        kind, order = array.dtype.name, _order(array)
        begin = self._sizes[kind]
        self._parts.setdefault(kind, []).append(array.ravel(order))
        self._sizes[kind] += array.size
        return [kind, begin, list(array.shape), order]

    def by_type(self) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
        """Yield the name of each type, and all its numbers."""
        for kind, parts in self._parts.items():
            yield kind, np.concatenate(parts)


def _order(array: np.ndarray[Any, Any]) -> Literal["C", "F"]:
    """Whether columns follow on each other, which decides how products of it are rounded."""
    return "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"


def _without_arrays(value: Any, numbers: _Numbers) -> Any:
    """The same in what JSON knows; the numbers of arrays are added to the others."""
    if isinstance(value, np.ndarray):
        if value.size > _FEW or value.dtype.kind not in _KINDS or value.dtype.itemsize > _LONGEST:
            return {_ARRAY: numbers.add(value)}
        order = _order(value)
        few = _without_arrays(value.ravel(order).tolist(), numbers)
        return {_SMALL: [value.dtype.name, list(value.shape), order, few]}
    if isinstance(value, float) and not math.isfinite(value):
        return {_NUMBER: repr(value)}
    if isinstance(value, Mapping):
        return {key: _without_arrays(item, numbers) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_arrays(item, numbers) for item in value]
    return value


def _with_arrays(value: Any, numbers: Callable[[str], np.ndarray[Any, Any]]) -> Any:
    if isinstance(value, list):
        return [_with_arrays(item, numbers) for item in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {_ARRAY}:
        return _array(numbers, *value[_ARRAY])
    if value.keys() == {_SMALL}:
        return _small(*_with_arrays(value[_SMALL], numbers))
    if value.keys() == {_NUMBER}:
        return float(value[_NUMBER])
    return {key: _with_arrays(item, numbers) for key, item in value.items()}


def _small(kind: Any, shape: Any, order: Any, numbers: Any) -> np.ndarray[Any, Any]:
    dtype = np.dtype(str(kind))
    if dtype.kind not in _KINDS or not isinstance(numbers, list) or len(numbers) > _FEW:
        raise ValueError(f"an array of {kind} does not stand here")
    return np.array(numbers, dtype).reshape(shape, order=order)


def _array(
    numbers: Callable[[str], np.ndarray[Any, Any]], kind: Any, begin: Any, shape: Any, order: Any
) -> np.ndarray[Any, Any]:
    flat = numbers(str(kind))
    end = begin + math.prod(shape)
    if not 0 <= begin <= end <= flat.size:
        raise ValueError(f"there are {flat.size} numbers of {kind}, not {end}")
    return flat[begin:end].reshape(shape, order=order).copy(order="K")


def _numbers(archive: zipfile.ZipFile, kind: str) -> np.ndarray[Any, Any]:
    """All numbers of a type; the head must agree with the number of bytes that are there."""
    member = io.BytesIO(archive.read(f"{kind}.npy"))
    version = np.lib.format.read_magic(member)
    if version != (1, 0):
        raise ValueError(f"{kind}.npy is of the version {version}")
    shape, _, dtype = np.lib.format.read_array_header_1_0(member)
    content = member.read()
    if dtype.hasobject or math.prod(shape) * dtype.itemsize != len(content):
        raise ValueError(f"{kind}.npy does not hold {shape} of {dtype}")
    return np.frombuffer(content, dtype)
