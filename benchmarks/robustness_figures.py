"""Writes the figures of `robustness.py`, what `hetwin evaluate robustness --json` printed, into the documentation.

    python benchmarks/robustness_figures.py CURVES.json [--into docs/reference/verdicts.md]

Without `--into` they are printed. The page has two lines, `<!-- figures -->` and `<!-- end of figures -->`; what is
between them is replaced.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from hetwin_bauer2022.evaluation.approaches import APPROACHES
from hetwin_bauer2022.mismatch.axis import Axis
from hetwin_bauer2022.mismatch.registry import axes
from hetwin_bauer2022.robustness.curves import GOOD_SHARE, TRUTHS
from hetwin_bauer2022.robustness.levels import is_beyond_hardware, shown_level
from hetwin_core.ensemble.nearest import one_of

BEGIN, END = "<!-- figures -->", "<!-- end of figures -->"
OURS = "ensemble"
NOT_JUDGED = "-"
_OURS_ARE = (
    "Right verdicts of the ensemble, of how many, success / failure; levels with a star are beyond what real hardware"
    " has:"
)
_ALL_ARE = "All approaches, all sets together, success / failure:"
_BREAKS_ARE = (
    f"The first level on each side at which less than {GOOD_SHARE:.0%} of an approach's verdicts are right, of the set"
    " that breaks first:"
)
Point: TypeAlias = Mapping[str, Any]
"""A point of a curve, as `hetwin evaluate robustness --json` prints it."""


def text(found: Mapping[str, Any]) -> str:
    """Return sentence and tables.

    Args:
        found: what `hetwin evaluate robustness --json` printed.
    """
    points: Sequence[Point] = found["curves"]
    known = {name: axis for name, axis in axes().items() if any(p["axis"] == name for p in points)}
    sets = list(dict.fromkeys(point["set"] for point in points))
    approaches = [name for name in APPROACHES if any(p["approach"] == name for p in points)]
    parts = [
        found["worth"],
        _OURS_ARE,
        _table(["axis", "level", *sets], _ours(points, known, sets)),
        _ALL_ARE,
        _table(["axis", "level", *approaches], _all(points, known, approaches)),
        _BREAKS_ARE,
        _table(["axis", *approaches], _breaks(found["breaks"], points, known, approaches)),
    ]
    return "\n\n".join(parts)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _levels(points: Iterable[Point], axis: Axis) -> list[float]:
    return sorted({point["level"] for point in points if point["axis"] == axis.name})


def _level(axis: Axis, level: float) -> str:
    return shown_level(axis, level) + ("\\*" if is_beyond_hardware(axis, level) else "")


def _ours(
    points: Sequence[Point], known: Mapping[str, Axis], sets: Sequence[str]
) -> Iterable[Sequence[str]]:
    for axis in known.values():
        mine = [p for p in points if p["axis"] == axis.name and p["approach"] == OURS]
        for level in _levels(mine, axis):
            here = [p for p in mine if p["level"] == level]
            cells = [_counts(p for p in here if p["set"] == name) for name in sets]
            yield [f"`{axis.name}`", _level(axis, level), *cells]


def _all(
    points: Sequence[Point], known: Mapping[str, Axis], approaches: Sequence[str]
) -> Iterable[Sequence[str]]:
    for axis in known.values():
        mine = [p for p in points if p["axis"] == axis.name]
        for level in _levels(mine, axis):
            here = [p for p in mine if p["level"] == level]
            cells = [_counts(p for p in here if p["approach"] == name) for name in approaches]
            yield [f"`{axis.name}`", _level(axis, level), *cells]


def _counts(points: Iterable[Point]) -> str:
    right: dict[str, int] = defaultdict(int)
    of: dict[str, int] = defaultdict(int)
    for point in points:
        right[point["truth"]] += point["right"]
        of[point["truth"]] += point["of"]
    if not any(of.values()):
        return NOT_JUDGED
    return " / ".join(f"{right[t]} of {of[t]}" if of[t] else NOT_JUDGED for t in TRUTHS)


def _breaks(
    breaks: Sequence[Point],
    points: Sequence[Point],
    known: Mapping[str, Axis],
    approaches: Sequence[str],
) -> Iterable[Sequence[str]]:
    for axis in known.values():
        cells = []
        for approach in approaches:
            which = (axis.name, approach)
            if not any((p["axis"], p["approach"]) == which for p in points):
                cells.append(NOT_JUDGED)
                continue
            mine = [b for b in breaks if (b["axis"], b["approach"]) == which]
            cells.append(_first(axis, mine))
        yield [f"`{axis.name}`", *cells]


def _first(axis: Axis, breaks: Sequence[Point]) -> str:
    words = []
    for direction in (-1, 0, 1):
        side = [b for b in breaks if _sign(b["level"] - axis.none) == direction]
        if side:
            first = min(side, key=lambda b: abs(b["level"] - axis.none))
            level = _level(axis, first["level"]) if direction else "none"
            words.append(f"{level} ({first['set']}, {first['truth']})")
    return ", ".join(words) or "nowhere"


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)


def put(page: str, figures: str) -> str:
    """Return a page with other figures.

    Raises:
        ValueError: if it has not both marks, once and in order.
    """
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end) or BEGIN in after or END in before + after:
        raise ValueError(f"the page must have one line {BEGIN} and below it one line {END}")
    return f"{before}{BEGIN}\n{figures}\n{END}{after}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and the curves, write the tables; 2 if that is not possible."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("curves", type=Path, help="what hetwin evaluate robustness --json printed")
    parser.add_argument("--into", type=Path, help="page whose figures are replaced")
    given = parser.parse_args(arguments)
    try:
        found = json.loads(given.curves.read_text(encoding="utf-8"))
        if unknown := [p["axis"] for p in found["curves"] if p["axis"] not in axes()]:
            raise ValueError(f"no such axis: {unknown[0]}; expected: {one_of(unknown[0], axes())}")
        figures = text(found)
        if given.into is None:
            print(figures)
        else:
            page = given.into.read_text(encoding="utf-8")
            given.into.write_text(put(page, figures), encoding="utf-8")
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"error: {given.curves}: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
