"""Writes the part of the experiment's page about episodes between success and failure, from kept verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from hetwin_bauer2022.mismatch.registry import axes
from hetwin_bauer2022.robustness.levels import shown_level
from hetwin_suite.study import probability

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "examples" / "hetwin_bauer2022" / "data" / "boundary.jsonl"
PAGE = ROOT / "docs" / "experiment.md"
WHOLE, IN_SHORT = "boundary", "boundary in short"
"""Names of the page's parts: all figures, and the first sentence at the top."""
_NOTHING = "No verdicts are kept yet."
OURS, RULE = "ensemble", "kinematic"
NONE = "none"
HARD = (0.55, 0.80)
"""Between these shares of right verdicts of the rule, episodes are neither easy nor hopeless."""
Row: TypeAlias = Mapping[str, Any]
"""A line of `boundary.jsonl`."""


class Cell(NamedTuple):
    """The verdicts of one approach at one point: right and all, of successes and of failures."""

    approach: str
    successes: tuple[int, int]
    failures: tuple[int, int]

    @property
    def right(self) -> int:
        """Number of right verdicts."""
        return self.successes[0] + self.failures[0]

    @property
    def of(self) -> int:
        """Number of verdicts."""
        return self.successes[1] + self.failures[1]

    @property
    def share(self) -> float:
        """Of right verdicts; 0 without any."""
        return self.right / self.of if self.of else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the share (Wilson)."""
        found = probability(self.right, self.of)
        return found.low, found.high


class Point(NamedTuple):
    """A set of episodes at a level of an axis, with the cells of all approaches."""

    set: str
    axis: str
    level: float
    cells: dict[str, Cell]

    @property
    def best_other(self) -> Cell:
        """The cell with the largest share but the ensemble's."""
        return max((c for c in self.cells.values() if c.approach != OURS), key=lambda c: c.share)

    @property
    def words(self) -> str:
        """Name of axis and level."""
        if self.axis == NONE:
            return "as recorded"
        return f"`{self.axis}` {shown_level(axes()[self.axis], self.level)}"

    @property
    def better(self) -> int:
        """1 if the ensemble is better than the best other by more than its interval, -1 if worse, else 0."""
        low, high = self.cells[OURS].interval
        return int(low > self.best_other.share) - int(high < self.best_other.share)


def points(rows: Sequence[Row], approaches: Sequence[str]) -> list[Point]:
    """Return the points at which all approaches have judged; only episodes that all of them have judged count."""
    found: dict[tuple[str, str, float], list[Row]] = {}
    for row in rows:
        if set(approaches) <= set(row["said"]):
            found.setdefault((row["set"], row["axis"], row["level"]), []).append(row)
    keys = sorted(found, key=lambda key: (key[0], key[1] != NONE, key[1], key[2]))
    return [Point(*key, {a: _cell(a, found[key]) for a in approaches}) for key in keys]


def _cell(approach: str, rows: Sequence[Row]) -> Cell:
    said = [(row["said"][approach][0], row["truth"]) for row in rows]
    right, of = {True: 0, False: 0}, {True: 0, False: 0}
    for verdict, truth in said:
        of[truth] += verdict != "n/a"
        right[truth] += verdict is truth
    return Cell(approach, (right[True], of[True]), (right[False], of[False]))


def in_short(rows: Sequence[Row], plan: Mapping[str, Any]) -> str:
    """Return the sentence that follows from the verdicts; see `text`."""
    found = points(rows, plan["approaches"])
    return _first_sentence(found, plan) if found else _NOTHING


def text(rows: Sequence[Row], plan: Mapping[str, Any]) -> str:
    """Return sentences and tables.

    Args:
        rows: the kept verdicts.
        plan: the content of `boundary.yaml`.
    """
    found = points(rows, plan["approaches"])
    if not found:
        return _NOTHING
    parts = [
        _first_sentence(found, plan),
        *(_set_sentence(p, plan) for p in found if p.axis == NONE),
    ]
    if _preliminary(found, plan):
        parts.append(
            "Successes and failures are judged in turn: until everything is, these are not the shares of the sets."
        )
    names = dict.fromkeys(point.set for point in found)
    parts += ["\n".join(_table([p for p in found if p.set == name])) for name in names]
    parts.append(_seconds(rows, plan["approaches"]))
    return "\n\n".join(parts)


def _first_sentence(found: Sequence[Point], plan: Mapping[str, Any]) -> str:
    better = [point for point in found if point.better > 0]
    if not better:
        begin = "**The ensemble is nowhere better than the best other approach by more than its interval**"
    else:
        names = "; ".join(f"{p.set}, {p.words}" for p in better)
        begin = (
            "**The ensemble is better than the best other approach by more than its interval at "
            f"{len(better)} of {len(found)} points** ({names})"
        )
    worse = [f"{p.set}, {p.words} ({p.best_other.approach})" for p in found if p.better < 0]
    words = "its interval ends below the share of the best other"
    end = f"; {words} at {len(worse)}: {'; '.join(worse)}." if worse else f"; nowhere {words}."
    return _preliminary(found, plan) + begin + end


def _preliminary(found: Sequence[Point], plan: Mapping[str, Any]) -> str:
    """Return which part is judged, as the beginning of a sentence; empty if everything is."""
    judged = sum(max(cell.of for cell in point.cells.values()) for point in found)
    wanted = sum(plan["sets"][point.set]["episodes"] for point in found)
    if judged >= wanted:
        return ""
    return f"*Preliminary, {judged} of {wanted} episodes and levels, too few to conclude.* "


def _set_sentence(point: Point, plan: Mapping[str, Any]) -> str:
    rule, seeds = point.cells[RULE], plan["sets"][point.set]
    low, high = rule.interval
    inside = HARD[0] <= rule.share <= HARD[1]
    verdict = "inside" if inside else "outside"
    usual = max(rule.successes[1], rule.failures[1]) / rule.of
    return (
        f"`{point.set}`: seed {seeds['judged_on']}, {rule.of} episodes judged of {seeds['episodes']}, of which "
        f"{rule.successes[1]} succeed; to say always the same would be right in {usual:.0%}. The rule "
        f"without simulation, with thresholds of seed {seeds['chosen_on']}, is right in {rule.right} "
        f"({rule.share:.0%}; {low:.0%} to {high:.0%}), {verdict} the 55 to 80 % that were wanted."
    )


def _table(found: Sequence[Point]) -> Iterator[str]:
    yield f"| {found[0].set} | approach | success | failure | all | 95 % interval |"
    yield "|---|---|---|---|---|---|"
    for point in found:
        for cell in point.cells.values():
            low, high = cell.interval
            counts = [f"{r} of {n}" for r, n in (cell.successes, cell.failures)]
            shown = [*counts, f"{cell.right} of {cell.of}", f"{low:.0%} to {high:.0%}"]
            yield f"| {point.words} | {cell.approach} | {' | '.join(shown)} |"


def _seconds(rows: Sequence[Row], approaches: Sequence[str]) -> str:
    words = []
    for approach in approaches:
        taken = sorted(row["said"][approach][1] for row in rows if approach in row["said"])
        words.append(f"{approach} {taken[len(taken) // 2]:.2g}")
    return f"Processor time of a verdict, median in s: {', '.join(words)}."


def put(page: str, name: str, words: str) -> str:
    """Return a page with another part.

    Args:
        page: with the two lines between which the part is.
        name: of the part.
        words: in its place.

    Raises:
        ValueError: if it has not both marks, once and in order.
    """
    first, last = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, begin, rest = page.partition(first)
    _, end, after = rest.partition(last)
    if not (begin and end) or first in after or last in before + after:
        raise ValueError(f"the page must have one line {first} and below it one line {last}")
    return f"{before}{first}\n{words}\n{last}{after}"
