"""Robots in OpenUSD, where MuJoCo's decoder is installed; where it is not, what to install is said."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.robot_xml import joints_of
from model_nodes.main_physics.world.sdf.reader import read_world
from model_nodes.main_physics.world.urdf.reader import read_urdf

THERE = importlib.util.find_spec("mujoco._usd") is not None
PART = """  def Xform "{name}" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI"]
  ) {{
    double3 xformOp:translate = (0, 0, {z})
    uniform token[] xformOpOrder = ["xformOp:translate"]
    def Cube "{name}_shape" (
      prepend apiSchemas = ["PhysicsCollisionAPI"]
    ) {{
      double size = 0.1
    }}
  }}
"""
ARM = f"""#usda 1.0
(
  defaultPrim = "arm"
  upAxis = "Z"
  metersPerUnit = 1
)
def Xform "arm" {{
{PART.format(name="base", z=0)}
{PART.format(name="upper", z=0.2)}
  def PhysicsFixedJoint "stands" {{
    rel physics:body1 = </arm/base>
  }}
  def PhysicsRevoluteJoint "turn" {{
    rel physics:body0 = </arm/base>
    rel physics:body1 = </arm/upper>
    uniform token physics:axis = "Z"
    point3f physics:localPos0 = (0, 0, 0.2)
    float physics:lowerLimit = -90
    float physics:upperLimit = 90
  }}
}}
"""


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    file = tmp_path / "arm.usda"
    file.write_text(ARM)
    return file


@pytest.mark.skipif(not THERE, reason="the extra `usd` is not installed")
def test_a_robot_is_read(arm: Path) -> None:
    body = read_urdf(arm, Notes())
    (joint,) = body.moving_joints
    assert (joint.name, joint.parent, joint.child) == ("turn", "base", "upper")
    assert (joint.lower, joint.upper) == pytest.approx((-1.570796, 1.570796), abs=1e-5)
    upper = next(link for link in body.links if link.name == "upper")
    assert upper.pose[:3] == pytest.approx((0, 0, 0.2))
    assert upper.inertial is not None
    assert upper.inertial.mass == pytest.approx(1.0)  # the decoder takes that of the shapes
    assert joints_of(arm) == ("turn",)


@pytest.mark.skipif(not THERE, reason="the extra `usd` is not installed")
def test_it_is_a_world_too(arm: Path) -> None:
    assert [body.moving_joints[0].name for body in read_world(arm).bodies] == ["turn"]


@pytest.mark.skipif(THERE, reason="the extra `usd` is installed")
def test_what_to_install_is_said(arm: Path) -> None:
    with pytest.raises(BadInput, match=r"arm.usda needs MuJoCo's decoder of USD.*\[usd\]"):
        joints_of(arm)
