"""A saved state as JSON.

In the place of an array stands ``{"$array": [TYPE, SHAPE, ORDER, NUMBERS]}``: its type as numpy's files have it, ``C``
or ``F`` (by rows, by columns), and its bytes in base64. Numbers that are not finite are ``NaN``, ``Infinity`` and
``-Infinity``. Arrays of objects, which could run code when they are read, are refused.
"""

from __future__ import annotations

import json
import math
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.lib.format import descr_to_dtype, dtype_to_descr

from hetwin_core.ensemble.limits import parsed_json

_ARRAY = "$array"


def to_text(saved: Mapping[str, Any]) -> str:
    """A saved state as text."""
    return json.dumps(saved, separators=(",", ":"), default=_as_json)


def from_text(text: str | bytes) -> Any:
    """Inverse of `to_text`.

    Raises:
        ValueError, TypeError, KeyError: if it is no such text.
    """
    return parsed_json(text, _array_or_object)


def _as_json(value: object) -> object:
    """What stands for a value that JSON does not have."""
    if isinstance(value, Mapping):
        return dict(value)
    if not isinstance(value, np.ndarray) or value.dtype.hasobject:
        raise TypeError(f"a checkpoint holds no {type(value).__name__}")
    # Whether columns follow on each other decides how products of it are rounded.
    order = "F" if value.flags.f_contiguous and not value.flags.c_contiguous else "C"
    numbers = b64encode(value.tobytes("A")).decode()
    return {_ARRAY: [dtype_to_descr(value.dtype), value.shape, order, numbers]}


def _array_or_object(value: dict[str, Any]) -> Any:
    if value.keys() != {_ARRAY}:
        return value
    descr, shape, order, numbers = value[_ARRAY]
    kind, content = descr_to_dtype(descr), b64decode(numbers, validate=True)
    if kind.hasobject or not kind.itemsize or len(content) != math.prod(shape) * kind.itemsize:
        raise ValueError(f"{len(content)} bytes are no array {shape} of {kind}")
    return np.ndarray(shape, kind, content, order=order).copy(order="K")
