"""Candidate parameters of a fidelity manager."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from hetwin_fidelity import NearRobotSettings

INFLATIONS = (1.0, 0.5, 0.25, 0.1, 0.01)
"""Enlargements of the robot's box [m]; three of them are the modes of the paper."""
REST_STEPS = (1, 2, 4)
INTERVALS = (0.0, 2.0, 5.0, 10.0)
"""Intervals after which all objects return to high fidelity [s]; 0: never."""


class Candidate(NamedTuple):
    """Parameters of `fidelity_near_robot`.

    Attributes:
        inflation: enlargement of the robot's box [m]; None: all objects stay in high fidelity.
        rest_steps: number of steps that an object rests before its fidelity is lowered.
        interval: interval after which all objects return to high fidelity [s]; 0: never.
    """

    inflation: float | None
    rest_steps: int = 2
    interval: float = 10.0

    def parameters(self) -> dict[str, Any]:
        """Return the parameters as keys of a scenario."""
        if self.inflation is None:
            return {"mode": "HiFi"}
        return {"mode": "AdFi-1", **self._asdict()}

    def to_json(self) -> dict[str, Any]:
        """Return the JSON representation."""
        return dict(self._asdict())


FULL = Candidate(None)
"""Full fidelity: no management."""


def scenario_candidate(parameters: Mapping[str, Any]) -> Candidate:
    """Return the parameters that a scenario gives its manager."""
    settings = NearRobotSettings.model_validate({**parameters, "objects": ["all"]})
    inflation = settings.length()
    return (
        FULL if inflation is None else Candidate(inflation, settings.rest_steps, settings.interval)
    )


def tuning_order(start: Candidate) -> tuple[tuple[str, tuple[float, ...]], ...]:
    """Return the parameters in the order of their tuning, each with the values to try, those of `first` included."""
    values_of = {"inflation": INFLATIONS, "rest_steps": REST_STEPS, "interval": INTERVALS}
    return tuple(
        (name, tuple(sorted({*values, getattr(start, name)}))) for name, values in values_of.items()
    )
