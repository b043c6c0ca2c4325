"""Finds the parameters of a fidelity manager that save most and change little, and says so of draws it has not seen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from hetwin_futures import error_of
from hetwin_learning.changed import extending, with_parameters
from hetwin_learning.fidelity.candidate import FULL, Candidate, present, rounds
from hetwin_learning.fidelity.moving import managers_of
from hetwin_suite.model import RunFailed
from hetwin_suite.runs import Scenario
from hetwin_suite.study import Draw, RunResult, Study


class Weighed(NamedTuple):
    """What some parameters bring, compared with full fidelity on the same draws.

    Attributes:
        candidate: the parameters.
        of: number of draws in which neither failed.
        real_time_factor: simulated time over processor time.
        speedup: processor time in full fidelity over theirs.
        error: objects that they move over those in full fidelity, less 1; where none moves, 1 if they move any.
        error_low: lower end of its 95 % interval.
        error_high: upper end.
        failed: number of draws in which a run failed.
    """

    candidate: Candidate
    of: int
    real_time_factor: float
    speedup: float
    error: float
    error_low: float
    error_high: float
    failed: int

    def to_json(self) -> dict[str, Any]:
        """Return the JSON representation."""
        return {**self.candidate.to_json(), **dict(list(self._asdict().items())[1:])}


@dataclass(frozen=True, slots=True)
class LearnedFidelity:
    """What was learned.

    Attributes:
        scenario: of which.
        chosen: the best parameters.
        rows: all that were tried, on the draws that they were chosen on.
        held_out: the chosen ones, on the other draws.
        held_out_before: those that the scenario has, on the other draws.
    """

    scenario: Scenario
    chosen: Candidate
    rows: list[Weighed]
    held_out: Weighed
    held_out_before: Weighed

    def yaml(self, beside: Path | None = None) -> str:
        """Return a scenario that extends the one that was learned for; see `extending`."""
        path = self.scenario.path
        new = dict.fromkeys(managers_of(self.scenario), self.chosen.parameters())
        return extending(path, with_parameters(path, self.scenario.variant, new), beside)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON representation."""
        return {
            "yaml": self.yaml(),
            "chosen": self.chosen.to_json(),
            "rows": [row.to_json() for row in self.rows],
            "held_out": self.held_out.to_json(),
            "held_out_before": self.held_out_before.to_json(),
        }


class Weighing:
    """Runs what has not been run yet, and compares.

    Args:
        study: study of a scenario with a fidelity manager.

    Raises:
        BadInput: if it has none, or nothing of it is uncertain.
    """

    def __init__(self, study: Study) -> None:
        self._managers, self._study = managers_of(study.scenario), study
        self._runs: dict[tuple[Candidate, int], RunResult] = {}

    def weigh(self, candidates: Iterable[Candidate], draws: Sequence[int]) -> list[Weighed]:
        """Compare each of these with full fidelity.

        Raises:
            BadInput: if the scenario cannot be used.
            RunFailed: if the runs in full fidelity fail.
        """
        asked = list(candidates)
        tasks = [(each, draw) for draw in draws for each in dict.fromkeys([FULL, *asked])]
        missing = [task for task in tasks if task not in self._runs]
        for run in self._study.runs(self._draw(*task, at) for at, task in enumerate(missing)):
            self._runs[missing[run.index]] = run
        full = [self._runs[FULL, draw] for draw in draws]
        if all(run.error for run in full):
            raise RunFailed("learn", "run in full fidelity", 0, str(full[0].error))
        return [weighed(each, [self._runs[each, draw] for draw in draws], full) for each in asked]

    def run(self, candidate: Candidate, number: int) -> RunResult:
        """Run once with some parameters, and what is drawn of this number."""
        (found,) = self._study.runs([self._draw(candidate, number, 0)])
        return found

    def _draw(self, candidate: Candidate, number: int, index: int) -> Draw:
        """Return what is drawn of this number, with the managers' parameters."""
        draw = replace(self._study.draw(number), index=index)
        for name in self._managers:
            draw = draw.with_parameters(name, candidate.parameters())
        return draw


def weighed(candidate: Candidate, own: Sequence[RunResult], full: Sequence[RunResult]) -> Weighed:
    """Compare runs with some parameters with those in full fidelity of the same draws; failed ones are left out."""
    pairs = [(o, f) for o, f in zip(own, full, strict=True) if not o.error and not f.error]
    spent = max(sum(o.processor_s for o, _ in pairs), 1e-9)
    moved, truth = [o.seen for o, _ in pairs], [f.seen for _, f in pairs]
    error = error_of(moved, truth, [""] * len(pairs), 0)
    if not any(truth):
        error = (float(any(moved)),) * 3
    return Weighed(
        candidate,
        len(pairs),
        sum(o.end_ns for o, _ in pairs) / 1e9 / spent,
        sum(f.processor_s for _, f in pairs) / spent,
        *error,
        len(own) - len(pairs),
    )


def learn_fidelity(study: Study, samples: int, tolerance: float) -> LearnedFidelity:
    """Choose parameters on the first half of the draws, one after the other, and measure them on the second half.

    Args:
        study: study of a scenario with a fidelity manager; `Moving` watches it.
        samples: number of draws.
        tolerance: how large the error may be, as a share.

    Raises:
        BadInput: if the scenario cannot be used.
        RunFailed: if the runs in full fidelity fail.
    """
    weighing, before = Weighing(study), _before(study.scenario)
    draws = range(samples)
    chosen_on, others = draws[: samples // 2], draws[samples // 2 :]
    rows = weighing.weigh([FULL], chosen_on)
    best = _first(before)
    for name, values in rounds(best):
        found = weighing.weigh([_with(best, name, value) for value in values], chosen_on)
        rows += [row for row in found if row not in rows]
        best = _best(found, tolerance)
    best = _best([row for row in rows if row.candidate in (FULL, best)], tolerance)
    return LearnedFidelity(study.scenario, best, rows, *weighing.weigh([best, before], others))


def most_runs(scenario: Scenario, samples: int) -> int:
    """Return how many runs `learn_fidelity` makes at most.

    Raises:
        BadInput: if the scenario cannot be used.
    """
    values = [values for _, values in rounds(_first(_before(scenario)))]
    tried = 1 + sum(map(len, values)) - (len(values) - 1)
    compared = 3  # full fidelity, what was chosen, and what the scenario has
    return samples // 2 * tried + (samples - samples // 2) * compared


def _before(scenario: Scenario) -> Candidate:
    """Return the parameters that the scenario has."""
    plan = scenario.plan(managers_of(scenario)[0])
    assert plan is not None
    return present(plan.parameters)


def _first(before: Candidate) -> Candidate:
    """Return the parameters that the others are varied from."""
    return before if before.inflation is not None else Candidate(1.0)


def _best(rows: Sequence[Weighed], tolerance: float) -> Candidate:
    """Return the fastest of those whose error is small enough; if none is, the one with the smallest."""
    good = [row for row in rows if abs(row.error) <= tolerance and not row.failed]
    if good:
        return max(good, key=lambda row: row.speedup).candidate
    return min(rows, key=lambda row: (row.failed, _size(row.error))).candidate


def _size(error: float) -> float:
    return abs(error) if error == error else float("inf")


def _with(candidate: Candidate, name: str, value: Any) -> Candidate:
    return candidate._replace(**{name: value})
