"""What may be sent to a robot is said in full and without contradictions."""

from __future__ import annotations

from typing import Any

import pytest

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.schema import Commands
from hetwin_core.ensemble.validation import check

ARM = {"joints": ["arm_*"], "controller": "arm_controller"}
HAND = {"joints": ["finger"], "controller": "hand_controller"}
TWICE = {"one": ARM, "other": {**HAND, "controller": "arm_controller"}}


def test_only_a_group_or_a_base_must_be_given() -> None:
    commands = check(Commands, {"groups": {"arm": ARM}})
    assert (commands.speed, commands.clearance, commands.workspace) == (0.5, 0.01, None)
    assert check(Commands, {"base": "cmd_vel"}).groups == {}


@pytest.mark.parametrize(
    ("given", "place", "expected"),
    [
        ({}, "commands", "groups of joints, a base, or both"),
        ({"groups": TWICE}, "commands", "one group for each controller"),
        ({"groups": {"arm": {**ARM, "joints": []}}}, "commands.groups.arm.joints", "at least 1"),
        ({"groups": {"arm": {"joints": ["a"]}}}, "commands.groups.arm.controller", "controller"),
        ({"base": "cmd_vel", "speed": 1.5}, "commands.speed", "less than or equal to 1"),
        ({"base": "cmd_vel", "clearance": -0.01}, "commands.clearance", "greater than or equal"),
        (
            {"base": "cmd_vel", "workspace": [[0, 0, 1], [1, 1, 0.5]]},
            "commands.workspace",
            "z from 1 to 0.5 is reversed",
        ),
        ({"base": "cmd_vel", "workspace": [[0, 0, 1]]}, "commands.workspace", "two corners"),
    ],
)
def test_mistakes_are_named(given: dict[str, Any], place: str, expected: str) -> None:
    with pytest.raises(BadInput) as caught:
        check(Commands, given, "commands")
    assert caught.value.where == place
    assert expected in (caught.value.expected or "")
