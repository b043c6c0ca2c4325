"""What a scenario says before the run of what other models may take from the main model."""

from __future__ import annotations

import pytest
from support.plugins import needs

from hetwin_core.ensemble.scenario.against_scene import ANY, handed_over
from hetwin_core.ensemble.scenario.scenario import find_scenario, load_scenario

EXPECTED = {
    "kuka_follow_joints": [],
    "pick_and_place": [(ANY, "pose")],  # by a trigger, whose object an expression says
    "insertion": [  # from the start; the connector requests its probe itself
        ("dip", "pose"),
        (ANY, "pose"),
        (ANY, "collision"),
    ],
    "uncertain_environment_force": [(ANY, "pose")],  # the binding requests what it holds
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=needs("hetwin_in_hand")) if n == "insertion" else n for n in EXPECTED],
)
def test_triggers_responsibilities_and_models_say_it(name: str) -> None:
    assert handed_over(load_scenario(find_scenario(name))) == EXPECTED[name]
