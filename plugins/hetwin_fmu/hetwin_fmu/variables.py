"""The variables of an FMU, as declared in its model description."""

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
"""Types whose values an attribute can hold."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of an FMU.

    Attributes:
        name: name in the model description.
        reference: value reference, which identifies it in FMI's functions.
        type: FMI's name of its type, e.g. ``Real`` or ``Float64``.
        size: number of values: 1, or the number of an array's elements (row-major).
        causality: ``input``, ``output``, ``parameter``, ``structuralParameter``, ``local`` ...
        variability: ``constant``, ``fixed``, ``tunable``, ``discrete`` or ``continuous``.
        initial: ``exact`` or ``approx`` if it has a start value; otherwise ``calculated`` or empty.
        unit: name of its physical unit; may be empty.
        minimum: minimum by its declaration or its type; minus infinity if there is none.
        maximum: maximum by its declaration or its type; infinity if there is none.
    """

    name: str
    reference: int
    type: str
    size: int
    causality: str
    variability: str
    initial: str
    unit: str
    minimum: float = -math.inf
    maximum: float = math.inf

    @property
    def is_truth(self) -> bool:
        """Whether it is a boolean."""
        return self.type in TRUTHS

    @property
    def is_whole(self) -> bool:
        """Whether it is an integer or an enumeration."""
        return self.type in WHOLES

    @property
    def has_start(self) -> bool:
        """Whether its start value may be set."""
        if self.variability == "constant":
            return False
        return self.causality == "input" or self.initial in ("exact", "approx")

    @property
    def is_tunable(self) -> bool:
        """Whether it may be set between steps."""
        return self.causality == "input" or (
            self.causality == "parameter" and self.variability == "tunable"
        )


def limits(kind: str, version: int) -> tuple[int, int]:
    """Return minimum and maximum of an integer type in a version of FMI."""
    unsized = ("Integer", "Enumeration")
    bits = (32 if version == 2 else 64) if kind in unsized else int(kind.strip("UInt"))
    if kind.startswith("U"):
        return 0, 2**bits - 1
    return -(2 ** (bits - 1)), 2 ** (bits - 1) - 1


def read_variables(description: Any, version: int) -> dict[str, Variable]:
    """Return name -> variable of a model description.

    Args:
        description: model description as read by FMPy.
        version: version of FMI, 2 or 3.
    """
    return {v.name: _variable(v, version) for v in description.modelVariables}


def _variable(found: Any, version: int) -> Variable:
    declared = found.declaredType
    minimum, maximum = (-math.inf, math.inf)
    if found.type in WHOLES:
        minimum, maximum = limits(found.type, version)
    return Variable(
        found.name,
        found.valueReference,
        found.type,
        int(math.prod(found.shape or ())),
        found.causality or "",
        found.variability or "",
        found.initial or "",
        found.unit or (declared.unit if declared else None) or "",
        float(found.min or (declared.min if declared else None) or minimum),
        float(found.max or (declared.max if declared else None) or maximum),
    )


def variable_of(
    variables: Mapping[str, Variable], name: str, where: str, causality: str = ""
) -> Variable:
    """Return the variable of a name; its values must fit into an attribute.

    Args:
        variables: all variables of the FMU.
        name: name in the scenario.
        where: key in the scenario.
        causality: expected causality, for the list of names in the error.

    Raises:
        BadInput: if there is no such variable, or it holds text, bytes or a clock.
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
