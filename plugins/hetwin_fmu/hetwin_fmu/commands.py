"""Arguments of the commands that triggers may send to an FMU: set variables, save its state, restore a saved state."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hetwin_fmu.instance import Assignment
from hetwin_fmu.variables import Variable, variable_of
from hetwin_suite.model import BadInput, Json, Refused

COMMANDS = "set (VARIABLE: value, ...), save (name) and restore (name)"


def read_set(arguments: Mapping[str, Json], variables: Mapping[str, Variable]) -> Assignment:
    """Return the variables and values of the command ``set``.

    Raises:
        Refused: if a variable cannot be set between steps, or its value has the wrong type or size.
    """
    chosen, values = [], []
    for name, value in arguments.items():
        try:
            variable = variable_of(variables, name, name, "input")
        except BadInput as error:
            raise Refused(str(error)) from None
        if not variable.is_tunable:
            kind = f"a {variable.variability} {variable.causality}"
            raise Refused(f"{name} cannot be set while the unit steps: it is {kind}")
        chosen.append(variable)
        values.append(_numbers(variable, value))
    return Assignment(tuple(chosen), np.concatenate(values) if values else np.zeros(0))


def _numbers(variable: Variable, value: Json) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    listed = value if isinstance(value, list) else [value]
    good = all(isinstance(v, bool | int | float) for v in listed)
    if not good or len(listed) != variable.size:
        expected = "a number" if variable.size == 1 else f"{variable.size} numbers"
        raise Refused(f"{variable.name} cannot be set to {value!r}; expected {expected}")
    return np.array(listed, np.float64)


def state_name(arguments: Mapping[str, Json]) -> str:
    """Return the name of a saved state in the arguments of ``save`` and ``restore``; empty if none is given."""
    name = arguments.get("name", "")
    if not isinstance(name, str) or set(arguments) - {"name"}:
        raise Refused(f"a state is named by a text, name: warm; found {dict(arguments)}")
    return name
