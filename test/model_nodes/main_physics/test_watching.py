"""The main model's reports about its robot."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from support.robot_files import TABLETOP_ARM
from test_main_physics import ARM_JOINTS, PERIOD_NS, Run, Swing

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.scene.snapshot import PROXIMITY
from hetwin_core.ensemble.scene.watch import Watch
from model_nodes.main_physics.sources.part import JointMotion

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
    found = [Watch.read(run.step().tables, layout) for _ in range(steps)]
    return [report for report in found if report is not None]


def test_the_robot_is_described_with_its_limits() -> None:
    watch = Run().contribution.watch
    assert watch is not None
    assert watch.robots == (("tabletop_arm", len(ALL_JOINTS)),)
    assert watch.joints == ALL_JOINTS
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
    (report,) = reports(run, 16)
    assert len(report.recorded) == len(ALL_JOINTS)
    assert np.isnan(report.recorded).tolist() == [False] * 3 + [True] * 5


def test_a_report_holds_what_was_recorded() -> None:
    found = reports(Run(watch_rate=50), 40)
    assert [one.time_ns for one in found] == [i * 8 * PERIOD_NS for i in range(1, 6)]
    assert len(reports(Run(), 80)) == 5
    t = 0.06
    recorded = 0.2 * (0.5 + np.sin(3 * t))
    assert found[2].recorded[:3] == pytest.approx([recorded] * 3, abs=1e-12)
    assert found[2].recorded_velocities[:3] == pytest.approx([0.6 * np.cos(3 * t)] * 3)
    for part in (found[2].recorded, found[2].recorded_velocities, found[2].measured_efforts):
        assert np.isnan(part[len(ARM_JOINTS) :]).all()


def test_measured_and_expected_efforts_are_of_the_same_time() -> None:
    """The first 0.2 s have none, since accelerations need what lies on either side."""
    run = Run()
    found = reports(run, 200)
    assert {one.delay_ns for one in found} == {100_000_000}
    known = [one for one in found if np.isfinite(one.measured_efforts).any()]
    assert known[0].time_ns == 240_000_000
    assert np.isnan(known[0].measured_efforts[len(ARM_JOINTS) :]).all()
    engine = run.model._engine
    assert engine is not None
    for one in known:
        assert one.measured_efforts[:3].tolist() == [1.5] * 3
        t, moves = (one.time_ns - one.delay_ns) * 1e-9, np.arange(8) < 3
        held = np.where(np.arange(8) == 6, 0.03, 0.0)
        motion = 0.2 * (0.5 + np.sin(3 * t)), 0.6 * np.cos(3 * t), -1.8 * np.sin(3 * t)
        position, velocity, acceleration = (np.where(moves, part, 0.0) for part in motion)
        exact = engine.expected_efforts(position + held, velocity, acceleration)
        assert one.expected_efforts == pytest.approx(exact, abs=0.05)
        assert abs(one.expected_efforts[1]) > 5.0


def test_without_measured_efforts_none_are_expected() -> None:
    class Silent(Swing):
        def motion(self, time_ns: int) -> JointMotion:
            motion = super().motion(time_ns)
            return motion._replace(efforts=np.full_like(motion.efforts, np.nan))

    *_, last = reports(Run(source=Silent(ARM_JOINTS)), 200)
    assert np.isnan(last.expected_efforts).all()
    assert np.isnan(last.measured_efforts).all()


def test_a_robot_without_inertias_says_so(tmp_path: Path) -> None:
    with_inertias = Run().contribution.watch
    text = re.sub(r"<inertial>.*?</inertial>", "", TABLETOP_ARM.read_text(), flags=re.DOTALL)
    file = tmp_path / "arm.urdf"
    file.write_text(text)
    run = Run(robot={"urdf": str(file)})
    without = run.contribution.watch
    assert with_inertias is not None
    assert without is not None
    assert (with_inertias.has_inertias, without.has_inertias) == (True, False)
    *_, last = reports(run, 200)
    assert np.isfinite(last.measured_efforts[:3]).all()
    assert np.isnan(last.expected_efforts).all()


def test_clearances_name_entities() -> None:
    run = Run(
        scene={
            "table": {"pose": [-0.25, 0.0, 0.9, 1, 0, 0, 0]},
            "tray": {"pose": [1, 1, 1, 1, 0, 0, 0]},
        }
    )
    (report,) = reports(run, 16)
    names = [entity.name for entity in run.layout.entities]
    found = {(names[int(row[0])], names[int(row[1])]): row[2] for row in report.clearances}
    links = [link for link, partner in found if partner == "table" and found[link, partner] < 0.0]
    assert links
    assert {run.layout.entity(link).kind for link in links} == {EntityKind.LINK}
    assert run.layout.entity("table").kind is EntityKind.STATIC


def test_without_a_source_nothing_is_recorded() -> None:
    (report,) = reports(Run(source=None), 16)
    for part in (report.recorded, report.recorded_velocities, report.measured_efforts):
        assert np.isnan(part).all()


def test_there_are_no_reports_at_a_rate_of_zero_or_without_a_robot() -> None:
    for changes in ({"watch_rate": 0}, {"robot": None, "hands": [], "source": None}):
        run = Run(**changes)
        assert run.contribution.watch is None
        assert all(set(run.step().tables) == {PROXIMITY} for _ in range(16))


@pytest.mark.parametrize("rate", [-1.0, float("inf"), float("nan")])
def test_a_rate_that_is_none_is_refused(rate: float) -> None:
    with pytest.raises(BadInput, match="watch_rate"):
        Run(watch_rate=rate)


def test_reports_change_no_bit_of_the_run() -> None:
    runs = [Run(watch_rate=400), Run(watch_rate=0)]
    for _ in range(100):
        watched, unwatched = (run.step() for run in runs)
        assert watched.block is not None
        assert unwatched.block is not None
        assert watched.block.tobytes() == unwatched.block.tobytes()
