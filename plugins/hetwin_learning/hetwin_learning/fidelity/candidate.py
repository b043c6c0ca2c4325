"""A choice of a fidelity manager's parameters, and which ones are tried."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from hetwin_fidelity import NearRobotSettings

INFLATIONS = (1.0, 0.5, 0.25, 0.1, 0.01)
"""How far the robot's box is enlarged [m]; three of them are the modes of the paper."""
REST_STEPS = (1, 2, 4)
INTERVALS = (0.0, 2.0, 5.0, 10.0)
"""Times after which everything is raised [s]; 0: never."""


class Candidate(NamedTuple):
    """Parameters of `fidelity_near_robot`.

    Attributes:
        inflation: how far the robot's box is enlarged [m]; None: everything is always in high fidelity.
        rest_steps: steps that an object is at rest before its fidelity is lowered.
        interval: time after which everything is raised [s]; 0: never.
    """

    inflation: float | None
    rest_steps: int = 2
    interval: float = 10.0

    def parameters(self) -> dict[str, Any]:
        """Return them as a scenario says them."""
        if self.inflation is None:
            return {"mode": "HiFi"}
        return {"mode": "AdFi-1", **self._asdict()}

    def to_json(self) -> dict[str, Any]:
        """Return them as JSON has them."""
        return dict(self._asdict())


FULL = Candidate(None)
"""No management."""


def present(parameters: Mapping[str, Any]) -> Candidate:
    """Return what a scenario says of its manager."""
    settings = NearRobotSettings.model_validate({**parameters, "objects": ["all"]})
    inflation = settings.length()
    return (
        FULL if inflation is None else Candidate(inflation, settings.rest_steps, settings.interval)
    )


def rounds(first: Candidate) -> tuple[tuple[str, tuple[float, ...]], ...]:
    """Return which values of which parameter are tried, one parameter after the other, with those of `first`."""
    tried = {"inflation": INFLATIONS, "rest_steps": REST_STEPS, "interval": INTERVALS}
    return tuple(
        (name, tuple(sorted({*values, getattr(first, name)}))) for name, values in tried.items()
    )
