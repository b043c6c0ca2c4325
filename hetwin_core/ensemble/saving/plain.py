"""Parts of a saved state: plain data, the types that are converted to it, and its text as JSON."""

from __future__ import annotations

import json
import math
import random
from base64 import b64decode, b64encode
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.lib.format import descr_to_dtype, dtype_to_descr
from numpy.typing import NDArray

from hetwin_core.ensemble.errors import Refused
from hetwin_core.ensemble.limits import parse_json

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | NDArray[Any] | None"
"""Data without any object: JSON values and numpy arrays."""

SCALARS = frozenset({bool, int, float, str, type(None)})
"""Types whose values are saved as they are."""
UNCHANGING = "unchanging"
"""Attribute of a class: if true, its instances do not change after a model's initialization, and are not saved."""
SAVED_AS = "saved_as"
"""Method of a class: returns the data that is saved instead of an instance."""
TAG = "$"
"""First character of the key by which a dictionary encodes another type."""

REF, SHARED, KEPT, OBJECT, ENUM, NAMED = "$ref", "$shared", "$kept", "$object", "$enum", "$named"
DICT, SCALAR, VIEW = "$dict", "$scalar", "$view"
"""Tags in addition to those in `KINDS`.

REF refers to the object that SHARED numbers; an instance with KEPT is not saved, but taken from the fresh model; NAMED
is a named tuple; DICT has keys that JSON lacks; SCALAR is a numpy scalar; VIEW is an array that shares its memory.
"""


class StateError(Refused):
    """A state cannot be saved, or a saved state does not fit what restores it."""


def class_name(cls: type[Any]) -> str:
    """Name of a class, as `record.find_class` accepts it."""
    return f"{cls.__module__}:{cls.__qualname__}"


def numbers_of(saved: Plain, *keys: str) -> tuple[int, ...]:
    """Return the integers at the given keys.

    Raises:
        StateError: if one is missing.
    """
    found = [saved.get(key) if isinstance(saved, dict) else None for key in keys]
    for key, number in zip(keys, found, strict=True):
        if type(number) is not int:
            raise StateError(f"the saved state has no integer {key!r}")
    return tuple(number for number in found if isinstance(number, int))


class Kind(NamedTuple):
    """Conversion of a type's instances to parts and back.

    Attributes:
        type: the type; subclasses are not included.
        parts: returns the parts of an instance; raises KeyError if it cannot be saved.
        restore: makes an instance from such parts; raises TypeError, ValueError or KeyError for invalid ones.
        ordered: whether parts at the same index of two instances correspond.
    """

    type: type[Any]
    parts: Callable[[Any], Sequence[Any]]
    restore: Callable[[list[Any]], Any]
    ordered: bool = True


def _mapping(part: Any) -> dict[Any, Any]:
    if type(part) is not dict:
        raise TypeError(f"expected a dictionary, found {type(part).__name__}")
    return part


_FACTORIES: Mapping[str, Callable[[], Any] | None] = {
    "list": list,
    "dict": dict,
    "int": int,
    "set": set,
    "float": float,
    "": None,
}
_NAMES = {factory: name for name, factory in _FACTORIES.items()}


def _numpy_generator(parts: list[Any]) -> np.random.Generator:
    state = _mapping(parts[0])
    bits = _BIT_GENERATORS[state["bit_generator"]]()
    bits.state = state
    return np.random.Generator(bits)


_BIT_GENERATORS: Mapping[str, Callable[[], Any]] = {
    kind.__name__: kind
    for kind in (
        np.random.PCG64,
        np.random.PCG64DXSM,
        np.random.MT19937,
        np.random.Philox,
        np.random.SFC64,
    )
}


def _random(parts: list[Any]) -> random.Random:
    generator = random.Random()
    if type(parts[0]) is not tuple or parts[0][0] != generator.VERSION:
        raise ValueError("this is not the state of a generator")
    generator.setstate(parts[0])
    return generator


KINDS: Mapping[str, Kind] = {
    "$tuple": Kind(tuple, list, tuple),
    "$set": Kind(set, list, set, ordered=False),
    "$frozenset": Kind(frozenset, list, frozenset, ordered=False),
    "$deque": Kind(deque, lambda d: [d.maxlen, *d], lambda p: deque(p[1:], p[0])),
    "$ordered": Kind(OrderedDict, lambda d: [dict(d)], lambda p: OrderedDict(_mapping(p[0]))),
    "$counter": Kind(Counter, lambda d: [dict(d)], lambda p: Counter(_mapping(p[0]))),
    "$default": Kind(
        defaultdict,
        lambda d: [_NAMES[d.default_factory], dict(d)],
        lambda p: defaultdict(_FACTORIES[p[0]], _mapping(p[1])),
    ),
    "$proxy": Kind(
        MappingProxyType, lambda d: [dict(d)], lambda p: MappingProxyType(_mapping(p[0]))
    ),
    "$slice": Kind(slice, lambda s: [s.start, s.stop, s.step], lambda p: slice(*p)),
    "$bytes": Kind(bytes, lambda b: [b.hex()], lambda p: bytes.fromhex(p[0])),
    "$generator": Kind(np.random.Generator, lambda g: [g.bit_generator.state], _numpy_generator),
    "$random": Kind(random.Random, lambda g: [g.getstate()], _random),
}
"""Kinds of types by their tags."""
TAGS: Mapping[type[Any], str] = {kind.type: tag for tag, kind in KINDS.items()}


_ARRAY = "$array"


def to_text(saved: Mapping[str, Any]) -> str:
    """A saved state as text."""
    return json.dumps(saved, separators=(",", ":"), default=_as_json)


def from_text(text: str | bytes) -> Any:
    """Inverse of `to_text`.

    Raises:
        ValueError, TypeError, KeyError: if the text is not a saved state.
    """
    return parse_json(text, _array_or_object)


def _as_json(value: object) -> object:
    """Encode a value that JSON cannot represent."""
    if isinstance(value, Mapping):
        return dict(value)
    if not isinstance(value, np.ndarray) or value.dtype.hasobject:
        raise TypeError(f"a checkpoint cannot contain a {type(value).__name__}")
    # The memory order is kept, because it decides how products of the array are rounded.
    order = "F" if value.flags.f_contiguous and not value.flags.c_contiguous else "C"
    numbers = b64encode(value.tobytes("A")).decode()
    return {_ARRAY: [dtype_to_descr(value.dtype), value.shape, order, numbers]}


def _array_or_object(value: dict[str, Any]) -> Any:
    if value.keys() != {_ARRAY}:
        return value
    descr, shape, order, numbers = value[_ARRAY]
    kind, content = descr_to_dtype(descr), b64decode(numbers, validate=True)
    if kind.hasobject or not kind.itemsize or len(content) != math.prod(shape) * kind.itemsize:
        raise ValueError(f"{len(content)} bytes are not an array {shape} of {kind}")
    return np.ndarray(shape, kind, content, order=order).copy(order="K")
