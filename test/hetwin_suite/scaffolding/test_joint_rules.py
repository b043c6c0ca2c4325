"""Joints that the user matches by hand."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from support.recorded_bags import MS, joints, write_bag
from support.robot_files import TABLETOP_ARM

from hetwin_core.ensemble.errors import BadInput
from hetwin_suite.scaffolding.by_hand import JointRule, map_by_hand
from hetwin_suite.scaffolding.new_scenario import draft_scenario

RECORDED = ["fer_joint1", "fer_joint2", "gripper"]
TURNED = ["drive_5", "drive_6", "drive_7"]


def said(*rules: str) -> dict[str, str]:
    return map_by_hand([JointRule.from_text(rule) for rule in rules], RECORDED)


def test_a_pattern_says_what_several_joints_are() -> None:
    assert said(r"fer_joint(\d)=panda_joint\1") == {
        "fer_joint1": "panda_joint1",
        "fer_joint2": "panda_joint2",
    }


def test_the_first_rule_holds() -> None:
    assert said("fer_joint1=a", "fer_joint(1|2)=b")["fer_joint1"] == "a"


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ("fer_joint1", "not a pattern and a name"),
        ("fer_joint(=a", "not a regular expression"),
        (r"fer_joint1=a\2", "not a regular expression"),
        ("nothing=a", "no recorded joint has such a name"),
        ("fer_joint.=a", "two recorded joints become a"),
    ],
)
def test_a_rule_that_cannot_hold_is_refused(rule: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        said(rule)


@pytest.fixture
def bag(tmp_path: Path) -> Path:
    times = range(0, 1000 * MS, 20 * MS)
    return write_bag(tmp_path / "arm", [joints(t, TURNED, [0.1, 0.2, 0.3]) for t in times])


def test_the_error_of_a_failed_match_prints_the_line_to_use(bag: Path) -> None:
    with pytest.raises(BadInput, match="this is another robot") as caught:
        draft_scenario(bag, robot=str(TABLETOP_ARM))
    line = re.search(r"which joint is which: (.*)", str(caught.value))
    assert line is not None
    rules = [word for word in shlex.split(line[1]) if word != "--joint"]
    draft = draft_scenario(bag, robot=str(TABLETOP_ARM), joints=rules)
    assert list(draft.chosen.matching.joints) == TURNED


def test_a_joint_that_the_robot_does_not_have(bag: Path) -> None:
    with pytest.raises(BadInput, match="the robot has no such joint that moves"):
        draft_scenario(bag, robot=str(TABLETOP_ARM), joints=["drive_5=nowhere"])
