"""A robot of two joints and two wheels as a description, for tests of commands."""

from __future__ import annotations

import numpy as np

from model_nodes.main_physics.wheels import DifferentialDrive
from model_nodes.main_physics.world.description import Body, Joint, JointKind, Link

ARM = ("elbow", "wrist")
WHEELS = ("left_wheel", "right_wheel")
DRIVE = DifferentialDrive(WHEELS[:1], WHEELS[1:], 0.1, 0.4, 0.0, np.array([1.0, 1.0]))


def rover() -> Body:
    """Two wheels and an arm of two joints; nothing of it has a shape."""
    joints = [
        Joint(name, JointKind.HINGE, "base", f"{name}_link", (0.0, 1.0, 0.0))
        for name in (*ARM, *WHEELS)
    ]
    links = [Link("base"), *(Link(joint.child) for joint in joints)]
    return Body("rover", tuple(links), tuple(joints), robot=True)
