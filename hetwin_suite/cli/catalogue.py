"""What there is to write a scenario with, as rows of tables and as JSON."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, Field

from hetwin_core.ensemble.catalogue import declared, model_class, model_types
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.expressions.evaluators import all_evaluators
from hetwin_core.ensemble.model import Model, Stepping
from hetwin_core.ensemble.parameters import ParameterKind
from hetwin_core.ensemble.scene.values import ANY_ATTRIBUTE

AS_MAIN = "as main"


class ParameterRow(BaseModel):
    """A parameter of a model type."""

    name: str = Field(description="key under `parameters` of a model in a scenario")
    kind: ParameterKind = Field(description="what its value may be")
    required: bool = Field(description="whether a scenario must give it")
    default: Any = Field(description="its value if a scenario does not give it; null: none")
    unit: str = Field(description="unit of its numbers; empty: none")
    description: str = Field(description="what it means")


class AttributeRow(BaseModel):
    """An attribute that models of a type can be responsible for."""

    name: str = Field(description="as responsibilities and triggers name it")
    size: int = Field(description="how many numbers; 0: as many as the entity has, e.g. joints")
    unit: str = Field(description="unit of the numbers; empty: none")


class ModelRow(BaseModel):
    """What a model type declares, as `hetwin list models TYPE --json` prints it."""

    type: str = Field(description="name of the type, or MODULE:CLASS")
    stepping: Stepping | None = Field(
        description="how it steps unless a scenario says otherwise; null: the type cannot be used"
    )
    rate: float | None = Field(description="steps per simulated second; null: as the main model")
    provides: list[str] = Field(description="names of the attributes below")
    parameters: list[ParameterRow] = Field(description="what a scenario can set")
    summary: str = Field(description="what it is; of a type that cannot be used, why")
    attributes: list[AttributeRow] = Field(description="what it can be responsible for")
    raises: dict[str, str] = Field(description="event -> what has happened: its arguments")


def model_rows() -> list[ModelRow]:
    """What each installed model type declares; of one that cannot be used, why."""
    return [_row_of(name) for name in model_types()]


def model_row(name: str) -> ModelRow:
    """What one model type declares.

    Args:
        name: of an installed type, or MODULE:CLASS.

    Raises:
        BadInput: if there is none.
    """
    return _declared(name, model_class(name))


def evaluator_rows() -> dict[str, str]:
    """The docstring of each evaluator, by name."""
    return {name: inspect.getdoc(f) or "" for name, f in sorted(all_evaluators().items())}


def steps(row: ModelRow) -> str:
    """How a model steps, in words."""
    if row.stepping is None:
        return "?"
    return f"{row.stepping}, {AS_MAIN if row.rate is None else f'{row.rate:g}/s'}"


def attribute(row: AttributeRow) -> str:
    """An attribute with its unit, in words."""
    if row.name == ANY_ATTRIBUTE.name:
        return f"{row.name} (what its parameters name)"
    return f"{row.name} [{row.unit}]" if row.unit else row.name


def default(row: ParameterRow, show: Callable[[Any], str] = str) -> str:
    """The default of a parameter, in words."""
    if row.required:
        return "required"
    return "none" if row.default is None else show(row.default)


def _row_of(name: str) -> ModelRow:
    try:
        return model_row(name)
    except BadInput as error:
        return ModelRow(
            type=name,
            stepping=None,
            rate=None,
            provides=[],
            parameters=[],
            summary=f"cannot be used: {error}",
            attributes=[],
            raises={},
        )


def _declared(name: str, cls: type[Model]) -> ModelRow:
    declared(cls)
    return ModelRow(
        type=name,
        stepping=cls.stepping,
        rate=cls.rate,
        provides=[spec.name for spec in cls.provides],
        parameters=[
            ParameterRow.model_validate(request, from_attributes=True) for request in cls.requests()
        ],
        summary=cls.summary,
        attributes=[
            AttributeRow.model_validate(spec, from_attributes=True) for spec in cls.provides
        ],
        raises=dict(cls.raises),
    )
