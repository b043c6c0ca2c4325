"""Where the values of inputs and start values come from: numbers in the scenario, or attributes of the scene."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hetwin_fmu.instance import Given
from hetwin_fmu.settings import Given as Written
from hetwin_fmu.settings import Scaled
from hetwin_fmu.units import Conversion, UnitTable, units_of
from hetwin_fmu.variables import Variable, variable_of
from hetwin_suite.model import BadInput, Floats, Ints, Layout, Reference


@dataclass(frozen=True, slots=True)
class Source:
    """Where the value of one variable comes from.

    Attributes:
        variable: of the unit.
        where: place in the scenario.
        values: (size,) its numbers, if the scenario gives them; else zeros.
        reference: the numbers of the scene, else None.
        scale: how they become those of the variable; None: by their units.
    """

    variable: Variable
    where: str
    values: Floats
    reference: Reference | None = None
    scale: Conversion | None = None


def read_sources(
    written: Mapping[str, Written], variables: Mapping[str, Variable], key: str
) -> tuple[Source, ...]:
    """The sources of the inputs, or of the start values, as a scenario has them.

    Args:
        written: variable -> value or reference.
        variables: of the unit, by name.
        key: the parameter that they are, ``inputs`` or ``start``.

    Raises:
        BadInput: if a variable is unknown or cannot be set, or a value does not fit it.
    """
    return tuple(_source(name, given, variables, key) for name, given in written.items())


def _source(name: str, given: Written, variables: Mapping[str, Variable], key: str) -> Source:
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
    if not ((variable.least <= values) & (values <= variable.most)).all():
        raise BadInput(
            "the unit does not allow this value",
            where=where,
            found=given,
            expected=f"from {variable.least:g} to {variable.most:g}",
        )
    return values


class Feed:
    """The values of some variables, taken from the scene as its layout is.

    Args:
        sources: of the variables.
        layout: of the scene.
        units: that the unit defines.

    Attributes:
        unchecked: what could not be checked, in words.

    Raises:
        BadInput: if the scene has no such numbers, not as many, or in another unit.
    """

    def __init__(self, sources: Sequence[Source], layout: Layout, units: UnitTable) -> None:
        self._variables = tuple(source.variable for source in sources)
        self._constant = np.concatenate([s.values for s in sources]) if sources else np.zeros(0)
        self.unchecked: list[str] = []
        places, indices, conversions = [], [], []
        place = 0
        for source in sources:
            size = source.variable.size
            if source.reference is not None:
                found, converted = self._found(source, source.reference, layout, units)
                places.append(np.arange(place, place + size))
                indices.append(found)
                conversions += converted
            place += size
        self._places = np.concatenate(places).astype(np.int32) if places else np.zeros(0, np.int32)
        self._indices = np.concatenate(indices) if indices else np.zeros(0, np.int32)
        self._factors = np.array([c.factor for c in conversions])
        self._offsets = np.array([c.offset for c in conversions])

    @property
    def refers(self) -> bool:
        """Whether any value comes from the scene."""
        return len(self._places) > 0

    def values(self, scene: Floats) -> Given:
        """The variables with their values.

        Args:
            scene: (layout.size,) all numbers of the scene.
        """
        if not self.refers:
            return Given(self._variables, self._constant)
        values = self._constant.copy()
        values[self._places] = scene[self._indices] * self._factors + self._offsets
        return Given(self._variables, values)

    def _found(
        self, source: Source, reference: Reference, layout: Layout, units: UnitTable
    ) -> tuple[Ints, list[Conversion]]:
        """The places of the numbers in the scene, and how they become those of the variable."""
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


def constants(sources: Sequence[Source]) -> Given:
    """Those values that the scenario gives as numbers."""
    fixed = [source for source in sources if source.reference is None]
    numbers = np.concatenate([s.values for s in fixed]) if fixed else np.zeros(0)
    return Given(tuple(s.variable for s in fixed), numbers)
