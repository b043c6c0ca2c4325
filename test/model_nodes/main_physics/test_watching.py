"""The main model's reports about its robot."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.robot_files import TABLETOP_ARM
from test_main_physics import ARM_JOINTS, PERIOD_NS, Run

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.watch import Watch

ALL_JOINTS = (
    "shoulder_pan_joint",
    "shoulder_lift_joint",
    "elbow_joint",
    "wrist_roll_joint",
    "wrist_pitch_joint",
    "hand_roll_joint",
    "gripper_left_finger_joint",
    "gripper_right_finger_joint",
)


def reports(run: Run, steps: int) -> list[Watch]:
    layout = run.contribution.watch
    assert layout is not None
    flat = [run.step().watch for _ in range(steps)]
    return [Watch.decode(one, layout) for one in flat if one is not None]


def test_the_robot_is_described_with_its_limits() -> None:
    watch = Run().contribution.watch
    assert watch is not None
    assert (watch.robot, watch.joints) == ("tabletop_arm", ALL_JOINTS)
    assert watch.driven == (True, True, True, *[False] * 5)
    assert watch.lower == (-2.9, -1.9, -2.6, -2.9, -2.1, -2.9, 0.0, 0.0)
    assert watch.upper[-1] == 0.04
    assert watch.velocity[:3] == (2.2, 2.2, 2.5)
    assert watch.effort[:3] == (120.0, 120.0, 80.0)
    assert watch.findings == ()


def test_a_limit_of_zero_is_none(tmp_path: Path) -> None:
    text = TABLETOP_ARM.read_text()
    text = text.replace(
        'lower="-2.9" upper="2.9" effort="120" velocity="2.2"', 'lower="0" upper="0"'
    )
    text = text.replace('effort="120" velocity="2.2"', 'effort="0" velocity="fast"')
    file = tmp_path / "arm.urdf"
    file.write_text(text)
    watch = Run(robot={"urdf": str(file)}).contribution.watch
    assert watch is not None
    assert (watch.lower[0], watch.upper[0], watch.velocity[0], watch.effort[0]) == (None,) * 4
    assert (watch.lower[1], watch.upper[1], watch.velocity[1], watch.effort[1]) == (
        -1.9,
        1.9,
        None,
        None,
    )


def test_a_passive_joint_is_in_the_report_without_numbers() -> None:
    robot = {"urdf": str(TABLETOP_ARM), "springs": {"gripper_right_finger_joint": 10.0}}
    run = Run(robot=robot)
    watch = run.contribution.watch
    assert watch is not None
    assert watch.joints == ALL_JOINTS
    (report,) = reports(run, 8)
    assert len(report.recorded) == len(ALL_JOINTS)
    assert np.isnan(report.recorded).tolist() == [False] * 3 + [True] * 5


def test_a_report_holds_what_was_recorded() -> None:
    run = Run()
    found = reports(run, 40)
    assert [one.time_ns for one in found] == [i * 8 * PERIOD_NS for i in range(1, 6)]
    t = 0.06
    recorded = 0.2 * (0.5 + np.sin(3 * t))
    assert found[2].recorded[:3] == pytest.approx([recorded] * 3, abs=1e-12)
    assert found[2].recorded_velocities[:3] == pytest.approx([0.6 * np.cos(3 * t)] * 3)
    assert found[2].measured_efforts[:3].tolist() == [1.5] * 3
    for part in (found[2].recorded, found[2].recorded_velocities, found[2].measured_efforts):
        assert np.isnan(part[len(ARM_JOINTS) :]).all()


def test_without_a_source_nothing_is_recorded() -> None:
    (report,) = reports(Run(source=None), 8)
    for part in (report.recorded, report.recorded_velocities, report.measured_efforts):
        assert np.isnan(part).all()


def test_there_are_no_reports_at_a_rate_of_zero_or_without_a_robot() -> None:
    for changes in ({"watch_rate": 0}, {"robot": None, "hands": [], "source": None}):
        run = Run(**changes)
        assert run.contribution.watch is None
        assert all(run.step().watch is None for _ in range(16))


@pytest.mark.parametrize("rate", [-1.0, float("inf"), float("nan")])
def test_a_rate_that_is_none_is_refused(rate: float) -> None:
    with pytest.raises(BadInput, match="watch_rate"):
        Run(watch_rate=rate)


def test_reports_change_no_bit_of_the_run() -> None:
    runs = [Run(), Run(watch_rate=0)]
    for _ in range(100):
        watched, unwatched = (run.step() for run in runs)
        assert watched.block is not None
        assert unwatched.block is not None
        assert watched.block.tobytes() == unwatched.block.tobytes()
