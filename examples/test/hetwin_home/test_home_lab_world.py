"""The furniture of the world `home_lab` stands where Table IV of Jiang et al. has it, and its things can be used."""

from __future__ import annotations

from pathlib import Path

from support.household import happened, lived

from hetwin_calibration.robot.describing import describe_file

HERE = Path(__file__).resolve().parents[2] / "hetwin_home"
WORLD = HERE / "worlds" / "home_lab.sdf"
ROBOT = """
<robot name="poker">
  <link name="base"/>
  <link name="tip">
    <inertial><mass value="0.5"/><inertia ixx="1e-3" ixy="0" ixz="0" iyy="1e-3" iyz="0" izz="1e-3"/></inertial>
    <collision><geometry><box size="0.04 0.04 0.04"/></geometry></collision>
  </link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="tip"/><axis xyz="0 0 1"/>
    <limit lower="-4" upper="4" effort="500" velocity="9"/></joint>
</robot>"""
SCENARIO = f"""
scenario: at_home
world: {WORLD}
robot: {{urdf: finger.urdf, pose: [3.62, 1.69, 0.88, 1, 0, 0, 0]}}
rate: 100
source: {{trajectory: still.yaml}}
hands: {{finger: {{link: tip}}}}
scene: {{cup: {{pose: [3.86, 2.0, 0.83, 1, 0, 0, 0]}}}}
robot_health: off
models:
  physics: {{type: main_physics, main: true}}
  containment: {{type: containment, parameters: {{objects: pickable, containers: receptacle}}}}
"""


def test_the_furniture_is_where_the_table_has_it() -> None:
    measured = HERE / "table_iv.csv"
    dimensions = describe_file(WORLD, measured=measured).dimensions
    assert len(dimensions) == 12
    assert max(each.error for each in dimensions) < 1e-6


def test_a_cup_in_a_microwave_that_is_open_stays_cold(tmp_path: Path) -> None:
    (tmp_path / "finger.urdf").write_text(ROBOT)
    (tmp_path / "still.yaml").write_text(
        "joint_names: [turn]\npoints: [{positions: [0.0], time_from_start: 1.0}]\n"
    )
    file = tmp_path / "at_home.yaml"
    file.write_text(SCENARIO)
    outcome = lived(file)
    assert outcome.summary.error is None, outcome.summary.error
    state = outcome.summary.state
    assert state["in_container(cup, microwave)"] is True
    assert "in_container(plate, plate)" not in state, "nothing is in itself"
    assert state["open(microwave)"] is True
    assert state["open(fridge)"] is False
    assert ("switched_on", "microwave") in happened(outcome)
    assert state["hot(cup)"] is False
