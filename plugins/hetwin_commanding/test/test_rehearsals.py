"""What breaks a rule is refused with that rule before anything is sent, and what breaks none is not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sent_goals import COMMANDS, commander, goal, scenario
from support.hetwin_command import hetwin
from support.robot_files import ROOT, TABLETOP_ARM, example
from transforms3d.quaternions import mat2quat

from hetwin_commanding.rehearsal import Refusal, Rule
from hetwin_commanding.send import Commander, Outcome, Result
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.world.chains import chain_to

BENT = "{shoulder_lift_joint: 0.5, elbow_joint: 1.4, wrist_pitch_joint: 1.0}"
LOW = "{shoulder_lift_joint: 1.2, elbow_joint: 1.4, wrist_pitch_joint: 0.5}"
"""Through the table."""


def rehearsed(folder: Path, text: str, commands: str = COMMANDS, **scene: object) -> Outcome:
    return commander(folder, text, commands, **scene).rehearse_only()


def only_rule(outcome: Outcome) -> Refusal:
    assert outcome.result is Result.REFUSED
    assert not outcome.ok
    rules = {refusal.rule for refusal in outcome.rehearsal.refused}
    assert len(rules) == 1, outcome.to_json()
    return outcome.rehearsal.refused[0]


def test_a_free_way_is_rehearsed(tmp_path: Path) -> None:
    outcome = rehearsed(tmp_path, f"joints: {BENT}\n")
    assert outcome.result is Result.REHEARSED
    assert outcome.ok
    found = outcome.to_json()
    assert found["rehearsal"]["refused"] == []
    # 1.4 rad at half of 2.5 rad/s
    assert 1.4 / 1.25 < found["rehearsal"]["duration"] < 2.0
    assert found == {**found, "sent": False, "result": "rehearsed", "consistency": None}


def test_the_table_is_in_the_way(tmp_path: Path) -> None:
    refusal = only_rule(rehearsed(tmp_path, f"joints: {LOW}\n"))
    assert refusal.rule is Rule.COLLISION
    assert "table" in refusal.what
    assert refusal.found < refusal.allowed == 0.01  # type: ignore[operator]
    assert 0.5 < refusal.at < 1.5


def test_what_the_goal_names_may_be_touched(tmp_path: Path) -> None:
    text = f"joints: {LOW}\ntouches: [table]\n"
    assert rehearsed(tmp_path, text).result is Result.REHEARSED


def test_an_object_that_is_in_the_way_now(tmp_path: Path) -> None:
    """A box over the table, where the arm comes by; it stands there because the box below holds it."""
    pose = [0.65, 0.0, 0.8, 1, 0, 0, 0]
    text = "joints: {shoulder_lift_joint: 0.88, elbow_joint: 0.95, wrist_pitch_joint: 0.97}\n"
    assert rehearsed(tmp_path, text).ok
    refusal = only_rule(rehearsed(tmp_path, text, box={"pose": pose}))
    assert refusal.rule is Rule.COLLISION
    assert "box" in refusal.what


def test_beyond_a_limit(tmp_path: Path) -> None:
    refusal = only_rule(rehearsed(tmp_path, "joints: {elbow_joint: 2.7}\n"))
    assert (refusal.rule, refusal.what) == (Rule.POSITION, "elbow_joint")
    assert (refusal.found, refusal.allowed) == (2.7, [-2.6, 2.6])


def test_out_of_reach(tmp_path: Path) -> None:
    text = "{tip: [2, 0, 1, 1, 0, 0, 0], link: gripper_base}\n"
    refusal = only_rule(rehearsed(tmp_path, text))
    assert (refusal.rule, refusal.what, refusal.at) == (Rule.UNREACHABLE, "gripper_base", 0.0)


def test_out_of_the_workspace(tmp_path: Path) -> None:
    box = COMMANDS + "  workspace: [[-1, -0.3, 0.76], [1, 0.3, 2.5]]\n"
    assert rehearsed(tmp_path, f"joints: {BENT}\n", box).ok
    swung = f"- joints: {BENT}\n- joints: {{shoulder_pan_joint: 1.2}}\n"
    refusal = only_rule(rehearsed(tmp_path, swung, box))
    assert (refusal.rule, refusal.what) == (Rule.WORKSPACE, "gripper_base")
    assert refusal.found[1] > 0.3  # type: ignore[index]
    assert refusal.allowed == [[-1, -0.3, 0.76], [1, 0.3, 2.5]]


MOTION = "joint_names: [elbow_joint]\npoints:\n"


def test_a_trajectory_that_is_too_fast_or_begins_elsewhere(tmp_path: Path) -> None:
    file = tmp_path / "motion.yaml"
    slow = "- {positions: [1], velocities: [0], time_from_start: 2}\n"
    for points, rule in (
        (slow, None),
        (slow.replace("start: 2", "start: 1"), Rule.VELOCITY),  # 1.5 rad/s of 1.25
        ("- {positions: [0.1], velocities: [0], time_from_start: 0}\n" + slow, Rule.START),
        ("- {positions: [0.015], velocities: [0], time_from_start: 0}\n" + slow, None),
    ):
        file.write_text(MOTION + points, encoding="utf-8")
        outcome = rehearsed(tmp_path, "trajectory: motion.yaml\n")
        if rule is None:
            assert outcome.ok
        else:
            assert only_rule(outcome).rule is rule


def test_a_tip_goes_to_its_pose_in_another_links_frame(tmp_path: Path) -> None:
    text = (
        f"- joints: {BENT}\n"
        "- {tip: [0, 0.1, 0.75, 1, 0, 0, 0], link: gripper_base, frame: shoulder_link}\n"
    )
    one = commander(tmp_path, text)
    plan, rehearsal = one.rehearsed(one.twin.resting)
    assert rehearsal.ok
    end = dict(zip(plan.names, plan.at(plan.duration).positions.tolist(), strict=True))
    robot = one.twin.robot

    def placed(link: str, positions: dict[str, float]) -> np.ndarray:
        chain = chain_to(robot, link)
        there = chain.place(np.array([positions[name] for name in chain.joints]))
        whole = np.eye(4)
        whole[:3, :3], whole[:3, 3] = there.rotation, there.position
        return whole

    first = dict(zip(plan.names, plan.at(plan.stages[0].end).positions.tolist(), strict=True))
    in_frame = np.linalg.inv(placed("shoulder_link", first)) @ placed("gripper_base", end)
    np.testing.assert_allclose(in_frame[:3, 3], [0, 0.1, 0.75], atol=1e-5)
    np.testing.assert_allclose(abs(mat2quat(in_frame[:3, :3])[0]), 1.0, atol=1e-8)


def test_plans_end_where_the_next_begins(tmp_path: Path) -> None:
    one = commander(tmp_path, f"- joints: {BENT}\n- joints: {{elbow_joint: 1.0}}\n")
    plan, _ = one.rehearsed(one.twin.resting)
    assert [stage.moved for stage in plan.stages][1] == {"elbow_joint"}
    times = np.arange(0.0, plan.duration + 0.1, 0.002)
    positions = plan.sample(times).positions
    assert np.abs(np.diff(positions, axis=0)).max() < 1.25 * 0.002 * 1.01


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("joints:\n  elbow: 1\n", ("line 2, joints.elbow", "perhaps 'elbow_joint'")),
        ("{tip: [0, 0, 1, 1, 0, 0, 0], link: grip}\n", ("line 1, link", "no such link")),
        ("{tip: [0, 0, 1, 1, 0, 0, 0], link: base_link}\n", ("link", "no joint that may")),
        ("base: [1, 0, 0]\n", ("line 1, base", "commands.base")),
    ],
)
def test_goals_for_what_is_not_there(tmp_path: Path, text: str, says: tuple[str, ...]) -> None:
    one = commander(tmp_path, text)
    with pytest.raises(BadInput) as caught:
        one.rehearse_only()
    for part in (str(tmp_path / "goal.yaml"), *says):
        assert part in str(caught.value)


GROUP = "commands:\n  groups:\n    arm: {joints: [elbow_joint], controller: c}\n"


@pytest.mark.parametrize(
    ("commands", "says"),
    [
        ("", ("commands", "does not let its robot be commanded", "docs/commanding.md")),
        (
            GROUP + "    other: {joints: ['*_joint'], controller: d}\n",
            ("line 11, commands.groups.other.joints.0", "commanded twice", "not in arm"),
        ),
        (GROUP.replace("elbow_joint", "elbw"), ("commands.groups.arm.joints.0", "no such joint")),
    ],
)
def test_commands_that_do_not_fit(tmp_path: Path, commands: str, says: tuple[str, ...]) -> None:
    with pytest.raises(BadInput) as caught:
        commander(tmp_path, "joints: {elbow_joint: 1}\n", commands)
    for part in (str(tmp_path / "scenario.yaml"), *says):
        assert part in str(caught.value)


def test_a_joint_without_a_limit_of_speed(tmp_path: Path) -> None:
    urdf = tmp_path / "arm.urdf"
    urdf.write_text(TABLETOP_ARM.read_text("utf-8").replace(' velocity="2.5"', ""), "utf-8")
    path = scenario(tmp_path, GROUP, str(urdf))
    goal_file = goal(tmp_path, "joints: {elbow_joint: 1}\n")
    with pytest.raises(BadInput, match=r"line \d+, commands.groups.arm.velocity: .*limit of its"):
        Commander.of(str(path), goal_file, RunOptions())
    path.write_text(path.read_text("utf-8").replace("controller: c", "controller: c, velocity: 2"))
    assert Commander.of(str(path), goal_file, RunOptions()).commanded.speed.tolist() == [1.0]


TIAGO = """{urdf: %s, joints_at_start: {torso_lift_joint: 0.15, arm_1_joint: 1.5, arm_2_joint: 0.5,
  arm_4_joint: 1.0}}"""
TIAGO_COMMANDS = (
    "commands: {groups: {arm: {joints: [torso_lift_joint, 'arm_?_joint'], controller: a}}}\n"
)


def test_tiago_raises_its_arm_and_does_not_hit_itself(tmp_path: Path) -> None:
    urdf = example("tiago_description/robots/tiago.urdf")
    path = scenario(tmp_path, TIAGO_COMMANDS, TIAGO % urdf, "worlds/empty.sdf")
    raised = goal(tmp_path, "joints: {arm_2_joint: 0.9, torso_lift_joint: 0.3}\n")
    outcome = Commander.of(str(path), raised, RunOptions()).rehearse_only()
    assert outcome.result is Result.REHEARSED, outcome.to_json()
    inside = goal(tmp_path, "joints: {arm_1_joint: 0.1, arm_2_joint: -1.3, arm_4_joint: 2.2}\n")
    refusal = only_rule(Commander.of(str(path), inside, RunOptions()).rehearse_only())
    assert refusal.rule is Rule.COLLISION


def test_the_command_prints_json_and_its_code_says_how_it_went(tmp_path: Path) -> None:
    path = scenario(tmp_path)
    for text, code in ((f"joints: {BENT}\n", 0), (f"joints: {LOW}\n", 1), ("joints: 3\n", 2)):
        ended = hetwin("robot", "send", path, goal(tmp_path, text), "--rehearse-only", "--json")
        assert ended.code == code, ended.err
        assert ('"result": "refused"' in ended.out) == (code == 1)


def test_a_base_drives_round_what_is_in_its_way_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "lab.yaml"
    base = ROOT / "scenarios" / "lab_robot.yaml"
    path.write_text(
        f"scenario: lab\nextends: {base}\n"
        "commands: {base: cmd_vel, clearance: 0.02, workspace: [[-3, -2, -1], [-1.2, 0, 2]]}\n"
    )

    def outcome(text: str) -> Outcome:
        return Commander.of(str(path), goal(tmp_path, text), RunOptions()).rehearse_only()

    free = outcome("- base: [-1.5, -0.9, 1.57]\n- base: [-1.5, -0.4, 3.0]\n")
    assert free.result is Result.REHEARSED, free.to_json()
    refused = outcome("base: [0.5, -0.9, 0]\n").rehearsal.refused
    assert {refusal.rule for refusal in refused} == {Rule.COLLISION, Rule.WORKSPACE}
    assert any("crate_red" in refusal.what for refusal in refused)
    assert any(refusal.what == "base_link" for refusal in refused)
