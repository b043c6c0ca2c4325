"""Where links are, and how high a robot must stand so that nothing of it is below the floor."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.robot_files import TABLETOP_ARM, example

from hetwin_suite.scaffolding.reach import CLEARANCE, link_frames, standing_height
from model_nodes.main_physics.engines.engine import EngineSettings
from model_nodes.main_physics.engines.factory import make_engine
from model_nodes.main_physics.world.description import Body, World
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.urdf.reader import read_urdf

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
SWINGING = f"""\
<robot name="r">
  <link name="base">{INERTIAL}<collision><origin xyz="0 0 -0.05"/>
    <geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
  <link name="bar">{INERTIAL}<collision><origin xyz="0.5 0 0"/>
    <geometry><box size="1 0.02 0.02"/></geometry></collision></link>
  <joint name="j" type="revolute"><parent link="base"/><child link="bar"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
</robot>"""


@pytest.fixture
def swinging(tmp_path: Path) -> Body:
    file = tmp_path / "r.urdf"
    file.write_text(SWINGING)
    return read_urdf(file, Notes())


def test_what_stands_still_stands_on_the_floor(swinging: Body) -> None:
    assert standing_height(swinging, {"j": np.array([0.0, -1.0])}) == pytest.approx(0.1)


def test_what_moves_stays_above_the_floor(swinging: Body) -> None:
    # straight down, the bar reaches 1 m below its joint
    height = standing_height(swinging, {"j": np.linspace(0.0, np.pi / 2, 50)})
    assert 1.0 + CLEARANCE <= height <= 1.0 + CLEARANCE + 0.02


def test_a_robot_with_nothing_below_its_root_stays_at_the_floor() -> None:
    body = read_urdf(TABLETOP_ARM, Notes())
    assert standing_height(body, {}) == 0.0


def test_baxter_stands_on_its_pedestal() -> None:
    body = read_urdf(example("baxter_description/urdf/baxter.urdf"), Notes())
    assert standing_height(body, {}) == pytest.approx(0.924, abs=0.002)


@pytest.mark.parametrize("robot", ["tabletop_arm", "baxter"])
def test_frames_are_those_of_the_engine(robot: str) -> None:
    file = (
        TABLETOP_ARM if robot == "tabletop_arm" else example("baxter_description/urdf/baxter.urdf")
    )
    body = read_urdf(file, Notes())
    engine = make_engine("mujoco")
    engine.load(World("test", (body,)), EngineSettings(0.0025))
    free = {j.name: 0.1 * (i % 5) for i, j in enumerate(body.moving_joints) if j.mimic is None}
    frames = link_frames(body, {name: np.array([value]) for name, value in free.items()})
    angles = [
        free[j.name]
        if j.mimic is None
        else free[j.mimic.joint] * j.mimic.multiplier + j.mimic.offset
        for j in body.moving_joints
    ]
    places = dict(zip((j.name for j in body.moving_joints), angles, strict=True))
    positions = np.array([places[name] for name in engine.joints])
    engine.place_joints(positions, np.zeros_like(positions))
    out = np.empty((len(engine.frames), 13))
    engine.read_frames(out)
    engine.close()
    for link in body.links[1:]:
        found = out[engine.frames.index(link.name), :3]
        np.testing.assert_allclose(frames[link.name][0, :3, 3], found, atol=1e-9)
