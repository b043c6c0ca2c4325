"""The nine functional attributes of household objects (Jiang et al., section III.E, Table II)."""

from collections.abc import Iterator
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.expressions.evaluators import FUNCTIONAL_WORDS
from hetwin_core.ensemble.expressions.expression import Expression
from hetwin_core.ensemble.validation import Finite, Positive, Strict, Text


class NoParameters(Strict):
    """An attribute without parameters."""


class HeatSource(Strict):
    """An object that heats or cools others towards its temperature, near it or inside it."""

    temperature: Positive = Field(description="temperature of the source [K]")
    rate: Positive = Field(description="rate constant k in dT/dt = k (T_source - T) [1/s]")
    within: Finite | None = Field(
        None, ge=0, description="maximum distance of its effect, between surfaces [m]"
    )
    inside: bool = Field(False, description="instead of within: it affects objects inside it")
    when: Annotated[str, AfterValidator(lambda text: _check_expression(text))] | None = Field(
        None,
        description="expression with names of entities; the source is active while it is true; default: always",
    )

    @model_validator(mode="after")
    def _check_range(self) -> Self:
        if (self.within is not None) == self.inside:
            raise ValueError("either within: METRES or inside: true")
        return self


class Toggleable(Strict):
    """An object that a button switches on and off."""

    button: Text = Field(description="the link or object that a finger presses")
    dwell: Finite = Field(0.1, ge=0, description="minimum duration of a press [s]")


class Openable(Strict):
    """An object with a door, a drawer or a lid on a joint."""

    joint: Text = Field(description="the joint of the door, by its name in the world's file")
    closed: Finite = Field(description="its position when closed [rad, m]")
    opened: Finite = Field(description="its position when wide open [rad, m]")
    threshold: Finite = Field(
        0.1, gt=0, lt=1, description="share of the travel above which it is open"
    )

    @model_validator(mode="after")
    def _check_positions(self) -> Self:
        if self.closed == self.opened:
            raise ValueError("a position opened that differs from closed")
        return self


class Sliceable(Strict):
    """An object that a blade cuts into parts."""

    parts: list[Text] = Field(
        min_length=2, description="objects that replace it when it is cut, modelled in its frame"
    )
    blade: Text = Field(description="the object or link that cuts")

    @model_validator(mode="after")
    def _check_parts(self) -> Self:
        if len(set(self.parts)) < len(self.parts):
            raise ValueError("distinct parts")
        return self


class Fillable(Strict):
    """An object that can be filled with a liquid."""

    capacity: Positive = Field(description="volume of liquid when it is full [m3]")


def _parse_flag(value: object) -> object:
    return {} if value is True else value


Flag = Annotated[NoParameters | None, BeforeValidator(_parse_flag)]


class FunctionalAttributes(Strict):
    """The functional attributes of an object."""

    pickable: Flag = Field(None, description="it can be picked up and put into receptacles")
    moveable: Flag = Field(None, description="it is not static and can be moved")
    heatable: HeatSource | None = Field(None, description="it heats others")
    coolable: HeatSource | None = Field(None, description="it cools others")
    receptacle: Flag = Field(None, description="others can be on it or in it")
    toggleable: Toggleable | None = Field(None, description="it can be switched on and off")
    openable: Openable | None = Field(None, description="it can be opened")
    sliceable: Sliceable | None = Field(None, description="it can be cut into pieces")
    fillable: Fillable | None = Field(None, description="it can be filled with liquid")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the attributes that the object has."""
        return tuple(name for name in FUNCTIONAL_WORDS if getattr(self, name) is not None)

    def supplemented_by(self, other: Self) -> Self:
        """Return these attributes, supplemented by those of the other."""
        given = {name: getattr(other, name) for name in other.names}
        return type(self)(**given | {name: getattr(self, name) for name in self.names})

    def given(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield each attribute with its parameters."""
        for name in self.names:
            yield name, getattr(self, name).model_dump()


def _check_expression(text: str) -> str:
    try:
        Expression(text)
    except BadInput as error:
        raise ValueError(f"{error.expected}: {error.problem}") from None
    return text
