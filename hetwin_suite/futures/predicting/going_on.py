"""How a run goes on as a future, and what is reported of it; alike in a forked process and in a restored one."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hetwin_core.ensemble.conductor.between_steps import BetweenSteps
from hetwin_core.ensemble.conductor.reporting.listener import RunSummary
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.conductor.start.sources import is_commanded, is_live
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.model import Stepping
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.words import failure_row_words
from hetwin_core.projection.tables.running import RunTables
from hetwin_suite.futures.drawing.draw import Draw
from hetwin_suite.futures.drawing.find import KEY as UNCERTAINTY
from hetwin_suite.futures.judging import judged_tables, valued_tables
from hetwin_suite.futures.predicting.future import Future
from hetwin_suite.futures.predicting.seen import actions_after, events_since, paths_since


def alter(now: BetweenSteps, draw: Draw) -> None:
    """Give a run what was drawn for a future; what moves goes on as fast.

    Raises:
        Refused: if a model cannot go on with it.
        RunFailed: if a model fails.
    """
    scene = now.scene
    poses = {
        entity: np.array([*entry["pose"], *scene.pose(entity)[7:]])
        for entity, entry in draw.scene.items()
    }
    now.alter(poses, draw.parameters)


def future_of(
    draw: Draw,
    summary: RunSummary,
    tables: RunTables,
    outcomes: Mapping[str, str],
    at_ns: int,
    utility: str | None = None,
) -> Future:
    """Return what came of a future that is over.

    Args:
        draw: what it differed in.
        summary: of its run.
        tables: of the whole run, from its start.
        outcomes: name -> question.
        at_ns: the moment from which on it was a future.
        utility: question whose answer is its value; None: whether all outcomes came about.
    """
    if summary.error is not None:
        return failed(draw, failure_row_words(summary.error))
    try:
        found = tables.tables()
        judged = judged_tables(found, outcomes)
        return Future(
            index=draw.index,
            end_ns=found.known_until_ns,
            digest=summary.digest,
            state={name: bool(value) for name, value in summary.state.items()},
            outcomes=judged,
            value=valued_tables(found, judged, utility),
            events=events_since(found, at_ns),
            actions=actions_after(found, at_ns, replaced=_is_replaced(draw)),
            inputs=draw.inputs,
            paths=paths_since(found, at_ns),
            reproducible=summary.deterministic,
        )
    except Exception as error:  # whatever it is, the others go on
        return failed(draw, f"{type(error).__name__}: {error}")


def _is_replaced(draw: Draw) -> bool:
    """Whether the robot does something else than in the run."""
    return any("source" in changed for changed in draw.parameters.values())


def failed(draw: Draw, reason: str) -> Future:
    """Return a future that broke down."""
    return Future(draw.index, inputs=draw.inputs, error=reason)


def refused(future: Future) -> BadInput:
    """Why what is uncertain cannot be drawn in a run."""
    return BadInput(
        f"this cannot be drawn at a moment of a run: {future.error}",
        where=UNCERTAINTY,
        found=", ".join(future.inputs),
        expected="poses, mass, friction and bounce of bodies, and what a model can change in a run",
    )


def check_can_fork(scenario: Scenario, options: RunOptions) -> None:
    """See that a process with this ensemble can be forked.

    Raises:
        BadInput: if it cannot.
    """
    if is_live(scenario, options) or is_commanded(scenario, options):
        raise BadInput(
            "what follows a robot or commands has no future that is known",
            file=scenario.path,
            where="source",
            expected="a recording, a trajectory, a plan or a program",
        )
    for plan in scenario.models:
        if plan.stepping is not Stepping.SERVICE or plan.beside:
            how = "beside the main model" if plan.beside else f"by {plan.stepping.value}"
            raise BadInput(
                f"{plan.name} is stepped {how}, in a thread that does not survive a fork",
                file=scenario.path,
                where=f"models.{plan.name}",
                expected="models that are stepped by service, after the main model",
            )
