"""The stand-in for a real lab robot: its own body, its own speeds, and a connection that loses answers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event
from hetwin_suite.runs import Scenario, load_scenario, resource
from hetwin_twin_lab.connection import Connection
from hetwin_twin_lab.hidden import HiddenParameters, urdf_with_hidden
from hetwin_twin_lab.robot import LabRobot

STEP_NS = 50_000_000


@pytest.fixture(scope="module")
def lab() -> Scenario:
    return load_scenario("twin_lab")


def command(id_: int, rotation: float, displacement: float) -> Event:
    said = {"id": id_, "operation": 1, "rotation": rotation, "displacement": displacement}
    return Event("command", 0, source="link", arguments=said)


def turned(
    lab: Scenario, hidden: HiddenParameters, seed: int = 0, most: float = 12.0
) -> tuple[float, LabRobot, Connection]:
    """Turn by 3 rad; returns when the answer is heard [s], and the robot."""
    robot = LabRobot(lab, "reactive", hidden)
    connection = Connection(robot, hidden, seed, "command", "reply")
    heard = connection.advance(STEP_NS, [command(1, 3.0, 0.0)])
    while not heard and robot.time_ns < most * 1e9:
        heard = connection.advance(robot.time_ns + STEP_NS, [])
    return robot.time_ns * 1e-9 if heard else float("inf"), robot, connection


def yaw(robot: LabRobot) -> float:
    w, z = robot.pose[3], robot.pose[6]
    return float(2.0 * np.arctan2(z, w)) % (2.0 * np.pi)


def test_a_robot_as_in_its_sheet_turns_as_commanded(lab: Scenario) -> None:
    time, robot, _ = turned(lab, HiddenParameters())
    assert yaw(robot) == pytest.approx(3.0, abs=0.03)
    assert time == pytest.approx(3.0 / 1.2 + 1.2 / 2.0, abs=0.8)
    robot.close()


def test_a_wider_base_turns_less_and_a_slower_robot_later(lab: Scenario) -> None:
    sheet, robot, _ = turned(lab, HiddenParameters())
    wide, wider, _ = turned(lab, HiddenParameters(base=1.1, turn_speed=0.8))
    assert yaw(wider) == pytest.approx(yaw(robot) / 1.1, abs=0.02)
    assert wide > sheet + 0.3
    assert np.diff(wider.wheel_angles) == pytest.approx(np.diff(robot.wheel_angles), abs=0.05)


def less_turned(robot: LabRobot) -> float:
    """By which share it turned less than its wheels say."""
    left, right = robot.wheel_angles.tolist()
    return 1.0 - yaw(robot) / ((right - left) * 0.06 / 0.25)


def test_on_a_slippery_floor_tyres_rub_and_it_turns_less(lab: Scenario) -> None:
    """A limit surface with a quarter of the width as arm gives width^2 / (4 base) more base: 1 %."""
    _, rolling, _ = turned(lab, HiddenParameters(friction=0.15))
    assert less_turned(rolling) == pytest.approx(0.0, abs=0.002)
    _, rubbing, _ = turned(lab, HiddenParameters(friction=0.15, tyre_width=0.05))
    assert less_turned(rubbing) == pytest.approx(0.05**2 / (4 * 0.25**2), abs=0.004)
    rolling.close()
    rubbing.close()


def test_a_lag_counts_on_both_ways(lab: Scenario) -> None:
    prompt, *_ = turned(lab, HiddenParameters())
    late, *_ = turned(lab, HiddenParameters(lag=0.1))
    assert late == pytest.approx(prompt + 0.15, abs=1e-6)  # a command takes 0.05 s anyway


def test_answers_get_lost_and_come_late(lab: Scenario) -> None:
    time, _, connection = turned(lab, HiddenParameters(lost=1.0), most=6.0)
    assert (time, connection.lost) == (float("inf"), 1)
    prompt, *_ = turned(lab, HiddenParameters())
    late, _, connection = turned(lab, HiddenParameters(late=1.0, late_by=2.0))
    assert (round(late - prompt, 6), connection.late) == (2.0, 1)


def test_the_same_seed_hides_the_same() -> None:
    assert HiddenParameters.draw(3) == HiddenParameters.draw(3) != HiddenParameters.draw(4)
    assert HiddenParameters.draw(3, friction=0.1).friction == 0.1
    assert HiddenParameters.draw(3).without_losses().lost == 0.0


def test_only_the_wheels_of_the_description_change() -> None:
    file = resource("urdf", "lab_robot.urdf")
    text = urdf_with_hidden(file, {"left_wheel_joint": 1.5}, 1.2)
    assert text.count('radius="0.09"') == 2
    assert 'xyz="0.0 0.15 0.09"' in text
    assert "gazebo" not in text.replace('<gazebo reference="caster">', "").replace("</gazebo>", "")
    slippery = urdf_with_hidden(file, {"left_wheel_joint": 1.0}, 1.0, 0.1)
    assert '<gazebo reference="left_wheel"><mu1>0.1</mu1>' in slippery
    assert text.count("<link") == file.read_text().count("<link ")


def test_a_scenario_without_such_a_controller_is_refused(lab: Scenario, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="one of deliberation, execution, reactive"):
        LabRobot(lab, "guide", HiddenParameters())
    other = load_scenario("lab_robot")
    with pytest.raises(BadInput, match="not a machine_network"):
        LabRobot(other, "reactive", HiddenParameters())
