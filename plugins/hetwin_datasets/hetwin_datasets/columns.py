"""Joints, units, times and episode numbers from the columns of data sets."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np

from hetwin_suite.model import BadInput, Floats, some

OPTION = "--episode"
_SI_PER = {
    **dict.fromkeys(("rad", "radian", "radians", "m", "meter", "meters", "metre", "metres"), 1.0),
    **dict.fromkeys(("deg", "degree", "degrees", "°"), math.pi / 180.0),
    **dict.fromkeys(("mm", "millimeter", "millimeters", "millimetre", "millimetres"), 1e-3),
    "cm": 1e-2,
}
_POSITION = re.compile(r"[./_](pos|positions?)$", re.IGNORECASE)
_NO_POSITION = re.compile(
    r"[./_](vel|velocity|velocities|acc|acceleration|eff|efforts?|torques?|currents?)$",
    re.IGNORECASE,
)


def si_factor(unit: str) -> float | None:
    """Return the factor from a unit of positions to rad or m; None for other units."""
    return _SI_PER.get(unit.strip().casefold())


def joint_columns(names: Sequence[str], file: Path, where: str) -> dict[str, int]:
    """Return joint -> index of its column, from names such as `elbow`, `elbow.pos`, `/joint_states/elbow/position`.

    If some columns are marked as positions, the others are ignored. A prefix up to the last `/` is dropped if all
    columns share it.

    Args:
        names: names of the columns.
        file: file with the columns, for errors.
        where: location in that file, for errors.

    Raises:
        BadInput: if no column is a joint, or two columns are the same joint.
    """
    matching = [(name, i) for i, name in enumerate(names) if _POSITION.search(name)]
    plain = [(name, i) for i, name in enumerate(names) if not _NO_POSITION.search(name)]
    taken = matching or plain
    joints = [_POSITION.sub("", name) for name, _ in taken]
    if len({joint.rpartition("/")[0] for joint in joints}) == 1:
        joints = [joint.rpartition("/")[2] for joint in joints]
    if not taken or not all(joints) or len({*joints}) < len(joints):
        raise BadInput(
            "not every column has the name of a joint of its own"
            if taken
            else "no column is a joint's position",
            file=file,
            where=where,
            found=some(names),
            expected="the position of each joint once, by its name",
        )
    return {joint: i for joint, (_, i) in zip(joints, taken, strict=True)}


def steady(count: int, rate: object, file: Path, where: str) -> Floats:
    """Return the times [s] of `count` samples at a steady rate [Hz], from 0.

    Raises:
        BadInput: if the rate is no positive number.
    """
    try:
        hertz = float(np.asarray(rate, np.float64))
    except (TypeError, ValueError):
        hertz = math.nan
    if not 0.0 < hertz < math.inf:
        raise BadInput(
            "this is no rate", file=file, where=where, found=rate, expected="samples per second"
        )
    return np.arange(count) / hertz


def check_episode(number: int | None, episodes: Collection[int], file: Path) -> int:
    """Return the number of the requested episode; None requests the only one.

    Raises:
        BadInput: if there is no such episode, or none was requested of several; the error has their number.
    """
    if number is not None and number in episodes:
        return number
    if number is None and len(episodes) == 1:
        return next(iter(episodes))
    expected = (
        f"{OPTION} with a number from {min(episodes, default=0)} to {max(episodes, default=0)}"
    )
    if len(episodes) <= max(episodes, default=0) - min(episodes, default=0):
        expected = f"{OPTION} with one of {some([str(n) for n in sorted(episodes)])}"
    raise BadInput(
        "the data set has several episodes" if number is None else "there is no such episode",
        file=file,
        where=OPTION,
        found=f"{len(episodes)} episodes" if number is None else number,
        expected=f"{expected}; there are {len(episodes)}" if number is not None else expected,
    )
