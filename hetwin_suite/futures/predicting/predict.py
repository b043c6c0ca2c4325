"""Predicts what comes after a moment of a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_suite.futures.predicting.forecast import Forecast
from hetwin_suite.futures.predicting.future import Future
from hetwin_suite.futures.predicting.root import Asked, futures_of


def predict(
    scenario: Scenario,
    options: RunOptions,
    asked: Asked,
    progress: Callable[[Future], None] = lambda _: None,
    look: Callable[[], None] = lambda: None,
) -> Forecast:
    """Let many futures of one moment go on, and return what they say.

    Args:
        scenario: what is run; its `uncertainty` is drawn, and its `outcomes` are what counts as success.
        options: what the start of the run says.
        asked: what is asked.
        progress: is called with each future that is over.
        look: is called several times a second.

    Raises:
        BadInput: if the scenario or the question cannot be used.
        HetwinError: if the run fails before the moment.
    """
    _check(asked)
    if asked.out is not None:
        asked = replace(asked, out=_empty(asked.out))
    found = futures_of(scenario, options, asked, progress, look)
    ends = [one.end_ns for one in found.futures if one.error is None]
    end_ns = found.end_ns if found.end_ns is not None else max(ends, default=found.at_ns)
    return Forecast(
        found.at_ns / 1e9,
        (end_ns - found.at_ns) / 1e9,
        asked.seed,
        asked.futures,
        found.futures,
        tuple(scenario.file.outcomes),
        found.wall_s,
    )


def _check(asked: Asked) -> None:
    moment = asked.moment
    if (moment.at_s is None) == (not moment.before):
        raise BadInput(
            "a prediction needs one moment",
            where="--at, --before",
            found="neither" if moment.at_s is None else "both",
            expected="--at T, or --before ACTION",
        )
    numbers = {"--at": moment.at_s, "--horizon": asked.horizon_s, "--within": asked.within_s}
    for option, value in numbers.items():
        least_is_fine = option == "--at"
        if value is not None and not (value > 0.0 or (least_is_fine and value == 0.0)):
            expected = "at least 0" if least_is_fine else "above 0"
            raise BadInput("this is no such time", where=option, found=value, expected=expected)
    if asked.futures < 1:
        raise BadInput(
            "nothing can be said without futures",
            where="--futures",
            found=asked.futures,
            expected="at least 1",
        )


def _empty(folder: Path) -> Path:
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        raise BadInput(
            "there is something already", where="--out", found=str(folder), expected="a new folder"
        )
    return folder.resolve()
