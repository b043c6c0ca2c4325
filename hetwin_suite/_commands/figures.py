"""Figures that packages count in the events of a run, for its outcome as `hetwin run` prints it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.installed import Group

FIGURES = Group(
    "hetwin.figures",
    "figures of the event",
    "a function of the events of a run, which returns RunFigures",
)
"""Named by an event: the function is called for a run in which it happened."""


@dataclass(frozen=True, slots=True)
class RunFigures:
    """Figures of a run.

    Attributes:
        name: key of `values` in the output of `hetwin run --json`.
        values: the figures, as plain JSON.
        lines: the same in words.
        routine: names of events that the figures sum up; they are not printed one by one.
    """

    name: str
    values: Mapping[str, Any]
    lines: Sequence[str]
    routine: frozenset[str] = frozenset()


def figures_of(rows: Sequence[Mapping[str, Any]]) -> Iterator[RunFigures]:
    """Yield the figures of installed packages; one that fails is named in a warning, and left out.

    Args:
        rows: the events of the run, as its summary has them.
    """
    happened = {row["name"] for row in rows}
    for name, point in FIGURES.points().items():
        if name in happened:
            try:
                yield FIGURES.loaded(point)(rows)
            except BadInput as error:
                warnings.warn(str(error), stacklevel=2)
            except Exception as error:  # code of anyone's
                refused = FIGURES.refused(point, f"{type(error).__name__}: {error}")
                warnings.warn(str(refused), stacklevel=2)
