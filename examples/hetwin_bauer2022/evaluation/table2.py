"""The cells of Table 2, from verdicts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hetwin_bauer2022.evaluation.approaches import APPROACHES, TASKS
from hetwin_bauer2022.evaluation.judge import Verdict
from hetwin_suite.study import probability


@dataclass(frozen=True, slots=True)
class Cell:
    """The accuracy of one approach on one kind of episode."""

    scenario: str
    truth: str
    approach: str
    right: int
    of: int

    @property
    def interval(self) -> tuple[float, float]:
        """95 % confidence interval of the share."""
        interval = probability(self.right, self.of)
        return interval.low, interval.high

    @property
    def paper(self) -> tuple[int, int] | None:
        """The paper's number of right verdicts and of episodes; None if the paper reports none."""
        pair = TASKS[self.scenario].paper.get(self.approach)
        return None if pair is None else pair[0 if self.truth == "success" else 1]

    @property
    def words(self) -> tuple[str, str, str]:
        """The share, its interval and the paper's figure, formatted for a table."""
        low, high = self.interval
        paper = f"{self.paper[0]}/{self.paper[1]}" if self.paper else "n/a"
        ours = f"{self.right}/{self.of}" if self.of else "n/a"
        return ours, f"{low:.0%} to {high:.0%}", f"paper {paper}"


def cells(verdicts: Iterable[Verdict]) -> list[Cell]:
    """Compute one cell per scenario, truth and approach.

    Verdicts that are n/a in the paper are left out, see `Verdict.not_applicable`.
    """
    verdicts = list(verdicts)
    table = []
    for scenario in TASKS:
        for truth in ("success", "failure"):
            for approach in APPROACHES:
                matching = [
                    v
                    for v in verdicts
                    if (v.scenario, v.approach) == (scenario, approach)
                    and v.truth == (truth == "success")
                    and not v.not_applicable
                ]
                is_judged = any((v.scenario, v.approach) == (scenario, approach) for v in verdicts)
                if is_judged:
                    right = sum(v.right for v in matching)
                    table.append(Cell(scenario, truth, approach, right, len(matching)))
    return table


@dataclass(frozen=True, slots=True)
class HandBacks:
    """Statistics of the poses that were handed back to the main model.

    Attributes:
        of: number of hand-backs.
        unequal: number of hand-backs whose pose did not equal the released one to the bit.
        greatest_gain: maximum gain of speed within half a second afterwards, beyond the released speed and gravity
            [m/s]; 0 if all objects only slowed down.
    """

    scenario: str
    approach: str
    of: int
    unequal: int
    greatest_gain: float

    def __str__(self) -> str:
        return (
            f"{self.scenario}, {self.approach}: {self.of} poses handed back to physics,"
            f" {self.of - self.unequal} equal to the bit,"
            f" greatest gain of speed beyond gravity {self.greatest_gain:.2f} m/s"
        )


def hand_backs(verdicts: Iterable[Verdict]) -> list[HandBacks]:
    """Compute one row per scenario and approach with hand-backs."""
    verdicts = list(verdicts)
    rows = []
    for scenario in TASKS:
        for approach in APPROACHES:
            matching = [
                v
                for v in verdicts
                if (v.scenario, v.approach) == (scenario, approach) and v.hand_backs
            ]
            if matching:
                gain = max(0.0, *(v.gain for v in matching))
                of, unequal = sum(v.hand_backs for v in matching), sum(v.unequal for v in matching)
                rows.append(HandBacks(scenario, approach, of, unequal, gain))
    return rows
