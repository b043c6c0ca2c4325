"""What no small change of parameters mends: wheels swapped, a wheel that counts backwards, a base far off."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from hetwin_core.kinematics.drives.drive import Drive
from hetwin_core.kinematics.drives.fitting import cost, fitted
from hetwin_core.kinematics.drives.windows import Windows

_BASES = (1.0, 0.7, 1.4, 0.5, 2.0, 0.35, 2.8)
"""Shares of the sheet's base from which is searched."""
_CLEAR = 0.5
"""A drive that is put together otherwise must leave less than this share of the cost."""
_TRIED = 3
_GEOMETRY = ("left_radius", "right_radius", "base", "lag")


def oriented(windows: Sequence[Windows], sheet: Drive) -> tuple[Drive, Drive]:
    """Return the sheet as the robot is put together, and a drive near it that fits.

    From places alone driving backwards cannot be told from driving forwards; then wheels that both count backwards
    are wheels that are swapped.
    """
    has_headings = all(each.recording.headings is not None for each in windows)
    kinds = [_turned(sheet, kind) for kind in (_ALL if has_headings else _FROM_PLACES)]
    begins = [_near(windows, kind) for kind in kinds]
    order = sorted(range(1, len(kinds)), key=lambda i: cost(begins[i], windows))
    tried = [0, *order[: _TRIED - 1]]
    fits = {i: fitted(windows, kinds[i], _GEOMETRY, begins[i]) for i in tried}
    costs = {i: cost(fits[i].drive, windows) for i in tried}
    best = min(tried, key=lambda i: costs[i])
    if costs[best] >= _CLEAR * costs[0]:
        best = 0
    return kinds[best], fits[best].drive


_ALL = tuple(itertools.product((False, True), (1.0, -1.0), (1.0, -1.0)))
"""Whether wheels are swapped, and the signs of their angles, left and right."""
_FROM_PLACES = (
    (False, 1.0, 1.0),
    (True, 1.0, 1.0),
    (False, -1.0, 1.0),
    (False, 1.0, -1.0),
)


def _turned(sheet: Drive, kind: tuple[bool, float, float]) -> Drive:
    swapped, left, right = kind
    return Drive(
        left * sheet.left_radius,
        right * sheet.right_radius,
        sheet.base,
        sheet.lag,
        sheet.yaw_bias,
        sheet.swapped is not swapped,
    )


def _near(windows: Sequence[Windows], drive: Drive) -> Drive:
    """The drive with that share of its base that fits best."""
    return min(
        (drive.but(base=share * drive.base) for share in _BASES), key=lambda d: cost(d, windows)
    )
