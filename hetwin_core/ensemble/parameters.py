"""The parameters of a model: its requests, one by one or as one class, and the validation of their values."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self, Union, get_args, get_origin

from pydantic import ConfigDict, Field
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined, to_jsonable_python

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scene.hands import HandDescription
from hetwin_core.ensemble.validation import Number, Pose7, Strict, Text, check


class ParameterKind(StrEnum):
    """Kinds of a model's parameters; the conductor checks or resolves them accordingly."""

    NUMBER = "number"
    INTEGER = "integer"
    TEXT = "text"
    BOOLEAN = "boolean"
    VECTOR = "vector"
    """A list of numbers."""
    ANY = "any"
    """Anything that JSON can express."""
    ENTITY = "entity"
    """Name of an entity of the scene."""
    ENTITIES = "entities"
    """A list of names of entities, or as text a tag or a pattern of objects' names; resolved to a list of names."""
    HAND = "hand"
    """Name of a hand of the scenario; resolved to `HandDescription` as a mapping."""
    MODEL = "model"
    """Name of another model; resolved to its id."""
    POSE = "pose"
    """Seven numbers, or an entity's name; resolved to x y z, qw qx qy qz."""
    WATCH = "watch"
    """The robot that the main model reports about, never given by a scenario: a `WatchLayout` as JSON, or null."""
    URDF = "urdf"
    """The text of the robot's URDF, never given by a scenario; empty without a robot."""
    FUNCTIONAL = "functional"
    """The entities that have the functional attribute of the parameter's name, never given among a model's parameters:
    entity -> the attribute's parameters.
    """
    PATH = "path"
    """A file, relative to the scenario or to hetwin's resources; resolved to an absolute path."""


@dataclass(frozen=True, slots=True)
class ParameterRequest:
    """One parameter that a model requests."""

    name: str
    kind: ParameterKind
    description: str = ""
    required: bool = True
    default: Json = None
    unit: str = ""


Amount = Annotated[Number, Field(ge=0, le=1e9)]
"""A number from 0 to 1e9, above any useful time, length or force."""
EntityName = Annotated[Text, ParameterKind.ENTITY]
"""Type of a field of `Parameters`: an entity's name."""

EntityNames = Annotated[tuple[str, ...], ParameterKind.ENTITIES]
"""Type of a field of `Parameters`: names of entities."""

Hand = Annotated[HandDescription, ParameterKind.HAND]
"""Type of a field of `Parameters`: a hand of the scenario."""

Pose = Annotated[Pose7, ParameterKind.POSE]
"""Type of a field of `Parameters`: x y z [m], qw qx qy qz."""

File = Annotated[Path, ParameterKind.PATH]
"""Type of a field of `Parameters`: an absolute path of a file."""

WatchedRobot = Annotated[dict[str, Any] | None, ParameterKind.WATCH]
"""Type of a field of `Parameters`: a `WatchLayout` as JSON; None if the main model reports about no robot."""

RobotDescription = Annotated[str, ParameterKind.URDF]
"""Type of a field of `Parameters`: the text of the robot's URDF; empty without a robot."""

Functional = Annotated[dict[str, dict[str, Any]], ParameterKind.FUNCTIONAL]
"""Type of a field of `Parameters` with the name of a functional attribute: entity -> parameters of the attribute."""

ModelId = Annotated[Text, ParameterKind.MODEL]
"""Type of a field of `Parameters`: the id of another model."""

_KINDS = {
    bool: ParameterKind.BOOLEAN,
    int: ParameterKind.INTEGER,
    float: ParameterKind.NUMBER,
}


class Parameters(Strict):
    """Base class of a model's parameters: each field, made with `parameter`, is one parameter.

    The field's type gives its kind: float, int, bool, str, ``list[float]``, or `EntityName`, `EntityNames`, `Hand`,
    `Pose`, `File`, `ModelId`; any other type is of the kind ``any``. Fields with a default are optional.

    Attributes:
        unchanging: they are not part of a model's saved state.
    """

    model_config = ConfigDict(validate_default=True)
    unchanging: ClassVar[bool] = True

    @classmethod
    def requests(cls) -> tuple[ParameterRequest, ...]:
        """The requests to the conductor, in the order of the fields."""
        return tuple(_request(name, field) for name, field in cls.model_fields.items())

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> Self:
        """Return the parameters that the conductor has resolved.

        Raises:
            BadInput: naming the key, the value found and the expectation.
        """
        return check(cls, dict(values))


def parameter(
    description: str, default: Any = PydanticUndefined, unit: str = "", **constraints: Any
) -> Any:
    """A field of `Parameters`.

    Args:
        description: meaning of the parameter, in words.
        default: its default value; without one the parameter is required.
        unit: unit of a number.
        constraints: as those of pydantic's `Field`, e.g. ``gt=0``.
    """
    return Field(default, description=description, json_schema_extra={"unit": unit}, **constraints)


def _request(name: str, field: FieldInfo) -> ParameterRequest:
    extra = field.json_schema_extra
    required = field.is_required()
    return ParameterRequest(
        name,
        _kind(field.annotation, field.metadata),
        field.description or "",
        required,
        None if required else to_jsonable_python(field.get_default(call_default_factory=True)),
        str(extra.get("unit", "")) if isinstance(extra, dict) else "",
    )


def _kind(annotation: Any, metadata: list[Any] | tuple[Any, ...] = ()) -> ParameterKind:
    for note in metadata:
        if isinstance(note, ParameterKind):
            return note
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _kind(arguments[0], annotation.__metadata__)
    if origin is Literal:
        return ParameterKind.TEXT
    if origin in (Union, types.UnionType):
        kinds = {_kind(argument) for argument in arguments if argument is not type(None)}
        return kinds.pop() if len(kinds) == 1 else ParameterKind.ANY
    if origin is list and _kind(arguments[0]) is ParameterKind.NUMBER:
        return ParameterKind.VECTOR
    if isinstance(annotation, type) and issubclass(annotation, str):
        return ParameterKind.TEXT
    return _KINDS.get(annotation, ParameterKind.ANY)
