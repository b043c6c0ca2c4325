"""The events that the robot's tasks may cause: the paper's ExpectedEvents(t)."""

from hetwin_core.episodes.expecting.expectations import Expectations

__all__ = ["Expectations"]
