"""Sources of the values of inputs and start values: numbers in the scenario, or attributes of the scene."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hetwin_fmu.instance import Assignment
from hetwin_fmu.settings import Scaled, ValueSpec
from hetwin_fmu.units import Conversion, UnitTable, units_of
from hetwin_fmu.variables import Variable, variable_of
from hetwin_suite.model import BadInput, Floats, Ints, Layout, Reference


@dataclass(frozen=True, slots=True)
class Source:
    """The source of a variable's value.

    Attributes:
        variable: variable of the FMU.
        where: key in the scenario.
        values: (size,) constant value; zeros if the value is read from the scene.
        reference: the numbers of the scene from which the value is read; None for a constant.
        scale: conversion of these numbers; None: by their physical units.
    """

    variable: Variable
    where: str
    values: Floats
    reference: Reference | None = None
    scale: Conversion | None = None


def read_sources(
    specs: Mapping[str, ValueSpec], variables: Mapping[str, Variable], key: str
) -> tuple[Source, ...]:
    """Read the sources of the inputs, or of the start values, of a scenario.

    Args:
        specs: variable -> value or reference.
        variables: variables of the FMU, by name.
        key: the parameter that contains `specs`: ``inputs`` or ``start``.

    Raises:
        BadInput: if a variable is unknown or cannot be set, or a value does not fit it.
    """
    return tuple(_source(name, spec, variables, key) for name, spec in specs.items())


def _source(name: str, given: ValueSpec, variables: Mapping[str, Variable], key: str) -> Source:
    where = f"{key}.{name}"
    is_input = key == "inputs"
    if name in variables and variables[name].type == "String" and not is_input:
        raise BadInput("this variable holds text", where=where, found=given, expected="text")
    variable = variable_of(variables, name, where, "input" if is_input else "parameter")
    if is_input and not variable.is_tunable:
        raise BadInput(
            "this variable cannot be set while the unit steps",
            where=where,
            found=f"a {variable.variability} {variable.causality}",
            expected="an input, or a tunable parameter; a value at the start belongs into start",
        )
    if not is_input and (variable.causality == "structuralParameter" or not variable.has_start):
        raise BadInput(
            "this variable takes no value at the start",
            where=where,
            found=f"a {variable.variability} {variable.causality}",
            expected="a parameter, an input, or a variable with a start value",
        )
    if isinstance(given, Scaled):
        scale = Conversion(given.factor, given.offset)
        return Source(
            variable, where, np.zeros(variable.size), Reference.from_text(given.of, where), scale
        )
    if isinstance(given, str):
        return Source(variable, where, np.zeros(variable.size), Reference.from_text(given, where))
    return Source(variable, where, _numbers(variable, given, where))


def _numbers(variable: Variable, given: bool | float | list[float], where: str) -> Floats:
    values = np.atleast_1d(np.array(given, np.float64))
    if values.shape != (variable.size,):
        raise BadInput(
            "the number of values is wrong",
            where=where,
            found=given,
            expected="one value" if variable.size == 1 else f"{variable.size} numbers, row by row",
        )
    if not ((variable.minimum <= values) & (values <= variable.maximum)).all():
        raise BadInput(
            "the unit does not allow this value",
            where=where,
            found=given,
            expected=f"from {variable.minimum:g} to {variable.maximum:g}",
        )
    return values


class Feed:
    """Reads the values of some variables from the scene.

    Args:
        sources: sources of the variables' values.
        layout: layout of the scene.
        units: physical units that the FMU defines.

    Attributes:
        unchecked: notes about physical units that could not be compared.

    Raises:
        BadInput: if the scene lacks an attribute, or it has another size or an incompatible physical unit.
    """

    def __init__(self, sources: Sequence[Source], layout: Layout, units: UnitTable) -> None:
        self._variables = tuple(source.variable for source in sources)
        self._constant = np.concatenate([s.values for s in sources]) if sources else np.zeros(0)
        self.unchecked: list[str] = []
        targets, indices, conversions = [], [], []
        target = 0
        for source in sources:
            size = source.variable.size
            if source.reference is not None:
                found, converted = self._found(source, source.reference, layout, units)
                targets.append(np.arange(target, target + size))
                indices.append(found)
                conversions += converted
            target += size
        no_indices = np.zeros(0, np.int32)
        self._targets = np.concatenate(targets).astype(np.int32) if targets else no_indices
        self._indices = np.concatenate(indices) if indices else no_indices
        self._factors = np.array([c.factor for c in conversions])
        self._offsets = np.array([c.offset for c in conversions])

    @property
    def refers(self) -> bool:
        """Whether any value is read from the scene."""
        return len(self._targets) > 0

    def values(self, scene: Floats) -> Assignment:
        """Return the variables with their values.

        Args:
            scene: (layout.size,) all values of the scene.
        """
        if not self.refers:
            return Assignment(self._variables, self._constant)
        values = self._constant.copy()
        values[self._targets] = scene[self._indices] * self._factors + self._offsets
        return Assignment(self._variables, values)

    def _found(
        self, source: Source, reference: Reference, layout: Layout, units: UnitTable
    ) -> tuple[Ints, list[Conversion]]:
        """Return the indices of a source's numbers in the scene, and the conversion of each number."""
        attribute, inside = reference.find(layout, source.where)
        variable = source.variable
        if len(inside) != variable.size:
            raise BadInput(
                f"{variable.name} has {variable.size} numbers, and these are {len(inside)}",
                where=source.where,
                found=reference.text,
                expected="as many numbers; [index] or [first:last] behind an attribute chooses some",
            )
        if source.scale is not None:
            return inside + layout.range_of(*reference.key).start, [source.scale] * len(inside)
        names = units_of(attribute)
        conversions = []
        for index in inside:
            name = names[index]
            conversion = units.conversion(name, variable.unit, source.where)
            if conversion is None and name and variable.unit:
                text = f"{reference.text} in {name} and {variable.name} in {variable.unit}"
                if f"not compared: {text}" not in self.unchecked:
                    self.unchecked.append(f"not compared: {text}")
            conversions.append(conversion or Conversion())
        return inside + layout.range_of(*reference.key).start, conversions


def constants(sources: Sequence[Source]) -> Assignment:
    """Return the values that the scenario gives as numbers."""
    fixed = [source for source in sources if source.reference is None]
    numbers = np.concatenate([s.values for s in fixed]) if fixed else np.zeros(0)
    return Assignment(tuple(s.variable for s in fixed), numbers)
