"""Chooses the parameters of a fidelity manager with the best speedup, and validates them on held-out draws."""

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


class CandidateScore(NamedTuple):
    """Speedup and error of one choice of parameters, compared with full fidelity on the same draws.

    Attributes:
        candidate: the parameters.
        of: number of draws in which neither run failed.
        real_time_factor: simulated time over processor time.
        speedup: processor time in full fidelity over processor time with the parameters.
        error: relative difference of the number of moved objects to full fidelity; 1 if only the managed runs move any.
        error_low: lower bound of its 95 % interval.
        error_high: upper bound of its 95 % interval.
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
    """The chosen parameters, and the comparisons that led to them.

    Attributes:
        scenario: the scenario.
        chosen: the best parameters.
        rows: all choices, on the draws that were used for choosing.
        held_out: the chosen parameters on the held-out draws.
        held_out_before: the scenario's present parameters on the held-out draws.
    """

    scenario: Scenario
    chosen: Candidate
    rows: list[CandidateScore]
    held_out: CandidateScore
    held_out_before: CandidateScore

    def yaml(self, beside: Path | None = None) -> str:
        """Return a scenario that extends the present one by the chosen parameters; see `extending`."""
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


class Scoring:
    """Compares candidates with full fidelity, and runs each combination of candidate and draw only once.

    Args:
        study: study of a scenario with a fidelity manager.

    Raises:
        BadInput: if the scenario has no fidelity manager, or no uncertainty.
    """

    def __init__(self, study: Study) -> None:
        self._managers, self._study = managers_of(study.scenario), study
        self._runs: dict[tuple[Candidate, int], RunResult] = {}

    def score(self, candidates: Iterable[Candidate], draws: Sequence[int]) -> list[CandidateScore]:
        """Compare each candidate with full fidelity.

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
        return [
            score_candidate(each, [self._runs[each, draw] for draw in draws], full)
            for each in asked
        ]

    def run(self, candidate: Candidate, number: int) -> RunResult:
        """Run once with the parameters of a candidate and the draw of this number."""
        (found,) = self._study.runs([self._draw(candidate, number, 0)])
        return found

    def _draw(self, candidate: Candidate, number: int, index: int) -> Draw:
        """Return the draw of this number with the parameters of a candidate."""
        draw = replace(self._study.draw(number), index=index)
        for name in self._managers:
            draw = draw.with_parameters(name, candidate.parameters())
        return draw


def score_candidate(
    candidate: Candidate, own: Sequence[RunResult], full: Sequence[RunResult]
) -> CandidateScore:
    """Compare the runs of a candidate with those in full fidelity on the same draws; failed runs are left out."""
    pairs = [(o, f) for o, f in zip(own, full, strict=True) if not o.error and not f.error]
    spent = max(sum(o.processor_s for o, _ in pairs), 1e-9)
    moved, truth = [o.seen for o, _ in pairs], [f.seen for _, f in pairs]
    error = error_of(moved, truth, [""] * len(pairs), 0)
    if not any(truth):
        error = (float(any(moved)),) * 3
    return CandidateScore(
        candidate,
        len(pairs),
        sum(o.end_ns for o, _ in pairs) / 1e9 / spent,
        sum(f.processor_s for _, f in pairs) / spent,
        *error,
        len(own) - len(pairs),
    )


def learn_fidelity(study: Study, samples: int, tolerance: float) -> LearnedFidelity:
    """Choose one parameter after the other on the first half of the draws, and validate them on the second half.

    Args:
        study: study of a scenario with a fidelity manager; `Moving` watches it.
        samples: number of draws.
        tolerance: maximum relative error.

    Raises:
        BadInput: if the scenario cannot be used.
        RunFailed: if the runs in full fidelity fail.
    """
    scoring, before = Scoring(study), _before(study.scenario)
    draws = range(samples)
    chosen_on, others = draws[: samples // 2], draws[samples // 2 :]
    rows = scoring.score([FULL], chosen_on)
    best = _first(before)
    for name, values in rounds(best):
        found = scoring.score([_with(best, name, value) for value in values], chosen_on)
        rows += [row for row in found if row not in rows]
        best = _best(found, tolerance)
    best = _best([row for row in rows if row.candidate in (FULL, best)], tolerance)
    return LearnedFidelity(study.scenario, best, rows, *scoring.score([best, before], others))


def most_runs(scenario: Scenario, samples: int) -> int:
    """Return the maximum number of runs that `learn_fidelity` makes.

    Raises:
        BadInput: if the scenario cannot be used.
    """
    values = [values for _, values in rounds(_first(_before(scenario)))]
    tried = 1 + sum(map(len, values)) - (len(values) - 1)
    compared = 3  # full fidelity, the chosen parameters, and the present ones
    return samples // 2 * tried + (samples - samples // 2) * compared


def _before(scenario: Scenario) -> Candidate:
    """Return the present parameters of the scenario."""
    plan = scenario.plan(managers_of(scenario)[0])
    assert plan is not None
    return present(plan.parameters)


def _first(before: Candidate) -> Candidate:
    """Return the candidate from which one parameter at a time is varied."""
    return before if before.inflation is not None else Candidate(1.0)


def _best(rows: Sequence[CandidateScore], tolerance: float) -> Candidate:
    """Return the fastest candidate within the tolerance; without one, the candidate with the smallest error."""
    good = [row for row in rows if abs(row.error) <= tolerance and not row.failed]
    if good:
        return max(good, key=lambda row: row.speedup).candidate
    return min(rows, key=lambda row: (row.failed, _size(row.error))).candidate


def _size(error: float) -> float:
    return abs(error) if error == error else float("inf")


def _with(candidate: Candidate, name: str, value: Any) -> Candidate:
    return candidate._replace(**{name: value})
