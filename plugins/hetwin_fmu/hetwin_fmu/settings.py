"""The parameters of an FMU in a scenario."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from hetwin_suite.model import Amount, File, Name, Number, Parameters, Strict, Text, parameter


class Scaled(Strict):
    """Numbers of an attribute, scaled by `factor` and shifted by `offset`; physical units are not converted."""

    of: Text
    factor: Number = 1.0
    offset: Number = 0.0


ValueSpec: TypeAlias = Annotated[bool, Field(strict=True)] | Number | list[Number] | Text | Scaled
"""A value in a scenario: numbers, a boolean, a text, or a reference to numbers of an attribute."""


class Settings(Parameters):
    """All parameters of the model.

    A reference is ENTITY.ATTRIBUTE, optionally followed by [index], [first:last] or [joint], or a `Scaled` object.
    """

    file: File = parameter("the unit, an .fmu file of FMI 2 or 3 for co-simulation")
    inputs: dict[Text, ValueSpec] = parameter(
        "variable of the unit -> what it is set to before each step: a reference, or a value", {}
    )
    outputs: dict[Text, Text | Annotated[list[Text], Field(min_length=1)]] = parameter(
        "ENTITY.ATTRIBUTE -> variable of the unit that gives it, or a list of them", {}
    )
    start: dict[Text, ValueSpec] = parameter(
        "variable of the unit -> its value at the start: a value, or a reference, which is read again whenever"
        " the unit takes that attribute",
        {},
    )
    concepts: tuple[Name, ...] = parameter(
        "new entities without a body that the unit brings into the scene", ()
    )
    takes_over: tuple[Text, ...] = parameter(
        "outputs that other models have brought, which the unit computes from a handover on", ()
    )
    events: dict[Name, Text] = parameter(
        "event -> variable of the unit: a truth value that becomes true, or with `not ` before it false; a whole"
        " number that changes",
        {},
    )
    step: Amount | None = parameter(
        "longest communication step; default: from one step of the model to the next",
        None,
        "s",
        gt=0,
    )
    tolerance: Amount | None = parameter(
        "relative tolerance of the unit's solver; default: its own", None, gt=0
    )
    reproducible: bool = parameter(
        "whether the unit gives the same bits for the same input; false of one that draws random numbers",
        True,
    )
    verbose: bool = parameter(
        "whether the unit logs all that it can, not just what went wrong", False
    )
