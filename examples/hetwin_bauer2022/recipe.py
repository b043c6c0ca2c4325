"""The recipe of recorded episodes: their seed, fixed choices and mismatches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from hetwin_bauer2022.kind import FlawChoice, GraspChoice, RealityChoice
from hetwin_bauer2022.mismatch import Mismatch, RealityAxis, RealWorld
from hetwin_suite.episode import Take

Aim: TypeAlias = tuple[float, float]
"""Distance of the target inside the rim [m], and its direction from the centre in the container's frame [rad]."""
Shifts: TypeAlias = Mapping[str, tuple[float, float]]
"""Entity -> offset of its true position from the believed one along the world's x and y [m]."""


@dataclass(frozen=True, slots=True)
class Recipe(Take):
    """The recipe of an episode; the index determines its start time.

    Attributes:
        grasp: grasp of drops.
        flaw: flaw of drops.
        mismatches: mismatches of reality, in the order of their application.
        reality: simulator of reality; only drops have a choice.
        near_rim: for drops, maximum distance of the aim from the rim [m]; None: as drawn.
        aim: aim of drops; None: as drawn.
        boundary: whether the deciding quantity is drawn close to the boundary between success and failure.
        shifts: offsets of true positions, unknown to the robot.
    """

    grasp: GraspChoice = GraspChoice.CAGE
    flaw: FlawChoice = FlawChoice.ANY
    mismatches: tuple[Mismatch, ...] = ()
    reality: RealityChoice = RealityChoice.MUJOCO
    near_rim: float | None = None
    aim: Aim | None = None
    boundary: bool = False
    shifts: Shifts = field(default_factory=dict)

    def apply_mismatches(self, real: RealWorld) -> RealWorld:
        """Return the real world with the mismatches."""
        for mismatch in self.mismatches:
            if isinstance(mismatch.axis, RealityAxis):
                real = mismatch.axis.change(real, mismatch.level, self.random(mismatch.axis.name))
        return real

    @property
    def truth(self) -> dict[str, Any]:
        """Return the fields of `truth.json` about the recipe."""
        options: dict[str, Any] = {"seed": self.seed, "index": self.index}
        if self.reality is not RealityChoice.MUJOCO:
            options["reality"] = self.reality.value
        levels = {mismatch.axis.name: mismatch.level for mismatch in self.mismatches}
        if levels:
            options["mismatch"] = levels
        return {**options, **self.options}

    @property
    def options(self) -> dict[str, Any]:
        """Return the fixed aims and shifts for the files of a recording; empty without any."""
        options: dict[str, Any] = {} if self.near_rim is None else {"near_rim": self.near_rim}
        if self.aim is not None:
            options["aim"] = list(self.aim)
        if self.boundary:
            options["boundary"] = True
        if self.shifts:
            options["shift"] = {name: list(shift) for name, shift in self.shifts.items()}
        return options


def without_mismatch(real: RealWorld) -> RealWorld:
    """Return the real world without mismatch."""
    return real
