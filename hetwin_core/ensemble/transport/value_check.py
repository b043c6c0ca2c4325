"""Checks of the outputs and values that come from models."""

from __future__ import annotations

import math

import numpy as np

from hetwin_core.ensemble.model import Changes, MainChanges
from hetwin_core.ensemble.scene.poses import is_pose
from hetwin_core.ensemble.scene.values import POSE, AttributeSpec, Floats, Value

MAX_EVENTS = 50_000
"""Most events in one output; a scene may have thousands of objects, each with some of its own."""

MAIN_ONLY = ("block", "tables", "ended", "input_ns", "late")
"""Fields of an output that only the main model may fill; None, false and an empty mapping are nothing."""

_FEW = 32
"""Up to this size, a sum over a list is faster than numpy's."""
_MANY = 4096
"""From this size on BLAS shares its work among threads."""


def all_finite(numbers: Floats) -> bool:
    """Whether there is neither NaN nor infinity among the numbers.

    A sum is finite only if all its terms are, and is much cheaper than a test of each; that of squares the most.
    """
    if numbers.ndim == 1 and numbers.size < _MANY:
        total = sum(numbers.tolist()) if numbers.size <= _FEW else numbers.dot(numbers)
    else:
        total = np.add.reduce(numbers, axis=None)
    return math.isfinite(total) or bool(np.isfinite(numbers).all())


def wrong_output(output: object, time_ns: int | None = None) -> str | None:
    """What is wrong with the output of a step as a whole, to this time [ns] if one is given; None if nothing is."""
    if not isinstance(output, Changes):
        return f"it returns {type(output).__name__}; expected Changes, or nothing"
    if len(output.events) > MAX_EVENTS:
        return f"it reports {len(output.events)} events in one step; expected at most {MAX_EVENTS}"
    if time_ns is not None and output.time_ns != time_ns:
        return (
            f"it returns changes of {output.time_ns / 1e9:.9f} s;"
            f" it was asked to step to {time_ns / 1e9:.9f} s"
        )
    return None


def not_its_own(output: MainChanges) -> str | None:
    """What is wrong with such an output of a model that is not the main one; None if nothing is."""
    filled = [name for name in MAIN_ONLY if not _is_nothing(getattr(output, name))]
    return f"it returns {', '.join(filled)}; only the main model may" if filled else None


def _is_nothing(value: object) -> bool:
    return value is None or value is False or (isinstance(value, dict) and not value)


def wrong_numbers(value: object, attribute: AttributeSpec) -> str | None:
    """What is wrong with an attribute's value, as the end of a sentence about it; None if nothing is."""
    data = value.data if isinstance(value, Value) else None
    if not isinstance(data, np.ndarray):
        return f"must be a Value with an array, not {value!r}"
    unit = ", with a unit quaternion" if attribute.name == POSE.name else ""
    good = data.dtype == np.float64 and data.shape == (attribute.size,)
    good = good and all_finite(data)
    if good and (not unit or is_pose(data)):
        return None
    kind = "" if data.dtype == np.float64 else f" ({data.dtype})"
    return f"must be {attribute.size} finite float64 numbers{unit}, not {data.tolist()}{kind}"
