"""Predictions beside a run that follows a live robot."""

from __future__ import annotations

from hetwin_suite.runs import LIVE, Conductor, RunOptions, Scenario, source_specs


def predict_live(conductor: Conductor, scenario: Scenario, options: RunOptions) -> None:
    """Predict the announced actions of a live robot in a process of its own; does nothing in other runs.

    Args:
        conductor: conductor of the run, before its models are made ready.
        scenario: scenario of the run.
        options: options of the run.
    """
    if any(LIVE in spec for spec in source_specs(scenario, options).values()):
        from hetwin_futures.foreteller import predict_beside

        predict_beside(conductor, scenario, options)
