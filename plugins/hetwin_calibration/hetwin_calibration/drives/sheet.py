"""Reader of a differential drive's data sheet: a JSON file or object."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from hetwin_calibration.drives.drive import Drive
from hetwin_suite.command import BadInput, parse_json
from hetwin_suite.model import read_json

_KEYS = ("wheel_radius", "left_radius", "right_radius", "base", "lag", "yaw_bias")
_EXPECTED = '{"wheel_radius": m, "base": m}, or "left_radius" and "right_radius", "lag" (s)'


def read_sheet(text: str) -> Drive:
    """Return the drive of `--believed`, which is the path of a JSON file or a JSON object.

    Raises:
        BadInput: if it is neither, or a number is missing or out of range.
    """
    file = "--believed" if text.lstrip().startswith("{") else text
    data = _loaded(text)
    for key in data:
        if key not in _KEYS:
            raise BadInput("there is no such key", file=file, where=key, expected=", ".join(_KEYS))
    both = data.get("wheel_radius")
    return Drive(
        _length(data.get("left_radius", both), file, "left_radius", "wheel_radius"),
        _length(data.get("right_radius", both), file, "right_radius", "wheel_radius"),
        _length(data.get("base"), file, "base"),
        _number(data.get("lag", 0.0), file, "lag"),
        _number(data.get("yaw_bias", 0.0), file, "yaw_bias"),
    )


def _loaded(text: str) -> dict[str, Any]:
    is_object = text.lstrip().startswith("{")
    file = "--believed" if is_object else text
    try:
        data = parse_json(text) if is_object else read_json(Path(text).expanduser())
    except OSError as error:
        why = f"the file cannot be read: {error.strerror}"
    except ValueError as error:
        why = f"this is not JSON: {error}"
    else:
        if isinstance(data, dict):
            return data
        why = "this is not a JSON object"
    raise BadInput(why, file=file, expected=_EXPECTED) from None


def _length(value: Any, file: str, *keys: str) -> float:
    if value is None:
        raise BadInput(f"the key {' or '.join(keys)} is missing", file=file, expected=_EXPECTED)
    number = _number(value, file, keys[0])
    if number <= 0.0:
        raise BadInput(
            "this is not a length", file=file, where=keys[0], found=value, expected="m, above 0"
        )
    return number


def _number(value: Any, file: str, key: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise BadInput(
            "this is not a number", file=file, where=key, found=value, expected="a finite number"
        )
    return float(value)
