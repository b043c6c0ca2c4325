"""Chooses the parameters of a fidelity manager with the best speedup, and validates them on held-out draws."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from hetwin_futures import relative_difference
from hetwin_learning.derived_scenario import extending_yaml, with_parameters
from hetwin_learning.fidelity.candidate import FULL, Candidate, scenario_candidate, tuning_order
from hetwin_learning.fidelity.moved_objects import managers_of
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
        held_out_before: the scenario's current parameters on the held-out draws.
    """

    scenario: Scenario
    chosen: Candidate
    rows: list[CandidateScore]
    held_out: CandidateScore
    held_out_before: CandidateScore

    def yaml(self, folder: Path | None = None) -> str:
        """Return a scenario that extends the current one by the chosen parameters; see `extending_yaml`."""
        path = self.scenario.path
        parameters = dict.fromkeys(managers_of(self.scenario), self.chosen.parameters())
        return extending_yaml(
            path, with_parameters(path, self.scenario.variant, parameters), folder
        )

    def to_json(self) -> dict[str, Any]:
        """Return the JSON representation."""
        return {
            "yaml": self.yaml(),
            "chosen": self.chosen.to_json(),
            "rows": [row.to_json() for row in self.rows],
            "held_out": self.held_out.to_json(),
            "held_out_before": self.held_out_before.to_json(),
        }


class CandidateScorer:
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
        candidates = list(candidates)
        tasks = [
            (candidate, draw) for draw in draws for candidate in dict.fromkeys([FULL, *candidates])
        ]
        missing = [task for task in tasks if task not in self._runs]
        for run in self._study.runs(self._draw(*task, index) for index, task in enumerate(missing)):
            self._runs[missing[run.index]] = run
        full = [self._runs[FULL, draw] for draw in draws]
        if all(run.error for run in full):
            raise RunFailed("learn", "run in full fidelity", 0, str(full[0].error))
        return [
            score_candidate(candidate, [self._runs[candidate, draw] for draw in draws], full)
            for candidate in candidates
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
    candidate: Candidate, managed: Sequence[RunResult], full: Sequence[RunResult]
) -> CandidateScore:
    """Compare the runs of a candidate with those in full fidelity on the same draws; failed runs are left out."""
    pairs = [(m, f) for m, f in zip(managed, full, strict=True) if not m.error and not f.error]
    processor_s = max(sum(m.processor_s for m, _ in pairs), 1e-9)
    moved, truth = [m.seen for m, _ in pairs], [f.seen for _, f in pairs]
    error = relative_difference(moved, truth, [""] * len(pairs), 0)
    if not any(truth):
        error = (float(any(moved)),) * 3
    return CandidateScore(
        candidate,
        len(pairs),
        sum(m.end_ns for m, _ in pairs) / 1e9 / processor_s,
        sum(f.processor_s for _, f in pairs) / processor_s,
        *error,
        len(managed) - len(pairs),
    )


def learn_fidelity(study: Study, samples: int, tolerance: float) -> LearnedFidelity:
    """Choose one parameter after the other on the first half of the draws, and validate them on the second half.

    Args:
        study: study of a scenario with a fidelity manager; `MovedWatcher` watches it.
        samples: number of draws.
        tolerance: maximum relative error.

    Raises:
        BadInput: if the scenario cannot be used.
        RunFailed: if the runs in full fidelity fail.
    """
    scoring, current = CandidateScorer(study), _scenario_candidate(study.scenario)
    draws = range(samples)
    tuning_draws, held_out_draws = draws[: samples // 2], draws[samples // 2 :]
    rows = scoring.score([FULL], tuning_draws)
    best = _starting_candidate(current)
    for name, values in tuning_order(best):
        scores = scoring.score([_with(best, name, value) for value in values], tuning_draws)
        rows += [row for row in scores if row not in rows]
        best = _best(scores, tolerance)
    best = _best([row for row in rows if row.candidate in (FULL, best)], tolerance)
    return LearnedFidelity(
        study.scenario, best, rows, *scoring.score([best, current], held_out_draws)
    )


def max_runs(scenario: Scenario, samples: int) -> int:
    """Return the maximum number of runs that `learn_fidelity` makes.

    Raises:
        BadInput: if the scenario cannot be used.
    """
    values = [
        values for _, values in tuning_order(_starting_candidate(_scenario_candidate(scenario)))
    ]
    tuning_runs = 1 + sum(map(len, values)) - (len(values) - 1)
    validation_runs = 3  # full fidelity, the chosen parameters, and the current ones
    return samples // 2 * tuning_runs + (samples - samples // 2) * validation_runs


def _scenario_candidate(scenario: Scenario) -> Candidate:
    """Return the current parameters of the scenario."""
    plan = scenario.plan(managers_of(scenario)[0])
    assert plan is not None
    return scenario_candidate(plan.parameters)


def _starting_candidate(current: Candidate) -> Candidate:
    """Return the candidate from which one parameter at a time is varied."""
    return current if current.inflation is not None else Candidate(1.0)


def _best(rows: Sequence[CandidateScore], tolerance: float) -> Candidate:
    """Return the fastest candidate within the tolerance; without one, the candidate with the smallest error."""
    acceptable = [row for row in rows if abs(row.error) <= tolerance and not row.failed]
    if acceptable:
        return max(acceptable, key=lambda row: row.speedup).candidate
    return min(rows, key=lambda row: (row.failed, _magnitude(row.error))).candidate


def _magnitude(error: float) -> float:
    return abs(error) if error == error else float("inf")


def _with(candidate: Candidate, name: str, value: Any) -> Candidate:
    return candidate._replace(**{name: value})
