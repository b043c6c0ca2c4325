"""Validation of a scenario's mappings: strict keys, names, ranges of numbers, and readable errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Annotated, Any, TypeVar, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    StringConstraints,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails, PydanticCustomError

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import nearest

T = TypeVar("T")

Name = Annotated[str, Field(pattern=r"^[_A-Za-z][_A-Za-z0-9]*$", max_length=64)]
"""A name of letters, digits and underscores."""
Text = Annotated[str, StringConstraints(min_length=1)]
"""A text that is not empty."""
Finite = Annotated[float, Field(allow_inf_nan=False)]
"""A finite number."""
Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
"""A finite number, not given as text."""
AboveZero = Annotated[Finite, Field(gt=0)]
"""A finite number above 0."""
Positive = Annotated[AboveZero, Field(le=100_000)]
"""A finite number above 0 and at most 100 000."""


def _check_whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        raise ValueError("a whole number")
    return int(value)


Whole = Annotated[int, BeforeValidator(_check_whole)]
"""A whole number, not given as text."""


def _check_vector(values: list[float]) -> list[float]:
    if len(values) != 3:
        raise ValueError(f"three numbers, not {len(values)} numbers")
    return values


def _check_direction(values: list[float]) -> list[float]:
    if sum(x * x for x in values) < 1e-18:
        raise ValueError("a direction, three numbers that are not all zero")
    return values


def _check_pose(values: list[float]) -> list[float]:
    if len(values) != 7:
        raise ValueError(f"seven numbers x y z, qw qx qy qz, not {len(values)} numbers")
    if sum(q * q for q in values[3:]) < 1e-12:
        raise ValueError("seven numbers x y z, qw qx qy qz, whose last four are not all zero")
    return values


Vector3 = Annotated[
    list[Finite],
    AfterValidator(_check_vector),
    Field(json_schema_extra={"minItems": 3, "maxItems": 3}),
]
"""Three finite numbers."""
Direction = Annotated[Vector3, AfterValidator(_check_direction)]
Pose7 = Annotated[
    list[Finite],
    AfterValidator(_check_pose),
    Field(json_schema_extra={"minItems": 7, "maxItems": 7}),
]
"""Position [m] and quaternion, x y z qw qx qy qz, as a list."""

UNKNOWN_KEY = "unknown_key"
NO_ALTERNATIVE = "no_alternative"
_WITH_KEYS = " with one of the keys "
_EXPECTATIONS = {
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "dataclass_type": "a mapping",
    "string_type": "text",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
}
_LISTS = ("list_type", "tuple_type")
_PREFIXES = {
    "Value error, ": "",
    "Input should be ": "",
    "List should have ": "a list of ",
    "Tuple should have ": "a list of ",
    "Dictionary should have ": "a mapping of ",
    "String should have ": "text of ",
    "String should match": "a name: letters, digits and underscores, not starting with a digit",
}


class Strict(BaseModel):
    """A mapping that accepts only keys of its schema."""

    model_config = ConfigDict(
        extra="forbid", strict=False, frozen=True, populate_by_name=True, defer_build=True
    )

    @model_validator(mode="before")
    @classmethod
    def _check_keys(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        known = [field.alias or name for name, field in cls.model_fields.items()]
        for key in data:
            if key not in known and key not in cls.model_fields:
                raise unknown_key(key, known)
        return data


def unknown_key(key: object, known: Iterable[str]) -> PydanticCustomError:
    """The error for a key that a mapping does not have; it proposes the most similar key, or all keys."""
    known = list(known)
    close = nearest(key, known, 1)
    expected = f"{close[0]!r} perhaps" if close else "one of " + ", ".join(sorted(known))
    return PydanticCustomError(UNKNOWN_KEY, "{expected}", {"key": str(key), "expected": expected})


def tag(key: str) -> str:
    """The tag of the alternative that a key selects; in angle brackets, so that it differs from any key of a file."""
    return f"<{key}>"


def alternatives(*keys: str, text: bool = False, otherwise: str = "") -> Discriminator:
    """Select among mappings by the first of these keys that is present, so that only one is validated.

    The tag of a mapping is `tag` of its key, or of `otherwise` if it has none of the keys. The tag of plain text,
    which `text` allows, is ``tag("text")``.
    """

    def select_tag(data: Any) -> str | None:
        if isinstance(data, Mapping):
            found = next((key for key in keys if key in data), otherwise)
            return tag(found) if found else None
        if isinstance(data, BaseModel):  # validated data, to be serialized
            fields = {field.alias or name for name, field in type(data).model_fields.items()}
            return tag(next((key for key in keys if key in fields), otherwise))
        return tag("text") if text and isinstance(data, str) else None

    message = f"{'text, or ' if text else ''}a mapping"
    if keys:
        message += _WITH_KEYS + ", ".join(keys)
    return Discriminator(select_tag, NO_ALTERNATIVE, message)


def check(kind: type[T], data: object, where: str = "") -> T:
    """Return the data as this type.

    Args:
        kind: a class of mappings, or any type that pydantic validates.
        data: the data as it was read.
        where: key of the data in its document, with dots; empty for the whole.

    Raises:
        BadInput: with key, finding and expectation; the caller adds file and line.
    """
    try:
        value: T = _validator(cast("Any", kind))(data)
        return value
    except ValidationError as error:
        raise bad_input(error, data, where) from None


@cache
def _validator(kind: Any) -> Callable[[object], Any]:
    """The validator of a type, cached, because building it takes longer than using it."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return kind.model_validate
    return TypeAdapter(kind).validate_python


def bad_input(error: ValidationError, data: object, where: str = "") -> BadInput:
    """Convert pydantic's errors to one in hetwin's words; a misspelt key comes first, because it explains others."""
    details = error.errors(include_url=False)
    detail = next((d for d in details if d["type"] == UNKNOWN_KEY), details[0])
    context = detail.get("ctx", {})
    keys = ([where] if where else []) + _keys(detail["loc"], data)
    found, expected = detail["input"], _expectation(detail)
    match detail["type"]:
        case "missing":
            missing = str(detail["loc"][-1])
            key_path = ".".join([*keys, missing])
            return BadInput("a key is missing", where=key_path, expected=f"a value for {missing!r}")
        case "unknown_key":
            key_path = ".".join([*keys, context["key"]])
            return BadInput("unknown key", where=key_path, found=context["key"], expected=expected)
        case "no_alternative" if isinstance(found, Mapping):
            known = expected.partition(_WITH_KEYS)[2].split(", ")
            for key in found:
                if close := nearest(key, known, 1):
                    key_path = ".".join([*keys, str(key)])
                    expected = f"{close[0]!r} perhaps"
                    return BadInput("unknown key", where=key_path, found=key, expected=expected)
    if not keys and detail["loc"]:  # an invalid default
        keys = [str(detail["loc"][0])]
    same_key = [d for d in details if _keys(d["loc"], data) == _keys(detail["loc"], data)]
    is_short = not isinstance(found, Mapping | list | tuple) or len(str(found)) < 120
    return BadInput(
        "this value cannot be used",
        where=".".join(keys) or None,
        found="null" if found is None else found if is_short else None,
        expected=" or ".join(dict.fromkeys(_expectation(d) for d in same_key)),
    )


def _expectation(detail: ErrorDetails) -> str:
    """The expectation, from the message of pydantic or of a validator in this package."""
    message, found = detail["msg"], detail["input"]
    if detail["type"] in _LISTS:
        return f"a list, such as [{found}]" if isinstance(found, str) and found else "a list"
    if detail["type"] in _EXPECTATIONS:
        return _EXPECTATIONS[detail["type"]]
    for begin, words in _PREFIXES.items():
        if message.startswith(begin):
            remainder = message.removeprefix(begin).partition(" after validation")[0]
            return words if begin.endswith("match") else words + remainder
    return message


def _keys(location: tuple[str | int, ...], data: Any) -> list[str]:
    """The parts of pydantic's location that are keys of the data; the others name attempted types."""
    keys: list[str] = []
    for part in location:
        key: Any = part
        if isinstance(data, Mapping):  # YAML may read a key as a number, which is validated as text
            key = next((k for k in data if str(k) == str(part)), None)
            if key is None:
                continue
        elif not (isinstance(part, int) and isinstance(data, list | tuple) and part < len(data)):
            continue
        data = data[key]
        keys.append(str(part))
    return keys
