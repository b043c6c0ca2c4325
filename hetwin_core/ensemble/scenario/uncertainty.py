"""Uncertainty and outcomes of a scenario, which studies of many runs sample and evaluate."""

from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, Tag, model_validator

from hetwin_core.ensemble.validation import (
    Finite,
    Strict,
    Text,
    Vector3,
    alternatives,
    tag,
)

NotNegative = Annotated[Finite, Field(ge=0)]
Weights = Annotated[list[NotNegative], Field(min_length=1)]


def _check_not_negative(values: list[float]) -> list[float]:
    if min(values) < 0.0:
        raise ValueError("three numbers of at least 0")
    return values


def _check_order(values: list[float]) -> list[float]:
    if len(values) != 2 or values[0] > values[1]:
        raise ValueError("two numbers, the lower one first")
    return values


Sigmas = Annotated[Vector3, AfterValidator(_check_not_negative)]
Range = Annotated[
    list[Finite],
    AfterValidator(_check_order),
    Field(json_schema_extra={"minItems": 2, "maxItems": 2}),
]


class Spread(Strict):
    """Spread of a pose about its nominal value; omitted parts are certain.

    Attributes:
        sigma: standard deviations along the world's x, y, z [m].
        yaw: standard deviation of the rotation about the world's z [rad].
        roll: the same about x.
        pitch: the same about y.
        away: range (minimum, maximum) of a horizontal displacement in a random direction [m].
    """

    sigma: Sigmas = Field(default=[0.0, 0.0, 0.0])
    yaw: NotNegative = 0.0
    roll: NotNegative = 0.0
    pitch: NotNegative = 0.0
    away: Range = Field(default=[0.0, 0.0])


def _check_weights(weights: list[float], count: int, noun: str) -> None:
    if len(weights) != count:
        raise ValueError(f"as many weights as {noun} ({count}), not {len(weights)}")
    if sum(weights) <= 0.0:
        raise ValueError("weights with at least one above 0")


class PoseMixture(Strict):
    """One of several spreads of a pose, with probabilities by their weights."""

    mixture: Annotated[list[Spread], Field(min_length=1)]
    weights: Weights

    @model_validator(mode="after")
    def _check(self) -> Self:
        _check_weights(self.weights, len(self.mixture), "parts of the mixture")
        return self


class Sigma(Strict):
    """A number with a standard deviation, in its own unit."""

    sigma: NotNegative


class Factor(Strict):
    """A positive number times a random factor whose logarithm has this standard deviation."""

    factor: NotNegative


class Uniform(Strict):
    """A number uniformly distributed between two, in its own unit."""

    between: Range


class Values(Strict):
    """One of several values, equally likely without weights."""

    values: Annotated[list[Any], Field(min_length=1)]
    weights: Weights | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.weights is not None:
            _check_weights(self.weights, len(self.values), "values")
        return self


Simple = Annotated[
    Annotated[Sigma, Tag(tag("sigma"))]
    | Annotated[Factor, Tag(tag("factor"))]
    | Annotated[Uniform, Tag(tag("between"))]
    | Annotated[Values, Tag(tag("values"))],
    alternatives("sigma", "factor", "between", "values"),
]


class Mixture(Strict):
    """One of several distributions of a number, with probabilities by their weights."""

    mixture: Annotated[list[Simple], Field(min_length=1)]
    weights: Weights

    @model_validator(mode="after")
    def _check(self) -> Self:
        _check_weights(self.weights, len(self.mixture), "parts of the mixture")
        return self


NumberSpread = Annotated[
    Annotated[Sigma, Tag(tag("sigma"))]
    | Annotated[Factor, Tag(tag("factor"))]
    | Annotated[Uniform, Tag(tag("between"))]
    | Annotated[Mixture, Tag(tag("mixture"))]
    | Annotated[Values, Tag(tag("values"))],
    alternatives("sigma", "factor", "between", "mixture", "values"),
]
"""Distribution of an uncertain number."""
PoseSpread = Annotated[
    Annotated[PoseMixture, Tag(tag("mixture"))] | Annotated[Spread, Tag(tag("spread"))],
    alternatives("mixture", otherwise="spread"),
]


class Uncertain(BaseModel):
    """The uncertainty of an entity, or of a model's parameters.

    Attributes:
        pose: initial pose of an entity.
        carries: entities that are displaced with it, such as objects on it.
        mass: mass of an object.
        friction: coefficient of all its surfaces.
        bounce: coefficient of restitution against a hard body, 0 to 1.
        grip: for a hand, the factor on the recorded force of its fingers.

    Any other key is a parameter of a model.
    """

    model_config = ConfigDict(extra="allow", frozen=True, defer_build=True)
    __pydantic_extra__: dict[str, NumberSpread] = Field(init=False)

    pose: PoseSpread | None = None
    carries: list[Text] = Field(default=[])
    mass: NumberSpread | None = None
    friction: NumberSpread | None = None
    bounce: NumberSpread | None = None
    grip: NumberSpread | None = None

    @property
    def parameters(self) -> dict[str, NumberSpread]:
        """The uncertain parameters of a model."""
        return dict(self.__pydantic_extra__ or {})
