"""The installed axes: entry points of the group ``hetwin.mismatches``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hetwin_bauer2022.mismatch.axis import Axis, Mismatch, Place
from hetwin_bauer2022.mismatch_option import AXES, OPTION
from hetwin_suite.runs import BadInput


def axis_names() -> list[str]:
    """Return the names of all installed axes, sorted."""
    return AXES.names()


def axes() -> dict[str, Axis]:
    """Return name -> installed axis, in the order of their application.

    Raises:
        BadInput: if an entry point is no axis.
    """
    found = [_axis(point.name, found) for point, found in AXES.each()]
    return {axis.name: axis for axis in _ordered(found)}


def axis_of(name: str) -> Axis:
    """Return the axis of this name.

    Raises:
        BadInput: if there is no such axis, or it cannot be used.
    """
    return _axis(name, AXES.load(name, OPTION))


def read_mismatches(texts: Sequence[str]) -> tuple[Mismatch, ...]:
    """Parse the values of `--mismatch AXIS=LEVEL`, and return them in the order of their application.

    Raises:
        BadInput: if there is no such axis, a level is not possible, or an axis is given twice.
    """
    found: dict[str, Mismatch] = {}
    for text in texts:
        name, equals, level = text.partition("=")
        if not equals:
            expected = "AXIS=LEVEL, e.g. finger_offset=0.0175"
            raise BadInput("no level is given", where=OPTION, found=text, expected=expected)
        axis = axis_of(name.strip())
        if axis.name in found:
            expected = "each axis once; different ones add up"
            raise BadInput("an axis is given twice", where=OPTION, found=text, expected=expected)
        found[axis.name] = mismatch(axis, _number(level, axis))
    return in_order(found.values())


def mismatch(axis: Axis, level: float) -> Mismatch:
    """Return an axis at a level.

    Raises:
        BadInput: if the level is not possible.
    """
    axis.check(level)
    return Mismatch(axis, level)


def in_order(mismatches: Iterable[Mismatch]) -> tuple[Mismatch, ...]:
    """Return mismatches in the order of their application."""
    levels = {one.axis.name: one for one in mismatches}
    return tuple(levels[axis.name] for axis in _ordered(one.axis for one in levels.values()))


def refuse(mismatches: Iterable[Mismatch], places: Sequence[Place], remedy: str) -> None:
    """Check that all mismatches act on allowed places.

    Args:
        mismatches: requested mismatches.
        places: allowed places.
        remedy: expected alternative, for the error.

    Raises:
        BadInput: if a mismatch acts on another place.
    """
    for one in mismatches:
        if one.axis.place not in places:
            raise BadInput(
                f"{one.axis.name} acts on {one.axis.place}, not on {' or '.join(places)}",
                where=OPTION,
                found=str(one),
                expected=remedy,
            )


def _ordered(found: Iterable[Axis]) -> list[Axis]:
    places = list(Place)
    return sorted(found, key=lambda axis: (places.index(axis.place), axis.name))


def _axis(name: str, found: object) -> Axis:
    axis = found() if isinstance(found, type) and issubclass(found, Axis) else None
    if axis is None or axis.name != name:
        wrong = "this is not an axis" if axis is None else f"this axis is named {axis.name}"
        raise BadInput(wrong, where=f"{AXES.name}.{name}", found=found, expected=AXES.expected)
    return axis


def _number(text: str, axis: Axis) -> float:
    try:
        return float(text)
    except ValueError:
        expected = f"a number ({axis.unit}); {axis.none:g} changes nothing"
        raise BadInput(
            f"the level of {axis.name} is not a number",
            where=OPTION,
            found=text,
            expected=expected,
        ) from None
