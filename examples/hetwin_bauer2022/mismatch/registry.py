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
        BadInput: if an entry point is not an axis.
    """
    loaded = [_axis(point.name, loaded) for point, loaded in AXES.each()]
    return {axis.name: axis for axis in _ordered(loaded)}


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
    loaded: dict[str, Mismatch] = {}
    for text in texts:
        name, equals, level = text.partition("=")
        if not equals:
            expected = "AXIS=LEVEL, e.g. finger_offset=0.0175"
            raise BadInput("no level is given", where=OPTION, found=text, expected=expected)
        axis = axis_of(name.strip())
        if axis.name in loaded:
            expected = "each axis once; different ones add up"
            raise BadInput("an axis is given twice", where=OPTION, found=text, expected=expected)
        loaded[axis.name] = mismatch(axis, _number(level, axis))
    return sorted_mismatches(loaded.values())


def mismatch(axis: Axis, level: float) -> Mismatch:
    """Return an axis at a level.

    Raises:
        BadInput: if the level is not possible.
    """
    axis.check(level)
    return Mismatch(axis, level)


def sorted_mismatches(mismatches: Iterable[Mismatch]) -> tuple[Mismatch, ...]:
    """Return mismatches in the order of their application."""
    levels = {mismatch.axis.name: mismatch for mismatch in mismatches}
    return tuple(
        levels[axis.name] for axis in _ordered(mismatch.axis for mismatch in levels.values())
    )


def check_places(mismatches: Iterable[Mismatch], places: Sequence[Place], remedy: str) -> None:
    """Check that all mismatches act on allowed places.

    Args:
        mismatches: requested mismatches.
        places: allowed places.
        remedy: expected alternative, for the error.

    Raises:
        BadInput: if a mismatch acts on another place.
    """
    for requested in mismatches:
        if requested.axis.place not in places:
            raise BadInput(
                f"{requested.axis.name} acts on {requested.axis.place}, not on {' or '.join(places)}",
                where=OPTION,
                found=str(requested),
                expected=remedy,
            )


def _ordered(loaded: Iterable[Axis]) -> list[Axis]:
    places = list(Place)
    return sorted(loaded, key=lambda axis: (places.index(axis.place), axis.name))


def _axis(name: str, loaded: object) -> Axis:
    axis = loaded() if isinstance(loaded, type) and issubclass(loaded, Axis) else None
    if axis is None or axis.name != name:
        wrong = "this is not an axis" if axis is None else f"this axis is named {axis.name}"
        raise BadInput(wrong, where=f"{AXES.name}.{name}", found=loaded, expected=AXES.expected)
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
