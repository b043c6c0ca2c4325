"""Arrays and attributes of HDF5 and Zarr, whose libraries have the same interface."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hetwin_suite.model import BadInput, Floats, check_size

RATES = ("fps", "control_freq", "frequency")
NAMES = ("joint_names", "names")


def numbers(holder: Any, key: str, path: Path) -> Floats:
    """Return (n, joints) the numbers of an array.

    Raises:
        BadInput: if the array has another shape, or is not numeric.
    """
    try:
        for shape in (holder[key].shape, holder[key].chunks or ()):
            check_size(8 * math.prod(shape), f"{key} has")
        values = np.array(holder[key], np.float64)
    except (AttributeError, TypeError, ValueError):
        values = np.empty(0)
    if values.ndim != 2:
        raise BadInput(
            "these are no positions of joints",
            file=path,
            where=f"{holder.name}/{key}".replace("//", "/"),
            found=f"shape {getattr(holder[key], 'shape', None)}",
            expected="a row of numbers for each sample",
        )
    return values


def attribute(holders: Sequence[Any], names: Sequence[str]) -> Any:
    """Return the first of these attributes that any of the arrays or groups has; None without one."""
    return next((h.attrs[name] for h in holders for name in names if name in h.attrs), None)
