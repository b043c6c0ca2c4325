"""Whether what a model says of an attribute can be used."""

from __future__ import annotations

import numpy as np

from hetwin_suite.ensemble.poses import is_pose
from hetwin_suite.ensemble.values import POSE, AttributeSpec, Value


def wrong_numbers(value: object, attribute: AttributeSpec) -> str | None:
    """What is wrong with an attribute's value, as the end of a sentence about it; None if nothing is."""
    data = value.data if isinstance(value, Value) else None
    if not isinstance(data, np.ndarray):
        return f"must be a Value with an array, not {value!r}"
    unit = ", with a unit quaternion" if attribute.name == POSE.name else ""
    good = data.dtype == np.float64 and data.shape == (attribute.size,)
    good = good and bool(np.isfinite(data).all())
    if good and (not unit or is_pose(data)):
        return None
    kind = "" if data.dtype == np.float64 else f" ({data.dtype})"
    return f"must be {attribute.size} finite float64 numbers{unit}, not {data.tolist()}{kind}"
