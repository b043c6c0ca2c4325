"""What a robot has planned before it takes the ball: its arm's path, and a hand that closes as announced.

The fingers of the recording are not read after they begin to close: they close at the published speed, with the
published gains and at most the effort that a grip of medium force needs, and stop where something stops them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from limited_drives import limited

from hetwin_core.ensemble.scenario.scenario import Scenario

FORCE_N = 3.75
"""Of each finger tip: the middle of what `hetwin record drop` draws."""
CLOSES_S = 1.0
"""How long the fingers take where nothing stops them."""


def grasping(scenario: Scenario) -> Scenario:
    """Return the scenario with fingers that are driven with a limited effort."""
    return limited(scenario, FORCE_N)


def grasp_plan(recording: Path, scenario: Scenario, hand: str, closing_s: float) -> str:
    """Return a source: the recording, but of the hand how it is planned to close.

    Args:
        recording: of the whole drop.
        scenario: knows the hand.
        hand: its name.
        closing_s: when the program says that it closes [s].
    """
    said = scenario.file.hands[hand]
    names, opened, closed = said.joints or (), said.opened or (), said.closed or ()
    points = [
        {"positions": list(opened), "time_from_start": {"sec": 0, "nanosec": 0}},
        {"positions": list(closed), "time_from_start": {"sec": int(CLOSES_S), "nanosec": 0}},
    ]
    closing: dict[str, Any] = {"joint_names": list(names), "points": points}
    plan = [{"recording": str(recording)}, {"trajectory": closing, "at": closing_s}]
    return json.dumps({"plan": plan})
