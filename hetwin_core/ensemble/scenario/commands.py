"""What a scenario allows to be sent to its robot; without it, nothing is."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from hetwin_core.ensemble.validation import AboveZero, Finite, Name, Strict, Text, Vector3


class CommandGroup(Strict):
    """Joints that one controller of the robot moves."""

    joints: list[Text] = Field(min_length=1, description="joints, or patterns such as arm_*_joint")
    controller: Text = Field(
        description="name of the controller, which takes trajectories on CONTROLLER/joint_trajectory"
    )
    velocity: AboveZero | None = Field(
        None,
        description="largest speed where the URDF gives none, in rad/s or m/s; `speed` applies to it too",
    )
    acceleration: AboveZero | None = Field(
        None,
        description="largest acceleration of planned moves, in rad/s^2 or m/s^2;"
        " default: in a second to 4 times the speed",
    )


def _box(corners: list[Vector3]) -> list[Vector3]:
    if len(corners) != 2:
        raise ValueError(f"two corners [[x, y, z], [x, y, z]], not {len(corners)}")
    lower, upper = corners
    for axis, low, high in zip("xyz", lower, upper, strict=True):
        if not low < high:
            raise ValueError(
                f"the lower corner first: {axis} from {low:g} to {high:g} is reversed or empty"
            )
    return corners


Box = Annotated[
    list[Vector3], AfterValidator(_box), Field(json_schema_extra={"minItems": 2, "maxItems": 2})
]
"""The lower and the upper corner of a box along the world's axes [m]."""


class Commands(Strict):
    """What may be sent, through which controllers, and within which limits."""

    groups: dict[Name, CommandGroup] = Field(default={}, description="groups of joints")
    base: Text | None = Field(
        None, description="topic of type geometry_msgs/msg/Twist that moves the base, e.g. cmd_vel"
    )
    speed: Annotated[Finite, Field(gt=0, le=1)] = Field(
        0.5, description="share of the URDF's velocity limits that is used"
    )
    workspace: Box | None = Field(
        None,
        description="box in the world that the ends of commanded groups and the base stay in: the lower and the upper"
        " corner, in m; default: no box",
    )
    clearance: Annotated[Finite, Field(ge=0, le=1)] = Field(
        0.01, description="least distance to everything that is not touched at the start, in m"
    )

    @model_validator(mode="after")
    def _is_consistent(self) -> Commands:
        if not self.groups and self.base is None:
            raise ValueError("groups of joints, a base, or both")
        controllers = [group.controller for group in self.groups.values()]
        for controller in controllers:
            if controllers.count(controller) > 1:
                raise ValueError(f"one group for each controller, not two for {controller}")
        return self
