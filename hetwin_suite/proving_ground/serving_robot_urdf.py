"""Writes urdf/serving_robot.urdf: a base that drives, two arms with grippers of two fingers, and a camera on a mast.

It is generated, since its arms differ only in their positions. Run as
``python -m hetwin_suite.proving_ground.serving_robot_urdf > urdf/serving_robot.urdf``.
"""

from __future__ import annotations

import sys
from math import pi

from hetwin_suite.proving_ground.urdf_text import (
    Joint,
    Shape,
    fixed_text,
    joint_text,
    link_text,
    robot_text,
)

HEADER = """<?xml version="1.0"?>
<!-- A mobile robot that sets tables: two arms of six joints on a base that drives, each with a gripper of two
     fingers, and a camera on a mast. Written by hetwin_suite/proving_ground/serving_robot_urdf.py.

     Units and frames follow REP-103 and REP-105: metres, radians, x forward, y left, z up. base_link lies on the
     floor in the middle of the base. With all joints at 0 the arms stretch straight up; positive pitch leans forward.
     *_hand_base: z points from the wrist to the finger tips, the fingers move along y. The middle between the pads
     is at 0 0 0.12. Each finger joint is 0 when closed, 0.075 m when open. camera_link: x points where the camera
     looks, 50 degrees below the horizon.
     Inertias are those of boxes and cylinders of even density. -->
"""

COLOURS = {
    "ivory": "0.93 0.92 0.88 1",
    "graphite": "0.20 0.22 0.25 1",
    "teal": "0.05 0.50 0.52 1",
    "rubber": "0.95 0.45 0.10 1",
    "tyre": "0.10 0.10 0.11 1",
}
SHOULDER = (0.1, 0.24, 0.75)
"""Where the left arm begins in base_link [m]; the right one mirrors it."""
FINGER_TRAVEL = 0.075
CAMERA_DOWN = 50 * pi / 180
X_AXIS, Y_AXIS, Z_AXIS = (1, 0, 0), (0, 1, 0), (0, 0, 1)
LYING = (pi / 2, 0.0, 0.0)
"""Turns a cylinder so that it lies along y."""


def urdf() -> str:
    """Return the complete URDF."""
    parts = _body()
    for side, sign in (("left", 1), ("right", -1)):
        parts += _arm(side, sign) + _gripper(side)
    return robot_text(HEADER, "serving_robot", COLOURS, parts)


def _body() -> list[str]:
    """Return the base with its wheels and beam, the mast and the camera."""
    deck = Shape("box", (0.46, 0.42, 0.2), (0, 0, 0.16), colour="graphite")
    column = Shape("box", (0.14, 0.18, 0.4), (0, 0, 0.46), colour="ivory")
    beam = Shape("box", (0.14, 0.62, 0.08), (0.08, 0, 0.7), colour="graphite")
    left = Shape("cylinder", (0.08, 0.04), (0, 0.23, 0.09), LYING, "tyre")
    right = Shape("cylinder", (0.08, 0.04), (0, -0.23, 0.09), LYING, "tyre")
    mast = Shape("cylinder", (0.025, 0.7), (0, 0, 0.35), colour="graphite")
    eye = Shape("box", (0.04, 0.16, 0.05), (-0.02, 0, 0), colour="teal")
    return [
        link_text("base_link", 60.0, deck, column, beam, left, right),
        fixed_text("mast_joint", "base_link", "mast", (-0.05, 0, 0.74)),
        link_text("mast", 2.0, mast),
        fixed_text("camera_joint", "mast", "camera_link", (0.06, 0, 0.72), (0, CAMERA_DOWN, 0)),
        link_text("camera_link", 0.4, eye),
    ]


def _arm(side: str, sign: int) -> list[str]:
    """Return six joints: two in the shoulder, one in the elbow, three in the wrist; the last turns the gripper."""
    turret = Shape("cylinder", (0.07, 0.08), (0, 0, 0.04), colour="teal")
    shoulder = Shape("cylinder", (0.06, 0.13), (0, 0, 0.14), LYING, "ivory")
    upper = Shape("cylinder", (0.048, 0.26), (0, 0, 0.18), colour="ivory")
    elbow = Shape("cylinder", (0.052, 0.11), (0, 0, 0.36), LYING, "teal")
    forearm = Shape("cylinder", (0.044, 0.11), (0, 0, 0.105), colour="ivory")
    wrist = Shape("cylinder", (0.038, 0.12), (0, 0, 0.06), colour="graphite")
    knuckle = Shape("cylinder", (0.042, 0.09), (0, 0, 0.17), LYING, "teal")
    tube = Shape("cylinder", (0.036, 0.04), (0, 0, 0.05), colour="ivory")
    housing = Shape("box", (0.06, 0.2, 0.05), (0, 0, 0.035), colour="ivory")
    flange = Shape("cylinder", (0.036, 0.01), (0, 0, 0.005), colour="graphite")
    x, y, z = SHOULDER
    links = [f"{side}_{name}" for name in ("shoulder", "upper_arm", "forearm", "wrist", "palm")]
    joints = [
        Joint("base_link", (x, sign * y, z), Z_AXIS, -2.9, 2.9, 120, 2.2),
        Joint(links[0], (0, 0, 0.14), Y_AXIS, -1.9, 1.9, 120, 2.2),
        Joint(links[1], (0, 0, 0.36), Y_AXIS, -2.6, 2.6, 80, 2.5),
        Joint(links[2], (0, 0, 0.16), Z_AXIS, -2.9, 2.9, 40),
        Joint(links[3], (0, 0, 0.17), Y_AXIS, -2.1, 2.1, 40),
        Joint(links[4], (0, 0, 0.07), Z_AXIS, -2.9, 2.9, 20),
    ]
    names = ["shoulder_pan", "shoulder_lift", "elbow", "wrist_roll", "wrist_pitch", "hand_roll"]
    bodies: list[tuple[float, tuple[Shape, ...]]] = [
        (3.5, (turret, shoulder)),
        (3.5, (upper, elbow)),
        (1.8, (forearm,)),
        (1.4, (wrist, knuckle)),
        (0.6, (tube,)),
        (0.7, (housing, flange)),
    ]
    parts: list[str] = []
    ends = [*links, f"{side}_hand_base"]
    for name, joint, link, (mass, shapes) in zip(names, joints, ends, bodies, strict=True):
        parts += [joint_text(f"{side}_{name}_joint", link, joint), link_text(link, mass, *shapes)]
    return parts


def _gripper(side: str) -> list[str]:
    """Return two fingers that slide along y, apart at positive positions."""
    parts: list[str] = []
    for number, sign in enumerate((1, -1), start=1):
        body = Shape("box", (0.03, 0.012, 0.08), (0, sign * 0.014, 0.04), colour="graphite")
        pad = Shape("box", (0.036, 0.008, 0.04), (0, sign * 0.004, 0.06), colour="rubber")
        link = f"{side}_finger_{number}"
        joint = Joint(
            f"{side}_hand_base",
            (0, 0, 0.06),
            (0, sign, 0),
            0.0,
            FINGER_TRAVEL,
            40,
            0.15,
            damping=5,
            kind="prismatic",
        )
        parts += [joint_text(f"{link}_joint", link, joint), link_text(link, 0.09, body, pad)]
    for number in (1, 2):
        friction = "<mu1>0.8</mu1><mu2>0.8</mu2>"
        parts.append(f'  <gazebo reference="{side}_finger_{number}">{friction}</gazebo>')
    return parts


if __name__ == "__main__":
    sys.stdout.write(urdf())
