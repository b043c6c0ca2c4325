"""Writes the part of the experiment's page about episodes between success and failure, from kept verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from hetwin_bauer2022.evaluation.rules import Quantities
from hetwin_bauer2022.mismatch.registry import axes
from hetwin_bauer2022.robustness.levels import read_axes, shown_level
from hetwin_suite.study import probability

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "examples" / "hetwin_bauer2022" / "data" / "boundary.jsonl"
PAGE = ROOT / "docs" / "experiment.md"
VERDICTS = ROOT / "docs" / "reference" / "verdicts.md"
WHOLE, IN_SHORT = "boundary", "boundary in short"
"""Parts of the pages: all figures in `VERDICTS`, the first sentence in `PAGE`."""
_NOTHING = "No verdicts are kept yet."
OURS, RULE = "ensemble", "kinematic"
UNTUNED, TUNED = "single", "single_tuned"
VALUES_TRIED = 4
"""Values of the one parameter of `single_tuned` among which it was chosen."""
OBJECT = "object_size"
"""The axis that gives the twin another object than the real one."""
SIGNALS = "signals"
"""The axis of which signals a recording has; the approaches that read no more than joints are not judged along it."""
STAGE = 2
"""Place of the stage at which a failure ends, in what an approach said of an episode."""
LEAST = 30
"""From so many episodes of each set on, the page concludes."""
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
    def of(self) -> int:
        """Number of episodes."""
        return max(cell.of for cell in self.cells.values())

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


def asked_at(axis: str, approaches: Sequence[str]) -> list[str]:
    """Return the approaches that are judged along an axis."""
    return [one for one in approaches if axis != SIGNALS or one in (OURS, RULE)]


def points(rows: Sequence[Row], approaches: Sequence[str]) -> list[Point]:
    """Return the points at which all approaches have judged; only episodes that all of them have judged count."""
    found: dict[tuple[str, str, float], list[Row]] = {}
    for row in rows:
        if set(asked_at(row["axis"], approaches)) <= set(row["said"]):
            found.setdefault((row["set"], row["axis"], row["level"]), []).append(row)
    keys = sorted(found, key=lambda key: (key[0], key[1] != NONE, key[1], key[2]))
    return [
        Point(*key, {a: _cell(a, found[key]) for a in asked_at(key[1], approaches)}) for key in keys
    ]


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
        *(_set_sentence(p, rows, plan) for p in found if p.axis == NONE),
        *_left_out(found, plan),
    ]
    names = dict.fromkeys(point.set for point in found)
    parts += ["\n".join(_table([p for p in found if p.set == name])) for name in names]
    parts += ["\n".join(f"- {line}" for line in _worth(found, rows, plan["approaches"]))]
    return "\n\n".join(parts)


def _first_sentence(found: Sequence[Point], plan: Mapping[str, Any]) -> str:
    better = [point for point in found if point.better > 0]
    if not better:
        begin = "**The ensemble is nowhere better than the best other approach by more than its interval**"
    else:
        begin = (
            "**The ensemble is better than the best other approach by more than its interval at "
            f"{len(better)} of {len(found)} points** ({_listed(better)})"
        )
    worse = [point for point in found if point.better < 0]
    words = "its interval ends below the share of the best other"
    end = f"; {words} at {len(worse)} ({_listed(worse)})." if worse else f"; nowhere {words}."
    return _preliminary(found, plan) + begin + end


def _listed(found: Iterable[Point]) -> str:
    """Return points in words, each with both approaches' right verdicts."""
    words = []
    for point in found:
        ours, other = point.cells[OURS], point.best_other
        counts = f"{ours.right} of {ours.of}, {other.approach} {other.right}"
        words.append(f"{point.set} {point.words}: {counts}")
    return "; ".join(words)


def _wanted(plan: Mapping[str, Any]) -> dict[tuple[str, str, float], int]:
    """Return how many episodes are to be judged at each point."""
    found = {}
    for name, one in plan["sets"].items():
        levels = [(NONE, 0.0)]
        for asked in read_axes(",".join(one["axes"])) if one.get("axes") else ():
            levels += [(asked.axis.name, level) for level in asked.levels]
        found.update({(name, *level): int(one["episodes"]) for level in levels})
    return found


def _preliminary(found: Sequence[Point], plan: Mapping[str, Any]) -> str:
    """Return how little of a set is judged, as the beginning of a sentence; empty if it is enough to conclude."""
    judged = {point.set: point.of for point in found if point.axis == NONE}
    few = [f"{name} {judged.get(name, 0)}" for name in plan["sets"] if judged.get(name, 0) < LEAST]
    if not few:
        return ""
    return f"*Preliminary, too few episodes to conclude: {', '.join(few)}.* "


def _left_out(found: Sequence[Point], plan: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence on what was planned and is not judged, if there is anything."""
    judged = {(p.set, p.axis, p.level): p for p in found}
    words = []
    for key, wanted in _wanted(plan).items():
        of = judged[key].of if key in judged else 0
        if of < wanted:
            name = judged[key].words if key in judged else key[1]
            words.append(f"{key[0]} {name} {of} of {wanted}")
    if words:
        yield (
            f"Planned and not all judged: {'; '.join(words)}. Successes and failures are judged in turn, so that "
            "those counts are not the shares of the set."
        )


def _set_sentence(point: Point, rows: Sequence[Row], plan: Mapping[str, Any]) -> str:
    rule, seeds = point.cells[RULE], plan["sets"][point.set]
    low, high = rule.interval
    wanted = f"the {HARD[0]:.0%} to {HARD[1]:.0%} that were wanted"
    hard = f"inside {wanted}"
    if rule.share > HARD[1]:
        hard = f"above {wanted}: these episodes are easy for it"
    elif rule.share < HARD[0]:
        hard = f"below {wanted}: these episodes are hopeless for it"
    usual = max(rule.successes[1], rule.failures[1]) / rule.of
    known = [
        (Quantities(*row["measured"]), row["truth"])
        for row in rows
        if row["set"] == point.set and "measured" in row and set(point.cells) <= set(row["said"])
    ]
    most = (
        f", with thresholds chosen on these very episodes in {thresholds(known)[1]}"
        if known
        else ""
    )
    return (
        f"`{point.set}`: seed {seeds['judged_on']}, {rule.of} episodes judged of {seeds['episodes']}, of which "
        f"{rule.successes[1]} succeed; to say always the same would be right in {usual:.0%}. The rule "
        f"without simulation, with thresholds of seed {seeds['chosen_on']}, is right in {rule.right} "
        f"({rule.share:.0%}; {low:.0%} to {high:.0%}), {hard}{most}."
    )


def thresholds(measured: Sequence[tuple[Quantities, bool]]) -> tuple[Quantities, int]:
    """Return the pair of thresholds with the most right verdicts, and how many; of several pairs the middle one.

    Args:
        measured: of each episode, and whether it succeeded.
    """
    firsts, seconds = ([*_between(m[i] for m, _ in measured)] for i in (0, 1))
    right = {
        Quantities(first, second): sum(
            (m.first <= first and m.second <= second) is truth for m, truth in measured
        )
        for first in firsts
        for second in seconds
    }
    most = max(right.values())
    best = [pair for pair, count in right.items() if count == most]
    return best[len(best) // 2], most


def _between(numbers: Iterable[float]) -> Iterable[float]:
    """Yield the middles between neighbours, and one number beyond all of them."""
    known = sorted(set(numbers))
    yield from ((low + high) / 2 for low, high in pairwise(known))
    yield known[-1] + 0.01


def _table(found: Sequence[Point]) -> Iterator[str]:
    yield f"| {found[0].set} | approach | success | failure | all | 95 % interval |"
    yield "|---|---|---|---|---|---|"
    for point in found:
        for cell in point.cells.values():
            low, high = cell.interval
            counts = [f"{r} of {n}" for r, n in (cell.successes, cell.failures)]
            shown = [*counts, f"{cell.right} of {cell.of}", f"{low:.0%} to {high:.0%}"]
            yield f"| {point.words} | {cell.approach} | {' | '.join(shown)} |"


def _worth(found: Sequence[Point], rows: Sequence[Row], approaches: Sequence[str]) -> Iterator[str]:
    """Yield where the ensemble is wrong, and what it is for beside its verdicts."""
    for name in dict.fromkeys(point.set for point in found):
        mine = [r for r in rows if (r["set"], r["axis"]) == (name, NONE) and OURS in r["said"]]
        counts: dict[str, list[bool]] = {}
        for row in mine:
            wrong = row["said"][OURS][0] is not row["truth"]
            counts.setdefault(row["cause"].replace("_", " ") or "success", []).append(wrong)
        words = [f"{sum(one)} of {len(one)} {cause}" for cause, one in sorted(counts.items())]
        yield f"**Wrong verdicts** of the ensemble by what really happened, {name}: {', '.join(words)}."
    stages = {a: _named([r for r in rows if r["axis"] == NONE], a) for a in approaches}
    told = [f"{a} {_share(*count)}" for a, count in stages.items() if count[1]]
    if told:
        yield (
            "**Explanations**: of the drops that really failed, as recorded, the account of the run ends where the "
            "action did (never picked up, lost on the way, beside the container, out of it again): "
            f"{', '.join(told)}."
        )
    others = [p for p in found if p.axis == OBJECT]
    if others:
        sums = [f"{a} {_share(*_summed([p.cells[a] for p in others]))}" for a in approaches]
        levels = " and ".join(dict.fromkeys(shown_level(axes()[OBJECT], p.level) for p in others))
        yield f"**New objects**, of which the twin has the size wrong by {levels}, nothing tuned: {', '.join(sums)}."
    of_all = [p for p in found if p.axis != SIGNALS]
    untuned, tuned = ([p.cells[name] for p in of_all] for name in (UNTUNED, TUNED))
    seconds = {a: _seconds(rows, a) for a in approaches}
    cost = VALUES_TRIED * max(cell.of for cell in tuned) * seconds[TUNED]
    yield (
        f"**Tuning**: over all points {TUNED} is right in {_share(*_summed(tuned))} and {UNTUNED} in "
        f"{_share(*_summed(untuned))}, the ensemble, whose parameters are those of all other pages, in "
        f"{_share(*_summed([p.cells[OURS] for p in of_all]))}. To try {VALUES_TRIED} values of one parameter on "
        f"as many labelled episodes as a set has takes {cost:.0f} s of processor time."
    )
    speeds = ", ".join(f"{a} {taken:.2g}" for a, taken in seconds.items())
    yield f"**Speed**: processor time of a verdict, median in s: {speeds}."


def _named(rows: Sequence[Row], approach: str) -> tuple[int, int]:
    """Return in how many failures the account ends at the true cause, and of how many."""
    told = [r for r in rows if not r["truth"] and len(r["said"].get(approach, ())) > STAGE]
    return sum(r["said"][approach][STAGE] == r["cause"] for r in told), len(told)


def _summed(cells: Sequence[Cell]) -> tuple[int, int]:
    return sum(cell.right for cell in cells), sum(cell.of for cell in cells)


def _share(right: int, of: int) -> str:
    found = probability(right, of)
    return f"{right} of {of} ({found.low:.0%} to {found.high:.0%})"


def _seconds(rows: Sequence[Row], approach: str) -> float:
    """Return the median of a verdict's processor time [s]."""
    taken = sorted(row["said"][approach][1] for row in rows if approach in row["said"])
    return float(taken[len(taken) // 2])


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
