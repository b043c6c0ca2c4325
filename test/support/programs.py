"""A scenario with an arm, a box on a table and a camera, and programs for it."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

SCENARIO = """
scenario: programmed
world: worlds/tabletop.sdf
robot:
  urdf: urdf/tabletop_arm.urdf
  joints_at_start: {shoulder_lift_joint: -0.1, elbow_joint: 1.6, wrist_pitch_joint: 1.64159}
  drives: {fingers: {joints: ["gripper_*"], mode: limited, effort: 15}}
rate: 200
source: {program: "work:program", lasting: 0.2, SOURCE}
hands:
  gripper:
    link: gripper_base
    offset: [0, 0, 0.12, 1, 0, 0, 0]
    joints: [gripper_left_finger_joint, gripper_right_finger_joint]
    opened: [0.04, 0.04]
    closed: [0.0, 0.0]
entities: {box: {tags: [graspable]}}
models:
  physics: {type: main_physics, main: true, engine: mujoco}
  eye:
    type: camera
    rate: 10
    parameters: {frame: base_link, at: [-0.2, 0, 1.8, 0.924, 0, 0.383, 0], noise: 0.001, CAMERA}
"""
"""`SOURCE` and `CAMERA` stand for more keys."""

LOOK_AND_REACH = """
def program(robot, up=0.15):
    with robot.task("fetch", goal='held("box", "gripper")', object="box") as task:
        found = robot.look("box", seconds=0.3)
        task.set(found=len(found))
        x, y, z = robot.believed_pose("box")[:3]
        robot.reach("gripper", (x, y, z + up, 0, 1, 0, 0), speed=1.0, object="box")
        task.fail(f"{robot.hand_pose('gripper')[2] - z:.3f} m above it")
"""


def write_programmed(folder: Path, program: str, *, source: str = "", camera: str = "") -> Path:
    """Write the scenario and the module with its program; returns the scenario's file."""
    (folder / "work.py").write_text(dedent(program))
    text = SCENARIO.replace("SOURCE", source).replace("CAMERA", camera)
    file = folder / "programmed.yaml"
    file.write_text(text.replace(", }", "}"))
    return file
