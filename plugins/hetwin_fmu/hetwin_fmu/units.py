"""Conversion between the physical units that an FMU defines and those of attributes.

An FMU defines each unit by exponents of SI base units, a factor and an offset. Display units are ignored.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hetwin_suite.model import EXTERNAL_WRENCH, POSE, AttributeSpec, BadInput

_BASES = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")
_GROUPS = {POSE: (3, 4, 3, 3), EXTERNAL_WRENCH: (3, 3)}
"""Attribute with several units -> number of consecutive values in each unit."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit in terms of SI base units: x in this unit is `factor` * x + `offset` in base units.

    Attributes:
        exponents: exponents of kg, m, s, A, K, mol, cd and rad.
        factor, offset: conversion to base units.
    """

    exponents: tuple[int, ...]
    factor: float = 1.0
    offset: float = 0.0

    def times(self, other: Unit, power: int) -> Unit:
        """Return the product with a power of another unit."""
        exponents = (a + power * b for a, b in zip(self.exponents, other.exponents, strict=True))
        return Unit(tuple(exponents), self.factor * other.factor**power)


@dataclass(frozen=True, slots=True)
class Conversion:
    """Conversion between units: x in one unit is `factor` * x + `offset` in the other."""

    factor: float = 1.0
    offset: float = 0.0


SAME = Conversion()
_ONE = Unit((0,) * len(_BASES))


def _si(factor: float = 1.0, offset: float = 0.0, **powers: int) -> Unit:
    return Unit(tuple(powers.get(base, 0) for base in _BASES), factor, offset)


_WORDS: Mapping[str, Unit] = {
    **{base: _si(**{base: 1}) for base in _BASES},
    "1": _ONE,
    "quaternion wxyz": _ONE,
    "g": _si(1e-3, kg=1),
    "mm": _si(1e-3, m=1),
    "cm": _si(1e-2, m=1),
    "min": _si(60.0, s=1),
    "h": _si(3600.0, s=1),
    "deg": _si(math.pi / 180.0, rad=1),
    "rpm": _si(math.pi / 30.0, rad=1, s=-1),
    "degC": _si(1.0, 273.15, K=1),
    "Hz": _si(s=-1),
    "N": _si(kg=1, m=1, s=-2),
    "Nm": _si(kg=1, m=2, s=-2),
    "Pa": _si(kg=1, m=-1, s=-2),
    "J": _si(kg=1, m=2, s=-2),
    "W": _si(kg=1, m=2, s=-3),
    "V": _si(kg=1, m=2, s=-3, A=-1),
    "Ohm": _si(kg=1, m=2, s=-3, A=-2),
    "C": _si(A=1, s=1),
    "Ah": _si(3600.0, A=1, s=1),
    "%": Unit(_ONE.exponents, 1e-2),
}
"""Words in the units of attributes -> unit."""
_FACTOR = re.compile(r"([^\d^]+|1)\^?(-?\d+)?")


def unit_of_words(text: str) -> Unit | None:
    """Parse a unit such as ``m/s2``, ``kg m^2`` or ``1/s``; None if the text contains an unknown word."""
    if text in _WORDS:
        return _WORDS[text]
    product = _ONE
    for side, part in enumerate(text.split("/")):
        for word in filter(None, re.split(r"[ .*()]+", part)):
            found = _FACTOR.fullmatch(word)
            unit = _WORDS.get(found.group(1)) if found else None
            if found is None or unit is None or unit.offset:
                return None
            power = int(found.group(2) or 1)
            product = product.times(unit, -power if side else power)
    return product


def units_of(attribute: AttributeSpec) -> list[str]:
    """Return the unit of each number of an attribute as text; empty if unknown."""
    groups = _GROUPS.get(attribute)
    if groups is None:
        alone = "" if "," in attribute.unit else attribute.unit
        return [alone] * attribute.size
    words = attribute.unit.split(", ")
    return [word for word, count in zip(words, groups, strict=True) for _ in range(count)]


@dataclass(frozen=True, slots=True)
class UnitTable:
    """The units that an FMU defines: name -> unit; None for a unit without a definition."""

    units: Mapping[str, Unit | None]

    @classmethod
    def of(cls, description: Any) -> UnitTable:
        """Read the units of a model description from FMPy."""
        return cls({unit.name: _base(unit.baseUnit) for unit in description.unitDefinitions})

    def conversion(self, given: str, wanted: str, where: str) -> Conversion | None:
        """Return the conversion from one unit to another; None if one of them is unknown.

        Args:
            given: unit of the values, as named by an attribute or defined by the FMU; ``A or B`` for alternatives.
            wanted: unit of the result.
            where: key in the scenario.

        Raises:
            BadInput: if the units measure different quantities.
        """
        if not given or not wanted:
            return None
        if given == wanted:
            return SAME
        target = self._meaning(wanted)
        sources = [self._meaning(word) for word in given.split(" or ")]
        if target is None or any(source is None for source in sources):
            return None
        for source in sources:
            if source is not None and source.exponents == target.exponents:
                offset = (source.offset - target.offset) / target.factor
                return Conversion(source.factor / target.factor, offset)
        raise BadInput(
            "these units measure different things",
            where=where,
            found=f"{given} for {wanted}",
            expected=f"something that is measured in {wanted}",
        )

    def _meaning(self, name: str) -> Unit | None:
        """Return a unit by the FMU's definition, otherwise by its name; None if unknown."""
        return self.units.get(name) or unit_of_words(name)


def _base(found: Any) -> Unit | None:
    if found is None:
        return None
    exponents = tuple(int(getattr(found, base)) for base in _BASES)
    return Unit(exponents, float(found.factor), float(found.offset))
