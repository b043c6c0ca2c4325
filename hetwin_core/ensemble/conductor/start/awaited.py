"""How long the main model may wait for a live robot, beyond its own deadlines."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.conductor.start.sources import LIVE, source_specs
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.scenario.source import LiveSpec

_PARTS = 2
"""What is waited for one after the other: the joints of a robot, then its base."""


def waiting_for_robots(scenario: Scenario, options: RunOptions) -> Scenario:
    """Return the scenario with deadlines that leave the main model time to wait for live robots.

    A robot may be silent for the source's `timeout` within a step, and `wait` seconds may pass before the first one;
    neither is a main model that hangs.

    Args:
        scenario: as loaded.
        options: of the run, which may name another source.

    Raises:
        BadInput: if the start names one source for several robots.
    """
    live = [_options(spec) for spec in source_specs(scenario, options).values() if LIVE in spec]
    if not live:
        return scenario
    main = scenario.main
    waiting = replace(
        main,
        deadline=main.deadline + max(spec.timeout for spec in live),
        patience=main.patience + _PARTS * sum(spec.wait for spec in live),
    )
    models = tuple(waiting if plan is main else plan for plan in scenario.models)
    return replace(scenario, models=models)


def _options(spec: dict[str, Any]) -> LiveSpec:
    """The options of a live source; the defaults if they are invalid, which the main model reports."""
    try:
        return LiveSpec.model_validate(spec)
    except ValidationError:
        return LiveSpec(live="")
