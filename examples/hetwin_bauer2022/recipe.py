"""What is recorded: one episode of a seed, with what options fix and make worse."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from hetwin_bauer2022.kind import FlawChoice, GraspChoice, RealityChoice
from hetwin_bauer2022.mismatch import Mismatch, RealityAxis, RealWorld
from hetwin_suite.episode import Take

Aim: TypeAlias = tuple[float, float]
"""How far inside its rim a container is aimed at [m], and the direction from its middle in its own frame [rad]."""
Shifts: TypeAlias = Mapping[str, tuple[float, float]]
"""Entity -> how far along the world's x and y it really is from where its episode has it [m]."""


@dataclass(frozen=True, slots=True)
class Recipe(Take):
    """What is recorded; the index determines its start time.

    Attributes:
        grasp: grasp of drops.
        flaw: flaw of drops.
        mismatches: that act on reality, in the order in which they act.
        reality: what simulates it; only drops have a choice.
        near_rim: near rim of drops, the largest distance of the aim from the rim [m]; None: as drawn.
        aim: aim of drops; None: as drawn.
        boundary: whether what decides is drawn about where it begins to matter.
        shifts: what is really elsewhere; the robot does not know.
    """

    grasp: GraspChoice = GraspChoice.CAGE
    flaw: FlawChoice = FlawChoice.ANY
    mismatches: tuple[Mismatch, ...] = ()
    reality: RealityChoice = RealityChoice.MUJOCO
    near_rim: float | None = None
    aim: Aim | None = None
    boundary: bool = False
    shifts: Shifts = field(default_factory=dict)

    def worse(self, real: RealWorld) -> RealWorld:
        """Return the real world with the mismatches."""
        for one in self.mismatches:
            if isinstance(one.axis, RealityAxis):
                real = one.axis.change(real, one.level, self.random(one.axis.name))
        return real

    @property
    def truth(self) -> dict[str, Any]:
        """What `truth.json` says about it."""
        told: dict[str, Any] = {"seed": self.seed, "index": self.index}
        if self.reality is not RealityChoice.MUJOCO:
            told["reality"] = self.reality.value
        levels = {one.axis.name: one.level for one in self.mismatches}
        if levels:
            told["mismatch"] = levels
        return {**told, **self.told}

    @property
    def told(self) -> dict[str, Any]:
        """The chosen aims and shifts, as the files of a recording say them; empty without."""
        told: dict[str, Any] = {} if self.near_rim is None else {"near_rim": self.near_rim}
        if self.aim is not None:
            told["aim"] = list(self.aim)
        if self.boundary:
            told["boundary"] = True
        if self.shifts:
            told["shift"] = {name: list(shift) for name, shift in self.shifts.items()}
        return told


def unchanged(real: RealWorld) -> RealWorld:
    """Return the real world without mismatch."""
    return real
