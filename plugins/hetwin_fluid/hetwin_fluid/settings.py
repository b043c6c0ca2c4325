"""The parameters of a fluid in a cup."""

from __future__ import annotations

from typing import Literal

from pydantic import ValidationInfo, field_validator

from hetwin_fluid.balls import Kind, Substance
from hetwin_suite.model import Amount, EntityName, Parameters, Vector3, Whole, parameter


class Settings(Parameters):
    """All parameters of the model; `gravity` is along the axes of the world [m/s2]."""

    cup: EntityName = parameter("the hollow body, open along its z axis")
    particles: Whole = parameter("number of particles in the cup at the start", 50, ge=0)
    capacity: Whole | None = parameter(
        "maximum number of particles; default: the number at the start", None
    )
    radius: Amount = parameter("radius of a particle", 0.006, "m", gt=0)
    density: Amount = parameter("density of a particle", 1000.0, "kg/m3", gt=0)
    kind: Kind = parameter(
        "kind of particles: points (three coordinates, without friction) or spheres (rigid bodies with rotation)",
        Kind.POINTS,
    )
    friction: Amount = parameter("coefficient of friction between spheres", 0.02)
    drag: Amount = parameter("decay rate of the motion of points relative to the cup", 2.0, "1/s")
    time_step: Amount = parameter("maximum step of the particles' physics", 0.005, "s", gt=0)
    solver: Literal["cg", "newton"] = parameter(
        "solver of contacts: cg (fast for piles) or newton", "cg"
    )
    smoothing: Amount = parameter("time window of the fit of the cup's acceleration", 0.08, "s")
    gravity: Vector3 = parameter("gravity in the world frame", [0.0, 0.0, -9.81], "m/s2")

    @field_validator("capacity")
    @classmethod
    def _holds_all(cls, capacity: int | None, info: ValidationInfo) -> int | None:
        least = max(info.data.get("particles", 0), 1)
        if capacity is not None and capacity < least:
            raise ValueError(f"a whole number of at least {least}")
        return capacity

    @property
    def room(self) -> int:
        """Maximum number of particles."""
        return max(self.particles, 1) if self.capacity is None else self.capacity

    @property
    def substance(self) -> Substance:
        """Properties of the particles."""
        return Substance(
            self.kind,
            self.radius,
            self.density,
            self.friction,
            self.time_step,
            self.solver,
            self.drag if self.kind is Kind.POINTS else 0.0,
        )
