"""Goals that name objects are rehearsed, judged by where the objects are, and refused if nothing comes of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from sent_goals import COMMANDS, goal, scenario

from hetwin_commanding.rehearsal import Refusal, Rule
from hetwin_commanding.send import Commander, Outcome
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.errors import BadInput

HAND = """
hands:
  gripper:
    link: gripper_base
    offset: [0, 0, 0.12, 1, 0, 0, 0]
    joints: [gripper_left_finger_joint, gripper_right_finger_joint]
    opened: [0.04, 0.04]
    closed: [0.0, 0.0]
"""
ENTITIES = """
entities:
  box: {attributes: {pickable: {}}}
  tray: {attributes: {receptacle: {}}}
"""
ROBOT = """{urdf: urdf/tabletop_arm.urdf,
  joints_at_start: {shoulder_lift_joint: -0.1, elbow_joint: 1.6, wrist_pitch_joint: 1.64159}}"""


def rehearsed(
    folder: Path, text: str, more: str = ENTITIES + HAND, robot: str = ROBOT, **scene: object
) -> Outcome:
    path = scenario(folder, COMMANDS + more, robot)
    options = RunOptions(scene=scene)
    return Commander.of(str(path), goal(folder, text), options).rehearse_only()


def only_refusal(outcome: Outcome) -> Refusal:
    (refusal,) = outcome.rehearsal.refused
    return refusal


def test_a_box_is_held_and_put_on_a_tray(tmp_path: Path) -> None:
    outcome = rehearsed(tmp_path, "- grasp: box\n- release: tray\n")
    assert outcome.ok, outcome.to_json()


def test_what_slips_out_of_the_hand_is_refused_by_its_outcome(tmp_path: Path) -> None:
    """Fingers that hardly press come up without the box."""
    weak = ROBOT[:-1] + ", drives: {fingers: {joints: [gripper_*], mode: limited, effort: 0.2}}}"
    refusal = only_refusal(rehearsed(tmp_path, "grasp: box\n", robot=weak))
    assert (refusal.rule, refusal.what) == (Rule.OUTCOME, "box")
    assert (refusal.found, refusal.allowed) == ("touches table", "held by gripper")


def test_what_is_out_of_reach_is_refused(tmp_path: Path) -> None:
    far = {"pose": [0.9, 0.5, 0.78, 1, 0, 0, 0]}
    refusal = only_refusal(rehearsed(tmp_path, "grasp: box\n", box=far))
    assert (refusal.rule, refusal.what) == (Rule.UNREACHABLE, "box")
    assert "gripper cannot approach box in any of" in str(refusal.found)


@pytest.mark.parametrize(
    ("text", "more", "says"),
    [
        ("grasp: tray\n", ENTITIES + HAND, ("line 1, grasp", "not pickable", "pickable are box")),
        ("- grasp: boks\n", ENTITIES + HAND, ("line 1, 0.grasp", "no such entity", "one of box")),
        ("grasp: box\n", HAND, ("grasp", "entities.box.attributes.pickable in the scenario")),
        ("grasp: box\nhand: left\n", ENTITIES + HAND, ("line 2, hand", "no such hand", "gripper")),
        ("grasp: box\n", ENTITIES, ("hand", "hands in the scenario")),
        ("grasp: box\nfrom: below\n", ENTITIES + HAND, ("line 2, from", "side")),
        ("release: tray\n", ENTITIES + HAND, ("line 1, release", "there is nothing in gripper")),
        (
            "- grasp: box\n- release: box\n",
            ENTITIES + HAND,
            ("1.release", "not receptacle", "tray"),
        ),
        ("grasp: box\nlift: -1\n", ENTITIES + HAND, ("line 2, lift",)),
    ],
)
def test_goals_for_what_cannot_be_handled(
    tmp_path: Path, text: str, more: str, says: tuple[str, ...]
) -> None:
    with pytest.raises(BadInput) as caught:
        rehearsed(tmp_path, text, more)
    for part in (str(tmp_path / "goal.yaml"), *says):
        assert part in str(caught.value)


def test_fingers_that_may_not_be_commanded(tmp_path: Path) -> None:
    arm_only = COMMANDS[: COMMANDS.index("    gripper:")]
    path = scenario(tmp_path, arm_only + ENTITIES + HAND, ROBOT)
    with pytest.raises(BadInput, match="no group of the scenario's commands has the fingers"):
        Commander.of(str(path), goal(tmp_path, "grasp: box\n"), RunOptions()).rehearse_only()
