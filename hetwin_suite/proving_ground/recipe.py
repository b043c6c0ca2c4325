"""What is recorded: one episode of a seed, with what options fix and make worse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hetwin_suite.proving_ground.kind import FlawChoice, GraspChoice, RealityChoice
from hetwin_suite.proving_ground.mismatch.axis import Mismatch, RealityAxis
from hetwin_suite.proving_ground.own_random import own_random
from hetwin_suite.proving_ground.two_hands.real_world import RealWorld


@dataclass(frozen=True, slots=True)
class Recipe:
    """What is recorded.

    Attributes:
        seed: of the recording.
        index: of the episode, from 0; determines its start time.
        grasp: of drops.
        flaw: of drops.
        mismatches: that act on reality, in the order in which they act.
        reality: what simulates it; only drops have a choice.
    """

    seed: int
    index: int
    grasp: GraspChoice = GraspChoice.CAGE
    flaw: FlawChoice = FlawChoice.ANY
    mismatches: tuple[Mismatch, ...] = ()
    reality: RealityChoice = RealityChoice.MUJOCO

    def random(self, purpose: str) -> np.random.Generator:
        """Return a generator of this episode for one purpose, apart from that of its other draws."""
        return own_random(purpose, self.seed, self.index)

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
        return {**told, "mismatch": levels} if levels else told


def unchanged(real: RealWorld) -> RealWorld:
    """Return the real world without mismatch."""
    return real
