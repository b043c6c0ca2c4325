"""The variables of a unit, as its description declares them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hetwin_suite.model import BadInput, perhaps, some

FLOATS = ("Real", "Float32", "Float64")
WHOLES = (
    *("Integer", "Enumeration", "Int8", "UInt8", "Int16", "UInt16"),
    *("Int32", "UInt32", "Int64", "UInt64"),
)
TRUTHS = ("Boolean",)
NUMBERS = (*FLOATS, *WHOLES, *TRUTHS)
"""The types whose values an attribute can hold."""


@dataclass(frozen=True, slots=True)
class Variable:
    """One variable of a unit.

    Attributes:
        name: as the unit's author has written it.
        reference: the number by which FMI's functions know it.
        type: FMI's name of its type, e.g. ``Real`` or ``Float64``.
        size: how many numbers it has: 1, or those of an array, row by row.
        causality: ``input``, ``output``, ``parameter``, ``structuralParameter``, ``local`` ...
        variability: ``constant``, ``fixed``, ``tunable``, ``discrete`` or ``continuous``.
        initial: ``exact`` or ``approx`` if it has a start value; else ``calculated`` or empty.
        unit: name of its unit among the unit's own definitions; may be empty.
        least: smallest value that it declares, or that its type has; minus infinity if there is none.
        most: largest value that it declares, or that its type has; infinity if there is none.
    """

    name: str
    reference: int
    type: str
    size: int
    causality: str
    variability: str
    initial: str
    unit: str
    least: float = -math.inf
    most: float = math.inf

    @property
    def is_truth(self) -> bool:
        """Whether it is true or false."""
        return self.type in TRUTHS

    @property
    def is_whole(self) -> bool:
        """Whether it is a whole number or the number of an enumeration's item."""
        return self.type in WHOLES

    @property
    def has_start(self) -> bool:
        """Whether its value at the start may be given."""
        if self.variability == "constant":
            return False
        return self.causality == "input" or self.initial in ("exact", "approx")

    @property
    def is_tunable(self) -> bool:
        """Whether it may be given while the unit steps."""
        return self.causality == "input" or (
            self.causality == "parameter" and self.variability == "tunable"
        )


def limits(kind: str, version: int) -> tuple[int, int]:
    """The least and the largest number of a type of whole numbers, in a version of FMI."""
    of_no_size = ("Integer", "Enumeration")
    bits = (32 if version == 2 else 64) if kind in of_no_size else int(kind.strip("UInt"))
    if kind.startswith("U"):
        return 0, 2**bits - 1
    return -(2 ** (bits - 1)), 2 ** (bits - 1) - 1


def read_variables(description: Any, version: int) -> dict[str, Variable]:
    """The variables of a description that FMPy has read, by name.

    Args:
        description: FMPy's.
        version: of FMI, 2 or 3.
    """
    return {v.name: _variable(v, version) for v in description.modelVariables}


def _variable(found: Any, version: int) -> Variable:
    declared = found.declaredType
    least, most = (-math.inf, math.inf)
    if found.type in WHOLES:
        least, most = limits(found.type, version)
    return Variable(
        found.name,
        found.valueReference,
        found.type,
        int(math.prod(found.shape or ())),
        found.causality or "",
        found.variability or "",
        found.initial or "",
        found.unit or (declared.unit if declared else None) or "",
        float(found.min or (declared.min if declared else None) or least),
        float(found.max or (declared.max if declared else None) or most),
    )


def variable_of(
    variables: Mapping[str, Variable], name: str, where: str, causality: str = ""
) -> Variable:
    """The variable of a name, whose numbers an attribute can hold.

    Args:
        variables: all of the unit.
        name: as the scenario has it.
        where: the place in the scenario.
        causality: the one that is likely meant, for the list of names in the error.

    Raises:
        BadInput: if there is none, or if it holds text, bytes or a clock.
    """
    found = variables.get(name)
    if found is None:
        likely = [v.name for v in variables.values() if not causality or v.causality == causality]
        raise BadInput(
            "the unit has no such variable",
            where=where,
            found=name,
            expected=f"one of its {causality or 'variable'}s: {some(likely, 20)}{perhaps(name, variables)}",
        )
    if found.type not in NUMBERS:
        raise BadInput(
            f"an attribute cannot hold a {found.type}",
            where=where,
            found=name,
            expected="a variable with numbers or truth values",
        )
    return found
