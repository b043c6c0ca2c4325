"""The parameters of a camera."""

from __future__ import annotations

import math
from typing import Annotated

from pydantic import Field

from hetwin_core.ensemble.parameters import (
    Amount,
    EntityName,
    EntityNames,
    Parameters,
    Pose,
    parameter,
)
from hetwin_core.ensemble.validation import AboveZero, Finite, Whole

Share = Annotated[Finite, Field(ge=0, le=1)]
EVERY = "*"
"""Key for all objects that are not named."""


class Settings(Parameters):
    """All parameters of the model."""

    frame: EntityName = parameter("link or other entity that the camera is fixed to")
    at: Pose = parameter(
        "its place there: x y z, qw qx qy qz; it looks along x, with z up", [0, 0, 0, 1, 0, 0, 0]
    )
    objects: EntityNames = parameter("what it may see: a tag, or a list of names", "graspable")
    width: Annotated[AboveZero, Field(lt=math.pi)] = parameter("horizontal angle", 1.05, "rad")
    height: Annotated[AboveZero, Field(lt=math.pi)] = parameter("vertical angle", 0.8, "rad")
    nearest: Amount = parameter("what is nearer is not seen", 0.1, "m")
    reach: AboveZero = parameter("what is further is not seen", 3.0, "m")
    rays: Annotated[Whole, Field(gt=0, le=10_000)] = parameter("rays to each object", 48)
    least: Share = parameter("an object is visible if so large a share of it is seen", 0.15)
    during: tuple[str, ...] = parameter(
        "operations in which it takes pictures; none: at all times", ("look",)
    )
    noise: Amount = parameter("standard deviation of detected places, along each axis", 0.0, "m")
    turn_noise: Amount = parameter(
        "standard deviation of detected rotations, about each axis", 0.0, "rad"
    )
    miss: Share | dict[str, Share] = parameter(
        "probability that something visible is not detected, or such by object (* for others)", 0.0
    )
    confusion: dict[str, dict[str, Share]] = parameter(
        "object -> what it is taken for instead -> probability", {}
    )
