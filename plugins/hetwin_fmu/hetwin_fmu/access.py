"""Reads and writes the values of an FMU's variables, with one call per type."""

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
    """A number outside the range of a variable's type."""


@dataclass(frozen=True, slots=True)
class _Group:
    """The variables of one type: the call that reads or writes them, and the indices of their numbers."""

    call: Callable[..., Any]
    references: list[int]
    indices: Ints
    variables: tuple[Variable, ...]


class Access:
    """Reads and writes some variables of an FMU's instance.

    Args:
        instance: FMPy's instance.
        version: version of FMI, 2 or 3.
        variables: the variables; their numbers are read and written in this order.

    Attributes:
        size: number of the variables' numbers.
    """

    def __init__(self, instance: Any, version: int, variables: Sequence[Variable]) -> None:
        self.variables = tuple(variables)
        self._version = version
        self._readers = _groups(instance, "get", version, variables)
        self._writers = _groups(instance, "set", version, variables)
        self.size = sum(v.size for v in variables)

    def read(self) -> Floats:
        """Return (size,) the present values; booleans are 1.0 and 0.0."""
        values = np.empty(self.size)
        for group in self._readers:
            arguments = (group.references, len(group.indices))  # FMI 3 also takes the number
            values[group.indices] = group.call(*arguments[: self._version - 1])
        return values

    def write(self, values: Floats) -> None:
        """Set all variables. Integers are rounded; booleans are true for numbers >= 0.5.

        Args:
            values: (size,) values in the order of the variables.

        Raises:
            OutOfRange: if a number is outside the range of its variable's type.
        """
        for group in self._writers:
            group.call(group.references, _converted(group, values[group.indices], self._version))


def _groups(
    instance: Any, verb: str, version: int, variables: Sequence[Variable]
) -> tuple[_Group, ...]:
    ends = np.cumsum([v.size for v in variables])
    indices = [np.arange(e - v.size, e) for e, v in zip(ends, variables, strict=True)]
    named = _AS_2 if version == 2 else _AS_3
    found = []
    for kind in dict.fromkeys(v.type for v in variables):
        chosen = [i for i, v in enumerate(variables) if v.type == kind]
        found.append(
            _Group(
                getattr(instance, f"{verb}{named.get(kind, kind)}"),
                [variables[i].reference for i in chosen],
                np.concatenate([indices[i] for i in chosen]).astype(np.int32),
                tuple(variables[i] for i in chosen),
            )
        )
    return tuple(found)


def _converted(group: _Group, values: Floats, version: int) -> list[Any]:
    """Convert numbers to the Python type of the group's variables."""
    first = group.variables[0]
    if first.is_truth:
        return [bool(v >= 0.5) for v in values]
    if not first.is_whole:
        return list(values.tolist())
    lower, upper = limits(first.type, version)
    integers = [round(v) for v in values.tolist()]
    for number in integers:
        if not lower <= number <= upper:
            names = ", ".join(v.name for v in group.variables)
            raise OutOfRange(
                f"{names}: {number} is no {first.type}, which is from {lower} to {upper}"
            )
    return integers
