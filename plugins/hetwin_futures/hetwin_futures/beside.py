"""Predictions beside a run that follows a live robot."""

from __future__ import annotations

from hetwin_suite.runs import LIVE, Conductor, RunOptions, Scenario, source_specs


def predict_live(conductor: Conductor, scenario: Scenario, options: RunOptions) -> None:
    """Predict what a live robot announces, in a process of its own; nothing in a run that follows none.

    Args:
        conductor: conductor of the run, before its models are made ready.
        scenario: scenario of the run.
        options: what its start says.
    """
    if any(LIVE in spec for spec in source_specs(scenario, options).values()):
        from hetwin_futures.foreteller import predict_beside

        predict_beside(conductor, scenario, options)
