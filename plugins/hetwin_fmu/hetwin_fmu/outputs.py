"""Outputs of an FMU as attributes of entities."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from hetwin_fmu.settings import Settings
from hetwin_fmu.units import UnitTable, units_of
from hetwin_fmu.variables import Variable, variable_of
from hetwin_suite.model import (
    EXTERNAL_WRENCH,
    POSE,
    AttributeSpec,
    BadInput,
    Floats,
    Ints,
    Layout,
    Meaning,
    Reference,
)

_KNOWN = {spec.name: spec for spec in (POSE, EXTERNAL_WRENCH)}
"""Standard attributes, whose numbers have a fixed meaning."""
KEY = "outputs"


@dataclass(slots=True)
class _Piece:
    """A part of an attribute, and the variables that compute it.

    Attributes:
        reference: the attribute, or a part of it.
        where: key in the scenario.
        variables: variables, in the order of the numbers.
        read: (n,) indices among the numbers read from the FMU.
        inside: (n,) indices in the attribute.
        factors: (n,) factors of the conversion to the attribute's physical unit.
        offsets: (n,) offsets of this conversion.
    """

    reference: Reference
    where: str
    variables: tuple[Variable, ...]
    read: Ints
    inside: Ints
    factors: Floats
    offsets: Floats

    def connect(self, attribute: AttributeSpec, inside: Ints, units: UnitTable) -> None:
        """Set the indices in the attribute, and the conversion to its physical units.

        Raises:
            BadInput: if the numbers of values differ, or the units are incompatible.
        """
        if len(inside) != len(self.read):
            raise BadInput(
                f"{self.reference.text} has {len(inside)} numbers, and these are {len(self.read)}",
                where=self.where,
                found=[v.name for v in self.variables],
                expected="as many numbers; [index] or [first:last] behind the attribute chooses some",
            )
        self.inside = inside
        names = units_of(attribute)
        given = [v.unit for v in self.variables for _ in range(v.size)]
        for i, (index, unit) in enumerate(zip(inside, given, strict=True)):
            conversion = units.conversion(unit, names[index], self.where)
            if conversion is not None:
                self.factors[i], self.offsets[i] = conversion.factor, conversion.offset


@dataclass(slots=True)
class Output:
    """An attribute that the FMU computes, completely or in parts.

    Attributes:
        entity: name of the entity.
        attribute: name of the attribute.
        is_own: whether the FMU adds the attribute to the scene; otherwise it takes it over from another model.
        spec: declaration of the attribute; None before `connect` for an attribute of another model.
    """

    entity: str
    attribute: str
    is_own: bool
    spec: AttributeSpec | None = None
    _pieces: list[_Piece] = field(default_factory=list)

    @property
    def key(self) -> tuple[str, str]:
        """Entity and attribute."""
        return self.entity, self.attribute

    def connect(self, layout: Layout, units: UnitTable) -> None:
        """Find the attribute of another model in the scene.

        Raises:
            BadInput: if the scene lacks it, or the FMU's numbers do not fit it.
        """
        if self.is_own:
            return
        for piece in self._pieces:
            self.spec, inside = piece.reference.find(layout, piece.where)
            piece.connect(self.spec, inside, units)

    def assemble(self, numbers: Floats, before: Floats) -> Floats:
        """Return (size,) the attribute's values.

        Args:
            numbers: numbers read from the FMU.
            before: (size,) previous values, kept for parts that the FMU does not compute.
        """
        values = before.copy()
        for piece in self._pieces:
            values[piece.inside] = numbers[piece.read] * piece.factors + piece.offsets
        return values

    def add(self, piece: _Piece) -> None:
        """Add a part."""
        self._pieces.append(piece)


@dataclass(slots=True)
class Outputs:
    """All attributes that the FMU computes.

    Attributes:
        variables: variables that are read from the FMU, in the order of the numbers.
        each: (entity, attribute) -> output.
    """

    variables: list[Variable]
    each: dict[tuple[str, str], Output]

    @property
    def own(self) -> list[Output]:
        """Outputs that the FMU adds to the scene."""
        return [output for output in self.each.values() if output.is_own]


def read_outputs(
    settings: Settings, variables: Mapping[str, Variable], units: UnitTable
) -> Outputs:
    """Read the outputs of a scenario.

    Raises:
        BadInput: if a variable is unknown, or does not fit its attribute.
    """
    taken = _taken_over(settings)
    found = Outputs([], {})
    for text, given in settings.outputs.items():
        where = f"{KEY}.{text}"
        reference = Reference.from_text(text, where)
        names = [given] if isinstance(given, str) else given
        chosen = tuple(variable_of(variables, name, where, "output") for name in names)
        begin = sum(v.size for v in found.variables)
        found.variables += chosen
        piece = _piece(reference, where, chosen, begin)
        is_own = reference.key not in taken
        if is_own:
            _add_own(found, piece, settings, units)
        else:
            output = found.each.setdefault(reference.key, Output(*reference.key, is_own=False))
            output.add(piece)
    _check_taken_over(taken, found)
    return found


def _taken_over(settings: Settings) -> dict[tuple[str, str], str]:
    """Return (entity, attribute) of attributes to take over -> key in the scenario."""
    found = {}
    for index, text in enumerate(settings.takes_over):
        where = f"takes_over.{index}"
        reference = Reference.from_text(text, where)
        if reference.part:
            raise BadInput(
                "only a whole attribute is handed over",
                where=where,
                found=text,
                expected=f"{reference.entity}.{reference.attribute}",
            )
        found[reference.key] = where
    return found


def _check_taken_over(taken: Mapping[tuple[str, str], str], found: Outputs) -> None:
    for (entity, attribute), where in taken.items():
        if (entity, attribute) not in found.each:
            raise BadInput(
                "the unit does not compute this attribute",
                where=where,
                found=f"{entity}.{attribute}",
                expected=f"one of {KEY}",
            )


def _piece(reference: Reference, where: str, chosen: tuple[Variable, ...], begin: int) -> _Piece:
    size = sum(v.size for v in chosen)
    read = np.arange(begin, begin + size, dtype=np.int32)
    inside = np.arange(size, dtype=np.int32)
    return _Piece(reference, where, chosen, read, inside, np.ones(size), np.zeros(size))


def _add_own(found: Outputs, piece: _Piece, settings: Settings, units: UnitTable) -> None:
    """Add an output that the FMU adds to the scene."""
    reference, where = piece.reference, piece.where
    advice = f"takes_over: [{reference.entity}.{reference.attribute}], and a handover to this model"
    if reference.part:
        raise BadInput(
            "a part of an attribute can only be computed of one that another model has brought",
            where=where,
            found=reference.text,
            expected=f"a whole attribute, or {advice}",
        )
    if reference.attribute == POSE.name and reference.entity not in settings.concepts:
        raise BadInput(
            "another model brings the poses of bodies",
            where=where,
            found=reference.text,
            expected=advice,
        )
    output = Output(*reference.key, is_own=True, spec=_spec(reference.attribute, piece.variables))
    assert output.spec is not None
    if output.attribute in _KNOWN:
        inside = np.arange(output.spec.size, dtype=np.int32)
        piece.connect(output.spec, inside, units)
    output.add(piece)
    found.each[reference.key] = output


def _spec(attribute: str, variables: Iterable[Variable]) -> AttributeSpec:
    if attribute in _KNOWN:
        return _KNOWN[attribute]
    chosen = list(variables)
    size = sum(v.size for v in chosen)
    if size == 1 and chosen[0].is_truth:
        return AttributeSpec(attribute, meaning=Meaning.TRUTH)
    names = list(dict.fromkeys(v.unit for v in chosen))
    return AttributeSpec(attribute, size, ", ".join(filter(None, names)))
