"""Follows a datum through a run: which of our files meet it, and which hands it over to which."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from inspect import CO_GENERATOR, CO_VARARGS, CO_VARKEYWORDS
from pathlib import Path
from types import CodeType, FrameType
from typing import TypeAlias

ROOT = Path(__file__).resolve().parents[2]
_ROOMS = tuple(f"{ROOT / room}/" for room in ("hetwin_core", "model_nodes", "hetwin_suite"))

Holds: TypeAlias = Callable[[object], bool]
"""Whether a value is the datum, in one of the forms that it takes on its way."""


class Way:
    """The way of a datum, by paths from the root of the repository.

    A function is handed what it gets as an argument, but for `self`; it hands what it returns or yields to its caller.
    Frames of libraries and tests between two of ours are passed over.

    Args:
        holds: whether a value is the datum.
        bare: functions whose call hands the datum over by itself, once it was met.
        begin: the file with which the way begins; others may know the datum before. Empty: with any.

    Attributes:
        met: the files in the order in which they first met the datum.
        handed: from which file to which other one it was handed over; an empty name is that of the test.
    """

    def __init__(self, holds: Holds, bare: Sequence[str] = (), begin: str = "") -> None:
        self.met: list[str] = []
        self.handed: set[tuple[str, str]] = set()
        self._holds, self._bare, self._begin = holds, bare, begin
        self._busy = False
        self._generators: dict[int, FrameType] = {}

    def look(self, frame: FrameType, event: str, value: object) -> None:
        """Take note of what a frame is handed, or hands on; for `sys.setprofile`."""
        if self._busy or event not in ("call", "return") or not _is_ours(frame.f_code):
            return
        self._busy = True
        try:
            if event == "return":
                if self._holds(value):
                    self._hand(_file(frame.f_code), _caller(frame))
            elif self._begins(frame) and self._is_given(frame):
                self._hand(_caller(frame), _file(frame.f_code))
        finally:
            self._busy = False

    def _is_given(self, frame: FrameType) -> bool:
        if self.met and frame.f_code.co_name in self._bare:
            return True
        return any(map(self._holds, _given(frame)))

    def _begins(self, frame: FrameType) -> bool:
        """Whether a frame is called, and not only a generator that goes on."""
        if not frame.f_code.co_flags & CO_GENERATOR:
            return True
        known = id(frame) in self._generators
        self._generators[id(frame)] = frame  # kept, so that no other frame gets its id
        return not known

    def _hand(self, giver: str, taker: str) -> None:
        if self._begin and not self.met:
            self.met += [taker] if taker == self._begin else []
            return
        for file in (giver, taker):
            if file and file not in self.met:
                self.met.append(file)
        if giver != taker:
            self.handed.add((giver, taker))

    def between(self, files: Sequence[str]) -> set[str]:
        """Return the files that are missing in a list: by them the datum passes from a file of it to a later one.

        Args:
            files: the list.
        """
        missing: set[str] = set()
        for i, file in enumerate(files[:-1]):
            onward = _reached({file}, self.handed, {*files})
            back = _reached({*files[i + 1 :]}, {(b, a) for a, b in self.handed}, {*files})
            missing |= onward & back
        return missing - {""}


def _reached(begin: set[str], handed: set[tuple[str, str]], closed: set[str]) -> set[str]:
    """Return the files that are reached from some by files that are not closed."""
    reached: set[str] = set()
    newest = begin
    while newest:
        newest = {b for a, b in handed if a in newest} - closed - reached
        reached |= newest
    return reached


@contextmanager
def followed(holds: Holds, bare: Sequence[str] = (), begin: str = "") -> Iterator[Way]:
    """Follow a datum through what runs meanwhile, in all threads that begin meanwhile too."""
    way = Way(holds, bare, begin)
    threading.setprofile(way.look)
    sys.setprofile(way.look)
    try:
        yield way
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def _is_ours(code: CodeType) -> bool:
    return code.co_filename.startswith(_ROOMS)


def _file(code: CodeType) -> str:
    return str(Path(code.co_filename).relative_to(ROOT))


def _caller(frame: FrameType) -> str:
    """The nearest file of ours from which a frame is called; an empty name if there is none."""
    back = frame.f_back
    while back is not None and not _is_ours(back.f_code):
        back = back.f_back
    return "" if back is None else _file(back.f_code)


def _given(frame: FrameType) -> Iterator[object]:
    code, local = frame.f_code, frame.f_locals
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & CO_VARARGS) + bool(code.co_flags & CO_VARKEYWORDS)
    for name in code.co_varnames[:count]:
        if name not in ("self", "cls") and name in local:
            yield local[name]
