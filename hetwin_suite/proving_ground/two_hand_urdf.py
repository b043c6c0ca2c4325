"""Writes urdf/two_hand_robot.urdf: an upper body on a mobile base, two arms, two four-fingered hands.

It is generated, since two arms and eight fingers differ only in their positions. Run as
``python -m hetwin_suite.proving_ground.two_hand_urdf > urdf/two_hand_robot.urdf``.
"""

from __future__ import annotations

import sys
from math import pi

from hetwin_suite.proving_ground.urdf_text import (
    Joint,
    Shape,
    joint_text,
    link_text,
    robot_text,
)

HEADER = """<?xml version="1.0"?>
<!-- An upper body on a mobile base, with two arms of seven joints and two hands of four fingers of three joints,
     in the spirit of humanoids for research on manipulation. Written by hetwin_suite/proving_ground/two_hand_urdf.py.

     Units and frames follow REP-103: metres, radians, x forward, y left, z up. base_link stands on the floor, which
     is where the mobile base is parked. With all joints at 0 the robot looks ahead and its arms hang straight down.
     Negative arm_joint_1, 4 and 6 swing what is below them forward.
     *_hand_palm: its origin is the wrist, z points from the wrist to the finger tips, the fingers flex along x.
     Two fingers stand at either side: 1 and 2 at +x, 3 and 4 at -x; 1 and 3 at +y, 2 and 4 at -y.
     Positive finger joints flex. The middle between the finger tips is at about 0 0 0.18 in the palm.
     Inertias are those of boxes, cylinders and spheres of even density. -->
"""

COLOURS = {
    "ivory": "0.93 0.92 0.88 1",
    "graphite": "0.20 0.22 0.25 1",
    "blue": "0.16 0.30 0.52 1",
    "rubber": "0.15 0.15 0.16 1",
}

FINGER_LENGTHS = (0.040, 0.028, 0.022)
"""Lengths of a finger's segments in metres; the last one ends at the centre of the tip's sphere."""
FINGER_RADIUS = 0.008
TIP_RADIUS = 0.010
FINGER_PLACES = ((0.055, 0.02), (0.055, -0.02), (-0.055, 0.02), (-0.055, -0.02))
"""x, y of the fingers' first joints in the palm."""
FINGER_HEIGHT = 0.11
"""z of the fingers' first joints in the palm."""


def urdf() -> str:
    """Return the complete URDF."""
    parts = _body()
    for side, sign in (("right", -1), ("left", 1)):
        parts += _arm(side, sign)
        for index, (x, y) in enumerate(FINGER_PLACES, start=1):
            parts += _finger(f"{side}_hand", index, x, y)
    return robot_text(HEADER, "two_hand_robot", COLOURS, parts)


def _body() -> list[str]:
    platform = Shape("box", (0.44, 0.46, 0.24), (-0.05, 0, 0.17), colour="graphite")
    column = Shape("cylinder", (0.09, 0.62), (0, 0, 0.59))
    waist = Shape("cylinder", (0.1, 0.14), (0, 0, 0.07), colour="graphite")
    chest = Shape("box", (0.2, 0.3, 0.36), (0, 0, 0.2))
    collar = Shape("cylinder", (0.07, 0.38), (0, 0, 0.32), (pi / 2, 0, 0), "blue")
    neck = Shape("cylinder", (0.04, 0.06), (0, 0, 0.02), colour="graphite")
    head = Shape("box", (0.15, 0.17, 0.16), (0.02, 0, 0.09))
    eyes = Shape("box", (0.03, 0.13, 0.04), (0.105, 0, 0.1), colour="graphite")
    chest_link = "torso_link_2"
    return [
        link_text("base_link", 80.0, platform, column),
        joint_text(
            "torso_joint_1",
            "torso_link_1",
            Joint("base_link", (0, 0, 0.9), (0, 0, 1), -2.5, 2.5, 250),
        ),
        link_text("torso_link_1", 9.0, waist),
        joint_text(
            "torso_joint_2",
            chest_link,
            Joint("torso_link_1", (0, 0, 0.15), (0, 1, 0), -0.5, 1.2, 400),
        ),
        link_text(chest_link, 16.0, chest, collar),
        joint_text(
            "head_joint_1", "head_link_1", Joint(chest_link, (0, 0, 0.41), (0, 0, 1), -1.5, 1.5, 30)
        ),
        link_text("head_link_1", 0.8, neck),
        joint_text(
            "head_joint_2",
            "head_link_2",
            Joint("head_link_1", (0, 0, 0.05), (0, 1, 0), -0.7, 0.9, 30),
        ),
        link_text("head_link_2", 3.0, head, eyes),
    ]


def _arm(side: str, sign: int) -> list[str]:
    """Return seven joints: three in the shoulder, one in the elbow, three in the wrist; the last moves the palm."""
    inner, outer = sorted((sign * -0.6, sign * 2.8))
    x_axis, y_axis, z_axis = (1, 0, 0), (0, 1, 0), (0, 0, 1)
    shoulder = Shape("cylinder", (0.062, 0.1), (0, sign * 0.05, 0), (pi / 2, 0, 0), "blue")
    ball = Shape("sphere", (0.062,))
    upper = Shape("cylinder", (0.052, 0.23), (0, 0, -0.125))
    elbow = Shape("cylinder", (0.052, 0.11), (0, 0, 0), (pi / 2, 0, 0), "blue")
    elbow_down = Shape("cylinder", (0.044, 0.09), (0, 0, -0.09), colour="graphite")
    forearm = Shape("cylinder", (0.042, 0.14), (0, 0, -0.075))
    wrist = Shape("sphere", (0.04,), colour="blue")
    palm = Shape("box", (0.13, 0.085, 0.03), (0, 0, 0.095), colour="graphite")
    mount = Shape("cylinder", (0.032, 0.08), (0, 0, 0.04), colour="ivory")
    name, hand = f"{side}_arm", f"{side}_hand_palm"
    links = [*(f"{name}_link_{i}" for i in range(1, 7)), hand]
    joints = [
        Joint("torso_link_2", (0, sign * 0.2, 0.32), y_axis, -3.0, 1.2, 150),
        Joint(links[0], (0, sign * 0.06, 0), x_axis, inner, outer, 150),
        Joint(links[1], (0, 0, -0.08), z_axis, -2.8, 2.8, 100),
        Joint(links[2], (0, 0, -0.28), y_axis, -2.5, 0.1, 100),
        Joint(links[3], (0, 0, -0.14), z_axis, -2.9, 2.9, 60, friction=0.1, damping=0.5),
        Joint(links[4], (0, 0, -0.19), y_axis, -2.6, 2.6, 40, friction=0.1, damping=0.5),
        Joint(
            links[5], (0, 0, 0), x_axis, -1.5, 1.5, 40, rpy=(pi, 0, 0), friction=0.1, damping=0.5
        ),
    ]
    bodies: list[tuple[float, tuple[Shape, ...]]] = [
        (3.0, (shoulder,)),
        (2.0, (ball,)),
        (2.5, (upper,)),
        (2.2, (elbow, elbow_down)),
        (1.4, (forearm,)),
        (0.7, (wrist,)),
        (0.7, (palm, mount)),
    ]
    parts: list[str] = []
    for index, (joint, link, (mass, shapes)) in enumerate(
        zip(joints, links, bodies, strict=True), 1
    ):
        parts += [joint_text(f"{name}_joint_{index}", link, joint), link_text(link, mass, *shapes)]
    return parts


def _finger(hand: str, index: int, x: float, y: float) -> list[str]:
    parent, parts = f"{hand}_palm", []
    at = (x, y, FINGER_HEIGHT)
    # Each finger's x axis points to the centre of the hand, so that all flex about +y.
    rpy = (0.0, 0.0, pi if x > 0 else 0.0)
    limits = ((-0.7, 1.4, 2.4), (0.0, 1.7, 1.6), (0.0, 1.5, 1.0))
    for number, ((lower, upper, effort), length) in enumerate(
        zip(limits, FINGER_LENGTHS, strict=True), start=1
    ):
        link = f"{hand}_finger_{index}_link_{number}"
        joint = Joint(parent, at, (0, 1, 0), lower, upper, effort, 5.0, rpy, 0.01, 0.01)
        bone = Shape("cylinder", (FINGER_RADIUS, length), (0, 0, length / 2))
        tip = Shape("sphere", (TIP_RADIUS,), (0, 0, length), colour="rubber")
        knuckle = Shape("sphere", (FINGER_RADIUS,), (0, 0, length), colour="graphite")
        end = tip if number == len(limits) else knuckle
        parts.append(joint_text(f"{hand}_finger_{index}_joint_{number}", link, joint))
        parts.append(link_text(link, 0.045 - 0.01 * number, bone, end))
        parent, at, rpy = link, (0.0, 0.0, length), (0.0, 0.0, 0.0)
    return parts


if __name__ == "__main__":
    sys.stdout.write(urdf())
