"""Explains why a run failed by the smallest change with which it would have succeeded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hetwin_futures.explanation import (
    FAR_M,
    Change,
    Explanation,
    Place,
    begin_of,
    change_words,
    comes_near,
    with_change,
)
from hetwin_futures.search import SHIFTS_M, Candidate, Search, Sufficient, candidates
from hetwin_suite.model import POSE, BadInput, EntityKind, Floats, rotate
from hetwin_suite.runs import HetwinError, say
from hetwin_suite.study import (
    Draw,
    Moment,
    RunAtMoment,
    RunResult,
    Study,
    UncertainPose,
    Uncertainty,
    at_moment,
    judged_tables,
    probability,
)
from hetwin_suite.tables import Tables

NOTHING = probability(0, 0)


def explain(study: Study, tables: Tables, change: str = "") -> Explanation:
    """Find the smallest change with which a run would have succeeded.

    Args:
        study: makes runs like the one to explain.
        tables: tables of the run.
        change: the entity or number that may change; empty: everything that is uncertain.

    Raises:
        BadInput: if `change` names nothing uncertain, or the scenario has no outcomes.
        HetwinError: if a run fails.
    """
    scenario = study.scenario
    outcomes = scenario.file.outcomes
    if not outcomes:
        raise BadInput(
            "the scenario does not say what success is",
            file=scenario.path,
            where="outcomes",
            expected="outcomes, each a question such as holds(on('box', 'tray'), at(end))",
        )
    requested = candidates(study.uncertainty, change)
    judged = judged_tables(tables, outcomes)
    if all(value is True for value in judged.values()):
        return Explanation(None, NOTHING, say("explanation.succeeded"))
    return _Explaining(study, tables).of(requested)


class _Explaining:
    def __init__(self, study: Study, tables: Tables) -> None:
        self._study, self._tables, self._progress = study, tables, study.progress
        self._uncertainty = study.uncertainty
        study.progress = self._over
        self._made = self._finished = 0
        self._reasons: dict[str, None] = {}
        self._passed_over: list[str] = []

    def of(self, requested: Sequence[Candidate]) -> Explanation:
        """Try each candidate in turn; a change of a position is preferred to a change of a number."""
        best: Sufficient | None = None
        at_s = 0.0
        for candidate in requested:
            placed = self._placed(candidate)
            if placed is None and best is not None:
                break
            if placed is not None and not self._can_matter(placed):
                far = {"name": candidate.name, "reach": FAR_M + SHIFTS_M[-1]}
                self._passed_over.append(say("explanation.too_far", **far))
                continue
            begin = 0.0 if placed is None else begin_of(placed.poses, self._tables)
            found = self._smallest(candidate, begin, best)
            if found is not None:
                best, at_s = found, begin
        return self._explanation(best, at_s)

    def _placed(self, candidate: Candidate) -> UncertainPose | None:
        named = (spread for spread in self._uncertainty.placed if spread.entity == candidate.name)
        return next(named, None)

    def _can_matter(self, placed: UncertainPose) -> bool:
        tables = self._tables
        stands = all(tables.layout.entity(name).kind is EntityKind.STATIC for name in placed.poses)
        return not stands or comes_near(placed.entity, tables, SHIFTS_M[-1])

    def _smallest(
        self, candidate: Candidate, begin: float, best: Sufficient | None
    ) -> Sufficient | None:
        limit = float("inf") if best is None else best.amount

        def plan(now: RunAtMoment) -> Sufficient | None:
            return self._search(now).smallest(candidate, limit)

        return at_moment(self._study, Moment(begin), plan)

    def _search(self, now: RunAtMoment) -> Search:
        uncertainty, scene, seed = now.uncertainty, now.scene, self._study.seed
        places = [
            Place(spread.entity, {name: np.array(scene.pose(name)[:7]) for name in spread.poses})
            for spread in self._uncertainty.placed
        ]
        certain = Uncertainty(uncertainty.main, bodies=uncertainty.bodies, grips=uncertainty.grips)

        def alone(change: Change, index: int) -> Draw:
            drawn_beside = _only(self._uncertainty, change) if change.parameter else certain
            return with_change(change, places, drawn_beside, seed, index)

        def drawn(change: Change, number: int, index: int) -> Draw:
            of_now = uncertainty if not change.parameter else self._uncertainty
            draw = with_change(change, places, of_now, seed, number)
            return replace(draw, index=index)

        def made(draws: Sequence[Draw]) -> list[RunResult]:
            self._made += len(draws)
            return [*now.runs(draws)]

        return Search(alone, drawn, made)

    def _over(self, future: RunResult) -> None:
        if future.error is None:
            self._finished += 1
        else:
            self._reasons[future.error] = None
        self._progress(future)

    def _explanation(self, best: Sufficient | None, at_s: float) -> Explanation:
        if self._made and not self._finished:
            raise HetwinError(f"no future could go on: {next(iter(self._reasons), 'unknown')}")
        made, finished = self._made, self._finished
        if best is None:
            reason = "; ".join(self._passed_over) or say("explanation.no_size")
            name = "none_helps" if finished else "none_possible"
            text = say(f"explanation.{name}", finished=finished, reason=reason)
            return Explanation(None, NOTHING, text, made, finished)
        what = change_words(best.change, _ahead(self._tables))
        yes = round(best.p.p * best.p.of)
        text = say("explanation.would_have", change=what, good=yes, of=best.p.of)
        return Explanation(best.change, best.p, text, made, finished, best.futures, at_s)


def _only(uncertainty: Uncertainty, change: Change) -> Uncertainty:
    """Return the uncertainty of just the number that a change is about."""
    return Uncertainty(
        uncertainty.main,
        physical=tuple(
            spread for spread in uncertainty.physical if spread.name == change.parameter
        ),
        varied=tuple(spread for spread in uncertainty.varied if spread.name == change.parameter),
        bodies=uncertainty.bodies,
        grips=uncertainty.grips,
    )


def _ahead(tables: Tables) -> Floats:
    """Return (2,) the viewing direction of the first robot at the start; the world's x axis without a robot."""
    for robot in tables.layout.of_kind(EntityKind.ROBOT):
        if tables.layout.has(robot.name, POSE.name):
            pose = tables.poses.at(robot.name, tables.start_ns)[1]
            ahead = np.array(rotate(pose[3:7].tolist(), [1.0, 0.0, 0.0])[:2])
            length = float(np.linalg.norm(ahead))
            if length > 0.0:
                return ahead / length
    return np.array([1.0, 0.0])
