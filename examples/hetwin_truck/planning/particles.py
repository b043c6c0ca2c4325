"""Particles: samples of the load's state, and the robot's noisy observations.

After Tallavajhula et al. (2019), section 4.4: a belief is a set of sampled states, and results of actions are uncertain
because of sensor noise. The robot knows the poses of packets, but neither their masses nor their friction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from hetwin_suite.engine import Diverged
from hetwin_suite.model import Floats
from hetwin_truck.actions import Unloader
from hetwin_truck.packets import Packet
from hetwin_truck.site import Site

MASS_DEVIATION = 0.35
"""Standard deviation of the logarithm of a packet's mass."""
FRICTION = (0.35, 0.65)
"""Range of the friction coefficient, common to all packets of a load."""
SENSING = 0.01
"""Standard deviation of each face of an observed box [m]."""
SWEEPS = {"sweep_15": 0.15, "sweep_30": 0.30, "sweep_50": 0.50}
"""Sweep -> depth of the nose in the packets [m]."""
MOVES = ("pick", *SWEEPS)
"""Moves of which strategies consist."""


def moves_within(deepest: float) -> tuple[str, ...]:
    """Return the moves in which the nose enters the packets by at most `deepest` [m]."""
    return tuple(move for move in MOVES if SWEEPS.get(move, 0.0) <= deepest)


class MoveResult(NamedTuple):
    """The result of one move of one particle.

    Attributes:
        unloaded: number of unloaded packets.
        seconds: simulated time [s].
        processor_s: processor time [s].
        state: state of the site; None if the engine diverged.
    """

    unloaded: int
    seconds: float
    processor_s: float
    state: object | None


class _NoisyUnloader(Unloader):
    """An unloader that observes the boxes with noise."""

    def __init__(self, site: Site, into_wall: float) -> None:
        super().__init__(site, into_wall)
        self.random = np.random.default_rng(0)

    def boxes(self) -> Floats:
        boxes = super().boxes()
        noisy = boxes + self.random.normal(0.0, SENSING, boxes.shape)
        # In a box thinner than the noise, lower and upper corners keep their order.
        return np.hstack(
            [np.minimum(noisy[:, :3], noisy[:, 3:]), np.maximum(noisy[:, :3], noisy[:, 3:])]
        )


def draw_particle(packets: Sequence[Packet], random: np.random.Generator) -> list[Packet]:
    """Draw the masses of the packets, and one friction coefficient for all."""
    friction = float(random.uniform(*FRICTION))
    factors = np.exp(random.normal(0.0, MASS_DEVIATION, len(packets))).tolist()
    return [
        replace(p, mass=p.mass * factor, friction=friction)
        for p, factor in zip(packets, factors, strict=True)
    ]


class Particle:
    """A sampled load, on a site of its own.

    Args:
        packets: packets with the particle's masses and friction.
        seed: seed of sensor noise; the same for all moves of one depth, so that strategies are compared on the same
            draws.
        sleep: whether the engine puts resting packets to sleep.
    """

    def __init__(
        self, packets: Sequence[Packet], seed: Sequence[int], *, sleep: bool = False
    ) -> None:
        self._site, self._seed = Site(packets, sleep=sleep), tuple(seed)
        depths = {"pick": 0.0, **SWEEPS}
        self._unloaders = {
            name: _NoisyUnloader(self._site, depth) for name, depth in depths.items()
        }
        self._site.settle()
        self.start = self._site.save()

    def boxes(self) -> Floats:
        """Return the observed boxes at the start, as `Unloader.boxes` with noise."""
        self._site.restore(self.start)
        unloader = self._unloaders["pick"]
        unloader.random = np.random.default_rng((*self._seed, 0))
        return unloader.boxes()

    def move(self, state: object, name: str, depth: int, mode: str) -> MoveResult:
        """Make a move from a state.

        Args:
            state: state of this particle.
            name: one of `MOVES`.
            depth: number of previous moves.
            mode: fidelity mode.
        """
        self._site.restore(state)
        unloader = self._unloaders[name]
        unloader.random = np.random.default_rng((*self._seed, depth))
        try:
            outcome = unloader.perform("pick" if name == "pick" else "sweep", mode)
        except Diverged:
            return MoveResult(0, 0.0, 0.0, None)
        return MoveResult(
            len(outcome.unloaded), outcome.simulated, outcome.processor_s, self._site.save()
        )
