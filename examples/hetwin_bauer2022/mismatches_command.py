"""`hetwin list mismatches`: the axes of mismatch between reality and twin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hetwin_suite.command import Result, table

if TYPE_CHECKING:
    from hetwin_bauer2022.mismatch.axis import Axis


def mismatches() -> Result:
    """List the axes of mismatch for the option --mismatch AXIS=LEVEL of evaluate and record.

    Each axis has the part that it changes, the unit of its levels, its neutral level, levels to try, and the levels of
    real hardware. Axes that change reality are for record, all others for evaluate.

    Example: hetwin list mismatches
    """
    from hetwin_bauer2022.mismatch.registry import axes

    installed = list(axes().values())
    header = ("axis", "acts on", "unit", "none", "levels", "hardware", "a level means")
    rows = table(header, [_row(axis) for axis in installed])
    return Result([_document(axis) for axis in installed], rows)


def _row(axis: Axis) -> tuple[str, ...]:
    levels = ", ".join(f"{level:g}" for level in axis.levels)
    hardware = (
        "?" if axis.hardware is None else " to ".join(f"{level:g}" for level in axis.hardware)
    )
    restriction = f" (only {', '.join(axis.grasps)})" if axis.grasps else ""
    return (
        axis.name,
        axis.place,
        axis.unit,
        f"{axis.none:g}",
        levels,
        hardware,
        f"{axis.summary}{restriction}",
    )


def _document(axis: Axis) -> dict[str, Any]:
    return {
        "name": axis.name,
        "acts_on": axis.place.value,
        "unit": axis.unit,
        "none": axis.none,
        "levels": list(axis.levels),
        "hardware": axis.hardware,
        "source": axis.source,
        "grasps": list(axis.grasps),
        "summary": axis.summary,
    }
