"""Reads and writes the numbers of variables, all of one type with one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hetwin_fmu.variables import Variable, limits
from hetwin_suite.model import Floats, Ints

_AS_2 = {"Enumeration": "Integer"}
_AS_3 = {"Enumeration": "Int64"}


class OutOfRange(ValueError):
    """A number that a variable cannot hold."""


@dataclass(frozen=True, slots=True)
class _Group:
    """The variables of one type: the call that reads or writes them, and the places of their numbers."""

    call: Callable[..., Any]
    references: list[int]
    places: Ints
    variables: tuple[Variable, ...]


class Access:
    """Reads and writes some variables of an instance.

    Args:
        instance: FMPy's.
        version: of FMI, 2 or 3.
        variables: in the order of the numbers.

    Attributes:
        size: how many numbers they have.
    """

    def __init__(self, instance: Any, version: int, variables: Sequence[Variable]) -> None:
        self.variables = tuple(variables)
        self._version = version
        self._readers = _groups(instance, "get", version, variables)
        self._writers = _groups(instance, "set", version, variables)
        self.size = sum(v.size for v in variables)

    def read(self) -> Floats:
        """(size,) the present values; truth values are 1.0 and 0.0."""
        values = np.empty(self.size)
        for group in self._readers:
            counted = (group.references, len(group.places))
            values[group.places] = group.call(*counted[: self._version - 1])
        return values

    def write(self, values: Floats) -> None:
        """Set all variables; whole numbers to the nearest, truth values to whether a number is at least one half.

        Args:
            values: (size,) in the order of the variables.

        Raises:
            OutOfRange: if a variable cannot hold its number.
        """
        for group in self._writers:
            group.call(group.references, _converted(group, values[group.places], self._version))


def _groups(
    instance: Any, verb: str, version: int, variables: Sequence[Variable]
) -> tuple[_Group, ...]:
    ends = np.cumsum([v.size for v in variables])
    places = [np.arange(e - v.size, e) for e, v in zip(ends, variables, strict=True)]
    named = _AS_2 if version == 2 else _AS_3
    found = []
    for kind in dict.fromkeys(v.type for v in variables):
        chosen = [i for i, v in enumerate(variables) if v.type == kind]
        found.append(
            _Group(
                getattr(instance, f"{verb}{named.get(kind, kind)}"),
                [variables[i].reference for i in chosen],
                np.concatenate([places[i] for i in chosen]).astype(np.int32),
                tuple(variables[i] for i in chosen),
            )
        )
    return tuple(found)


def _converted(group: _Group, values: Floats, version: int) -> list[Any]:
    """The numbers as the type of the group has them."""
    first = group.variables[0]
    if first.is_truth:
        return [bool(v >= 0.5) for v in values]
    if not first.is_whole:
        return list(values.tolist())
    least, most = limits(first.type, version)
    whole = [round(v) for v in values.tolist()]
    for number in whole:
        if not least <= number <= most:
            names = ", ".join(v.name for v in group.variables)
            raise OutOfRange(
                f"{names}: {number} is no {first.type}, which is from {least} to {most}"
            )
    return whole
