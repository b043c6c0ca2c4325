"""What a saved state consists of, and how what is no number, text or list stands in it."""

from __future__ import annotations

from typing import Any, TypeAlias

from numpy.typing import NDArray

from hetwin_core.ensemble.errors import Refused

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | NDArray[Any] | None"
"""Data without any object: what JSON can express, and numpy arrays."""

SCALARS = frozenset({bool, int, float, str, type(None)})
"""Types of what stands for itself."""
UNCHANGING = "unchanging"
"""Attribute of a class, true: its instances do not change once a model is initialized, and are not saved."""
SAVED_AS = "saved_as"
"""Method of a class: returns what is saved and restored in the place of an instance."""
TAG = "$"
"""Begins the key by which a dictionary stands for something else."""

REF, SHARED, KEPT, OBJECT, ENUM, NAMED = "$ref", "$shared", "$kept", "$object", "$enum", "$named"
DICT, SCALAR, VIEW = "$dict", "$scalar", "$view"
"""Beside those of `kinds`."""


class Unsaveable(Refused):
    """Something has a state that cannot be saved, or a saved state does not fit."""


def class_name(cls: type[Any]) -> str:
    """Name of a class, by which `classes.find` finds it."""
    return f"{cls.__module__}:{cls.__qualname__}"


def numbers_of(saved: Plain, *keys: str) -> tuple[int, ...]:
    """Return the whole numbers that stand at some keys.

    Raises:
        Unsaveable: if one is not there.
    """
    found = [saved.get(key) if isinstance(saved, dict) else None for key in keys]
    for key, number in zip(keys, found, strict=True):
        if type(number) is not int:
            raise Unsaveable(f"the saved state has no whole number {key!r}")
    return tuple(number for number in found if isinstance(number, int))
