"""A program that brings a box to a tray, and what may go wrong with it: it cannot reach, or lets the box fall."""

from __future__ import annotations

from pathlib import Path

PROGRAM = """
DOWN = (0, 0, 1, 0)


def deliver(robot, aside=0.0, above=0.0):
    with robot.task("deliver", goal='on("box", "tray")', object="box", target="tray"):
        robot.look("box")
        box = robot.believed_pose("box")
        with robot.task("pick_up", goal='held("box", "gripper")', object="box", hand="gripper"):
            over(robot, box, 0.13, "reach")
            over(robot, box, 0.015, "reach", straight=True)
            robot.move_hand("gripper", "closed", object="box")
            robot.believe_held("box", "gripper")
            over(robot, box, 0.2, "lift", straight=True)
        with robot.task("place", goal='on("box", "tray")', object="box", hand="gripper", target="tray"):
            spot = (0.42 + aside, -0.26, 0.882)
            over(robot, spot, 0.05 + max(0.1, above), "carry")
            over(robot, spot, 0.017 + above, "lower", straight=True)
            robot.move_hand("gripper", "open", operation="release", object="box")
            robot.believe_put_down("box", on="tray")
            over(robot, spot, 0.25, "retreat", straight=True)


def over(robot, place, up, operation, straight=False):
    pose = (place[0], place[1], place[2] + up, *DOWN)
    robot.reach("gripper", pose, straight=straight, operation=operation, object="box")
"""
SCENARIO = """
scenario: brought
world: worlds/tabletop.sdf
robot:
  urdf: urdf/tabletop_arm.urdf
  joints_at_start:
    shoulder_lift_joint: -0.1
    elbow_joint: 1.6
    wrist_pitch_joint: 1.64159
    gripper_left_finger_joint: 0.04
    gripper_right_finger_joint: 0.04
  drives: {fingers: {joints: ["gripper_*"], mode: limited, effort: 15}}
rate: 200
source: {program: "brought:deliver", lasting: 3}
hands:
  gripper:
    link: gripper_base
    offset: [0, 0, 0.12, 1, 0, 0, 0]
    joints: [gripper_left_finger_joint, gripper_right_finger_joint]
    opened: [0.04, 0.04]
    closed: [0, 0]
entities: {box: {tags: [graspable]}}
models:
  physics: {type: main_physics, main: true, engine: mujoco}
  camera:
    type: camera
    rate: 5
    parameters: {frame: base_link, at: [-0.2, 0, 1.8, 0.924, 0, 0.383, 0], noise: 0.001}
  grasp: {type: grasp_monitor, rate: 50, parameters: {hand: gripper}}
  handling: {type: handling_observer, rate: 100}
uncertainty:
  box: {pose: {away: [0, 0.01]}}
variants:
  none: {}
  task_failed: {source: {arguments: {aside: 1.5}}}
  let_fall: {source: {arguments: {above: 0.17}}}
"""


def write(folder: Path) -> Path:
    """Write the scenario and its program; returns the scenario's file."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "brought.py").write_text(PROGRAM.lstrip(), encoding="utf-8")
    file = folder / "brought.yaml"
    file.write_text(SCENARIO.lstrip(), encoding="utf-8")
    return file
