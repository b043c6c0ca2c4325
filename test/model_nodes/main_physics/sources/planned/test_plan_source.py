"""A plan moves joints by its steps; what is wrong in it is named."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.robot_files import ROOT, TABLETOP_ARM

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.settings import NamedHand
from model_nodes.main_physics.sources.factory import open_source
from model_nodes.main_physics.sources.part import JointReading
from model_nodes.main_physics.sources.plan import Plan
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.resources import Resources
from model_nodes.main_physics.world.urdf.reader import read_urdf

EPISODE = str(ROOT / "scenarios" / "episodes" / "pick_and_place")
FINGERS = ("gripper_left_finger_joint", "gripper_right_finger_joint")
HAND = NamedHand(
    name="gripper",
    link="gripper_base",
    joints=list(FINGERS),
    opened=[0.04, 0.04],
    closed=[0.0, 0.0],
)
CLOSE = {"operation": "move_hand", "arguments": {"goal": "closed", "seconds": 1.0}}


def trajectory(*points: tuple[float, float], joint: str = "elbow_joint") -> dict[str, Any]:
    rows = [{"positions": [at], "velocities": [0.0], "time_from_start": t} for t, at in points]
    return {"trajectory": {"joint_names": [joint], "points": rows}}


def opened(*steps: dict[str, Any], **more: float) -> Plan:
    robot = read_urdf(TABLETOP_ARM, Notes(), resources=Resources(TABLETOP_ARM.parent))
    return open_source({"plan": list(steps), **more}, robots=[robot], hands=[HAND])


def bound(*steps: dict[str, Any], **more: float) -> Plan:
    source = opened(*steps, **more)
    resting = {"elbow_joint": 0.4, **dict.fromkeys(FINGERS, 0.04)}
    source.bind(["elbow_joint", *FINGERS], 2_500_000, resting)
    source.set_scene_access(nowhere, {})
    return source


def nowhere(entity: str) -> Floats:
    return np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])


def positions(source: Plan, *times: float) -> list[list[float]]:
    return [source.motion(round(t * 1e9)).positions.round(6).tolist() for t in times]


def test_steps_follow_on_each_other_and_take_over_where_the_joints_are() -> None:
    source = bound(trajectory((1.0, 0.6)), trajectory((0.5, 0.0), (1.0, 0.2)))
    assert source.duration_ns == 2_000_000_000
    found = positions(source, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5)
    assert [row[0] for row in found] == [0.4, 0.5, 0.6, 0.0, 0.2, 0.2]
    assert not source.ended(1_990_000_000)
    assert source.ended(2_000_000_000)


def test_a_run_may_go_on_when_its_plan_is_over() -> None:
    source = bound(trajectory((1.0, 0.6)), lasting=0.5)
    assert source.duration_ns == 1_500_000_000
    assert positions(source, 1.0, 1.4) == [[0.6, 0.04, 0.04]] * 2
    assert not source.ended(1_490_000_000)
    assert source.ended(1_500_000_000)


def test_a_later_step_takes_its_joints_in_the_middle_of_a_motion() -> None:
    source = bound(trajectory((2.0, 1.4)), {**trajectory((1.0, 0.0)), "at": 1.0})
    before = source.motion(999_000_000).velocities[0]
    after = source.motion(1_001_000_000).velocities[0]
    assert after == pytest.approx(before, abs=0.02)
    assert positions(source, 2.0)[0][0] == 0.0


def test_an_operation_is_announced_and_its_closing_fingers_are_to_stop_at_what_they_touch() -> None:
    source = bound({**CLOSE, "at": 0.5})
    assert source.duration_ns is None
    assert source.motion(400_000_000).positions[1:].tolist() == [0.04, 0.04]
    assert source.limited == ()
    source.motion(500_000_000)
    assert source.limited == FINGERS
    begun, *others = source.events(1_000_000_000)
    assert (begun.name, begun.time_ns, begun.arguments["phase"]) == (
        "move_hand",
        500_000_000,
        "begin",
    )
    assert others == []
    assert positions(source, 1.5)[0][1:] == [0.0, 0.0]
    assert [event.arguments["phase"] for event in source.events(1_500_000_000)] == ["end"]
    assert source.ended(1_500_000_000)


def test_opening_fingers_follow_their_command() -> None:
    source = bound({"operation": "move_hand", "arguments": {"goal": "open"}})
    source.take_over(0, dict.fromkeys(FINGERS, JointReading(0.01)))
    assert positions(source, 0.0, 2.0) == [[0.4, 0.01, 0.01], [0.4, 0.04, 0.04]]
    assert source.limited == ()


def test_operation_waits_until_the_scene_is_known_and_began_when_it_was_due() -> None:
    source = opened(CLOSE)
    source.bind(["elbow_joint", *FINGERS], 2_500_000, dict.fromkeys(FINGERS, 0.04))
    source.motion(0)
    assert source.events(0) == []
    source.set_scene_access(nowhere, {})
    source.motion(2_500_000)
    assert [event.time_ns for event in source.events(2_500_000)] == [0]


def test_a_plan_takes_a_robot_over_with_its_velocities_and_efforts() -> None:
    source = bound(trajectory((1.0, 1.4)))
    joints = {"elbow_joint": JointReading(1.0, 0.3), FINGERS[0]: JointReading(0.02, 0.0, -5.0)}
    source.take_over(5_000_000_000, joints)
    motion = source.motion(5_002_500_000)
    assert motion.velocities[0] == pytest.approx(0.3, abs=0.02)
    assert motion.positions[0] == pytest.approx(1.0, abs=1e-3)
    assert positions(source, 6.0)[0][0] == 1.4


def test_held_fingers_keep_their_efforts_until_a_step_moves_them() -> None:
    source = bound({**CLOSE, "at": 6.0})
    source.take_over(5_000_000_000, {FINGERS[0]: JointReading(0.02, 0.0, -5.0)})
    motion = source.motion(5_500_000_000)
    assert (motion.positions[1], motion.efforts[1]) == (0.02, -5.0)
    assert math.isnan(source.motion(6_100_000_000).efforts[1])


def test_a_part_of_a_recording_moves_the_chosen_joints_and_is_heard_by_the_time_of_the_run() -> (
    None
):
    recorded = {"recording": EPISODE, "only": ["elbow*"], "from": 3.0}
    source = bound({**recorded, "at": 1.0})
    whole = bound({"recording": EPISODE})
    assert source.motion(1_500_000_000).positions[0] == whole.motion(3_500_000_000).positions[0]
    said = source.events(2_000_000_000)
    assert [event.name for event in said] == ["reach", "move_hand"]
    assert [event.time_ns / 1e9 for event in said] == pytest.approx([1.7, 1.7], abs=1e-3)
    silent = bound({**recorded, "announces": False})
    silent.motion(2_000_000_000)
    assert silent.events(2_000_000_000) == []


def test_a_saved_plan_goes_on_as_it_would_have() -> None:
    steps = (trajectory((1.0, 0.6)), CLOSE, {"recording": EPISODE, "from": 4.0})
    first, second = bound(*steps), bound(*steps)
    first.motion(1_200_000_000)
    first.events(1_200_000_000)
    second.restore(first.save())
    for time_ns in (1_300_000_000, 2_100_000_000, 3_000_000_000):
        here, there = first.motion(time_ns), second.motion(time_ns)
        np.testing.assert_array_equal(here.positions, there.positions)
        assert first.events(time_ns) == second.events(time_ns)
    assert second.limited == FINGERS


@pytest.mark.parametrize(
    ("steps", "where", "words"),
    [
        ([], "source.plan", "at least 1"),
        ([{"at": 1.0}], "source.plan.0", "recording, trajectory, operation"),
        ([{"operation": "juggle"}], "source.plan.0.operation", "no such skill.*found 'juggle'"),
        ([{"operation": "wave", "skill": "holt"}], "source.plan.0.skill", "hold"),
        (
            [{**CLOSE, "at": 2.0}, {**CLOSE, "at": 1.0}],
            "source.plan.1.at",
            "in chronological order",
        ),
        ([{**CLOSE, "at": -1.0}], "source.plan.0.at", "greater than or equal to 0"),
        ([trajectory((1.0, 0.0), (0.5, 0.0))], "source.plan.0.trajectory.points.1", "increase"),
        ([trajectory((1.0, math.nan))], "source.plan.0.trajectory.points.0", "not finite"),
        ([{"trajectory": {"points": []}}], "source.plan.0.trajectory", "joint_names"),
        ([{"trajectory": "nowhere.yaml"}], "", "nowhere.yaml"),
        ([{"recording": "nowhere"}], "", "nowhere"),
        ([{"recording": EPISODE, "only": ["knee"]}], "source.plan.0.only", "no such joint"),
        ([{"recording": EPISODE, "form": 1.0}], "source.plan.0.form", "from"),
    ],
)
def test_plans_that_make_no_sense_are_refused(
    steps: list[dict[str, Any]], where: str, words: str
) -> None:
    with pytest.raises(BadInput, match=words) as caught:
        opened(*steps)
    assert where in (caught.value.where or "")


def test_a_trajectory_of_joints_that_the_robot_does_not_have_is_refused() -> None:
    with pytest.raises(BadInput, match=r"found 'knee'.*expected") as caught:
        bound(trajectory((1.0, 0.0), joint="knee"))
    assert caught.value.where == "source.plan.0.trajectory.joint_names.0"


def test_a_trajectory_may_lie_in_a_file_as_moveit_shows_it(tmp_path: Path) -> None:
    point = "{{positions: [{}], time_from_start: {}}}"
    parts = "".join(
        f"- joint_trajectory: {{joint_names: [elbow_joint], points: [{point.format(start, 0)},"
        f" {point.format(end, 1)}]}}\n"
        for start, end in ((0.4, 0.6), (0.6, 0.1))
    )
    file = tmp_path / "shown.yaml"
    file.write_text(f"model_id: arm\ntrajectory:\n{parts}trajectory_start: {{}}\n")
    source = bound({"trajectory": str(file)})
    assert [row[0] for row in positions(source, 0.5, 1.0, 1.5, 2.0)] == [0.5, 0.6, 0.35, 0.1]
