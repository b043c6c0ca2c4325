"""Which events the robot's tasks may cause: the paper's ExpectedEvents(t)."""

from hetwin_core.projection.expecting.expectations import Expectations

__all__ = ["Expectations"]
