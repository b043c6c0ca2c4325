"""The parameters of the model `consistency`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from hetwin_core.ensemble.parameters import (
    Parameters,
    RobotDescription,
    WatchedRobot,
    parameter,
)
from hetwin_core.ensemble.validation import Number

Namespace = Annotated[
    str, Field(pattern=r"^/?([A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*)?$")
]
"""A namespace of ROS 2; / for none."""

Limit = Annotated[Number, Field(gt=0, le=1e9)]

JOINT_LIMIT = 0.0125
"""How far joints of robot and twin may be apart [rad or m]."""


class Settings(Parameters):
    """What is compared, and how far it may be apart."""

    watch: WatchedRobot = parameter("the robots that the main model reports about", None)
    description: RobotDescription = parameter("the robot's URDF", "")
    of: str | None = parameter("name of the robot; default: the only one", None)
    robot: Namespace | None = parameter(
        "namespace of a robot that obeys the same commands as the twin, whose joint states are compared, / for none;"
        " default: the twin is compared with what its source says",
        None,
    )
    joints: Limit = parameter("how far a joint may be off", JOINT_LIMIT, "rad or m")
    link: str | None = parameter("link whose place is compared; default: none", None)
    tip: Limit = parameter("how far the link may be off", 0.03, "m")
    base: Limit = parameter("how far the base may be from where odometry has it", 0.05, "m")
    heading: Limit = parameter("how far its heading may be off", 0.05, "rad")
