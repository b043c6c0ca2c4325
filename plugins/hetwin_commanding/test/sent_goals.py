"""Scenarios whose robot may be commanded, for tests."""

from __future__ import annotations

from pathlib import Path

from hetwin_commanding.send import Commander
from hetwin_core.ensemble.conductor.start.options import RunOptions

ARM = """
scenario: commanded
world: {world}
robot: {robot}
rate: 400
models:
  physics: {{type: main_physics, main: true, engine: mujoco}}
{more}
"""
COMMANDS = """
commands:
  groups:
    arm:
      joints: [shoulder_*, elbow_joint, wrist_*, hand_roll_joint]
      controller: arm_controller
    gripper: {joints: [gripper_*], controller: gripper_controller}
"""


def scenario(
    folder: Path,
    commands: str = COMMANDS,
    robot: str = "urdf/tabletop_arm.urdf",
    world: str = "worlds/tabletop.sdf",
) -> Path:
    """Write a scenario with the tabletop arm, or another robot."""
    path = folder / "scenario.yaml"
    path.write_text(ARM.format(world=world, robot=robot, more=commands), encoding="utf-8")
    return path


def goal(folder: Path, text: str) -> Path:
    """Write a goal."""
    path = folder / "goal.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def commander(folder: Path, text: str, commands: str = COMMANDS, **scene: object) -> Commander:
    """What `hetwin robot send` makes of the tabletop arm and a goal."""
    options = RunOptions(scene=scene)
    return Commander.of(str(scenario(folder, commands)), goal(folder, text), options)
