"""The cells of Table 2, from verdicts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hetwin_suite.proving_ground.evaluation.approaches import APPROACHES, TASKS
from hetwin_suite.proving_ground.evaluation.judge import Verdict
from hetwin_suite.proving_ground.evaluation.statistics import wilson_interval


@dataclass(frozen=True, slots=True)
class Cell:
    """How often one approach is right about one kind of episode."""

    scenario: str
    truth: str
    approach: str
    right: int
    of: int

    @property
    def interval(self) -> tuple[float, float]:
        """95 % confidence interval of the share."""
        return wilson_interval(self.right, self.of)

    @property
    def paper(self) -> tuple[int, int] | None:
        """The paper's figure, if it has one."""
        pair = TASKS[self.scenario].paper.get(self.approach)
        return None if pair is None else pair[0 if self.truth == "success" else 1]

    @property
    def words(self) -> tuple[str, str, str]:
        """The figure, its interval and the paper's figure, as a table shows them."""
        low, high = self.interval
        paper = f"{self.paper[0]}/{self.paper[1]}" if self.paper else "n/a"
        ours = f"{self.right}/{self.of}" if self.of else "n/a"
        return ours, f"{low:.0%} to {high:.0%}", f"paper {paper}"


def cells(verdicts: Iterable[Verdict]) -> list[Cell]:
    """One cell per scenario, truth and approach.

    What the paper calls n/a is left out, see `Verdict.not_applicable`.
    """
    verdicts = list(verdicts)
    table = []
    for scenario in TASKS:
        for truth in ("success", "failure"):
            for approach in APPROACHES:
                here = [
                    v
                    for v in verdicts
                    if (v.scenario, v.approach) == (scenario, approach)
                    and v.truth == (truth == "success")
                    and not v.not_applicable
                ]
                seen = any((v.scenario, v.approach) == (scenario, approach) for v in verdicts)
                if seen:
                    right = sum(v.right for v in here)
                    table.append(Cell(scenario, truth, approach, right, len(here)))
    return table
